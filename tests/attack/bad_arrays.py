"""Matrices, labels and weights that no program should make, given to whatever takes them."""

from __future__ import annotations

import datetime
import decimal
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp

import termsift as ts
from bad_counts import check_structure
from trying import check

TYPES = ["int8", "uint8", "int16", "int64", "uint64", "float16", "float32", "float64", "longdouble", ">i4", ">f8", "bool", "complex128"]
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
        lambda: X.astype(rng.choice(TYPES)), lambda: X[::-1, ::-1], lambda: np.asfortranarray(X), lambda: X[:, :, None], lambda: X.ravel(),
        lambda: X.astype(float) * rng.choice(VALUES), lambda: with_value(rng, X), lambda: np.ma.masked_array(X, X > 1), lambda: np.matrix(X),
        lambda: pd.DataFrame(X), lambda: pd.DataFrame(X.astype(str)), lambda: pl.DataFrame(X), lambda: pa.table({str(i): X[:, i] for i in range(X.shape[1])}),
        lambda: X.tolist(), lambda: read_only(X), lambda: pd.DataFrame(X, columns=["same"] * X.shape[1]), lambda: pd.DataFrame(X).astype("category"),
        lambda: pd.DataFrame(X).astype("Int64").mask(X > 1), lambda: np.broadcast_to(X[:1], X.shape) if len(X) else X, lambda: X.astype("float16") * 60000,
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
        M.offsets = rng.choice([M.offsets + 99, M.offsets[::-1], np.repeat(M.offsets[:1], len(M.offsets)), M.offsets - (2**31 - 9)])
    elif form == "lil" and len(M.rows):
        i = rng.randrange(len(M.rows))
        M.rows[i] = rng.choice([[99], [-1], [0, 0], [1, 0], M.rows[i] + [0], [2**31]])
        M.data[i] = rng.choice([M.data[i], [1] * len(M.rows[i]), ["a"] * len(M.rows[i]), [None] * len(M.rows[i])])
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
        M.indptr = rng.choice([M.indptr[:-1], np.append(M.indptr, 9), M.indptr[::-1].copy(), M.indptr.astype(float), M.indptr + 1])
    elif way == 5:
        M.indices = rng.choice([M.indices[:-1], M.indices.astype(float), M.indices.astype(">i4"), M.indices.astype(np.uint8), M.indices[::-1]])
    elif way == 6:
        M.data = rng.choice([M.data[:-1], M.data.astype(rng.choice(TYPES[:13])), M.data[::-1], M.data.astype(float) * rng.choice(VALUES)])
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
    M._dict[rng.choice([(99, 0), (-1, 0), (0, 2**31), (0.5, 0), ("a", 0), (0,)])] = rng.choice([1, "a", None, np.nan])


def a_matrix(rng: random.Random) -> Any:
    """A matrix that is good, odd or bad."""
    X = whole_matrix(rng)
    way = rng.random()
    if way < 0.55:
        return bad_sparse(rng, X)
    if way < 0.7:
        return sparse_form(rng, with_value(rng, X) if rng.random() < 0.5 else X.astype(rng.choice(TYPES[:8])))
    return odd_dense(rng, X) if way < 0.95 else X


def rows_of(X: Any) -> int:
    """How many documents there seem to be."""
    return X.shape[0] if getattr(X, "shape", ()) else len(X)


def good_labels(rng: random.Random, n: int) -> list[Any]:
    """Labels for so many documents."""
    return [rng.choice(["spam", "ham"]) if i > 1 else ["spam", "ham"][i] for i in range(n)]


def a_count(rng: random.Random, folder: Path) -> None:
    """The attempt at ts.count with matrices."""
    X = a_matrix(rng)
    options: dict[str, Any] = {}
    if rng.random() < 0.2:
        options["sample_weight"] = a_weight(rng, rows_of(X))
    if rng.random() < 0.2:
        options["terms"] = rng.choice([["a"], [None] * 4, "abcd", [1, 2, 3, 4], ["a", "a", "b", "c"], np.array([b"a"] * 4), ["\ud800", "\0", "", "a"]])
    counts = ts.count(X, good_labels(rng, rows_of(X)), **options)
    check_structure(counts)
    finite_scores(rng, counts)


