"""The recommended candidate of a comparison, tried again with scikit-learn alone: one label per document.

    termsift compare sms_spam --json > compared.json
    python benchmarks/plain_single_label.py compared.json sms_spam/SMSSpamCollection

Nothing of termsift is imported, and the folds are scikit-learn's own. It exits with 1 where the figure is
farther from the one that was told than its standard error.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.feature_selection import SelectKBest, chi2, mutual_info_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

SCORING = {"f1_macro": "f1_macro", "f1_micro": "f1_micro", "accuracy": "accuracy", "mcc": "matthews_corrcoef"}


class Frequent(TransformerMixin, BaseEstimator):
    """The k terms in most documents."""

    def __init__(self, k):
        self.k = k

    def fit(self, X, y=None):
        """Count the documents of each term."""
        self.columns_ = np.argsort(-np.diff(X.tocsc().indptr), kind="stable")[: self.k]
        return self

    def transform(self, X):
        """Return the selected columns."""
        return X[:, self.columns_]


class Sparse(TransformerMixin, BaseEstimator):
    """The k terms of the largest coefficients of a logistic regression with the L1 penalty."""

    def __init__(self, k):
        self.k = k

    def fit(self, X, y):
        """Fit the regression."""
        model = LogisticRegression(penalty="l1", solver="liblinear", random_state=0)
        sizes = np.abs(model.fit(weighed().fit_transform(X), y).coef_).sum(axis=0)
        order = np.argsort(-sizes, kind="stable")[: self.k]
        self.columns_ = order[sizes[order] >= 1e-5]
        return self

    def transform(self, X):
        """Return the selected columns."""
        return X[:, self.columns_]


def informative(X, y):
    """Information gain: the mutual information of a term's presence and the class."""
    return mutual_info_classif(X > 0, y, discrete_features=True)


def steps(method, classifier, k):
    """Return the candidate as an estimator of scikit-learn."""
    selections = {
        "all": [],
        "df": [Frequent(k)],
        "ig": [SelectKBest(informative, k=k)],
        "sklearn_chi2": [SelectKBest(chi2, k=k)],
        "l1": [Sparse(k)],
    }
    if method not in selections:
        sys.exit(f"{method} is not in this script; compare with --metric ig")
    chosen = selections[method]
    judges = {
        "multinomial_nb": [MultinomialNB()],
        "svm": [weighed(), LinearSVC()],
        "logistic": [weighed(), LogisticRegression(C=10, solver="liblinear")],
    }
    return [CountVectorizer(), *chosen, *judges[classifier]]


def weighed():
    """Weights of terms."""
    return TfidfTransformer(sublinear_tf=True)


def main(compared, corpus):
    """Print both figures."""
    told = json.loads(Path(compared).read_text(encoding="utf-8"))
    own = told["chosen"]
    lines = [line.split("\t", 1) for line in Path(corpus).read_text(encoding="utf-8").splitlines() if line]
    labels, texts = zip(*lines, strict=True)
    pipeline = make_pipeline(*steps(own["method"], own["classifier"], own["terms"]))
    folds = RepeatedStratifiedKFold(n_splits=told["folds"], n_repeats=told["repeats"], random_state=1)
    values = cross_val_score(pipeline, texts, labels, cv=folds, scoring=SCORING[told["goal"]])
    away = abs(values.mean() - own["mean"])
    print(f"{own['terms']} terms by {own['method']} with {own['classifier']}, {told['goal']}:")
    print(f"told {own['mean']:.4f} ± {own['error']:.4f}, scikit-learn alone {values.mean():.4f}")
    sys.exit(int(away > own["error"]))


if __name__ == "__main__":
    main(*sys.argv[1:])
