"""Labels of documents in any form, class names, and data frames of any library."""

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
    """Return the distinct class names, sorted; they must be of one kind that has an order.

    >>> sort_classes(["spam", "ham", "spam"])
    ('ham', 'spam')
    """
    # one set per kind, because True and 1 are equal; int and float are one kind
    by_kind: dict[str, set[Any]] = {}
    try:
        for name in names:
            is_number = isinstance(name, int | float) and not isinstance(name, bool)
            by_kind.setdefault("number" if is_number else type(name).__name__, set()).add(name)
        if len(by_kind) > 1:
            kinds = sorted(by_kind)
            examples = quote_names(min(by_kind[kind]) for kind in kinds)
            raise InvalidInputError(
                f"class names are of mixed types ({' and '.join(kinds)}), such as {examples}; use one type"
            )
        ordered = sorted(*by_kind.values() or [()])
        if not any(isinstance(name, float) for name in ordered):
            return tuple(ordered)
        # a file stores names of one type: with a float among them, all numbers are floats
        for name in ordered:
            if float(name) != name:
                raise InvalidInputError(
                    f"class name {name!r} is not exact as a float, and other names are floats; use one type"
                )
        return tuple(map(float, ordered))
    # values that cannot be hashed or compared, and numbers too large for a float
    except (TypeError, ArithmeticError) as error:
        message = f"class names must be sortable, such as str, numbers or dates: {error}"
        raise InvalidInputError(message) from error


def is_collection(value: object) -> bool:
    """Return whether a document's label is a collection of labels."""
    is_array = isinstance(value, np.ndarray) and value.ndim > 0
    return is_array or isinstance(value, list | tuple | set | frozenset)


def as_scalar(value: Any) -> Any:
    """Return NumPy scalars as Python objects, and a masked value as None."""
    if value is np.ma.masked:
        return None
    is_scalar = isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0)
    return value.item() if is_scalar else value


def is_missing(value: object) -> bool:
    """Return whether a value is None, NaN, NaT or pandas' NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, Number) and value != value


def find_class_index(classes: Sequence[Any], name: object) -> int:
    """Return the index of a class, by its name or its name as text.

    >>> find_class_index([3, 7], "7")
    1
    """
    if isinstance(name, Hashable) and name in classes:
        return classes.index(name)
    texts = [str(class_name) for class_name in classes]
    if texts.count(str(name)) == 1:
        return texts.index(str(name))
    raise unknown_name_error("class", name, classes)


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Classes and their documents: documents[starts[c]:starts[c + 1]] are those of class c."""

    classes: tuple[Any, ...]
    documents: Array
    starts: Array
    size: int

    @classmethod
    def from_codes(cls, classes: tuple[Any, ...], codes: Array) -> Labels:
        """Return labels from the class index of each document."""
        documents = np.argsort(codes, kind="stable")
        starts = np.searchsorted(codes[documents], np.arange(len(classes) + 1))
        return cls(classes, documents, starts, len(codes))

    @classmethod
    def from_texts(cls, names: Sequence[str]) -> Labels:
        """Return labels from one text per document."""
        class_index = {name: c for c, name in enumerate(sorted(set(names)))}
        codes = np.fromiter(map(class_index.__getitem__, names), np.intp, len(names))
        return cls.from_codes(tuple(class_index), codes)

    @classmethod
    def from_members(cls, classes: tuple[Any, ...], members: Sequence[Any], size: int) -> Labels:
        """Return labels from the documents of each class."""
        starts = np.cumsum([0, *map(len, members)], dtype=np.intp)
        # an empty list would be an array of floats, and there may be no class at all
        documents = np.concatenate([[], *members], dtype=np.intp, casting="unsafe")
        return cls(classes, documents, starts, size)

    def __len__(self) -> int:
        return self.size

    @property
    def is_single_label(self) -> bool:
        """True if every document is in exactly one class."""
        return bool((np.bincount(self.documents, minlength=self.size) == 1).all())

    def class_documents(self, c: int) -> Array:
        """Return the documents of a class."""
        return self.documents[self.starts[c] : self.starts[c + 1]]

    def slice_documents(self, first: int, last: int) -> Labels:
        """Return the labels of documents `first` to `last` (exclusive), renumbered from 0."""
        members = [self.class_documents(c) for c in range(len(self.classes))]
        spans = [docs[slice(*np.searchsorted(docs, [first, last]))] - first for docs in members]
        return Labels.from_members(self.classes, spans, last - first)

    @property
    def indicator(self) -> csc_array[Any]:
        """(documents, classes) indicator matrix."""
        ones = np.ones(len(self.documents), dtype=np.int8)
        return csc_array((ones, self.documents, self.starts), shape=(self.size, len(self.classes)))

    @property
    def labels_per_document(self) -> list[list[Any]]:
        """Labels of each document."""
        rows = self.indicator.tocsr()
        labels = [self.classes[c] for c in rows.indices.tolist()]
        return [labels[start:end] for start, end in pairwise(rows.indptr.tolist())]

    def take(self, documents: Array) -> Labels:
        """Return the labels of some documents, renumbered from 0. The classes stay."""
        by_class = self.indicator.tocsr()[documents].tocsc()
        # the arrays of CSC are those of Labels: the rows of each column, ascending, and the starts of columns
        rows, starts = by_class.indices.astype(np.intp), by_class.indptr.astype(np.intp)
        return Labels(self.classes, rows, starts, by_class.shape[0])

    def class_sizes(self, weights: Array) -> Array:
        """Return (classes,) the number of documents in each class, or the sum of their weights."""
        if not weights.size:
            return np.diff(self.starts)
        # added in the order of the kernel, so that a term in all documents has exactly the class's size
        sizes = [sum(weights[self.class_documents(c)].tolist()) for c in range(len(self.classes))]
        return to_exact_dtype(np.array(sizes, dtype=float))


