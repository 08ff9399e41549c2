"""The tables of `termsift score`: of one metric or several, of one class or several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import termsift as ts
from termsift.cli.grouping import Spread
from termsift.cli.talk import put_for_people
from termsift.counts import Counts
from termsift.errors import one_line
from termsift.scores import Scores
from termsift.scoring import metric_with_options
from termsift.tables import Table, text_table


def by_class(counts: Counts, name: str) -> Scores:
    """The metric's scores, of each class where it can tell them apart."""
    line, options = metric_with_options(name)
    return ts.score(counts, line, **({"per_class": True} if line.summed else {}) | options)


def top_terms(scores: Scores | Spread, classes: Sequence[Any], n: int, side: str) -> dict[Any, Table]:
    """For each class the table of its best terms; one table where the metric knows no classes."""
    if scores.values.ndim == 1:
        return {"": scores.top(n=n)}
    return {name: scores.top(name, n, side=side) for name in classes}


def stacked(tables: dict[str, dict[Any, Table]]) -> Table:
    """All rows under each other; with several metrics a column says which."""
    parts = [(metric, table) for metric, by_name in tables.items() for table in by_name.values()]
    keys = max((list(table.columns) for _, table in parts), key=len)
    keys += [key for _, table in parts for key in table.columns if key not in keys]
    columns = {key: np.concatenate([filled(table, key) for _, table in parts]) for key in dict.fromkeys(keys)}
    if len(tables) == 1:
        return Table(columns)
    metric = np.concatenate([np.full(len(table), name, dtype=object) for name, table in parts])
    return Table({"metric": metric} | columns)


def filled(table: Table, key: str) -> np.ndarray[Any, Any]:
    """A column of a table, empty where the table has none."""
    return table[key] if key in table.columns else np.full(len(table), None, dtype=object)


def a_line_each(by_name: dict[Any, Table]) -> Table:
    """A row a class: its best terms in a line."""
    if list(by_name) == [""]:
        return by_name[""]
    terms = [" ".join(marked(table)) for table in by_name.values()]
    return Table({"class": np.array(list(by_name), dtype=object), "terms": np.array(terms, dtype=object)})


def side_by_side(tables: dict[str, dict[Any, Table]], classes: Sequence[Any]) -> None:
    """For each class a block, a column a metric."""
    for i, name in enumerate(classes):
        tops = {metric: by_name[name if name in by_name else ""] for metric, by_name in tables.items()}
        columns = {metric: marked(table) for metric, table in tops.items()}
        longest = max(map(len, columns.values()))
        padded = {m: np.array(c + [""] * (longest - len(c)), dtype=object) for m, c in columns.items()}
        put_for_people(("\n" if i else "") + f"[{one_line(str(name))}]\n" + text_table(Table(padded)))


def marked(table: Table) -> list[str]:
    """The terms, those that speak against the class with a mark."""
    if "sign" not in table.columns:
        return list(table["term"])
    return [
        term if sign >= 0 else f"{term} (-)" for term, sign in zip(table["term"], table["sign"], strict=True)
    ]
