"""What all tests share: where the corpora are, that none is skipped in silence, commands and their mail."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from skipping import missing

# it holds no examples, and its name is that of the one of docs/
collect_ignore = ["conftest.py"]

# scikit-learn skips its checks of array API input without this; it is read when SciPy is imported
os.environ.setdefault("SCIPY_ARRAY_API", "1")
# a fault of ours is a traceback here, in every process: no test can take its last line for an answer
os.environ["TERMSIFT_TRACEBACK"] = "1"

# Spark's sessions here live for minutes: the second compiler of Java would take more time than it saves
for variable in ("SPARK_SUBMIT_OPTS", "SPARK_DAEMON_JAVA_OPTS"):
    os.environ.setdefault(variable, "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

# coverage traces the processes that run tests, and none that a test starts: those take twice as long with it
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.pop("COVERAGE_PROCESS_CONFIG", None)

# the same examples every time; TERMSIFT_EXPLORE=1 looks for new ones, and longer
EXPLORE = bool(os.environ.get("TERMSIFT_EXPLORE"))
EXAMPLES = int(os.environ.get("TERMSIFT_EXAMPLES", 600 if EXPLORE else 40))
hypothesis.settings.register_profile(
    "termsift", deadline=None, derandomize=not EXPLORE, max_examples=EXAMPLES
)
hypothesis.settings.load_profile("termsift")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that share a fixture of their module are a group: one process makes it, not each of them."""
    for item in items:
        known = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
        is_shared = any(
            one.scope in ("module", "class") and one.baseid for found in known.values() for one in found
        )
        if is_shared and not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(item.nodeid.split("::")[0]))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Coverage traces no test that draws its input: it runs the same lines again and again, half as fast."""
    coverage = sys.modules.get("coverage")
    tracing = coverage.Coverage.current() if coverage and item.get_closest_marker("hypothesis") else None
    if tracing:
        tracing.stop()
    yield
    if tracing:
        tracing.start()


@pytest.fixture(scope="session", autouse=True)
def compiled() -> None:
    """The loops are compiled before the first test, so that no test hears of it."""
    from compiling import compile_text_loops  # it imports SciPy: not before SCIPY_ARRAY_API is set

    compile_text_loops()


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of the real corpora."""
    folder = os.environ.get("TERMSIFT_DATA")
    if not folder:
        missing("TERMSIFT_DATA does not name a folder of corpora")
    if not Path(folder).is_dir():
        missing(f"TERMSIFT_DATA names {folder}, which is not a folder")
    return Path(folder)


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session of Spark on two cores of this machine."""
    import termsift as ts

    try:
        found = ts.spark.session("local[2]", spark_sql_shuffle_partitions="3", spark_driver_memory="2g")
    except ts.EngineFailure as error:
        missing(str(error))
    yield found
    found.stop()


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run a command: its exit code, stdout and stderr."""
    from termsift.cli import main

    def run(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return stop.value.code, out, err

    return run


@pytest.fixture
def mail(tmp_path: Path) -> Path:
    """The rows as a CSV file."""
    import pandas as pd  # not with the conftest, where a warning would be no error

    from mail_files import ROWS

    path = tmp_path / "mail.csv"
    pd.DataFrame(ROWS, columns=["text", "label"]).to_csv(path, index_label="id")
    return path


@pytest.fixture(scope="session")
def small():
    """Texts of three topics, their labels and their counts."""
    import termsift
    from report_pages import corpus

    texts, labels = corpus()
    return texts, labels, termsift.count(texts, labels)


@pytest.fixture(scope="session")
def html(small) -> str:
    """The report of the small corpus."""
    from report_pages import findings
    from termsift.report.page import report_html

    texts, labels, counts = small
    return report_html(counts, title="Places & people", texts=texts, labels=labels, findings=findings(), k=7)


@pytest.fixture(scope="session")
def page(html):
    """That report, read."""
    from report_pages import Page

    return Page(html)