def as_labels(labels: Any) -> Labels:
    """Return Labels from a 1-d sequence, a list of lists, or an indicator matrix with a column per class."""
    if isinstance(labels, Labels):
        return labels
    if is_sparse(labels):
        return _from_indicator(labels, None)
    names = None
    if isinstance(labels, np.ma.MaskedArray):
        labels = _require_unmasked(labels)
    if is_frame(labels):
        names, labels = frame_columns(labels)
    if isinstance(labels, np.ndarray):
        is_numeric = labels.dtype.kind in "iubf"
        if labels.ndim == 2 and labels.shape[1] == 1 and not is_numeric:
            labels = labels[:, 0]
        if labels.ndim == 2 and is_numeric:
            return _from_indicator(labels, names)
        if labels.ndim == 2:
            check_no_missing_labels(labels)
            message = f"a 2-d array of labels must be an indicator of 0 and 1, got {labels.dtype}"
            raise InvalidInputError(message)
        if labels.ndim != 1:
            raise InvalidInputError(
                f"labels must be 1-d, a list of lists or an indicator matrix, got {labels.ndim} dimensions"
            )
        # NumPy sorts these types as Python does
        if labels.dtype.kind in "iubU":
            classes, codes = np.unique(labels, return_inverse=True)
            return Labels.from_codes(tuple(classes.tolist()), codes)
        if labels.dtype.kind == "M":
            # nanoseconds would become integers in a list
            labels = labels.astype("datetime64[us]")
    values = as_list(labels)
    if set(map(type, values)) == {str}:
        return Labels.from_texts(values)
    return _from_lists(values if any(map(is_collection, values)) else [(value,) for value in values])


def validate_labels(labels: Any, n_documents: int) -> Labels:
    """Return Labels, after a check that there is a label, or a list of labels, for each document."""
    if labels is None:
        raise InvalidInputError("labels are missing: give one label per document, or a list of labels each")
    validated = as_labels(labels)
    if validated.size != n_documents:
        message = f"{n_documents} documents but {validated.size} labels; give one label per document"
        raise InvalidInputError(message)
    return validated


def check_no_missing_labels(labels: Any) -> None:
    """Check that no document has a missing label; the error names the first that has."""
    values = _require_unmasked(frame_columns(labels)[1] if is_frame(labels) else labels)
    kind = values.dtype.kind if isinstance(values, np.ndarray) else "O"
    if is_sparse(values) or (kind in "iubf" and values.ndim == 2):
        as_labels(labels)
        return
    # these types have no missing values
    if kind in "iubUS":
        return
    for i, value in enumerate(as_list(values)):
        if any(is_missing(as_scalar(name)) for name in (value if is_collection(value) else (value,))):
            raise missing_label_error(i)


def missing_label_error(i: int) -> InvalidInputError:
    """Return the error for a document with a missing label."""
    return InvalidInputError(f"document {i} has a missing label; drop it or give it a class")


