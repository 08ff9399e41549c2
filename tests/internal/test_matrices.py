"""No index of a matrix from outside is followed before it is checked; no entry loses digits on its way in."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import termsift as ts
from termsift._internal.matrices import validate_matrix
from termsift.counts.labels import as_labels

X = np.array([[1, 0, 2], [0, 1, 1], [2, 0, 0], [0, 3, 1]])
Y = [0, 1, 0, 1]
FAR = 90_000_000


def with_part(form, name, change):
    """The matrix in a form of SciPy, with one of its arrays changed behind SciPy's back."""
    matrix = getattr(sp, form)(X)
    setattr(matrix, name, change(getattr(matrix, name).copy()))
    return matrix


def changed(place, value):
    def change(array):
        array[place] = value
        return array

    return change


def damaged_lists(part, value):
    matrix = sp.lil_array(X)
    getattr(matrix, part)[0] = value
    return matrix


def damaged_pairs(form, places):
    matrix = getattr(sp, form)(X)
    matrix.coords = tuple(places(part.copy()) for part in matrix.coords)
    return matrix


def damaged_keys(place=(0, FAR), value=1):
    matrix = sp.dok_array(X)
    matrix._dict[place] = value
    return matrix


DAMAGED = {
    **{
        f"{form}, {what}": lambda form=form, name=name, change=change: with_part(form, name, change)
        for form in ("csr_array", "csr_matrix", "csc_array", "bsr_array")
        for what, name, change in (
            ("an index too high", "indices", changed(0, FAR)),
            ("an index one too high", "indices", changed(0, 4)),
            ("an index below 0", "indices", changed(-1, -1)),
            ("an index at the end", "indices", changed(0, 2**31 - 1)),
            ("runs that fall", "indptr", changed(1, 100)),
            ("runs below 0", "indptr", changed(1, -5)),
            ("a first run", "indptr", changed(0, 1)),
            ("a last run", "indptr", changed(-1, FAR)),
            ("too few runs", "indptr", lambda array: array[:-1]),
            ("fractions", "indices", lambda array: array.astype(float)),
            ("too few entries", "data", lambda array: array[:2]),
            ("other bytes", "indices", lambda array: array.astype(">i4")),
        )
    },
    "coo, far": lambda: damaged_pairs("coo_array", changed(0, FAR)),
    "coo, below 0": lambda: damaged_pairs("coo_matrix", changed(0, -1)),
    "coo, too few": lambda: damaged_pairs("coo_array", lambda part: part[:1]),
    "dia": lambda: with_part("dia_array", "offsets", lambda array: array[:1]),
    "lil, far": lambda: damaged_lists("rows", [0, FAR]),
    "lil, too few": lambda: damaged_lists("data", [1]),
    "lil, too many": lambda: damaged_lists("data", [1] * 100),
    "lil, words": lambda: damaged_lists("data", ["a", "b"]),
    "lil, columns of words": lambda: damaged_lists("rows", ["a", "b"]),
    "dok": damaged_keys,
    "dok, words": lambda: damaged_keys((0, 0), "a"),
    "dok, nothing": lambda: damaged_keys((0, 0), None),
    "dok, a place of words": lambda: damaged_keys(("a", 0)),
    "dok, a place of one number": lambda: damaged_keys((0,)),
}


@pytest.mark.parametrize("make", DAMAGED.values(), ids=DAMAGED)
def test_damaged_matrix_raises_one_line_error(make):
    selector = ts.TermSelector(k=1).fit(X, Y)
    for call in (
        lambda: ts.count(make(), Y),
        lambda: as_labels(make()),
        lambda: ts.TermSelector(k=1).fit(make(), Y),
        lambda: selector.transform(make()),
        lambda: ts.compare(make(), Y),
    ):
        with pytest.raises(
            ts.InvalidInputError, match=r"^the sparse matrix \(..., 4 x 3\) is damaged: (its|the|index) "
        ):
            call()


