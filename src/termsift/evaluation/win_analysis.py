"""Win rates of methods over many problems, and tests of their differences.

Results have one run per row: a Table, a data frame of any library, or a mapping of columns. A method counts
with its best value over sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from typing import Any, TypeAlias, TypedDict, Unpack

import numpy as np

from termsift._internal.errors import InvalidInputError, quote_names, unknown_name_error
from termsift._internal.tables import Table
from termsift._internal.typing import Array
from termsift.counts import is_missing
from termsift.evaluation.measures import as_floats
from termsift.evaluation.paired_tests import TestResult, wilcoxon

# (goal, problem, method) -> size -> value; goal and size are None if the results have no such column
Runs: TypeAlias = dict[tuple[Any, Any, Any], dict[Any, float]]

ROUNDING = 1e-12
TOLERANCES = tuple(percent / 100 for percent in range(1, 11))


class Names(TypedDict, total=False):
    """Names of the columns of the results, if they are not problem, method, value, goal and size."""

    problem: str
    method: str
    value: str
    goal: str
    size: str


@dataclass(frozen=True, slots=True, eq=False)
class BestValues:
    """Value of each method on each problem, for each goal. Names are sorted.

    goals : (None,) if the results have no column of goals
    values : (goals, problems, methods)
    sizes : (goals, problems, methods) size of each value
    """

    goals: tuple[Any, ...]
    problems: tuple[Any, ...]
    methods: tuple[Any, ...]
    values: Array
    sizes: Array


def find_best_values(
    results: Any, at: Any = None, min_methods: int = 1, **names: Unpack[Names]
) -> BestValues:
    """Return the best value over sizes, or the value at one size, of each goal, problem and method."""
    runs = collect_runs(results, **names)
    goals, problems, methods = (sort_distinct_names(column) for column in zip(*runs, strict=True))
    if len(methods) < min_methods:
        raise InvalidInputError(f"at least {min_methods} methods are needed, got only {methods[0]!r}")
    if at is not None:
        distinct_sizes = sort_distinct_names(
            size for by_size in runs.values() for size in by_size if size is not None
        )
        if at not in distinct_sizes:
            raise unknown_name_error("size", at, distinct_sizes)
        runs = {key: {at: by_size[at]} for key, by_size in runs.items() if at in by_size}
    shape = len(goals), len(problems), len(methods)
    values, sizes = np.zeros(shape), np.empty(shape, dtype=object)
    for g, p, m in np.ndindex(shape):
        key = goals[g], problems[p], methods[m]
        if key not in runs:
            run = describe_run(key, at)
            raise InvalidInputError(f"no value for {run}; every method needs a value on every problem")
        # the first of equal values is that of the smallest size
        sizes[g, p, m] = max(sort_distinct_names(runs[key]), key=runs[key].__getitem__)
        values[g, p, m] = runs[key][sizes[g, p, m]]
    return BestValues(goals, problems, methods, values, sizes)


def collect_runs(
    results: Any,
    *,
    problem: str = "problem",
    method: str = "method",
    value: str = "value",
    goal: str = "goal",
    size: str = "size",
) -> Runs:
    """Return the value of each goal, problem and method, by size. Columns goal and size are optional."""
    columns = read_columns(results)
    for name in (problem, method, value, *{goal, size} - {"goal", "size"}):
        if name not in columns:
            message = f"column {name!r} is not in the results; available columns: {quote_names(columns)}"
            raise InvalidInputError(message)
    values = as_floats(value, columns[value]).tolist()
    if not values:
        raise InvalidInputError("the results are empty; at least one row is needed")
    for name in {goal, problem, method, size} & set(columns):
        for row, item in enumerate(columns[name]):
            if is_missing(item):
                raise InvalidInputError(f"column {name!r} has a missing value in row {row}")
    *keys, sizes = (columns.get(name, [None] * len(values)) for name in (goal, problem, method, size))
    runs: Runs = {}
    for key, run_size, run_value in zip(zip(*keys, strict=True), sizes, values, strict=True):
        if not np.isfinite(run_value):
            run = describe_run(key, run_size)
            raise InvalidInputError(f"{value} must be finite, got {run_value} for {run}")
        by_size = runs.setdefault(key, {})
        if run_size in by_size:
            run = describe_run(key, run_size)
            raise InvalidInputError(f"two values for {run}; combine them first, for example by their mean")
        by_size[run_size] = run_value
    return runs


def read_columns(results: Any) -> dict[str, list[Any]]:
    """Return the columns of the results as lists of equal length."""
    if isinstance(results, Table):
        results = results.columns
    if not isinstance(results, Mapping):
        import narwhals as nw

        try:
            frame = nw.from_native(results, eager_only=True)
        except TypeError as error:
            kind = type(results).__name__
            message = f"results must be a Table, a data frame or a mapping of columns, got {kind}"
            raise InvalidInputError(message) from error
        return {name: frame[name].to_list() for name in frame.columns}
    # items of arrays become Python scalars
    columns = {name: list(c.tolist() if isinstance(c, np.ndarray) else c) for name, c in results.items()}
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise InvalidInputError(f"all columns must have the same length, got {lengths}")
    return columns


def describe_run(key: Sequence[Any], size: Any) -> str:
    """Describe a run for an error message.

    >>> describe_run(("f1", "spam", "bns"), 100)
    "method 'bns' on problem 'spam' for goal 'f1' at size 100"
    """
    goal, problem, method = key
    for_goal = "" if goal is None else f" for goal {goal!r}"
    at_size = "" if size is None else f" at size {size!r}"
    return f"method {method!r} on problem {problem!r}{for_goal}{at_size}"


def sort_distinct_names(names: Iterable[Any]) -> tuple[Any, ...]:
    """Return the distinct names in order: numbers first, so that a size of `all` is last.

    >>> sort_distinct_names(["all", 100, 20, 100])
    (20, 100, 'all')
    """

    def kind_and_name(name: Any) -> tuple[str, Any]:
        return ("" if isinstance(name, int | float) else type(name).__name__), name

    return tuple(sorted(set(names), key=kind_and_name))


def build_table(names: Iterable[str], rows: Iterable[tuple[Any, ...]]) -> Table:
    """Return the rows as a table; goal and size are omitted if the results do not have them."""
    columns = {}
    for name, column in zip(names, map(list, zip(*rows, strict=True)), strict=True):
        if name in ("goal", "size") and column[0] is None:
            continue
        is_numeric = len(set(map(type, column))) == 1 and isinstance(column[0], int | float)
        columns[name] = np.array(column, dtype=None if is_numeric else object)
    return Table(columns)


def best_sizes(results: Any, *, at: Any = None, **names: Unpack[Names]) -> Table:
    """Return the best value over sizes for each goal, problem and method, with its size.

    Parameters
    ----------
    results : Table, data frame or mapping of columns
        One run per row, with a value that is better if larger. Data frames may be of any library.
    at : optional
        Size to use for all methods, instead of the best size of each.
    **names : str
        Names of the columns problem, method, value, goal and size in `results`, if they differ, such as
        `value="f1"`.

    Returns
    -------
    Table
        Columns goal, problem, method, size and value; goal and size only if `results` has them. Rows are in
        the order of the names, numbers before texts.

    Raises
    ------
    InvalidInputError
        If a column is missing, a method has no value or two values on a problem, or a value is not finite.

    Notes
    -----
    Ties go to the smallest size.
    The columns goal and size may be absent: all rows then have one goal, or one size.
    Sizes may be missing, but every method must be present for each goal and problem.

    Examples
    --------
    >>> runs = {"problem": ["a"] * 4, "method": ["bns", "bns", "ig", "ig"],
    ...         "size": [10, 100, 10, 100], "value": [0.5, 0.8, 0.6, 0.6]}
    >>> best_sizes(runs)
    problem  method  size  value
    a        bns      100    0.8
    a        ig        10    0.6

    """
    best = find_best_values(results, at, **names)
    rows = (
        (best.goals[g], best.problems[p], best.methods[m], best.sizes[g, p, m], best.values[g, p, m])
        for g, p, m in np.ndindex(best.values.shape)
    )
    return build_table(("goal", "problem", "method", "size", "value"), rows)


def win_rates(
    results: Any, tolerances: Iterable[float] = TOLERANCES, *, relative: bool = False, **names: Unpack[Names]
) -> Table:
    """Return the share of problems that each method wins, by goal and tolerance, best first, ties by name.

    Forman's figures 9 and 18 to 21. A single method always wins.

    Parameters
    ----------
    results : Table, data frame or mapping of columns
        One run per row, with a value that is better if larger. Data frames may be of any library.
    tolerances : iterable of float, default 0.01, 0.02, ..., 0.1
        Largest gaps to the best value of a problem with which a method still wins.
    relative : bool, default False
        Whether gaps are shares of the best value instead of differences.
    **names : str
        Names of the columns problem, method, value, goal and size in `results`, if they differ, such as
        `value="f1"`.

    Returns
    -------
    Table
        Columns goal (if `results` has it), tolerance, method, wins and share.

    Raises
    ------
    InvalidInputError
        If a column is missing, a method has no value or two values on a problem, or a value is not finite,
        or a tolerance is negative.

    Examples
    --------
    >>> runs = {"problem": ["a", "a", "b", "b"], "method": ["bns", "ig"] * 2, "value": [0.9, 0.8, 0.6, 0.61]}
    >>> win_rates(runs, [0, 0.01])
    tolerance  method  wins  share
            0  bns        1    0.5
            0  ig         1    0.5
         0.01  bns        2      1
         0.01  ig         1    0.5

    """
    limits = [validate_tolerance(tolerance) for tolerance in tolerances]
    if not limits:
        raise InvalidInputError("tolerances must contain at least one number, got none")
    best = find_best_values(results, **names)
    rows = [
        (goal, limit, method, wins, wins / len(gaps))
        for goal, gaps in zip(best.goals, gaps_to_best(best.values, relative), strict=True)
        for limit in limits
        for method, wins in rank_by_wins(best.methods, gaps <= limit)
    ]
    return build_table(("goal", "tolerance", "method", "wins", "share"), rows)


def residual_wins(
    results: Any, first: Any, tolerance: float, *, relative: bool = False, **names: Unpack[Names]
) -> Table:
    """Return the wins of other methods on problems that the first does not win, best first, ties by name.

    Forman, section 4.2.1 and figure 10b: a second method that fails where the first does is of little use.

    Parameters
    ----------
    results : Table, data frame or mapping of columns
        One run per row, with a value that is better if larger. Data frames may be of any library.
    first : str
        Method whose failures are examined.
    tolerance : float
        Largest gap to the best value of a problem with which a method still wins.
    relative : bool, default False
        Whether gaps are shares of the best value instead of differences.
    **names : str
        Names of the columns problem, method, value, goal and size in `results`, if they differ, such as
        `value="f1"`.

    Returns
    -------
    Table
        Columns goal (if `results` has it) and method; failures, the number of problems that the first method
        does not win; wins and share, the number and share of these that the method wins, 0 if the first never
        fails; together, the share of all problems that either method wins.

    Raises
    ------
    InvalidInputError
        If a column is missing, a method has no value or two values on a problem, or a value is not finite,
        the tolerance is negative, or there is only one method.

    Examples
    --------
    >>> runs = {"problem": [1, 1, 1, 2, 2, 2], "method": ["bns", "chi", "ig"] * 2,
    ...         "value": [0.9, 0.8, 0.8, 0.7, 0.5, 0.9]}
    >>> residual_wins(runs, "bns", 0.01)
    method  failures  wins  share  together
    ig             1     1      1         1
    chi            1     0      0       0.5

    """
    limit = validate_tolerance(tolerance)
    best = find_best_values(results, min_methods=2, **names)
    if first not in best.methods:
        raise unknown_name_error("method", first, best.methods)
    rows: list[tuple[Any, ...]] = []
    for goal, gaps in zip(best.goals, gaps_to_best(best.values, relative), strict=True):
        won = gaps <= limit
        failed = won[~won[:, best.methods.index(first)]]
        n, failures = len(won), len(failed)
        rows += [
            (goal, method, failures, wins, wins / max(failures, 1), (n - failures + wins) / n)
            for method, wins in rank_by_wins(best.methods, failed)
            if method != first
        ]
    return build_table(("goal", "method", "failures", "wins", "share", "together"), rows)


def pair_wins(results: Any, tolerance: float, *, relative: bool = False, **names: Unpack[Names]) -> Table:
    """Return the share of problems that either method of a pair wins, best pair first, ties by name.

    Parameters
    ----------
    results : Table, data frame or mapping of columns
        One run per row, with a value that is better if larger. Data frames may be of any library.
    tolerance : float
        Largest gap to the best value of a problem with which a method still wins.
    relative : bool, default False
        Whether gaps are shares of the best value instead of differences.
    **names : str
        Names of the columns problem, method, value, goal and size in `results`, if they differ, such as
        `value="f1"`.

    Returns
    -------
    Table
        Columns goal (if `results` has it), method, other, wins and share.

    Raises
    ------
    InvalidInputError
        If a column is missing, a method has no value or two values on a problem, or a value is not finite,
        the tolerance is negative, or there is only one method.

    Examples
    --------
    >>> runs = {"problem": [1, 1, 1, 2, 2, 2], "method": ["bns", "chi", "ig"] * 2,
    ...         "value": [0.9, 0.8, 0.8, 0.7, 0.5, 0.9]}
    >>> pair_wins(runs, 0.01)
    method  other  wins  share
    bns     ig        2      1
    bns     chi       1    0.5
    chi     ig        1    0.5

    """
    limit = validate_tolerance(tolerance)
    best = find_best_values(results, min_methods=2, **names)
    first, second = np.triu_indices(len(best.methods), 1)
    rows = [
        (goal, *pair, wins, wins / len(gaps))
        for goal, gaps in zip(best.goals, gaps_to_best(best.values, relative), strict=True)
        for pair, wins in rank_by_wins(
            list(combinations(best.methods, 2)), (gaps[:, first] <= limit) | (gaps[:, second] <= limit)
        )
    ]
    return build_table(("goal", "method", "other", "wins", "share"), rows)


def best_pairs(results: Any, tolerance: float, *, relative: bool = False, **names: Unpack[Names]) -> Table:
    """Return the pair of methods that wins most problems, for each goal.

    Parameters
    ----------
    results : Table, data frame or mapping of columns
        One run per row, with a value that is better if larger. Data frames may be of any library.
    tolerance : float
        Largest gap to the best value of a problem with which a method still wins.
    relative : bool, default False
        Whether gaps are shares of the best value instead of differences.
    **names : str
        Names of the columns problem, method, value, goal and size in `results`, if they differ, such as
        `value="f1"`.

    Returns
    -------
    Table
        Columns goal (if `results` has it), method, other, wins, share, and ties: the number of other pairs
        that win as often. The pair shown is the first by name.

    Raises
    ------
    InvalidInputError
        If a column is missing, a method has no value or two values on a problem, or a value is not finite,
        the tolerance is negative, or there is only one method.

    Examples
    --------
    >>> runs = {"problem": [1, 1, 1, 2, 2, 2], "method": ["bns", "chi", "ig"] * 2,
    ...         "value": [0.9, 0.8, 0.8, 0.7, 0.5, 0.9]}
    >>> best_pairs(runs, 0.01)
    method  other  wins  share  ties
    bns     ig        2      1     0

    """
    table = pair_wins(results, tolerance, relative=relative, **names)
    rows = []
    for goal, group in groupby(table, key=lambda row: row.get("goal")):
        best, *worse = group
        ties = sum(row["wins"] == best["wins"] for row in worse)
        rows.append((goal, best["method"], best["other"], best["wins"], best["share"], ties))
    return build_table(("goal", "method", "other", "wins", "share", "ties"), rows)


def method_differences(
    results: Any, test: Callable[[Array, Array], TestResult] = wilcoxon, **names: Unpack[Names]
) -> Table:
    """Test each pair of methods over the problems, by goal, in the order of the names.

    Parameters
    ----------
    results : Table, data frame or mapping of columns
        One run per row, with a value that is better if larger. Data frames may be of any library.
    test : function, default wilcoxon
        `wilcoxon`, `paired_t`, or any function from two arrays over the same problems to a TestResult.
    **names : str
        Names of the columns problem, method, value, goal and size in `results`, if they differ, such as
        `value="f1"`.

    Returns
    -------
    Table
        Columns goal (if `results` has it), method, other, difference (the mean of method minus other),
        statistic and p. p is not corrected for the number of tests.

    Raises
    ------
    InvalidInputError
        If a column is missing, a method has no value or two values on a problem, or a value is not finite,
        or there is only one method.

    Notes
    -----
    If there are several sizes, each method is taken at its best size.

    Examples
    --------
    >>> runs = {"problem": [1, 1, 2, 2, 3, 3], "method": ["bns", "ig"] * 3,
    ...         "value": [0.9, 0.8, 0.7, 0.5, 0.6, 0.3]}
    >>> method_differences(runs)
    method  other  difference  statistic     p
    bns     ig            0.2          0  0.25

    """
    best = find_best_values(results, min_methods=2, **names)
    rows: list[tuple[Any, ...]] = []
    for goal, values in zip(best.goals, best.values, strict=True):
        for (method, a), (opponent, b) in combinations(zip(best.methods, values.T, strict=True), 2):
            result = test(a, b)
            rows.append((goal, method, opponent, float((a - b).mean()), result.statistic, result.p_value))
    return build_table(("goal", "method", "other", "difference", "statistic", "p"), rows)


def rank_by_wins(names: Iterable[Any], won: Array) -> list[tuple[Any, int]]:
    """Return names with their numbers of wins, the most wins first, ties in the order of the names.

    won : (problems, names)
    """
    # sorted is stable
    return sorted(zip(names, won.sum(axis=0).tolist(), strict=True), key=lambda pair: -pair[1])


def gaps_to_best(values: Array, relative: bool) -> Array:
    """Return the gap of each method to the best of its problem, as a difference or as a share of the best.

    values : (..., methods)

    Gaps within rounding error are 0, so 0.95 is within 0.01 of 0.96.
    If the best value is 0, only 0 has a finite relative gap.
    """
    best = np.broadcast_to(values.max(axis=-1, keepdims=True), values.shape)
    rounding = ROUNDING * np.maximum(np.abs(best), np.abs(values))
    with np.errstate(over="ignore"):
        gaps: Array = np.maximum(best - values - rounding, 0.0)
        shares: Array = np.divide(gaps, np.abs(best), out=np.where(gaps > 0, np.inf, 0.0), where=best != 0)
    return shares if relative else gaps


def validate_tolerance(tolerance: float) -> float:
    """Return the tolerance; raise an error unless it is at least 0. Infinity accepts every method."""
    if not isinstance(tolerance, int | float | np.number) or not tolerance >= 0:
        raise InvalidInputError(f"tolerance must be a number of at least 0, got {tolerance!r}")
    return float(tolerance)
