"""Corpora that only studies use: the ARFF reader, the sets of Han and Karypis, and the catalogue."""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from termsift import corpora
from termsift._internal.errors import InvalidInputError, UnreadableFileError, quote_names, unknown_name_error
from termsift._internal.files import require_file, unpack_file
from termsift.corpora import Corpus, DataDir, Entry, as_finite_csr, decode_bytes, entries_from_table
from termsift_studies.matrices import load_cdcai, load_cluto


def load_karypis(path: Path) -> Corpus:
    """Load word counts of Han and Karypis that Forman (2003) used: 18 of his 19 sets.

    la1s and la2s have the reduced vocabularies.
    """
    return load_arff(path, encoding="latin-1")


# Weka parts words at ASCII blanks alone, so that a term may hold any other character.
QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
# @attribute NAME TYPE; a name with spaces is quoted
ATTRIBUTE = re.compile(rf"@attribute\s+({QUOTED}|[^\s'\"{{][^\s{{]*)\s*(.*)", re.IGNORECASE | re.ASCII)
ARFF_HEADER_VALUE = re.compile(rf"\s*((?:{QUOTED})\s*|[^\s,'\"{{}}%][^,{{}}%]*)(?:,|$)", re.ASCII)
# a percent sign inside quotation marks does not start a comment
BEFORE_COMMENT = re.compile(rf"(?:{QUOTED}|[^%'\"])*(?=%|$)")
ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
CONTROLS = {"n": "\n", "r": "\r", "t": "\t"}
NUMERIC = ("numeric", "real", "integer")


@dataclass(frozen=True, slots=True)
class Attribute:
    """Column: its name, its kind ('number', 'string' or 'nominal') and the values of a nominal one."""

    name: str
    kind: str
    values: tuple[str, ...] = ()

    @property
    def is_number(self) -> bool:
        """True if values are numbers that are 0 when a sparse row omits them, as in {0, 1}."""
        # Weka writes 0/1 features as nominal {0, 1}; a sparse row omits the first value, so it must be 0
        if self.kind != "nominal":
            return self.kind == "number"
        return bool(self.values) and all(map(is_number, self.values)) and float(self.values[0]) == 0


def parse_attributes(header: list[str], name: str) -> list[Attribute]:
    """Parse the attributes of a header.

    name : how the file is called in errors

    >>> parse_attributes(["% words", "@relation mail", "@attribute 'free lunch' numeric"], "mail.arff")
    [Attribute(name='free lunch', kind='number', values=())]
    """
    declared = []
    for number, raw in enumerate(header, 1):
        text = strip_comment(raw.strip(" \t\r"))
        if not text or text.lower().startswith("@relation"):
            continue
        declared.append(parse_attribute(text, f"line {number} of {name}"))
    return declared


def parse_attribute(declaration: str, where: str) -> Attribute:
    """Parse the declaration of an attribute."""
    match = ATTRIBUTE.fullmatch(declaration)
    if match is None:
        raise UnreadableFileError(f"{where} is not an attribute: {shorten(declaration)}")
    name, kind = unquote(match[1]), match[2]
    if kind.startswith("{"):
        return Attribute(name, "nominal", parse_nominal_values(kind, where))
    word = kind.lower()
    if word in NUMERIC:
        return Attribute(name, "number")
    if word == "string":
        return Attribute(name, "string")
    message = f"{where}: attribute {name!r} has the type {word!r}; numeric, string and {{...}} can be read"
    raise UnreadableFileError(message)


def parse_nominal_values(text: str, where: str) -> tuple[str, ...]:
    """Parse the values in the braces of a nominal attribute.

    >>> parse_nominal_values("{ham, 'junk, or spam'}", "line 1")
    ('ham', 'junk, or spam')
    """
    values = split_values(text[1:-1]) if text.endswith("}") else None
    if values is None:
        message = f"{where}: the values of a nominal attribute are not a list in braces: {shorten(text)}"
        raise UnreadableFileError(message)
    return tuple(map(unquote, values))


def split_values(text: str) -> list[str] | None:
    """Split comma-separated values without unquoting them; return None if that is impossible."""
    # unquoted rows are the common case, and splitting them is much faster than matching
    if "'" not in text and '"' not in text:
        values = [value.strip(" \t\r") for value in text.split(",")]
        return values if all(values) else None
    values, position = [], 0
    while position < len(text):
        match = ARFF_HEADER_VALUE.match(text, position)
        if match is None:
            return None
        values.append(match[1].rstrip(" \t\r"))
        position = match.end()
    # the expression also matches a trailing comma, after which a value is missing
    return values if not text.endswith(",") else None


def strip_comment(text: str) -> str:
    """Remove an unquoted percent sign and the text after it.

    >>> strip_comment("1, '2%' % the share")
    "1, '2%'"
    """
    if "%" not in text:
        return text
    match = BEFORE_COMMENT.match(text)
    return match[0].rstrip(" \t") if match else text


