"""Comparison of weighted counts, which are equal up to rounding."""

from __future__ import annotations

import numpy as np

TOLERANCE = 1e-12


def assert_close(counts, expected):
    """Equal terms and classes, and sums equal up to rounding."""
    assert counts.terms.tolist() == expected.terms.tolist()
    assert counts.classes == expected.classes
    for name in ("df", "tf", "tf2"):
        table = getattr(counts, name).toarray()
        np.testing.assert_allclose(table, getattr(expected, name).toarray(), rtol=TOLERANCE)
        totals = getattr(counts, f"term_{name}")
        np.testing.assert_allclose(totals, getattr(expected, f"term_{name}"), rtol=TOLERANCE)
    np.testing.assert_allclose(counts.class_sizes, expected.class_sizes, rtol=TOLERANCE)
    np.testing.assert_allclose(counts.documents, expected.documents, rtol=TOLERANCE)
