"""Runs of a comparison, one per row, and what each method reaches: its best value over sizes, or at one size.

Results are a Table, a data frame of any library, or a mapping of columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypedDict, Unpack

import numpy as np

from termsift._typing import Array
from termsift.errors import InvalidInput, listed, unknown
from termsift.evaluation.measures import numbers
from termsift.tables import Table

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
    values = numbers(value, column_of(columns, value))
    absent = [None] * len(values)
    keys = (
        absent if goal == "goal" and goal not in columns else names_in(columns, goal),
        names_in(columns, problem),
        names_in(columns, method),
    )
    sizes = absent if size == "size" and size not in columns else names_in(columns, size)
    if not len(values):
        raise InvalidInput("the results have no rows")
    return runs_by_key(zip(zip(*keys, strict=True), sizes, values.tolist(), strict=True), value)


def runs_by_key(rows: Iterable[tuple[Key, Any, float]], column: str) -> Runs:
    """The rows by key and size, each with one finite value."""
    found: Runs = {}
    for key, size, value in rows:
        if not np.isfinite(value):
            raise InvalidInput(f"{column} must be finite, got {value} for {run_in_words(key, size)}")
        by_size = found.setdefault(key, {})
        if size in by_size:
            raise InvalidInput(f"two values for {run_in_words(key, size)}; give one, such as their mean")
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
        raise InvalidInput(f"columns must be of one length, got {lengths}")
    return columns


def frame_columns(frame: Any) -> dict[str, list[Any]]:
    """The columns of a data frame of any library."""
    import narwhals as nw

    try:
        columns = nw.from_native(frame, eager_only=True)
    except TypeError as error:
        kind = type(frame).__name__
        raise InvalidInput(
            f"results are a Table, a data frame or a mapping of columns, got {kind}"
        ) from error
    return {name: columns[name].to_list() for name in columns.columns}


def column_items(column: Any) -> list[Any]:
    """The items, as Python's own scalars where they are an array's."""
    return list(column.tolist() if isinstance(column, np.ndarray) else column)


def column_of(columns: Mapping[str, list[Any]], name: str) -> list[Any]:
    """The column of this name."""
    if name not in columns:
        raise InvalidInput(f"column {name!r} is not in the results; they have: {listed(columns)}")
    return columns[name]


def names_in(columns: Mapping[str, list[Any]], name: str) -> list[Any]:
    """The column of this name, none of its items missing."""
    column = column_of(columns, name)
    for row, item in enumerate(column):
        # pandas' NA will not say whether it equals itself
        if item is None or type(item).__name__ == "NAType" or item != item:
            raise InvalidInput(f"{name} of row {row} is missing")
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
            raise InvalidInput(
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
        raise unknown("size", at, sizes)
    return {key: {at: by_size[at]} for key, by_size in runs.items() if at in by_size}


def several(found: Reached) -> Reached:
    """The same, of two methods at least."""
    if len(found.methods) < 2:
        raise InvalidInput(f"methods must be at least 2, got only {found.methods[0]!r}")
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
