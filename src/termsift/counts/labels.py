"""The labels of a document, one by one, and the names of classes: of one kind, distinct, in order."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Number
from typing import Any

import numpy as np
from scipy.sparse import csc_array

from termsift._internal.errors import InvalidInputError, quote_names, unknown_name_error
from termsift._internal.matrices import is_sparse, to_csr, validate_matrix
from termsift._internal.typing import Array, to_exact_dtype


def sort_classes(names: Iterable[Any]) -> tuple[Any, ...]:
    """Distinct class names in order. Names of mixed kinds, or of a kind without order, are an error.

    >>> sort_classes(["spam", "ham", "spam"])
    ('ham', 'spam')
    """
    try:
        return of_one_type(ordered_kind(names))
    # what cannot be hashed or compared, and numbers too large for a float
    except (TypeError, ArithmeticError) as error:
        what = "class names must have an order, as texts, numbers and dates do"
        raise InvalidInputError(f"{what}: {error}") from error


def ordered_kind(names: Iterable[Any]) -> list[Any]:
    """The distinct names in order, if they are of one kind."""
    # by kind first: to a set, True and 1 are one name
    by_kind: dict[str, set[Any]] = {}
    for name in names:
        by_kind.setdefault(kind_of_name(name), set()).add(name)
    if len(by_kind) > 1:
        kinds = sorted(by_kind)
        examples = quote_names(min(by_kind[kind]) for kind in kinds)
        raise InvalidInputError(
            f"class names are of mixed types ({' and '.join(kinds)}), such as {examples}; use one type"
        )
    return sorted(*by_kind.values() or [()])


def of_one_type(ordered: list[Any]) -> tuple[Any, ...]:
    """The names as a column of a file has them: with a fraction among them, all numbers are fractions."""
    if not any(isinstance(name, float) for name in ordered):
        return tuple(ordered)
    for name in ordered:
        if float(name) != name:
            raise InvalidInputError(f"the class name {name!r} is no fraction, and others are; use one type")
    return tuple(map(float, ordered))


def kind_of_name(name: object) -> str:
    """The kind of a name: whole numbers and fractions are one, truth is another."""
    if isinstance(name, bool):
        return "bool"
    return "number" if isinstance(name, int | float) else type(name).__name__


def is_collection(value: object) -> bool:
    """Whether a document's label is a collection of labels."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, list | tuple | set | frozenset)


def as_scalar(value: Any) -> Any:
    """NumPy scalars as Python's own."""
    if value is np.ma.masked:
        return None
    is_scalar = isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0)
    return value.item() if is_scalar else value


