# make play   set up, then play a grand piano on simulated motorised keys: on a page, live, until Ctrl-C
# make test   set up, then check style, types and documentation and run every test
# make search look for failing examples at random for an hour (MINUTES=60)
# make fuzz   feed everything that reads files and wires of strangers for an hour (MINUTES=60; needs atheris)
# make mutate   break random lines of a room (ROOM=vehicle, all rooms without it) and count what the tests notice
# make sanitize  run the tests that work in C with the address, undefined and thread sanitizers
# make soak   disturb a live run for an hour (MINUTES=60), search for one, sanitize, then run the longest tests
# make wheel  build a wheel for many Linuxes; make wheel-test  try it in fresh environments without a compiler
# make wheel-aarch64  cross-build it for AArch64 and try it under emulation; make wheel-newest  try it on Debian's newest Python
# make bench | docs | clean

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMPS := $(VENV)/.stamps
JOBS   ?= 2
MINUTES ?= 60

NATIVE := $(wildcard src/touchback/native/*.[ch] src/touchback/native/*/*.[ch])

# make newest | oldest  try the newest, or the oldest allowed, versions of what the library needs; make lock  renew the lock file

.PHONY: browser clocked unclocked collected test play bench docs wheel wheel-test wheel-aarch64 wheel-newest search fuzz mutate sanitize soak lock newest oldest clean lint types pytest native

# Tests start a hundred processes: none should compile the package anew.
unexport PYTHONDONTWRITEBYTECODE

# Packages, style, types and documentation side by side (each one's words in one piece), then tests on every core:
# first those that run beside a clock, a line or a page, with nothing else in their way. What fails is named at the
# end, and nothing is left out because of it.
test:
	@rm -f $(FAILED)
	@$(MAKE) --no-print-directory -j $(JOBS) -k -O $(STAMPS)/machine $(addprefix noted-,types docs lint collected) || [ -s $(FAILED) ]
	@$(MAKE) --no-print-directory -j 1 -k $(addprefix noted-,clocked browser unclocked) || [ -s $(FAILED) ]
	@[ ! -s $(FAILED) ] || { echo "make test failed:"; sed 's/^/  /' $(FAILED); exit 1; }

# A line for each step that failed, and for each test (from tests/conftest.py).
FAILED := $(STAMPS)/failed
noted-%: $(STAMPS)/develop
	@$(MAKE) --no-print-directory $* || { echo "make $*" >>$(FAILED); exit 1; }

lint: $(STAMPS)/develop
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMPS)/develop
	$(BIN)/mypy

# Every worker reads all tests: they, the package and what they import are compiled before, once and beside mypy.
collected: $(STAMPS)/develop
	$(BIN)/python -m pytest --collect-only -qqq >$(STAMPS)/tests || { tail -40 $(STAMPS)/tests; exit 1; }

# Neighbours run in one worker, which has their models compiled, until another has nothing to do. No more
# workers than cores: with one more, drivers' threads had been kept waiting for seconds. Tests call make, too:
# it must not take over the flags and jobs of this one.
ALONE = env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL TOUCHBACK_FAILED_TESTS=$(abspath $(FAILED))
PYTEST = $(ALONE) OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not soak and not browser"

# Rooms in which nothing waits: a live run goes as fast as it can there, and seconds are those of the processor.
# First what takes longest: last, it would keep one worker busy when no other has anything to do.
UNCLOCKED := tests/test_core_alone.py validation $(addprefix tests/,analysis codegen contact draw dynamics estimate \
  gallery/omni instruments/piano model simulate spatial studies/displays studies/keyboard studies/piano studies/wall symbolic system)

clocked: $(STAMPS)/develop $(STAMPS)/machine
	$(PYTEST) tests $(addprefix --ignore=,$(UNCLOCKED))

unclocked: $(STAMPS)/develop $(STAMPS)/machine
	$(PYTEST) $(UNCLOCKED)

pytest: clocked unclocked

# A browser for each worker, though it draws without a graphics card: half of the time one waits for its page. The
# tests of a file share pages, and stay together.
browser: $(STAMPS)/develop $(STAMPS)/machine
	$(ALONE) $(BIN)/python -m pytest -n $(JOBS) --dist loadfile -m browser tests/workbench

search: $(STAMPS)/develop
	$(BIN)/python tests/search --minutes $(MINUTES)

# atheris has no wheel for every Python and machine: it isn't among the packages of every test. Elsewhere it is
# built, by a clang that has the fuzzer's own library beside it.
fuzz: $(STAMPS)/develop $(STAMPS)/machine
	$(BIN)/python -m pip install -q --only-binary :all: atheris || { \
	  apt-get install -y -qq "libclang-rt-$$(clang -dumpversion | cut -d. -f1)-dev" >/dev/null; \
	  CLANG_BIN="$$(command -v clang)" $(BIN)/python -m pip install -q atheris; }
	$(BIN)/python tests/fuzz --minutes $(MINUTES)