def finite_scores(rng: random.Random, counts: ts.Counts) -> None:
    """Scores of any metric are finite."""
    for metric in rng.sample([metric.name for metric in ts.metrics()], 3):
        try:
            values = np.asarray(ts.score(counts, metric), dtype=float)
        except ts.TermsiftError:
            continue
        check(np.isfinite(values).all(), f"{metric} is not finite")


def estimators(rng: random.Random) -> Any:
    """An estimator of ours."""
    made = [
        lambda: ts.TermSelector("chi2", k=2), lambda: ts.TermSelector("bns", policy="Percentile(50)"), lambda: ts.TermWeighter("chi2"),
        lambda: ts.PositiveNegativeSelector(k=2), lambda: ts.ClassWeightExtractor(), lambda: ts.WordClusterExtractor(n_clusters=2),
        lambda: ts.GreedyDiscriminationSelector(k=2),
    ]  # fmt: skip
    return rng.choice(made)()


def an_estimator(rng: random.Random, folder: Path) -> None:
    """The attempt at estimators: fitted to one matrix, they transform another."""
    X = a_matrix(rng)
    y = good_labels(rng, rows_of(X)) if rng.random() < 0.8 else bad_labels(rng, rows_of(X))
    if rng.random() < 0.15:
        ts.ScoreFunction(rng.choice(["chi2", "bns", "ig"]))(X, y)
        return
    fitted = estimators(rng)
    if hasattr(fitted, "partial_fit") and rng.random() < 0.2:
        fitted.partial_fit(X, y)
    else:
        fitted.fit(X, y)
    found = fitted.transform(X if rng.random() < 0.5 else a_matrix(rng))
    values = found.tocoo().data if sp.issparse(found) else np.asarray(found)
    check(np.isfinite(np.asarray(values, dtype=float)).all(), "a feature that is not finite")


def bad_labels(rng: random.Random, n: int) -> Any:
    """Labels that are odd or cannot be."""
    plain = good_labels(rng, n)
    codes = np.array([len(label) % 2 for label in plain], dtype=int)
    made: list[Callable[[], Any]] = [
        lambda: [None] * n, lambda: [rng.choice(["a", 1, None, 2.5, True, b"a"]) for _ in range(n)], lambda: plain[:-1], lambda: [[x] for x in plain],
        lambda: [[] for _ in range(n)], lambda: [{x} for x in plain], lambda: [{"a": x} for x in plain], lambda: [[[x]] for x in plain], lambda: np.nan,
        lambda: "spam", lambda: {}, lambda: 3, lambda: b"ab", lambda: iter(plain), lambda: np.ma.masked_array(codes, codes == 1),
        lambda: np.ma.masked_array(plain, [i % 2 for i in range(n)]), lambda: codes / 3, lambda: codes.astype(float) * np.nan, lambda: codes * 1j,
        lambda: [10**400 + i for i in range(n)], lambda: [decimal.Decimal(i) for i in range(n)], lambda: [decimal.Decimal("NaN")] * n,
        lambda: [datetime.date(2024, 1, 1 + i % 9) for i in range(n)], lambda: np.array(["NaT"] * n, "M8[s]"), lambda: codes.astype("M8[D]"),
        lambda: pd.Series(plain, dtype="category"), lambda: pd.Series([None, *plain][:n]), lambda: pd.Series(plain).astype("string"), lambda: pl.Series(plain),
        lambda: pl.Series([None, *plain][:n]), lambda: pa.array(plain).dictionary_encode(), lambda: pa.array([{"a": x} for x in plain]), lambda: pa.array([None] * n),
        lambda: np.zeros((n, 2)), lambda: np.ones((n, 2)), lambda: np.full((n, 2), np.nan), lambda: np.full((n, 2), 2), lambda: np.zeros((n, 0)), lambda: np.zeros((n, 1, 1)),
        lambda: np.array([[x, x] for x in plain]), lambda: np.array([b"a", b"b"] * n)[:n], lambda: bad_sparse(rng, (np.arange(n * 2).reshape(n, 2) % 2)),
        lambda: pd.DataFrame(np.eye(n, 2), columns=["a", "a"]), lambda: np.zeros(n, [("a", "i4")]), lambda: ["\ud800", "\0", "\u202e", "\x1b[31m", "", "x" * 9999] * n,
        lambda: [float("inf"), -0.0, 0.0, 1e400, 5e-324] * n, lambda: np.array(plain, dtype=object).reshape(-1, 1), lambda: range(n), lambda: [(), (1,), (1, 1)] * n,
        lambda: [np.array(["a"]), np.array([])] * n, lambda: [object()] * n, lambda: [print, len] * n, lambda: [float("nan"), "a"] * n, lambda: [[float("nan")], ["a"]] * n,
    ]  # fmt: skip
    found = rng.choice(made)()
    return found[:n] if isinstance(found, list) and rng.random() < 0.9 else found


