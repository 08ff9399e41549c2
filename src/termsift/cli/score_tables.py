"""The tables of `termsift score`: of metrics, of classes, and of groups, with intervals over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import termsift as ts
from termsift._internal.errors import InvalidInputError, one_line
from termsift._internal.tables import Table, text_table
from termsift._internal.typing import Array
from termsift.cli.console import say
from termsift.counts import Counts, GroupedCounts, check_groups
from termsift.metrics import Scores, metric_with_options
from termsift.report import FOR_READING, ClassWords, class_words, no_floor_words, ruled, told_words

NAMES = {"tp": "in class", "fp": "outside"}  # of columns, for people


@dataclass(frozen=True)
class Asked:
    """What a list is to show: how many terms, of which side; how many above chance may be false."""

    top: int
    side: str
    expected: float
    keep_parts: bool


def by_class(counts: Counts, name: str) -> Scores:
    """The metric's scores, of each class where it can tell them apart."""
    line, options = metric_with_options(name)
    return ts.score(counts, line, **({"per_class": True} if line.summed else {}) | options)


def top_words(scores: Scores, classes: Sequence[Any], asked: Asked) -> dict[Any, ClassWords]:
    """For each class its best terms; of a metric that knows no classes one list, for all documents."""
    if scores.values.ndim == 1:
        return {"": ClassWords(scores, "", scores.best_rows(None, asked.top))}
    found = class_words(
        scores, classes, asked.top, side=asked.side, expected=asked.expected, keep_parts=asked.keep_parts
    )
    return {one.name: one for one in found}


def rows_for_programs(found: dict[str, dict[Any, ClassWords]]) -> Table:
    """All rows under each other, with all that is known of each; `significant` is null where that is not."""
    return stacked({metric: {n: judged(one) for n, one in lists.items()} for metric, lists in found.items()})


def grouped_rows(scored: dict[str, Any], classes: Sequence[Any], n: int, side: str) -> Table:
    """The rows of scores over groups, with their intervals or ranges, under each other."""
    tables = {
        metric: {"": scores.top(n=n)}
        if scores.values.ndim == 1
        else {name: scores.top(name, n, side=side) for name in classes}
        for metric, scores in scored.items()
    }
    return stacked(tables)


def judged(one: ClassWords) -> Table:
    """The words with a column that says whether they are more than chance."""
    n = len(one.rows)
    above = np.full(n, None) if one.above is None else (np.arange(n) < one.above).astype(object)
    return Table({**one.table.columns, "significant": above})


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


def told_lists(found: dict[str, dict[Any, ClassWords]], asked: Asked) -> str:
    """The lists as people read them: of one metric a row a class, or one class in full; else in columns."""
    if len(found) > 1:
        return side_by_side(found)
    ((metric, lists),) = found.items()
    if list(lists) == [""]:
        return text_table(lists[""].table, most=10**6)
    if len(lists) > 1:
        return told_words(list(lists.values()), metric, asked.expected)
    (one,) = lists.values()
    return told_table(one, metric, one.table, one.scores.usual_effect.words, asked)


def told_table(one: ClassWords, metric: str, table: Table, meaning: str, asked: Asked) -> str:
    """The table of one class: its head, what its columns mean, and a line where chance begins."""
    whole = one.scores.counts.documents
    head = f"{one_line(str(one.name))} ({one.documents:,} of {whole:,} documents), by {metric}"
    if one.above is None:
        head += f"; {no_floor_words(one.scores)}"
    hidden = {"class", "fn", "tn", *({"sign"} if asked.side != "both" else ())}
    shown = {NAMES.get(key, key): column for key, column in table.columns.items() if key not in hidden}
    return f"{head}\n{meaning}\n{ruled(Table(shown), one.above, asked.expected)}"


def told_groups(scored: dict[str, Any], classes: Sequence[Any], asked: Asked) -> str:
    """The lists of scores over groups as people read them, a table per metric and class."""
    tables = []
    for metric, scores in scored.items():
        if scores.values.ndim == 1:
            tables.append(text_table(scores.top(n=asked.top), most=10**6))
            continue
        whole = replace(asked, keep_parts=True)
        for one in top_words(scores.scores, classes, whole).values():
            table = scores.top(one.name, asked.top, side=asked.side)
            tables.append(told_table(one, metric, table, over_groups(one, table), asked))
    return "\n\n".join(tables)


def over_groups(one: ClassWords, table: Table) -> str:
    """What the columns of a list over groups mean."""
    ends = "low, high: the interval of the score over the groups"
    ends = one.scores.usual_effect.words if "effect" in table.columns else ends
    return f"{ends}; range: groups that hold the term; expected: how many would by chance"


def side_by_side(found: dict[str, dict[Any, ClassWords]]) -> str:
    """For each class a block, a column per metric; a rule in it where chance begins."""
    blocks = []
    names = dict.fromkeys(name for lists in found.values() for name in lists if name != "")
    for name in names or [""]:
        own = {metric: lists[name if name in lists else ""] for metric, lists in found.items()}
        columns = {metric: ruled_words(one) for metric, one in own.items()}
        longest = max(map(len, columns.values()))
        padded = {m: np.array(c + [""] * (longest - len(c)), dtype=object) for m, c in columns.items()}
        blocks.append(f"[{one_line(str(name))}]\n{text_table(Table(padded), most=10**6)}")
    return "\n\n".join([*blocks, "Above ---: more than chance."])


def ruled_words(one: ClassWords) -> list[str]:
    """The words, a rule between those that are more than chance and the rest."""
    words = one.marked
    return words if one.above is None else [*words[: one.above], "---", *words[one.above :]]


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Scores of too few groups for intervals: with the range of each term alone."""

    scores: Scores
    grouped: GroupedCounts

    @property
    def values(self) -> Array:
        """The scores."""
        return self.scores.values

    def top(self, name: object = None, n: int = 10, *, side: str = "both") -> Table:
        """The table of `Scores.top`, with range and expected."""
        from termsift.metrics import expected_range

        table = self.scores.top(name, n, side=side)
        place = {term: i for i, term in enumerate(self.scores.terms)}
        rows = np.array([place[term] for term in table["term"]], dtype=np.intp)
        expected = expected_range(self.grouped)
        more = {} if expected is None else {"expected": expected[rows]}
        return Table(dict(table.columns) | {"range": self.grouped.range[rows]} | more)


def grouped_scores(grouped: GroupedCounts, name: str, controlled: bool) -> Any:
    """The scores of a metric within the groups, or with intervals over them, or with ranges where few."""
    from termsift.metrics import FEWEST

    line, options = metric_with_options(name)
    options = options | ({"per_class": True} if line.summed else {})
    if controlled:
        if line.strata is None:
            raise InvalidInputError(
                f"{name} holds no column fixed; with --control a metric is cmh or mh_odds"
            )
        return ts.score(grouped, line, **options)
    check_groups(grouped, 2, "to see how terms are spread")
    if len(grouped.groups) < FEWEST:
        say(f"termsift: no intervals: there are {len(grouped.groups)} groups, and they need {FEWEST}")
        return Spread(ts.score(grouped.counts, line, **options), grouped)
    return ts.jackknife(grouped, line, **options)


def metrics_without(control: str | None) -> list[str]:
    """The metric where none is given."""
    return [FOR_READING] if control is None else ["cmh"]


def one_of(group: str | None, control: str | None) -> str:
    """The column that is given; an error where both are."""
    if group is not None and control is not None:
        raise InvalidInputError(
            "give one of --group, which shows intervals, and --control, which holds it fixed"
        )
    return str(control if group is None else group)