def unquote(text: str) -> str:
    r"""Remove the quotation marks and escapes of a value.

    >>> unquote(r"'it\'s'")
    "it's"
    """
    if text[:1] not in ("'", '"'):
        return text
    inner = text[1:-1]
    if "\\" not in inner:
        return inner
    # a character beyond the first 65,536 is written as two escapes; half of one is no character
    return ESCAPE.sub(unescape, inner).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def unescape(match: re.Match[str]) -> str:
    """Return the character of an escape sequence."""
    code, letter = match.groups()
    return chr(int(code, 16)) if code else CONTROLS.get(letter, letter)


def find_class_attribute(attributes: list[Attribute], class_attribute: int | str, name: str) -> int:
    """Return the index of the class attribute, given by number (negative from the end) or name."""
    names = [attribute.name for attribute in attributes]
    if isinstance(class_attribute, str) and class_attribute not in names:
        raise unknown_name_error("attribute", class_attribute, names)
    index = names.index(class_attribute) if isinstance(class_attribute, str) else class_attribute
    if not -len(attributes) <= index < len(attributes):
        raise InvalidInputError(f"class_attribute is {index}, but {name} has {len(attributes)} attributes")
    chosen = attributes[index]
    if chosen.kind != "nominal":
        raise InvalidInputError(f"the class of {name} cannot be {chosen.name!r}, which has no list of values")
    return index % len(attributes)


def is_number(text: str) -> bool:
    """Check if a text is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def shorten(text: str, limit: int = 60) -> str:
    """Return a text as it is quoted in errors."""
    return repr(text if len(text) <= limit else text[:limit] + "...")


DATA = re.compile(r"^[ \t]*@data[ \t]*(?:%.*)?\r?$", re.IGNORECASE | re.MULTILINE)
VALUE = rf"(?:{QUOTED}|[^\s,'\"{{}}%][^\s,{{}}%]*)"
SPARSE = re.compile(rf"\{{\s*(?:\d+\s+{VALUE}\s*(?:,\s*\d+\s+{VALUE}\s*)*)?\}}", re.ASCII)
PAIRS = re.compile(rf"(\d+)\s+({VALUE})", re.ASCII)
MISSING = "?"

Cells = dict[int, str]  # by the number of their attribute, as written: quoted values still are
Rows = Iterator[tuple[str, Cells]]


def load_arff(
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
    >>> load_arff(path).labels
    ['ham', 'spam']
    >>> folder.cleanup()
    """
    source = require_file(path)
    text = decode_bytes(unpack_file(source, ".arff"), encoding, source)
    data = DATA.search(text)
    if data is None:
        raise UnreadableFileError(f"{source} is not ARFF, or is cut: it has no @data line")
    # line numbers in errors count from the beginning of the file
    header = text[: data.start()].split("\n")
    layout = find_layout(parse_attributes(header, str(source)), class_attribute, str(source))
    rows = parse_rows(text[data.end() :], len(header), layout)
    columns = collect_texts(rows, layout) if layout.text is not None else collect_matrix(rows, layout)
    if not columns["labels"]:
        raise UnreadableFileError(f"{source} has no rows")
    return Corpus(name=source.name, source=str(source), checksum=corpora.file_checksum(source), **columns)


def parse_rows(text: str, first: int, layout: Layout) -> Rows:
    """Yield the location (for errors) and the cells of each row."""
    # by "\n" alone: a term may hold characters at which str.splitlines would break
    for number, raw in enumerate(text.split("\n"), first):
        row = raw.strip(" \t\r")
        if row and not row.startswith("%"):
            where = f"line {number} of {layout.name}"
            yield where, layout.parse_cells(row, where)


def collect_texts(rows: Rows, layout: Layout) -> dict[str, Any]:
    """Return the texts and their labels."""
    pairs = [(layout.parse_label(cells, where), layout.parse_text(cells, where)) for where, cells in rows]
    return {"labels": [label for label, _ in pairs], "texts": [text for _, text in pairs]}


def collect_matrix(rows: Rows, layout: Layout) -> dict[str, Any]:
    """Return the matrix, its terms and the labels."""
    import numpy as np
    from scipy.sparse import csr_array

    labels, columns, values, ends = [], array("q"), array("d"), array("q", [0])
    for where, cells in rows:
        labels.append(layout.parse_label(cells, where))
        columns.extend(cells)
        values.extend(layout.parse_numbers(cells, where))
        ends.append(len(columns))
    terms = layout.terms
    indices = np.array(columns, dtype=np.int64)
    indices -= indices > layout.target  # the class is no column
    counts = csr_array((np.array(values), indices, np.array(ends)), shape=(len(labels), len(terms)))
    counts.sort_indices()
    return {"labels": labels, "matrix": as_finite_csr(counts, layout.name), "terms": terms}


