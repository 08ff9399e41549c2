"""What a file of counts holds, checked before a compiled loop or SciPy sees it: anyone may have made it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift._typing import LARGEST, Array, as_terms, exact, exact_number
from termsift.border.class_names import is_many, is_missing, sorted_classes
from termsift.border.matrices import check_within
from termsift.border.parquet import (
    check_metadata,
    list_column,
    number_column,
    parquet_metadata,
    read_parquet,
    text_column,
    unpacked,
)
from termsift.errors import InvalidInput, UnreadableFile

FORMAT = 1
SUMS = ("df", "tf", "tf2")
SLACK = 1e-6  # what rounding can make of sums of weights, as a share of them


def read_counts(path: str) -> tuple[Any, ...]:
    """The fields of the Counts that a file holds, in their order; an error that names the file for any other.

    Lengths, types, indices, order, range, and what sums of documents must have in common are checked.
    """
    metadata = parquet_metadata(path)
    check_version(path, metadata.get("termsift.counts"))
    try:
        check_metadata(metadata)
        return counts_fields(metadata, read_parquet(path))
    except InvalidInput as error:
        raise UnreadableFile(f"{path} is damaged, or not what termsift wrote: {error}") from error


def check_version(path: str, version: str | None) -> None:
    """An error unless the file is of counts, in a format that is known."""
    if version is None:
        raise UnreadableFile(f"{path} is a Parquet file, but not one of termsift's counts")
    if not (version.isascii() and version.isdigit()) or len(version) > 9 or version == "0":
        raise UnreadableFile(f"{path} is damaged: its format is {version!r}, which is no number")
    if int(version) > FORMAT:
        raise UnreadableFile(
            f"{path} has format {version} and this termsift reads up to {FORMAT}; upgrade termsift"
        )


def counts_fields(metadata: Mapping[str, str], table: Any) -> tuple[Any, ...]:
    """The fields of Counts from a file's metadata and its columns."""
    terms = as_terms(text_column(table, "term"))
    if len(set(terms)) < len(terms):
        raise InvalidInput("it has a term twice")
    classes = checked_classes(unpacked(metadata, "termsift.classes"))
    documents, sizes = checked_sizes(metadata, len(classes))
    tables = tables_by_class(table, (len(terms), len(classes)))
    totals = [checked_sums(name, number_column(table, name)) for name in SUMS]
    check_agreement(documents, sizes, tables, totals)
    return terms, classes, documents, sizes, *tables, *totals, checked_analyzer(metadata)


def checked_classes(names: list[Any]) -> tuple[Any, ...]:
    """The names of classes: scalars of one kind, each once, in any order."""
    if any(is_missing(name) or is_many(name) for name in names):
        raise InvalidInput("a class has no name")
    if len(sorted_classes(names)) < len(names):
        raise InvalidInput("it has a class twice")
    return tuple(names)


def checked_sizes(metadata: Mapping[str, str], n_classes: int) -> tuple[float, Array]:
    """The number of documents, and of those of each class, which are not more."""
    sizes = sums_of("termsift.class_sizes", metadata)
    documents = sums_of("termsift.documents", metadata)
    if documents.shape != (1,) or sizes.shape != (n_classes,):
        raise InvalidInput(f"it has {n_classes} classes, and the sizes of {len(sizes)}")
    if bool((sizes > documents[0] * (1 + SLACK)).any()):
        raise InvalidInput(f"a class has more documents than the {documents[0]} there are")
    return exact_number(documents[0]), sizes


def sums_of(key: str, metadata: Mapping[str, str]) -> Array:
    """A list of numbers of the metadata."""
    values = unpacked(metadata, key)
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        raise InvalidInput(f"{key!r} are not numbers")
    if any(abs(value) > LARGEST for value in values):
        raise InvalidInput(f"{key!r} are beyond 2**53")
    return checked_sums(key, np.array(values, dtype=np.float64))


