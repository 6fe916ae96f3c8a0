# Every target sets up what it needs in .venv: nothing but Python 3.11 or later and make has to be there.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help demo test lint types fmt bench docs lock clean

help:  ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | sort

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "factmill needs Python 3.11 or later: make PYTHON=python3.12 …")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing into $(VENV)"
	@command -v uv >/dev/null 2>&1 || $(BIN)/python -m pip install --quiet uv 2>/dev/null || true
	@uv=$$(command -v uv || echo $(BIN)/uv); \
	for pip in "$$uv pip" "$(BIN)/python -m pip --python $(BIN)/python"; do \
	  case "$$pip" in *uv*) to="--python $(BIN)/python --compile-bytecode";; *) to="";; esac; \
	  $$pip install $$to --quiet --require-hashes --requirement requirements.lock && \
	  $$pip install $$to --quiet --no-deps --no-build-isolation --editable . && exit 0; \
	  echo "$$pip did not work"; \
	done; exit 1
	@touch $@

demo: $(READY)  ## the whole path on embedded data, offline but for the encoder
	@$(BIN)/factmill demo

test: lint types  ## lint, types and tests
	@$(BIN)/pytest --numprocesses 3 --dist loadfile

lint: $(READY)  ## ruff: rules and format
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/factmill templates lint

types: $(READY)  ## mypy, strict
	@$(BIN)/mypy

fmt: $(READY)  ## put the code into shape
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format --quiet .

bench: $(READY)  ## the benchmarks; each prints a ratio against a peer
	@for script in benchmarks/bench_*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

docs: $(READY)  ## write the command line reference anew
	@$(BIN)/python -m factmill.cli.reference > docs/cli.md

lock: $(READY)  ## resolve the dependencies anew into requirements.lock
	@$(BIN)/uv pip compile --quiet --upgrade --generate-hashes --universal --python-version 3.11 --extra dev \
	  --no-emit-index-url --no-header pyproject.toml --output-file requirements.lock

clean:  ## remove the environment and caches
	@rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache dist
