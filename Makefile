# The checks that CI runs. Nothing here needs a network once modules are downloaded, nor a GPU.
GO ?= go
STATICCHECK = $(GO) tool -modfile=tools/go.mod staticcheck

STARTS = '^[[:space:]]*(defer )?go (func|[a-zA-Z.]+\()|\.Go\(func|httptest\.NewServer|http\.Server\{'

# A linter that has 220 modules behind it and takes minutes: not among the checks, so that these need no more than the product's modules.
GOLANGCI = $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

.PHONY: check format vet staticcheck lint race tidy test bench

check: format vet staticcheck race tidy

format:
	@files=$$(git ls-files '*.go' | xargs gofmt -l); if [ -n "$$files" ]; then echo "gofmt differs:"; echo "$$files"; exit 1; fi

vet:
	$(GO) vet ./...

staticcheck:
	$(STATICCHECK) ./...

lint:
	$(GOLANGCI) run --timeout 20m ./...

# The race detector runs in the packages that start goroutines, in code or in tests; there, tests of what runs on one goroutine skip themselves
# (archtest.OneGoroutine), and cmd/hallmark has a list of tests and scripts (raced in main_test.go).
race:
	$(GO) test -race -timeout 20m $$(git grep -lE $(STARTS) -- 'cmd/*.go' 'internal/*.go' | xargs -n1 dirname | sort -u | sed 's,^,./,')

# The module files say exactly what is imported, and nothing a test or a build writes lies about uncommitted.
tidy:
	$(GO) mod tidy -diff
	@left=$$(git status --porcelain); if [ -n "$$left" ]; then echo "the tree is not tidy:"; echo "$$left"; exit 1; fi

test:
	$(GO) test ./...

bench:
	bench/run.sh
