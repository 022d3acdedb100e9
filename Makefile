# Targets for users and developers; `make help` lists them. None needs root.
# Stamp files in .venv record finished steps, so a second run only repeats what changed.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/sh
# Containers often set both. Thousands of processes of the tests would compile linkworth's modules anew, and a test
# that forgets to flush its output would hang on other machines only.
unexport PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip --disable-pip-version-check --quiet
# Targets that run at once, also those of two makes, take turns in a folder. NFS and some Lustre cannot lock folders.
FLOCK := $(shell flock . true 2>/dev/null && echo flock)
LOCK = $(if $(FLOCK),$(FLOCK) $(1))
# Python compiles a module when it is first imported. Most modules of the developers' tools never are.
INSTALL := $(call LOCK,$(VENV)) $(PIP) install --no-compile
JOBS ?= 2
# Warnings stop a developer's build. A user's compiler may report others.
WERROR := ON
# cmake and ninja, if the machine has none.
BUILD_NEEDS := from scikit_build_core.build import get_requires_for_build_editable as needs; print(*needs())
DEMO_OUTPUT ?= linkworth-demo
FUZZ_SECONDS ?= 600

# An editable install compiles the tracer, the programs and the lab's helpers in place, so their files do not rebuild the engine.
# library_symbol and report are also part of the library for ranks, which is installed with the engine. So are the programs' options.
NOT_ENGINE := -path '*/tracer/*' -o -path 'native/programs/*.cpp' -o -path '*/benches/*' -o -path '*/sizeprobe/*' \
    -o -path '*/lab/*' -o -path 'native/otf2/*.c' -o -name main.cpp -o -name build.toml -o -name '*.md'
ENGINE_SOURCES := CMakeLists.txt pyproject.toml $(shell find native -type f ! \( $(NOT_ENGINE) \)) \
    $(wildcard native/tracer/library_symbol.* native/tracer/report.* native/programs/common/arguments.cpp native/programs/common/options.cpp)
NATIVE_TEST_SOURCES := $(shell find tests/native -type f 2>/dev/null)
C_FILES = $(shell find native tests benchmarks -name '*.c' -o -name '*.cpp' -o -name '*.h' -o -name '*.hpp')
SHELL_FILES = $(shell find scripts -name '*.sh') .ci/run

.PHONY: help demo build check test test-exhaustive native-test fuzz bench lint types style format reference papers published docs wheel check-wheels recipes clean distclean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: WERROR := OFF
demo: ## record three MPI programs here, choose a network for each, write report.html
	@echo "make demo: builds linkworth in $(VENV), installs MPICH there if PATH has no MPI, then records and prices three programs"
	@echo "           (up to three minutes the first time; needs no root)"
	@$(MAKE) --no-print-directory --jobs=2 WERROR=$(WERROR) $(VENV)/.recorder $(VENV)/.engine
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/linkworth demo --output $(DEMO_OUTPUT) --report report.html

build: $(VENV)/.engine $(VENV)/.dev ## the package and the developers' tools in .venv

check: lint ## lint, types and every test that starts no MPI, lab, Slurm or build, in two minutes
	@$(BIN)/python -m pytest -q -n $$(($(JOBS) + 1)) --dist worksteal --no-programs $(PYTEST_ARGS)

test: ## every test: native ones under sanitizers, 20 s of fuzzing, then Python with two MPIs from wheels and those on PATH
	@echo "make test: builds linkworth in $(VENV), installs MPICH and Open MPI from their wheels in .mpi, then runs every test"
	@echo "           (10 to 15 minutes on two cores; the end lists skipped tests and what this machine lacks)"
	@$(MAKE) --no-print-directory --jobs=2 build
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target native-test build/precompiled/.done
	@echo "Python tests" # two workers more than cores, since a test waits a third of its time
	@LINKWORTH_MPI_PATH="$(CURDIR)/.mpi/mpich:$(CURDIR)/.mpi/openmpi$${LINKWORTH_MPI_PATH:+:$$LINKWORTH_MPI_PATH}" \
	    LINKWORTH_PRECOMPILED="$(CURDIR)/build/precompiled" \
	    $(BIN)/python -m pytest -n $$(($(JOBS) + 2)) --dist worksteal --durations 40 --durations-min 1 $(PYTEST_ARGS)

test-exhaustive: build .mpi/openmpi/.done ## tests of minutes each: class B, skeletons against real runs on many ranks, new examples of properties
	@LINKWORTH_MPI_PATH="$(CURDIR)/.mpi/openmpi$${LINKWORTH_MPI_PATH:+:$$LINKWORTH_MPI_PATH}" \
	    $(BIN)/python -m pytest -m exhaustive --timeout 3600 $(PYTEST_ARGS)
	@$(BIN)/python -m pytest -m hypothesis --hypothesis-profile search --timeout 3600 -n $(JOBS) $(PYTEST_ARGS)

