"""`ts.score` for counts and for documents, whose labels can be permuted to estimate significance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array, vstack

from termsift._internal.errors import InvalidInputError
from termsift._internal.expressions import check_positive_integer
from termsift._internal.typing import Array
from termsift.counts import Counts, GroupedCounts
from termsift.engines.inputs import LabelledInput, count, load_documents
from termsift.engines.matrices import as_weights, count_rows
from termsift.metrics import AnyMetric, Metric, PermutationScores, Scores, has_integer_counts, top_scores
from termsift.metrics import score as score_of_counts

READING = tuple(load_documents.__kwdefaults__ or ())
COUNTING = ("analyzer", "n_jobs")
LIMITS = ("min_df", "max_df")
TEXTS_PER_BATCH = 500  # that are counted at a time


def score(
    data: Any,
    labels: Any = None,
    metric: AnyMetric | None = None,
    *,
    n_permutations: int = 200,
    random_state: Any = None,
    sample_weight: Any = None,
    **options: Any,
) -> Scores:
    """Score each term with a metric: `ts.score(counts, metric)` or `ts.score(data, labels, metric)`.

    Parameters
    ----------
    data : Counts, GroupedCounts, or documents as for `ts.count`
    labels : labels of the documents, as for `ts.count`; not for counts, nor for files and frames with labels
    metric : str, Metric or function of Cells
        A name or alias in `termsift.metrics()`, with options as in "ig(smoothing='ele')"; or your own metric.
    reduce : {"max", "mean", "weighted", "sum"}, optional
        One score per term instead of one per class. The full table is then never held in memory.
    for_class, against : optional, for counts
        Score only this class, or a list of classes taken as one, against another class or list of classes.
        `against` defaults to all other classes.
    n_permutations : int
        How often to shuffle the labels of the documents to estimate chance, where counts are not enough: for
        metrics that are not functions of the cells, reductions other than max, and weights. 0 for never.
    random_state : the seed of the n_permutations; None means 0
    sample_weight : weight of each document
    **options
        Options of the metric, such as smoothing=0.5; per_class=True for metrics that sum over the classes.
        For documents also options of `ts.count`: analyzer, min_df, max_df, n_jobs, terms, text, label, ...

    Returns
    -------
    Scores, (terms, classes); or (terms,) if reduced, or if the metric does not use classes.

    >>> from termsift import count
    >>> texts, labels = ["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"]
    >>> np.asarray(score(count(texts, labels), "ig", reduce="max")).round(3)
    array([0.252, 0.918, 0.918, 0.252])
    >>> score(texts, labels, "md", n_permutations=20).threshold(1) > 0
    True

    """
    if metric is None:
        # counts have no labels to be given, nor need files
        labels, metric = None, labels
    if isinstance(data, Counts | GroupedCounts):
        if labels is not None or sample_weight is not None:
            raise InvalidInputError("counts bring their own labels and weights: ts.score(counts, 'bns')")
        seed = {} if random_state is None else {"random_state": random_state}
        return score_of_counts(data, metric, **seed, **options)
    if not (isinstance(metric, str | Metric) or callable(metric)):
        raise InvalidInputError("name the metric: ts.score(texts, labels, 'bns')")
    if not (type(n_permutations) is int and n_permutations == 0):
        check_positive_integer(n_permutations, "n_permutations")
    reading = {name: options.pop(name) for name in READING if name in options}
    counting = {name: options.pop(name) for name in COUNTING if name in options}
    given = load_documents(data, labels, **reading)
    if given.matrix is not None:
        counting["terms"] = given.terms
    limits = {name: options.pop(name) for name in LIMITS if name in options}
    counts = count(given.data, given.labels, sample_weight=sample_weight, **limits, **counting)
    scores = score_of_counts(counts, metric, **options)
    if n_permutations == 0 or (scores.function is not None and has_integer_counts(counts)):
        return scores
    size, known = len(given.labels), given.labels
    rows, weights = load_document_rows(given, counts.terms, counting), as_weights(sample_weight, size)
    orders = iter_permutations(size, n_permutations, random_state)
    mixed = (count_rows(rows, known.take(order), counts.terms, weights, None) for order in orders)
    values = (np.asarray(score_of_counts(counts, metric, **options)) for counts in mixed)
    return replace(scores, permutations=collect_best_scores(values, scores.sided))


def load_document_rows(given: LabelledInput, terms: Array, counting: dict[str, Any]) -> csr_array[Any]:
    """Return the occurrences (documents, terms) of these terms."""
    if given.texts is None:
        kept = np.flatnonzero(np.isin(np.asarray(given.terms), terms))
        return csr_array(given.matrix[:, kept])
    place = {term: i for i, term in enumerate(terms.tolist())}
    # a vectorizer has limits of its own, which hold for all texts
    step = len(given.texts) if hasattr(counting.get("analyzer"), "fit_transform") else TEXTS_PER_BATCH
    parts = [given.texts[i : i + step] for i in range(0, len(given.texts), step)]
    return csr_array(vstack([count_text_rows(part, place, counting) for part in parts], format="csr"))


def count_text_rows(texts: list[str], place: dict[str, int], counting: dict[str, Any]) -> csr_array[Any]:
    """Return the rows of some texts, counted with one class per text."""
    counts: Counts = count(texts, np.arange(len(texts)), **counting)
    column = np.array([place.get(term, -1) for term in counts.terms.tolist()], dtype=np.int64)
    table = counts.tf[np.flatnonzero(column >= 0)].tocoo()
    shape = (len(texts), len(place))
    return csr_array(coo_array((table.data, (table.col, column[column >= 0][table.row])), shape=shape))


def collect_best_scores(found: Iterable[Array], sided: int) -> PermutationScores:
    """Return the best scores of all permutations, and the lowest ones of signed metrics."""
    parts = [(top_scores(values), top_scores(-values) if sided == 1 else None) for values in found]
    best = np.stack([part for part, _ in parts], axis=1)
    lowest = [part for _, part in parts if part is not None]
    return PermutationScores(best, np.stack(lowest, axis=1) if lowest else None)


def iter_permutations(size: int, n_permutations: int, random_state: Any) -> Iterator[Array]:
    """Return random orders of the documents."""
    try:
        generator = np.random.default_rng(0 if random_state is None else random_state)
    except (TypeError, ValueError) as error:
        what = f"random_state must be a whole number of at least 0, got {random_state!r}"
        raise InvalidInputError(what) from error
    return (generator.permutation(size) for _ in range(n_permutations))
