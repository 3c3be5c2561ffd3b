module github.com/rawko/memory

go 1.26.5

require (
	github.com/kljensen/snowball v0.10.0
	golang.org/x/sys v0.49.0
	golang.org/x/text v0.43.0
	gopkg.in/yaml.v3 v3.0.1
)