native-test: build/.native build/.fuzz

fuzz: $(VENV)/.engine $(VENV)/.dev ## search for traces (with clang) and other files that break linkworth, for FUZZ_SECONDS (600) each
	@PATH="$$PATH:$(CURDIR)/$(BIN)" FUZZ_SEED=0 scripts/fuzz.sh $(FUZZ_SECONDS)
	@$(BIN)/python tests/file_fuzzer.py --seconds $(FUZZ_SECONDS) --seed "$$(date +%s)"

bench: build .mpi/mpich/.done ## every benchmark; prints the figures of RESULTS.md
	@LINKWORTH_MPI_PATH="$(CURDIR)/.mpi/mpich$${LINKWORTH_MPI_PATH:+:$$LINKWORTH_MPI_PATH}" \
	    $(BIN)/python benchmarks/run_all.py $(ONLY)

types: build
	@$(BIN)/mypy

lint: types style ## style, types and warnings of Python, C, C++ and shell
	@echo "lint: clean"

style: build ## those of `lint` without types
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/clang-format --dry-run -Werror $(C_FILES)
	@for file in $(SHELL_FILES); do sh -n $$file || exit 1; done
	@if command -v shellcheck >/dev/null; then shellcheck $(SHELL_FILES); \
	    else echo "SKIPPED shellcheck: not installed"; fi

format: build ## put every file into the house style
	@$(BIN)/ruff check --quiet --fix . ; $(BIN)/ruff format --quiet . && $(BIN)/clang-format -i $(C_FILES)

reference: build ## renew docs/reference/cli.md, fabrics.md and study.schema.json from the code
	@$(BIN)/python scripts/cli_reference.py docs/reference/cli.md
	@$(BIN)/python -m linkworth.study.definition.schema > docs/reference/study.schema.json

papers: $(VENV)/.engine ## predict five published studies in three minutes; renews docs/studies and README.md
	@$(BIN)/python scripts/papers.py linkworth-papers --renew $(PAPERS_ARGS)

published: $(VENV)/.engine ## predict every published figure in some minutes; renews docs/explanation/accuracy.md
	@$(BIN)/python benchmarks/published/board.py --processes $(JOBS) $(PUBLISHED_ARGS)

docs: $(VENV)/.engine $(VENV)/.docs ## the documentation site in site/
	@$(BIN)/python scripts/cli_reference.py --check docs/reference/cli.md
	@$(BIN)/zensical build --clean --strict
	@echo "docs: site/index.html"

# The lowest Python is the one that the wheel is for; that of 3.12 serves all newer ones too.
WHEEL_PYTHONS ?= $(BIN)/python $(shell scripts/newer_python.sh)
wheel: WERROR := OFF
wheel: build/precompiled/.done ## a wheel for the Python of .venv and one for 3.12 and newer, with tracers and programs compiled, in dist/
	@compiler=$$(scripts/find_compiler.sh) && export CXX="$$compiler" WERROR=$(WERROR) && scripts/wheels.sh dist $(WHEEL_PYTHONS)
	@$(MAKE) --no-print-directory check-wheels

