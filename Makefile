# Two commands do all the set-up on a fresh machine with Python 3.11:
#   make demo   audits the bundled sample and writes demo/report.html
#   make test   runs the tests
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# So that a command starts as quickly as an installed one, also where Python may not write what it compiled.
COMPILE := $(BIN)/python -m compileall -q src
PIP := $(BIN)/pip --disable-pip-version-check install -q -c constraints.txt

# A signal in two minutes: style, floors, and what breaks most often; the whole is `make check`.
QUICK := tests/test_house.py tests/risk/metrics/test_k_anonymity.py tests/risk/metrics/test_l_diversity.py tests/risk/metrics/test_uniqueness.py \
  tests/risk/policy tests/columns/test_images.py tests/columns/hierarchy/test_builders.py tests/io/sources/test_delimited.py \
  tests/transform/test_recipe.py tests/operations/test_verify.py tests/report/test_sentences.py

.PHONY: quick demo dist test browser postgres java lint types layers docs check bench sbom pictures pins audit-dependencies clean

demo: $(VENV)/installed
	$(BIN)/anonscope demo --folder demo

# Tests that share a server run in one process, so that it is started once: see tests/conftest.py.
test: $(VENV)/installed-dev browser postgres java
	$(BIN)/pytest -n auto

# The pages are tested in a real browser: Debian's for root, else the one that playwright fetches. Without any, those tests are skipped.
# What drives it needs libatomic, which a bare Debian lacks.
browser: $(VENV)/installed-dev
	@{ command -v chromium >/dev/null || command -v chromium-browser >/dev/null || ls -d $$HOME/.cache/ms-playwright/chromium-* >/dev/null 2>&1; } \
	  && $(BIN)/playwright --version >/dev/null 2>&1 || \
	  if [ "$$(id -u)" = 0 ]; then apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium libatomic1 >/dev/null; \
	  else $(BIN)/playwright install chromium; fi || echo "no browser could be installed: the tests of the pages will be skipped"

# A private PostgreSQL is started from Debian's binaries, unless ANONSCOPE_POSTGRES_URL names a server. Without either, those tests are skipped.
postgres:
	@[ -n "$$ANONSCOPE_POSTGRES_URL" ] || command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || \
	  if [ "$$(id -u)" = 0 ]; then apt-get update -qq && apt-get install -y -qq --no-install-recommends postgresql >/dev/null; \
	  else false; fi || echo "no PostgreSQL could be installed: its tests will be skipped"

# Spark needs Java. Without it, those tests are skipped.
java:
	@command -v java >/dev/null || \
	  if [ "$$(id -u)" = 0 ]; then apt-get update -qq && apt-get install -y -qq --no-install-recommends openjdk-17-jre-headless >/dev/null; \
	  else false; fi || echo "no Java could be installed: the tests of Spark will be skipped"

quick: $(VENV)/installed-dev
	$(BIN)/ruff check -q .
	$(BIN)/ruff format -q --check .
	$(BIN)/lint-imports >/dev/null || $(BIN)/lint-imports
	$(BIN)/pytest -q -n auto $(QUICK)

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

# Wheel and sdist; `python -m benchmarks.install` tries them in clean environments, with each extra.
dist: $(VENV)/installed-dev
	$(BIN)/python -m hatchling build -d dist

# Prints ratios taken in one run; BENCH passes options, e.g. make bench BENCH="--events 1000000".
bench: $(VENV)/installed-dev
	$(BIN)/python -m benchmarks $(BENCH)

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) -e .
	$(COMPILE)
	touch $@

# On the platform that CI has, every file is held to its hash; elsewhere to its version.
PLATFORM := import platform, sys; print(f"({platform.system()} {platform.machine()}, Python {sys.version_info[0]}.{sys.version_info[1]})")
$(VENV)/installed-dev: pyproject.toml constraints.txt requirements-ci.txt | $(VENV)/bin/python
	if head -n 1 requirements-ci.txt | grep -qF "$$($(BIN)/python -c '$(PLATFORM)')"; then \
	  $(BIN)/pip --disable-pip-version-check install -q --require-hashes -r requirements-ci.txt && \
	  $(BIN)/pip --disable-pip-version-check install -q --no-deps --no-build-isolation -e .; \
	else $(PIP) -e '.[dev]'; fi
	$(COMPILE)
	touch $@ $(VENV)/installed

# The pictures of README and documentation, from the pages as they are now.
pictures: $(VENV)/installed-dev browser
	$(BIN)/python -m benchmarks.pictures docs/images

# The hashes of what CI installs, after a version or a range has changed.
pins: $(VENV)/bin/python
	$(BIN)/python -m benchmarks.pins > requirements-ci.new && mv requirements-ci.new requirements-ci.txt

# Asks the public list of vulnerabilities about everything that CI installs: the one target that needs a network beyond installing.
audit-dependencies: requirements-ci.txt
	$(PYTHON) -m venv .venv-audit && .venv-audit/bin/pip --disable-pip-version-check install -q pip-audit
	.venv-audit/bin/pip-audit --require-hashes --disable-pip -r requirements-ci.txt

# What is in it: every package that anonscope with all its extras needs, with version and licence.
sbom: $(VENV)/installed-dev
	$(BIN)/python -m benchmarks.parts_list > sbom.json

clean:
	rm -rf $(VENV) .venv-bench .venv-anonymeter .venv-audit demo site build dist sbom.json benchmarks/data benchmarks/results
