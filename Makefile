# make play   set up, then play a grand piano on simulated motorised keys: on a page, live, with a passage to begin with
# make test   set up, then check style, types and documentation and run every test
# make search look for failing examples at random for an hour (MINUTES=60)
# make sanitize  run the tests that work in C with the address, undefined and thread sanitizers
# make soak   disturb a live run for an hour (MINUTES=60), search for one, sanitize, then run the longest tests
# make bench | docs | wheel | clean

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMPS := $(VENV)/.stamps
JOBS   ?= 2
MINUTES ?= 60

NATIVE := $(wildcard src/touchback/native/*.[ch] src/touchback/native/*/*.[ch])

.PHONY: browser test play bench docs wheel search sanitize soak clean lint types pytest native

# Tests start a hundred processes: none should compile the package anew.
unexport PYTHONDONTWRITEBYTECODE

# Style, types and documentation side by side (each one's words in one piece), then every core tests.
test: $(STAMPS)/develop
	@$(MAKE) --no-print-directory -j $(JOBS) -k -O types docs lint
	@$(MAKE) --no-print-directory pytest
	@$(MAKE) --no-print-directory browser

lint: $(STAMPS)/develop
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMPS)/develop
	$(BIN)/mypy

# Neighbours run in one worker, which has their models compiled, until another has nothing to do.
pytest: $(STAMPS)/develop $(STAMPS)/qemu $(STAMPS)/arm $(STAMPS)/chromium $(STAMPS)/portaudio
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not soak and not browser"

# One after the other: a browser that draws without a graphics card keeps both cores busy.
browser: $(STAMPS)/develop $(STAMPS)/chromium
	$(BIN)/python -m pytest -m browser tests/workbench

search: $(STAMPS)/develop
	$(BIN)/python tests/search --minutes $(MINUTES)

sanitize: $(STAMPS)/develop
	$(BIN)/python tests/sanitize.py

soak: $(STAMPS)/develop $(STAMPS)/qemu $(STAMPS)/arm $(STAMPS)/chromium $(STAMPS)/portaudio
	$(BIN)/python tests/soak --minutes $(MINUTES)
	$(BIN)/python tests/search --minutes $(MINUTES)
	$(BIN)/python tests/sanitize.py
	$(BIN)/python -m pytest -n $(JOBS) -m soak

play: $(STAMPS)/package
	$(BIN)/touchback play piano

bench: $(STAMPS)/develop
	$(BIN)/python -m benchmarks

docs: $(STAMPS)/develop
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html

wheel: $(STAMPS)/develop
	$(BIN)/python -m build --wheel

native: $(STAMPS)/package

# ---- what the targets above stand on; a stamp is remade when what it depends on changes ------------------

$(STAMPS)/venv:
	$(PYTHON) -m venv $(VENV)
	mkdir -p $(STAMPS)
	touch $@

$(STAMPS)/package: $(STAMPS)/venv pyproject.toml setup.py $(NATIVE)
	$(BIN)/python -m pip install -q -e ".[view]"
	touch $@

# Most modules of the large packages are never imported: the others are compiled when they are.
$(STAMPS)/develop: $(STAMPS)/venv pyproject.toml setup.py $(NATIVE)
	$(BIN)/python -m pip install -q --no-compile -e ".[dev]"
	touch $(STAMPS)/package $@

# Foreign machine code runs under qemu; its tests are skipped where qemu can't be installed.
$(STAMPS)/qemu: $(STAMPS)/venv
	@command -v qemu-x86_64-static >/dev/null || { [ "$$(id -u)" = 0 ] && \
	  { apt-get update -qq && apt-get install -y -qq qemu-user-static; } >/dev/null 2>&1; } || true
	@touch $@

# The key's firmware runs in an emulated microcontroller (60 MB to fetch; it needs no C library); its
# tests are skipped where compiler or emulator can't be installed.
$(STAMPS)/arm: $(STAMPS)/venv
	@{ command -v qemu-system-arm && command -v arm-none-eabi-gcc; } >/dev/null || { [ "$$(id -u)" = 0 ] && \
	  { apt-get update -qq && apt-get install -y -qq --no-install-recommends qemu-system-arm gcc-arm-none-eabi; } >/dev/null 2>&1; } || true
	@touch $@

# The page is tested in a real browser; its tests are skipped where Chromium can't be installed.
$(STAMPS)/chromium: $(STAMPS)/venv
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && \
	  { apt-get update -qq && apt-get install -y -qq chromium; } >/dev/null 2>&1; } || true
	@touch $@

# Sound streams through PortAudio, here without a card; its tests are skipped where it can't be installed.
$(STAMPS)/portaudio: $(STAMPS)/venv
	@ldconfig -p | grep -q libportaudio || { [ "$$(id -u)" = 0 ] && \
	  { apt-get update -qq && apt-get install -y -qq --no-install-recommends libportaudio2; } >/dev/null 2>&1; } || true
	@touch $@

clean:
	rm -rf $(VENV) build dist docs/_build src/*.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	rm -f src/touchback/native/*.so
