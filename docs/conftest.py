"""Examples of pages are run where the files of docs/data are."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

# scripts that make pages, which are imported from their folder, and this file itself hold no examples
collect_ignore = ["make", "conftest.py"]


@pytest.fixture(autouse=True)
def data_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Create a folder to work in, with the files that guides start from."""
    for path in (Path(__file__).parent / "data").glob("*.csv"):
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
