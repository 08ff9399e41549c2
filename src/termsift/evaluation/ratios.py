"""The ratio of positive to negative terms that serves best, found by judging documents.

Zheng, Wu and Srihari (2004), section 4: k terms, a share of those that speak most for a class, the rest of
those most against it. `RatioSearch` finds one ratio per class, `choose_shared_ratio` one for all classes.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import check_scoring
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

from termsift._internal.errors import InvalidInputError
from termsift._internal.ranking import Ranking, code_point_rank
from termsift._internal.threads import map_in_order
from termsift._internal.typing import Array
from termsift.counts import Counts
from termsift.engines import Documents
from termsift.evaluation.classifiers.catalogue import confidence, fit_models
from termsift.evaluation.classifiers.linear import BinaryLogistic
from termsift.evaluation.classifiers.naive_bayes import MultinomialNaiveBayes
from termsift.evaluation.classifiers.paths import Classifier, SelectionPath
from termsift.evaluation.confusion import Confusion
from termsift.evaluation.goals import GOALS
from termsift.evaluation.measures import break_even_f1
from termsift.evaluation.splits import Fold, inner_split, split_folds
from termsift.metrics import Scores
from termsift.selection import interleave_rankings, positive_negative_rankings

# (model, X, truth) -> the larger the better: scikit-learn's scorers, and ours
Scorer: TypeAlias = Callable[[Any, Any, Array], float]
# the metric's scores of each class, of any part of the documents
Scored: TypeAlias = Callable[[Counts], Scores]

RATIOS = np.array([1.0, 0.75, 0.5, 0.25])
INNER = "the training part, divided"  # its place among what is made of a fold
SMALLEST_ALPHA = 1e-10  # scikit-learn raises what is smaller to this
# liblinear draws from one generator per process: fits side by side would take each other's numbers
LIBLINEAR = Lock()
HOW_TO_SOLVE = ("max_iter", "n_jobs", "random_state", "tol", "verbose", "warm_start")


def best_ratio(ratios: Array, values: Array) -> Array:
    """Along the last axis of values: of the ratios that score best the largest, nearest to all positive.

    >>> best_ratio(np.array([0, 0.5, 1]), np.array([[0.7, 0.8, 0.8], [0.9, 0.1, 0.2]]))
    array([1., 0.])
    """
    order = np.argsort(ratios)[::-1]
    best: Array = ratios[order][values[..., order].argmax(axis=-1)]
    return best


def choose_shared_ratio(scored: Scored, fold: Fold, k: int) -> float:
    """Of four ratios the one by which naive Bayes does best on a part held out of the training part.

    The measure is macro-averaged F1, over half, a quarter, ... of k.
    """
    inner = inner_fold(fold)
    inside = inner.train.truth
    if not np.any(inside.any(axis=0) & ~inside.all(axis=0)):
        return float(RATIOS.max())
    most = min(k, len(inner.train.terms))
    sizes = np.unique([max(most >> halved, 1) for halved in range(5)])
    sides, reached = positive_negative_rankings(scored(inner.counts), most), []
    for ratio in RATIOS.tolist():
        ranking = Ranking((interleave_rankings(sides, ratio, most),))
        margins = MultinomialNaiveBayes().decision_values(inner, ranking, sizes)
        found = Confusion.from_decision_values(
            margins, inner.truth, inner.train.is_single, inner.counts.classes
        )
        reached.append(float(GOALS["f1_macro"].values(found).mean()))
    return float(best_ratio(RATIOS, np.array(reached)))


def inner_fold(fold: Fold) -> Fold:
    """The training part as a fold of its own, made once for all that is chosen inside it."""
    if INNER not in fold.derived_folds:
        division = inner_split(fold.train, fold.seed)
        fold.derived_folds[INNER] = Fold.from_indices(fold.train, *division, fold.seed).with_train_terms()
    return fold.derived_folds[INNER]


@dataclass(frozen=True, slots=True, eq=False)
class RatioSearch:
    """What competes for each class, and what judges: on the documents fitted, or on others held out.

    ratios : (ratios,) shares of positive terms among k, ascending
    classes : the places of the classes, each held against the rest
    scored : what ranks the terms
    estimator : a classifier of scikit-learn; naive Bayes where it is None
    scoring : a scorer of scikit-learn, else F1 at the break-even point
    n_threads : that judge classes side by side; the results are the same for any number
    """

    k: int
    ratios: Array
    classes: range
    scored: Scored
    estimator: Any = None
    scoring: Any = None
    n_threads: int = 1

    def paths(self, scores: Scores) -> list[SelectionPath]:
        """For each class its terms, ranked once for all ratios."""
        df, terms = scores.counts.term_df, code_point_rank(scores.terms)
        return [
            SelectionPath.from_scores(scores.values[:, c], df, terms, self.k, self.ratios)
            for c in self.classes
        ]

    def results(self, documents: Documents, cv: Any = None) -> Array:
        """(classes, ratios): scores of the documents themselves, or the mean over folds of those held out."""
        if cv is None:
            return self.fold_results(Fold(documents, documents.rows, documents.truth))
        mean: Array = np.mean([self.fold_results(fold) for fold in split_folds(documents, cv)], axis=0)
        return mean

    def best_ratios(self, results: Array) -> Array:
        """Return (classes,) the ratio with the best score; of equal scores the largest ratio."""
        return best_ratio(self.ratios, results)

    def fold_results(self, fold: Fold) -> Array:
        """(classes, ratios): terms ranked by the training part alone; 0 where it has one class only."""
        sizes = fold.counts.class_sizes
        if not np.any((sizes > 0) & (sizes < fold.counts.documents)):
            return np.zeros((len(self.classes), len(self.ratios)))
        paths = self.paths(self.scored(fold.counts))
        pairs = zip(self.classes, paths, strict=True)
        return np.array(
            list(map_in_order(lambda pair: self.class_results(fold, *pair), pairs, self.n_threads))
        )

    def class_results(self, fold: Fold, c: int, path: SelectionPath) -> Array:
        """(ratios,): 0 where all documents to fit are in the class, or none is: there is nothing to learn."""
        if not 0 < fold.counts.class_sizes[c] < fold.counts.documents:
            return np.zeros(len(path.sizes))
        own, within = fold.keep(path.terms), path.within(path.terms)
        classifier = self.quick_classifier(own, within)
        if classifier is not None:
            return break_even_f1(classifier.fit_path(own, within)(c), own.truth[:, c])
        with LIBLINEAR if is_liblinear(self.own_estimator) else nullcontext():
            models = fit_models(self.own_estimator, own, own.train.truth[:, c] * 1, within)
            return np.array([self.judged(model, X, own.truth[:, c] * 1) for model, X in models])

    def judged(self, model: Any, X: Any, truth: Array) -> float:
        """What a model scores: a number, whatever the caller's scorer is."""
        found = self.scorer(model, X, truth)
        if np.ndim(found) or np.asarray(found).dtype.kind not in "biuf":
            raise InvalidInputError(f"scoring must give one number for a model, got {found!r}")
        return float(found)

    def quick_classifier(self, fold: Fold, path: SelectionPath) -> Classifier | None:
        """One that is fitted for all ratios at once and does what the estimator does, if there is one."""
        estimator = self.own_estimator
        if self.scoring is not None or not path.is_plain:
            return None
        if is_default_naive_bayes(estimator):
            return MultinomialNaiveBayes(estimator.alpha)
        if is_default_logistic(estimator) and is_binary(fold):
            return BinaryLogistic(1 / estimator.C)
        return None

    @property
    def own_estimator(self) -> Any:
        """The classifier that the terms are for."""
        if self.estimator is None:
            return MultinomialNB()
        if isinstance(self.estimator, type) or not hasattr(self.estimator, "fit"):
            raise InvalidInputError(f"estimator must be a classifier, with fit, got {self.estimator!r}")
        return self.estimator

    @property
    def scorer(self) -> Scorer:
        """What gives one number for a fitted model."""
        if self.scoring is None:
            return break_even_scorer
        if not (isinstance(self.scoring, str) or callable(self.scoring)):
            raise InvalidInputError(
                f"scoring must be the name of one scorer, or a scorer, got {self.scoring!r}"
            )
        scorer: Scorer = check_scoring(self.own_estimator, scoring=self.scoring)
        return scorer


