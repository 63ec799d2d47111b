# `make check` and `make test` are all the set-up there is: either makes .venv from the hashed lock first.
#
#   make test ARGS="tests/test_claims.py -x"     anything pytest understands
#   make check PYTHON=python3.12                 another interpreter; .venv is made anew for it

PYTHON ?= python3
VENV ?= .venv
ARGS ?=

BIN := $(VENV)/bin
FOUND := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
LOCKED := $(VENV)/.locked-$(or $(FOUND),none)
READY := $(VENV)/.ready-$(or $(FOUND),none)
PEERS := $(VENV)/.peers-$(or $(FOUND),none)

# pyright would otherwise ask whether there is a newer pyright.
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

.PHONY: check kills test lint floors types coverage soak agreement second-solver tla fuzz interrupts mutants bench notebook lock clean python .venv
.DELETE_ON_ERROR:

check: $(READY)  ## everything shipped: each promise, its evidence and its incidents
	$(BIN)/meshspec check $(ARGS)

# worksteal leaves what is stated in one file to one worker, but for the few that lie where work is taken over.
test: $(READY)  ## the evidence, the tests of the tester, and the examples in docstrings
	$(BIN)/python -m pytest -n 2 --dist worksteal $(ARGS)

lint: $(READY) floors  ## style, and the floors
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

floors: $(READY)  ## a floor imports only lower floors
	$(BIN)/lint-imports --no-cache

types: $(READY)  ## mypy --strict, then pyright strict
	$(BIN)/mypy --strict
	$(BIN)/pyright --pythonpath $(BIN)/python

coverage: $(READY)  ## which lines and branches no test reaches
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest $(ARGS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report --show-missing --skip-covered

soak: check kills agreement second-solver tla fuzz interrupts mutants  ## hours of it; each part goes on where it was stopped

kills: $(READY)  ## every ledger and its incidents, killed after every write
	$(BIN)/python -m tests.roles.ledger.soak $(ARGS)

agreement: $(READY)  ## ten thousand generated models on which all readings must agree
	$(BIN)/python -m tests.agreement.soak --models 10000 --resume $(ARGS)

second-solver: $(PEERS)  ## what one solver calls unsatisfiable, another one must
	$(BIN)/python -m tests.agreement.second_solver $(ARGS)

tla: $(PEERS)  ## what we export to TLA+, by the grammar of another tool
	$(BIN)/python -m tests.report.soak $(ARGS)

fuzz: $(PEERS)  ## a million files that nobody would write, for every reader of a file
	$(BIN)/python -m tests.fuzz.soak --executions 1000000 --resume $(ARGS)

interrupts: $(READY)  ## Ctrl-C in every engine, at many moments
	$(BIN)/python -m tests.cli.interrupts --rounds 20 $(ARGS)

mutants: $(PEERS)  ## faults in our own engines, made by a mutation tool: which does the suite miss?
	$(BIN)/python -m tests.mutation --resume $(ARGS)

bench: $(PEERS)  ## ratios against other tools in one run; needs spin and gcc
	$(BIN)/python -m pytest -p no:cacheprovider -p no:xdist tests/benchmarks/bench_*.py $(ARGS)

notebook: $(READY)  ## the notebooks, in JupyterLab
	$(BIN)/jupyter lab notebooks $(ARGS)

# A lock made on the oldest Python we support holds for the newer ones too; the reverse need not be true.
lock:  ## remake requirements.lock from pyproject.toml; ARGS=--upgrade for newer releases
	@test "$(FOUND)" = 3.11 || { echo "make lock needs Python 3.11, the oldest we support: make lock PYTHON=python3.11" >&2; exit 1; }
	$(PYTHON) -m venv --clear build/lock
	build/lock/bin/python -m pip install --quiet pip-tools
	CUSTOM_COMPILE_COMMAND="make lock" build/lock/bin/pip-compile --quiet --extra dev --generate-hashes \
	  --strip-extras --allow-unsafe --no-emit-index-url --no-emit-trusted-host --no-emit-find-links \
	  --output-file requirements.lock $(ARGS) pyproject.toml
	CUSTOM_COMPILE_COMMAND="make lock" build/lock/bin/pip-compile --quiet --extra peers --constraint requirements.lock \
	  --generate-hashes --strip-extras --allow-unsafe --no-emit-index-url --no-emit-trusted-host --no-emit-find-links \
	  --output-file requirements-peers.lock $(ARGS) pyproject.toml

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage*

.venv: $(READY)

python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "meshspec needs Python 3.11 or newer; '$(PYTHON)' is $(or $(FOUND),not there). Try: make PYTHON=python3.12 $(or $(MAKECMDGOALS),check)" >&2; exit 1; }

$(LOCKED): requirements.lock | python
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@

# Other tools that ours is held against, and that tests and users do without.
$(PEERS): requirements-peers.lock | $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-peers.lock
	@touch $@

# Without isolation, so that the build runs on the setuptools of the lock and not on whatever is newest today.
$(READY): $(LOCKED) pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-index --no-deps --no-build-isolation --editable .
	@touch $@
