"""Counts of documents and occurrences by term and class, and limits of document frequency."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array

from termsift._internal.errors import InvalidInputError, UnreadableFileError
from termsift._internal.matrices import check_compressed, is_sparse
from termsift._internal.typing import MAX_EXACT, Array, as_term_array, to_exact_dtype, to_exact_number
from termsift.counts.labels import as_scalar, find_class_index, is_collection, is_missing, sort_classes
from termsift.counts.parquet import (
    FORMAT,
    SUMS,
    build_list_array,
    encode_values,
    load_counts_fields,
    parquet_metadata,
    write_parquet,
)

MAX_ANALYZER_LENGTH = 10_000  # characters; longer names are not parsed


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Counts:
    """Sums over documents, for each term and class.

    terms : (terms,) str
    classes : scalars of one kind
    documents : number of documents, or the sum of their weights
    class_sizes : (classes,) documents in each class; with several labels per document they sum to more than
        `documents`
    df, tf, tf2 : (terms, classes), sparse: documents that contain the term, its occurrences, and the sum of
        its squared counts; all three share one sparsity pattern
    term_df, term_tf, term_tf2 : (terms,) the same over all documents, regardless of label
    analyzer : how text became terms, if known; counts from different analyzers cannot be added

    Counts are sums, so parts add up: `count(a) + count(b) == count(a and b)`.

    >>> from termsift import count
    >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
    >>> counts
    Counts(4 terms, 2 classes, 3 documents)
    >>> counts + Counts.empty() == counts
    True
    """

    terms: Array
    classes: tuple[Any, ...]
    documents: float
    class_sizes: Array
    df: csr_array[Any]
    tf: csr_array[Any]
    tf2: csr_array[Any]
    term_df: Array
    term_tf: Array
    term_tf2: Array
    analyzer: str | None = None
    _memo: dict[str, Any] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        _check_fields(self)
        vectors = (self.terms, self.class_sizes, self.term_df, self.term_tf, self.term_tf2)
        for array in (*vectors, self.df.data, self.tf.data, self.tf2.data):
            array.flags.writeable = False

    @classmethod
    def empty(cls) -> Counts:
        """Return counts of no documents, the neutral element of addition."""
        table = csr_array((0, 0), dtype=np.int64)
        totals = np.zeros(0, dtype=np.int64)
        return cls(np.zeros(0, dtype=object), (), 0, totals, table, table, table, totals, totals, totals)

    def __add__(self, other: Counts) -> Counts:
        if not isinstance(other, Counts):
            return NotImplemented
        if self._is_empty:
            return other
        return self if other._is_empty else _add_counts(self, other)

    def __radd__(self, other: object) -> Counts:
        # sum() starts from 0
        return self if other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        return self.analyzer == other.analyzer and all(
            np.array_equal(x, y) for x, y in zip(_field_arrays(self), _field_arrays(other), strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        sizes = f"{len(self.terms):,} terms, {len(self.classes):,} classes, {self.documents:,} documents"
        return f"Counts({sizes})"

    def __reduce__(self) -> tuple[Callable[..., Counts], tuple[Any, ...]]:
        names = [name for name in self.__dataclass_fields__ if name != "_memo"]
        return Counts, tuple(getattr(self, name) for name in names)

    @property
    def _is_empty(self) -> bool:
        return not (len(self.terms) or len(self.classes) or self.documents or self.analyzer)

    @property
    def single_label(self) -> bool:
        """True if every document has one label: then the classes add up to the totals."""
        return bool(
            np.isclose(self.class_sizes.sum(), self.documents)
            and np.allclose(self.df.sum(axis=1), self.term_df)
            and np.allclose(self.tf.sum(axis=1), self.term_tf)
        )

    def class_index(self, name: object) -> int:
        """Return the column of a class, by its name or its name as text.

        >>> from termsift import count
        >>> count(["a", "b"], [3, 7], analyzer=str.split).class_index("7")
        1
        """
        return find_class_index(self.classes, name)

    def of_class(self, name: object) -> Counts:
        """Return the counts of one class, with the totals of all documents."""
        c = self.class_index(name)
        tables = {table: getattr(self, table)[:, [c]] for table in ("df", "tf", "tf2")}
        return replace(self, classes=(self.classes[c],), class_sizes=self.class_sizes[[c]], **tables)

    def only(self, classes: Any) -> Counts:
        """Return the counts of the documents in some classes, for the terms they contain.

        Each document must have one label, because sums do not show which documents two classes share.

        >>> from termsift import count
        >>> count(["a", "b", "c"], ["x", "y", "z"], analyzer=str.split).only(["x", "z"]).terms
        array(['a', 'c'], dtype=object)
        """
        if not self.single_label:
            raise InvalidInputError(
                "classes cannot be selected from counts if documents have several labels, or none; "
                "count the documents of these classes alone"
            )
        columns = sorted({self.class_index(name) for name in as_class_list(classes)})
        tables: dict[str, Any] = {name: getattr(self, name)[:, columns] for name in SUMS}
        totals: dict[str, Any] = {
            f"term_{name}": to_exact_dtype(table.sum(axis=1)) for name, table in tables.items()
        }
        sizes = self.class_sizes[columns]
        names = tuple(self.classes[c] for c in columns)
        documents = to_exact_number(sizes.sum())
        selected = replace(self, classes=names, class_sizes=sizes, documents=documents, **tables, **totals)
        return selected.keep(np.flatnonzero(selected.term_df))

    def as_class(self, name: Any) -> Counts:
        """Return the documents as one class, to compare corpora: `a.as_class("a") + b.as_class("b")`.

        >>> from termsift import count
        >>> count(["a", "b"], ["x", "y"], analyzer=str.split).as_class("new").classes
        ('new',)
        """
        if is_missing(as_scalar(name)):
            raise InvalidInputError(f"a class needs a name, got {name!r}")
        tables: dict[str, Any] = {sums: csr_array(getattr(self, f"term_{sums}")[:, None]) for sums in SUMS}
        size = to_exact_dtype(np.array([self.documents]))
        return replace(self, classes=sort_classes([as_scalar(name)]), class_sizes=size, **tables)

    def keep(self, rows: Array) -> Counts:
        """Return the counts of some terms, by index or mask. Documents and class sizes do not change."""
        names = ("terms", "df", "tf", "tf2", "term_df", "term_tf", "term_tf2")
        return replace(self, **{name: getattr(self, name)[rows] for name in names})

    def with_df(self, min_df: float = 1, max_df: float = 1.0) -> Counts:
        """Return the counts of terms within limits of document frequency, as in scikit-learn.

        min_df, max_df : a number of documents (1 is no limit), or a float from 0.0 to 1.0 for a share of them

        >>> from termsift import count
        >>> count(["a b", "a c", "a"], [0, 1, 1], analyzer=str.split).with_df(min_df=2).terms
        array(['a'], dtype=object)
        """
        low, high = resolve_df_limits(self.documents, min_df, max_df)
        rows = (self.term_df >= low) & (self.term_df <= high)
        return self if rows.all() else self.keep(np.flatnonzero(rows))

    def save(self, path: str | os.PathLike[str], extra_metadata: Mapping[str, str] | None = None) -> None:
        """Write one Parquet file with a row per term. Equal counts give equal bytes."""
        offsets, classes = self.df.indptr, self.df.indices.astype(np.int32)
        columns = {"term": self.terms.tolist(), "df": self.term_df, "tf": self.term_tf, "tf2": self.term_tf2}
        columns["class"] = build_list_array(offsets, classes)
        columns |= {f"class_{name}": build_list_array(offsets, getattr(self, name).data) for name in SUMS}
        metadata = {
            "termsift.counts": str(FORMAT),
            "termsift.classes": encode_values(list(self.classes)),
            "termsift.class_sizes": encode_values(self.class_sizes.tolist()),
            "termsift.documents": encode_values([self.documents]),
            "termsift.analyzer": encode_values([self.analyzer]),
        }
        write_parquet(os.fspath(path), columns, metadata | dict(extra_metadata or {}))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Counts:
        """Read a file written by `save`. Any other file raises UnreadableFileError."""
        return cls(*load_counts_fields(os.fspath(path)))


def as_class_list(names: Any) -> list[Any]:
    """Return a class, or several, as a list; at least one."""
    classes = list(names) if is_collection(names) else [names]
    if not classes:
        raise InvalidInputError("name at least one class")
    return classes


def is_counts_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a file that `Counts.save` wrote, of any version."""
    try:
        return "termsift.counts" in parquet_metadata(os.fspath(path))
    except UnreadableFileError:
        return False


