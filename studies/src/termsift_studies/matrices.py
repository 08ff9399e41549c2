"""Variables of MATLAB 5 files: dense and sparse matrices, texts and cell arrays; CLUTO files.

SciPy's reader trusts the lengths inside a variable and crashes the interpreter if they are wrong. This one
compares every length with the available bytes, and accepts only compressed variables, as publishers have
them: zlib's checksum vouches for each.

A file is a header, and elements one after the other: type, size, bytes. A variable is an element of elements:
flags, dimensions, name, and its parts. "MAT-File Format", The MathWorks, gives the numbers of the types.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift._internal.errors import UnreadableFileError
from termsift._internal.files import (
    MAX_UNPACKED_BYTES,
    ArchiveTooLargeError,
    max_unpacked_bytes,
    require_file,
    translate_read_errors,
)
from termsift._internal.typing import Array
from termsift.corpora import MAX_EXACT_INTEGER, Corpus, as_finite_csr, decode_bytes

HEADER, MATRIX, COMPRESSED = 128, 14, 15
NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
ENCODINGS = {1: "latin-1", 2: "latin-1", 4: "utf-16", 16: "utf-8", 17: "utf-16", 18: "utf-32"}
CELL, TEXT, SPARSE, NUMERIC = 1, 4, 5, range(6, 16)  # the classes of variables
COMPLEX = 0x800  # a flag of a variable

Fields = list[tuple[int, memoryview]]


def load_variables(path: Path, names: tuple[str, ...], *, limit: int = MAX_UNPACKED_BYTES) -> dict[str, Any]:
    """Load the variables of these names that the file has."""
    source = require_file(path)
    with translate_read_errors(source):
        content = source.read_bytes()
        if not content.startswith(b"MATLAB 5.0"):
            raise UnreadableFileError(f"{source} is not a MATLAB 5 file")
        # the last two bytes of the header tell the byte order: IM is little-endian
        order = "<" if content[HEADER - 2 : HEADER] == b"IM" else ">"
        bodies = decompress_variables(source, content, order, limit)
        variables = [split_variable(body, order) for body in bodies]
        return {
            name: decode_value(fields, order)
            for fields in variables
            if (name := variable_name(fields)) in names
        }


def decompress_variables(path: Path, content: bytes, order: str, limit: int) -> Iterator[memoryview]:
    """Yield the bytes of each variable; all must be compressed, and within the limit together."""
    remaining = max_unpacked_bytes(len(content), limit)
    for kind, packed in iterate_elements(memoryview(content)[HEADER:], order):
        if kind != COMPRESSED:
            raise UnreadableFileError(f"{path} is refused: its variables are not compressed")
        body = decompress(packed, path, remaining)
        remaining -= len(body)
        yield memoryview(body)


def decompress(packed: memoryview, path: Path, limit: int) -> bytes:
    """Decompress a variable and verify its checksum."""
    # one byte more than allowed is enough to detect a variable that is too large
    stream = zlib.decompressobj()
    body = stream.decompress(packed, limit + 1)
    if len(body) > limit:
        raise ArchiveTooLargeError(path, limit)
    if not stream.eof:
        raise EOFError("a variable has no end")
    return body


def iterate_elements(content: memoryview, order: str) -> Iterator[tuple[int, memoryview]]:
    """Yield the type and the bytes of each element."""
    position = 0
    while position < len(content):
        if position + 8 > len(content):
            raise EOFError("a variable has no end")
        (word,) = struct.unpack_from(f"{order}I", content, position)
        if word >> 16:  # up to four bytes stand beside a type of two
            kind, size, start, end = word & 0xFFFF, word >> 16, position + 4, position + 8
        else:
            (size,) = struct.unpack_from(f"{order}I", content, position + 4)
            kind, start = word, position + 8
            # elements are padded to multiples of eight bytes, compressed ones are not
            end = start + size + (0 if kind == COMPRESSED else -size % 8)
        if start + size > min(end, len(content)):
            raise EOFError("a variable has no end")
        yield kind, content[start : start + size]
        position = end


def split_variable(body: memoryview, order: str) -> Fields:
    """Return flags, dimensions, name and data fields of the only variable in these bytes."""
    parsed = list(iterate_elements(body, order))
    if len(parsed) != 1 or parsed[0][0] != MATRIX:
        raise ValueError("something else in the place of a variable")
    return list(iterate_elements(parsed[0][1], order))


def variable_name(fields: Fields) -> str:
    """Return the name of a variable."""
    if len(fields) < 3:
        raise EOFError("a variable has no name")
    return bytes(fields[2][1]).decode("latin-1")


def decode_value(fields: Fields, order: str, *, in_cell: bool = False) -> Any:
    """Return the value of a variable: an array, a text, a sparse matrix, or an array of these."""
    if len(fields) < 3:
        raise EOFError("a variable has no name")
    flags, _ = struct.unpack(f"{order}2I", fields[0][1])
    shape = struct.unpack(f"{order}{len(fields[1][1]) // 4}i", fields[1][1])
    if flags & COMPLEX or len(shape) < 2 or min(shape) < 0:
        raise ValueError("a variable is complex, or has no dimensions")
    kind, data_fields = flags & 0xFF, fields[3:]
    if kind == SPARSE:
        return decode_sparse(data_fields, shape, order)
    # cells of cells are refused, so recursion is at most one level deep
    if kind == CELL and not in_cell:
        elements = (list(iterate_elements(body, order)) for _, body in data_fields)
        cells = [decode_value(element, order, in_cell=True) for element in elements]
        values = np.empty(len(cells), dtype=object)
        values[:] = cells
    elif kind == TEXT and data_fields:
        return np.array(decode_text(data_fields[0], order))
    elif kind in NUMERIC and data_fields:
        values = decode_numbers(data_fields[0], order)
    else:
        raise ValueError("a variable is neither numbers nor texts nor a table of these")
    # MATLAB stores arrays by column
    return values.reshape(shape, order="F")


def decode_sparse(fields: Fields, shape: tuple[int, ...], order: str) -> Any:
    """Return a CSC matrix with consistent lengths; the caller must check its indices."""
    from scipy.sparse import csc_matrix

    if len(fields) != 3 or len(shape) != 2:
        raise ValueError("a sparse matrix has other parts than rows, ends of columns and values")
    rows, ends, values = (decode_numbers(field, order) for field in fields)
    # row and value arrays may have unused space at the end
    used = int(ends[-1]) if len(ends) == shape[1] + 1 else -1
    if not 0 <= used <= min(len(rows), len(values)):
        raise ValueError("the parts of a sparse matrix have other lengths than it says")
    return csc_matrix((values[:used].astype(np.float64), rows[:used], ends), shape=(shape[0], shape[1]))


def decode_numbers(element: tuple[int, memoryview], order: str) -> np.ndarray[Any, Any]:
    """Return the numbers of an element in native byte order."""
    kind, data = element
    if kind not in NUMBERS:
        raise ValueError(f"type {kind} in the place of numbers")
    values = np.frombuffer(data, dtype=f"{order}{NUMBERS[kind]}")
    return values.astype(values.dtype.newbyteorder("="))


def decode_text(element: tuple[int, memoryview], order: str) -> str:
    """Return the text of an element."""
    kind, data = element
    if kind not in ENCODINGS:
        raise ValueError(f"type {kind} in the place of a text")
    ending = {"<": "-le", ">": "-be"}[order] if ENCODINGS[kind].startswith(("utf-16", "utf-32")) else ""
    return bytes(data).decode(ENCODINGS[kind] + ending)


NAMES = ("fea", "gnd", "trainIdx", "testIdx", "vocab")


def load_cdcai(path: Path) -> Corpus:
    """Load a matrix with its numeric classes, and its split and terms if the file has them."""
    contents = load_variables(path, NAMES)
    if "fea" not in contents:
        raise UnreadableFileError(f"{path} has no variable 'fea'")
    labels = load_integers(contents, "gnd", path).tolist()
    matrix = build_count_matrix(contents, len(labels), path)
    terms = load_terms(contents, path) if "vocab" in contents else None
    split = load_split(contents, len(labels), path) if "trainIdx" in contents else None
    return Corpus(path.stem, labels, str(path), matrix=matrix, terms=terms, split=split)


def build_count_matrix(contents: dict[str, Any], documents: int, path: Path) -> Any:
    """Return the matrix by rows with verified indices, which SciPy trusts even outside its memory."""
    from scipy.sparse import csc_matrix

    matrix = contents["fea"]
    if matrix.ndim == 2 and matrix.shape[0] != documents:
        raise UnreadableFileError(f"{path} has {matrix.shape[0]} documents but {documents} classes")
    try:
        if isinstance(matrix, csc_matrix):
            matrix.check_format(full_check=True)
        return as_finite_csr(matrix, path)
    except (ValueError, TypeError) as error:
        raise UnreadableFileError(f"{path}: fea is not a matrix of counts: {error}") from error


def load_integers(contents: dict[str, Any], name: str, path: Path) -> np.ndarray[Any, Any]:
    """Return a variable as a row of integers."""
    values = np.ravel(contents.get(name, "none"))
    if values.dtype.kind not in "iuf" or not np.all(np.abs(values.astype(float)) <= MAX_EXACT_INTEGER):
        raise UnreadableFileError(f"{path} has no list of numbers named {name!r}")
    return values.astype(np.int64)


def load_terms(contents: dict[str, Any], path: Path) -> list[str]:
    """Return the terms, from cells of a term and its document frequency."""
    try:
        terms = [str(cell.item()) for cell in contents["vocab"][:, 0]]
    except (IndexError, ValueError, AttributeError) as error:
        raise UnreadableFileError(f"{path}: vocab is not a table with a term in each row") from error
    if len(terms) != contents["fea"].shape[1]:
        raise UnreadableFileError(f"{path} has {contents['fea'].shape[1]} columns but {len(terms)} terms")
    return terms


def load_split(contents: dict[str, Any], size: int, path: Path) -> list[str]:
    """Return the subset of each document, from lists of documents counted from 1."""
    split = np.full(size, "", dtype=object)
    for variable, subset in (("trainIdx", "train"), ("testIdx", "test")):
        # MATLAB counts documents from 1
        rows = load_integers(contents, variable, path) - 1
        if rows.size and (rows.min() < 0 or rows.max() >= size):
            message = f"{path}: {variable} has an index out of range: it is not in 1 to {size}"
            raise UnreadableFileError(message)
        split[rows] = subset
    if (split == "").any():
        raise UnreadableFileError(f"{path}: document {np.flatnonzero(split == '')[0] + 1} is in no part")
    return [str(subset) for subset in split]


def load_cluto(path: Path) -> Corpus:
    """Load the word counts of sparse_NAME.txt with the classes of NAME_correct.txt, numbered from 0.

    la1 and la2 have the 31,472 words that Forman (2003) had; their documents are in another order than those
    of la1s and la2s.
    """
    name = path.stem.removeprefix("sparse_")
    first, *rows = parse_integer_rows(path)
    if len(first) != 2 or len(rows) != first[0]:
        message = f"{path}: its first line does not say how many documents and words there are"
        raise UnreadableFileError(message)
    matrix = build_word_matrix(rows, int(first[1]), path)
    answers = path.with_name(f"{name}_correct.txt")
    return Corpus(name, load_classes(answers, len(rows)), str(path), matrix=matrix)


def parse_integer_rows(path: Path) -> list[Array]:
    """Parse the integers of each line."""
    text = decode_bytes(require_file(path).read_bytes(), "ascii", path)
    try:
        rows = [np.array(text_row.split(), dtype=np.int64) for text_row in text.splitlines()]
    except (ValueError, OverflowError) as error:
        raise UnreadableFileError(f"{path} does not hold whole numbers alone: {error}") from error
    if not rows:
        raise UnreadableFileError(f"{path} is empty")
    return rows


def build_word_matrix(rows: list[Array], n_words: int, path: Path) -> csr_array[np.int64]:
    """Build the matrix; a row is its number of words, then alternately word (from 0) and count."""
    for number, row in enumerate(rows, 2):
        words = np.sort(row[1::2])
        if not len(row) or len(row) != 1 + 2 * row[0]:
            raise UnreadableFileError(f"line {number} of {path} does not hold as many words as it says")
        if len(words) and (words[0] < 0 or words[-1] >= n_words or not np.diff(words).all()):
            message = f"line {number} of {path} has a word twice, or one that is not below {n_words}"
            raise UnreadableFileError(message)
        if (row[2::2] < 1).any():
            raise UnreadableFileError(f"line {number} of {path} has a count below 1")
    # a row has its number of words first, so its length // 2 is that number
    starts = np.cumsum([0, *(len(row) // 2 for row in rows)])
    words, counts = (np.concatenate([row[first::2] for row in rows]) for first in (1, 2))
    matrix = csr_array((counts, words, starts), shape=(len(rows), n_words))
    matrix.sort_indices()
    return matrix


def load_classes(path: Path, n_documents: int) -> list[int]:
    """Return the class of each document, from a row of zeros and ones for each class."""
    rows = parse_integer_rows(path)
    if any(len(row) != n_documents for row in rows):
        raise UnreadableFileError(f"{path}: a line has not one number for each of {n_documents} documents")
    table = np.array(rows)
    if ((table != 0) & (table != 1)).any() or (table.sum(axis=0) != 1).any():
        message = f"{path}: a document must have a 1 in the line of its class, and 0 in the others"
        raise UnreadableFileError(message)
    return [int(c) for c in table.argmax(axis=0)]
