# Every target works in each Go module of the repository, with GNU make, bash and go alone.

MODULES      := $(sort $(patsubst %/go.mod,%,$(shell find . -name go.mod -not -path '*/testdata/*' -not -path '*/.*/*')))
STATICCHECK  := honnef.co/go/tools/cmd/staticcheck@v0.8.2
COVERAGE_MIN ?= 95
FUZZTIME     ?= 5m
COUNT        ?= 1

SHELL        := bash
.SHELLFLAGS  := -eu -o pipefail -c

# $(call each,COMMANDS) runs shell commands in every module and stops at the first that fails.
each = @for module in $(MODULES); do echo "== $@ $$module"; (cd $$module; $(1)); done

# The packages that coverage counts. Programs, examples and benchmarks show or measure the library; they are not part of it.
library = go list -f '{{if ne .Name "main"}}{{.ImportPath}}{{end}}' ./... | { grep -Ev '/(examples|benchmarks)(/|$$)' || true; } | paste -sd, -

.PHONY: help test check format vet tidy staticcheck coverage bench fuzz

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

test: ## run the tests
	$(call each,go test ./...)

check: format vet tidy staticcheck coverage ## all that must hold before a change is accepted; its test run is the one of coverage

format: ## fail when gofmt would change a file
	@echo "== $@"; files=$$("$$(go env GOROOT)/bin/gofmt" -l .); if [ -n "$$files" ]; then echo "gofmt would change:"; echo "$$files"; exit 1; fi

vet: ## go vet; the root module for Windows and macOS too
	$(call each,go vet ./...)
	GOOS=windows go vet ./...
	GOOS=darwin go vet ./...

tidy: ## fail when go mod tidy would change something
	$(call each,go mod tidy -diff)

staticcheck: ## run the pinned staticcheck
	$(call each,go run $(STATICCHECK) ./...)

# One run does it all: race detector, shuffled order, and a profile over all library packages of the module.
coverage: ## run the tests with the race detector, in random order; fail when they reach less than COVERAGE_MIN percent of the statements
	$(call each,packages=$$($(library)); \
		if [ -z "$$packages" ]; then go test -race -shuffle=on ./...; exit; fi; \
		go test -race -shuffle=on -coverpkg="$$packages" -coverprofile=coverage.out ./... | sed '/coverage: 0.0%/d; s/[[:space:]]coverage: .*//'; \
		go tool cover -func=coverage.out | awk '/^total:/ { total = $$3 } \
			END { print "statements covered: " total " (at least $(COVERAGE_MIN)%)"; exit total + 0 < $(COVERAGE_MIN) }')

bench: ## run the benchmarks, COUNT times each
	$(call each,go test -run '^$$' -bench . -benchmem -count $(COUNT) ./...)

fuzz: ## run each fuzz target for FUZZTIME, one after another
	$(call each,for package in $$(go list ./...); do \
		found=$$(go test -list '^Fuzz' "$$package"); \
		for target in $$(grep '^Fuzz' <<<"$$found" || true); do \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$package"; \
		done; done)