def _check_fields(counts: Counts) -> None:
    """Check that shapes agree, and that sums are within the range in which floats are exact."""
    shape = (len(counts.terms), len(counts.classes))
    checked_patterns: set[tuple[int, int]] = set()
    for name in SUMS:
        table, total = getattr(counts, name), getattr(counts, f"term_{name}")
        if not (is_sparse(table) and table.format == "csr" and table.shape == shape):
            raise InvalidInputError(f"{name} must be a CSR table of {shape[0]} terms and {shape[1]} classes")
        # the three tables mostly share one sparsity pattern, which is checked once
        pattern = (id(table.indptr), id(table.indices))
        if pattern not in checked_patterns or len(table.data) != len(table.indices):
            check_compressed(table)
        checked_patterns.add(pattern)
        if total.shape != shape[:1]:
            raise InvalidInputError(f"term_{name} must have {shape[0]} numbers, got {len(total)}")
    if counts.class_sizes.shape != shape[1:]:
        raise InvalidInputError(f"class_sizes must have {shape[1]} numbers, got {len(counts.class_sizes)}")
    largest = max(counts.documents, counts.term_tf.max(initial=0), counts.term_df.max(initial=0))
    if not largest <= MAX_EXACT:
        raise InvalidInputError(f"documents and occurrences must not exceed 2**53, got {largest}")


