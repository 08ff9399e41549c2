"""score: counts through a metric and a reduction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from termsift._typing import Array
from termsift.contingency import Block, blocks
from termsift.counts import Counts
from termsift.errors import InvalidInput, UnknownName, listed, unknown
from termsift.groups import GroupedCounts, check_groups
from termsift.metrics import AnyMetric, Metric, metric_from
from termsift.policies import REDUCTIONS, call_parts, reduction_name, round_robin
from termsift.scores import Scores


def score(
    counts: Counts | GroupedCounts, metric: AnyMetric, *, reduce: str | None = None, **options: Any
) -> Scores:
    """What a metric says of each term.

    Parameters
    ----------
    counts : Counts, or GroupedCounts: of metrics that can hold groups fixed (cmh, mh_odds) the scores are
        those within the groups, of others those of all documents
    metric : str, Metric or function of Cells
        A name or alias of `termsift.metrics()`, with options as in "ig(smoothing='ele')"; or one's own.
    reduce : {"max", "mean", "weighted", "sum", "round_robin"}, optional
        One score per term instead of one for each class. The full table is then never held.
    **options
        The metric's own, such as smoothing=0.5; and per_class=True for those summed over the classes.

    Returns
    -------
    Scores, (terms, classes), or (terms,) where reduced or where the metric knows no classes.

    >>> from termsift import count
    >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
    >>> np.asarray(score(counts, "ig", reduce="max")).round(3)
    array([0.252, 0.918, 0.918, 0.252])

    """
    if isinstance(counts, GroupedCounts):
        return score_with_groups(counts, metric, reduce, options)
    if not isinstance(counts, Counts):
        raise InvalidInput(
            f"score takes Counts, got {type(counts).__name__}; count first: ts.count(texts, labels)"
        )
    line, written = metric_with_options(metric)
    options = written | options
    check(counts, line, options)
    how = None if reduce is None else reduction_name(reduce)
    values = table(counts, line, options, None if how == "round_robin" else how, blocks(counts))
    if how == "round_robin" and values.ndim == 2:
        values = round_robin(values, counts.term_df, counts.terms)
    if bool(np.isnan(values).any()):
        raise InvalidInput(
            f"{line.name} gives NaN; a metric gives a number for all cells, such as 0 for empty ones"
        )
    scores = scores_of(values, counts, line, options)
    return scores if how in (None, "max") else replace(scores, function=None)


def score_with_groups(
    grouped: GroupedCounts, metric: AnyMetric, reduce: str | None, options: dict[str, Any]
) -> Scores:
    """The scores within the groups, of a metric that can hold them fixed; else those of all documents."""
    line, written = metric_with_options(metric)
    if line.strata is None:
        return score(grouped.counts, metric, reduce=reduce, **options)
    check(grouped.counts, line, written | options)
    check_groups(grouped, 2, f"to hold fixed for {line.name}")
    values = line.strata(grouped)
    how = None if reduce is None else reduction_name(reduce)
    if how is None:
        return Scores(values, grouped.counts, line.name, line.sided, within=line.strata)
    counts = grouped.counts
    if how == "round_robin":
        values = round_robin(values, counts.term_df, counts.terms)
    else:
        values = REDUCTIONS[how](values, counts.class_sizes / counts.documents)
    return Scores(values, counts, line.name, line.sided)


def scores_of(values: Array, counts: Counts, line: Metric, options: dict[str, Any]) -> Scores:
    """The values of a metric, or the largest over the classes, with its name as it was asked for."""
    sided = 1 if options.get("signed") else line.sided
    return Scores(values, counts, written_metric(line, options), sided, line.of_documents(options))


def metric_with_options(value: AnyMetric) -> tuple[Metric, dict[str, Any]]:
    """A metric and the options that are written with its name; of what is no name there are none.

    >>> line, options = metric_with_options("ngl"), metric_with_options("gu(printed=True)")[1]
    >>> line[0].name, options
    ('cc', {'printed': True})
    """
    if not isinstance(value, str):
        return metric_from(value), {}
    try:
        name, arguments, options = call_parts(value)
    except (SyntaxError, ValueError) as error:
        raise InvalidInput(f"{value!r} is not a metric; write it as 'bns', 'gu(printed=True)'") from error
    if arguments:
        raise InvalidInput(f"the options of a metric have names, as in 'gu(printed=True)', got {value!r}")
    line = metric_from(name)
    check_options(line, options)
    return line, options


def written_metric(line: Metric, options: Mapping[str, Any]) -> str:
    """The metric as it is written with its options."""
    own = ", ".join(f"{name}={value!r}" for name, value in options.items())
    return f"{line.name}({own})" if own else line.name


def table(
    counts: Counts, line: Metric, options: dict[str, Any], reduce: str | None, runs: Iterable[Block]
) -> Array:
    """The metric's values over blocks of the counts, reduced as they come."""
    options = dict(options)
    summed = line.summed and not options.pop("per_class", False)
    priors = counts.class_sizes / max(counts.documents, 1e-300)
    parts = []
    for block in runs:
        values = of_block(block, line, options)
        if values.ndim == 2 and summed:
            values = values.sum(axis=1)
        elif values.ndim == 2 and reduce is not None:
            values = REDUCTIONS[reduce](values, priors)
        parts.append(values)
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def of_block(block: Block, line: Metric, options: dict[str, Any]) -> Array:
    """The metric of a block: of its cells, or of the block itself."""
    return block.of_cells(line.function, **options) if line.of_cells else line.function(block, **options)


def check(counts: Counts, line: Metric, options: dict[str, Any]) -> None:
    """One clear line for counts or options the metric cannot work with."""
    check_options(line, options)
    if not counts.documents:
        raise InvalidInput("there are no documents, so there is nothing to score")
    whole = (counts.class_sizes == 0) | (counts.class_sizes == counts.documents)
    if not line.classless and bool(whole.all()):
        raise InvalidInput(one_class(counts))
    if line.single_label and not counts.single_label:
        raise InvalidInput(several_labels(line))


def one_class(counts: Counts) -> str:
    """What is wrong with counts in which no class has documents both inside and outside."""
    filled = [name for name, size in zip(counts.classes, counts.class_sizes, strict=True) if size]
    if len(filled) == 1:
        return f"only 1 class: all documents are in {filled[0]!r}, so there is nothing to tell apart"
    return f"no class has documents both inside and outside: {listed(counts.classes)}"


def several_labels(line: Metric) -> str:
    """What is wrong with several labels per document."""
    return f"{line.name} needs exactly one label per document; these counts have several, or none"


def check_options(line: Metric, options: dict[str, Any]) -> None:
    """An error for an option the metric does not take."""
    strange = next((name for name in options if name not in line.options), None)
    if strange is None:
        return
    if not line.options:
        raise UnknownName(f"{line.name} takes no options, got {strange!r}")
    raise unknown(f"option of {line.name}", strange, line.options)
