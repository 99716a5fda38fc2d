# Every target sets up .venv by itself; the stamp makes that free until pyproject.toml changes.

PYTHON ?= python3
BIN    := .venv/bin
STAMP  := .venv/.installed

# Machine code of this repository: discriminant keeps there what matches the sources, and removes what is old.
export NUMBA_CACHE_DIR := $(CURDIR)/.cache/numba
# Python's byte code is kept as well: a hundred tests start the command, which would compile the package each time.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help install demo test ci fuzz verdicts interrupts bench docs lint style warm clean
.DEFAULT_GOAL := help

help:     ## list the targets
	@awk -F ' *:.*## ' '/^[a-z]+:.*## / {printf "make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: $(STAMP)  ## set up .venv with all extras and the developer tools

demo: $(STAMP)     ## fit every procedure on the books' table and on iris, print one comparison
	@$(BIN)/discriminant warm-up --forms dense64 --sizes small
	@$(BIN)/python examples/demo.py

# Two processes, so one thread each for the linear algebra. Each begins with its half of the tests and then takes from the
# other: to hand out ten thousand tests one by one costs half a minute.
TESTS = OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q -n 2 --dist worksteal
test: $(STAMP)     ## style, tests and doctests; what takes long is left to make lint and make ci
	@tools/chromium.sh
	@$(MAKE) --no-print-directory style warm
	$(TESTS) -m "not ci"

ci: $(STAMP)       ## what takes long: the gallery, the README's commands, the demo, the benchmarks' cases, a new procedure
	$(TESTS) -m ci

SECONDS ?= 60
TRIALS  ?= 200
fuzz: $(STAMP)     ## hard data for every estimator, SECONDS=60 long; CASE='…' tries one again
	@PYTHONPATH=tests $(BIN)/python tools/fuzz.py --seconds $(SECONDS) $(if $(CASE),--case "$(CASE)")

COUNT   ?= 10000
SEED    ?= 0
verdicts: $(STAMP)  ## COUNT=10000 random problems of separability against an exact oracle, SEED=0
	@$(BIN)/python tools/verdicts.py --count $(COUNT) --seed $(SEED)

interrupts: $(STAMP)  ## Ctrl-C at TRIALS=200 random moments of every estimator and command
	@$(BIN)/python tools/interrupts.py --trials $(TRIALS)

bench: $(STAMP)    ## measure against the peers, write benchmarks/results.md; CASE='P19' or CASE=separation does a part
	@$(BIN)/python -c 'import sklearnex, vowpalwabbit, dask_ml' 2>/dev/null || $(BIN)/python -m pip install -qq --disable-pip-version-check \
	    --editable '.[peers]' || echo "not all of the extra peers can be installed here: what is missing is left out"
	@$(BIN)/python -m benchmarks $(CASE)

docs: $(STAMP)     ## build docs/_build/html; a warning is an error, and so is a link that leads nowhere
	@$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build/html
	@$(BIN)/python tools/links.py docs/_build/html
	@echo "docs/_build/html/index.html"

lint: style        ## ruff, the import rule, and mypy, which takes half a minute
	$(BIN)/mypy

style: $(STAMP)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports --no-logo --cache-dir .cache/import_linter

warm: $(STAMP)
	$(BIN)/discriminant warm-up

clean:    ## remove caches and builds; .venv stays
	rm -rf .cache .hypothesis build dist docs/_build docs/api docs/auto_examples docs/sg_execution_times.rst
	find src tests benchmarks examples docs -name __pycache__ -type d -prune -exec rm -rf {} +

$(STAMP): pyproject.toml
	@[ -x $(BIN)/pip ] || { \
	    $(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(v < (3, 11) and "discriminant needs Python 3.11 or newer, and $(PYTHON) is %d.%d. Try: make PYTHON=python3.11" % v[:2])' \
	    && $(PYTHON) -m venv .venv; }
	@echo "Setting up .venv (a few minutes the first time)"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-compile --editable '.[all,docs,dev]'
	@touch $@
