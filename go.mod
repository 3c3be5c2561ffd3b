module github.com/rawko/memory

go 1.26.5

require golang.org/x/sys v0.49.0
