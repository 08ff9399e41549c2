"""Judge: how well a classifier does at each step of a path, by a fit for all steps or by one for each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import check_scoring
from sklearn.naive_bayes import MultinomialNB
from sklearn.utils.validation import has_fit_parameter

from termsift._typing import Array
from termsift.errors import InvalidInput
from termsift.evaluation import break_even_f1
from termsift.experiment.documents import Sample
from termsift.nested.bayes import BayesPath
from termsift.nested.logistic import logistic_margins
from termsift.nested.paths import Path

# (model, X, truth) -> the larger the better: scikit-learn's scorers, and ours
Scorer: TypeAlias = Callable[[Any, Any, Array], float]


@dataclass(frozen=True, slots=True, eq=False)
class Judge:
    """A classifier, and what it is scored by: a scikit-learn scorer, or else F1 at the break-even point."""

    estimator: Any = None
    scoring: Any = None

    def scores(self, path: Path, fitted: Sample, judged: Sample) -> Array:
        """(steps,): the scores of some documents, of the classifier fitted to others.

        0 where the documents to fit are all in the class, or none is: there is nothing to learn.
        """
        if not 0 < fitted.share < 1:
            return np.zeros(len(path.sizes))
        estimator = MultinomialNB() if self.estimator is None else self.estimator
        if self.scoring is None and path.is_plain:
            if is_plain_bayes(estimator):
                return bayes_f1(path, fitted, judged, estimator.alpha)
            if is_plain_logistic(estimator) and is_binary(fitted) and is_binary(judged):
                return logistic_f1(path, fitted, judged, estimator.C)
        return fitted_scores(path, fitted, judged, estimator, self.scorer(estimator))

    def scorer(self, estimator: Any) -> Scorer:
        """What gives one number for a fitted model."""
        if self.scoring is None:
            return break_even_scorer
        if not (isinstance(self.scoring, str) or callable(self.scoring)):
            raise InvalidInput(f"scoring must be the name of one scorer, or a scorer, got {self.scoring!r}")
        scorer: Scorer = check_scoring(estimator, scoring=self.scoring)
        return scorer


def bayes_f1(path: Path, fitted: Sample, judged: Sample, smoothing: float) -> Array:
    """Of naive Bayes, by prefix sums."""
    inside, outside = (fitted.rows.T @ side for side in fitted.sides)
    model = BayesPath(path, inside, outside, fitted.share, smoothing)
    for_class, for_rest = model.log_posteriors(judged.rows)
    return break_even_f1(for_class - for_rest, judged.truth)


def logistic_f1(path: Path, fitted: Sample, judged: Sample, C: float) -> Array:
    """Of logistic regression, each step from the weights of the one before."""
    _, margins = logistic_margins(path, fitted.rows.tocsc(), fitted.truth, judged.rows.tocsc(), penalty=1 / C)
    return break_even_f1(margins, judged.truth)


def fitted_scores(path: Path, fitted: Sample, judged: Sample, estimator: Any, scorer: Scorer) -> Array:
    """Of any classifier, fitted once for each selection that differs from the others."""
    selections = np.stack([np.sort(path.chosen(step)) for step in range(len(path.sizes))])
    distinct, place = np.unique(selections, axis=0, return_inverse=True)
    scores = [
        float(scorer(fitted_model(estimator, fitted, columns), judged.matrix(columns), judged.truth * 1))
        for columns in distinct
    ]
    return np.array(scores)[place.ravel()]


def fitted_model(estimator: Any, sample: Sample, columns: Array) -> Any:
    """A copy of the estimator, fitted to some columns. The class is 1, the rest is 0."""
    X, truth = sample.matrix(columns), sample.truth * 1
    if not sample.weights.size:
        return clone(estimator).fit(X, truth)
    if not has_fit_parameter(estimator, "sample_weight"):
        raise InvalidInput(f"{type(estimator).__name__}.fit takes no sample_weight; leave the weights out")
    return clone(estimator).fit(X, truth, sample_weight=sample.weights)


def break_even_scorer(model: Any, X: Any, truth: Array) -> float:
    """F1 at the break-even point."""
    return float(break_even_f1(confidence(model, X), truth))


def confidence(model: Any, X: Any) -> Array:
    """(documents,): how sure the model is of the class; log-odds, since probabilities near 1 all tie."""
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X))
    if hasattr(model, "predict_log_proba"):
        with np.errstate(divide="ignore"):
            for_rest, for_class = model.predict_log_proba(X).T
        return np.asarray(for_class - for_rest)
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X)[:, 1])
    raise InvalidInput(
        f"{type(model).__name__} has neither decision_function nor predict_proba, so it has no break-even "
        f"point; pass scoring, such as scoring='f1'"
    )


def is_plain_bayes(estimator: Any) -> bool:
    """Whether an estimator is the naive Bayes of BayesPath, but for its smoothing."""
    return (
        type(estimator) is MultinomialNB
        and np.ndim(estimator.alpha) == 0
        and (estimator.alpha >= SMALLEST_ALPHA and has_defaults(estimator, but={"alpha"}))
    )


def is_plain_logistic(estimator: Any) -> bool:
    """Whether an estimator minimises what logistic_margins does, but for its penalty."""
    return type(estimator) is LogisticRegression and (
        0 < estimator.C < np.inf and has_defaults(estimator, but={"C", *HOW_TO_SOLVE})
    )


def has_defaults(estimator: Any, but: set[str]) -> bool:
    """Whether all settings are as scikit-learn makes them, but for some."""
    usual = type(estimator)().get_params()
    return all(value == usual[name] for name, value in estimator.get_params().items() if name not in but)


def is_binary(sample: Sample) -> bool:
    """Whether every stored value is 1, and all documents count alike."""
    return not sample.weights.size and bool(np.all(sample.rows.data == 1))


SMALLEST_ALPHA = 1e-10  # scikit-learn raises what is smaller to this
HOW_TO_SOLVE = ("max_iter", "n_jobs", "random_state", "tol", "verbose", "warm_start")