def is_missing(value: object) -> bool:
    """None, NaN, NaT or pandas' NA: what is not itself, or says so by its name."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, Number) and value != value


def find_class_index(classes: Sequence[Any], name: object) -> int:
    """The place of a class among some, by its name, or by what that is written as.

    >>> find_class_index([3, 7], "7")
    1
    """
    if isinstance(name, Hashable) and name in classes:
        return classes.index(name)
    written = [str(known) for known in classes]
    if written.count(str(name)) == 1:
        return written.index(str(name))
    raise unknown_name_error("class", name, classes)


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """The classes, and the documents of each: documents[starts[c]:starts[c + 1]] are those of class c."""

    classes: tuple[Any, ...]
    documents: Array
    starts: Array
    size: int

    def __len__(self) -> int:
        return self.size

    @property
    def is_single_label(self) -> bool:
        """Whether every document is in exactly one class."""
        return len(self.documents) == self.size and bool(
            np.array_equal(np.bincount(self.documents, minlength=self.size), np.ones(self.size))
        )

    def class_documents(self, c: int) -> Array:
        """The documents of a class."""
        return self.documents[self.starts[c] : self.starts[c + 1]]

    def slice_documents(self, first: int, last: int) -> Labels:
        """The labels of the documents from `first` up to `last`, numbered anew from 0."""
        parts = [self.class_documents(c) for c in range(len(self.classes))]
        spans = [part[slice(*np.searchsorted(part, [first, last]))] - first for part in parts]
        return _grouped(self.classes, spans, last - first)

    @property
    def indicator(self) -> csc_array[Any]:
        """(documents, classes) of ones."""
        ones = np.ones(len(self.documents), dtype=np.int8)
        return csc_array((ones, self.documents, self.starts), shape=(self.size, len(self.classes)))

    @property
    def labels_per_document(self) -> list[list[Any]]:
        """The labels of each document."""
        rows = self.indicator.tocsr()
        found = [self.classes[c] for c in rows.indices.tolist()]
        return [found[start:end] for start, end in pairwise(rows.indptr.tolist())]

    def take(self, documents: Array) -> Labels:
        """The labels of some documents, numbered anew from 0. The classes stay."""
        return _from_indicator(self.indicator.tocsr()[documents].tocsc(), list(self.classes))

    def class_sizes(self, weights: Array) -> Array:
        """(classes,) documents in each class, or the sum of their weights."""
        if not weights.size:
            return np.diff(self.starts)
        # one after the other, as the kernel adds them, so that a term in all documents has the class's size
        return to_exact_dtype(
            np.array(
                [sum(weights[self.class_documents(c)].tolist()) for c in range(len(self.classes))],
                dtype=float,
            )
        )


def as_labels(labels: Any) -> Labels:
    """Labels of a 1-d sequence, of a list of lists, or of an indicator matrix, its columns the classes."""
    if isinstance(labels, Labels):
        return labels
    if is_sparse(labels):
        return _from_indicator(labels, None)
    names, labels = None, unmasked(labels)
    if is_frame(labels):
        names, labels = frame_columns(labels)
    array = labels if isinstance(labels, np.ndarray) else None
    if array is not None and array.ndim == 2 and array.shape[1] == 1 and array.dtype.kind not in "iubf":
        array = labels = array[:, 0]
    if array is not None and array.ndim == 2:
        if array.dtype.kind not in "iubf":
            check_no_missing_labels(array)
            raise InvalidInputError(
                f"a 2-d array of labels must be an indicator of 0 and 1, got {array.dtype}"
            )
        return _from_indicator(array, names)
    if array is not None and array.ndim != 1:
        raise InvalidInputError(
            f"labels must be 1-d, a list of lists or an indicator matrix, got {array.ndim} dimensions"
        )
    if array is not None and array.dtype.kind in "iubU":
        return _from_array(array)
    if array is not None and array.dtype.kind == "M":
        labels = array.astype("datetime64[us]")
    values = as_list(labels)
    if set(map(type, values)) == {str}:
        return _from_texts(values)
    if any(is_collection(value) for value in values):
        return _from_lists(values)
    return _from_lists([(value,) for value in values])


def validate_labels(labels: Any, size: int) -> Labels:
    """The labels of so many documents, one label or list of labels each."""
    if labels is None:
        raise InvalidInputError("labels are missing: give one label per document, or a list of labels each")
    known = as_labels(labels)
    if known.size != size:
        raise InvalidInputError(f"{size} documents but {known.size} labels; there must be one label each")
    return known


def is_indicator(labels: Any) -> bool:
    """Whether labels are a matrix or data frame of numbers, a column for each class."""
    if is_sparse(labels):
        return True
    values = frame_columns(labels)[1] if is_frame(labels) else labels
    return isinstance(values, np.ndarray) and values.ndim == 2 and values.dtype.kind in "iubf"


def check_no_missing_labels(labels: Any) -> None:
    """An error that names the first document with a missing label, whatever form the labels have."""
    if is_indicator(labels):
        as_labels(labels)
        return
    values = frame_columns(labels)[1] if is_frame(labels) else labels
    values = unmasked(values)
    if isinstance(values, np.ndarray) and values.dtype.kind in "iubUS":
        return
    for i, value in enumerate(as_list(values)):
        if any(is_missing(as_scalar(name)) for name in (value if is_collection(value) else (value,))):
            raise missing_label(i)


def missing_label(i: int) -> InvalidInputError:
    """The error for a document without a label where it should have one."""
    return InvalidInputError(f"document {i} has a missing label; drop it or give it a class")


def unmasked(labels: Any) -> Any:
    """The labels; of a masked array its values, or an error where one of them is masked: it is missing."""
    if not isinstance(labels, np.ma.MaskedArray):
        return labels
    masked = np.argwhere(np.ma.getmaskarray(labels))
    if masked.size:
        raise missing_label(int(masked[0, 0]))
    return labels.data


def _from_array(array: Array) -> Labels:
    """One label per document, of a type that NumPy sorts as Python does."""
    classes, codes = np.unique(array, return_inverse=True)
    return labels_from_codes(tuple(classes.tolist()), codes)


def _from_texts(names: Sequence[str]) -> Labels:
    """One label per document, all of them texts."""
    classes = tuple(sorted(set(names)))
    place = {name: c for c, name in enumerate(classes)}
    return labels_from_codes(classes, np.fromiter(map(place.__getitem__, names), np.intp, len(names)))


def labels_from_codes(classes: tuple[Any, ...], codes: Array) -> Labels:
    """One label per document, by its place among the classes."""
    documents = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[documents], np.arange(len(classes) + 1))
    return Labels(classes, documents, starts, len(codes))


def _from_lists(labels: Sequence[Iterable[Any]]) -> Labels:
    """Any number of labels per document."""
    sets = []
    for i, names in enumerate(labels):
        if not is_collection(names):
            raise InvalidInputError(f"document {i} has the label {names!r} where others have lists of labels")
        scalars = [as_scalar(name) for name in names]
        if any(is_collection(name) or isinstance(name, dict) for name in scalars):
            raise InvalidInputError(f"document {i} has the label {scalars[0]!r}, which is not a single value")
        if any(is_missing(name) for name in scalars):
            raise missing_label(i)
        sets.append(scalars)
    classes = sort_classes(name for names in sets for name in names)
    place = {name: c for c, name in enumerate(classes)}
    members: list[list[int]] = [[] for _ in classes]
    for i, names in enumerate(sets):
        for c in {place[name] for name in names}:
            members[c].append(i)
    return _grouped(classes, members, len(sets))


def _from_indicator(matrix: Any, names: list[Any] | None) -> Labels:
    """Columns of zeros and ones, sparse or dense; without names the classes are 0, 1, ..."""
    matrix = validate_matrix(matrix)
    if matrix.ndim != 2 or matrix.dtype.kind not in "iubf":
        raise InvalidInputError(f"an indicator matrix of labels holds 0 and 1 only, got {matrix.dtype}")
    indicator = csc_array(to_csr(matrix), copy=True)
    indicator.sum_duplicates()
    indicator.eliminate_zeros()
    absent = indicator.indices[np.isnan(indicator.data)] if indicator.dtype.kind == "f" else ()
    if len(absent):
        raise missing_label(int(min(absent)))
    if not np.all(indicator.data == 1):
        bad = indicator.data[indicator.data != 1][0]
        raise InvalidInputError(f"an indicator matrix of labels holds 0 and 1 only, got {bad}")
    size, n_classes = indicator.shape
    members = [indicator.indices[indicator.indptr[c] : indicator.indptr[c + 1]] for c in range(n_classes)]
    classes = tuple(range(n_classes) if names is None else names)
    if len(set(classes)) < len(classes):
        raise InvalidInputError("the columns of the indicator matrix have repeated names")
    return _grouped(classes, [np.sort(m) for m in members], size)


def _grouped(classes: tuple[Any, ...], members: Sequence[Sequence[int] | Array], size: int) -> Labels:
    """Labels from the documents of each class."""
    lengths = [len(m) for m in members]
    starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.intp)]).astype(np.intp)
    documents = np.concatenate([np.asarray(m, dtype=np.intp) for m in members] or [np.zeros(0, np.intp)])
    return Labels(classes, documents, starts, size)


def is_frame(data: Any) -> bool:
    """Whether the data is a data frame of any library (narwhals decides)."""
    if isinstance(data, list | tuple | np.ndarray | str) or is_sparse(data):
        return False
    from narwhals.dependencies import is_into_dataframe

    return bool(is_into_dataframe(data))


def to_narwhals(frame: Any) -> Any:
    """The frame as narwhals' own, whatever library made it."""
    import narwhals as nw

    try:
        return nw.from_native(frame, eager_only=True)
    except nw.exceptions.DuplicateError as error:
        raise InvalidInputError("the data frame has columns with repeated names") from error


def frame_columns(frame: Any) -> tuple[list[Any], Array]:
    """The names and the values of a data frame's columns."""
    import narwhals as nw

    columns = to_narwhals(frame)
    values = columns.to_numpy() if columns.columns else np.zeros((len(columns), 0))
    if values.dtype == object and all(dtype.is_numeric() for dtype in columns.schema.values()):
        values = np.stack([columns[name].cast(nw.Float64).to_numpy() for name in columns.columns], axis=1)
    return [as_scalar(name) for name in columns.columns], values


def as_list(data: Any) -> list[Any]:
    """A list of the items of a list, array, Series of any library, or Arrow array."""
    method = next((name for name in ("to_pylist", "tolist", "to_list") if hasattr(data, name)), None)
    if isinstance(data, str | bytes | dict) or not (method or isinstance(data, Iterable)):
        kind = type(data).__name__
        raise InvalidInputError(f"labels and texts must be lists, one item per document, got {kind}")
    items = list(data) if method is None else getattr(data, method)()
    return items if isinstance(items, list) else [items]