@dataclass(frozen=True, slots=True)
class Layout:
    """Columns of a file: the class, and either numbers or one text.

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
        """Names of all attributes except the class."""
        return [a.name for i, a in enumerate(self.attributes) if i != self.target]

    def parse_cells(self, row: str, where: str) -> Cells:
        """Return the cells of a row by attribute number."""
        row = strip_comment(row)
        parse = self.parse_sparse_cells if row.startswith("{") else self.parse_dense_cells
        return parse(row, where)

    def parse_sparse_cells(self, row: str, where: str) -> Cells:
        """Return the cells listed in a sparse row."""
        if not SPARSE.fullmatch(row):
            raise UnreadableFileError(f"{where} is cut, or not a list of index and value: {shorten(row)}")
        pairs = PAIRS.findall(row)
        # 18 digits fit 64 bits; longer indices are out of range anyway
        cells = {int(index[:18]): value for index, value in pairs}
        last = max(cells, default=0)
        if last >= len(self.attributes):
            largest = len(self.attributes) - 1
            message = f"{where}: index {last} is out of range: attributes are numbered 0 to {largest}"
            raise UnreadableFileError(message)
        if len(cells) < len(pairs):
            raise UnreadableFileError(f"{where} has an index twice")
        return cells

    def parse_dense_cells(self, row: str, where: str) -> Cells:
        """Return the cells of a dense row."""
        values = split_values(row)
        if values is None:
            raise UnreadableFileError(f"{where} is cut, or not values with commas between: {shorten(row)}")
        if len(values) != len(self.attributes):
            message = f"{where} has {len(values)} values for {len(self.attributes)} attributes"
            raise UnreadableFileError(message)
        return dict(enumerate(values))

    def parse_label(self, cells: Cells, where: str) -> str:
        """Remove the class from the cells of a row and return it."""
        values = self.attributes[self.target].values
        raw = cells.pop(self.target, None)
        if raw is None:
            return values[0]
        label = unquote(raw)
        if label not in self.classes:
            raise (
                self.missing_value_error(self.target, where)
                if raw == MISSING
                else UnreadableFileError(
                    f"{where}: class {label!r} is not in the list: {quote_names(values)}"
                )
            )
        return label

    def parse_text(self, cells: Cells, where: str) -> str:
        """Return the text of a row."""
        raw = cells.get(self.text, MISSING) if self.text is not None else MISSING
        if raw == MISSING:
            raise self.missing_value_error(self.text or 0, where)
        return unquote(raw)

    def parse_numbers(self, cells: Cells, where: str) -> list[float]:
        """Return the numbers of a row."""
        try:
            # try all cells at once; find the faulty one only after a failure
            return [float(raw) for raw in cells.values()]
        except ValueError:
            return [self.parse_number(i, raw, where) for i, raw in cells.items()]

    def parse_number(self, i: int, raw: str, where: str) -> float:
        """Return a number, which may be quoted."""
        try:
            return float(unquote(raw))
        except ValueError as error:
            if raw == MISSING:
                raise self.missing_value_error(i, where) from None
            name = self.attributes[i].name
            message = f"{where}: attribute {name!r} is not a number: {shorten(raw)}"
            raise UnreadableFileError(message) from error

    def missing_value_error(self, i: int, where: str) -> UnreadableFileError:
        """Return the error for a missing value."""
        name = self.attributes[i].name
        return UnreadableFileError(f"{where}: attribute {name!r} is missing; a corpus has no missing values")


def find_layout(attributes: list[Attribute], class_attribute: int | str, name: str) -> Layout:
    """Return the layout of a file: a class, and either numbers or one text."""
    target = find_class_attribute(attributes, class_attribute, name)
    features = [i for i in range(len(attributes)) if i != target]
    # either all features are numbers, or there is a single string
    strange = [i for i in features if not attributes[i].is_number]
    text = strange[0] if len(features) == 1 and strange and attributes[strange[0]].kind == "string" else None
    if strange and text is None:
        first = attributes[strange[0]]
        raise InvalidInputError(
            f"attribute {first.name!r} of {name} is {first.kind}; "
            "beside its class a corpus has numbers, or one string"
        )
    return Layout(attributes, target, text, frozenset(attributes[target].values), name)


TABLE = Path(__file__).with_name("corpora.csv")
ENTRIES: dict[str, Entry] = {
    entry.name: entry
    for folder, reader in (("karypis", load_karypis), ("cluto", load_cluto), ("cdcai", load_cdcai))
    for entry in entries_from_table(folder, reader, TABLE)
}


def load(name: str, *, data_dir: DataDir = None, **options: Any) -> Corpus:
    """Load a corpus by name, from the catalogue of the studies or of termsift."""
    if name in ENTRIES:
        return ENTRIES[name].load(data_dir, **options)
    if name not in corpora.names():
        raise unknown_name_error("corpus", name, [*corpora.names(), *ENTRIES])
    return corpora.load(name, data_dir=data_dir, **options)
