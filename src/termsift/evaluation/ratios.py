"""Search for the ratio of positive to negative terms with which a classifier does best.

Zheng, Wu and Srihari (2004), section 4: k terms, of which a share are the most positive terms of a class and
the others its most negative ones. Each class has terms and a ratio of its own, or all classes share one
vocabulary of k terms and one ratio, because negative terms of a class are mostly positive terms of others.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import check_scoring
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

from termsift._internal.errors import InvalidInputError
from termsift._internal.ranking import Ranking, interleave, round_robin
from termsift._internal.resources import map_in_order
from termsift._internal.typing import Array
from termsift.engines import Documents
from termsift.evaluation.classifiers.catalogue import TunedClassifier, class_confidences, fit_models
from termsift.evaluation.classifiers.linear import BinaryLogistic
from termsift.evaluation.classifiers.naive_bayes import MultinomialNaiveBayes
from termsift.evaluation.classifiers.paths import Classifier, SelectionPath, fit_each_step, ratio_sizes
from termsift.evaluation.goals import GOALS, Goal, evaluate_class, evaluate_classifier
from termsift.evaluation.measures import break_even_f1
from termsift.evaluation.splits import Fold, inner_folds, split_folds
from termsift.selection import Method, PositiveNegative, positive_class_slice, positive_negative_rankings

# the most positive and the most negative terms of a class
TermLists: TypeAlias = tuple[Array, Array]

CLASS_RATIOS = np.arange(21) / 20  # the paper's grid
SHARED_RATIOS = np.array([0.25, 0.5, 0.75, 1.0])  # each costs a fit of the classifier to all classes
MIN_ALPHA = 1e-10  # scikit-learn replaces smaller values by this
# liblinear has one random number generator per process, which parallel fits would share
LIBLINEAR_LOCK = Lock()
SOLVER_OPTIONS = ("max_iter", "n_jobs", "random_state", "tol", "verbose", "warm_start")


@dataclass(frozen=True, slots=True)
class GoalJudge:
    """Classifier of a comparison, with the goal to maximise."""

    classifier: Classifier
    goal: Goal = GOALS["break_even"]

    def evaluate_class(self, fold: Fold, c: int, path: SelectionPath) -> Array:
        """Return the goal of a class against the rest at each step of a path, (steps,)."""
        if path.is_disjoint:
            values = self.classifier.fit_path(fold, path)(c)
        else:
            values = fit_each_step(self.classifier, fold, path)(c)
        return evaluate_class(self.goal, values, fold.truth[:, c], fold.test_weights)

    def evaluate_ranking(self, fold: Fold, order: Array, sizes: Array) -> Array:
        """Return the goal over all classes with the first terms of a ranking, (sizes,)."""
        result = evaluate_classifier(self.classifier, fold, Ranking((order,)), sizes, [self.goal])
        values: Array = result.values[0].mean(axis=0)
        return values


@dataclass(frozen=True, slots=True)
class EstimatorJudge:
    """Classifier and scorer of scikit-learn, for each class against the rest.

    estimator : naive Bayes if None
    scoring : F1 at the break-even point if None
    """

    estimator: Any = None
    scoring: Any = None

    def evaluate_class(self, fold: Fold, c: int, path: SelectionPath) -> Array:
        """Return the score of a class against the rest at each step of a path, (steps,)."""
        estimator = MultinomialNB() if self.estimator is None else self.estimator
        if isinstance(estimator, type) or not hasattr(estimator, "fit"):
            raise InvalidInputError(f"estimator must be an instance of a classifier, got {estimator!r}")
        truth = fold.truth[:, c]
        classifier = None if self.scoring is not None else find_path_classifier(estimator, fold, path)
        if classifier is not None:
            return break_even_f1(classifier.fit_path(fold, path)(c), truth)
        with LIBLINEAR_LOCK if is_liblinear(estimator) else nullcontext():
            models = fit_models(estimator, fold, fold.train.truth[:, c] * 1, path)
            return np.array([self._score_model(model, X, truth * 1) for model, X in models])

    def evaluate_ranking(self, fold: Fold, order: Array, sizes: Array) -> Array:
        """Return the mean score over the classes with the first terms of a ranking, (sizes,)."""
        path = SelectionPath.from_ranking(order, sizes)
        classes = np.flatnonzero(trainable_class_mask(fold))
        by_class = [self.evaluate_class(fold, c, path) for c in classes.tolist()]
        values: Array = np.mean(by_class, axis=0) if by_class else np.zeros(len(sizes))
        return values

    def _score_model(self, model: Any, X: Any, truth: Array) -> float:
        """Return the score of a fitted model."""
        if self.scoring is None:
            return float(break_even_f1(class_confidences(model, X), truth))
        if not (isinstance(self.scoring, str) or callable(self.scoring)):
            message = f"scoring must be a scorer or the name of one scorer, got {self.scoring!r}"
            raise InvalidInputError(message)
        score = check_scoring(model, scoring=self.scoring)(model, X, truth)
        if np.ndim(score) or np.asarray(score).dtype.kind not in "biuf":
            raise InvalidInputError(f"scoring must return one number per model, got {score!r}")
        return float(score)


def trainable_class_mask(fold: Fold) -> NDArray[np.bool_]:
    """Return which classes have some but not all training documents, (classes,)."""
    sizes = fold.train.counts.class_sizes
    return (sizes > 0) & (sizes < fold.train.counts.documents)


@dataclass(frozen=True, slots=True, eq=False)
class RatioSearch:
    """Search for the ratios of a method with the policy PositiveNegative.

    method : metric and policy; its ratio is ignored
    judge : classifier and measure
    ratios : (ratios,) shares of positive terms to try, ascending; by default the paper's 21 for terms per
        class, and four for a shared vocabulary, of which each costs a fit to all classes
    n_threads : number of threads for the classes; the results do not depend on it
    """

    method: Method
    judge: GoalJudge | EstimatorJudge
    ratios: Array | None = None
    n_threads: int = 1

    @classmethod
    def for_goal(cls, method: Method, classifier: Classifier, goal: Goal) -> RatioSearch:
        """Return the search of a comparison.

        Thresholds are not tuned during the search, because that would repeat every fit.
        """
        untuned = classifier.classifier if isinstance(classifier, TunedClassifier) else classifier
        return cls(method, GoalJudge(untuned, goal))

    @classmethod
    def for_estimator(
        cls, method: Method, estimator: Any, scoring: Any, ratios: Array | None, n_threads: int
    ) -> RatioSearch:
        """Return the search with a scikit-learn estimator and a scorer."""
        return cls(method, EstimatorJudge(estimator, scoring), ratios, n_threads)

    @property
    def policy(self) -> PositiveNegative:
        """Policy of the method."""
        policy = self.method.policy
        assert isinstance(policy, PositiveNegative)
        return policy

    @property
    def grid(self) -> Array:
        """Ratios to try, ascending."""
        if self.ratios is not None:
            return self.ratios
        return CLASS_RATIOS if self.policy.per_class else SHARED_RATIOS

    def split(self, documents: Documents, cv: Any) -> list[Fold]:
        """Return the folds of a scikit-learn splitter, a number of folds, or pairs of index arrays."""
        return list(split_folds(documents, cv))

    def inner_folds(self, fold: Fold) -> Sequence[Fold]:
        """Return the folds of the training documents of a fold that the policy asks for.

        They keep groups together, and dated documents are tested on their latest quarter. With cv=None, the
        training documents are both training and test set.
        """
        train = fold.train
        if self.policy.cv is None:
            return [Fold(train, train.rows, train.truth, fold.seed, train.weights)]
        return inner_folds(fold, self.policy.cv)

    def tune(self, folds: Sequence[Fold], ks: Array) -> tuple[list[Method], Array]:
        """Return for each k the method with the best ratio, or one for each class; and all scores.

        Parameters
        ----------
        folds : sequence of Fold
            Folds to evaluate the ratios on; without any, all terms are positive.
        ks : array
            Numbers of terms, ascending.

        Returns
        -------
        methods : list of Method
            One per k.
        scores : (ks, classes or 1, ratios) array
            Mean over the folds.

        """
        if not folds:
            positive = replace(self.method, policy=replace(self.policy, ratio=1.0))
            return [positive] * len(ks), np.zeros((len(ks), 1, len(self.grid)))
        if self.policy.per_class:
            by_k = [np.stack([self._score_class_ratios(fold, k) for fold in folds]) for k in ks.tolist()]
        else:
            shared = np.stack([self._score_shared_ratios(fold, ks) for fold in folds])
            by_k = [shared[:, [position]] for position in range(len(ks))]
        tuned, scores = [], []
        # (folds, classes or 1, ratios) scores of each k
        for curves in by_k:
            scores.append(curves.mean(axis=0))
            # a class of few documents has a noisy curve, and would lose gains that all classes share
            is_noisy = len(curves) > 1 and curves.shape[1] > 1
            smoothed = (curves + curves.mean(axis=1, keepdims=True)) / 2 if is_noisy else curves
            chosen = tuple(choose_ratios(smoothed, self.grid).tolist())
            ratio = chosen if len(set(chosen)) > 1 else chosen[0]
            tuned.append(replace(self.method, policy=replace(self.policy, ratio=ratio)))
        return tuned, np.stack(scores)

    def _score_class_ratios(self, fold: Fold, k: int) -> Array:
        """Return (classes, ratios) scores of k terms of each class; 0 for a class that cannot be trained.

        Of two exclusive classes only the second is searched.
        """
        is_trainable = trainable_class_mask(fold)
        # metrics cannot score documents of a single class
        if not is_trainable.any():
            return np.zeros((1 if fold.is_mirrored else fold.n_classes, len(self.grid)))
        scores = self.method.scores(fold.train.counts)
        classes = range(fold.n_classes)[positive_class_slice(scores)]
        lists = positive_negative_rankings(scores, min(k, len(scores)))

        def evaluate(task: tuple[int, TermLists]) -> Array:
            c, (first, last) = task
            if not is_trainable[c]:
                return np.zeros(len(self.grid))
            path = SelectionPath(len(first), first, last, ratio_sizes(len(first), self.grid))
            # only the terms of the path, because every ratio copies the matrices
            return self.judge.evaluate_class(fold.keep(path.terms), c, path.renumber(path.terms))

        tasks = list(zip(classes, lists, strict=True))
        return np.stack(list(map_in_order(evaluate, tasks, self.n_threads)))

    def _score_shared_ratios(self, fold: Fold, ks: Array) -> Array:
        """Return (sizes, ratios) scores of a vocabulary of k terms with the same ratio for all classes."""
        results = np.zeros((len(ks), len(self.grid)))
        if not trainable_class_mask(fold).any():
            return results
        sizes, inverse = np.unique(np.minimum(ks, len(fold.train.terms)), return_inverse=True)
        # every prefix of an order has the ratio, so one order serves all sizes, and all classifiers
        k, key = int(sizes[-1]), (self.method, self.grid.tobytes())
        if key not in fold.rankings or len(fold.rankings[key].orders[0]) < k:
            lists = positive_negative_rankings(self.method.scores(fold.train.counts), k)
            fold.rankings[key] = Ranking(
                tuple(
                    round_robin([interleave(first, last, ratio, k) for first, last in lists], k)
                    for ratio in self.grid.tolist()
                )
            )
        for r, order in enumerate(fold.rankings[key].orders):
            results[:, r] = self.judge.evaluate_ranking(fold, order, sizes)[inverse]
        return results


def choose_ratios(fold_scores: Array, ratios: Array) -> Array:
    """Return (curves,) the ratio with the best mean over the folds; the largest in case of ties.

    Over several folds, the gain over the largest ratio must exceed its standard error; otherwise that ratio
    is taken.

    results : (folds, curves, ratios)

    >>> choose_ratios(np.array([[[0.7, 0.5]], [[0.8, 0.5]], [[0.2, 0.5]]]), np.array([0.5, 1.0]))
    array([1.])
    """
    n_folds, _, n_ratios = fold_scores.shape
    # rounded, so that ties do not depend on rounding errors
    means = np.round(fold_scores.mean(axis=0), 12)
    best = n_ratios - 1 - means[:, ::-1].argmax(axis=1)
    if n_folds > 1:
        gains = np.take_along_axis(fold_scores, best[None, :, None], axis=2)[..., 0] - fold_scores[..., -1]
        errors = gains.std(axis=0, ddof=1) / np.sqrt(n_folds)
        best[gains.mean(axis=0) <= errors] = n_ratios - 1
    chosen: Array = ratios[best]
    return chosen


def is_liblinear(estimator: Any) -> bool:
    """Check whether an estimator, or one of its components, is fitted by liblinear."""
    components = [estimator, *estimator.get_params().values()]
    return any(isinstance(c, LinearSVC) or getattr(c, "solver", None) == "liblinear" for c in components)


def find_path_classifier(estimator: Any, fold: Fold, path: SelectionPath) -> Classifier | None:
    """Return a classifier that fits all ratios at once and equals the estimator, if there is one."""
    if not path.is_disjoint:
        return None
    if is_default_naive_bayes(estimator):
        return MultinomialNaiveBayes(estimator.alpha)
    is_binary = np.all(fold.train.rows.data == 1) and np.all(fold.test.data == 1)
    if is_default_logistic(estimator) and is_binary and not fold.train.weights.size:
        return BinaryLogistic(1 / estimator.C)
    return None


def is_default_naive_bayes(estimator: Any) -> bool:
    """Check whether an estimator is MultinomialNB with default settings except smoothing."""
    if type(estimator) is not MultinomialNB or np.ndim(estimator.alpha):
        return False
    return bool(estimator.alpha >= MIN_ALPHA) and has_defaults(estimator, {"alpha"})


def is_default_logistic(estimator: Any) -> bool:
    """Check whether an estimator is LogisticRegression with default settings except C and the solver's."""
    if type(estimator) is not LogisticRegression:
        return False
    return 0 < estimator.C < np.inf and has_defaults(estimator, {"C", *SOLVER_OPTIONS})


def has_defaults(estimator: Any, ignored: set[str]) -> bool:
    """Check whether all other settings of an estimator have their default values."""
    defaults = type(estimator)().get_params()
    return all(
        value == defaults[name] for name, value in estimator.get_params().items() if name not in ignored
    )
