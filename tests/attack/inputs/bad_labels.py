"""Labels and weights that no program should make."""

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
from bad_counts import check_structure
from bad_matrices import bad_sparse, finite_scores
from trying import check

import termsift as ts


def good_labels(rng: random.Random, n: int) -> list[Any]:
    """Labels for so many documents."""
    return [rng.choice(["spam", "ham"]) if i > 1 else ["spam", "ham"][i] for i in range(n)]


def bad_labels(rng: random.Random, n: int) -> Any:
    """Labels that are odd or cannot be."""
    plain = good_labels(rng, n)
    codes = np.array([len(label) % 2 for label in plain], dtype=int)
    made: list[Callable[[], Any]] = [
        lambda: [None] * n, lambda: [rng.choice(["a", 1, None, 2.5, True, b"a"]) for _ in range(n)],
        lambda: plain[:-1], lambda: [[x] for x in plain],
        lambda: [[] for _ in range(n)], lambda: [{x} for x in plain], lambda: [{"a": x} for x in plain],
        lambda: [[[x]] for x in plain], lambda: np.nan,
        lambda: "spam", dict, lambda: 3, lambda: b"ab", lambda: iter(plain),
        lambda: np.ma.masked_array(codes, codes == 1),
        lambda: np.ma.masked_array(plain, [i % 2 for i in range(n)]), lambda: codes / 3,
        lambda: codes.astype(float) * np.nan, lambda: codes * 1j,
        lambda: [10**400 + i for i in range(n)], lambda: [decimal.Decimal(i) for i in range(n)],
        lambda: [decimal.Decimal("NaN")] * n,
        lambda: [datetime.date(2024, 1, 1 + i % 9) for i in range(n)], lambda: np.array(["NaT"] * n, "M8[s]"),
        lambda: codes.astype("M8[D]"),
        lambda: pd.Series(plain, dtype="category"), lambda: pd.Series([None, *plain][:n]),
        lambda: pd.Series(plain).astype("string"), lambda: pl.Series(plain),
        lambda: pl.Series([None, *plain][:n]), lambda: pa.array(plain).dictionary_encode(),
        lambda: pa.array([{"a": x} for x in plain]), lambda: pa.array([None] * n),
        lambda: np.zeros((n, 2)), lambda: np.ones((n, 2)), lambda: np.full((n, 2), np.nan),
        lambda: np.full((n, 2), 2), lambda: np.zeros((n, 0)), lambda: np.zeros((n, 1, 1)),
        lambda: np.array([[x, x] for x in plain]), lambda: np.array([b"a", b"b"] * n)[:n],
        lambda: bad_sparse(rng, (np.arange(n * 2).reshape(n, 2) % 2)),
        lambda: pd.DataFrame(np.eye(n, 2), columns=["a", "a"]), lambda: np.zeros(n, [("a", "i4")]),
        lambda: ["\ud800", "\0", "\u202e", "\x1b[31m", "", "x" * 9999] * n,
        lambda: [float("inf"), -0.0, 0.0, 1e400, 5e-324] * n,
        lambda: np.array(plain, dtype=object).reshape(-1, 1), lambda: range(n),
        lambda: [(), (1,), (1, 1)] * n,
        lambda: [np.array(["a"]), np.array([])] * n, lambda: [object()] * n, lambda: [print, len] * n,
        lambda: [float("nan"), "a"] * n, lambda: [[float("nan")], ["a"]] * n,
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
        lambda: None, lambda: 1, lambda: -1, lambda: "a", lambda: [1] * (n + 1), lambda: [1.5] * n,
        lambda: [0] * n, lambda: [np.nan] * n, lambda: [np.inf] * n,
        lambda: [-1] * n, lambda: [1e300] * n, lambda: [5e-324] * n, lambda: [2**53] * n,
        lambda: [10**400] * n, lambda: [[1]] * n, lambda: np.ones((n, 1)),
        lambda: np.ma.masked_array(np.ones(n), np.arange(n) % 2), lambda: ["1"] * n, lambda: [None] * n,
        lambda: [1j] * n, lambda: np.ones(n, "float16"), dict,
        lambda: pd.Series([1.0] * n), lambda: pl.Series([None] * n, dtype=pl.Float64),
        lambda: pa.array([1.0] * n), lambda: iter([1] * n), lambda: [True] * n, lambda: [1e150] * n,
        lambda: np.random.default_rng(rng.randrange(99)).lognormal(0, 30, n), lambda: np.ones(n, ">f8"),
        lambda: np.array(["NaT"] * n, "m8[s]"), lambda: [decimal.Decimal(1)] * n,
    ]  # fmt: skip
    return rng.choice(made)()


def a_weighted_count(rng: random.Random, folder: Path) -> None:
    """The attempt at weights, of texts, of a matrix and of a file."""
    texts = ["free prize", "lunch at noon", "free lunch", "prize"]
    labels = ["spam", "ham", "ham", "spam"]
    weights = a_weight(rng, 4)
    way = rng.randrange(3)
    if way == 0:
        (folder / "mail.csv").write_text(
            "text,label\n" + "".join(f"{t},{c}\n" for t, c in zip(texts, labels, strict=True))
        )
        counts = ts.count(folder / "mail.csv", sample_weight=weights)
    else:
        counts = ts.count(texts if way == 1 else np.eye(4, 3, dtype=int), labels, sample_weight=weights)
    check_structure(counts)
    finite_scores(rng, counts)
