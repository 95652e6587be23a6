# Every command of the project; `make` lists them. Each sets up .venv if it is missing.
# A Python that is not found by itself: make PYTHON=/path/to/python3.

# The first Python on the PATH that runs and is new enough; a name may exist and still not run (version managers).
PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	"$$name" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2>/dev/null && { echo $$name; exit; }; \
	done; echo python3)
BIN := .venv/bin

# Where this is set, every process compiles all it imports anew; the tests alone start hundreds.
export PYTHONDONTWRITEBYTECODE :=

# What the user passes on: make analyze URL=http://localhost:8000/ ARGS='--format json'
URL ?=
ARGS ?=
JOBS ?=
ID ?=
PORT ?=
MINUTES ?=
BACKEND ?=
RUN ?=
VERSION ?=

# The three speeds of the tests, by path: what is in none of these is in `make test` alone, as are the laws in
# tests/property, which try thousands of inputs.
QUICK := $(addprefix tests/,checks golden model parse render report scoring)
SLOW := $(addprefix tests/,browser fault generated_clients install lab)
# Files of other folders that draw many pages in a real browser, or evaluate hundreds of them.
SLOW += $(addprefix tests/,gather/browser/test_render.py property/test_faults_never_raise_a_score.py worker/test_execute_rendered.py)
# Pure tests keep a processor busy; others wait for processes that they start, so two more of them run at a time.
BUSY := auto
WAITING = $(shell expr $$(getconf _NPROCESSORS_ONLN) + 2)
PYTEST = PAGEGRADE_TEST_BACKEND='$(BACKEND)' $(BIN)/pytest --numprocesses $(or $(JOBS),$(1)) --dist loadfile --no-loadscope-reorder

.DEFAULT_GOAL := help
.PHONY: help description-tools setup check lint types imports docs site quick test slow serve sample fault chaos load simulate allow-lab analyze bench bench-audit calibrate texts picture screenshots fix new-check release dist image publish lock lock-check refresh-data env-run env-test env-dev

help:  ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile

setup: env-dev  ## set up .venv for development

check: lint types imports docs test slow  ## all checks of CI

lint: env-dev lock-check  ## style, spelling and conventions of the code
	@$(BIN)/ruff check --output-format concise
	@$(BIN)/ruff format --check
	@$(BIN)/typos
	@$(BIN)/python -m devtools.conventions
	@$(BIN)/python -m devtools.refresh_data --check

types: env-dev  ## static types of product, tests and tools
	@$(BIN)/mypy

imports: env-test  ## which package may import which
	@$(BIN)/lint-imports --no-logo

docs: env-test  ## generate the reference pages, check the committed ones and all internal links
	@$(BIN)/python -m devtools.gen_docs --check
	@$(BIN)/python -m devtools.doc_links

site: env-test  ## build the documentation site into build/site and check all its links (the first time needs the network)
	@$(BIN)/python -m devtools.doc_site

quick: env-test  ## the tests of the pure packages, in less than a minute
	@$(call PYTEST,$(BUSY)) $(QUICK) $(ARGS)

test: env-test  ## all tests but the slow ones, on all cores (ARGS='-k word' for some; JOBS=0: one after the other; BACKEND=postgresql)
	@$(call PYTEST,$(WAITING)) $(SLOW:%=--ignore=%) $(ARGS)

slow: env-test  ## the slow tests: real browsers, generated clients, installations, the hostile lab, crashes and lost machines
	@$(call PYTEST,$(WAITING)) $(SLOW) $(ARGS)

analyze: env-run  ## analyze a page: make analyze URL=https://example.org/ [ARGS='--format json']
	@test -n '$(subst ','\'',$(URL))' || { echo "Name a page: make analyze URL=https://example.org/" >&2; exit 2; }
	@$(BIN)/pagegrade analyze $(ARGS) -- '$(subst ','\'',$(URL))'

sample: env-run  ## serve a sample page on this machine and analyze it
	@$(BIN)/python -m devtools.sample_page $(ARGS)

# HOST counts only when it is typed: some shells set a variable of that name to the name of the machine.
serve: env-run  ## run the service: make serve [HOST=0.0.0.0] [PORT=8080] [ARGS='--workers 8']
	@$(BIN)/pagegrade serve $(if $(filter command,$(origin HOST)),--host '$(subst ','\'',$(HOST))') $(if $(PORT),--port '$(subst ','\'',$(PORT))') $(ARGS)

