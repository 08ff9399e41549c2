"""Counts that lean to a class, and the selector the tests try on them."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

import termsift as ts


def made(seed=0, documents=240, terms=150, classes=2):
    """Counts that lean to a class, and the classes: the last is the rarest."""
    rng = np.random.default_rng(seed)
    y = np.minimum(rng.geometric(0.6, documents) - 1, classes - 1)
    lean = np.exp(rng.normal(0, 0.7, (classes, terms)))
    return sp.csr_array(rng.poisson(0.2 * lean[y])), y


def plus_minus(k=10, **parameters):
    return ts.PositiveNegativeSelector("cc", k=k, **parameters)
