"""Runs of a comparison, one per row, and what each method reaches: its best value over sizes, or at one size.

Results are a Table, a data frame of any library, or a mapping of columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias, TypedDict, Unpack

import numpy as np

from termsift._internal.errors import InvalidInputError, quote_names, unknown_name_error
from termsift._internal.tables import Table
from termsift._internal.typing import Array
from termsift.evaluation.measures import as_floats
from termsift.evaluation.paired_tests import TestResult, wilcoxon

# goal, problem and method; then, by size, the value. None where the results tell no goals, or no sizes, apart
Key: TypeAlias = tuple[Any, Any, Any]
Runs: TypeAlias = dict[Key, dict[Any, float]]


class Names(TypedDict, total=False):
    """The columns of the results, where they are not called problem, method, value, goal and size."""

    problem: str
    method: str
    value: str
    goal: str
    size: str


def runs_of(
    results: Any,
    *,
    problem: str = "problem",
    method: str = "method",
    value: str = "value",
    goal: str = "goal",
    size: str = "size",
) -> Runs:
    """The value of each goal, problem and method, by size. Columns called goal and size may be absent."""
    columns = as_columns(results)
    values = as_floats(value, column_of(columns, value))
    absent = [None] * len(values)
    keys = (
        absent if goal == "goal" and goal not in columns else names_in(columns, goal),
        names_in(columns, problem),
        names_in(columns, method),
    )
    sizes = absent if size == "size" and size not in columns else names_in(columns, size)
    if not len(values):
        raise InvalidInputError("the results have no rows")
    return runs_by_key(zip(zip(*keys, strict=True), sizes, values.tolist(), strict=True), value)


def runs_by_key(rows: Iterable[tuple[Key, Any, float]], column: str) -> Runs:
    """The rows by key and size, each with one finite value."""
    found: Runs = {}
    for key, size, value in rows:
        if not np.isfinite(value):
            raise InvalidInputError(f"{column} must be finite, got {value} for {run_in_words(key, size)}")
        by_size = found.setdefault(key, {})
        if size in by_size:
            raise InvalidInputError(f"two values for {run_in_words(key, size)}; give one, such as their mean")
        by_size[size] = value
    return found


def as_columns(results: Any) -> dict[str, list[Any]]:
    """The columns as lists of one length."""
    if isinstance(results, Table):
        results = results.columns
    if not isinstance(results, Mapping):
        return frame_columns(results)
    columns = {name: column_items(column) for name, column in results.items()}
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise InvalidInputError(f"columns must be of one length, got {lengths}")
    return columns


def frame_columns(frame: Any) -> dict[str, list[Any]]:
    """The columns of a data frame of any library."""
    import narwhals as nw

    try:
        columns = nw.from_native(frame, eager_only=True)
    except TypeError as error:
        kind = type(frame).__name__
        raise InvalidInputError(
            f"results are a Table, a data frame or a mapping of columns, got {kind}"
        ) from error
    return {name: columns[name].to_list() for name in columns.columns}


def column_items(column: Any) -> list[Any]:
    """The items, as Python's own scalars where they are an array's."""
    return list(column.tolist() if isinstance(column, np.ndarray) else column)


def column_of(columns: Mapping[str, list[Any]], name: str) -> list[Any]:
    """The column of this name."""
    if name not in columns:
        raise InvalidInputError(f"column {name!r} is not in the results; they have: {quote_names(columns)}")
    return columns[name]


def names_in(columns: Mapping[str, list[Any]], name: str) -> list[Any]:
    """The column of this name, none of its items missing."""
    column = column_of(columns, name)
    for row, item in enumerate(column):
        # pandas' NA will not say whether it equals itself
        if item is None or type(item).__name__ == "NAType" or item != item:
            raise InvalidInputError(f"{name} of row {row} is missing")
    return column


def run_in_words(key: Sequence[Any], size: Any) -> str:
    """A run, as an error names it.

    >>> run_in_words(("f1", "spam", "bns"), 100)
    "method 'bns' on problem 'spam' for goal 'f1' at size 100"
    """
    goal, problem, method = key
    for_goal = "" if goal is None else f" for goal {goal!r}"
    at_size = "" if size is None else f" at size {size!r}"
    return f"method {method!r} on problem {problem!r}{for_goal}{at_size}"


@dataclass(frozen=True, slots=True, eq=False)
class Reached:
    """The value of each method on each problem, for each goal. Names are in order.

    goals : (None,) where the results tell none apart
    values : (goals, problems, methods)
    sizes : (goals, problems, methods), where each value was reached
    """

    goals: tuple[Any, ...]
    problems: tuple[Any, ...]
    methods: tuple[Any, ...]
    values: Array
    sizes: Array


def best_sizes(results: Any, *, at: Any = None, **names: Unpack[Names]) -> Table:
    """The best value over sizes for each goal, problem and method, with its size; ties go to the smallest.

    results : a Table, a data frame of any library, or a mapping of columns; larger values are better
    at : use the value at this size instead
    names : the names in `results` for the columns problem, method, value, goal and size

    The columns goal and size may be absent: all rows then have one goal, or one size.
    Sizes may be missing, but every method must be present for each goal and problem.
    Rows are in the order of the names, numbers before texts.

    >>> runs = {"problem": ["a"] * 4, "method": ["bns", "bns", "ig", "ig"],
    ...         "size": [10, 100, 10, 100], "value": [0.5, 0.8, 0.6, 0.6]}
    >>> best_sizes(runs)
    problem  method  size  value
    a        bns      100    0.8
    a        ig        10    0.6
    """
    found = reached(runs_of(results, **names), at)
    rows = (
        (found.goals[g], found.problems[p], found.methods[m], found.sizes[g, p, m], found.values[g, p, m])
        for g, p, m in np.ndindex(found.values.shape)
    )
    return table_of_runs(("goal", "problem", "method", "size", "value"), rows)


def reached(runs: Runs, at: Any = None) -> Reached:
    """The best of the runs, or those at one size."""
    goals, problems, methods = (names_in_order(names) for names in zip(*runs, strict=True))
    if at is not None:
        runs = at_size(runs, at)
    shape = len(goals), len(problems), len(methods)
    values, sizes = np.zeros(shape), np.empty(shape, dtype=object)
    for g, p, m in np.ndindex(shape):
        key = goals[g], problems[p], methods[m]
        if key not in runs:
            raise InvalidInputError(
                f"no value for {run_in_words(key, at)}; every method needs one on every problem"
            )
        by_size = runs[key]
        sizes[g, p, m] = max(names_in_order(by_size), key=by_size.__getitem__)
        values[g, p, m] = by_size[sizes[g, p, m]]
    return Reached(goals, problems, methods, values, sizes)


def at_size(runs: Runs, at: Any) -> Runs:
    """The runs of one size."""
    sizes = names_in_order(size for by_size in runs.values() for size in by_size if size is not None)
    if at not in sizes:
        raise unknown_name_error("size", at, sizes)
    return {key: {at: by_size[at]} for key, by_size in runs.items() if at in by_size}


def several(found: Reached) -> Reached:
    """The same, of two methods at least."""
    if len(found.methods) < 2:
        raise InvalidInputError(f"methods must be at least 2, got only {found.methods[0]!r}")
    return found


def names_in_order(names: Iterable[Any]) -> tuple[Any, ...]:
    """Distinct names in order: numbers first, so that a size of `all` comes last.

    >>> names_in_order(["all", 100, 20, 100])
    (20, 100, 'all')
    """
    return tuple(sorted(set(names), key=kind_and_name))


def kind_and_name(name: Any) -> tuple[str, Any]:
    """What names of mixed kinds are sorted by; no kind comes before a number's."""
    return ("", name) if isinstance(name, int | float) else (type(name).__name__, name)


