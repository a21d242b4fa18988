# Two commands do all the set-up on a fresh machine with Python 3.11:
#   make demo   audits the bundled sample and writes demo/report.html
#   make test   runs the tests
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip --disable-pip-version-check install -q -c constraints.txt

.PHONY: demo test lint types layers docs check bench clean

demo: $(VENV)/installed
	$(BIN)/anonscope demo --folder demo

test: $(VENV)/installed-dev
	$(BIN)/pytest -n auto

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/installed-dev
	$(BIN)/mypy

layers: $(VENV)/installed-dev
	$(BIN)/lint-imports

docs: $(VENV)/installed-dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict -q

check: lint types layers docs test

# Prints ratios taken in one run; BENCH passes options, e.g. make bench BENCH="--events 1000000".
bench: $(VENV)/installed-dev
	$(BIN)/python -m benchmarks $(BENCH)

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) -e .
	touch $@

$(VENV)/installed-dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) -e '.[dev]'
	touch $@ $(VENV)/installed

clean:
	rm -rf $(VENV) .venv-bench demo site build dist benchmarks/data benchmarks/results
