"""Which files a path names, and the bytes that are on the disk to be read."""

from __future__ import annotations

import pytest

from file_forms import FORMS
from termsift.engines.files.sources import open_source, parse_source


@pytest.mark.parametrize("form", ["csv", "two files", "folder, nested", "json", "folder of texts"])
def test_the_bytes_of_plain_files_are_known(tmp_path, form):
    paths = FORMS[form](tmp_path)
    with open_source(parse_source(paths)) as found:
        plain = not any("gz" in file.path for file in found.files)
        size = sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file())
        assert found.nbytes == (size if plain else None)


@pytest.mark.parametrize("form", ["csv.xz", "parquet", "xlsx", "zip", "zip of classes"])
def test_of_others_they_are_not(tmp_path, form):
    with open_source(parse_source(FORMS[form](tmp_path))) as found:
        assert found.nbytes is None


def test_names_are_in_order_and_below_a_folder(tmp_path):
    FORMS["folder, nested"](tmp_path)
    names = [str(tmp_path / name) for name in ("2024/1.csv", "2025/2.csv")]
    for path in (tmp_path, tmp_path / "*", tmp_path / "*" / "*.csv"):
        with open_source(parse_source(path)) as source_files:
            assert [file.path for file in source_files.files] == names
