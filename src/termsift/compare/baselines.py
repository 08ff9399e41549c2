"""What one would do otherwise: the selections of scikit-learn, terms in the order they would be taken."""

from __future__ import annotations

import numpy as np
from sklearn.feature_selection import chi2
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize

from termsift._typing import Array
from termsift.experiment.fold import Fold
from termsift.ranking import best

SMALLEST = 1e-5  # of a coefficient, for SelectFromModel


def sklearn_chi2_order(fold: Fold) -> Array:
    """As SelectKBest(chi2) takes terms, for every k; its ties included."""
    target = fold.labelled.argmax(axis=1) if fold.single else fold.labelled * 1
    scores, _ = chi2(fold.train.rows, target)
    order: Array = np.argsort(np.nan_to_num(scores, nan=-np.inf), kind="stable")[::-1]
    return order


def l1_order(fold: Fold) -> Array:
    """As SelectFromModel takes terms, of a logistic regression with the L1 penalty for each class.

    The importance of a term is the sum of its coefficients' sizes; those of none are left out.
    """
    X = normalize(fold.weighted[0].tocsr())
    importance = np.zeros(X.shape[1])
    mirrored = fold.single and fold.labelled.shape[1] == 2
    for truth in fold.labelled.T[1:] if mirrored else fold.labelled.T:
        if truth.any() and not truth.all():
            importance += np.abs(l1_regression().fit(X, truth).coef_[0])
    counts = fold.counts
    kept = int(np.count_nonzero(importance >= SMALLEST))
    return best(importance, counts.term_df, counts.terms, max(kept, 1))


def l1_regression() -> LogisticRegression:
    """Logistic regression with the L1 penalty, which scikit-learn 1.8 asks for in another way."""
    old = LogisticRegression().get_params()["penalty"] == "l2"
    how = {"penalty": "l1"} if old else {"l1_ratio": 1.0}
    return LogisticRegression(**how, solver="liblinear", random_state=0)
