"""The filters of page.md: averages by size, shares by goal and weights, the best metric first."""

from __future__ import annotations

from termsift.studies.forman2003.outcomes import GOALS
from termsift.studies.forman2003.statements import NAMES, TOLERANCE
from termsift.studies.pages import Rows, spread_rows, thousandths

SIZES = ("10", "20", "50", "100", "200", "500", "1000", "2000")


def f1_by_size(averages: Rows) -> Rows:
    """Macro-averages of F by metric and size."""
    values = {(row["metric"], row["size"]): row["value"] for row in averages if row["goal"] == "f1"}
    order = sorted(NAMES, key=lambda metric: -max(float(values[metric, size]) for size in SIZES))
    return [{"metric": NAMES[m]} | {s: thousandths(values[m, s]) for s in SIZES} for m in order]


def shares_by_goal(chances: Rows) -> Rows:
    """The share of problems that each metric wins within the least tolerance."""
    found = {
        (row["method"], row["goal"]): float(row["share"])
        for row in chances
        if float(row["tolerance"]) == TOLERANCE[row["goal"]]
    }
    order = sorted(NAMES, key=lambda metric: -found[metric, "f1"])
    return [{"metric": NAMES[m]} | {goal: f"{found[m, goal]:.0%}" for goal in GOALS} for m in order]


def best_pairs(pairs: Rows) -> Rows:
    """The best pair of metrics for each goal, by their names, and its share of problems."""
    named = [(row, NAMES[row["method"]], NAMES[row["other"]]) for row in pairs]
    return [row | {"pair": f"{a} and {b}", "won": f"{float(row['share']):.0%}"} for row, a, b in named]


def by_alpha(values: Rows) -> Rows:
    """What each weight of positive terms gives, by goal and size."""
    return spread_rows(values, "alpha", "{goal}, {size} terms", lambda row: thousandths(row["value"]))


FORMAN_FILTERS = (f1_by_size, shares_by_goal, best_pairs, by_alpha)
