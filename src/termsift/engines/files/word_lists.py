"""Lists of words with their counts, a file of the columns term and count, as Counts of one long document.

Such a list says how often words occur in a corpus of reference, and nothing of its documents.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift._typing import LARGEST, as_terms, exact
from termsift.counts import Counts
from termsift.engines.files.compressions import ending
from termsift.engines.files.formats import told_faults
from termsift.engines.files.input_files import FoundFile, input_file, is_pipe
from termsift.engines.files.readers.columns import WantedColumns
from termsift.engines.files.readers.delimited import csv_layout, tsv_layout
from termsift.engines.files.sources import file_batches, file_format
from termsift.engines.files.text_files import file_encoding
from termsift.errors import InvalidInput

TERM, COUNT = "term", "count"
LAYOUTS = {".csv": csv_layout, ".tsv": tsv_layout, ".tab": tsv_layout}


def is_word_list(data: Any, text: Any = None, encoding: str = "utf-8") -> bool:
    """Whether the data is a CSV or TSV file of the columns term and count, and without one of texts."""
    if not isinstance(data, str | os.PathLike):
        return False
    name = os.fspath(data)
    if ending(name) not in LAYOUTS or not os.path.isfile(name) or is_pipe(name):
        return False
    wanted = WantedColumns((TERM,), COUNT, encoding=encoding)
    with input_file(FoundFile(name)) as file, told_faults(file, "CSV"):
        known = replace(file, encoding=file_encoding(file, encoding))
        columns = LAYOUTS[ending(name)](known, wanted).columns
    texts = text if isinstance(text, list | tuple) else [text or "text"]
    return {TERM, COUNT} <= {*columns} and not {*texts} & {*columns}


def word_list_counts(path: str | os.PathLike[str], encoding: str = "utf-8") -> Counts:
    """The counts of a list of words in a file."""
    name = os.fspath(path)
    with closing(listed_words(name, encoding)) as rows:
        return counts_of_words(rows, name)


def listed_words(name: str, encoding: str) -> Generator[tuple[str | None, str | None], None, None]:
    """The terms and counts of a file as they stand there."""
    file, wanted = FoundFile(name), WantedColumns((TERM,), COUNT, encoding=encoding)
    for table in file_batches(file, file_format([file]), wanted):
        yield from zip(table.column("text").to_pylist(), table.column("label").to_pylist(), strict=True)


def counts_of_words(rows: Iterable[tuple[Any, Any]], name: str) -> Counts:
    """Counts of terms and how often each occurs; an error that names the first row that cannot be."""
    seen: dict[str, int] = {}
    places: dict[str, int] = {}
    for row, (term, count) in enumerate(rows, 1):
        if not isinstance(term, str) or not term:
            raise InvalidInput(f"row {row} of {name} has no term; give each count its term")
        if term in places:
            raise InvalidInput(
                f"row {row} of {name} repeats the term {term!r} of row {places[term]}; add them up"
            )
        places[term], seen[term] = row, whole_count(count, f"row {row} of {name}")
    terms = sorted(term for term, count in seen.items() if count)
    if not terms:
        raise InvalidInput(f"{name} has no rows with a count above 0, so there are no words")
    tf = exact(np.array([seen[term] for term in terms], dtype=np.float64))
    tf2, df, one = exact(tf.astype(np.float64) ** 2), np.ones(len(terms), dtype=np.int64), np.array([1])
    table = [csr_array(sums[:, None]) for sums in (df, tf, tf2)]
    return Counts(as_terms(terms), ("all",), 1, one, table[0], table[1], table[2], df, tf, tf2)


def whole_count(count: Any, where: str) -> int:
    """The count of a row of a list, if it is a whole number."""
    if count is None or count == "":
        raise InvalidInput(f"{where} has no count; give each term its count, or leave the row out")
    text = str(count).strip()
    if isinstance(count, bool) or not (text.isascii() and text.isdecimal()):
        raise InvalidInput(f"{where} has the count {count!r}; a count is a whole number of at least 0")
    # Python reads no number of thousands of digits
    if len(text.lstrip("0")) > len(f"{LARGEST:.0f}") or int(text) > LARGEST:
        raise InvalidInput(
            f"{where} has the count {text[:20]}, which is above 2**53; counts are at most that"
        )
    return int(text)
