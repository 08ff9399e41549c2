"""Any classifier of scikit-learn, of counts: copied, and fitted for each selection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from termsift._typing import Array
from termsift.errors import InvalidInput
from termsift.experiment.classifiers import one_vs_rest_margins
from termsift.experiment.folds import Fold
from termsift.nested.paths import SelectionPath
from termsift.ranking import Ranking


@dataclass(frozen=True, slots=True, eq=False)
class Other:
    """A classifier of one's own."""

    name: str
    own: Any
    cost: ClassVar[int] = 20
    every: ClassVar[int] = 2
    weighted: ClassVar[bool] = False
    reads: ClassVar[str] = ""
    ways: ClassVar[tuple[str, ...]] = ()

    @property
    def words(self) -> str:
        """Its name."""
        return self.name

    def along(self, fold: Fold, path: SelectionPath) -> Callable[[int], Array]:
        """For a class how sure it is of it, above 0 where it predicts it."""

        def class_margins(c: int) -> Array:
            models = fitted_models(self.own, fold, fold.train.truth[:, c] * 1, path)
            return np.stack([odds(model, X) for model, X in models], axis=1)

        return class_margins

    def margins(self, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
        """1 for the class it predicts, -1 for the others; with several labels, or local terms, its odds."""
        if ranking.local or not fold.train.is_single:
            return self.confidences(fold, ranking, sizes)
        margins = np.full((len(sizes), *fold.truth.shape), -1.0)
        path = SelectionPath.along(ranking.orders[0], sizes)
        models = fitted_models(self.own, fold, fold.train.target, path)
        for own, (model, X) in zip(margins, models, strict=True):
            own[np.arange(len(own)), model.predict(X)] = 1
        return margins

    confidences = one_vs_rest_margins

    def estimator(self) -> Any:
        """A copy of it."""
        return clone(self.own)


def fitted_models(own: Any, fold: Fold, target: Array, path: SelectionPath) -> Iterator[tuple[Any, Any]]:
    """For each step a copy fitted to its selection, and what it is to judge; equal selections share one."""
    weights = fold.train.weights
    if weights.size and not has_fit_parameter(own, "sample_weight"):
        raise InvalidInput(f"{type(own).__name__}.fit takes no sample_weight; leave the weights out")
    how = {"sample_weight": weights} if weights.size else {}
    known: dict[bytes, tuple[Any, Any]] = {}
    for step in range(len(path.sizes)):
        columns = path.chosen(step)
        key = np.sort(columns).tobytes()
        if key not in known:
            parts = (rows[:, columns] for rows in (fold.train.rows, fold.test))
            X, others = (rows.toarray() if fold.train.dense else rows for rows in parts)
            known[key] = clone(own).fit(X, target, **how), others
        yield known[key]


def odds(model: Any, X: Any) -> Array:
    """How sure a model is of its class 1, above 0 where it predicts it."""
    found = confidence(model, X)
    if found is None:
        return np.asarray(model.predict(X)) - 0.5
    logs = hasattr(model, "decision_function") or hasattr(model, "predict_log_proba")
    return found if logs else found - 0.5


def confidence(model: Any, X: Any) -> Array | None:
    """(documents,): how sure the model is of the class; log-odds, since probabilities near 1 all tie.

    None where it cannot say.
    """
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X))
    if hasattr(model, "predict_log_proba"):
        with np.errstate(divide="ignore"):
            for_rest, for_class = model.predict_log_proba(X).T
        return np.asarray(for_class - for_rest)
    return np.asarray(model.predict_proba(X)[:, 1]) if hasattr(model, "predict_proba") else None