def a_label(rng: random.Random, folder: Path) -> None:
    """The attempt at labels."""
    n = rng.choice([0, 1, 4, 9])
    texts = ["free prize", "lunch at noon", "free lunch"] * 3
    data: Any = texts[:n] if rng.random() < 0.6 else np.arange(n * 3).reshape(n, 3) % 4
    counts = ts.count(data, bad_labels(rng, n))
    check_structure(counts)
    check(all(name is not None and name == name for name in counts.classes), "a class that is missing")
    finite_scores(rng, counts)
    counts.save(folder / "counts.parquet")
    check(ts.Counts.load(folder / "counts.parquet") == counts, "loaded, it is another")


def a_weight(rng: random.Random, n: int) -> Any:
    """Weights that are odd or cannot be."""
    made: list[Callable[[], Any]] = [
        lambda: None, lambda: 1, lambda: -1, lambda: "a", lambda: [1] * (n + 1), lambda: [1.5] * n, lambda: [0] * n, lambda: [np.nan] * n, lambda: [np.inf] * n,
        lambda: [-1] * n, lambda: [1e300] * n, lambda: [5e-324] * n, lambda: [2**53] * n, lambda: [10**400] * n, lambda: [[1]] * n, lambda: np.ones((n, 1)),
        lambda: np.ma.masked_array(np.ones(n), np.arange(n) % 2), lambda: ["1"] * n, lambda: [None] * n, lambda: [1j] * n, lambda: np.ones(n, "float16"), lambda: {},
        lambda: pd.Series([1.0] * n), lambda: pl.Series([None] * n, dtype=pl.Float64), lambda: pa.array([1.0] * n), lambda: iter([1] * n), lambda: [True] * n, lambda: [1e150] * n,
        lambda: np.random.default_rng(rng.randrange(99)).lognormal(0, 30, n), lambda: np.ones(n, ">f8"), lambda: np.array(["NaT"] * n, "m8[s]"), lambda: [decimal.Decimal(1)] * n,
    ]  # fmt: skip
    return rng.choice(made)()


def a_weighted_count(rng: random.Random, folder: Path) -> None:
    """The attempt at weights, of texts, of a matrix and of a file."""
    texts = ["free prize", "lunch at noon", "free lunch", "prize"]
    labels = ["spam", "ham", "ham", "spam"]
    weights = a_weight(rng, 4)
    way = rng.randrange(3)
    if way == 0:
        (folder / "mail.csv").write_text("text,label\n" + "".join(f"{t},{c}\n" for t, c in zip(texts, labels, strict=True)))
        counts = ts.count(folder / "mail.csv", sample_weight=weights)
    else:
        counts = ts.count(texts if way == 1 else np.eye(4, 3, dtype=int), labels, sample_weight=weights)
    check_structure(counts)
    finite_scores(rng, counts)
