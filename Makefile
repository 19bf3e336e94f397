SHELL := /bin/sh
.DEFAULT_GOAL := help

PYTHON ?= python3
WORKERS ?= 3
VENV := .venv
PEERS := .venv-peers
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --quiet --disable-pip-version-check --no-input
# uv installs faster than pip, which is used where uv is not to be had; then all cores compile
# what tests import.
UV = $(BIN)/python -m uv pip install --quiet --python $(BIN)/python
INSTALL = install() { \
	{ $(PIP) install --constraint constraints.txt uv && $(UV) "$$@"; } 2> $(VENV)/uv.log || \
	$(PIP) install --no-compile "$$@"; }; install --constraint constraints.txt --editable
COMPILE = { $(BIN)/python -m compileall -qq -j 0 -x '/(tests|mypyc?|numba|pip|pkg_resources|setuptools)/' $(VENV)/lib || true; }
PEER_PIP := $(PEERS)/bin/python -m pip --quiet --quiet --disable-pip-version-check --no-input \
	install --constraint constraints.txt --constraint constraints-peers.txt
# Compiled once, not by each worker and by each process that a test starts. BLAS keeps to
# one thread, since workers that share cores wait for each other in small products. Three
# workers keep two cores busy: some tests wait for processes and for time limits.
PYTEST = env -u PYTHONDONTWRITEBYTECODE OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal
BROWSERS := chromium chromium-browser google-chrome chromium-headless-shell
APT := DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=0 -o Acquire::http::Timeout=20

# Exits with 0 if the environment holds this checkout and every package at its pinned
# version, so that pip (and with it the network) is needed only when something changed.
define UP_TO_DATE
import sys, tomllib
from importlib.metadata import distributions
from pathlib import Path
from pip._vendor.packaging.requirements import Requirement
from pip._vendor.packaging.utils import canonicalize_name as canonical

project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
installed = {canonical(found.metadata["Name"]): found for found in distributions(path=sys.path[1:])}
own = installed.get("gnbbench")
if own is None or Path.cwd().as_uri() not in (own.read_text("direct_url.json") or ""):
    sys.exit(1)
extras = {extra: needs for extra, needs in project["optional-dependencies"].items()}
needed = [*project["dependencies"], *(need for extra in sys.argv[1:] for need in extras[extra])]
declared = {f'{need}; extra == "{extra}"' for extra, needs in extras.items() for need in needs}
declared |= set(project["dependencies"])
pins = (line.split("==") for line in Path("constraints.txt").read_text().split() if "==" in line)
scripts = {entry.name: entry.value for entry in own.entry_points if entry.group == "console_scripts"}
sys.exit(not all([
    own.version == project["version"],
    scripts == project["scripts"],
    {str(Requirement(need)) for need in own.requires} == {str(Requirement(need)) for need in declared},
    all(canonical(Requirement(need).name) in installed for need in needed),
    all(canonical(name) not in installed or installed[canonical(name)].version == version
        for name, version in pins),
]))
endef
export UP_TO_DATE

define MISSING_LIBRARIES
from gnbbench.implementations.catalogue import LIBRARIES

print(*(library.extra or library.distribution
        for library in LIBRARIES if library.version is None))
endef
export MISSING_LIBRARIES

.PHONY: help
help: ## show this list
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{ printf "%-16s %s\n", $$1, $$2 }'

.PHONY: demo
demo: venv ## compare on iris over 1000 runs and write a report
	@$(BIN)/gnbbench compare iris --runs 1000

.PHONY: test
test: venv-dev browser ## run every test
	@$(PYTEST)

