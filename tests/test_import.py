"""What importing termsift costs, and where its names live."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import termsift as ts

HEAVY = ("sklearn", "numba", "pyarrow", "duckdb", "altair", "pyspark", "pandas", "polars", "numpy", "scipy")


def modules_after(code: str) -> set[str]:
    """The modules a fresh interpreter has loaded after some code."""
    report = f"{code}\nimport json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def test_importing_termsift_loads_nothing_heavy():
    assert not modules_after("import termsift").intersection(HEAVY)


def test_scoring_loads_neither_scikit_learn_nor_numba_nor_arrow():
    loaded = modules_after("import termsift as ts; ts.metrics(); ts.Counts.empty(); ts.TopK(3)")
    assert not loaded.intersection({"sklearn", "numba", "pyarrow", "duckdb", "pandas"})


def test_counting_a_matrix_does_not_load_scikit_learn_or_duckdb():
    code = "import termsift as ts, numpy as np; ts.score(ts.count(np.eye(2, dtype=int), [0, 1]), 'bns')"
    assert not modules_after(code).intersection({"sklearn", "duckdb", "pyarrow"})


def test_loading_the_commands_loads_no_library_that_only_some_need():
    loaded = modules_after("from termsift.cli.parser import full_app; full_app()")
    needed_later = {"altair", "jinja2", "sklearn", "numba", "pyarrow", "duckdb", "pandas", "scipy.stats"}
    assert not loaded.intersection(needed_later)


@pytest.mark.parametrize("name", [name for name in ts.__all__ if not name.startswith("__")])
def test_every_public_name_is_there_and_documented(name):
    assert getattr(ts, name).__doc__


def test_dir_lists_the_public_names():
    assert dir(ts) == sorted(ts.__all__)


def test_every_metric_can_be_had_by_either_spelling():
    assert modules_after(
        "import termsift.metrics; import termsift as ts; assert ts.metrics() is termsift.metrics()"
    )


def test_the_package_can_be_run_as_a_command():
    command = [sys.executable, "-m", "termsift", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ts.__version__
