"""Two documents as a file of any kind and name, and what is said of a file that cannot be read."""

from __future__ import annotations

import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import termsift as ts
from termsift.engines.inputs import load_documents

CSV = "text,label\naa bb,x\ncc,y\n"
JSONL = '{"text": "aa bb", "label": "x"}\n{"text": "cc", "label": "y"}\n'
TEXTS, LABELS = ["aa bb", "cc"], ["x", "y"]
ENDINGS = (".csv", ".csv.gz", ".jsonl", ".jsonl.gz", ".parquet")


def written_rows(path, ending):
    """The two rows as a file of that ending, whatever its name."""
    if ending == ".parquet":
        data = pa.BufferOutputStream()
        pq.write_table(pa.table({"text": ["aa bb", "cc"], "label": ["x", "y"]}), data)
        path.write_bytes(data.getvalue().to_pybytes())
    else:
        text = (CSV if ".csv" in ending else JSONL).encode()
        path.write_bytes(gzip.compress(text) if ending.endswith(".gz") else text)
    return path


def fails(match, path, **options):
    """Neither counts nor documents are read, and both say so in one line."""
    for taker in (ts.count, load_documents):
        with pytest.raises(ts.TermsiftError, match=match) as caught:
            taker(path, **options)
        assert "\n" not in str(caught.value)
