"""The weighted form of positive and negative terms (forman2003, section 5)."""

from __future__ import annotations

import numpy as np

import termsift as ts
from termsift_studies.forman2003.section5 import SignWeighted


def test_alpha_prefers_positive_or_negative_terms():
    y = np.array([1] * 5 + [0] * 5)
    positive, negative = np.where(np.arange(10) < 4, 1, 0), np.where(np.arange(10) < 5, 0, 1)
    counts = ts.count(np.stack([positive, negative], axis=1), y, terms=["plus", "minus"])
    assert ts.select(counts, "bns", SignWeighted(1, 0.5)) == ["minus"]
    assert ts.select(counts, "bns", SignWeighted(1, 0.9)) == ["plus"]
    assert ts.select(counts, "cc", SignWeighted(1, 0.9)) == ["plus"]
    assert ts.select(counts, "cc", SignWeighted(1, 0.1)) == ["minus"]


def test_with_two_overlapping_labels_both_count():
    Y = np.array([[1, 0], [1, 1], [0, 1], [0, 0]] * 5)
    counts = ts.count(Y, Y, terms=["first", "second"])
    assert set(ts.select(counts, "cc", SignWeighted(2, 1.0))) == {"first", "second"}
