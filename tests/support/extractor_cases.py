"""Small texts and matrices that the tests of extractors share."""

from __future__ import annotations

import numpy as np
import pytest

import termsift as ts

TEXTS = [
    "free prize now",
    "win a prize",
    "lunch at noon",
    "see you at noon",
    "free lunch",
    "prize lunch now",
] * 4
LABELS = ["spam", "spam", "ham", "ham", "ham", "spam"] * 4
few_words = pytest.mark.filterwarnings("ignore:n_clusters is")


def counted(texts=TEXTS):
    vectorizer = ts.TermVectorizer()
    return vectorizer.fit_transform(texts), vectorizer.get_feature_names_out()


def random_matrix(seed, documents=40, terms=30, classes=4):
    """Counts that lean to classes and hardly ever tie."""
    random = np.random.default_rng(seed)
    y = np.arange(documents) % classes
    rates = random.gamma(0.4, 3.0, (classes, terms))
    X = random.poisson(rates[y])
    return X[:, X.sum(axis=0) > 0], y
