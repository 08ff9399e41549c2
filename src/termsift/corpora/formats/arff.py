"""Weka's ARFF, sparse and dense: counts with a class, or texts with a class."""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Iterator
from typing import Any

from termsift.corpora.corpus import Corpus, by_rows
from termsift.corpora.files import checksum, decoded, existing
from termsift.corpora.formats.archives import unpacked
from termsift.corpora.formats.arff_header import attributes
from termsift.corpora.formats.arff_rows import Cells, Layout, layout_of
from termsift.errors import UnreadableFile

DATA = re.compile(r"^[ \t]*@data[ \t]*(?:%.*)?\r?$", re.IGNORECASE | re.MULTILINE)

Rows = Iterator[tuple[str, Cells]]


def read_arff(
    path: str | os.PathLike[str], *, class_attribute: int | str = -1, encoding: str = "utf-8"
) -> Corpus:
    """An ARFF file, also as .arff.gz or in an .arff.zip, sparse or dense.

    Numeric attributes become a matrix with their names as terms; a string attribute becomes texts.
    The class is nominal. A sparse row that leaves it out has the first of its values, as in Weka.

    class_attribute : its number, from the end if negative, or its name
    """
    source = existing(path)
    text = decoded(unpacked(source, ".arff"), encoding, source)
    data = DATA.search(text)
    if data is None:
        raise UnreadableFile(f"{source} is not ARFF, or is cut: it has no @data line")
    header = text[: data.start()].split("\n")
    layout = layout_of(attributes(header, str(source)), class_attribute, str(source))
    rows = parsed(text[data.end() :], len(header), layout)
    columns = texts(rows, layout) if layout.text is not None else matrix(rows, layout)
    if not columns["labels"]:
        raise UnreadableFile(f"{source} has no rows")
    return Corpus(name=source.name, source=str(source), checksum=checksum(source), **columns)


def parsed(text: str, first: int, layout: Layout) -> Rows:
    """Each row's place, for errors, and its cells."""
    # by "\n" alone: a term may hold characters at which str.splitlines would break
    for number, line in enumerate(text.split("\n"), first):
        row = line.strip(" \t\r")
        if row and not row.startswith("%"):
            where = f"line {number} of {layout.name}"
            yield where, layout.cells(row, where)


def texts(rows: Rows, layout: Layout) -> dict[str, Any]:
    """The texts and their labels."""
    pairs = [(layout.label(cells, where), layout.text_of(cells, where)) for where, cells in rows]
    return {"labels": [label for label, _ in pairs], "texts": [text for _, text in pairs]}


def matrix(rows: Rows, layout: Layout) -> dict[str, Any]:
    """The matrix, its terms and the labels."""
    import numpy as np
    from scipy.sparse import csr_array

    labels, columns, values, ends = [], array("q"), array("d"), array("q", [0])
    for where, cells in rows:
        labels.append(layout.label(cells, where))
        columns.extend(cells)
        values.extend(layout.numbers(cells, where))
        ends.append(len(columns))
    terms = layout.terms
    places = np.array(columns, dtype=np.int64)
    places -= places > layout.target  # the class is no column
    counts = csr_array((np.array(values), places, np.array(ends)), shape=(len(labels), len(terms)))
    counts.sort_indices()
    return {"labels": labels, "matrix": by_rows(counts), "terms": terms}
