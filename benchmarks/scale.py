"""How a vocabulary grows, and the rows that partitions send: 20 Newsgroups, counted whole and in parts.

docs/make/scale_page.py shows what was found, with the speeds that spark.py measured.
"""

from __future__ import annotations

import csv
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import newsgroups
import termsift as ts

RESULTS = Path(__file__).parent / "results"
SHARES = [2**-i for i in range(9, -1, -1)]
FITTED = 6  # the largest shares, to which the law is fitted
PARTITIONS = [2**i for i in range(11)]


def main() -> None:
    texts, labels = shuffled_texts()
    curve = growth(texts, labels)
    save("scale_growth", curve)
    save("scale_partitions", partial_rows(texts, labels, law(curve[-FITTED:], "pairs")))
    save("scale_laws", laws(curve[-FITTED:]))


def laws(curve: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Measure the growth of terms, and of pairs of term and class."""
    return [
        {"name": f"{what}_{part}", "value": value}
        for what in ("terms", "pairs")
        for part, value in zip(("factor", "exponent"), law(curve, what), strict=True)
    ]


def shuffled_texts() -> tuple[list[str], list[str]]:
    """All messages, in an order that does not follow their newsgroups."""
    texts, labels = newsgroups.texts_and_labels()
    order = np.random.default_rng(0).permutation(len(texts))
    return [texts[i] for i in order], [str(labels[i]) for i in order]


def growth(texts: list[str], labels: list[str]) -> list[dict[str, Any]]:
    """Bytes, distinct terms, and distinct pairs of term and class, of larger and larger parts."""
    found = []
    for share in SHARES:
        n = int(len(texts) * share)
        counts = ts.count(texts[:n], labels[:n])
        found.append({"bytes": size_of(texts[:n]), "terms": len(counts.terms), "pairs": counts.df.nnz})
    return found


def size_of(texts: list[str]) -> int:
    return sum(len(text.encode()) for text in texts)


def law(curve: list[dict[str, Any]], what: str) -> tuple[float, float]:
    """Heaps' law, factor * bytes ** exponent, by least squares of the logarithms."""
    x, y = (np.log([row[name] for row in curve]) for name in ("bytes", what))
    exponent, constant = np.polyfit(x, y, 1)
    return float(np.exp(constant)), float(exponent)


def partial_rows(texts: list[str], labels: list[str], heaps: tuple[float, float]) -> list[dict[str, Any]]:
    """Compare the rows of sums that P partitions send with the formula P factor (B / P) ** exponent."""
    whole, (factor, exponent) = size_of(texts), heaps
    found = []
    for n in PARTITIONS:
        edges = np.linspace(0, len(texts), n + 1).astype(int)
        rows = sum(ts.count(texts[a:b], labels[a:b], n_jobs=1).df.nnz for a, b in pairwise(edges))
        formula = n * factor * (whole / n) ** exponent
        found.append({"partitions": n, "rows": rows, "formula": round(formula)})
    return found


def save(name: str, rows: list[dict[str, Any]]) -> None:
    with (RESULTS / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
