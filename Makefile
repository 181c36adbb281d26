# All targets use a virtual environment in .venv. `make install` installs Dealmill as .venv/bin/dealmill.
PYTHON ?= python3
BIN := .venv/bin
EXPORT := uv export --quiet --format requirements-txt --no-emit-project --no-header
NEEDS := Dealmill needs Python 3.11 or newer with venv; install it (Debian: apt install python3-venv), or select one with make PYTHON=…

PROOFS_NEED := The proofs need Coq and OCaml; install them (Debian: apt install coq ocaml)

# Container images often set it. Each of hundreds of processes would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: install run test test-slow proofs check reproduce golden docs site release bench bench-rivals bench-scale soak lock clean

install: .venv/installed

run: install
	$(BIN)/dealmill run examples/*/*.txt

# Each thing once, end to end, on SQLite; one whole way also on PostgreSQL.
test: .venv/tested
	$(BIN)/pytest

# All other tests: patiences, the rest on PostgreSQL, faults, mutants, installations, upgrades.
test-slow: .venv/tested
	$(BIN)/pytest -m 'slow and not by_hand'

# Checks the proofs in Coq, and builds the referee that they are about: proofs/build/referee.
proofs:
	@command -v coqc >/dev/null && command -v ocamlopt >/dev/null || { echo "$(PROOFS_NEED)"; exit 1; }
	$(MAKE) --directory proofs

check: .venv/tested
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Reproduces all published figures, including slow ones, and writes docs/results.json, from which `make docs` makes the
# page. Takes some hours.
# With KLONDIKE=FILE, also compares published verdicts on Klondike with ours: bench/reproduce/klondike.py. With
# PYRAMID=FILE, those on decks of Pyramid and TriPeaks: bench/reproduce/pyramid.py.
reproduce: .venv/tested
	$(BIN)/python -m bench.reproduce
	$(if $(KLONDIKE),$(BIN)/python -m bench.reproduce.klondike $(KLONDIKE))
	$(if $(PYRAMID),$(BIN)/python -m bench.reproduce.pyramid $(PYRAMID))

# Writes missing golden files, after an engine has got a new version.
golden: .venv/tested
	$(BIN)/python -m tests.golden

# Generates docs/commands.md, docs/fields.md, docs/invariants.md, docs/results.md, JSON schemas and the SVG pictures in
# docs/pictures/, and runs examples/night.ipynb.
docs: .venv/tested
	$(BIN)/python -m tests.docs
	$(BIN)/python -m tests.install

# Builds the documentation site in site/; open site/README.html. A broken link is an error.
site: .venv/tested
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -c docs . site

# Builds the release whose version and tag the commit has in dist/, and checks both files in new environments, to which
# their dependencies are downloaded. Publishes nothing; see CONTRIBUTING.md.
release: .venv/tested
	$(BIN)/python -m tests.install.release

# Measures what docs/performance.md shows, in half an hour, and writes it there.
bench: .venv/tested
	$(BIN)/python -m bench

# Installs other solvers of card pairing, and compares them with ours on DEALS deals of each size; see docs/performance.md.
# With SOLVITAIRE=PROGRAM, compares patiences with Solvitaire instead, on 200 deals of each game if DEALS does not say
# otherwise, and writes docs/beside-others.md; takes more than an hour. An interrupted comparison goes on with the answers
# in the file ANSWERS.
ANSWERS ?= solvitaire.csv
bench-rivals: $(if $(SOLVITAIRE),.venv/tested,.venv/rivals)
	$(BIN)/python -m $(if $(SOLVITAIRE),bench.solvitaire $(SOLVITAIRE) $(ANSWERS) $(addprefix --deals=,$(DEALS)),bench "Card pairing of any size")

# Measures the rest of that page, with millions of layouts, and prints the tables behind docs/scale.md; takes hours.
bench-scale: .venv/tested
	$(BIN)/python -m bench --scale
	$(BIN)/python -m bench.scale

# Fuzzes every parser with hostile input, then injects every fault into runs, for SECONDS seconds each, and prints a
# table of both. `make soak SECONDS=600`; the default of 60 takes about an hour on two cores.
soak: .venv/soaked
	$(BIN)/python -m tests.soak $(SECONDS); fuzzed=$$?; $(BIN)/python -m tests.faults $(SECONDS) && exit $$fuzzed

# Updates the requirements files after a change of dependencies in pyproject.toml. Needs uv.
lock:
	$(EXPORT) --no-dev --extra web --output-file requirements.txt
	$(EXPORT) --no-dev --extra postgresql --extra metrics --extra web --output-file requirements-server.txt
	$(EXPORT) --all-extras --group dev --output-file requirements-dev.txt
	$(EXPORT) --only-group soak --output-file requirements-soak.txt
	$(EXPORT) --only-group rivals --output-file requirements-rivals.txt

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

.venv/rivals: .venv/tested requirements-rivals.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements-rivals.txt
	@touch $@

clean:
	rm -rf .venv dist build site proofs/build