def _require_unmasked(labels: Any) -> Any:
    """Return the labels; for a masked array its data, if no label is masked."""
    if not isinstance(labels, np.ma.MaskedArray):
        return labels
    masked = np.argwhere(np.ma.getmaskarray(labels))
    if masked.size:
        raise missing_label_error(int(masked[0, 0]))
    return labels.data


def _from_lists(labels: Sequence[Iterable[Any]]) -> Labels:
    """Return labels from any number of labels per document."""
    sets = []
    for i, names in enumerate(labels):
        if not is_collection(names):
            message = f"document {i} has the label {names!r}, others have lists of labels; use lists for all"
            raise InvalidInputError(message)
        scalars = [as_scalar(name) for name in names]
        if any(is_collection(name) or isinstance(name, dict) for name in scalars):
            raise InvalidInputError(f"document {i} has the label {scalars[0]!r}, which is not a single value")
        if any(is_missing(name) for name in scalars):
            raise missing_label_error(i)
        sets.append(scalars)
    classes = sort_classes(name for names in sets for name in names)
    class_index = {name: c for c, name in enumerate(classes)}
    members: list[list[int]] = [[] for _ in classes]
    for i, names in enumerate(sets):
        for c in {class_index[name] for name in names}:
            members[c].append(i)
    return Labels.from_members(classes, members, len(sets))


def _from_indicator(matrix: Any, names: list[Any] | None) -> Labels:
    """Return labels from a matrix of zeros and ones; without names the classes are 0, 1, ..."""
    matrix = validate_matrix(matrix)
    if matrix.ndim != 2 or matrix.dtype.kind not in "iubf":
        raise InvalidInputError(f"an indicator matrix of labels holds 0 and 1 only, got {matrix.dtype}")
    indicator = csc_array(to_csr(matrix), copy=True)
    indicator.sum_duplicates()
    indicator.eliminate_zeros()
    absent = indicator.indices[np.isnan(indicator.data)] if indicator.dtype.kind == "f" else ()
    if len(absent):
        raise missing_label_error(int(min(absent)))
    if not np.all(indicator.data == 1):
        bad = indicator.data[indicator.data != 1][0]
        raise InvalidInputError(f"an indicator matrix of labels holds 0 and 1 only, got {bad}")
    classes = tuple(range(indicator.shape[1]) if names is None else names)
    if len(set(classes)) < len(classes):
        raise InvalidInputError("the columns of the indicator matrix have repeated names")
    # as in `Labels.take`
    documents, starts = indicator.indices.astype(np.intp), indicator.indptr.astype(np.intp)
    return Labels(classes, documents, starts, indicator.shape[0])


def is_frame(data: Any) -> bool:
    """Return whether the data is a data frame of any library that narwhals supports."""
    if isinstance(data, list | tuple | np.ndarray | str) or is_sparse(data):
        return False
    from narwhals.dependencies import is_into_dataframe

    return bool(is_into_dataframe(data))


def to_narwhals(frame: Any) -> Any:
    """Return a data frame of any library as a narwhals DataFrame."""
    import narwhals as nw

    try:
        return nw.from_native(frame, eager_only=True)
    except nw.exceptions.DuplicateError as error:
        raise InvalidInputError("the data frame has columns with repeated names") from error


def frame_columns(frame: Any) -> tuple[list[Any], Array]:
    """Return the column names of a data frame, and its values as an array."""
    import narwhals as nw

    columns = to_narwhals(frame)
    values = columns.to_numpy() if columns.columns else np.zeros((len(columns), 0))
    if values.dtype == object and all(dtype.is_numeric() for dtype in columns.schema.values()):
        values = np.stack([columns[name].cast(nw.Float64).to_numpy() for name in columns.columns], axis=1)
    return [as_scalar(name) for name in columns.columns], values


def as_list(data: Any) -> list[Any]:
    """Return the items of a list, array, Series of any library, or Arrow array as a list."""
    method = next((name for name in ("to_pylist", "tolist", "to_list") if hasattr(data, name)), None)
    if isinstance(data, str | bytes | dict) or not (method or isinstance(data, Iterable)):
        kind = type(data).__name__
        raise InvalidInputError(f"labels and texts must be lists, one item per document, got {kind}")
    items = list(data) if method is None else getattr(data, method)()
    return items if isinstance(items, list) else [items]
