"""Counts of documents and occurrences by term and class, and limits of document frequency."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from html import escape
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array

from termsift._internal.errors import InvalidInputError
from termsift._internal.matrices import check_compressed, is_sparse
from termsift._internal.tables import Table
from termsift._internal.typing import MAX_EXACT, Array, as_term_array, to_exact_dtype, to_exact_number
from termsift.counts.labels import as_scalar, find_class_index, is_collection, is_missing, sort_classes
from termsift.counts.parquet import SUMS, load_counts_fields, parquet_metadata, save_counts

MAX_ANALYZER_LENGTH = 10_000  # characters; longer names are not parsed


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Counts:
    """Sums over documents, for each term and class.

    Counts are sums, so parts add up: `count(a) + count(b) == count(a and b)`. `ts.count` returns them. The
    arrays cannot be modified.

    Parameters
    ----------
    terms : ndarray of str, shape (n_terms,)
        Terms, in the order of the rows.
    classes : tuple
        Class names, scalars of one type.
    documents : int or float
        Number of documents, or the sum of their weights.
    class_sizes : ndarray, shape (n_classes,)
        Documents in each class. With several labels per document they sum to more than `documents`.
    df : csr_array, shape (n_terms, n_classes)
        Documents of each class that contain the term.
    tf : csr_array, shape (n_terms, n_classes)
        Occurrences of the term in each class.
    tf2 : csr_array, shape (n_terms, n_classes)
        Sum of the squared counts of the term over the documents of each class.
    term_df, term_tf, term_tf2 : ndarray, shape (n_terms,)
        The same over all documents, regardless of label.
    analyzer : str, optional
        Name of the analyzer, if known. Counts with different analyzers cannot be added.

    Raises
    ------
    InvalidInputError
        If shapes do not match, or documents or occurrences exceed 2**53.

    Examples
    --------
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
        shape = (len(self.terms), len(self.classes))
        checked_patterns: set[tuple[int, int]] = set()
        for name in SUMS:
            table, total = getattr(self, name), getattr(self, f"term_{name}")
            if not (is_sparse(table) and table.format == "csr" and table.shape == shape):
                message = f"{name} must be a CSR table of {shape[0]} terms and {shape[1]} classes"
                raise InvalidInputError(message)
            # the three tables mostly share one sparsity pattern, which is checked once
            pattern = (id(table.indptr), id(table.indices))
            if pattern not in checked_patterns or len(table.data) != len(table.indices):
                check_compressed(table)
            checked_patterns.add(pattern)
            if total.shape != shape[:1]:
                raise InvalidInputError(f"term_{name} must have {shape[0]} numbers, got {len(total)}")
            # cached blocks and scores would not notice a change
            table.data.flags.writeable = total.flags.writeable = False
        if self.class_sizes.shape != shape[1:]:
            raise InvalidInputError(f"class_sizes must have {shape[1]} numbers, got {len(self.class_sizes)}")
        # beyond 2**53 floats skip integers, and sums of counts would not be exact
        largest = max(self.documents, self.term_tf.max(initial=0), self.term_df.max(initial=0))
        if not largest <= MAX_EXACT:
            raise InvalidInputError(f"documents and occurrences must not exceed 2**53, got {largest}")
        self.terms.flags.writeable = self.class_sizes.flags.writeable = False

    @classmethod
    def empty(cls) -> Counts:
        """Return counts of no documents, the neutral element of addition.

        Returns
        -------
        Counts
            Counts without terms, classes and documents.

        """
        table = csr_array((0, 0), dtype=np.int64)
        totals = np.zeros(0, dtype=np.int64)
        return cls(np.zeros(0, dtype=object), (), 0, totals, table, table, table, totals, totals, totals)

    def __add__(self, other: Counts) -> Counts:
        if not isinstance(other, Counts):
            return NotImplemented
        if self == Counts.empty():
            return other
        return self if other == Counts.empty() else _add_counts(self, other)

    def __radd__(self, other: object) -> Counts:
        # sum() starts from 0
        return self if other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        same_arrays = map(np.array_equal, _field_arrays(self), _field_arrays(other))
        return self.analyzer == other.analyzer and all(same_arrays)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        sizes = f"{len(self.terms):,} terms, {len(self.classes):,} classes, {self.documents:,} documents"
        return f"Counts({sizes})"

    def _repr_html_(self) -> str:
        columns = {
            "class": np.array([str(name) for name in self.classes], dtype=object),
            "documents": self.class_sizes,
            "terms": np.bincount(self.df.indices, minlength=len(self.classes)),
            "occurrences": np.asarray(self.tf.sum(axis=0)).ravel(),
        }
        return f"<p>{escape(repr(self))}</p>{Table(columns)._repr_html_()}"

    def __reduce__(self) -> tuple[Callable[..., Counts], tuple[Any, ...]]:
        return Counts, tuple(getattr(self, f.name) for f in fields(self) if f.init)

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

        Parameters
        ----------
        name : object
            Class name.

        Returns
        -------
        int
            Index of the class in `classes`.

        Raises
        ------
        UnknownNameError
            If there is no such class.

        Examples
        --------
        >>> from termsift import count
        >>> count(["a", "b"], [3, 7], analyzer=str.split).class_index("7")
        1

        """
        return find_class_index(self.classes, name)

    def of_class(self, name: object) -> Counts:
        """Return the counts of one class, with the totals of all documents.

        Parameters
        ----------
        name : object
            Class name.

        Returns
        -------
        Counts
            Counts with a single class.

        Raises
        ------
        UnknownNameError
            If there is no such class.

        """
        c = self.class_index(name)
        if len(self.classes) == 1:
            return self
        tables: dict[str, Any] = {}
        patterns: dict[tuple[int, int], Any] = {}
        for name in SUMS:
            table = getattr(self, name)
            pattern = id(table.indptr), id(table.indices)
            if pattern not in patterns:
                is_class = table.indices == c
                entries = np.flatnonzero(is_class)
                starts = np.concatenate([[0], np.cumsum(is_class)])[table.indptr]
                patterns[pattern] = entries, np.zeros_like(entries), starts
            entries, columns, starts = patterns[pattern]
            tables[name] = csr_array((table.data[entries], columns, starts), shape=(len(self.terms), 1))
        return replace(self, classes=(self.classes[c],), class_sizes=self.class_sizes[[c]], **tables)

    def only(self, classes: Any) -> Counts:
        """Return the counts of the documents in some classes, for the terms they contain.

        Each document must have one label, because sums do not show which documents two classes share.

        Parameters
        ----------
        classes : object or list
            Class name, or a list of class names.

        Returns
        -------
        Counts
            Counts of these classes, with totals over their documents.

        Raises
        ------
        InvalidInputError
            If documents have several labels or none, or no class is named.
        UnknownNameError
            If there is no such class.

        Examples
        --------
        >>> from termsift import count
        >>> count(["a", "b", "c"], ["x", "y", "z"], analyzer=str.split).only(["x", "z"]).terms
        array(['a', 'c'], dtype=object)

        """
        if not self.single_label:
            raise InvalidInputError(
                "classes cannot be selected from counts if documents have several labels or none; "
                "count the documents of these classes separately"
            )
        columns = sorted(class_columns(self, classes))
        sums: dict[str, Any] = {}
        for name in SUMS:
            table = getattr(self, name)[:, columns]
            sums |= {name: table, f"term_{name}": to_exact_dtype(table.sum(axis=1))}
        names, sizes = tuple(self.classes[c] for c in columns), self.class_sizes[columns]
        documents = to_exact_number(sizes.sum())
        selected = replace(self, classes=names, class_sizes=sizes, documents=documents, **sums)
        return selected.keep(np.flatnonzero(selected.term_df))

    def as_class(self, name: Any) -> Counts:
        """Return the documents as one class, to compare corpora: `a.as_class("a") + b.as_class("b")`.

        Parameters
        ----------
        name : object
            Name of the class.

        Returns
        -------
        Counts
            Counts with a single class that contains all documents.

        Raises
        ------
        InvalidInputError
            If the name is missing.

        Examples
        --------
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
        """Return the counts of some terms. Documents and class sizes do not change.

        Parameters
        ----------
        rows : ndarray of int or bool
            Indices of the terms, or a mask.

        Returns
        -------
        Counts
            Counts of these terms, in the order of `rows`.

        """
        names = ("terms", "df", "tf", "tf2", "term_df", "term_tf", "term_tf2")
        return replace(self, **{name: getattr(self, name)[rows] for name in names})

    def with_df(self, min_df: float = 1, max_df: float = 1.0) -> Counts:
        """Return the counts of terms within limits of document frequency, as in scikit-learn.

        Parameters
        ----------
        min_df : int or float, default 1
            Smallest number of documents of a term, or a float from 0.0 to 1.0 for a share of the documents.
        max_df : int or float, default 1.0
            Largest number of documents of a term, or a share of the documents.

        Returns
        -------
        Counts
            Counts of the remaining terms.

        Raises
        ------
        InvalidInputError
            If a limit is not a number of documents or a share, or min_df exceeds max_df.

        Examples
        --------
        >>> from termsift import count
        >>> count(["a b", "a c", "a"], [0, 1, 1], analyzer=str.split).with_df(min_df=2).terms
        array(['a'], dtype=object)

        """
        low, high = resolve_df_limits(self.documents, min_df, max_df)
        rows = (self.term_df >= low) & (self.term_df <= high)
        return self if rows.all() else self.keep(np.flatnonzero(rows))

    def save(self, path: str | os.PathLike[str], extra_metadata: Mapping[str, str] | None = None) -> None:
        """Write one Parquet file with a row per term. Equal counts give equal bytes.

        Parameters
        ----------
        path : str or path-like
            File to write.
        extra_metadata : mapping of str to str, optional
            Additional entries of the file's metadata.

        Raises
        ------
        InvalidInputError
            If terms or class names cannot be stored in a file.
        UnreadableFileError
            If the file cannot be written.

        """
        save_counts(self, os.fspath(path), extra_metadata or {})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Counts:
        """Load a file written by `save`.

        Parameters
        ----------
        path : str or path-like
            File to load.

        Returns
        -------
        Counts
            Counts equal to those that were saved.

        Raises
        ------
        UnreadableFileError
            If the file is missing, damaged or not written by `save`.

        """
        return cls(*load_counts_fields(os.fspath(path)))