def _field_arrays(counts: Counts) -> list[Any]:
    """Return all fields except the analyzer as arrays and numbers, for comparison."""
    tables = [getattr(counts, name) for name in SUMS]
    sparse = [array for table in tables for array in (table.indptr, table.indices, table.data)]
    totals = [counts.term_df, counts.term_tf, counts.term_tf2]
    return [
        counts.terms, as_term_array(counts.classes), counts.documents, counts.class_sizes, *sparse, *totals
    ]  # fmt: skip


def _add_counts(a: Counts, b: Counts) -> Counts:
    if a.analyzer and b.analyzer and a.analyzer != b.analyzer:
        difference = describe_analyzer_difference(a.analyzer, b.analyzer)
        raise InvalidInputError(f"counts of different analyzers do not add: {difference}")
    terms = a.terms if np.array_equal(a.terms, b.terms) else as_term_array(sorted({*a.terms, *b.terms}))
    classes = a.classes if a.classes == b.classes else sort_classes(a.classes + b.classes)
    rows = _find_positions(terms, a.terms), _find_positions(terms, b.terms)
    columns = _find_positions(classes, a.classes), _find_positions(classes, b.classes)
    shape = (len(terms), len(classes))

    def add_tables(x: csr_array[Any], y: csr_array[Any]) -> csr_array[Any]:
        moved = []
        for table, table_rows, table_columns in zip((x, y), rows, columns, strict=True):
            coo = table.tocoo()
            entries = (table_rows[coo.row], table_columns[coo.col])
            moved.append(coo_array((coo.data, entries), shape=shape).tocsr())
        total = moved[0] + moved[1]
        return csr_array((to_exact_dtype(total.data), total.indices, total.indptr), shape=shape)

    def add_vectors(x: Array, y: Array, positions: tuple[Array, Array], size: int) -> Array:
        total = np.zeros(size, dtype=np.result_type(x, y))
        total[positions[0]] += x
        total[positions[1]] += y
        return to_exact_dtype(total)

    documents = to_exact_number(a.documents + b.documents)
    sizes = add_vectors(a.class_sizes, b.class_sizes, columns, len(classes))
    df, tf, tf2 = (add_tables(getattr(a, name), getattr(b, name)) for name in SUMS)
    term_df, term_tf, term_tf2 = (
        add_vectors(getattr(a, f"term_{name}"), getattr(b, f"term_{name}"), rows, len(terms)) for name in SUMS
    )
    analyzer = a.analyzer or b.analyzer
    return Counts(terms, classes, documents, sizes, df, tf, tf2, term_df, term_tf, term_tf2, analyzer)


