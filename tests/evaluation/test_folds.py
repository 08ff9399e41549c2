"""Folds: a class against the rest, and both parts judged at once."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import termsift as ts
from termsift.counts.labels import as_labels
from termsift.engines.documents import Documents
from termsift.evaluation.splits import Fold

LABELS = [["a"], ["a", "b"], [], ["b"], ["a"]]


@pytest.fixture
def fold() -> Fold:
    """Of five documents the first three to learn from, which hold each class of two."""
    rows = sp.csr_array([[1, 0], [2, 1], [0, 1], [0, 3], [1, 0]])
    whole = Documents(rows, as_labels(LABELS), np.array(["x", "y"], dtype=object))
    return Fold.from_indices(whole, np.array([0, 1, 2]), np.array([3, 4]))


def test_binary_problem_has_the_counts_of_a_class_and_the_rest(fold):
    for c in range(2):
        own = fold.binary_problem(c)
        expected = ts.count(fold.train.rows, fold.train.truth[:, c])
        assert own.train.counts.tf.toarray().tolist() == expected.tf.toarray().tolist()
        assert own.train.counts.class_sizes.tolist() == expected.class_sizes.tolist()
        assert own.truth.tolist() == [[not inside, inside] for inside in fold.truth[:, c].tolist()]


def test_a_class_of_all_documents_leaves_an_empty_rest(fold):
    own = Fold.from_indices(fold.train, np.array([0, 1]), np.array([2])).binary_problem(0)
    assert own.train.labels.is_single_label
    assert own.train.counts.class_sizes.tolist() == [0, 2]


def test_testing_on_all_documents_starts_with_the_training_documents(fold):
    both = fold.test_on_all()
    assert both.test.toarray().tolist() == [[1, 0], [2, 1], [0, 1], [0, 3], [1, 0]]
    assert both.truth.tolist() == [["a" in labels, "b" in labels] for labels in LABELS]
    assert both.train is fold.train
