"""One trial on one set: every class, metric and size, pooled over the four folds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from termsift._typing import Array
from termsift.evaluation import Confusion
from termsift.experiment.classifiers import Classifier
from termsift.experiment.classifiers.linear import BINARY_SVM
from termsift.experiment.decisions import decisions
from termsift.experiment.documents import Documents
from termsift.experiment.folds import Fold
from termsift.ranking import Ranking, best
from termsift.scores import Scores
from termsift.scoring import score
from termsift.studies.forman2003.problems import loaded_set, trial_folds
from termsift.studies.study import Row

COLUMNS = ("set", "trial", "class", "documents", "positive", "metric", "size", "tp", "fp", "fn")
SIZES = np.array([10, 20, 50, 100, 200, 500, 1000, 2000])
MOST = int(SIZES[-1])
METRICS = ("acc", "acc2", "bns", "chi2", "df", "f1", "ig", "odds", "oddn", "pow", "pr", "rand")
ALL = "all"

# of a fold, the name of each method with its ranking; every class is a problem and has its own order
FoldRankings: TypeAlias = Callable[[Fold], Iterator[tuple[str, Ranking]]]


def trial_rows(name: str, data_dir: Path | None, trial: int) -> list[Row]:
    """The rows of a trial: decisions of each problem, metric and size."""
    rows = problem_rows(loaded_set(name, data_dir)[0], trial, metric_rankings, BINARY_SVM)
    return [row | {"set": name, "trial": trial} for row in rows]


def metric_rankings(fold: Fold) -> Iterator[tuple[str, Ranking]]:
    """The rankings of the paper's metrics."""
    for m, metric in enumerate(METRICS):
        options: dict[str, Any] = {"random_state": len(METRICS) * fold.seed + m} if metric == "rand" else {}
        scores = score(fold.counts, metric, **options)
        orders = tuple(class_order(scores, one) for one in fold.counts.classes)
        yield metric, Ranking(orders, local=True)


def class_order(scores: Scores, name: object) -> Array:
    """The best terms for a class, by its own scores or by the only ones there are."""
    return best(scores.column(name), scores.counts.term_df, scores.terms, MOST)


def problem_rows(
    documents: Documents, trial: int, rankings: FoldRankings, classifier: Classifier
) -> Iterator[Row]:
    """The rows of every class, method and size, pooled over the folds; all terms come first."""
    pooled: dict[str, Confusion] = {}
    for fold in trial_folds(documents, trial):
        for name, found in fold_decisions(fold, rankings, classifier):
            pooled[name] = pooled.get(name, 0) + found
    for c, one in enumerate(documents.labels.classes):
        positive = int(documents.truth[:, c].sum())
        common = {"class": one, "documents": len(documents), "positive": positive}
        yield from (common | row for row in class_rows(pooled, c))


def fold_decisions(
    fold: Fold, rankings: FoldRankings, classifier: Classifier
) -> Iterator[tuple[str, Confusion]]:
    """For each method (sizes, classes), of all sizes that leave some term out; of all terms (1, classes)."""
    n_terms = len(fold.train.terms)
    every = Ranking((np.arange(n_terms),) * fold.n_classes, local=True)
    for name, ranking in chain([(ALL, every)], rankings(fold)):
        sizes = np.array([n_terms]) if name == ALL else SIZES[n_terms > SIZES]
        margins = classifier.margins(fold, ranking, sizes)
        yield name, decisions(margins, fold.truth, single=False, classes=fold.counts.classes)


def class_rows(pooled: Mapping[str, Confusion], c: int) -> Iterator[Row]:
    """The rows of a problem. A selection of as many terms as there are is that of all."""
    everything = size_rows(pooled[ALL], c)
    yield {"metric": ALL, "size": ALL} | everything[0]
    for name, found in pooled.items():
        if name != ALL:
            own = size_rows(found, c)
            own += everything * (len(SIZES) - len(own))
            for size, row in zip(SIZES.tolist(), own, strict=True):
                yield {"metric": name, "size": size} | row


def size_rows(found: Confusion, c: int) -> list[Row]:
    """The decisions of a class, by size."""
    counts = np.stack([found.tp, found.fp, found.fn], axis=-1)[:, c]
    return [dict(zip(("tp", "fp", "fn"), row, strict=True)) for row in counts.tolist()]