def checked_sums(name: str, values: Array) -> Array:
    """Sums in their one form, if they are numbers from 0 to 2**53; squares may be as large as its square."""
    most = LARGEST**2 if name.endswith("tf2") else LARGEST
    if not (values.min(initial=0) >= 0 and values.max(initial=0) <= most):
        raise InvalidInput(f"{name!r} has numbers below 0, above 2**53 or not finite")
    return exact(values)


def tables_by_class(table: Any, shape: tuple[int, int]) -> list[csr_array[Any]]:
    """df, tf and tf2 by term and class, with one pattern: in each row the classes rise."""
    starts, places = list_column(table, "class")
    if places.dtype.kind != "i":
        raise InvalidInput("its column 'class' holds fractions")
    rising = np.concatenate([[True], places[1:] > places[:-1], [True]])
    rising[starts] = True  # whatever the row before ends with
    if not rising[: len(places)].all():
        raise InvalidInput("the classes of a term do not rise")
    tables = []
    for name in SUMS:
        own_starts, values = list_column(table, f"class_{name}")
        if not np.array_equal(own_starts, starts):
            raise InvalidInput(f"its column 'class_{name}' has lists of other lengths than 'class'")
        data = checked_sums(f"class_{name}", values)
        tables.append(csr_array((data, places, starts), shape=shape))
    check_within(tables[0], tables[0].indices, shape[1])
    return tables


def checked_analyzer(metadata: Mapping[str, str]) -> str | None:
    """How texts became terms, where the file says so."""
    named = unpacked(metadata, "termsift.analyzer")
    if len(named) != 1 or not (named[0] is None or isinstance(named[0], str)):
        raise InvalidInput("its analyzer is no text")
    return named[0]


def check_agreement(
    documents: float, sizes: Array, tables: list[csr_array[Any]], totals: list[Array]
) -> None:
    """An error unless there can be documents, with weights and several labels or none, of these sums."""
    df, rows = tables[0], np.repeat(np.arange(len(totals[0])), np.diff(tables[0].indptr))
    for name, table, total in zip(SUMS, tables, totals, strict=True):
        check_at_most(f"a {name} of a class is above that of all", table.data, total[rows])
    check_at_most("a class has more documents with a term than documents", df.data, sizes[df.indices])
    check_at_most("a term is in more documents than there are", totals[0], np.array(documents, dtype=float))
    check_squares([table.data for table in tables])
    check_squares(totals)
    check_outside(documents, sizes, df, rows, totals[0])


def check_squares(sums: list[Array]) -> None:
    """An error unless the sums can be of counts: none or all are 0, and (sum w x)^2 <= sum w sum w x^2."""
    df, tf, tf2 = (part.astype(np.float64) for part in sums)
    if not (np.array_equal(df > 0, tf > 0) and np.array_equal(df > 0, tf2 > 0)):
        raise InvalidInput("a term has documents without occurrences, or occurrences without documents")
    check_at_most("the squares of a term's counts are less than its counts allow", tf * tf, df * tf2)


def check_outside(documents: float, sizes: Array, df: csr_array[Any], rows: Array, term_df: Array) -> None:
    """An error unless there is room for the documents that neither are in a class nor hold a term.

    df(t) - df(t, c) documents outside a class hold the term, of N - N(c); where a class lacks the term that
    is df(t) of them. So each class with less room than df(t) must be among those that have the term.
    """
    room = documents * (1 + SLACK) - sizes
    what = "a term is in more documents outside a class than there are"
    check_at_most(what, term_df[rows] - df.data, room[df.indices])
    cramped = np.searchsorted(np.sort(room), term_df)
    having = np.bincount(rows, room[df.indices] < term_df[rows], len(term_df))
    if not np.array_equal(having, cramped):
        raise InvalidInput(what)


def check_at_most(what: str, values: Array, limits: Array) -> None:
    """An error unless no value is above its limit, rounding aside."""
    if bool((values > limits * (1 + SLACK)).any()):
        raise InvalidInput(what)
