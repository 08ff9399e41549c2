"""What each method reaches on each problem: its best value over sizes, or its value at one size."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from termsift._typing import Array
from termsift.errors import InvalidInput, unknown
from termsift.evaluation.results import Names, Runs, described, runs_of
from termsift.tables import Table


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
    """The best value over sizes for each goal, problem and method, and its size; the smallest of equals.

    results : a Table, a data frame of any library, or a mapping of columns; larger values are better
    at : take the value at this size instead
    names : the results' own names for the columns problem, method, value, goal and size

    Columns called goal and size may be absent: all rows are then of one goal, or of one size.
    Not every size need be there. Every method must be there for each goal and problem.
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
    return table_of(("goal", "problem", "method", "size", "value"), rows)


def reached(runs: Runs, at: Any = None) -> Reached:
    """The best of the runs, or those at one size."""
    goals, problems, methods = (in_order(names) for names in zip(*runs, strict=True))
    if at is not None:
        runs = at_size(runs, at)
    shape = len(goals), len(problems), len(methods)
    values, sizes = np.zeros(shape), np.empty(shape, dtype=object)
    for g, p, m in np.ndindex(shape):
        key = goals[g], problems[p], methods[m]
        if key not in runs:
            raise InvalidInput(f"no value for {described(key, at)}; every method needs one on every problem")
        by_size = runs[key]
        sizes[g, p, m] = max(in_order(by_size), key=by_size.__getitem__)
        values[g, p, m] = by_size[sizes[g, p, m]]
    return Reached(goals, problems, methods, values, sizes)


def at_size(runs: Runs, at: Any) -> Runs:
    """The runs of one size."""
    sizes = in_order(size for by_size in runs.values() for size in by_size if size is not None)
    if at not in sizes:
        raise unknown("size", at, sizes)
    return {key: {at: by_size[at]} for key, by_size in runs.items() if at in by_size}


def several(found: Reached) -> Reached:
    """The same, of two methods at least."""
    if len(found.methods) < 2:
        raise InvalidInput(f"methods must be at least 2, got only {found.methods[0]!r}")
    return found


def in_order(names: Iterable[Any]) -> tuple[Any, ...]:
    """Distinct names in order: numbers first, so that a size of `all` comes last.

    >>> in_order(["all", 100, 20, 100])
    (20, 100, 'all')
    """
    return tuple(sorted(set(names), key=kind_and_name))


def kind_and_name(name: Any) -> tuple[str, Any]:
    """What names of mixed kinds are sorted by; no kind comes before a number's."""
    return ("", name) if isinstance(name, int | float) else (type(name).__name__, name)


def table_of(names: Iterable[str], rows: Iterable[tuple[Any, ...]]) -> Table:
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