def _find_positions(names: Sequence[Any] | Array, subset: Sequence[Any] | Array) -> Array:
    """Return the position of each name of a subset among the names."""
    if names is subset:
        return np.arange(len(subset))
    position = {name: i for i, name in enumerate(names)}
    return np.fromiter((position[name] for name in subset), dtype=np.intp, count=len(subset))


def describe_analyzer_difference(first: str, second: str) -> str:
    """Return the options in which two analyzers, by their names, differ; else both names.

    >>> describe_analyzer_difference("Analyzer(html=True, ngram_range=(1, 1))", "Analyzer(html=True)")
    'ngram_range=(1, 1) and the default'
    >>> describe_analyzer_difference("builtins.str.split", "Analyzer(lowercase=True)")
    'builtins.str.split and Analyzer(lowercase=True)'
    """
    first_options, second_options = _parse_analyzer_options(first), _parse_analyzer_options(second)
    if first_options is None or second_options is None:
        return f"{first} and {second}"
    names = [n for n in first_options | second_options if first_options.get(n) != second_options.get(n)]
    texts = [
        ", ".join(f"{name}={options[name]}" for name in names if name in options) or "the default"
        for options in (first_options, second_options)
    ]
    return " and ".join(texts)


def _parse_analyzer_options(name: str) -> dict[str, str] | None:
    """Return the options in the printed form of an Analyzer, unevaluated; None for any other name."""
    if len(name) > MAX_ANALYZER_LENGTH:
        return None
    try:
        call = ast.parse(name, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id != "Analyzer":
        return None
    return {str(option.arg): ast.unparse(option.value) for option in call.keywords}


def resolve_df_limits(documents: float, min_df: Any, max_df: Any) -> tuple[float, float]:
    """Return the lowest and highest document frequency of a term; 0 and infinity without limit."""
    low = resolve_df_limit("min_df", min_df, documents)
    high = resolve_df_limit("max_df", max_df, documents)
    # weighted document frequencies may be below 1, and min_df=1 means no limit
    low = low if is_proportion(min_df) or min_df > 1 else 0
    high = np.inf if is_proportion(max_df) and max_df == 1 else high
    if low > high:
        raise InvalidInputError(
            f"min_df={min_df} is more documents than max_df={max_df}: no term could remain"
        )
    return low, high


def resolve_df_limit(name: str, value: Any, documents: float) -> float:
    """Return a limit, a number or a share of the documents, as a number of documents."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not value >= 0:
        raise InvalidInputError(
            f"{name} must be a number of documents or a share from 0.0 to 1.0, got {value!r}"
        )
    # an int may be too large for a float, and there are never more documents than this
    return float(value) * documents if is_proportion(value) else float(min(value, MAX_EXACT))


def is_proportion(value: Any) -> bool:
    """Return whether a limit is a share of the documents rather than a number of them."""
    return isinstance(value, float | np.floating) and bool(value <= 1)


def explain_empty_vocabulary(term_df: Array, documents: float, min_df: Any, max_df: Any) -> str:
    """Return why limits of document frequency remove all terms; term_df : (terms,) documents of each."""
    low, high = resolve_df_limits(documents, min_df, max_df)
    highest, lowest, n = float(term_df.max()), float(term_df.min()), len(term_df)
    if highest < low:
        return f"min_df={min_df} leaves no term of {n:,}; the most frequent is in {highest:,g} documents"
    if lowest > high:
        return f"max_df={max_df} leaves no term of {n:,}; the rarest is in {lowest:,g} documents"
    return f"min_df={min_df} and max_df={max_df} leave no term of {n:,}"
