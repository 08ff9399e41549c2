"""Tables of averages, best values by problem, win rates and pairs; filters for page.md."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from termsift._internal.tables import Table
from termsift.evaluation import best_pairs, residual_wins, win_rates
from termsift_studies.forman2003.extended import tabulate_averages
from termsift_studies.forman2003.statements import NAMES, forman_statements
from termsift_studies.forman2003.trials import (
    AVERAGED,
    GOALS,
    METRICS,
    SIZES,
    TOLERANCE,
    FormanOutcomes,
    forman_outcomes,
)
from termsift_studies.publishing import Rows, pivot_rows, thousandths
from termsift_studies.study import Line, Lines, Row, build_tables, count_verdicts

# a tenth of the others' for accuracy, whose range the skew compresses
SCALE = {"accuracy": 0.1}


def forman_tables(rows: list[Row]) -> dict[str, Table]:
    """Build all tables from the rows of all units."""
    outcomes, by_folds = (
        forman_outcomes([row for row in rows if row["averaged"] == averaged]) for averaged in AVERAGED
    )
    best = {goal: tabulate_maxima(outcomes, goal) for goal in GOALS}
    return build_tables({
        "averages": tabulate_averages(outcomes),
        "maxima": [row for goal in GOALS for row in best[goal]],
        "chances": [row for goal in GOALS for row in tabulate_win_rates(best[goal], goal)],
        "residual": [row for goal in GOALS for row in tabulate_residual_wins(best[goal], goal)],
        "pairs": [row for goal in GOALS for row in tabulate_pairs(best[goal], goal)],
        "problems": tabulate_problems(outcomes),
        "statements": forman_statements(outcomes),
        "averaged": [summarize_averaging("pooled", outcomes), summarize_averaging("folds", by_folds)],
        "by_folds": forman_statements(by_folds),
        "summary": tabulate_best_first(outcomes),
    })  # fmt: skip


def summarize_averaging(name: str, outcomes: FormanOutcomes) -> Line:
    """Return some figures and the numbers of verdicts of all trials for a method of averaging."""
    figures = {
        f"{metric} {size}": round(outcomes.of(metric, "f1", size), 4)
        for metric in ("bns", "ig")
        for size in (100, 1000)
    }
    return {"averaged": name} | figures | count_verdicts(forman_statements(outcomes))


def tabulate_maxima(outcomes: FormanOutcomes, goal: str) -> Lines:
    """Tabulate the average maximum of each problem and metric."""
    return [
        {"goal": goal, "set": name, "class": category, "metric": metric, "value": round(value, 5)}
        for (name, category), values in zip(outcomes.problems, outcomes.maxima(goal).tolist(), strict=True)
        for metric, value in zip(METRICS, values, strict=True)
    ]


def maxima_runs(maxima: Lines) -> dict[str, list[Any]]:
    """Return average maxima in the form that the win analysis takes."""
    return {
        "problem": [f"{row['set']} {row['class']}" for row in maxima],
        "method": [row["metric"] for row in maxima],
        "value": [row["value"] for row in maxima],
    }


def tabulate_win_rates(maxima: Lines, goal: str) -> Lines:
    """Tabulate the share of problems within each tolerance of the best: figures 9, 10a and 18 to 21."""
    tolerances = [round(percent / 100 * SCALE.get(goal, 1.0), 4) for percent in range(1, 11)]
    return [{"goal": goal} | round_row(row) for row in win_rates(maxima_runs(maxima), tolerances)]


def tabulate_residual_wins(maxima: Lines, goal: str) -> Lines:
    """Tabulate the wins of each metric on problems that the leading metric loses: figure 10b."""
    first = next(iter(win_rates(maxima_runs(maxima), [TOLERANCE[goal]])))["method"]
    wins = residual_wins(maxima_runs(maxima), first, TOLERANCE[goal])
    return [{"goal": goal, "first": first} | round_row(row) for row in wins]


def tabulate_pairs(maxima: Lines, goal: str) -> Lines:
    """Tabulate the pair of metrics that wins most problems."""
    best = best_pairs(maxima_runs(maxima), TOLERANCE[goal])
    return [{"goal": goal, "tolerance": TOLERANCE[goal]} | round_row(row) for row in best]


def tabulate_problems(outcomes: FormanOutcomes) -> Iterator[Line]:
    """Tabulate the size and skew of each problem and its goals with 1000 terms by BNS: figures 6 and 12."""
    m, s = METRICS.index("bns"), SIZES.tolist().index(1000)
    for p, (name, category) in enumerate(outcomes.problems):
        values = {goal: round(float(outcomes.values[goal][p, :, m, s].mean()), 5) for goal in GOALS}
        sizes = dict(zip(("positive", "negative"), outcomes.sizes[p].tolist(), strict=True))
        yield {"set": name, "class": category, "skew": round(float(outcomes.skew[p]), 3)} | sizes | values


def tabulate_best_first(outcomes: FormanOutcomes) -> Lines:
    """Tabulate macro-averaged F1 by metric and size, best metric first."""
    macro = outcomes.macro("f1")
    order = np.argsort(-macro.max(axis=1), kind="stable")
    metric_rows = [
        {"metric": METRICS[m]}
        | {str(size): round(value, 4) for size, value in zip(SIZES.tolist(), macro[m].tolist(), strict=True)}
        for m in order.tolist()
    ]
    every = {"metric": "all terms"} | dict.fromkeys(map(str, SIZES.tolist()), None)
    return [*metric_rows, every | {"2000": round(outcomes.macro_of_all_terms("f1"), 4)}]


def round_row(row: Line) -> Line:
    """Round the shares of a row to five digits."""
    return {name: round(value, 5) if isinstance(value, float) else value for name, value in row.items()}


def f1_by_size(averages: Rows) -> Rows:
    """Return macro-averages of F by metric and size."""
    values = {(row["metric"], row["size"]): row["value"] for row in averages if row["goal"] == "f1"}
    sizes = list(map(str, SIZES.tolist()))
    order = sorted(NAMES, key=lambda metric: -max(float(values[metric, size]) for size in sizes))
    return [{"metric": NAMES[m]} | {s: thousandths(values[m, s]) for s in sizes} for m in order]


def shares_by_goal(chances: Rows) -> Rows:
    """Return the share of problems that each metric wins within the smallest tolerance."""
    shares = {
        (row["method"], row["goal"]): float(row["share"])
        for row in chances
        if float(row["tolerance"]) == TOLERANCE[row["goal"]]
    }
    order = sorted(NAMES, key=lambda metric: -shares[metric, "f1"])
    return [{"metric": NAMES[m]} | {goal: f"{shares[m, goal]:.0%}" for goal in GOALS} for m in order]


def name_pairs(pairs: Rows) -> Rows:
    """Add the names and the share of problems of the best pair for each goal."""
    pairs_with_names = [(row, NAMES[row["method"]], NAMES[row["other"]]) for row in pairs]
    return [
        row | {"pair": f"{a} and {b}", "won": f"{float(row['share']):.0%}"} for row, a, b in pairs_with_names
    ]


def pivot_by_alpha(values: Rows) -> Rows:
    """Return the scores of each weight of positive terms by goal and size."""
    return pivot_rows(values, "alpha", "{goal}, {size} terms", lambda row: thousandths(row["value"]))


def verdicts_by_interpretation(statements: Rows) -> Rows:
    """Return the verdict on each statement, a column for each interpretation."""
    return pivot_rows(statements, "statement", "{interpretation}", lambda row: row["verdict"])


def count_same_first(rows: Rows, other_rows: Rows) -> tuple[int, int]:
    """Return the number of rows in which two tables have the same best method, and the number of rows."""
    pairs = [
        (first["first"].rsplit(" ", 1)[0], second["first"].rsplit(" ", 1)[0])
        for first, second in zip(rows, other_rows, strict=True)
    ]
    return sum(first == second for first, second in pairs), len(pairs)


FORMAN_FILTERS = (
    f1_by_size,
    shares_by_goal,
    name_pairs,
    pivot_by_alpha,
    verdicts_by_interpretation,
    count_same_first,
)
