"""Matrices that no program should make: of SciPy's formats against SciPy's own rules, and dense ones."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp
from trying import check

import termsift as ts

TYPES = [
    "int8",
    "uint8",
    "int16",
    "int64",
    "uint64",
    "float16",
    "float32",
    "float64",
    "longdouble",
    ">i4",
    ">f8",
    "bool",
    "complex128",
]


TYPES += ["object", "U3", "S3", "M8[s]", "m8[s]"]


VALUES = [-1, -0.5, np.nan, np.inf, -np.inf, 1e150, 1e300, 2**53, 2**62, 1e-320, 0.5, 255]


INDICES = [-1, -2, 5, 99, 2**31 - 1, -(2**31)]


FORMS = ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"]


def whole_matrix(rng: random.Random) -> np.ndarray[Any, Any]:
    """A small dense matrix of counts."""
    shape = rng.choice([(6, 4), (6, 4), (6, 4), (1, 1), (12, 3), (6, 0), (0, 4), (6, 300)])
    return np.random.default_rng(rng.randrange(2**32)).poisson(0.7, shape)


def sparse_form(rng: random.Random, X: np.ndarray[Any, Any]) -> Any:
    """The matrix as SciPy has it, in any of its formats."""
    form = getattr(sp, f"{rng.choice(FORMS)}_{rng.choice(['array', 'matrix'])}")
    return form(X)


def odd_dense(rng: random.Random, X: np.ndarray[Any, Any]) -> Any:
    """An array of another type, shape, order or kind."""
    made: list[Callable[[], Any]] = [
        lambda: X.astype(rng.choice(TYPES)), lambda: X[::-1, ::-1], lambda: np.asfortranarray(X),
        lambda: X[:, :, None], lambda: X.ravel(),
        lambda: X.astype(float) * rng.choice(VALUES), lambda: with_value(rng, X),
        lambda: np.ma.masked_array(X, X > 1), lambda: np.matrix(X),
        lambda: pd.DataFrame(X), lambda: pd.DataFrame(X.astype(str)), lambda: pl.DataFrame(X),
        lambda: pa.table({str(i): X[:, i] for i in range(X.shape[1])}),
        lambda: X.tolist(), lambda: read_only(X), lambda: pd.DataFrame(X, columns=["same"] * X.shape[1]),
        lambda: pd.DataFrame(X).astype("category"),
        lambda: pd.DataFrame(X).astype("Int64").mask(X > 1),
        lambda: np.broadcast_to(X[:1], X.shape) if len(X) else X, lambda: X.astype("float16") * 60000,
    ]  # fmt: skip
    return rng.choice(made)()


def read_only(X: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """An array that cannot be written to."""
    X = X.copy()
    X.flags.writeable = False
    return X


def with_value(rng: random.Random, X: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The matrix with an odd value in it."""
    X = X.astype(float)
    if X.size:
        X[rng.randrange(X.shape[0]), rng.randrange(X.shape[1])] = rng.choice(VALUES)
    return X


def bad_sparse(rng: random.Random, X: np.ndarray[Any, Any]) -> Any:
    """A matrix of SciPy that breaks SciPy's own rules, which it does not check."""
    form = rng.choice(FORMS)
    M = getattr(sp, f"{form}_{rng.choice(['array', 'matrix'])}")(X)
    if form in ("csr", "csc", "bsr"):
        bad_compressed(rng, M)
    elif form == "coo":
        bad_coordinates(rng, M)
    elif form == "dia":
        M.offsets = rng.choice(
            [
                M.offsets + 99,
                M.offsets[::-1],
                np.repeat(M.offsets[:1], len(M.offsets)),
                M.offsets - (2**31 - 9),
            ]
        )
    elif form == "lil" and len(M.rows):
        i = rng.randrange(len(M.rows))
        M.rows[i] = rng.choice([[99], [-1], [0, 0], [1, 0], M.rows[i] + [0], [2**31]])
        M.data[i] = rng.choice(
            [M.data[i], [1] * len(M.rows[i]), ["a"] * len(M.rows[i]), [None] * len(M.rows[i])]
        )
    elif form == "dok":
        bad_keys(rng, M)
    return M


def bad_compressed(rng: random.Random, M: Any) -> None:
    """Index arrays that lead astray."""
    way = rng.randrange(8)
    if way <= 2 and M.indices.size:
        indices = M.indices.copy()
        for _ in range(rng.choice([1, 1, 3])):
            indices[rng.randrange(indices.size)] = rng.choice(INDICES)
        M.indices = indices
    elif way == 3:
        indptr = M.indptr.copy()
        indptr[rng.randrange(indptr.size)] = rng.choice([-1, 99, 2**31 - 1, 10**6])
        M.indptr = indptr
    elif way == 4:
        M.indptr = rng.choice(
            [
                M.indptr[:-1],
                np.append(M.indptr, 9),
                M.indptr[::-1].copy(),
                M.indptr.astype(float),
                M.indptr + 1,
            ]
        )
    elif way == 5:
        M.indices = rng.choice(
            [
                M.indices[:-1],
                M.indices.astype(float),
                M.indices.astype(">i4"),
                M.indices.astype(np.uint8),
                M.indices[::-1],
            ]
        )
    elif way == 6:
        M.data = rng.choice(
            [
                M.data[:-1],
                M.data.astype(rng.choice(TYPES[:13])),
                M.data[::-1],
                M.data.astype(float) * rng.choice(VALUES),
            ]
        )
    else:
        M.indices = np.zeros_like(M.indices)
        M.has_canonical_format = rng.choice([True, False])


def bad_coordinates(rng: random.Random, M: Any) -> None:
    """Coordinates that lead astray."""
    row, col = M.row.copy(), M.col.copy()
    if row.size:
        rng.choice([row, col])[rng.randrange(row.size)] = rng.choice(INDICES)
    cut = rng.choice([0, 0, 0, 1])
    M.coords = (row[cut:], col)
    if rng.random() < 0.3:
        M.data = rng.choice([M.data.astype("uint8") * 200, M.data[:-1], M.data.astype(object)])


def bad_keys(rng: random.Random, M: Any) -> None:
    """Keys that lead astray."""
    M._dict[rng.choice([(99, 0), (-1, 0), (0, 2**31), (0.5, 0), ("a", 0), (0,)])] = rng.choice(
        [1, "a", None, np.nan]
    )


def a_matrix(rng: random.Random) -> Any:
    """A matrix that is good, odd or bad."""
    X = whole_matrix(rng)
    way = rng.random()
    if way < 0.55:
        return bad_sparse(rng, X)
    if way < 0.7:
        return sparse_form(rng, with_value(rng, X) if rng.random() < 0.5 else X.astype(rng.choice(TYPES[:5])))
    return odd_dense(rng, X) if way < 0.95 else X


def finite_scores(rng: random.Random, counts: ts.Counts) -> None:
    """Scores of any metric are finite."""
    for metric in rng.sample([metric.name for metric in ts.metrics()], 3):
        try:
            values = np.asarray(ts.score(counts, metric), dtype=float)
        except ts.TermsiftError:
            continue
        check(np.isfinite(values).all(), f"{metric} is not finite")
