# The commands of lastbit. `make` alone lists them. `make run` and `make test` suffice on a fresh machine: each step
# looks first whether its work is done. What is kept between runs lies in $LASTBIT_CACHE (default ~/.cache/lastbit).

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

# Where `make run` serves the page.
PORT ?= 8080
# What `make test` runs: native swiftshader wasm page e2e; empty for all.
ONLY ?=
# Arguments of `make bench`.
ARGS ?=
# How long `make fuzz` stays with each target.
FUZZ_SECONDS ?= 60

.PHONY: help run test fuzz bench check types clean engine page wasm-target wasm-bindgen npm model gemma vocabularies test-system

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: page model ## build everything and serve the page on localhost (PORT=8080)
	@scripts/serve.sh $(PORT)

test: page model gemma vocabularies test-system ## run every test on software adapters (ONLY="native wasm" for some)
	@scripts/test.sh $(ONLY)

fuzz: ## feed the reader, descriptions, tokenizers and templates random files (FUZZ_SECONDS=60 for each of five targets)
	@scripts/fuzz.sh $(FUZZ_SECONDS)

bench: model ## measure the kernels and the decode step on this machine's GPU (ARGS="--json")
	@scripts/bench.sh $(ARGS)

check: wasm-target npm ## format, lints and types
	@scripts/check.sh

types: ## write the page's types of what crosses between the engine and the page, from the Rust types
	@scripts/types.sh

clean: ## remove what was built here (the cache of tools and model stays)
	rm -rf target pkg fuzz/artifacts www/dist www/src/engine www/src/template-engine www/node_modules shots

engine: wasm-target wasm-bindgen npm
	@scripts/build_engine.sh

page: engine
	@scripts/build_page.sh

wasm-target:
	@scripts/wasm_target.sh

wasm-bindgen:
	@scripts/wasm_bindgen.sh

npm:
	@scripts/npm.sh

model:
	@scripts/model.sh

gemma:
	@scripts/model.sh gemma

vocabularies:
	@scripts/vocabularies.sh

test-system:
	@scripts/system_packages.sh
