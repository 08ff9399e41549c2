"""Tables of `termsift score`: by metric and class, and over groups."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import termsift as ts
from termsift._internal.errors import InvalidInputError, format_one_line
from termsift._internal.tables import Table, format_table
from termsift._internal.typing import Array
from termsift.cli.console import print_message
from termsift.counts import Counts, GroupedCounts, check_group_number, ratio
from termsift.metrics import (
    MIN_GROUPS,
    Scores,
    dispersion_columns,
    explain_missing_significance,
    parse_metric,
)
from termsift.report import ClassKeywords, class_keywords, describe_omitted, format_keywords

COLUMN_TITLES = {
    "tp": "in class", "share": "in class %", "fp": "outside", "share_outside": "outside %",
    "tf_outside": "tf outside", "per_million": "per million", "per_million_outside": "per million outside",
    "dp": "DP", "juilland_d": "D",
}  # fmt: skip
MAX_ROWS = 10**6  # of printed tables
LAST = ("p", "q", "range", "expected", "DP", "D")
NO_CLASS = ""  # key of the one list of a metric without classes
REMEDY = "--all shows them"


@dataclass(frozen=True)
class ListOptions:
    """Terms that a list shows.

    top : number of terms
    direction : "positive", "negative" or "both"
    expected : expected number of false positives among the significant terms of a class
    keep_nested : whether n-grams nested in longer ones are listed too
    keep_insignificant : whether terms that are not significant are listed too
    """

    top: int
    direction: str
    expected: float
    keep_nested: bool
    keep_insignificant: bool = False


def drop_unused_counts(counts: Counts, classes: Sequence[Any], metric_names: Sequence[str]) -> Counts:
    """Return the counts without classes and occurrences that the metrics do not need, which frees memory."""
    metrics = [parse_metric(name) for name in metric_names]
    if all(x.of_cells and x.count_type(options) == "df" for x, options in metrics):
        df, term_df = counts.df, counts.term_df
        counts = replace(counts, tf=df, tf2=df, term_tf=term_df, term_tf2=term_df)
    if len(classes) > 1:
        return counts
    target = counts.of_class(classes[0])
    # scoring refuses single classes that contain no or all documents, but not several of which some do
    is_proper = 0 < target.class_sizes[0] < counts.documents
    return target if is_proper and all(x.of_cells and not x.single_label for x, _ in metrics) else counts


def score_classes(counts: Counts, metric_name: str, for_class: Any = None) -> Scores:
    """Score terms by class, or with one score per term if the metric ignores classes."""
    metric, options = parse_metric(metric_name)
    # summed metrics have one score per term unless scores per class are requested
    options = ({"per_class": True} if metric.summed else {}) | options
    return ts.score(counts, metric, **options if for_class is None else options | {"for_class": for_class})


def score_and_list_terms(
    counts: Counts, metric_name: str, classes: Sequence[Any], options: ListOptions
) -> dict[Any, ClassKeywords]:
    """Return the best terms of each class, or one list under NO_CLASS for a metric without classes."""
    metric, metric_options = parse_metric(metric_name)
    if not metric.of_cells or not metric_options.get("per_class", True):
        return list_terms(score_classes(counts, metric_name), classes, options)
    lists: dict[Any, ClassKeywords] = {}
    # one class after the other, because the scores of all would take terms x classes of memory
    for name in classes:
        (keywords,) = list_terms(score_classes(counts, metric_name, name), [name], options).values()
        lists[name] = keywords.detach()
        del keywords  # before the scores of the next class are computed
    return lists


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
        keep_insignificant=options.keep_insignificant,
    )
    return {keywords.name: keywords for keywords in lists}


def combine_lists(lists: dict[str, dict[Any, ClassKeywords]]) -> Table:
    """Combine all lists in one table; `significant` is null if that is unknown."""

    def add_shares_and_significance(keywords: ClassKeywords) -> Table:
        significant = keywords.significant
        column = np.full(len(keywords.rows), None) if significant is None else significant.astype(object)
        return Table({**add_shares(keywords.table).columns, "significant": column})

    return stack_tables(
        {
            metric: [add_shares_and_significance(keywords) for keywords in by_class.values()]
            for metric, by_class in lists.items()
        }
    )


def add_shares(table: Table) -> Table:
    """Add the shares of the documents inside and outside the class that contain the term."""
    columns: dict[str, Array] = {}
    for name, column in table.columns.items():
        columns[name] = column
        if name in ("tp", "fp"):
            total = column + table["fn" if name == "tp" else "tn"]
            columns["share" if name == "tp" else "share_outside"] = ratio(column, total)
    return Table(columns)


def combine_group_lists(scores: dict[str, Any], classes: Sequence[Any], options: ListOptions) -> Table:
    """Combine the lists of scores over groups, with intervals or ranges, in one table."""
    return stack_tables(
        {
            metric: [values.top(n=options.top)]
            if values.scores.values.ndim == 1
            else [add_shares(list_group_terms(values, name, options)) for name in classes]
            for metric, values in scores.items()
        }
    )


def list_group_terms(group_scores: Any, class_name: Any, options: ListOptions) -> Table:
    """Return the list of a class with intervals or ranges over groups."""
    expected = None if options.keep_insignificant else options.expected
    table: Table = group_scores.top(class_name, options.top, direction=options.direction, expected=expected)
    return table


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
        return format_metric_columns(lists, options)
    ((metric, by_class),) = lists.items()
    if list(by_class) == [NO_CLASS]:
        return format_table(by_class[NO_CLASS].table, max_rows=MAX_ROWS)
    if len(by_class) > 1:
        lists_of_classes = list(by_class.values())
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        return format_keywords(lists_of_classes, metric, options.expected, REMEDY, shares=True, width=width)
    (keywords,) = by_class.values()
    if keywords.scores.test is None:
        unit = " of documents" if keywords.scores.of == "tf" else ""
        description = f"{keywords.scores.default_effect.description}; p = exact test{unit}"
    else:
        interval = "effect = Mantel-Haenszel log odds ratio; low-high = 95% confidence interval"
        description = f"{interval}; p = exact test within strata"
    return format_class_list(keywords, metric, keywords.table, description, options)


def format_class_list(
    keywords: ClassKeywords, metric: str, table: Table, description: str, options: ListOptions
) -> str:
    """Format the list of one class: heading, meaning of the columns, terms, and how many are left out."""
    total, is_known = keywords.scores.counts.documents, keywords.significant is not None
    title = format_one_line(str(keywords.name))
    lines = [f"{title} ({keywords.documents:,} of {total:,} documents), by {metric}"]
    if not len(table):
        note = f"No significant terms; {REMEDY}." if is_known else "No terms to list."
        return f"{lines[0]}\n{note}"
    hidden = {"class", "fn", "tn", *({"sign"} if options.direction != "both" else ())}
    columns: dict[str, Array] = {}
    for name, column in add_shares(table).columns.items():
        if name in ("share", "share_outside"):
            columns[COLUMN_TITLES[name]] = np.array([float(f"{100 * share:.3g}") for share in column])
        elif name not in hidden:
            columns[metric if name == "score" else COLUMN_TITLES.get(name, name)] = column
    # the size of a difference before its significance
    columns |= {name: columns.pop(name) for name in LAST if name in columns}
    if keywords.significant is not None and options.keep_insignificant:
        columns["significant"] = np.where(keywords.significant, "yes", "no").astype(object)
    lines += [description, format_table(Table(columns), MAX_ROWS)]
    if not is_known:
        lines.append(f"Significance is unknown: {explain_missing_significance(keywords.scores)}.")
    elif not options.keep_insignificant:
        n_left = keywords.n_significant - len(table)
        others = f"; {n_left:,} more not shown" if n_left > 0 else ""
        lines.append(
            f"All terms shown are significant (expected false positives: {options.expected:g}){others}."
        )
        lines += filter(None, [describe_omitted(keywords.n_omitted, REMEDY)])
    return "\n".join(lines)


def format_group_lists(scores: dict[str, Any], classes: Sequence[Any], options: ListOptions) -> str:
    """Format the lists of scores over groups, one table per metric and class."""
    blocks = []
    for metric, values in scores.items():
        if values.scores.values.ndim == 1:
            blocks.append(format_table(values.top(n=options.top), max_rows=MAX_ROWS))
            continue
        flat = replace(options, keep_nested=True)
        for keywords in list_terms(values.scores, classes, flat).values():
            table = list_group_terms(values, keywords.name, options)
            interval, p = "low-high: interval of the score over the groups", "p = jackknife over the groups"
            if "effect" in table.columns:
                interval, p = keywords.scores.default_effect.description, "p ignores the groups"
            description = (
                f"{interval}; {p}\n"
                "range: number of groups with the term; expected: number expected by chance; "
                "DP (0 = even) and D (1 = even): dispersion over the groups"
            )
            blocks.append(format_class_list(keywords, metric, table, description, options))
    return "\n\n".join(blocks)


def format_metric_columns(lists: dict[str, dict[Any, ClassKeywords]], options: ListOptions) -> str:
    """Format a block per class with a column per metric."""
    blocks = []
    names = dict.fromkeys(name for by_class in lists.values() for name in by_class if name != NO_CLASS)
    for name in names or [NO_CLASS]:
        columns = {}
        for metric, by_class in lists.items():
            columns[metric] = by_class[name if name in by_class else NO_CLASS].terms_with_marks
        height = max(map(len, columns.values()))
        padded = {
            metric: np.array(terms + [""] * (height - len(terms)), dtype=object)
            for metric, terms in columns.items()
        }
        blocks.append(f"[{format_one_line(str(name))}]\n{format_table(Table(padded), max_rows=MAX_ROWS)}")
    keywords = [words for by_class in lists.values() for words in by_class.values()]
    notes = []
    if any(words.significant is not None for words in keywords):
        subject = "Terms in brackets are not" if options.keep_insignificant else "All terms shown are"
        notes.append(f"{subject} significant (exact test; expected false positives: {options.expected:g}).")
        notes += filter(None, [describe_omitted(sum(words.n_omitted for words in keywords), REMEDY)])
    return "\n\n".join([*blocks, *(["\n".join(notes)] if notes else [])])


@dataclass(frozen=True, slots=True, eq=False)
class RangeScores:
    """Scores with the range of each term, for too few groups to give intervals."""

    scores: Scores
    grouped: GroupedCounts

    def top(
        self, name: object = None, n: int = 10, *, direction: str = "both", expected: float | None = None
    ) -> Table:
        """Return the table of `Scores.top` with the columns range, expected, dp and juilland_d."""
        table = self.scores.top(name, n, direction=direction, expected=expected)
        index = {term: i for i, term in enumerate(self.scores.terms)}
        # ranges are in the order of all terms, the table in that of the scores
        rows = np.array([index[term] for term in table["term"]], dtype=np.intp)
        spread = {name: column[rows] for name, column in dispersion_columns(self.grouped).items()}
        return Table(dict(table.columns) | spread)


def score_over_groups(grouped: GroupedCounts, metric_name: str, is_stratified: bool) -> Any:
    """Score terms within strata, or with jackknife intervals over groups, or with ranges for few groups."""
    metric, options = parse_metric(metric_name)
    options = options | ({"per_class": True} if metric.summed else {})
    if is_stratified:
        if metric.strata is None:
            raise InvalidInputError(f"{metric_name} cannot be stratified; use cmh or mh_odds with --control")
        return ts.score(grouped, metric, **options)
    check_group_number(grouped, 2, "for ranges and intervals")
    if len(grouped.groups) < MIN_GROUPS:
        print_message(
            "termsift: no intervals over the groups, and p ignores them: "
            f"at least {MIN_GROUPS} groups are needed, found {len(grouped.groups)}"
        )
        return RangeScores(ts.score(grouped.counts, metric, **options), grouped)
    return ts.jackknife(grouped, metric, **options)
