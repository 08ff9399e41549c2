"""Scores of documents: `ts.score`, which counts first, and p-values by permuting the labels of documents."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array, check_positive_integer
from termsift.counts import Counts, GroupedCounts, Labels, as_counts, encode_groups
from termsift.engines import texts
from termsift.engines.documents import warn_numeric_labels
from termsift.engines.inputs import (
    READ_OPTIONS,
    build_term_matrix,
    count,
    drop_duplicate_documents,
    load_documents,
)
from termsift.engines.matrices import count_rows, weights_or_empty
from termsift.metrics import AnyMetric, Metric, Scores
from termsift.metrics import score as score_of_counts

COUNT_OPTIONS = ("analyzer", "n_jobs")
LIMITS = ("min_df", "max_df")
DEFAULT_METRIC = "ig"  # as in lists and reports
TIE = 1e-9  # scores closer than this, relative to their size, are equal


def score(
    data: Any,
    labels: Any = None,
    metric: AnyMetric | None = None,
    *,
    shuffles: int = 0,
    shuffle_by: Any = None,
    random_state: Any = None,
    sample_weight: Any = None,
    drop_duplicates: bool = False,
    **options: Any,
) -> Scores:
    """Score each term with a metric: `ts.score(counts, metric)` or `ts.score(data, labels, metric)`.

    Parameters
    ----------
    data : Counts, GroupedCounts, path of saved counts, or documents as for `ts.count`
        Counts, or the documents to count.
    labels : list or array, optional
        Labels of the documents, as for `ts.count`; not for counts, nor for files and frames with labels.
    metric : str, Metric or callable, default "ig"
        Name or alias in `termsift.metrics()`, with options as in "ig(smoothing='ele')"; or another Metric or
        function of Cells.
    shuffles : int, default 0
        Permutations of the labels of documents, from which p and q are estimated for the metric itself
        instead of the exact test: for metrics of occurrences, and for weights. p is at least
        1 / (shuffles + 1), so it does not determine which terms are significant.
    shuffle_by : list or array, optional
        Group of each document, such as its author: the labels of whole groups are permuted. All documents of
        a group must have the same labels.
    random_state : int, optional
        Random seed of the permutations (default: 0).
    sample_weight : list or array, optional
        Weight of each document.
    drop_duplicates : bool, default False
        Leave out documents that duplicate an earlier one, exactly or nearly, as for `ts.count`.
    **options
        reduce, one of "max", "mean", "weighted" and "sum", for one score per term instead of one per class;
        the full table is then never held in memory. For counts also for_class and reference: score only this
        class, or a list of classes taken as one, compared with another class or list of classes (default: all
        other classes). Options of the metric, such as smoothing=0.5; per_class=True for metrics that sum
        over the classes. For documents also options of `ts.count`: analyzer, min_df, max_df, n_jobs, ...

    Returns
    -------
    Scores
        Scores (terms, classes); or (terms,) if reduced, or if the metric does not use classes.

    Raises
    ------
    UnknownNameError
        If the metric, a class or an option does not exist.
    InvalidInputError
        If the data, the labels or an option cannot be used.

    Examples
    --------
    >>> from termsift import count
    >>> texts, labels = ["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"]
    >>> np.asarray(score(count(texts, labels), "ig", reduce="max")).round(3)
    array([0.252, 0.918, 0.918, 0.252])
    >>> score(texts * 5, labels * 5, "md", shuffles=99).p.round(2)
    array([0.12, 0.01, 0.01, 0.12])

    """
    is_counts = isinstance(data, Counts | GroupedCounts)
    if metric is None and (isinstance(labels, str | Metric) or callable(labels) or is_counts):
        # ts.score(counts, metric), or files with labels: the second argument is the metric
        labels, metric = None, labels
    metric = DEFAULT_METRIC if metric is None else metric
    data = data if isinstance(data, GroupedCounts) else as_counts(data)
    is_shuffled = not (type(shuffles) is int and shuffles == 0)
    if isinstance(data, Counts | GroupedCounts):
        if drop_duplicates:
            raise InvalidInputError("drop_duplicates needs documents; count them with drop_duplicates=True")
        if labels is not None or sample_weight is not None:
            raise InvalidInputError("counts contain their labels and weights; call ts.score(counts, 'bns')")
        if is_shuffled or shuffle_by is not None:
            message = "shuffles need documents, got counts; call ts.score(texts, labels, metric)"
            raise InvalidInputError(message)
        seed = {} if random_state is None else {"random_state": random_state}
        return score_of_counts(data, metric, **seed, **options)
    if is_shuffled:
        check_positive_integer(shuffles, "shuffles")
    elif shuffle_by is not None:
        raise InvalidInputError("shuffle_by needs shuffles, the number of permutations")
    read_options, count_options, limits = (
        {name: options.pop(name) for name in names if name in options}
        for names in (READ_OPTIONS, COUNT_OPTIONS, LIMITS)
    )
    documents = load_documents(data, labels, **read_options)
    if drop_duplicates:
        if sample_weight is not None:
            raise InvalidInputError("drop_duplicates cannot be combined with sample_weight")
        documents = drop_duplicate_documents(documents, **count_options)
    if documents.matrix is not None:
        count_options["terms"] = documents.terms
    else:
        count_options["analyzer"] = texts.resolve_analyzer(documents.texts, count_options.get("analyzer"))
    counts = count(documents.data, documents.labels, sample_weight=sample_weight, **limits, **count_options)
    warn_numeric_labels(counts.classes, counts.documents)
    scores = score_of_counts(counts, metric, **options)
    if not is_shuffled:
        return scores
    size = len(documents.labels)
    rows = build_term_matrix(documents, counts.terms, count_options)
    weights = weights_or_empty(sample_weight, size)
    try:
        generator = np.random.default_rng(0 if random_state is None else random_state)
    except (TypeError, ValueError) as error:
        message = f"random_state must be a whole number of at least 0, got {random_state!r}"
        raise InvalidInputError(message) from error
    group_of_document, first_document = find_permutation_units(documents.labels, shuffle_by)
    tails = np.zeros((2, *scores.values.shape))
    tolerance = TIE * np.abs(scores.values)
    for _ in range(shuffles):
        order = first_document[generator.permutation(len(first_document))][group_of_document]
        permuted = count_rows(rows, documents.labels.take(order), counts.terms, weights, None)
        values = np.asarray(score_of_counts(permuted, metric, **options))
        tails += values >= scores.values - tolerance, values <= scores.values + tolerance
    upper, lower = (tails + 1) / (shuffles + 1)
    # the sign of a one-sided metric shows the direction: twice the smaller tail
    p = np.minimum(2 * np.minimum(upper, lower), 1.0) if scores.sided == 1 else upper
    return replace(scores, permutation_p=p)


def find_permutation_units(labels: Labels, groups: Any) -> tuple[Array, Array]:
    """Return the (documents,) unit whose labels are permuted together, and each unit's first document."""
    if groups is None:
        return np.arange(labels.size), np.arange(labels.size)
    names, codes = encode_groups(groups, labels.size)
    first = np.unique(codes, return_index=True)[1]
    is_different: Any = labels.indicator != labels.take(first[codes]).indicator
    mixed = np.flatnonzero(is_different.sum(axis=1))
    if len(mixed):
        name = names[codes[mixed[0]]]
        raise InvalidInputError(
            f"group {name!r} has documents of several classes; groups can be permuted only if the documents "
            "of each have the same labels"
        )
    if len(names) < 2:
        raise InvalidInputError(f"all documents are in group {names[0]!r}; at least 2 groups can be permuted")
    return codes, first
