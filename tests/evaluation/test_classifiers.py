"""A classifier is one module: it is offered by name from then on, and judged like the others."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from scipy.sparse import csr_array

import termsift as ts
from compared_texts import topical
from termsift._internal.ranking import Ranking
from termsift.counts.labels import as_labels
from termsift.engines.documents import Documents
from termsift.evaluation.classifiers import catalogue as classifiers
from termsift.evaluation.classifiers.paths import SelectionPath
from termsift.evaluation.splits import Fold


def test_rejects_unknown_names():
    with pytest.raises(ts.UnknownNameError, match="no classifier named 'careful'"):
        ts.compare(*topical(12), classifiers="careful")


def test_a_strength_is_part_of_the_name():
    strong = classifiers.parse_classifier("nbsvm(C=0.3):binary")
    assert (strong.name, strong.C, strong.has_log_count_ratios) == ("nbsvm(C=0.3):binary", 0.3, True)
    assert strong.make_estimator().C == 0.3


@pytest.mark.parametrize(
    "name", ["svm(3)", "svm(C=0)", "svm(C=1e999)", "svm(C=3, loss=1)", "svm(C=3", "multinomial_nb(C=1)"]
)
def test_invalid_strengths_are_errors(name):
    with pytest.raises(ts.InvalidInputError, match="only svm, nbsvm and logistic take an option, C above 0"):
        classifiers.parse_classifier(name)


def test_fast_classifiers_come_first():
    costs = [one.cost for one in classifiers.available_classifiers().values()]
    assert costs == sorted(costs)


@pytest.mark.parametrize("name", classifiers.available_classifiers())
def test_fold_tested_on_all_documents_has_the_decision_values_of_each_set(name):
    rng = np.random.default_rng(0)
    rows = rng.poisson(0.5, (40, 12))
    labels = as_labels(np.arange(40) % 3)
    documents = Documents(
        ts.TermVectorizer(analyzer=str.split).fit_transform(texts_of(rows)), labels, np.arange(12)
    )
    fold = Fold.from_indices(documents, np.arange(30), np.arange(30, 40))
    path = SelectionPath.from_ranking(rng.permutation(documents.rows.shape[1]), np.array([3, 9]))
    classifier = classifiers.available_classifiers()[name]
    both = classifier.fit_path(fold.test_on_all(), path)(1)
    np.testing.assert_array_equal(both[30:], classifier.fit_path(fold, path)(1))
    assert both.shape == (40, 2)


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("denominator", ["smooth_all", "all_terms", "length"])
def test_naive_bayes_has_the_probabilities_of_its_denominator(denominator, single):
    """Against sums over documents in plain Python, between the classes and of each class alone."""
    rng = np.random.default_rng(1)
    rows = rng.poisson(0.6, (30, 8))
    truth = np.eye(3, dtype=bool)[np.arange(30) % 3]
    if not single:
        truth[::5, 0] = True
    fold = Fold.from_indices(
        Documents(csr_array(rows), as_labels(truth), np.arange(8)), np.arange(24), np.arange(24, 30)
    )
    classifier = classifiers.parse_classifier(f"multinomial_nb:{denominator}")
    order, sizes = rng.permutation(8), np.array([2, 5])
    found = classifier.decision_values(fold, Ranking((order,)), sizes)

    def log_posterior(document, members, terms):
        counts = rows[:24][members].sum(axis=0)
        extra, total = (8, counts.sum()) if denominator == "all_terms" else (8, counts[terms].sum())
        extra = len(terms) if denominator == "length" else extra
        value = math.log(sum(members) / 24)
        for term in terms:
            value += document[term] * math.log((counts[term] + 1) / (total + extra))
        if denominator == "length":
            mean = (total + 1) / (sum(members) + 1)
            # the geometric distribution of scipy counts from 1
            value += scipy.stats.geom.logpmf(document[terms].sum() + 1, 1 / (1 + mean))
        return value

    for s, size in enumerate(sizes):
        for i, document in enumerate(rows[24:]):
            for c in range(3):
                members, terms = truth[:24, c], order[:size]
                expected = log_posterior(document, members, terms)
                if not single:
                    expected -= log_posterior(document, ~members, terms)
                assert found[s, i, c] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def texts_of(rows):
    """Texts of so many words each."""
    return [" ".join(word for t, n in enumerate(row) for word in [f"w{t:02}"] * n) or "w00" for row in rows]
