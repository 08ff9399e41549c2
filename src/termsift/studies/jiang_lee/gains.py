"""Equation 1, its probabilities by documents or by occurrences: the paper says how it takes one of them."""

from __future__ import annotations

from functools import partial
from typing import TypeAlias

import numpy as np

from termsift._typing import Array
from termsift.contingency import Block, ratio
from termsift.metrics import Metric

# what Pr(w), Pr(c | w) and Pr(c | not w) are shares of
GainBasis: TypeAlias = tuple[str, str, str]
OCCURRENCES, DOCUMENTS = "occurrences", "documents"
BY_OCCURRENCES: GainBasis = (OCCURRENCES, OCCURRENCES, OCCURRENCES)
BY_DOCUMENTS: GainBasis = (DOCUMENTS, DOCUMENTS, DOCUMENTS)


def gain_metric(basis: GainBasis) -> Metric:
    """The metric of equation 1."""
    function = partial(class_gain, basis=basis)
    return Metric("gain", function, needs="tf", of_cells=False, summed=True, single_label=True)


def class_gain(block: Block, basis: GainBasis = BY_OCCURRENCES) -> Array:
    """(terms, classes): a class's part of the sums of equation 1."""
    _, held, _, every = seen(block, basis[0])
    has = ratio(held, np.full_like(held, every))
    own, held, _, _ = seen(block, basis[1])
    given = ratio(own, held)
    own, held, sizes, every = seen(block, basis[2])
    absent = ratio(sizes - own, every - held)
    prior = block.class_sizes / block.documents
    parts = has * negated_entropy(given) + (1 - has) * negated_entropy(absent) - negated_entropy(prior)
    return block.or_zero(parts)


def seen(block: Block, of: str) -> tuple[Array, Array, Array, float]:
    """Of terms in classes, of terms, of classes and of all: the documents, or the occurrences."""
    if of == DOCUMENTS:
        return block.df, block.term_df, block.class_sizes, block.documents
    return block.tf, block.term_tf, block.lengths, block.length


def negated_entropy(p: Array) -> Array:
    """The values of p log p, 0 of 0."""
    parts: Array = p * np.log(p, out=np.zeros_like(p), where=p > 0)
    return parts
