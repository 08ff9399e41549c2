"""Scoring: apply a metric to counts, by blocks of terms; `score` returns Scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from termsift._internal.errors import InvalidInputError, check_name
from termsift._internal.typing import Array
from termsift.counts import Block, Counts, GroupedCounts, check_group_number, contrast_classes, iter_blocks
from termsift.metrics.catalogue import AnyMetric, Metric, check_metric_options, format_metric, parse_metric
from termsift.metrics.scores import Scores
from termsift.metrics.strata import StratifiedTest

# by name: (terms, classes) values and (classes,) shares P(c) of the documents -> (terms,)
REDUCTIONS: dict[str, Callable[[Array, Array], Array]] = {
    "max": lambda values, priors: values.max(axis=1) if values.shape[1] else np.zeros(len(values)),
    "mean": lambda values, priors: values.sum(axis=1) / max(values.shape[1], 1),
    "weighted": lambda values, priors: (values * priors).sum(axis=1),
    "sum": lambda values, priors: values.sum(axis=1),
}


def check_reduction(name: object) -> None:
    """Check that a reduction has this name."""
    check_name("reduction", name, REDUCTIONS)


def score(
    counts: Counts | GroupedCounts,
    metric: AnyMetric,
    *,
    reduce: str | None = None,
    for_class: Any = None,
    reference: Any = None,
    **options: Any,
) -> Scores:
    """Score each term by a metric.

    Parameters
    ----------
    counts : Counts or GroupedCounts
        With GroupedCounts, cmh and mh_odds are stratified by group; other metrics use all documents.
    metric : str, Metric or function of Cells
        A name or alias in `termsift.metrics()`, with options as in "ig(smoothing='ele')"; or a custom one.
    reduce : {"max", "mean", "weighted", "sum"}, optional
        One score per term instead of one for each class. The full table is then never in memory.
    for_class : object or list, optional
        Score only this class, or this list of classes taken as one.
    reference : object or list, optional
        The class, or classes, to compare `for_class` with; by default all other classes.
    **options : object
        Options of the metric, such as smoothing=0.5; and per_class=True for metrics summed over the classes.

    Returns
    -------
    Scores
        Shape (n_terms, n_classes), or (n_terms,) if reduced or if the metric has one score per term.

    Raises
    ------
    InvalidInputError
        If the counts cannot be scored by this metric, or an option is invalid.
    UnknownNameError
        If there is no such metric, option, reduction or class.

    Examples
    --------
    >>> from termsift import count
    >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
    >>> np.asarray(score(counts, "ig", reduce="max")).round(3)
    array([0.252, 0.918, 0.918, 0.252])

    """
    if reduce is not None:
        check_reduction(reduce)
    if not isinstance(counts, Counts | GroupedCounts):
        raise InvalidInputError(
            f"score needs Counts, got {type(counts).__name__}; count first: ts.count(texts, labels)"
        )
    has_contrast = for_class is not None or reference is not None
    entry, written_options = parse_metric(metric)
    options = written_options | options
    if isinstance(counts, GroupedCounts):
        if has_contrast:
            raise InvalidInputError("for_class and reference need counts without groups; use grouped.counts")
        grouped, counts = counts, counts.counts
        # other metrics cannot hold groups fixed, and use all documents
        if entry.strata is not None:
            check_scorable(counts, entry, options)
            check_group_number(grouped, 2, f"to stratify {entry.name}")
            if max(grouped.group_sizes) <= 1:
                raise InvalidInputError(
                    "every document has a group of its own, so nothing can be compared within groups; "
                    "choose groups of several documents"
                )
            values = entry.strata(grouped)
            if reduce is None:
                return Scores(values, counts, entry.name, entry.sided, test=StratifiedTest(grouped))
            values = REDUCTIONS[reduce](values, counts.class_sizes / counts.documents)
            return Scores(values, counts, entry.name, entry.sided)
    if has_contrast:
        contrast, name = contrast_classes(counts, for_class, reference)
        if entry.of_cells and reduce is None and not is_sum_over_classes(entry, options):
            # the cells of the other classes are not needed
            check_scorable(contrast, entry, options)
            target = contrast.of_class(name)
            return build_scores(
                score_blocks(target, entry, options, None, iter_blocks(target)), target, entry, options
            )
        scores = score(contrast, entry, reduce=reduce, **options)
        return scores if scores.values.ndim == 1 and reference is not None else scores.of_class(name)
    check_scorable(counts, entry, options)
    values = score_blocks(counts, entry, options, reduce, iter_blocks(counts))
    return build_scores(values, counts, entry, options)


def term_weights(counts: Counts, metric: AnyMetric, *, reduce: str = "max", **options: Any) -> Array:
    """Return (terms,) weights that replace idf: the scores, or the weight that the metric's paper defines.

    >>> from termsift import count
    >>> counts = count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
    >>> term_weights(counts, "acc2")
    array([0.5, 1. , 1. , 0.5])
    """
    entry, _ = parse_metric(metric)
    values = np.asarray(score(counts, metric, reduce=reduce, **options))
    return values if entry.weight is None else entry.weight(values)


def is_sum_over_classes(metric: Metric, options: dict[str, Any]) -> bool:
    """Return whether the metric with these options is a sum over the classes."""
    return metric.summed and not options.get("per_class", False)


def build_scores(values: Array, counts: Counts, metric: Metric, options: dict[str, Any]) -> Scores:
    """Wrap the values of a metric as Scores."""
    sided = 1 if options.get("signed") else metric.sided
    return Scores(values, counts, format_metric(metric, options), sided, metric.count_type(options))


def score_blocks(
    counts: Counts, metric: Metric, options: dict[str, Any], reduce: str | None, blocks: Iterable[Block]
) -> Array:
    """Return scores (terms, classes), or (terms,) if reduced, computed one block of terms at a time."""
    is_summed = is_sum_over_classes(metric, options)
    # counts without documents have no priors, and must not divide by 0
    priors = counts.class_sizes / max(counts.documents, 1e-300)
    block_values = []
    for block in blocks:
        values = score_block(block, metric, options)
        if not np.isfinite(values).all():
            raise undefined_score_error(values, block, counts, metric)
        if values.ndim == 2 and is_summed:
            values = values.sum(axis=1)
        elif values.ndim == 2 and reduce is not None:
            values = REDUCTIONS[reduce](values, priors)
        block_values.append(values)
    return block_values[0] if len(block_values) == 1 else np.concatenate(block_values)


def score_block(block: Block, metric: Metric, options: dict[str, Any]) -> Array:
    """Apply a metric to the block's cells of documents or of occurrences, or to the block itself."""
    if not metric.of_cells:
        return metric.function(block, **{key: value for key, value in options.items() if key != "per_class"})
    arguments = {name: value for name, value in options.items() if name not in metric.scoring_options}
    return block.map_cells(metric.function, metric.count_type(options), **arguments)


