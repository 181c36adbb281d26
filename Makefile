# Everything goes through a virtual environment in .venv; `make install` alone leaves .venv/bin/dealmill ready to use.
PYTHON ?= python3
BIN := .venv/bin
EXPORT := uv export --quiet --format requirements-txt --no-emit-project --no-header
NEEDS := Dealmill needs Python 3.11 or newer with venv: install it (Debian: apt install python3-venv), or name one with make PYTHON=…

.PHONY: install run test check reproduce golden docs bench bench-scale soak lock clean

install: .venv/installed

run: install
	$(BIN)/dealmill run examples/*/*.txt

test: .venv/tested
	$(BIN)/pytest

check: .venv/tested
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Every public figure, the long ones too, in a table of ours beside theirs; minutes.
reproduce: .venv/tested
	$(BIN)/python -m tests.reproduce

# Writes the golden files that are missing, after an engine got a new version.
golden: .venv/tested
	$(BIN)/python -m tests.golden

# Writes docs/commands.md from the help texts, and runs examples/night.ipynb.
docs: .venv/tested
	$(BIN)/python -m tests.docs
	$(BIN)/python -m tests.install

bench: .venv/tested
	$(BIN)/python -m bench

# Prints the tables that docs/scale.md goes by; minutes.
bench-scale: .venv/tested
	$(BIN)/python -m bench.scale

# Tries every reader with hostile input, then runs with every fault, for so many seconds each, and prints a table of both:
# make soak SECONDS=600. The default is 60, and takes about an hour on two cores.
soak: .venv/soaked
	$(BIN)/python -m tests.soak $(SECONDS); fuzzed=$$?; $(BIN)/python -m tests.faults $(SECONDS) && exit $$fuzzed

# After a change of dependencies in pyproject.toml; needs uv.
lock:
	$(EXPORT) --no-dev --output-file requirements.txt
	$(EXPORT) --no-dev --extra postgresql --extra metrics --output-file requirements-server.txt
	$(EXPORT) --all-extras --group dev --output-file requirements-dev.txt
	$(EXPORT) --only-group soak --output-file requirements-soak.txt

.venv/installed: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { echo "$(NEEDS)"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

.venv/tested: .venv/installed requirements-dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements-dev.txt
	@touch $@

.venv/soaked: .venv/tested requirements-soak.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements-soak.txt
	@touch $@

clean:
	rm -rf .venv dist build