check-wheels: ## every wheel in dist/ has at most 8 MB
	@ls -l dist/*.whl
	@! find dist -name '*.whl' -size +8M | grep .

recipes: $(VENV)/.engine ## a source distribution in dist/, and recipes for Spack, conda, containers and modules in dist/recipes/
	@$(INSTALL) build && rm -f dist/linkworth-*.tar.gz && $(BIN)/python -m build --no-isolation --sdist --outdir dist
	@$(BIN)/python scripts/recipes.py dist/linkworth-*.tar.gz dist/recipes

clean: ## remove what was built; keeps .venv and .mpi
	@rm -rf build dist site report.html $(DEMO_OUTPUT) linkworth-papers .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@rm -f $(VENV)/.compiled

distclean: clean ## remove .venv and .mpi as well
	@rm -rf $(VENV) .mpi

# ---- set-up ----

$(VENV)/.created:
	@python=$$(scripts/find_python.sh) && mkdir -p $(VENV) && $(call LOCK,$(VENV)) scripts/make_venv.sh "$$python" $(VENV)

# The compiler and Python's headers.
PREPARE_BUILD = compiler=$$(scripts/find_compiler.sh) && headers=$$(scripts/python_headers.sh $(BIN)/python) && \
    export CXX="$$compiler" CC="$${CC:-$$(command -v cc || command -v gcc || command -v clang)}" && \
    export CPLUS_INCLUDE_PATH="$$headers$${CPLUS_INCLUDE_PATH:+:$$CPLUS_INCLUDE_PATH}"
BUILD_OPTIONS = --no-build-isolation --config-settings=cmake.define.LINKWORTH_WERROR=$(WERROR) \
    $${headers:+--config-settings=cmake.define.Python_INCLUDE_DIR="$$(echo "$$headers"/python3.*)"}

# What linkworth needs is downloaded while the engine compiles.
$(VENV)/.tools: $(VENV)/.created
	@$(INSTALL) 'scikit-build-core>=0.11' 'nanobind>=2.4' && needs=$$($(BIN)/python -c '$(BUILD_NEEDS)') && \
	    { [ -z "$$needs" ] || $(INSTALL) $$needs; }
	@touch $@

$(VENV)/.packages: $(VENV)/.tools pyproject.toml scripts/extras.py
	@$(BIN)/python scripts/extras.py needed plots | $(INSTALL) -r /dev/stdin
	@touch $@

$(VENV)/.compiled: $(VENV)/.tools $(ENGINE_SOURCES)
	@$(PREPARE_BUILD) && echo "Building linkworth with $$CXX (about a minute the first time)" && \
	    mkdir -p build && $(call LOCK,build) $(PIP) install --no-compile --no-deps $(BUILD_OPTIONS) -e .
	@touch $@

$(VENV)/.engine: $(VENV)/.compiled $(VENV)/.packages
	@touch $@

# The tracers and programs for each ABI: twelve files, two minutes of one core.
build/precompiled/.done: $(VENV)/.created .mpi/mpich/.done .mpi/openmpi/.done scripts/precompile.py \
    $(shell find native/tracer native/programs native/netbench native/sizeprobe src/linkworth/mpi -name __pycache__ -prune -o -type f -print)
	@mkdir -p build && $(call LOCK,build/precompiled.lock) sh -ec '[ -e $@ ] && [ -z "$$(find $^ -newer $@)" ] && exit; \
	    rm -rf build/precompiled; $(INSTALL) msgspec pympistandard; \
	    LINKWORTH_WERROR=$(WERROR) $(BIN)/python scripts/precompile.py build/precompiled .mpi/mpich .mpi/openmpi; touch $@'

$(VENV)/.dev: $(VENV)/.packages pyproject.toml scripts/extras.py
	@echo "Installing the test and lint tools"
	@$(BIN)/python scripts/extras.py test lint | $(INSTALL) -r /dev/stdin
	@touch $@

$(VENV)/.docs: $(VENV)/.packages pyproject.toml scripts/extras.py
	@echo "Installing the documentation tools"
	@$(BIN)/python scripts/extras.py docs | $(INSTALL) -r /dev/stdin
	@touch $@

# The demo's MPI: the one on PATH when it can also build programs, else the mpich wheel.
$(VENV)/.mpi: $(VENV)/.packages
	@if command -v mpicc >/dev/null && command -v mpiexec >/dev/null; then \
	    echo "Using the MPI of $$(command -v mpicc)"; \
	else \
	    echo "No MPI on PATH: installing MPICH from its Python wheel into $(VENV)"; $(INSTALL) mpich; \
	fi
	@touch $@

# The tracer and the programs need no engine, so they are compiled beside it. The demo names what is missing.
COMPILE_RECORDER := from linkworth.mpi import build, find; mpi = find.choose(None); build.tracer(mpi); build.npb(mpi)
$(VENV)/.recorder: $(VENV)/.mpi
	@PATH="$(CURDIR)/$(BIN):$$PATH" PYTHONPATH=src $(BIN)/python -c '$(COMPILE_RECORDER)' 2>/dev/null || true
	@touch $@

.mpi/%/.done: $(VENV)/.created
	@mkdir -p .mpi && $(call LOCK,.mpi/$*.lock) sh -ec '[ $@ -nt $< ] && exit; \
	    echo "Installing $* from its Python wheel into .mpi/$*"; $(BIN)/python -m venv --clear --without-pip .mpi/$*; \
	    $(PIP) --python .mpi/$*/bin/python install --no-compile $*; touch $@'

build/.native: $(VENV)/.engine $(NATIVE_TEST_SOURCES) CMakePresets.json scripts/native_tests.sh
	@mkdir -p build
	@echo "Native tests under sanitizers"
	@PATH="$$PATH:$(CURDIR)/$(BIN)" scripts/native_tests.sh
	@touch $@

# After the sanitized tests, which are built in the same place.
build/.fuzz: $(VENV)/.engine $(NATIVE_TEST_SOURCES) CMakePresets.json scripts/fuzz.sh | build/.native
	@mkdir -p build
	@PATH="$$PATH:$(CURDIR)/$(BIN)" scripts/fuzz.sh
	@touch $@
