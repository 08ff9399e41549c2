"""Support vector machines of nested selections, against scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csc_array, csr_array
from sklearn.svm import LinearSVC

import termsift as ts
from termsift._internal.ranking import rank_terms
from termsift.evaluation.classifiers import RankedRows
from termsift_studies import corpora
from termsift_studies.svm import hinge_decision_values


def documents(seed: int, n: int = 80, terms: int = 40):
    """Documents of 0/1 features, and whether each is in a class that some of them tell."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, terms)) < rng.uniform(0.05, 0.5, terms)
    truth = X[:, :3].sum(axis=1) + rng.normal(0, 0.7, n) > 1
    return csr_array(X.astype(np.int64)), truth


def hinge_margins(order, columns, truth, others, sizes, **options):
    """Margins of 0/1 features along an order."""
    here, there = RankedRows.from_columns(order, columns), RankedRows.from_columns(order, others)
    return hinge_decision_values(here, truth, there, sizes, **options)


def theirs(X, truth, others, tol=1e-9):
    model = LinearSVC(loss="hinge", C=1, tol=tol, max_iter=1_000_000, random_state=0)
    return model.fit(X.astype(float), truth).decision_function(others.astype(float))


@pytest.mark.parametrize("seed", range(4))
def test_margins_of_every_size_are_scikit_learns(seed):
    X, truth = documents(seed)
    others, _ = documents(seed + 100)
    order = np.random.default_rng(seed).permutation(40)
    sizes = np.array([1, 5, 20, 40])
    margins = hinge_margins(
        order, csc_array(X), truth, csc_array(others), sizes, tolerance=1e-6, passes=10**6
    )
    for size, own in zip(sizes.tolist(), margins, strict=True):
        chosen = order[:size]
        np.testing.assert_allclose(own, theirs(X[:, chosen], truth, others[:, chosen]), atol=1e-4)


def test_a_larger_cost_is_scikit_learns_too():
    X, truth = documents(7)
    order = np.arange(40)
    margins = hinge_margins(order, csc_array(X), truth, csc_array(X), np.array([40]), C=0.1, tolerance=1e-6)
    model = LinearSVC(loss="hinge", C=0.1, tol=1e-9, max_iter=1_000_000).fit(X.astype(float), truth)
    np.testing.assert_allclose(margins[0], model.decision_function(X.astype(float)), atol=1e-4)


@given(st.integers(0, 2**32 - 1), st.integers(0, 8), st.integers(0, 6))
def test_rows_list_the_ranks_of_their_terms(seed, n, chosen):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 6)) < 0.4
    order = rng.permutation(6)[:chosen]
    weights = X * rng.random((n, 6))
    rows = RankedRows.from_columns(order, csc_array(weights))
    for d in range(n):
        expected = [rank for rank, term in enumerate(order) if X[d, term]]
        own = slice(rows.starts[d], rows.starts[d + 1])
        assert rows.ranks[own].tolist() == expected
        assert rows.values[own].tolist() == weights[d, order[expected]].tolist()


def test_a_single_class_is_always_predicted():
    X, _ = documents(1)
    margins = hinge_margins(np.arange(40), csc_array(X), np.ones(80, bool), csc_array(X), np.array([10, 40]))
    assert (margins > 0).all()


def test_documents_without_a_chosen_term_have_the_bias():
    X, truth = documents(2)
    empty = csc_array((3, 40), dtype=np.int64)
    margins = hinge_margins(np.arange(40), csc_array(X), truth, empty, np.array([10, 40]))
    assert (margins == margins[:, :1]).all()


@pytest.mark.parametrize("name", ["oh0", "tr11", "re0"])
def test_predictions_of_real_problems_are_scikit_learns(name, data_folder):
    corpus = corpora.load(name, data_dir=data_folder)
    X, labels = csr_array((corpus.matrix > 0).astype(np.int64)), np.array(corpus.labels)
    judged = np.arange(len(labels)) % 4 == 0
    counts = ts.count(X[~judged], labels[~judged])
    scores = np.asarray(ts.score(counts, "bns"))
    sizes = np.array([20, 200, 1000])
    same = []
    for c, one in enumerate(counts.classes[:6]):
        truth = labels[~judged] == one
        order = rank_terms(scores[:, c], counts.term_df, np.arange(X.shape[1]), 1000)
        margins = hinge_margins(order, csc_array(X[~judged]), truth, csc_array(X[judged]), sizes)
        for size, own in zip(sizes.tolist(), margins, strict=True):
            fitted = theirs(X[~judged][:, order[:size]], truth, X[judged][:, order[:size]], tol=1e-5)
            # where the margin is 0 the sign is a matter of rounding, with either solver
            clear = np.abs(fitted) > 1e-6
            same.append(((own > 0) == (fitted > 0))[clear])
    assert np.concatenate(same).mean() >= 0.999
