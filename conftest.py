"""Settings and fixtures shared by the tests of termsift and of its studies."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from skipping import missing

# scikit-learn skips its checks of array API input without this; it is read when SciPy is imported
os.environ.setdefault("SCIPY_ARRAY_API", "1")
# an internal error is a traceback in every process, so that no test can mistake it for an expected message
os.environ["TERMSIFT_TRACEBACK"] = "1"

# Spark sessions live for minutes here: Java's second compiler would cost more time than it saves
for variable in ("SPARK_SUBMIT_OPTS", "SPARK_DAEMON_JAVA_OPTS"):
    os.environ.setdefault(variable, "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

# coverage traces the processes that run tests, but not their subprocesses, which would take twice as long
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.pop("COVERAGE_PROCESS_CONFIG", None)

# the same examples every time; TERMSIFT_EXPLORE=1 draws new ones, and more of them
EXPLORE = bool(os.environ.get("TERMSIFT_EXPLORE"))
EXAMPLES = int(os.environ.get("TERMSIFT_EXAMPLES", 600 if EXPLORE else 40))
hypothesis.settings.register_profile(
    "termsift", deadline=None, derandomize=not EXPLORE, max_examples=EXAMPLES
)
hypothesis.settings.load_profile("termsift")


# `make test-fast` leaves out these folders and files, which take longest, tests that need Spark, a browser or
# real corpora, and single tests marked `slow` in files that are fast otherwise
SLOW_PATHS = (
    "docs/",
    "studies/",
    "tests/attack/",
    "tests/site/",
    "tests/cli/test_command_ending.py",
    "tests/cli/test_command_output.py",
    "tests/cli/test_compare_command.py",
    "tests/cli/test_file_forms.py",
    "tests/compare/test_compare.py",
    "tests/counts/test_saved_counts.py",
    "tests/engines/test_streams.py",
    "tests/estimators/test_positive_negative.py",
    "tests/estimators/test_vectorizer.py",
    "tests/evaluation/test_ratios.py",
    "tests/evaluation/test_thresholds.py",
    "tests/internal/test_compiled.py",
    "tests/internal/test_small_work.py",
    "tests/metrics/test_effects.py",
    "tests/metrics/test_strata.py",
    "tests/report/test_landscape.py",
    "tests/report/test_report_page.py",
    "tests/report/test_roc.py",
    "tests/selection/test_redundancy.py",
    "tests/selection/test_word_clusters.py",
    "tests/test_docs.py",
    "tests/test_sameness.py",
    "tests/text/test_characters.py",
    "tests/text/test_edges.py",
    "tests/text/test_languages.py",
)
SLOW_FIXTURES = {"spark", "driver", "data_folder"}
SLOW_GROUPS = {"spark"}


def is_slow(item: pytest.Item) -> bool:
    """Return whether `make test-fast` leaves a test out."""
    groups = {group for mark in item.iter_markers("xdist_group") for group in mark.args}
    fixtures = SLOW_FIXTURES.intersection(getattr(item, "fixturenames", ()))
    return item.nodeid.startswith(SLOW_PATHS) or bool(fixtures or SLOW_GROUPS & groups)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark slow tests, and group tests that share a module fixture, so that a single process creates it."""
    for item in items:
        if is_slow(item):
            item.add_marker(pytest.mark.slow)
        definitions = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
        is_shared = any(
            fixture.scope in ("module", "class") and fixture.baseid
            for fixtures in definitions.values()
            for fixture in fixtures
        )
        if is_shared and not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(item.nodeid.split("::")[0]))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Pause coverage in property tests: they run the same code repeatedly, at half the speed."""
    coverage = sys.modules.get("coverage")
    tracing = coverage.Coverage.current() if coverage and item.get_closest_marker("hypothesis") else None
    if tracing:
        tracing.stop()
    yield
    if tracing:
        tracing.start()


@pytest.fixture(scope="session", autouse=True)
def compiled() -> None:
    """Compile the kernels before the first test, so that no test sees the message about it."""
    from compiling import compile_text_kernels  # imports SciPy: not before SCIPY_ARRAY_API is set

    # without the variable, texts this small are counted in Python
    os.environ["TERMSIFT_COMPILED_FROM"] = "0"
    try:
        compile_text_kernels()
    finally:
        del os.environ["TERMSIFT_COMPILED_FROM"]


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Folder of the real corpora."""
    folder = os.environ.get("TERMSIFT_DATA")
    if not folder:
        missing("TERMSIFT_DATA does not name a folder of corpora")
    if not Path(folder).is_dir():
        missing(f"TERMSIFT_DATA names {folder}, which is not a folder")
    return Path(folder)