description-tools:  ## install the OpenAPI tools of tests/generated_clients
	@$(PYTHON) devtools/description_tools.py

fault: env-test  ## only the hostile lab: a namespace full of malicious servers
	@$(BIN)/pytest tests/fault tests/lab $(ARGS)

chaos: env-test  ## kill and stop everything at random while clients use it: make chaos [MINUTES=1] [BACKEND=postgresql]
	@$(BIN)/python -m tests.fault.chaos --backend '$(or $(BACKEND),sqlite)' --minutes '$(or $(MINUTES),1)' $(ARGS)

load: env-test  ## put load on a complete installation: make load [RUN='R1 R4'] [ARGS='--sqlite']; R6 needs root, R7 takes 12 hours
	@$(BIN)/python -m tests.fault.load $(or $(RUN),R1) $(ARGS)

simulate: env-test  ## simulate an installation with 1 to 10,000 worker slots and check the table in docs/explanation/scaling.md
	@$(BIN)/python -m devtools.simulate_scaling --check

allow-lab:  ## allow ordinary users to create the namespace of the lab, where the system forbids it (Ubuntu; needs root)
	@sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0

bench: env-test  ## measure the engine, lists of a thousand and a million reports, the API, hostile pages, and pages in a browser (ARGS: the engine's)
	@$(BIN)/python -m devtools.bench $(ARGS)
	@$(BIN)/python -m devtools.bench_store
	@$(BIN)/python -m devtools.bench_store --postgresql
	@$(BIN)/python -m devtools.bench_queue
	@$(BIN)/python -m devtools.bench_api
	@$(BIN)/python -m devtools.bench_memory
	@$(BIN)/python -m devtools.bench_render

bench-audit: env-test  ## measure what an audit costs per page, on generated sites of 1,000 and 10,000 pages (ARGS: other sizes)
	@$(BIN)/python -m devtools.bench_audit $(ARGS)

calibrate: env-test  ## grade labeled and real pages, and fail if the grades deviate (ARGS=--render: in a browser, too; ARGS=--mutations: with faults added)
	@$(BIN)/python -m devtools.calibrate $(ARGS)

texts: env-test  ## update the message catalogues of the pages, and count missing translations
	@$(BIN)/python -m devtools.catalogues

picture: env-test  ## redraw the picture of a terminal report
	@$(BIN)/python -m devtools.picture

screenshots: env-test  ## retake the screenshots in docs/images in a real browser
	@$(BIN)/python -m devtools.screenshots

fix: env-dev  ## fix what tools can fix, and regenerate the committed reference files
	@$(BIN)/ruff check --fix
	@$(BIN)/python -m devtools.conventions --fix
	@$(BIN)/ruff format
	@$(BIN)/python -m devtools.gen_docs

new-check: env-run  ## start a check with its test: make new-check ID=seo/title-missing
	@$(BIN)/python -m devtools.new_check '$(ID)'

release: env-run  ## make the changelog and set the version of a release: make release VERSION=0.2.0
	@VERSION='$(subst ','\'',$(VERSION))' $(BIN)/python -m devtools.release prepare

dist: env-test  ## build wheel, source archive, bill of materials and documentation of a release: make dist VERSION=0.2.0
	@VERSION='$(subst ','\'',$(VERSION))' $(BIN)/python -m devtools.release build

image: env-run  ## build the container image of a release with Docker: make image VERSION=0.2.0
	@VERSION='$(subst ','\'',$(VERSION))' $(BIN)/python -m devtools.release image

publish: env-run  ## publish what is in build/dist; the workflow of a tag does this: make publish VERSION=0.2.0
	@VERSION='$(subst ','\'',$(VERSION))' $(BIN)/python -m devtools.release publish

lock: env-run  ## regenerate requirements/*.txt from pyproject.toml (ARGS=--upgrade for newer versions)
	@$(BIN)/python -m devtools.locks $(ARGS)

lock-check: env-dev  ## check that requirements/*.txt match pyproject.toml (no network)
	@$(BIN)/python -m devtools.locks --check

refresh-data: env-test  ## regenerate the tables of parse/data from their sources (ARGS=baseline for one; needs npm)
	@$(BIN)/python -m devtools.refresh_data $(ARGS)

# The three levels of the environment; a level contains those before it.
env-run env-test env-dev: env-%:
	@"$(PYTHON)" devtools/bootstrap.py $*
