"""Reductions of the scores of several classes to one score per term."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from termsift._internal.errors import check_name
from termsift._internal.typing import Array

# (terms, classes) values and (classes,) shares P(c) of the documents -> (terms,)
REDUCTIONS: dict[str, Callable[[Array, Array], Array]] = {
    "max": lambda values, priors: values.max(axis=1) if values.shape[1] else np.zeros(len(values)),
    "mean": lambda values, priors: values.sum(axis=1) / max(values.shape[1], 1),
    "weighted": lambda values, priors: (values * priors).sum(axis=1),
    "sum": lambda values, priors: values.sum(axis=1),
}


def check_reduction(name: object) -> None:
    """Check that a reduction has this name."""
    check_name("reduction", name, REDUCTIONS)
