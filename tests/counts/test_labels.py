"""One reader for labels of any form; a missing one is refused in all of them alike."""

from __future__ import annotations

import datetime
from decimal import Decimal

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given

import termsift as ts
from strategies import samples
from termsift.counts.labels import Labels, as_labels, check_no_missing_labels

NAN, DAY = float("nan"), datetime.datetime(2020, 1, 1)
MISSING = {
    "None": ["a", None],
    "NaN": ["a", NAN],
    "a NaN of NumPy": [1.0, np.float64("nan")],
    "pandas' NA": ["a", pd.NA],
    "NaT": [DAY, pd.NaT],
    "a NaT of NumPy": [np.datetime64("2020-01-01"), np.datetime64("NaT")],
    "a decimal": [Decimal(1), Decimal("nan")],
    "one of several": [["a"], ["b", None]],
    "an array of floats": np.array([0.0, NAN]),
    "an array of objects": np.array(["a", None], dtype=object),
    "an array of dates": np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"),
    "pandas": pd.Series(["a", None]),
    "pandas, strings": pd.Series(["a", None], dtype="string"),
    "pandas, nullable": pd.Series([1, None], dtype="Int64"),
    "pandas, categories": pd.Series(["a", None], dtype="category"),
    "pandas, dates": pd.Series(pd.to_datetime(["2020-01-01", None])),
    "pandas, spans": pd.Series(pd.to_timedelta(["1D", None])),
    "polars": pl.Series(["a", None]),
    "polars, floats": pl.Series([1.0, NAN]),
    "polars, lists": pl.Series([["a"], ["b", None]]),
    "narwhals": nw.from_native(pl.Series(["a", None]), series_only=True),
    "Arrow": pa.array(["a", None]),
    "Arrow, in chunks": pa.chunked_array([["a"], [None]]),
    "a frame of one column": pd.DataFrame({"y": ["a", None]}),
    "a table of one column": pa.table({"y": ["a", None]}),
    "an indicator": np.array([[1.0, 0.0], [NAN, 1.0]]),
    "a sparse indicator": sp.csr_array(np.array([[1.0, 0.0], [NAN, 1.0]])),
    "an indicator frame": pd.DataFrame({"x": [1, NAN], "y": [0, 1]}),
    "a nullable indicator frame": pd.DataFrame({"x": [1, None], "y": [0, 1]}, dtype="Int64"),
    "an indicator frame of truths": pd.DataFrame({"x": [True, None], "y": [False, True]}, dtype="boolean"),
    "a polars indicator frame": pl.DataFrame({"x": [1, None], "y": [0, 1]}),
}


@pytest.mark.parametrize("labels", MISSING.values(), ids=MISSING)
@pytest.mark.parametrize(
    "reader", [as_labels, check_no_missing_labels, lambda labels: ts.count(["one text", "another"], labels)]
)
def test_missing_label_error_names_the_document(reader, labels):
    with pytest.raises(
        ts.InvalidInputError, match=r"^document 1 has a missing label; drop it or give it a class$"
    ):
        reader(labels)


def as_lists(labels: Labels):
    return labels.classes, [sorted(names) for names in labels.labels_per_document]


@given(samples(least=1))
def test_lists_and_indicators_give_equal_labels(sample):
    expected = as_labels(sample.labels)
    indicator = expected.indicator
    columns = [str(name) for name in expected.classes]
    dense = indicator.toarray()
    frames = [
        pd.DataFrame(dense, columns=columns),
        pl.DataFrame(dense, schema=columns, orient="row"),
        pa.table({name: dense[:, c] for c, name in enumerate(columns)}),
    ]
    for frame in frames if columns else []:
        found = as_labels(frame)
        assert found.classes == tuple(columns)
        assert (found.indicator != indicator).nnz == 0
        check_no_missing_labels(frame)
    for matrix in (dense, dense.astype(bool), dense.astype(float), indicator, indicator.tocsr()):
        found = as_labels(matrix)
        assert found.classes == tuple(range(len(columns)))
        assert (found.indicator != indicator).nnz == 0
        check_no_missing_labels(matrix)
    check_no_missing_labels(sample.labels)


def test_series_of_every_library_give_equal_labels():
    expected = as_lists(as_labels(["b", "a", "b"]))
    for make in (tuple, np.array, pd.Series, pd.Index, pd.Categorical, pl.Series, pa.array):
        assert as_lists(as_labels(make(["b", "a", "b"]))) == expected
    assert as_lists(as_labels(pl.Series([["a", "b"], []]))) == (("a", "b"), [["a", "b"], []])


def test_rejects_a_number_of_labels_that_differs_from_documents():
    assert len(as_labels([["a"], [], ["a", "b"]])) == 3


def test_document_without_labels_is_not_missing():
    check_no_missing_labels([["a"], []])
    check_no_missing_labels(np.array([1, 2]))
    check_no_missing_labels(np.eye(2))


@pytest.mark.parametrize(
    "labels",
    [
        np.ma.array([1, 2], mask=[False, True]),
        np.ma.array(["x", "y"], mask=[False, True]),
        np.ma.array([0.5, 1.5], mask=[False, True]),
        np.ma.array([[1, 0], [0, 1]], mask=[[False, False], [True, False]]),
        [1, np.ma.masked],
        [["a"], ["b", np.ma.masked]],
    ],
)
@pytest.mark.parametrize("reader", [as_labels, check_no_missing_labels])
def test_masked_label_is_missing(reader, labels):
    with pytest.raises(ts.InvalidInputError, match=r"^document 1 has a missing label"):
        reader(labels)


def test_masked_array_without_masked_values_equals_its_data():
    assert as_lists(as_labels(np.ma.array(["b", "a"]))) == as_lists(as_labels(["b", "a"]))
    assert as_lists(as_labels([np.array("b"), np.array("a")])) == as_lists(as_labels(["b", "a"]))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([1j, 2j], "class names must be sortable"),
        (np.array([1j, 2j]), "class names must be sortable"),
        ([object(), object()], "class names must be sortable"),
        ([bytearray(b"a"), bytearray(b"b")], "class names must be sortable"),
        ([10**400, 0.5], "class names must be sortable"),
        ([2**53, 2**53 + 1, 0.5], "class name 9007199254740993 is not exact as a float"),
        ([slice(1), "a"], "class names"),
        ([1j, "a"], "class names"),
    ],
)
def test_rejects_class_names_without_an_order(labels, message):
    with pytest.raises(ts.InvalidInputError, match=message):
        as_labels(labels)
