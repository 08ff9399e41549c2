"""Weka's ARFF, sparse and dense: counts with a class, or texts with a class."""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from termsift.border.archives import unpacked
from termsift.corpora.corpus import Corpus, by_rows
from termsift.corpora.files import checksum, decoded
from termsift.corpora.formats.arff_header import (
    QUOTED,
    Attribute,
    attributes,
    class_position,
    shortened,
    split_values,
    unquoted,
    without_comment,
)
from termsift.errors import InvalidInput, UnreadableFile, listed
from termsift.output import existing

DATA = re.compile(r"^[ \t]*@data[ \t]*(?:%.*)?\r?$", re.IGNORECASE | re.MULTILINE)
VALUE = rf"(?:{QUOTED}|[^\s,'\"{{}}%][^\s,{{}}%]*)"
SPARSE = re.compile(rf"\{{\s*(?:\d+\s+{VALUE}\s*(?:,\s*\d+\s+{VALUE}\s*)*)?\}}", re.ASCII)
PAIRS = re.compile(rf"(\d+)\s+({VALUE})", re.ASCII)
MISSING = "?"

Cells = dict[int, str]  # by the number of their attribute, as written: quoted values still are
Rows = Iterator[tuple[str, Cells]]


def read_arff(
    path: str | os.PathLike[str], *, class_attribute: int | str = -1, encoding: str = "utf-8"
) -> Corpus:
    r"""Read an ARFF file, sparse or dense, also as .arff.gz or in an .arff.zip.

    Numeric attributes become a matrix with their names as terms; a string attribute becomes texts.
    The class is nominal. A sparse row that omits it has the first of its values, as in Weka.

    class_attribute : number of the class attribute, from the end if negative, or its name
    path : the file
    encoding : encoding of the file

    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "mail.arff"
    >>> head = ["@relation mail", "@attribute prize numeric", "@attribute class {ham,spam}"]
    >>> _ = path.write_text("\n".join([*head, "@data", "0,ham", "2,spam"]))
    >>> read_arff(path).labels
    ['ham', 'spam']
    >>> folder.cleanup()
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
    return {"labels": labels, "matrix": by_rows(counts, layout.name), "terms": terms}


@dataclass(frozen=True, slots=True)
class Layout:
    """What the columns of a file are.

    target : the number of the class attribute
    text : the number of the string attribute, if there is one
    name : how the file is called in errors
    """

    attributes: list[Attribute]
    target: int
    text: int | None
    classes: frozenset[str]
    name: str

    @property
    def terms(self) -> list[str]:
        """The names of all attributes but the class."""
        return [a.name for i, a in enumerate(self.attributes) if i != self.target]

    def cells(self, row: str, where: str) -> Cells:
        """The cells of a row."""
        row = without_comment(row)
        return self.sparse_cells(row, where) if row.startswith("{") else self.dense_cells(row, where)

    def sparse_cells(self, row: str, where: str) -> Cells:
        """The cells that a sparse row names."""
        if not SPARSE.fullmatch(row):
            raise UnreadableFile(f"{where} is cut, or not a list of index and value: {shortened(row)}")
        pairs = PAIRS.findall(row)
        cells = {int(index[:18]): value for index, value in pairs}
        last = max(cells, default=0)
        if last >= len(self.attributes):
            most = len(self.attributes) - 1
            raise UnreadableFile(
                f"{where}: index {last} is out of range: attributes are numbered 0 to {most}"
            )
        if len(cells) < len(pairs):
            raise UnreadableFile(f"{where} has an index twice")
        return cells

    def dense_cells(self, row: str, where: str) -> Cells:
        """The cells of a row that has them all."""
        values = split_values(row)
        if values is None:
            raise UnreadableFile(f"{where} is cut, or not values with commas between: {shortened(row)}")
        if len(values) != len(self.attributes):
            raise UnreadableFile(f"{where} has {len(values)} values for {len(self.attributes)} attributes")
        return dict(enumerate(values))

    def label(self, cells: Cells, where: str) -> str:
        """The class of a row, which is taken out of its cells."""
        values = self.attributes[self.target].values
        raw = cells.pop(self.target, None)
        if raw is None:
            return values[0]
        label = unquoted(raw)
        if label not in self.classes:
            raise (
                self.missing(self.target, where)
                if raw == MISSING
                else UnreadableFile(f"{where}: class {label!r} is not in the list: {listed(values)}")
            )
        return label

    def text_of(self, cells: Cells, where: str) -> str:
        """The text of a row."""
        raw = cells.get(self.text, MISSING) if self.text is not None else MISSING
        if raw == MISSING:
            raise self.missing(self.text or 0, where)
        return unquoted(raw)

    def numbers(self, cells: Cells, where: str) -> list[float]:
        """The numbers of a row."""
        try:
            return [float(raw) for raw in cells.values()]
        except ValueError:
            return [self.number(i, raw, where) for i, raw in cells.items()]

    def number(self, i: int, raw: str, where: str) -> float:
        """A number, which may be quoted."""
        try:
            return float(unquoted(raw))
        except ValueError as error:
            if raw == MISSING:
                raise self.missing(i, where) from None
            name = self.attributes[i].name
            raise UnreadableFile(f"{where}: attribute {name!r} is not a number: {shortened(raw)}") from error

    def missing(self, i: int, where: str) -> UnreadableFile:
        """The error for a value that is not there."""
        name = self.attributes[i].name
        return UnreadableFile(f"{where}: attribute {name!r} is missing; a corpus has no missing values")


def layout_of(attributes: list[Attribute], class_attribute: int | str, name: str) -> Layout:
    """The layout of a file: a class, and numbers or one text beside it."""
    target = class_position(attributes, class_attribute, name)
    others = [i for i in range(len(attributes)) if i != target]
    strange = [i for i in others if not attributes[i].is_number]
    text = strange[0] if len(others) == 1 and strange and attributes[strange[0]].kind == "string" else None
    if strange and text is None:
        first = attributes[strange[0]]
        raise InvalidInput(
            f"attribute {first.name!r} of {name} is {first.kind}; "
            "beside its class a corpus has numbers, or one string"
        )
    return Layout(attributes, target, text, frozenset(attributes[target].values), name)