def class_columns(counts: Counts, names: Any) -> list[int]:
    """Return the columns of a class or of several, each once, in the order of the names; at least one."""
    columns = [counts.class_index(name) for name in (names if is_collection(names) else [names])]
    if not columns:
        raise InvalidInputError("name at least one class")
    return list(dict.fromkeys(columns))


def is_counts_file(path: str | os.PathLike[str], key: str = "termsift.counts") -> bool:
    """Return whether a path is a file that `Counts.save` wrote, of any version; or one with another key."""
    # most other files are recognized by their first bytes, without the import of pyarrow
    with suppress(OSError), open(path, "rb") as file:
        return file.read(4) == b"PAR1" and key in parquet_metadata(os.fspath(path))
    return False


def _field_arrays(counts: Counts) -> list[Any]:
    """Return all fields except the analyzer as arrays and numbers, for comparison."""
    arrays = [counts.terms, as_term_array(counts.classes), counts.documents, counts.class_sizes]
    for name in SUMS:
        table = getattr(counts, name)
        arrays += [table.indptr, table.indices, table.data, getattr(counts, f"term_{name}")]
    return arrays


def _add_counts(a: Counts, b: Counts) -> Counts:
    if a.analyzer and b.analyzer and a.analyzer != b.analyzer:
        difference = describe_analyzer_difference(a.analyzer, b.analyzer)
        raise InvalidInputError(f"counts with different analyzers cannot be added: {difference}")
    # parts of a corpus often have the same terms and classes, and nothing is sorted
    terms = a.terms if np.array_equal(a.terms, b.terms) else as_term_array(sorted({*a.terms, *b.terms}))
    classes = a.classes if a.classes == b.classes else sort_classes(a.classes + b.classes)
    rows = _find_positions(terms, a.terms), _find_positions(terms, b.terms)
    columns = _find_positions(classes, a.classes), _find_positions(classes, b.classes)
    shape = (len(terms), len(classes))

    def add_vectors(name: str, positions: tuple[Array, Array], size: int) -> Array:
        x, y = getattr(a, name), getattr(b, name)
        total = np.zeros(size, dtype=np.result_type(x, y))
        total[positions[0]] += x
        total[positions[1]] += y
        return to_exact_dtype(total)

    sums: dict[str, Any] = {}
    for name in SUMS:
        moved = []
        for table, i, j in zip((getattr(a, name), getattr(b, name)), rows, columns, strict=True):
            coo = table.tocoo()
            moved.append(coo_array((coo.data, (i[coo.row], j[coo.col])), shape=shape).tocsr())
        total = moved[0] + moved[1]
        sums[name] = csr_array((to_exact_dtype(total.data), total.indices, total.indptr), shape=shape)
        sums[f"term_{name}"] = add_vectors(f"term_{name}", rows, len(terms))
    sizes = add_vectors("class_sizes", columns, len(classes))
    documents = to_exact_number(a.documents + b.documents)
    return Counts(terms, classes, documents, sizes, analyzer=a.analyzer or b.analyzer, **sums)


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
    options = []
    for name in (first, second):
        try:
            # names may come from a file, so nothing is evaluated; cut ones are not parsed
            call: Any = ast.parse(name[:MAX_ANALYZER_LENGTH], mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            call = None
        if not (isinstance(call, ast.Call) and ast.unparse(call.func) == "Analyzer"):
            return f"{first} and {second}"
        options.append({str(option.arg): ast.unparse(option.value) for option in call.keywords})
    names = [name for name in options[0] | options[1] if options[0].get(name) != options[1].get(name)]
    texts = [", ".join(f"{name}={values[name]}" for name in names if name in values) for values in options]
    return " and ".join(text or "the default" for text in texts)


def resolve_df_limits(n_documents: float, min_df: Any, max_df: Any) -> tuple[float, float]:
    """Return the lowest and highest document frequency of a term; 0 and infinity without limit."""
    low = resolve_df_limit("min_df", min_df, n_documents)
    high = resolve_df_limit("max_df", max_df, n_documents)
    # weighted document frequencies may be below 1, and min_df=1 means no limit
    low = low if is_proportion(min_df) or min_df > 1 else 0
    high = np.inf if is_proportion(max_df) and max_df == 1 else high
    if low > high:
        message = f"min_df={min_df} is more documents than max_df={max_df}, which removes all terms"
        raise InvalidInputError(message)
    return low, high


def resolve_df_limit(name: str, value: Any, n_documents: float) -> float:
    """Return a limit, a number or a share of the documents, as a number of documents."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not value >= 0:
        message = f"{name} must be a number of documents or a share from 0.0 to 1.0, got {value!r}"
        raise InvalidInputError(message)
    # an int may be too large for a float, and there are never more documents than this
    return float(value) * n_documents if is_proportion(value) else float(min(value, MAX_EXACT))


def is_proportion(value: Any) -> bool:
    """Return whether a limit is a share of the documents rather than a number of them."""
    return isinstance(value, float | np.floating) and bool(value <= 1)


def explain_empty_vocabulary(term_df: Array, n_documents: float, min_df: Any, max_df: Any) -> str:
    """Return why limits of document frequency remove all terms; term_df : (terms,) documents of each."""
    low, high = resolve_df_limits(n_documents, min_df, max_df)
    highest, lowest, n = float(term_df.max()), float(term_df.min()), len(term_df)
    if highest < low:
        return f"min_df={min_df} removes all {n:,} terms; the most frequent is in {highest:,g} documents"
    if lowest > high:
        return f"max_df={max_df} removes all {n:,} terms; the rarest is in {lowest:,g} documents"
    return f"min_df={min_df} and max_df={max_df} remove all {n:,} terms"
