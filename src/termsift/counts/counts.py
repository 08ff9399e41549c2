"""Analyzers by the names that counts keep of them: what tells two apart. A name is read, never run."""

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
from termsift.counts.df_limits import resolve_df_limits
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

LONGEST = 10_000  # characters of a name that is read; of a longer one nothing is known


def told_apart(one: str, other: str) -> str:
    """What two analyzers differ in: the options of theirs that do, else both names.

    >>> told_apart("Analyzer(html=True, ngram_range=(1, 1))", "Analyzer(html=True, ngram_range=(1, 2))")
    'ngram_range=(1, 1) and ngram_range=(1, 2)'
    >>> told_apart("Analyzer(lowercase=True)", "Analyzer(lowercase=True, html=True)")
    'the default and html=True'
    >>> told_apart("builtins.str.split", "Analyzer(lowercase=True)")
    'builtins.str.split and Analyzer(lowercase=True)'
    """
    first, second = options_of(one), options_of(other)
    if first is None or second is None:
        return f"{one} and {other}"
    differing = [name for name in first | second if first.get(name) != second.get(name)]
    sides = [[f"{name}={own[name]}" for name in differing if name in own] for own in (first, second)]
    return " and ".join(", ".join(side) or "the default" for side in sides)


def options_of(name: str) -> dict[str, str] | None:
    """The options of an Analyzer that prints so, each as it is written; None of anything else."""
    if len(name) > LONGEST:
        return None
    try:
        call = ast.parse(name, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id != "Analyzer":
        return None
    return {str(option.arg): ast.unparse(option.value) for option in call.keywords}


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
        _check_parts(self)
        vectors = (self.terms, self.class_sizes, self.term_df, self.term_tf, self.term_tf2)
        for array in (*vectors, self.df.data, self.tf.data, self.tf2.data):
            array.flags.writeable = False

    @classmethod
    def empty(cls) -> Counts:
        """No documents, no terms, no classes. Adding it changes nothing."""
        nothing = csr_array((0, 0), dtype=np.int64)
        none = np.zeros(0, dtype=np.int64)
        terms = np.zeros(0, dtype=object)
        return cls(terms, (), 0, none, nothing, nothing, nothing, none, none, none)

    def __add__(self, other: Counts) -> Counts:
        if not isinstance(other, Counts):
            return NotImplemented
        if self._is_empty:
            return other
        return self if other._is_empty else _merged(self, other)

    def __radd__(self, other: object) -> Counts:
        # sum() starts from 0
        return self if other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        return self.analyzer == other.analyzer and all(
            np.array_equal(mine, theirs) for mine, theirs in zip(_values(self), _values(other), strict=True)
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
        """Whether every document has one label, judged from sums: the classes add up to the totals."""
        return bool(
            np.isclose(self.class_sizes.sum(), self.documents)
            and np.allclose(self.df.sum(axis=1), self.term_df)
            and np.allclose(self.tf.sum(axis=1), self.term_tf)
        )

    def class_index(self, name: object) -> int:
        """The column of a class; its name may also be given as text.

        >>> from termsift import count
        >>> count(["a", "b"], [3, 7], analyzer=str.split).class_index("7")
        1
        """
        return find_class_index(self.classes, name)

    def of_class(self, name: object) -> Counts:
        """The counts of one class against all documents."""
        c = self.class_index(name)
        tables = {table: getattr(self, table)[:, [c]] for table in ("df", "tf", "tf2")}
        return replace(self, classes=(self.classes[c],), class_sizes=self.class_sizes[[c]], **tables)

    def only(self, classes: Any) -> Counts:
        """The counts of the documents in the given classes only, for the terms they contain.

        Each document must have one label, because sums do not show which documents two classes share.

        >>> from termsift import count
        >>> count(["a", "b", "c"], ["x", "y", "z"], analyzer=str.split).only(["x", "z"]).terms
        array(['a', 'c'], dtype=object)
        """
        if not self.single_label:
            raise InvalidInputError(
                "only some classes of documents with several labels, or none, cannot be told from counts; "
                "count the documents of these classes alone"
            )
        columns = sorted({self.class_index(name) for name in each_class(classes)})
        tables: dict[str, Any] = {name: getattr(self, name)[:, columns] for name in SUMS}
        totals: dict[str, Any] = {
            f"term_{name}": to_exact_dtype(table.sum(axis=1)) for name, table in tables.items()
        }
        sizes = self.class_sizes[columns]
        names = tuple(self.classes[c] for c in columns)
        documents = to_exact_number(sizes.sum())
        kept = replace(self, classes=names, class_sizes=sizes, documents=documents, **tables, **totals)
        return kept.keep(np.flatnonzero(kept.term_df))

    def as_class(self, name: Any) -> Counts:
        """The same documents as one class, to compare two corpora: `a.as_class("a") + b.as_class("b")`.

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
        """The counts of some terms, by index or mask. Documents and class sizes do not change."""
        names = ("terms", "df", "tf", "tf2", "term_df", "term_tf", "term_tf2")
        return replace(self, **{name: getattr(self, name)[rows] for name in names})

    def with_df(self, min_df: float = 1, max_df: float = 1.0) -> Counts:
        """The counts of terms within limits of document frequency, as in scikit-learn.

        min_df, max_df : a number of documents (1 is no limit), or a float from 0.0 to 1.0 for a share of them

        >>> from termsift import count
        >>> count(["a b", "a c", "a"], [0, 1, 1], analyzer=str.split).with_df(min_df=2).terms
        array(['a'], dtype=object)
        """
        low, high = resolve_df_limits(self.documents, min_df, max_df)
        rows = (self.term_df >= low) & (self.term_df <= high)
        return self if rows.all() else self.keep(np.flatnonzero(rows))

    def save(self, path: str | os.PathLike[str], more: Mapping[str, str] | None = None) -> None:
        """Write one Parquet file: one row per term, `more` in the metadata. Equal counts give equal bytes."""
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
        write_parquet(os.fspath(path), columns, metadata | dict(more or {}))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Counts:
        """Read a file written by `save`. Any other file raises UnreadableFileError."""
        return cls(*load_counts_fields(os.fspath(path)))


def each_class(names: Any) -> list[Any]:
    """One class, or several, as a list; an error for none."""
    several = list(names) if is_collection(names) else [names]
    if not several:
        raise InvalidInputError("name at least one class")
    return several


def is_counts_file(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a file that `Counts.save` wrote, of any version."""
    try:
        return "termsift.counts" in parquet_metadata(os.fspath(path))
    except UnreadableFileError:
        return False


def _check_parts(counts: Counts) -> None:
    """An error unless the parts fit each other, and sums are within the range of finite scores."""
    shape = (len(counts.terms), len(counts.classes))
    checked: set[tuple[int, int]] = set()
    for name in SUMS:
        table, total = getattr(counts, name), getattr(counts, f"term_{name}")
        if not (is_sparse(table) and table.format == "csr" and table.shape == shape):
            raise InvalidInputError(f"{name} must be a CSR table of {shape[0]} terms and {shape[1]} classes")
        # the three have mostly one pattern, which is checked once
        pattern = (id(table.indptr), id(table.indices))
        if pattern not in checked or len(table.data) != len(table.indices):
            check_compressed(table)
        checked.add(pattern)
        if total.shape != shape[:1]:
            raise InvalidInputError(f"term_{name} must have {shape[0]} numbers, got {len(total)}")
    if counts.class_sizes.shape != shape[1:]:
        raise InvalidInputError(f"class_sizes must have {shape[1]} numbers, got {len(counts.class_sizes)}")
    most = max(counts.documents, counts.term_tf.max(initial=0), counts.term_df.max(initial=0))
    if not most <= MAX_EXACT:
        raise InvalidInputError(f"documents and occurrences must not exceed 2**53, got {most}")


def _values(counts: Counts) -> list[Any]:
    sparse = [part for m in (counts.df, counts.tf, counts.tf2) for part in (m.indptr, m.indices, m.data)]
    classes = as_term_array(counts.classes)
    totals = [counts.term_df, counts.term_tf, counts.term_tf2]
    return [counts.terms, classes, counts.documents, counts.class_sizes, *sparse, *totals]


def _merged(a: Counts, b: Counts) -> Counts:
    if a.analyzer and b.analyzer and a.analyzer != b.analyzer:
        differing = told_apart(a.analyzer, b.analyzer)
        raise InvalidInputError(f"these counts come from different analyzers and do not add: {differing}")
    terms = a.terms if np.array_equal(a.terms, b.terms) else as_term_array(sorted({*a.terms, *b.terms}))
    classes = a.classes if a.classes == b.classes else sort_classes(a.classes + b.classes)
    rows = _positions(terms, a.terms), _positions(terms, b.terms)
    columns = _positions(classes, a.classes), _positions(classes, b.classes)

    def table(x: csr_array[Any], y: csr_array[Any]) -> csr_array[Any]:
        shape = (len(terms), len(classes))
        total = _placed(x, rows[0], columns[0], shape) + _placed(y, rows[1], columns[1], shape)
        return csr_array((to_exact_dtype(total.data), total.indices, total.indptr), shape=shape)

    def vector(x: Array, y: Array, where: tuple[Array, Array], size: int) -> Array:
        total = np.zeros(size, dtype=np.result_type(x, y))
        total[where[0]] += x
        total[where[1]] += y
        return to_exact_dtype(total)

    documents = to_exact_number(a.documents + b.documents)
    sizes = vector(a.class_sizes, b.class_sizes, columns, len(classes))
    df, tf, tf2 = (table(getattr(a, name), getattr(b, name)) for name in ("df", "tf", "tf2"))
    term_df, term_tf, term_tf2 = (
        vector(getattr(a, name), getattr(b, name), rows, len(terms))
        for name in ("term_df", "term_tf", "term_tf2")
    )
    head = terms, classes, documents, sizes
    return Counts(*head, df, tf, tf2, term_df, term_tf, term_tf2, a.analyzer or b.analyzer)


def _positions(whole: Sequence[Any] | Array, part: Sequence[Any] | Array) -> Array:
    if whole is part:
        return np.arange(len(part))
    place = {name: i for i, name in enumerate(whole)}
    return np.fromiter((place[name] for name in part), dtype=np.intp, count=len(part))


def _placed(m: csr_array[Any], rows: Array, columns: Array, shape: tuple[int, int]) -> csr_array[Any]:
    coo = m.tocoo()
    return coo_array((coo.data, (rows[coo.row], columns[coo.col])), shape=shape).tocsr()
