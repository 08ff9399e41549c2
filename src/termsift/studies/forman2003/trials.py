"""One trial on one set: every class, metric and size, pooled over the four parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csc_array, csr_array

from termsift._typing import Array
from termsift.corpora.entry import DataDir
from termsift.counting import count
from termsift.counts import Counts
from termsift.nested.svm import hinge_margins
from termsift.ranking import best
from termsift.scoring import score
from termsift.studies.forman2003.problems import dataset, trial_parts

Row: TypeAlias = dict[str, object]
COLUMNS = ("set", "trial", "class", "documents", "positive", "metric", "size", "tp", "fp", "fn")
SIZES = np.array([10, 20, 50, 100, 200, 500, 1000, 2000])
METRICS = ("acc", "acc2", "bns", "chi2", "df", "f1", "ig", "odds", "oddn", "pow", "pr", "rand")
ALL = "all"


def trial_rows(name: str, data_dir: DataDir, trial: int) -> list[Row]:
    """The rows of a trial: decisions of each problem, metric and size."""
    found = dataset(name, data_dir)
    classes = sorted(set(found.labels.tolist()), key=str)
    truth = np.stack([found.labels == one for one in classes])
    decisions = np.zeros((len(classes), len(METRICS) + 1, len(SIZES), 3), dtype=np.int64)
    for seed, (learned, judged) in enumerate(trial_parts(found, trial)):
        for c, m, counts in of_part(found.rows, truth, learned, judged, len(METRICS) * (4 * trial + seed)):
            decisions[c, m] += counts
    common = {"set": name, "trial": trial, "documents": len(found.labels)}
    return [
        common | {"class": one, "positive": int(truth[c].sum())} | row
        for c, one in enumerate(classes)
        for row in problem_rows(decisions[c], found.rows.shape[1])
    ]


def problem_rows(decisions: Array, n_terms: int) -> Iterator[Row]:
    """The rows of a problem. A selection of as many terms as there are is that of all."""
    everything = dict(zip(("tp", "fp", "fn"), decisions[-1, 0].tolist(), strict=True))
    yield {"metric": ALL, "size": ALL} | everything
    for m, metric in enumerate(METRICS):
        for s, size in enumerate(SIZES.tolist()):
            own = dict(zip(("tp", "fp", "fn"), decisions[m, s].tolist(), strict=True))
            yield {"metric": metric, "size": size} | (own if size < n_terms else everything)


def of_part(
    rows: csr_array[Any], truth: Array, learned: Array, judged: Array, seed: int
) -> Iterator[tuple[int, int, Array]]:
    """For each class and metric (sizes, 3) counts of true and false positives and false negatives.

    The last metric is none: all terms, in the first place of the sizes.
    """
    train, test = csc_array(rows[learned]), csc_array(rows[judged])
    counts = count(rows[learned], truth[:, learned].T)
    terms = np.arange(train.shape[1])
    sizes = SIZES[len(terms) > SIZES]
    scores = {name: metric_scores(counts, name, seed + m) for m, name in enumerate(METRICS)}
    for c in range(len(truth)):
        here, there = truth[c, learned], truth[c, judged]
        everything = hinge_margins(terms, train, here, test, terms[-1:] + 1)
        yield c, len(METRICS), decision_counts(everything, there)
        for m, metric in enumerate(METRICS):
            values = scores[metric]
            order = best(values if values.ndim == 1 else values[:, c], counts.term_df, terms, int(sizes[-1]))
            yield c, m, decision_counts(hinge_margins(order, train, here, test, sizes), there)


def metric_scores(counts: Counts, metric: str, seed: int) -> Array:
    """(terms, classes), or (terms,) for a metric that knows no classes."""
    options: dict[str, Any] = {"random_state": seed} if metric == "rand" else {}
    return np.asarray(score(counts, metric, **options))


def decision_counts(margins: Array, truth: Array) -> Array:
    """(sizes, 3): true positives, false positives and false negatives, in the first places of all sizes."""
    accepted = margins > 0
    counts = np.zeros((len(SIZES), 3), dtype=np.int64)
    counts[: len(margins), 0] = (accepted & truth).sum(axis=1)
    counts[: len(margins), 1] = (accepted & ~truth).sum(axis=1)
    counts[: len(margins), 2] = (~accepted & truth).sum(axis=1)
    return counts
