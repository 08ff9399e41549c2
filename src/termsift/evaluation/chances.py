"""Which method, or pair of methods, is most likely to do best on a problem like those of a comparison.

Forman (2003), section 4.2. A method wins a problem if it comes within a tolerance of the best method there.
Several may win, one does at least. Larger values are better; with sizes, each method has its best one.

results : a Table, a data frame of any library, or a mapping of columns
tolerance : in the unit of the values, so 0.01 is a point of F1; with relative=True, a share of the best value
names : the results' own names for the columns problem, method, value, goal and size
    Columns called goal and size may be absent.

Forman says "within 1%" but not of what, so both readings are here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations
from typing import Any, Unpack

import numpy as np

from termsift._typing import Array
from termsift.errors import InvalidInput, unknown
from termsift.evaluation.runs import Names, reached, runs_of, several, table_of_runs
from termsift.evaluation.significance import Significance, wilcoxon
from termsift.tables import Table

ROUNDING = 1e-12
TOLERANCES = tuple(percent / 100 for percent in range(1, 11))


def chances(
    results: Any, tolerances: Iterable[float] = TOLERANCES, *, relative: bool = False, **names: Unpack[Names]
) -> Table:
    """The share of problems that each method wins, by goal and tolerance, best first, ties by name.

    Forman's figures 9 and 18 to 21. A single method always wins.

    results : one run per row: a Table, a data frame or a mapping of columns
    tolerances : how far from the best a method still wins
    relative : whether tolerances are relative to the best value

    >>> runs = {"problem": ["a", "a", "b", "b"], "method": ["bns", "ig"] * 2, "value": [0.9, 0.8, 0.6, 0.61]}
    >>> chances(runs, [0, 0.01])
    tolerance  method  wins  share
            0  bns        1    0.5
            0  ig         1    0.5
         0.01  bns        2      1
         0.01  ig         1    0.5
    """
    allowed = [admitted(tolerance) for tolerance in tolerances]
    if not allowed:
        raise InvalidInput("tolerances must be at least one, got none")
    found = reached(runs_of(results, **names))
    rows = [
        (goal, tolerance, method, wins, wins / len(short))
        for goal, short in zip(found.goals, gaps(found.values, relative), strict=True)
        for tolerance in allowed
        for method, wins in most_wins_first(
            zip(found.methods, wins_of_methods(short <= tolerance), strict=True)
        )
    ]
    return table_of_runs(("goal", "tolerance", "method", "wins", "share"), rows)


def residual_wins(
    results: Any, first: Any, tolerance: float, *, relative: bool = False, **names: Unpack[Names]
) -> Table:
    """What each other method wins of the problems that the first does not win, best first, ties by name.

    Forman, section 4.2.1 and figure 10b: a second method that fails where the first does is of little use.

    failures : number of problems that the first method does not win
    wins, share : number and share of these that the method wins; 0 if the first never fails
    together : the share of all problems that either method wins
    results : one run per row: a Table, a data frame or a mapping of columns
    first : the method whose failures are examined
    tolerance : how far from the best a method still wins
    relative : whether tolerances are relative to the best value

    >>> runs = {"problem": [1, 1, 1, 2, 2, 2], "method": ["bns", "chi", "ig"] * 2,
    ...         "value": [0.9, 0.8, 0.8, 0.7, 0.5, 0.9]}
    >>> residual_wins(runs, "bns", 0.01)
    method  failures  wins  share  together
    ig             1     1      1         1
    chi            1     0      0       0.5
    """
    within = admitted(tolerance)
    found = several(reached(runs_of(results, **names)))
    if first not in found.methods:
        raise unknown("method", first, found.methods)
    own = found.methods.index(first)
    rows: list[tuple[Any, ...]] = []
    for goal, short in zip(found.goals, gaps(found.values, relative), strict=True):
        won = short <= within
        left = won[~won[:, own]]
        failures, problems = len(left), len(won)
        others = [pair for pair in zip(found.methods, wins_of_methods(left), strict=True) if pair[0] != first]
        rows += [
            (goal, method, failures, wins, wins / max(failures, 1), (problems - failures + wins) / problems)
            for method, wins in most_wins_first(others)
        ]
    return table_of_runs(("goal", "method", "failures", "wins", "share", "together"), rows)


def pairs(results: Any, tolerance: float, *, relative: bool = False, **names: Unpack[Names]) -> Table:
    """The share of problems that either of two methods wins, for every pair, best first, ties by name.

    results : one run per row: a Table, a data frame or a mapping of columns
    tolerance : how far from the best a method still wins
    relative : whether tolerances are relative to the best value

    >>> runs = {"problem": [1, 1, 1, 2, 2, 2], "method": ["bns", "chi", "ig"] * 2,
    ...         "value": [0.9, 0.8, 0.8, 0.7, 0.5, 0.9]}
    >>> pairs(runs, 0.01)
    method  other  wins  share
    bns     ig        2      1
    bns     chi       1    0.5
    chi     ig        1    0.5
    """
    within = admitted(tolerance)
    found = several(reached(runs_of(results, **names)))
    two = list(combinations(range(len(found.methods)), 2))
    rows: list[tuple[Any, ...]] = []
    for goal, short in zip(found.goals, gaps(found.values, relative), strict=True):
        won = short <= within
        counts = [((a, b), int((won[:, a] | won[:, b]).sum())) for a, b in two]
        rows += [
            (goal, found.methods[a], found.methods[b], wins, wins / len(won))
            for (a, b), wins in most_wins_first(counts)
        ]
    return table_of_runs(("goal", "method", "other", "wins", "share"), rows)


def best_pairs(results: Any, tolerance: float, *, relative: bool = False, **names: Unpack[Names]) -> Table:
    """The pair of methods that wins most problems, for each goal.

    ties : number of other pairs that win as many; the pair shown is the first by name
    results : one run per row: a Table, a data frame or a mapping of columns
    tolerance : how far from the best a method still wins
    relative : whether tolerances are relative to the best value

    >>> runs = {"problem": [1, 1, 1, 2, 2, 2], "method": ["bns", "chi", "ig"] * 2,
    ...         "value": [0.9, 0.8, 0.8, 0.7, 0.5, 0.9]}
    >>> best_pairs(runs, 0.01)
    method  other  wins  share  ties
    bns     ig        2      1     0
    """
    best: dict[Any, tuple[Any, ...]] = {}
    ties: dict[Any, int] = {}
    for row in pairs(results, tolerance, relative=relative, **names):
        goal = row.get("goal")
        pair = best.setdefault(goal, (goal, row["method"], row["other"], row["wins"], row["share"]))
        ties[goal] = ties.get(goal, -1) + (row["wins"] == pair[3])
    rows = [(*pair, ties[goal]) for goal, pair in best.items()]
    return table_of_runs(("goal", "method", "other", "wins", "share", "ties"), rows)


def differences(
    results: Any, test: Callable[[Array, Array], Significance] = wilcoxon, **names: Unpack[Names]
) -> Table:
    """Test each pair of methods over the problems, by goal, in the order of the names.

    results, names : as for `chances`; if there are sizes, each method is taken at its best size
    test : `wilcoxon`, `paired_t`, or any function from two arrays of the same problems to a Significance

    difference : the mean of method minus other. p is not corrected for the number of tests.

    >>> runs = {"problem": [1, 1, 2, 2, 3, 3], "method": ["bns", "ig"] * 3,
    ...         "value": [0.9, 0.8, 0.7, 0.5, 0.6, 0.3]}
    >>> differences(runs)
    method  other  difference  statistic     p
    bns     ig            0.2          0  0.25
    """
    found = several(reached(runs_of(results, **names)))
    rows: list[tuple[Any, ...]] = []
    for goal, values in zip(found.goals, found.values, strict=True):
        for (method, a), (other, b) in combinations(zip(found.methods, values.T, strict=True), 2):
            result = test(a, b)
            rows.append((goal, method, other, float((a - b).mean()), result.statistic, result.p_value))
    return table_of_runs(("goal", "method", "other", "difference", "statistic", "p"), rows)


def wins_of_methods(won: Array) -> list[int]:
    """How many problems each method wins, of (problems, methods)."""
    counts: list[int] = won.sum(axis=0).tolist()
    return counts


def most_wins_first(wins: Iterable[tuple[Any, int]]) -> list[tuple[Any, int]]:
    """The most wins first; equals stay in their order."""
    return sorted(wins, key=lambda pair: -pair[1])


def gaps(values: Array, relative: bool) -> Array:
    """What each method lacks to the best of its problem, in the unit of the values or as a share of the best.

    values : (..., methods)

    A gap that floats alone make is none, so 0.95 is within 0.01 of 0.96.
    Where the best value is 0, only 0 has a relative gap that is finite.
    """
    best = np.broadcast_to(values.max(axis=-1, keepdims=True), values.shape)
    rounding = ROUNDING * np.maximum(np.abs(best), np.abs(values))
    with np.errstate(over="ignore"):
        short: Array = np.maximum(best - values - rounding, 0.0)
        shares: Array = np.divide(short, np.abs(best), out=np.where(short > 0, np.inf, 0.0), where=best != 0)
    return shares if relative else short


def admitted(tolerance: float) -> float:
    """The tolerance, a number of at least 0; infinity admits every method."""
    if not isinstance(tolerance, int | float | np.number) or not tolerance >= 0:
        raise InvalidInput(f"a tolerance must be a number of at least 0, got {tolerance!r}")
    return float(tolerance)
