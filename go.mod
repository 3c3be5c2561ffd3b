module github.com/rawko/memory

go 1.26.5
