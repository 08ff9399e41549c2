"""Fixtures of termsift's tests: Spark sessions, commands, a small corpus and its report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from skipping import missing

# it holds no examples, and its name is that of the one of docs/
collect_ignore = ["conftest.py"]


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session of Spark on two cores of this machine."""
    import termsift as ts

    try:
        found = ts.spark.session("local[2]", spark_sql_shuffle_partitions="3", spark_driver_memory="2g")
    except ts.EngineError as error:
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
