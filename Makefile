# Every target makes its own environment in .venv; nothing else need be installed first but Python 3.11.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
ARENA  := $(BIN)/arena

export TOKENIZERS_PARALLELISM = false
export HF_HUB_OFFLINE = 1

.PHONY: help install demo test test-all check format benchmarks clean

help:            ## say what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | sort

install:         ## make .venv from the locked requirements
	@requirements/install.sh $(VENV) $(PYTHON)

demo: install    ## train, serve, evaluate, compare and publish the two demo cells
	$(ARENA) run cell cells/demo-base.yaml
	$(ARENA) run cell cells/demo-sft.yaml
	$(ARENA) compare demo-base demo-sft --treatment recipe
	$(ARENA) rollup
	$(ARENA) publish leaderboard --out site

test: install    ## the default test suite
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not slow and not gpu and not docker"

test-all: install ## every test that this machine can run
	$(BIN)/python -m pytest

check: install   ## lint, format, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: install  ## let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

benchmarks: install ## print every measured ratio and figure
	@for file in benchmarks/[a-z]*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

clean:           ## remove the environment and what runs made
	rm -rf $(VENV) runs site
