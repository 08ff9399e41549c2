"""The filter of page.md: measures by metric."""

from __future__ import annotations

from termsift.studies.pages import Rows, thousandths
from termsift.studies.uchyigit_clark.outcomes import GOALS

SIZES = ("10", "50", "100", "200", "500", "1000")


def measures_by_metric(summary: Rows, averages: Rows) -> Rows:
    """Means over sizes, the best in F1 first, and F1 at some sizes."""
    f1 = {(row["metric"], row["size"]): row["f1"] for row in averages}
    return [
        {"metric": row["metric"]}
        | {name: thousandths(row[name]) for name in (*GOALS, "deviation of f1")}
        | {f"f1, {size} words": thousandths(f1[row["metric"], size]) for size in SIZES}
        for row in summary
    ]


UCHYIGIT_FILTERS = (measures_by_metric,)
