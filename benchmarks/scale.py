"""What bounds a job on Spark: the growth of a vocabulary, the rows of partial sums, and the speed of a core.

Growth and rows are counted on 20 Newsgroups, whole; the speeds come from a standalone cluster on loopback.
`python benchmarks/scale.py 1` takes the size of the cluster's corpus in GB.
docs/scale_page.py shows what it found.
"""

from __future__ import annotations

import csv
import sys
import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np

import newsgroups
import spark
import termsift as ts

RESULTS = Path(__file__).parent / "results"
SHARES = [2**-i for i in range(9, -1, -1)]
FITTED = 6  # the largest shares, to which the law is fitted
PARTITIONS = [2**i for i in range(11)]


def main(size: float) -> None:
    texts, labels = shuffled_texts()
    curve = growth(texts, labels)
    save("scale_growth", curve)
    save("scale_partitions", partial_rows(texts, labels, law(curve[-FITTED:], "pairs")))
    save("scale_constants", [*laws(curve[-FITTED:]), *speeds(size)])


def laws(curve: list[dict[str, float]]) -> list[dict[str, float | str]]:
    """The growth of terms, and of pairs of term and class."""
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


def growth(texts: list[str], labels: list[str]) -> list[dict[str, float]]:
    """Bytes, distinct terms, and distinct pairs of term and class, of larger and larger parts."""
    found = []
    for share in SHARES:
        n = int(len(texts) * share)
        counts = ts.count(texts[:n], labels[:n])
        found.append({"bytes": size_of(texts[:n]), "terms": len(counts.terms), "pairs": counts.df.nnz})
    return found


def size_of(texts: list[str]) -> int:
    return sum(len(text.encode()) for text in texts)


def law(curve: list[dict[str, float]], what: str) -> tuple[float, float]:
    """Heaps' law, factor * bytes ** exponent, by least squares of the logarithms."""
    x, y = (np.log([row[name] for row in curve]) for name in ("bytes", what))
    exponent, constant = np.polyfit(x, y, 1)
    return float(np.exp(constant)), float(exponent)


def partial_rows(texts: list[str], labels: list[str], heaps: tuple[float, float]) -> list[dict[str, float]]:
    """The rows of sums that P partitions send, counted, and by the formula: P factor (B / P) ** exponent."""
    whole, (factor, exponent) = size_of(texts), heaps
    found = []
    for n in PARTITIONS:
        edges = np.linspace(0, len(texts), n + 1).astype(int)
        rows = sum(ts.count(texts[a:b], labels[a:b], n_jobs=1).df.nnz for a, b in pairwise(edges))
        formula = n * factor * (whole / n) ** exponent
        found.append({"partitions": n, "rows": rows, "formula": round(formula)})
    return found


def speeds(size: float) -> list[dict[str, float | str]]:
    """Bytes a second of a core, and the bytes and seconds of a row in the shuffle."""
    from spark_cluster import Cluster

    with tempfile.TemporaryDirectory() as folder:
        text = spark.write(Path(folder) / "corpus", size * 1e9)
        cluster = Cluster(Path(folder) / "cluster")
        try:
            cluster.add_worker()
            cluster.add_worker()
            runs = [spark.measured("on_cluster", Path(folder) / "corpus", cluster.url) for _ in range(2)]
        finally:
            cluster.stop()
    run = min(runs, key=lambda run: run["seconds"])
    values = {
        "corpus_bytes": text,
        "corpus_seconds": run["seconds"],
        "bytes_a_second": text / run["before"],
        "rows": run["rows"],
        "result_rows": run["result"],
        "shuffle_bytes_a_row": run["shuffle"] / run["rows"],
        "seconds_a_row": run["after"] / run["rows"],
    }
    return [{"name": name, "value": value} for name, value in values.items()]


def save(name: str, rows: list[dict[str, float]] | list[dict[str, float | str]]) -> None:
    with (RESULTS / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 1)
