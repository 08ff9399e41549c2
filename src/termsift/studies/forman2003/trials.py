"""One trial on one set: every class, metric and size, pooled over the four folds, and by folds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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

GOALS = ("f1", "precision", "recall", "accuracy")
COLUMNS = ("set", "trial", "class", "documents", "positive", "averaged", "metric", "size", *GOALS)
AVERAGED = ("pooled", "folds")
SIZES = np.array([10, 20, 50, 100, 200, 500, 1000, 2000])
MOST = int(SIZES[-1])
METRICS = ("acc", "acc2", "bns", "chi2", "df", "f1", "ig", "odds", "oddn", "pow", "pr", "rand")
ALL = "all"

# of a fold, the name of each method with its ranking; every class is a problem and has its own order
FoldRankings: TypeAlias = Callable[[Fold], Iterator[tuple[str, Ranking]]]


def trial_rows(name: str, data_dir: Path | None, trial: int) -> list[Row]:
    """The rows of a trial: each problem, metric and size, by both averages."""
    rows = averaged_rows(loaded_set(name, data_dir)[0], trial, metric_rankings)
    return [row | {"set": name, "trial": trial} for row in rows]


def averaged_rows(documents: Documents, trial: int, rankings: FoldRankings) -> Iterator[Row]:
    """The rows of every class, method and size: of decisions pooled over the folds, and the mean of folds."""
    decided = trial_decisions(documents, trial, rankings, BINARY_SVM)
    for averaged in AVERAGED:
        for row in goal_rows(documents, decided, pooled=averaged == "pooled"):
            yield row | {"averaged": averaged}


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
    documents: Documents, trial: int, rankings: FoldRankings, classifier: Classifier, *, every: bool = True
) -> Iterator[Row]:
    """The rows of every class, method and size, pooled over the folds; all terms come first, if asked for."""
    decided = trial_decisions(documents, trial, rankings, classifier, every=every)
    return goal_rows(documents, decided, pooled=True)


def trial_decisions(
    documents: Documents, trial: int, rankings: FoldRankings, classifier: Classifier, *, every: bool = True
) -> dict[str, list[Confusion]]:
    """The decisions of each method, a Confusion per fold."""
    found: dict[str, list[Confusion]] = {}
    for fold in trial_folds(documents, trial):
        for name, decided in fold_decisions(fold, rankings, classifier, every=every):
            found.setdefault(name, []).append(decided)
    return found


def fold_decisions(
    fold: Fold, rankings: FoldRankings, classifier: Classifier, *, every: bool
) -> Iterator[tuple[str, Confusion]]:
    """For each method (sizes, classes), of all sizes that leave some term out; of all terms (1, classes)."""
    n_terms = len(fold.train.terms)
    whole = [(ALL, Ranking((np.arange(n_terms),) * fold.n_classes, local=True))] if every else []
    for name, ranking in chain(whole, rankings(fold)):
        sizes = np.array([n_terms]) if name == ALL else SIZES[n_terms > SIZES]
        margins = classifier.margins(fold, ranking, sizes)
        yield name, decisions(margins, fold.truth, single=False, classes=fold.counts.classes)


def goal_rows(documents: Documents, decided: Mapping[str, list[Confusion]], *, pooled: bool) -> Iterator[Row]:
    """The rows of every class, method and size, measured on all decisions or as the mean of the folds."""
    values = {name: goals_of(folds, pooled=pooled) for name, folds in decided.items()}
    for c, one in enumerate(documents.labels.classes):
        positive = int(documents.truth[:, c].sum())
        common = {"class": one, "documents": len(documents), "positive": positive}
        yield from (common | row for row in class_rows({name: own[:, c] for name, own in values.items()}))


def goals_of(folds: Sequence[Confusion], *, pooled: bool) -> Array:
    """(sizes, classes, goals) of the decisions of folds; a measure of nothing is 0."""
    parts = [sum(folds)] if pooled else folds
    goals = [np.stack([getattr(part, goal) for goal in GOALS], axis=-1) for part in parts]
    return np.asarray(np.mean(goals, axis=0))


def class_rows(values: Mapping[str, Array]) -> Iterator[Row]:
    """The rows of a problem. A selection of as many terms as there are is that of all, if it is known."""
    for name, own in values.items():
        rows = [*own, *[values[ALL][0]] * (len(SIZES) - len(own))] if ALL in values else own
        for size, row in zip([ALL] if name == ALL else SIZES.tolist(), rows, strict=False):
            yield {"metric": name, "size": size} | dict(zip(GOALS, row.round(6).tolist(), strict=True))
