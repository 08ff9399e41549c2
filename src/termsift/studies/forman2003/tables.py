"""The tables: averages by metric and size, best values by problem, chances, pairs, statements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from termsift.evaluation import best_pairs, chances, residual_wins
from termsift.studies.forman2003.asked import TOLERANCE
from termsift.studies.forman2003.choices import averages_of
from termsift.studies.forman2003.outcomes import GOALS, Outcomes, outcomes
from termsift.studies.forman2003.statements import statements
from termsift.studies.forman2003.trials import METRICS, SIZES
from termsift.studies.lines import table_of
from termsift.tables import Table

Lines: TypeAlias = list[dict[str, Any]]

# a tenth of the others' for accuracy, whose range the skew compresses
SCALE = {"accuracy": 0.1}


def tables(rows: list[dict[str, Any]]) -> dict[str, Table]:
    """All tables, from the rows of all units."""
    found = outcomes(rows)
    best = {goal: maxima_table(found, goal) for goal in GOALS}
    return {
        "averages": table_of(list(averages_of(found, METRICS))),
        "maxima": table_of([line for goal in GOALS for line in best[goal]]),
        "chances": table_of([line for goal in GOALS for line in chances_of(best[goal], goal)]),
        "residual": table_of([line for goal in GOALS for line in residual_of(best[goal], goal)]),
        "pairs": table_of([line for goal in GOALS for line in pairs_of(best[goal], goal)]),
        "problems": table_of(list(by_problem(found))),
        "statements": table_of(statements(found)),
        "summary": summary(found),
    }


def maxima_table(found: Outcomes, goal: str) -> Lines:
    """The average maximum of each problem and metric."""
    return [
        {"goal": goal, "set": name, "class": one, "metric": metric, "value": round(value, 5)}
        for (name, one), values in zip(found.problems, found.maxima(goal).tolist(), strict=True)
        for metric, value in zip(METRICS, values, strict=True)
    ]


def runs(lines: Lines) -> dict[str, list[Any]]:
    """Average maxima as results that chances are made of."""
    return {
        "problem": [f"{line['set']} {line['class']}" for line in lines],
        "method": [line["metric"] for line in lines],
        "value": [line["value"] for line in lines],
    }


def chances_of(lines: Lines, goal: str) -> Lines:
    """The share of problems within each tolerance of the best: figures 9, 10a and 18 to 21."""
    tolerances = [round(percent / 100 * SCALE.get(goal, 1.0), 4) for percent in range(1, 11)]
    return [{"goal": goal} | rounded(line) for line in chances(runs(lines), tolerances)]


def residual_of(lines: Lines, goal: str) -> Lines:
    """What each metric wins where the leading one fails: figure 10b."""
    first = next(iter(chances(runs(lines), [TOLERANCE[goal]])))["method"]
    found = residual_wins(runs(lines), first, TOLERANCE[goal])
    return [{"goal": goal, "first": first} | rounded(line) for line in found]


def pairs_of(lines: Lines, goal: str) -> Lines:
    """The pair that wins most problems."""
    found = best_pairs(runs(lines), TOLERANCE[goal])
    return [{"goal": goal, "tolerance": TOLERANCE[goal]} | rounded(line) for line in found]


def by_problem(found: Outcomes) -> Iterator[dict[str, Any]]:
    """Each problem with its skew and the measures of 1000 terms by BNS: figure 6."""
    m, s = METRICS.index("bns"), SIZES.tolist().index(1000)
    for p, (name, one) in enumerate(found.problems):
        values = {goal: round(float(found.values[goal][p, :, m, s].mean()), 5) for goal in GOALS}
        yield {"set": name, "class": one, "skew": round(float(found.skew[p]), 3)} | values


def summary(found: Outcomes) -> Table:
    """Macro-averaged F1 by metric and size, the metric of the best first."""
    macro = found.macro("f1")
    order = np.argsort(-macro.max(axis=1), kind="stable")
    lines = [
        {"metric": METRICS[m]}
        | {str(size): round(value, 4) for size, value in zip(SIZES.tolist(), macro[m].tolist(), strict=True)}
        for m in order.tolist()
    ]
    every = {"metric": "all terms"} | dict.fromkeys(map(str, SIZES.tolist()), None)
    return table_of([*lines, every | {"2000": round(found.macro_of_all_terms("f1"), 4)}])


def rounded(line: dict[str, Any]) -> dict[str, Any]:
    """A line with its shares to five digits."""
    return {name: round(value, 5) if isinstance(value, float) else value for name, value in line.items()}
