"""Beyond the paper: every metric and two policies, with three classifiers; and the paper's side studies.

A trial less than the paper's five is enough here: the question is which metric to choose, not by how much.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csc_array, csr_array

from termsift import metrics
from termsift._typing import Array
from termsift.corpora.entry import DataDir
from termsift.counting import count
from termsift.counts import Counts
from termsift.methods import select
from termsift.nested.bayes import BayesPath
from termsift.nested.logistic import logistic_margins
from termsift.nested.paths import Path
from termsift.nested.svm import hinge_margins
from termsift.policies import Policy, PositiveNegative, RoundRobin, SignWeighted
from termsift.ranking import best
from termsift.scoring import score
from termsift.studies.forman2003.problems import Dataset, dataset, trial_parts
from termsift.studies.forman2003.trials import ALL, SIZES, decision_counts

Row: TypeAlias = dict[str, Any]
WIDER_COLUMNS = (
    "set", "class", "documents", "positive", "classifier", "cutoff", "metric", "size", "tp", "fp", "fn",
)  # fmt: skip
CLASSIFIERS = ("SVM", "NB", "LR")
ALPHAS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
CUTOFFS = (1, 3, 5, 10, 15, 20, 25)
MOST = int(SIZES[-1])
LR_TOLERANCE = 0.1


@dataclass(frozen=True, slots=True)
class WiderMethod:
    """A metric, and the policy of so many terms that chooses by it; without one, the class's own best."""

    metric: str
    policy: Callable[[int], Policy] | None = None

    def order(self, counts: Counts) -> Array:
        """The terms of a problem, best first, at most as many as the largest size."""
        k = min(MOST, len(counts.terms))
        if self.policy is not None:
            return select(counts, self.metric, self.policy(k)).indices
        values = np.asarray(score(counts, self.metric))
        return best(values if values.ndim == 1 else values[:, 1], counts.term_df, np.arange(len(values)), k)


def every_method() -> dict[str, WiderMethod]:
    """Every metric of the catalogue, one-sided ones also with halves of both sides, and classes in turns."""
    found = {metric.name: WiderMethod(metric.name) for metric in metrics()}
    halves = {f"{m.name} +/-": WiderMethod(m.name, PositiveNegative) for m in metrics() if m.sided == 1}
    return found | halves | {"bns in turns": WiderMethod("bns", RoundRobin)}


def weighted_methods() -> dict[str, WiderMethod]:
    """BNS with more or less weight on positive terms: figure 22."""
    return {f"bns {alpha}": WiderMethod("bns", partial(SignWeighted, alpha=alpha)) for alpha in ALPHAS}


def rows_of_every_method(data_dir: DataDir, name: str, classifier: str) -> list[Row]:
    """The rows of a set with a classifier: every method."""
    rows = set_rows(dataset(name, data_dir), every_method(), classifier)
    return [row | {"cutoff": "", "classifier": classifier} for row in rows]


def rows_of_sides(data_dir: DataDir, name: str) -> list[Row]:
    """The rows of a set: weights of positive terms, and BNS without rare words."""
    found = dataset(name, data_dir)
    rows = [row | {"cutoff": ""} for row in set_rows(found, weighted_methods(), "SVM")]
    occurrences = found.rows.sum(axis=0)
    for cutoff in CUTOFFS:
        kept = np.flatnonzero(occurrences >= cutoff)
        reduced = Dataset(name, found.rows[:, kept], found.labels, found.checksum)
        rows += [row | {"cutoff": cutoff} for row in set_rows(reduced, {"bns": WiderMethod("bns")}, "SVM")]
    return [row | {"classifier": "SVM"} for row in rows]


def set_rows(found: Dataset, methods: Mapping[str, WiderMethod], classifier: str) -> Iterator[Row]:
    """The rows of every class, method and size, pooled over the four parts."""
    classes = sorted(set(found.labels.tolist()), key=str)
    splits = [SetSplit.of(found, *part) for part in trial_parts(found, 0)]
    for one in classes:
        truth = found.labels == one
        pooled: dict[str, Array] = {}
        for split in splits:
            for name, counts in split.decisions(truth, methods, classifier):
                pooled[name] = pooled.get(name, 0) + counts
        common = {"set": found.name, "class": one, "documents": len(truth), "positive": int(truth.sum())}
        yield from (common | row for row in method_rows(pooled, found.rows.shape[1]))


def method_rows(pooled: Mapping[str, Array], n_terms: int) -> Iterator[Row]:
    """A row a method and size; a selection of as many terms as there are is that of all."""
    everything = dict(zip(("tp", "fp", "fn"), pooled[ALL][0].tolist(), strict=True))
    for name, counts in pooled.items():
        if name == ALL:
            yield {"metric": ALL, "size": ALL} | everything
            continue
        for size, values in zip(SIZES.tolist(), counts.tolist(), strict=True):
            own = dict(zip(("tp", "fp", "fn"), values, strict=True))
            yield {"metric": name, "size": size} | (own if size < n_terms else everything)


@dataclass(frozen=True, slots=True, eq=False)
class SetSplit:
    """Documents to learn from and to judge, by row and by column."""

    learned: Array
    judged: Array
    rows: csr_array[Any]
    columns: csc_array[Any]
    other_rows: csr_array[Any]
    other_columns: csc_array[Any]

    @classmethod
    def of(cls, found: Dataset, learned: Array, judged: Array) -> SetSplit:
        """The split of a set."""
        here, there = found.rows[learned], found.rows[judged]
        return cls(learned, judged, here, csc_array(here), there, csc_array(there))

    def decisions(
        self, truth: Array, methods: Mapping[str, WiderMethod], classifier: str
    ) -> Iterator[tuple[str, Array]]:
        """For each method (sizes, 3) true positives, false positives and false negatives."""
        here, there = truth[self.learned], truth[self.judged]
        # terms that tie are taken in the order of columns, as in the study itself
        counts = count(self.rows, here, terms=[f"{i:06}" for i in range(self.rows.shape[1])])
        everything = np.arange(self.rows.shape[1])
        yield (
            ALL,
            decision_counts(self.margins(everything, everything[-1:] + 1, counts, here, classifier), there),
        )
        sizes = SIZES[len(everything) > SIZES]
        for name, method in methods.items():
            margins = self.margins(method.order(counts), sizes, counts, here, classifier)
            yield name, decision_counts(margins, there)

    def margins(self, order: Array, sizes: Array, counts: Counts, truth: Array, classifier: str) -> Array:
        """(sizes, judged) margins of a classifier with the first terms of an order."""
        if classifier == "SVM":
            return hinge_margins(order, self.columns, truth, self.other_columns, sizes)
        path = Path(int(sizes[-1]), order[: sizes[-1]], order[:0], sizes)
        if classifier == "LR":
            settings = {"penalty": 1.0, "tolerance": LR_TOLERANCE}
            return logistic_margins(path, self.columns, truth, self.other_columns, **settings)[1].T
        inside = counts.tf[:, [1]].toarray().ravel()
        bayes = BayesPath(path, inside, counts.term_tf - inside, float(truth.mean()))
        for_class, for_rest = bayes.log_posteriors(self.other_rows)
        margins: Array = (for_class - for_rest).T
        return margins
