"""Tables of `termsift score`: by metric and class, and over groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import termsift as ts
from termsift._internal.errors import InvalidInputError, format_one_line
from termsift._internal.tables import Table, format_table
from termsift._internal.typing import Array
from termsift.cli.console import print_message
from termsift.counts import Counts, GroupedCounts, check_group_number
from termsift.metrics import MIN_GROUPS, Scores, expected_group_range, parse_metric
from termsift.report import (
    ClassKeywords,
    class_keywords,
    explain_missing_threshold,
    format_class_table,
    format_keywords,
)

COLUMN_TITLES = {"tp": "in class", "fp": "outside"}
MAX_ROWS = 10**6  # of printed tables
NO_CLASS = ""  # key of the one list of a metric without classes


@dataclass(frozen=True)
class ListOptions:
    """Terms that a list shows.

    top : number of terms
    direction : "positive", "negative" or "both"
    expected : expected number of false positives among the significant terms
    keep_nested : whether n-grams nested in longer ones are listed too
    """

    top: int
    direction: str
    expected: float
    keep_nested: bool


def score_classes(counts: Counts, metric_name: str) -> Scores:
    """Score terms by class, or with one score per term if the metric ignores classes."""
    metric, options = parse_metric(metric_name)
    # summed metrics have one score per term unless scores per class are requested
    return ts.score(counts, metric, **({"per_class": True} if metric.summed else {}) | options)


def list_terms(scores: Scores, classes: Sequence[Any], options: ListOptions) -> dict[Any, ClassKeywords]:
    """Return the best terms of each class; one list under NO_CLASS for a metric without classes."""
    if scores.values.ndim == 1:
        return {NO_CLASS: ClassKeywords(scores, NO_CLASS, scores.top_rows(None, options.top))}
    lists = class_keywords(
        scores,
        classes,
        options.top,
        direction=options.direction,
        expected=options.expected,
        keep_nested=options.keep_nested,
    )
    return {keywords.name: keywords for keywords in lists}


def combine_lists(lists: dict[str, dict[Any, ClassKeywords]]) -> Table:
    """Combine all lists in one table; `significant` is null if that is unknown."""

    def with_significance(keywords: ClassKeywords) -> Table:
        size, limit = len(keywords.rows), keywords.n_significant
        significant = np.full(size, None) if limit is None else (np.arange(size) < limit).astype(object)
        return Table({**keywords.table.columns, "significant": significant})

    return stack_tables(
        {
            metric: [with_significance(keywords) for keywords in by_class.values()]
            for metric, by_class in lists.items()
        }
    )


def combine_group_lists(scores: dict[str, Any], classes: Sequence[Any], options: ListOptions) -> Table:
    """Combine the lists of scores over groups, with intervals or ranges, in one table."""
    return stack_tables(
        {
            metric: [values.top(n=options.top)]
            if values.values.ndim == 1
            else [values.top(name, options.top, direction=options.direction) for name in classes]
            for metric, values in scores.items()
        }
    )


def stack_tables(tables: dict[str, list[Table]]) -> Table:
    """Stack tables; with several metrics, a column names the metric, and missing columns are empty."""
    rows = [(metric, table) for metric, by_class in tables.items() for table in by_class]
    # the widest table determines the order of the columns
    names = max((list(table.columns) for _, table in rows), key=len)
    names += [name for _, table in rows for name in table.columns if name not in names]

    def column(table: Table, name: str) -> Array:
        return table[name] if name in table.columns else np.full(len(table), None, dtype=object)

    columns = {
        name: np.concatenate([column(table, name) for _, table in rows]) for name in dict.fromkeys(names)
    }
    if len(tables) == 1:
        return Table(columns)
    metric_column = np.concatenate([np.full(len(table), metric, dtype=object) for metric, table in rows])
    return Table({"metric": metric_column} | columns)


def format_lists(lists: dict[str, dict[Any, ClassKeywords]], options: ListOptions) -> str:
    """Format lists: one class in full, several classes in rows, several metrics in columns."""
    if len(lists) > 1:
        return format_metric_columns(lists)
    ((metric, by_class),) = lists.items()
    if list(by_class) == [NO_CLASS]:
        return format_table(by_class[NO_CLASS].table, max_rows=MAX_ROWS)
    if len(by_class) > 1:
        return format_keywords(list(by_class.values()), metric, options.expected)
    (keywords,) = by_class.values()
    description = keywords.scores.default_effect.description
    return format_class_list(keywords, metric, keywords.table, description, options)


def format_class_list(
    keywords: ClassKeywords, metric: str, table: Table, description: str, options: ListOptions
) -> str:
    """Format the list of one class: heading, meaning of the columns, and a rule below significant terms."""
    total = keywords.scores.counts.documents
    heading = (
        f"{format_one_line(str(keywords.name))} ({keywords.documents:,} of {total:,} documents), by {metric}"
    )
    if keywords.n_significant is None:
        heading += f"; {explain_missing_threshold(keywords.scores)}"
    hidden = {"class", "fn", "tn", *({"sign"} if options.direction != "both" else ())}
    columns = {
        COLUMN_TITLES.get(name, name): column for name, column in table.columns.items() if name not in hidden
    }
    body = format_class_table(Table(columns), keywords.n_significant, options.expected)
    return f"{heading}\n{description}\n{body}"


def format_group_lists(scores: dict[str, Any], classes: Sequence[Any], options: ListOptions) -> str:
    """Format the lists of scores over groups, one table per metric and class."""
    blocks = []
    for metric, values in scores.items():
        if values.values.ndim == 1:
            blocks.append(format_table(values.top(n=options.top), max_rows=MAX_ROWS))
            continue
        flat = ListOptions(options.top, options.direction, options.expected, keep_nested=True)
        for keywords in list_terms(values.scores, classes, flat).values():
            table = values.top(keywords.name, options.top, direction=options.direction)
            interval = "low, high: interval of the score over the groups"
            if "effect" in table.columns:
                interval = keywords.scores.default_effect.description
            description = (
                f"{interval}; range: number of groups with the term; expected: number expected by chance"
            )
            blocks.append(format_class_list(keywords, metric, table, description, options))
    return "\n\n".join(blocks)


def format_metric_columns(lists: dict[str, dict[Any, ClassKeywords]]) -> str:
    """Format a block per class with a column per metric, and a rule below the significant terms."""
    blocks = []
    names = dict.fromkeys(name for by_class in lists.values() for name in by_class if name != NO_CLASS)
    for name in names or [NO_CLASS]:
        columns = {}
        for metric, by_class in lists.items():
            keywords = by_class[name if name in by_class else NO_CLASS]
            terms, limit = keywords.marked_terms, keywords.n_significant
            columns[metric] = terms if limit is None else [*terms[:limit], "---", *terms[limit:]]
        height = max(map(len, columns.values()))
        padded = {
            metric: np.array(terms + [""] * (height - len(terms)), dtype=object)
            for metric, terms in columns.items()
        }
        blocks.append(f"[{format_one_line(str(name))}]\n{format_table(Table(padded), max_rows=MAX_ROWS)}")
    return "\n\n".join([*blocks, "Terms above --- are significant."])


@dataclass(frozen=True, slots=True, eq=False)
class RangeScores:
    """Scores with the range of each term, for too few groups to give intervals."""

    scores: Scores
    grouped: GroupedCounts

    @property
    def values(self) -> Array:
        """Scores of the metric."""
        return self.scores.values

    def top(self, name: object = None, n: int = 10, *, direction: str = "both") -> Table:
        """Return the table of `Scores.top` with the columns range and expected."""
        table = self.scores.top(name, n, direction=direction)
        index = {term: i for i, term in enumerate(self.scores.terms)}
        # ranges are in the order of all terms, the table in that of the scores
        rows = np.array([index[term] for term in table["term"]], dtype=np.intp)
        columns = dict(table.columns) | {"range": self.grouped.range[rows]}
        expected = expected_group_range(self.grouped)
        return Table(columns if expected is None else columns | {"expected": expected[rows]})


def score_groups(grouped: GroupedCounts, metric_name: str, is_controlled: bool) -> Any:
    """Score terms within strata, or with jackknife intervals over groups, or with ranges for few groups."""
    metric, options = parse_metric(metric_name)
    options = options | ({"per_class": True} if metric.summed else {})
    if is_controlled:
        if metric.strata is None:
            raise InvalidInputError(f"{metric_name} cannot be stratified; use cmh or mh_odds with --control")
        return ts.score(grouped, metric, **options)
    check_group_number(grouped, 2, "for ranges and intervals")
    if len(grouped.groups) < MIN_GROUPS:
        print_message(
            f"termsift: no intervals: at least {MIN_GROUPS} groups are needed, found {len(grouped.groups)}"
        )
        return RangeScores(ts.score(grouped.counts, metric, **options), grouped)
    return ts.jackknife(grouped, metric, **options)