.PHONY: check
check: venv-dev ## format check, lint, types and every test: the one gate
	@$(BIN)/ruff format --check --quiet . || { echo "Not formatted. Run: make format"; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(MAKE) --no-print-directory --jobs 2 test types

# Beside the tests, since it keeps only one core busy.
.PHONY: types
types: venv-dev
	@$(BIN)/mypy --no-error-summary

.PHONY: quick quick-tests
quick: venv-dev ## lint, types and the quick tests: a minute
	@$(BIN)/ruff check --quiet .
	@$(MAKE) --no-print-directory --jobs 2 WORKERS=2 quick-tests types
quick-tests: venv-dev
	@$(PYTEST) -m "not browser and not slow"

.PHONY: format
format: venv-dev ## format the sources and mend what the linter can
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

.PHONY: reproduce
reproduce: venv ## measure all published figures: two minutes (DATA=DIR for UCI 320)
	@$(BIN)/gnbbench reproduce $(if $(DATA),--data $(DATA)) --out reports/reproduce

.PHONY: examples
examples: venv-dev ## make the reports under reports/examples anew: ten minutes, later only what changed (DATA=DIR for UCI 320)
	@$(if $(DATA),DATA=$(DATA)) $(BIN)/python reports/make_examples.py

.PHONY: docs
docs: venv ## build the documentation as a site that opens without a network
	@$(BIN)/python -c "$$UP_TO_DATE" docs || \
		{ $(INSTALL) '.[docs]' && $(COMPILE); }
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --clean
	@echo "Documentation: reports/site/index.html"

.PHONY: fuzz
fuzz: venv-dev ## hold the core against scikit-learn in 20,000 random cases: five minutes
	@$(BIN)/python tests/fuzz_core.py --cases 20000

.PHONY: bench
bench: venv-dev ## time the core against scikit-learn, and keep the tables: eight minutes
	@$(BIN)/python benchmarks/bench.py

.PHONY: bench-commands
bench-commands: venv ## time whole commands against hand-written loops
	@$(BIN)/python benchmarks/commands.py

.PHONY: bench-streams
bench-streams: venv-dev ## time streamed studies beside DuckDB and Polars: three minutes
	@$(BIN)/python benchmarks/bench.py streams

# Not what is pinned, but the lowest versions that pyproject.toml admits and that have a wheel
# for that Python, as uv finds them, and the newest ones. Libraries that need newer versions
# than the lowest are left out; a library's own warnings about versions that it was not made
# for are no errors here.
PYTHONS ?= python3.11 python3.12 python3.13 python3.14
PYENVS := $(subst $() ,:,$(wildcard $(HOME)/.pyenv/versions/*/bin))
TOOLS := pytest pytest-xdist pytest-timeout hypothesis jsonschema playwright \
	axe-playwright-python baycomp pyarrow distributed duckdb pyperf mixed-naive-bayes ucimlrepo
.PHONY: versions
versions: ## run the quick tests with the lowest and the newest versions, on each Python here
	@failed=; PATH="$(if $(PYENVS),$(PYENVS):)$$PATH"; \
	for python in $(PYTHONS); do for which in lowest newest; do \
		$$python -c '' 2> /dev/null || { echo "$$python: not here"; break; }; \
		here=.versions/$$(echo $$python | tr / _)-$$which; run="$$here/bin/python -m"; \
		pip="$$run pip install --quiet --quiet --disable-pip-version-check --no-input"; \
		$$python -m venv $$here && : > $$here/versions.txt && \
		if [ $$which = lowest ]; then \
			$$pip uv && $$run uv pip install --quiet --python $$here/bin/python \
				--resolution lowest-direct --only-binary :all: --editable . && \
			$$run pip freeze --exclude-editable --exclude uv > $$here/versions.txt; \
		fi && $$pip --constraint $$here/versions.txt --editable . $(TOOLS) && \
		$$run pytest --quiet --numprocesses $(WORKERS) -o filterwarnings=default \
			-m "not browser and not slow" > $$here/log 2>&1; \
		[ $$? = 0 ] || failed=1; \
		echo "$$python, $$which: $$(tail -n 1 $$here/log)"; \
	done; done; [ -z "$$failed" ]

.PHONY: venv
venv: $(VENV)/.installed ## make .venv with gnbbench and its pinned dependencies

.PHONY: venv-dev
venv-dev: $(VENV)/.installed-dev ## the same, and what tests need

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml constraints.txt
	@$(BIN)/python -c "$$UP_TO_DATE" || { \
		echo "Installing gnbbench into $(VENV) …"; \
		$(INSTALL) . && $(COMPILE); \
	}
	@touch $@

$(VENV)/.installed-dev: $(VENV)/bin/python pyproject.toml constraints.txt
	@$(BIN)/python -c "$$UP_TO_DATE" dev || { \
		echo "Installing gnbbench and what its tests need into $(VENV) …"; \
		$(INSTALL) '.[dev]' && $(COMPILE); \
	}
	@touch $@ $(VENV)/.installed

# A library that cannot be installed is told and left out; the next call tries it again.
.PHONY: peers
peers: $(PEERS)/bin/python ## compare all libraries, installed into .venv-peers: ten minutes
	@$(PEER_PIP) --editable . pytest pytest-timeout
	@for extra in $$($(PEERS)/bin/python -c "$$MISSING_LIBRARIES"); do \
		echo "Installing $$extra into $(PEERS) …"; \
		$(PEER_PIP) --editable ".[$$extra]" > $(PEERS)/$$extra.log 2>&1 || { \
			echo "$$extra cannot be installed:"; sed 's/^/  /' $(PEERS)/$$extra.log; }; \
	done
	@$(PEERS)/bin/gnbbench list implementations
	@$(PEERS)/bin/python reports/make_examples.py peers
	@$(MAKE) --no-print-directory programs

# What is not installed is told and left out.
.PHONY: programs
programs: $(PEERS)/bin/python ## compare a C program, R's e1071, Weka and npm's ml-naivebayes: three minutes
	@[ -x $(PEERS)/bin/gnbbench ] || $(PEER_PIP) --editable .
	@missing() { echo "$$1 is not installed: $$2"; }; \
	here="$(CURDIR)/docs/programs"; jar=/usr/share/java/weka.jar; built="$(CURDIR)/$(PEERS)"; set -- ; \
	if gcc -O2 "$$here/gnb.c" -lm -o "$$built/gnb" 2> $(PEERS)/gcc.log; \
		then set -- "$$@" --against "gnb.c=command:$$built/gnb 0 {train} {test}"; \
		else missing gcc "apt-get install gcc libc6-dev"; fi; \
	if Rscript -e 'library(e1071)' > $(PEERS)/e1071.log 2>&1; \
		then set -- "$$@" --against "e1071=command:Rscript $$here/e1071.R {train} {test} {out}"; \
		else missing e1071 "apt-get install r-base-core r-cran-e1071"; fi; \
	if javac -d "$$built" -cp $$jar "$$here/Weka.java" > $(PEERS)/weka.log 2>&1; \
		then set -- "$$@" --against "weka=command:java -cp $$jar:$$built Weka {train} {test}"; \
		else missing Weka "apt-get install default-jdk-headless weka"; fi; \
	if NODE_PATH="$$built/node_modules" node -e 'require("ml-naivebayes")' > $(PEERS)/npm.log 2>&1; \
		then set -- "$$@" --against "ml-naivebayes=command:env NODE_PATH=$$built/node_modules node $$here/ml-naivebayes.js {train} {test}"; \
		else missing ml-naivebayes "apt-get install nodejs npm; npm install --prefix $(PEERS) ml-naivebayes"; fi; \
	[ $$# = 0 ] || $(PEERS)/bin/gnbbench compare iris wine breast_cancer --runs 10 \
		--against numpy "$$@" --allow-failures --overwrite --out reports/peer-programs

$(VENV)/bin/python $(PEERS)/bin/python:
	@command -v $(PYTHON) > /dev/null || { \
		echo "There is no $(PYTHON). Install Python 3.11 or newer, or say which: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "$(PYTHON) is older than Python 3.11. Say which to take: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2> /dev/null || { \
		echo "$(PYTHON) cannot make environments. On Debian or Ubuntu: apt-get install python3-venv"; exit 1; }
	@$(PYTHON) -m venv $(@:/bin/python=)

# Asks the system's packages once per environment; says at every call if there is none.
.PHONY: browser
browser: venv-dev ## find a Chromium for the tests of the page, or install it
	@found() { for name in $(BROWSERS); do command -v $$name > /dev/null && return; done; return 1; }; \
	if ! found && [ ! -e $(VENV)/.browser-asked ] && command -v apt-get > /dev/null; then \
		if [ "$$(id -u)" = 0 ]; then as_root=env; \
		elif sudo -n true 2> /dev/null; then as_root="sudo -n env"; \
		else as_root=; fi; \
		if [ -n "$$as_root" ]; then \
			echo "Installing Chromium …"; \
			{ $$as_root $(APT) update && $$as_root $(APT) install -y --no-install-recommends chromium; } \
				> $(VENV)/browser.log 2>&1 || echo "That failed; see $(VENV)/browser.log"; \
		fi; \
		touch $(VENV)/.browser-asked; \
	fi; \
	found || echo "No Chromium here: the tests that open the page in a browser will be skipped."

.PHONY: clean
clean: ## remove caches and builds; keeps .venv and reports
	@rm -rf build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis $(VENV)/.browser-asked
	@find gnbbench tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2> /dev/null || true
