"""Results of a comparison, one run a row: a Table, any data frame, or a mapping of columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypedDict

import numpy as np

from termsift.errors import InvalidInput, listed
from termsift.evaluation.numbers import numbers
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
    return collected(zip(zip(*keys, strict=True), sizes, values.tolist(), strict=True), value)


def collected(rows: Iterable[tuple[Key, Any, float]], column: str) -> Runs:
    """The rows by key and size, each with one finite value."""
    found: Runs = {}
    for key, size, value in rows:
        if not np.isfinite(value):
            raise InvalidInput(f"{column} must be finite, got {value} for {described(key, size)}")
        by_size = found.setdefault(key, {})
        if size in by_size:
            raise InvalidInput(f"two values for {described(key, size)}; give one, such as their mean")
        by_size[size] = value
    return found


def as_columns(results: Any) -> dict[str, list[Any]]:
    """The columns as lists of one length."""
    if isinstance(results, Table):
        results = results.columns
    if not isinstance(results, Mapping):
        return frame_columns(results)
    columns = {name: as_list(column) for name, column in results.items()}
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


def as_list(column: Any) -> list[Any]:
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


def described(key: Sequence[Any], size: Any) -> str:
    """A run, as an error names it.

    >>> described(("f1", "spam", "bns"), 100)
    "method 'bns' on problem 'spam' for goal 'f1' at size 100"
    """
    goal, problem, method = key
    for_goal = "" if goal is None else f" for goal {goal!r}"
    at_size = "" if size is None else f" at size {size!r}"
    return f"method {method!r} on problem {problem!r}{for_goal}{at_size}"
