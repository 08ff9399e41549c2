"""Files whose columns or cells do not go together, and sheets that say they are larger than they are."""

from __future__ import annotations

import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import termsift as ts
from file_forms import sheet_bytes
from two_rows import fails


def test_labels_of_different_types_in_different_files(tmp_path):
    for name, label in (("a", [1, 2]), ("b", ["x", "y"])):
        pq.write_table(pa.table({"text": ["aa", "bb"], "label": label}), tmp_path / f"{name}.parquet")
    fails("labels have different types in different files: int64, large_string; use one type", tmp_path)


def test_labels_of_different_integer_widths_are_equal(tmp_path):
    for name, kind in (("a", pa.int8()), ("b", pa.int64())):
        pq.write_table(pa.table({"text": ["aa"], "label": pa.array([1], kind)}), tmp_path / f"{name}.parquet")
    assert ts.count(tmp_path).class_sizes.tolist() == [2]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b'<row r="2"', b'<row r="99999999999"', "more rows than a sheet can have"),
        (b'<c r="A2"', b'<c r="ZZZZ2"', "cannot be read as XLSX: it is damaged"),
        (b"<sheetData>", b"<sheetData", "cannot be read as XLSX: it is damaged"),
    ],
)
def test_a_sheet_with_a_cell_far_away(tmp_path, old, new, message):
    path, altered = tmp_path / "m.xlsx", tmp_path / "n.xlsx"
    path.write_bytes(sheet_bytes())
    with zipfile.ZipFile(path) as whole, zipfile.ZipFile(altered, "w") as archive:
        for name in whole.namelist():
            content = whole.read(name)
            archive.writestr(name, content.replace(old, new) if "sheet" in name else content)
    fails(message, altered)


def test_cells_of_a_sheet_are_written_as_in_csv(tmp_path):
    import datetime

    import pandas as pd

    labels = [1, 2.5, True, datetime.date(2024, 5, 1), "x"]
    frame = pd.DataFrame({"text": ["aa", "bb", "cc", "dd", None], "label": labels}, dtype=object)
    frame.to_excel(tmp_path / "m.xlsx", index=False)
    counts = ts.count(tmp_path / "m.xlsx")
    assert counts.classes == ("1", "2.5", "2024-05-01", "TRUE", "x")
    assert counts.documents == 5
