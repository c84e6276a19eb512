# Every everyday command of the project; `.ci/run` calls these same targets.
# PYTHON names another interpreter: `make setup PYTHON=python3.13`.

PYTHON ?= $(shell for candidate in python3 python3.11 python3.12 python3.13 python3.14; do \
	$$candidate -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' \
	2>/dev/null && echo $$candidate && break; done)
VENV := .venv
BIN := $(VENV)/bin
# Wheels only: nothing is compiled here, and no package's build script runs.
# A lock lists everything, so pip resolves nothing (--no-deps). Otherwise pip before 23.3 looks for
# the newest version of a package with extras, `coverage[toml]`, and refuses it for want of a hash.
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet --quiet --no-input
INSTALL := $(PIP) install --only-binary :all: --no-compile --require-hashes --no-deps
# The four distributions of this repository (docs/decisions/0022).
INSTALL_OURS := $(PIP) install --no-deps --no-build-isolation --editable . --editable presentation \
	--editable clients/python --editable replications
# The numerical loops, and of all that is installed the modules that the service loads (half a minute,
# once): a start then takes half the time, also where Python is told to write no compiled modules.
COMPILE := $(BIN)/thetahat compile
# Installing the client writes this file, and git does not keep it: what changes the types of results
# makes it old, so `make types` writes it anew.
CLIENT_TYPES := clients/python/thetahat_client/results.py
# The tests of a file run in one process, and chaos tests in two; see tests/conftest.py. The three
# processes are for two cores: tests that start services wait for most of their time. The compiled
# modules of the tests are kept, also where Python is told to write none: compiling them takes as
# long as collecting the tests. A worker that dies ends the run and names its test: a replaced worker
# can wait for ever at the end of a run (pytest-xdist 3.8, issues 1323 and 1327).
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --numprocesses 3 --dist loadgroup --no-loadscope-reorder \
	--max-worker-restart 0

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup setup-runtime demo serve test test-quick chaos drills plant soak soak-series explore contract fuzz-uploads check site format format-check lint \
	types imports spelling coverage docs client-types lock benchmarks version release publish test-floors clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(VENV)/.stamp-dev $(CLIENT_TYPES) ## Make .venv with everything that development needs

setup-runtime: $(VENV)/.stamp-runtime ## Make .venv with what the service and the demo need

demo: setup-runtime ## Compare learners on real data, start to end, and print the tables
	@$(BIN)/python clients/demo/compare_schools.py

serve: setup-runtime ## Start API, broker and workers on this machine; Ctrl-C stops them
	@THETAHAT_DATA_DIR="$${THETAHAT_DATA_DIR:-$(CURDIR)/.thetahat}" $(BIN)/thetahat serve

test: setup ## Run every test, with real PostgreSQL and Redis (12 minutes on two cores)
	@$(PYTEST)

test-floors: setup ## Run the tests of the library and the client with the oldest packages that they allow (needs uv)
	@command -v uv >/dev/null || { echo "make test-floors needs uv on the PATH" >&2; exit 1; }
	@tests/distributions/run_floors

test-quick: setup ## Run the tests without simulations and without killing processes
	@$(PYTEST) -m "not calibration and not chaos"

chaos: setup ## Run 2000 evaluations under 300 faults on each set-up and compare every byte (CHAOS="--seed 2 --load 10")
	@$(BIN)/python -m tests.chaos $(CHAOS)

drills: setup ## Upgrade, restore, lose the broker and a machine, fill the disk, set the clock: on both set-ups
	@$(BIN)/python -m tests.drills $(DRILLS)

plant: setup ## Sow a wrong constant in each family and a wrong cell in each shown table; tests must notice (PLANT="losses")
	@$(BIN)/python -m tests.plant $(PLANT)

soak: setup ## Use the service for ten minutes and see whether its memory grows
	@$(BIN)/python -m tests.soak

soak-series: setup ## Add 10^4 batches to a series of each method on PostgreSQL; SOAK_SERIES="--batches 100000" on SQLite
	@$(BIN)/python -m benchmarks.series_soak $(or $(SOAK_SERIES),--batches 10000 --postgres)

explore: setup ## Run the property tests on many new random examples
	@$(PYTEST) -k test_property --hypothesis-profile=explore

contract: setup ## Send thousands of requests and compare the answers with the OpenAPI document
	@$(PYTEST) tests/service/api/test_contract.py --hypothesis-profile=contract -o faulthandler_timeout=0

fuzz-uploads: setup ## Upload damaged files of every format (FILES=30000 for more)
	@$(BIN)/python -m tests.service.supervisor.fuzz_uploads --files $(or $(FILES),3000)

check: format-check lint imports spelling types test ## Run all that a commit must pass

format: setup ## Format the code
	@$(BIN)/ruff format .

format-check: setup ## Check the format
	@$(BIN)/ruff format --check .

lint: setup ## Check the style
	@$(BIN)/ruff check .

types: client-types ## Check the types
	@$(BIN)/mypy

imports: setup ## Check the direction of imports
	@$(BIN)/lint-imports

spelling: setup ## Check the spelling
	@$(BIN)/codespell

coverage: setup ## Measure which branches of the core the tests reach
	@$(PYTEST) tests/thetahat -m "not calibration" --cov=thetahat --cov-branch \
		--cov-report=term-missing:skip-covered

docs: setup ## Write docs/methods.md anew from the methods' own descriptions
	@$(BIN)/thetahat reference --output docs/methods.md

site: setup ## Build the documentation site into build/site, as HTML and Markdown, without internet access
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

client-types: setup ## Write the types of the Python client anew from the types of results
	@$(BIN)/thetahat client-types --output $(CLIENT_TYPES)

benchmarks: setup ## Measure speed beside peers, and write docs/results/speed (15 minutes)
	@$(BIN)/python -m benchmarks --output docs/results/speed

# The locks hold versions and hashes for every platform and name no host, so that they install
# from any mirror. Only this target needs uv.
LOCK := uv pip compile --universal --python-version 3.11 --only-binary :all: \
	--no-emit-package thetahat --no-emit-package thetahat-client \
	--no-emit-package thetahat-presentation --no-emit-package thetahat-replications --generate-hashes --custom-compile-command "make lock" --quiet $(if $(UPGRADE),--upgrade)
LOCK_SERVICE := pyproject.toml --extra service --extra studies --extra s3 --extra tracing --extra signing --extra mcp --extra oidc
LOCK_WORKER := pyproject.toml --extra worker --extra studies --extra s3 --extra tracing

lock: ## Write the lock files anew from pyproject.toml (needs uv; UPGRADE=1 takes newer versions)
	@command -v uv >/dev/null || { echo "make lock needs uv on the PATH" >&2; exit 1; }
	$(LOCK) $(LOCK_SERVICE) --group dev --output-file requirements-dev.lock
	$(LOCK) $(LOCK_SERVICE) --constraint requirements-dev.lock --output-file requirements.lock
	$(LOCK) $(LOCK_WORKER) --constraint requirements-dev.lock --output-file requirements-worker.lock
	$(LOCK) --group build --constraint requirements-dev.lock --output-file requirements-build.lock
	@! grep -nE '://|--(extra-)?index-url|--find-links' requirements*.lock

VERSIONED := pyproject.toml presentation/pyproject.toml clients/python/pyproject.toml replications/pyproject.toml \
	thetahat/__init__.py clients/python/thetahat_client/version.py Dockerfile CITATION.cff \
	docs/kubernetes/example/settings/kustomization.yaml

version: setup ## Write VERSION wherever the version of a release stands
	@test -n "$(VERSION)" || { echo "Say which: make version VERSION=0.2.0" >&2; exit 1; }
	@old=$$($(BIN)/python -c 'import thetahat; print(thetahat.__version__)' | sed 's/\./\\./g'); \
		sed --in-place --regexp-extended "s/(version[_A-Za-z: \"=]*|newTag: \"|==)$$old/\1$(VERSION)/I" $(VERSIONED)
	@$(BIN)/python -m tests.service.kinds.test_examples

release: setup ## Build the four distributions into dist, and test them in an empty environment
	@rm -rf dist
	@for folder in . presentation clients/python replications; do \
		(cd $$folder && $(CURDIR)/$(BIN)/python -m hatchling build -d $(CURDIR)/dist) || exit 1; done
	@$(BIN)/python -m pytest --quiet tests/distributions

publish: release ## Upload the distributions of dist to the package index (needs uv and UV_PUBLISH_TOKEN)
	@command -v uv >/dev/null || { echo "make publish needs uv on the PATH" >&2; exit 1; }
	uv publish dist/*

clean: ## Remove the environment, caches and what the tools leave behind
	rm -rf $(VENV) build dist htmlcov .coverage .coverage.* .mypy_cache .ruff_cache .pytest_cache \
		.hypothesis .import_linter_cache .cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

PROJECTS := pyproject.toml presentation/pyproject.toml clients/python/pyproject.toml replications/pyproject.toml

# A half-made environment, or one whose Python is gone, is made anew.
$(VENV)/.stamp-python:
	@if [ -z "$(PYTHON)" ]; then \
		echo "thetahat needs Python 3.11 or newer with its venv module; none was found." >&2; \
		echo "Name one with: make $(MAKECMDGOALS) PYTHON=/path/to/python3.11" >&2; exit 1; fi
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || { rm -rf $(VENV); $(PYTHON) -m venv $(VENV); }
	@touch $@

# The development lock is a superset of the others, with the same versions.
$(VENV)/.stamp-dev: requirements-dev.lock $(PROJECTS) | $(VENV)/.stamp-python
	@echo "Installing the development environment into $(VENV)"
	@$(INSTALL) --requirement requirements-dev.lock
	@$(INSTALL_OURS)
	@$(BIN)/python -m pip --disable-pip-version-check check
	@$(COMPILE)
	@touch $(VENV)/.stamp-runtime $@

$(CLIENT_TYPES): | $(VENV)/.stamp-dev
	@$(BIN)/thetahat client-types --output $@

$(VENV)/.stamp-runtime: requirements.lock requirements-build.lock $(PROJECTS) | $(VENV)/.stamp-python
	@echo "Installing the service into $(VENV)"
	@$(INSTALL) --requirement requirements.lock --requirement requirements-build.lock
	@$(INSTALL_OURS)
	@$(BIN)/python -m pip --disable-pip-version-check check
	@$(COMPILE)
	@touch $@
