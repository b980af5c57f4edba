# Interlace. Every target sets up .venv by itself; all it needs is make and Python 3.11 or newer.
# Two settings, for example: make run PYTHON=python3.12, or on a machine with a GPU: make run MLX=cpu.

PYTHON ?= python3
# Which build of MLX: metal on a Mac, on Linux cuda where an NVIDIA GPU is seen, else cpu.
ifndef MLX
MLX := $(shell if [ "$$(uname)" = Darwin ]; then echo metal; \
	elif [ -e /dev/nvidia0 ] || nvidia-smi -L >/dev/null 2>&1; then echo cuda; else echo cpu; fi)
endif

VENV := .venv
PY := $(VENV)/bin/python
# The stamp of a finished set-up.
READY := $(VENV)/.ready-$(MLX)

PYTHON_MISSING := $(PYTHON) is not Python 3.11 or newer: install it, or name one, as in make run PYTHON=python3.12.

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run demo bench zoo test check lint types imports model clean

help: ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

ifeq ($(shell uname)$(DISPLAY)$(WAYLAND_DISPLAY),Linux)
run:
	@echo "There is no screen here (DISPLAY and WAYLAND_DISPLAY are empty), so this runs make demo."
	@$(MAKE) --no-print-directory demo
else
run: $(READY) model ## Open the window (without a screen: the demo)
	@$(PYTHON) packaging/system_packages.py --check
	$(PY) -m app
endif

demo: $(READY) model ## Drive the real window without a screen and write build/demo
	QT_QPA_PLATFORM=offscreen $(PY) -m app --demo build/demo

bench: $(READY) model ## Measure decoding beside mlx-lm's own ways; figures in build/bench
	$(PY) -m engine bench resources/models/SmolLM2-135M-Instruct.Q4_1.gguf --json build/bench/decode.json

zoo: $(READY) ## Try every model class of mlx-lm, tiny (half an hour); writes docs/families.md
	$(PY) -m tests.zoo.sweep

check: lint types imports test ## Everything CI runs: ruff, mypy, import-linter, the tests

lint: $(READY) ## Run ruff: its rules and the format
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check

types: $(READY) ## Run mypy, strict
	$(VENV)/bin/mypy

imports: $(READY) ## Check who may import whom (.importlinter)
	$(VENV)/bin/lint-imports

test: $(READY) model ## Run the tests
	QT_QPA_PLATFORM=offscreen $(PY) -m pytest

model: $(READY)
	@$(PY) packaging/fetch_demo_model.py

clean: ## Remove .venv and all that was built; the demo model stays
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find app engine packaging tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml packaging/setup_venv.py packaging/system_packages.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	{ echo "$(PYTHON_MISSING)" >&2; exit 1; }
	@$(PYTHON) packaging/system_packages.py --check
	@$(PYTHON) packaging/setup_venv.py $(VENV) $(MLX)
	@touch $@
