# The same targets for people and for CI. The first use makes .venv; nothing else is needed before.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
OUT ?= out/demo
BENCH_SIZES ?= 5000 20000 100000 400000

.PHONY: help demo test check docs bench clean
.DEFAULT_GOAL := help

help:
	@echo 'make demo    install, score the simulated answers that ship, show the leaderboard'
	@echo 'make test    install, run all tests'
	@echo 'make check   install, run the linter, the format check, the type check and the import rules'
	@echo 'make docs    install, write the reference pages and the outputs that pages show anew'
	@echo 'make bench   install, measure time and memory, write docs/performance.md (about an hour; BENCH_SIZES="5000 20000" is short)'
	@echo 'make clean   remove everything that these targets made'

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo 'grade needs Python 3.11 or newer; say which with: make PYTHON=python3.12 ...' >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) \
		|| { echo 'this Python cannot make environments; install its venv package' >&2; exit 1; }
	@echo 'installing into $(VENV) ...' >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --editable '.[dev]'
	@touch $(READY)

demo: $(READY)
	@$(BIN)/grade demo --out $(OUT)

test: $(READY)
	@$(BIN)/python -m pytest -n 2

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(READY)
	@$(BIN)/python -m pipelines.reference docs/reference
	@$(BIN)/python tests/docs/refresh.py

bench: $(READY)
	@$(BIN)/python tests/bench/run.py --sizes $(BENCH_SIZES) --page docs/performance.md

clean:
	rm -rf $(VENV) out dist build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