mutate: $(STAMPS)/develop $(STAMPS)/machine
	$(BIN)/python tests/mutate --jobs $(JOBS) $(addprefix --room ,$(ROOM))

# File by file, each under eight minutes; called again, it goes on with what hasn't passed.
sanitize: $(STAMPS)/develop
	$(BIN)/python tests/sanitize.py --parts

soak: $(STAMPS)/develop $(STAMPS)/machine
	$(BIN)/python tests/soak --minutes $(MINUTES)
	$(BIN)/python tests/search --minutes $(MINUTES)
	$(BIN)/python tests/sanitize.py --parts
	$(BIN)/python -m pytest -n $(JOBS) -m soak

# The lock file anew, with the newest of every package; then `make test` tries them.
lock: $(STAMPS)/venv
	$(BIN)/python -m pip install -q uv
	UV_SYSTEM_CERTS=1 $(BIN)/python -m uv pip compile -q --universal --python-version 3.11 --upgrade \
	  --no-header --no-annotate --extra dev pyproject.toml -o $(LOCK)

# Published cases, files and symbols with the newest, or the oldest, of every package that the library needs, in
# an environment of its own.
newest oldest: $(STAMPS)/package
	$(PYTHON) tests/versions.py $@

play: $(STAMPS)/package
	$(BIN)/touchback play piano

bench: $(STAMPS)/develop
	$(BIN)/python -m benchmarks

docs: $(STAMPS)/develop
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html

# The name of the repaired wheel says how old a Linux may be; docs/installing.md, how to serve older ones.
wheel: $(STAMPS)/develop
	rm -rf build/wheel dist
	$(BIN)/python -m build --wheel --outdir build/wheel
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/auditwheel repair --wheel-dir dist build/wheel/*.whl

wheel-test: wheel
	$(BIN)/python tests/wheels.py dist/*.whl

wheel-aarch64: $(STAMPS)/develop
	$(BIN)/python tests/wheels_elsewhere.py

wheel-newest: wheel
	$(BIN)/python tests/wheels_elsewhere.py dist/*.whl python3.14

native: $(STAMPS)/package

# ---- what the targets above stand on; a stamp is remade when what it depends on changes ------------------

$(STAMPS)/venv:
	$(PYTHON) -m venv $(VENV)
	mkdir -p $(STAMPS)
	touch $@

# uv fetches and unpacks many packages at once while the library is built, in a third of pip's time; pip knows
# more ways to packages. Most modules of the large ones are never imported: the others are compiled when they are.
install = { $(BIN)/python -m pip install -q uv && UV_SYSTEM_CERTS=1 $(BIN)/python -m uv pip install -q -p $(BIN)/python -e $(1); } \
  || $(BIN)/python -m pip install -q --no-compile -e $(1)
LOCK := test.lock

$(STAMPS)/package: $(STAMPS)/venv pyproject.toml setup.py $(NATIVE)
	$(call install,".[view]")
	touch $@

# Tests run with the versions of the lock file, which are those that everybody has tried.
$(STAMPS)/develop: $(STAMPS)/venv pyproject.toml setup.py $(LOCK) $(NATIVE)
	$(call install,".[dev]" -c $(LOCK))
	touch $(STAMPS)/package $@

# Foreign machine code runs under qemu, the key's firmware in an emulated microcontroller (60 MB to fetch;
# it needs no C library), the page in a real browser, and sound streams through PortAudio, here without a
# card; a second compiler reads generated C, which it makes WebAssembly of with lld, and Octave runs generated
# MATLAB. What can't be installed has its tests skipped.
lacks = command -v $(1) >/dev/null || echo $(2)
$(STAMPS)/machine:
	@mkdir -p $(STAMPS)
	@{ $(call lacks,qemu-x86_64-static,qemu-user-static); \
	   $(call lacks,qemu-system-arm,--no-install-recommends qemu-system-arm); \
	   $(call lacks,arm-none-eabi-gcc,--no-install-recommends gcc-arm-none-eabi); \
	   $(call lacks,clang,--no-install-recommends clang); \
	   $(call lacks,wasm-ld,--no-install-recommends lld); \
	   $(call lacks,octave,--no-install-recommends octave); \
	   $(call lacks,chromium,chromium); \
	   ldconfig -p | grep -q libportaudio || echo --no-install-recommends libportaudio2; \
	 } >$@.missing
	@[ ! -s $@.missing ] || [ "$$(id -u)" != 0 ] || { apt-get update -qq; \
	  while read -r package; do apt-get install -y -qq $$package </dev/null || true; done <$@.missing; } >/dev/null 2>&1
	@touch $@

clean:
	rm -rf $(VENV) build dist docs/_build src/*.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	rm -f src/touchback/native/*.so