def table_of_runs(names: Iterable[str], rows: Iterable[tuple[Any, ...]]) -> Table:
    """The rows as columns; goal and size are left out where the results do not have them."""
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    absent = {name for name in ("goal", "size") if columns.get(name, [0])[0] is None}
    return Table({name: as_array(column) for name, column in columns.items() if name not in absent})


def as_array(column: list[Any]) -> Array:
    """Numbers of one kind as they are, all else as objects."""
    if len({type(item) for item in column}) == 1 and isinstance(column[0], int | float):
        return np.array(column)
    array = np.empty(len(column), dtype=object)
    array[:] = column
    return array


ROUNDING = 1e-12
TOLERANCES = tuple(percent / 100 for percent in range(1, 11))


def win_rates(
    results: Any, tolerances: Iterable[float] = TOLERANCES, *, relative: bool = False, **names: Unpack[Names]
) -> Table:
    """The share of problems that each method wins, by goal and tolerance, best first, ties by name.

    Forman's figures 9 and 18 to 21. A single method always wins.

    results : one run per row: a Table, a data frame or a mapping of columns
    tolerances : how far from the best a method still wins
    relative : whether tolerances are relative to the best value

    >>> runs = {"problem": ["a", "a", "b", "b"], "method": ["bns", "ig"] * 2, "value": [0.9, 0.8, 0.6, 0.61]}
    >>> win_rates(runs, [0, 0.01])
    tolerance  method  wins  share
            0  bns        1    0.5
            0  ig         1    0.5
         0.01  bns        2      1
         0.01  ig         1    0.5
    """
    allowed = [admitted(tolerance) for tolerance in tolerances]
    if not allowed:
        raise InvalidInputError("tolerances must be at least one, got none")
    found = reached(runs_of(results, **names))
    rows = [
        (goal, tolerance, method, wins, wins / len(short))
        for goal, short in zip(found.goals, gaps_to_best(found.values, relative), strict=True)
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
        raise unknown_name_error("method", first, found.methods)
    own = found.methods.index(first)
    rows: list[tuple[Any, ...]] = []
    for goal, short in zip(found.goals, gaps_to_best(found.values, relative), strict=True):
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
    for goal, short in zip(found.goals, gaps_to_best(found.values, relative), strict=True):
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


def method_differences(
    results: Any, test: Callable[[Array, Array], TestResult] = wilcoxon, **names: Unpack[Names]
) -> Table:
    """Test each pair of methods over the problems, by goal, in the order of the names.

    results, names : as for `win_rates`; if there are sizes, each method is taken at its best size
    test : `wilcoxon`, `paired_t`, or any function from two arrays of the same problems to a Significance

    difference : the mean of method minus other. p is not corrected for the number of tests.

    >>> runs = {"problem": [1, 1, 2, 2, 3, 3], "method": ["bns", "ig"] * 3,
    ...         "value": [0.9, 0.8, 0.7, 0.5, 0.6, 0.3]}
    >>> method_differences(runs)
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


def gaps_to_best(values: Array, relative: bool) -> Array:
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
        raise InvalidInputError(f"a tolerance must be a number of at least 0, got {tolerance!r}")
    return float(tolerance)