def is_liblinear(estimator: Any) -> bool:
    """Whether an estimator, or a part of it, is fitted by liblinear."""
    parts = [estimator, *estimator.get_params().values()]
    return any(isinstance(part, LinearSVC) or getattr(part, "solver", None) == "liblinear" for part in parts)


def break_even_scorer(model: Any, X: Any, truth: Array) -> float:
    """F1 at the break-even point."""
    found = confidence(model, X)
    if found is None:
        raise InvalidInputError(
            f"{type(model).__name__} has neither decision_function nor predict_proba, so it has no "
            "break-even point; pass scoring, such as scoring='f1'"
        )
    return float(break_even_f1(found, truth))


def is_default_naive_bayes(estimator: Any) -> bool:
    """Whether an estimator is the naive Bayes of BayesPath, but for its smoothing."""
    return (
        type(estimator) is MultinomialNB
        and np.ndim(estimator.alpha) == 0
        and (estimator.alpha >= SMALLEST_ALPHA and has_defaults(estimator, but={"alpha"}))
    )


def is_default_logistic(estimator: Any) -> bool:
    """Whether an estimator minimises what BinaryLogistic does, but for its penalty."""
    return type(estimator) is LogisticRegression and (
        0 < estimator.C < np.inf and has_defaults(estimator, but={"C", *HOW_TO_SOLVE})
    )


def has_defaults(estimator: Any, but: set[str]) -> bool:
    """Whether all settings are as scikit-learn makes them, but for some."""
    usual = type(estimator)().get_params()
    return all(value == usual[name] for name, value in estimator.get_params().items() if name not in but)


def is_binary(fold: Fold) -> bool:
    """Whether every stored value is 1, and all documents count alike."""
    ones = bool(np.all(fold.train.rows.data == 1) and np.all(fold.test.data == 1))
    return ones and not fold.train.weights.size
