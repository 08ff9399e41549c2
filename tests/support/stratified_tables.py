"""Random stratified 2x2 tables with the Mantel-Haenszel figures of statsmodels.

`uv run --with statsmodels==0.15.0 tests/support/stratified_tables.py` writes stratified_tables.csv beside this
file, which the tests read, so that they need no statsmodels.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

PATH = Path(__file__).with_suffix(".csv")
FIGURES = ("log_odds", "low", "high", "chi2", "p")


def draw_tables(number: int = 200) -> list[np.ndarray]:
    """Draw tables of 2 to 8 strata, (strata, 4) cells A, B, C, D, some of them empty."""
    rng = np.random.default_rng(20261119)
    tables: list[np.ndarray] = []
    while len(tables) < number:
        n_strata = rng.integers(2, 9)
        sizes, share = rng.integers(8, 400, n_strata), rng.choice([0.02, 0.1, 0.3])
        rates, odds = rng.uniform(0.01, 0.5, n_strata), np.exp(rng.normal(0, 1))
        pos = np.maximum(rng.binomial(sizes, share), 1)
        a = rng.binomial(pos, rates * odds / (1 - rates + rates * odds))
        b = rng.binomial(sizes - pos, rates)
        table = np.stack([a, b, pos - a, sizes - pos - b], axis=1)
        n = table.sum(axis=1)
        products = (table[:, 0] * table[:, 3] / n).sum(), (table[:, 1] * table[:, 2] / n).sum()
        # without these sums statsmodels has no estimate
        if min(products) > 0:
            tables.append(table)
    return tables


def read_tables() -> list[tuple[np.ndarray, dict[str, float]]]:
    """Return each table with its figures."""
    with PATH.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        (
            np.array([stratum.split() for stratum in row["strata"].split(";")], dtype=float),
            {name: float(row[name]) for name in FIGURES},
        )
        for row in rows
    ]


def main() -> None:
    """Write the tables with their figures."""
    from statsmodels.stats.contingency_tables import StratifiedTable

    with PATH.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["strata", *FIGURES])
        for table in draw_tables():
            fitted = StratifiedTable([stratum.reshape(2, 2).astype(float) for stratum in table])
            test = fitted.test_null_odds()
            figures = fitted.logodds_pooled, *fitted.logodds_pooled_confint(), test.statistic, test.pvalue
            strata = ";".join(" ".join(map(str, stratum)) for stratum in table.tolist())
            writer.writerow([strata, *(repr(float(figure)) for figure in figures)])


if __name__ == "__main__":
    main()
