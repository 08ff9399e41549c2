"""The filters of page.md: tables with printed and our figures, and every metric in every scenario."""

from __future__ import annotations

from statistics import median_high

from termsift.studies.pages import Rows, spread_rows, thousandths
from termsift.studies.zheng2004.outcomes import method_of

HEADS = {
    "one-sided": "one-sided",
    "two-sided": "sign ignored",
    "practical": "practical",
    "cv": "cross-validation",
    "ideal": "ideal",
}


def farthest_method(rows: Rows, *methods: str) -> dict[str, str]:
    """The row of the method that is farthest off in a table."""
    by_method = [row for row in rows if row["method"] in methods]
    return max(by_method, key=lambda row: abs(float(row["mean difference"])))


def both_figures(row: dict[str, str]) -> str:
    """Printed, ours."""
    return f"{thousandths(row['printed'])} {thousandths(row['ours'])}"


def figures_by_size(rows: Rows, heads: str) -> Rows:
    """Printed and our figures by number of terms."""
    selected = [row | {"terms": row["size"]} for row in rows if row["size"] != "all"]
    return spread_rows(selected, "terms", heads, both_figures)


def largest_values(cells: Rows) -> Rows:
    """How many of the largest values are near the printed ones."""
    lines = []
    for metric, sign in [(metric, sign) for metric in ("IG", "CHI", "ORS") for sign in "+-"]:
        own = [abs(float(c["relative"])) for c in cells if (c["metric"], c["sign"]) == (metric, sign)]
        near = f"{sum(relative <= 0.03 for relative in own)} of {len(own)}"
        off = f"{median_high(own):.3f}"
        lines.append({"metric": metric, "sign": sign, "within 3 %": near, "median relative difference": off})
    return lines


def every_metric(averages: Rows) -> Rows:
    """The best micro-average over sizes of every one-sided metric, by scenario."""
    found: dict[tuple[str, str], tuple[float, str]] = {}
    for row in averages:
        key, value = (row["classifier"], row["method"]), (float(row["micro"]), row["size"])
        found[key] = max(value, found.get(key, value))
    metrics = sorted({method[1:] for _, method in found if method[0] == "i" and method[-1].isupper()})
    best = {key: f"{thousandths(str(value))} at {size}" for key, (value, size) in found.items()}
    return [
        {"classifier": classifier, "metric": metric}
        | {head: best.get((classifier, method_of(metric.lower(), s)), "") for s, head in HEADS.items()}
        for classifier in ("NB", "LR")
        for metric in metrics
    ]


ZHENG_FILTERS = (farthest_method, both_figures, figures_by_size, largest_values, every_metric)
