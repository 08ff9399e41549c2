"""A classifier is one module: it is offered by name from then on, and judged like the others."""

from __future__ import annotations

import numpy as np
import pytest

import termsift as ts
from compared_texts import topical
from termsift.counts.labels import as_labels
from termsift.engines.documents import Documents
from termsift.evaluation.classifiers import catalogue as classifiers
from termsift.evaluation.classifiers.paths import SelectionPath
from termsift.evaluation.splits import Fold


def test_rejects_unknown_names():
    with pytest.raises(ts.UnknownNameError, match="no classifier named 'careful'"):
        ts.compare(*topical(12), classifiers="careful")


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


def texts_of(rows):
    """Texts of so many words each."""
    return [" ".join(word for t, n in enumerate(row) for word in [f"w{t:02}"] * n) or "w00" for row in rows]
