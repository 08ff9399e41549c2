"""score: counts through a metric and a reduction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from termsift._typing import Array
from termsift.contingency import Block, blocks
from termsift.contingency.contrasts import contrast
from termsift.contingency.term_blocks import totals_of
from termsift.counts import Counts
from termsift.errors import InvalidInput, UnknownName, check_name, listed, unknown
from termsift.groups import GroupedCounts, check_groups
from termsift.metrics import AnyMetric, Metric, metric_from
from termsift.policies import REDUCTIONS, call_parts, reduction_name, round_robin
from termsift.scores import Scores


def score(
    counts: Counts | GroupedCounts,
    metric: AnyMetric,
    *,
    reduce: str | None = None,
    for_class: Any = None,
    against: Any = None,
    **options: Any,
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
    for_class : optional
        A class, or a list of classes taken as one, for which alone there are scores.
    against : optional
        The class, or the classes, that it is told from; all other classes where none are named.
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
        if for_class is not None or against is not None:
            raise InvalidInput("counts with groups have no sides; those without have: grouped.counts")
        return score_with_groups(counts, metric, reduce, options)
    if not isinstance(counts, Counts):
        raise InvalidInput(
            f"score takes Counts, got {type(counts).__name__}; count first: ts.count(texts, labels)"
        )
    if for_class is not None or against is not None:
        return contrast_scores(counts, metric, for_class, against, {"reduce": reduce, **options})
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


def term_weights(counts: Counts, metric: AnyMetric, *, reduce: str = "max", **options: Any) -> Array:
    """(terms,) what a column is multiplied by, in place of idf: the scores, or a weight that is made of them.

    >>> from termsift import count
    >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
    >>> term_weights(counts, "acc2")
    array([0.5, 1. , 1. , 0.5])
    """
    line, _ = metric_with_options(metric)
    values = np.asarray(score(counts, metric, reduce=reduce, **options))
    return values if line.weight is None else line.weight(values)


def contrast_scores(
    counts: Counts, metric: AnyMetric, for_class: Any, against: Any, options: dict[str, Any]
) -> Scores:
    """The scores of a class against others; of a metric with one score per term, those of the two sides."""
    sides, name = contrast(counts, for_class, against)
    scores = score(sides, metric, **options)
    return scores if scores.values.ndim == 1 and against is not None else scores.of_class(name)


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
    how = line.of_documents(options), None, line.counted(options)
    return Scores(values, counts, written_metric(line, options), sided, *how)


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
    summed = line.summed and not options.get("per_class", False)
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
    """The metric of a block: of its cells, of documents or of occurrences, or of the block itself."""
    own = line.own_options(options)
    if not line.of_cells:
        return line.function(block, **own)
    if line.counted(options) == "tf":
        return block.of_token_cells(line.function, **own)
    return block.of_cells(line.function, **own)


def check(counts: Counts, line: Metric, options: dict[str, Any]) -> None:
    """One clear line for counts or options the metric cannot work with."""
    check_options(line, options)
    if not counts.documents:
        raise InvalidInput("there are no documents, so there is nothing to score")
    whole = (counts.class_sizes == 0) | (counts.class_sizes == counts.documents)
    if not line.classless and bool(whole.all()):
        raise InvalidInput(one_class(counts))
    if line.single_label and not totals_of(counts).single_label:
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
        check_table(line, options)
        return
    if not line.options:
        raise UnknownName(f"{line.name} takes no options, got {strange!r}")
    raise unknown(f"option of {line.name}", strange, line.options)


def check_table(line: Metric, options: dict[str, Any]) -> None:
    """An error for a table that is neither of documents nor of occurrences."""
    if line.of and "of" in options:
        check_name(f"table of {line.name}", options["of"], ("df", "tf"))