def test_valid_matrix_is_unchanged():
    for form in ("csr", "csc", "bsr", "coo", "dia", "lil", "dok"):
        matrix = getattr(sp, f"{form}_array")(X)
        assert validate_matrix(matrix) is matrix
    assert validate_matrix(X) is X
    empty = sp.csr_array((0, 0))
    assert validate_matrix(empty) is empty


@pytest.mark.parametrize("kind", ["uint8", "int8", "uint16", "int32", "bool", "float32"])
@pytest.mark.parametrize("form", ["coo", "csr", "csc", "bsr"])
def test_repeated_entries_are_added_without_overflow(form, kind):
    most = 100 if kind == "int8" else 1 if kind == "bool" else 200
    data, rows, columns = np.full(3, most, dtype=kind), [0, 0, 0], [0, 0, 1]
    matrices = {
        "coo": lambda: sp.coo_array((data, (rows, columns)), shape=(2, 2)),
        "csr": lambda: sp.csr_array((data, columns, [0, 3, 3]), shape=(2, 2)),
        "csc": lambda: sp.csc_array((data, rows, [0, 2, 3]), shape=(2, 2)),
        "bsr": lambda: sp.bsr_array((data[:, None, None], columns, [0, 3, 3]), shape=(2, 2)),
    }
    counts = ts.count(matrices[form](), [0, 1])
    # booleans are presence, which repeated entries do not add up
    total = 1 if kind == "bool" else 2 * most
    assert counts.tf.toarray().tolist() == [[total, 0], [most, 0]]
    assert counts.tf2.toarray().tolist() == [[total**2, 0], [most**2, 0]]
    assert counts.df.toarray().tolist() == [[1, 0], [1, 0]]
    estimator = ts.TermWeighter("tf").fit(matrices[form](), [0, 1])
    assert estimator.counts_ == counts.keep(np.arange(2))


def test_an_indicator_with_an_entry_twice_is_refused():
    twice = sp.csr_array((np.ones(3, dtype=np.uint8), [0, 0, 1], [0, 2, 3]), shape=(2, 2))
    with pytest.raises(ts.InvalidInputError, match="holds 0 and 1 only, got 2"):
        ts.count(np.eye(2), twice)
    # in eight bits they would be 1
    many = sp.coo_array((np.ones(257, dtype=np.uint8), ([0] * 257, [0] * 257)), shape=(2, 2))
    with pytest.raises(ts.InvalidInputError, match="holds 0 and 1 only, got 257"):
        ts.count(np.eye(2), many)


@pytest.mark.parametrize("form", ["coo", "csr", "csc", "bsr", "dia", "lil", "dok"])
@pytest.mark.parametrize("kind", ["bool", "int8", "float32", "complex64"])
def test_indicators_of_every_form_are_the_same_labels(form, kind):
    dense = (X > 0).astype(kind)
    matrix = getattr(sp, f"{form}_array")(dense)
    if kind == "complex64":
        with pytest.raises(ts.InvalidInputError, match="holds 0 and 1 only, got complex64"):
            as_labels(matrix)
        return
    assert (
        as_labels(matrix).labels_per_document
        == as_labels(dense).labels_per_document
        == [[0, 2], [1, 2], [0], [1, 2]]
    )


@pytest.mark.parametrize("kind", ["float16", "longdouble", ">f8", ">f4", ">i4", ">u2", "bool"])
def test_numbers_of_every_width_and_byte_order_are_counted(kind):
    expected = ts.count(X.astype(bool) if kind == "bool" else X, Y)
    assert ts.count(X.astype(kind), Y) == expected
    assert as_labels((X > 0).astype(kind)).labels_per_document == as_labels(X > 0).labels_per_document


def test_masked_values_are_missing():
    hole = np.ma.array(X, mask=X == 3)
    with pytest.raises(ts.InvalidInputError, match="the matrix has masked values"):
        ts.count(hole, Y)
    assert ts.count(np.ma.array(X), Y) == ts.count(X, Y)
    with pytest.raises(ts.InvalidInputError, match="sample_weight must be finite and at least 0"):
        ts.count(X, Y, sample_weight=np.ma.array([1.0, 2, 3, 4], mask=[0, 0, 1, 0]))
