"""Choice of the ratio of positive to negative terms for each class, by the classification of documents.

Zheng, Wu and Srihari (2004), section 4: k terms, of which a share are the most positive terms of a class and
the others its most negative ones. `naive_bayes.choose_shared_ratio` chooses one ratio for all classes.
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
from termsift._internal.ranking import code_point_rank
from termsift._internal.resources import map_in_order
from termsift._internal.typing import Array
from termsift.counts import Counts
from termsift.engines import Documents
from termsift.evaluation.classifiers.catalogue import class_confidence, fit_models
from termsift.evaluation.classifiers.linear import BinaryLogistic
from termsift.evaluation.classifiers.naive_bayes import MultinomialNaiveBayes
from termsift.evaluation.classifiers.paths import Classifier, SelectionPath
from termsift.evaluation.measures import break_even_f1
from termsift.evaluation.splits import Fold, split_folds
from termsift.metrics import Scores

# scores of a metric for each class, from the counts of some documents
Scorer: TypeAlias = Callable[[Counts], Scores]

MIN_ALPHA = 1e-10  # scikit-learn replaces smaller values by this
# liblinear has one random number generator per process, which parallel fits would share
LIBLINEAR_LOCK = Lock()
SOLVER_OPTIONS = ("max_iter", "n_jobs", "random_state", "tol", "verbose", "warm_start")


@dataclass(frozen=True, slots=True, eq=False)
class RatioSearch:
    """Search for the best ratio of each class, on the training documents or by cross-validation.

    ratios : (ratios,) shares of positive terms among k, ascending
    classes : indices of the classes, each compared with the rest
    scored : function from counts to the scores that rank the terms
    estimator : a classifier of scikit-learn; by default naive Bayes
    scoring : a scorer of scikit-learn; by default F1 at the break-even point
    n_threads : number of threads; the results do not depend on it
    """

    k: int
    ratios: Array
    classes: range
    scored: Scorer
    estimator: Any = None
    scoring: Any = None
    n_threads: int = 1

    def paths(self, scores: Scores) -> list[SelectionPath]:
        """Return the path of each class, ranked once for all ratios."""
        df, terms = scores.counts.term_df, code_point_rank(scores.terms)
        return [
            SelectionPath.from_scores(scores.values[:, c], df, terms, self.k, self.ratios)
            for c in self.classes
        ]

    def results(self, documents: Documents, cv: Any = None) -> Array:
        """Return (classes, ratios) scores on the documents themselves, or the mean over test folds."""
        if cv is None:
            return self.fold_results(Fold(documents, documents.rows, documents.truth))
        mean: Array = np.mean([self.fold_results(fold) for fold in split_folds(documents, cv)], axis=0)
        return mean

    def best_ratios(self, results: Array) -> Array:
        """Return (classes,) the ratio with the best score; the largest ratio if scores tie."""
        best: Array = self.ratios[::-1][results[..., ::-1].argmax(axis=-1)]
        return best

    def fold_results(self, fold: Fold) -> Array:
        """Return (classes, ratios) scores; 0 for a class of all or no training documents."""
        sizes = fold.counts.class_sizes
        is_trainable = (sizes > 0) & (sizes < fold.counts.documents)
        results = np.zeros((len(self.classes), len(self.ratios)))
        if not is_trainable.any():
            return results
        pairs = zip(self.classes, self.paths(self.scored(fold.counts)), strict=True)
        tasks = [(c, path) for c, path in pairs if is_trainable[c]]
        class_results = map_in_order(lambda task: self.path_results(fold, *task), tasks, self.n_threads)
        for (c, _), values in zip(tasks, class_results, strict=True):
            results[self.classes.index(c)] = values
        return results

    def path_results(self, fold: Fold, c: int, path: SelectionPath) -> Array:
        """Return (ratios,) scores of a class."""
        estimator = MultinomialNB() if self.estimator is None else self.estimator
        if isinstance(estimator, type) or not hasattr(estimator, "fit"):
            raise InvalidInputError(f"estimator must be an instance of a classifier, got {estimator!r}")
        # only the terms of the path, because every ratio copies the matrices
        fold, path = fold.keep(path.terms), path.within(path.terms)
        truth = fold.truth[:, c]
        classifier = None if self.scoring is not None else find_path_classifier(estimator, fold, path)
        if classifier is not None:
            return break_even_f1(classifier.fit_path(fold, path)(c), truth)
        with LIBLINEAR_LOCK if is_liblinear(estimator) else nullcontext():
            models = fit_models(estimator, fold, fold.train.truth[:, c] * 1, path)
            return np.array([self.score_model(model, X, truth * 1) for model, X in models])

    def score_model(self, model: Any, X: Any, truth: Array) -> float:
        """Return the score of a fitted model."""
        if self.scoring is None:
            return float(break_even_f1(class_confidence(model, X), truth))
        if not (isinstance(self.scoring, str) or callable(self.scoring)):
            raise InvalidInputError(
                f"scoring must be a scorer or the name of one scorer, got {self.scoring!r}"
            )
        score = check_scoring(model, scoring=self.scoring)(model, X, truth)
        if np.ndim(score) or np.asarray(score).dtype.kind not in "biuf":
            raise InvalidInputError(f"scoring must return one number per model, got {score!r}")
        return float(score)


def is_liblinear(estimator: Any) -> bool:
    """Check whether an estimator, or one of its components, is fitted by liblinear."""
    components = [estimator, *estimator.get_params().values()]
    return any(isinstance(c, LinearSVC) or getattr(c, "solver", None) == "liblinear" for c in components)


def find_path_classifier(estimator: Any, fold: Fold, path: SelectionPath) -> Classifier | None:
    """Return a classifier that fits all ratios at once and equals the estimator, if there is one."""
    if not path.is_plain:
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
