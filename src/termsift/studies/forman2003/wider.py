"""Beyond the paper: every metric and two policies, with three classifiers; and the paper's side studies.

A trial less than the paper's five is enough here: the question is which metric to choose, not by how much.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from termsift import metrics
from termsift._typing import Array
from termsift.corpora.entry import DataDir
from termsift.counts import Counts
from termsift.experiment.classifiers import Classifier
from termsift.experiment.classifiers.bayes import Bayes
from termsift.experiment.classifiers.linear import BINARY_SVM, BinaryLogistic
from termsift.experiment.documents import Documents
from termsift.experiment.folds import Fold
from termsift.labels import as_labels
from termsift.methods import Method, method_from
from termsift.policies import PositiveNegative
from termsift.ranking import Ranking
from termsift.scoring import score
from termsift.studies.forman2003.problems import set_documents
from termsift.studies.forman2003.trials import MOST, class_order, problem_rows
from termsift.studies.study import Row

WIDER_COLUMNS = (
    "set", "class", "documents", "positive", "classifier", "cutoff", "metric", "size", "tp", "fp", "fn",
)  # fmt: skip
CLASSIFIERS: dict[str, Classifier] = {
    "SVM": BINARY_SVM,
    "NB": Bayes(),
    "LR": BinaryLogistic(penalty=1.0, tolerance=0.1),
}
ALPHAS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
CUTOFFS = (1, 3, 5, 10, 15, 20, 25)


def every_method() -> dict[str, Method]:
    """Every metric of the catalogue, one-sided ones also with halves of both sides, and classes in turns."""
    found = {metric.name: Method(metric) for metric in metrics()}
    halves = {f"{m.name} +/-": Method(m, PositiveNegative()) for m in metrics() if m.sided == 1}
    return found | halves | {"bns in turns": method_from("bns:turns")}


def weighted_methods() -> dict[str, Method]:
    """BNS with more or less weight on positive terms: figure 22."""
    return {f"bns {alpha}": method_from(f"bns:SignWeighted({alpha=})") for alpha in ALPHAS}


def rows_of_every_method(data_dir: DataDir, name: str, classifier: str) -> list[Row]:
    """The rows of a set with a classifier: every method."""
    rows = wider_rows(set_documents(name, data_dir), every_method(), classifier)
    return [row | {"set": name, "cutoff": ""} for row in rows]


def rows_of_sides(data_dir: DataDir, name: str) -> list[Row]:
    """The rows of a set: weights of positive terms, and BNS without rare words."""
    documents = set_documents(name, data_dir)
    rows = [row | {"cutoff": ""} for row in wider_rows(documents, weighted_methods(), "SVM")]
    occurrences = documents.rows.sum(axis=0)
    for cutoff in CUTOFFS:
        kept = documents.keep(np.flatnonzero(occurrences >= cutoff))
        rows += [row | {"cutoff": cutoff} for row in wider_rows(kept, {"bns": method_from("bns")}, "SVM")]
    return [row | {"set": name} for row in rows]


def wider_rows(documents: Documents, methods: Mapping[str, Method], classifier: str) -> Iterator[Row]:
    """The rows of every class, method and size with a classifier."""
    rankings = partial(method_rankings, methods)
    for row in problem_rows(documents, 0, rankings, CLASSIFIERS[classifier]):
        yield row | {"classifier": classifier}


def method_rankings(methods: Mapping[str, Method], fold: Fold) -> Iterator[tuple[str, Ranking]]:
    """The rankings of methods, which see two classes in every problem: the class and the rest."""
    problems = [
        Documents(fold.train.rows, as_labels(truth), fold.train.terms).counts for truth in fold.train.truth.T
    ]
    for name, method in methods.items():
        orders = tuple(problem_order(method, counts) for counts in problems)
        yield name, Ranking(orders, local=True)


def problem_order(method: Method, counts: Counts) -> Array:
    """The best terms of a problem: as the policy has it for two classes, or by the scores of the class."""
    if method.policy.by_class:
        return method.ranking(counts, MOST).orders[0]
    return class_order(score(counts, method.metric, **dict(method.options)), True)