def check_scorable(counts: Counts, metric: Metric, options: dict[str, Any]) -> None:
    """Check that the metric takes these options and can score these counts."""
    check_metric_options(metric, options)
    if not counts.documents:
        raise InvalidInputError("the counts contain no documents to score")
    is_constant = (counts.class_sizes == 0) | (counts.class_sizes == counts.documents)
    if not metric.classless and bool(is_constant.all()):
        filled = [name for name, size in zip(counts.classes, counts.class_sizes, strict=True) if size]
        if len(filled) == 1:
            reason = f"all documents are in {filled[0]!r}"
            raise InvalidInputError(f"only 1 class: {reason}; scoring needs at least 2 classes")
        # classes of all documents, if every document has several labels
        raise InvalidInputError("every class contains all documents or none, so no class can be scored")
    if metric.single_label:
        check_single_label(metric, counts.single_label)


def undefined_score_error(values: Array, block: Block, counts: Counts, metric: Metric) -> InvalidInputError:
    """Return the error for scores that are not all numbers; it names the first term without one."""
    row, *column = np.argwhere(~np.isfinite(values))[0]
    value = values[row, *column]
    source = f"the term {counts.terms[block.rows.start + row]!r}"
    if column:
        source += f" and the class {counts.classes[column[0]]!r}"
    return InvalidInputError(
        f"{metric.name} returned {'NaN' if np.isnan(value) else value} for {source}; "
        "a metric must return a finite number for all cells, such as 0 for empty ones"
    )


def check_single_label(metric: Metric, has_single_labels: bool) -> None:
    """Check that documents have one label each if the metric is defined only then."""
    if metric.single_label and not has_single_labels:
        raise InvalidInputError(
            f"{metric.name} needs exactly one label per document; some documents have several or none"
        )
