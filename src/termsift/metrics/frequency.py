"""How often a term occurs, and chance."""

from __future__ import annotations

import numpy as np

from termsift._typing import Array
from termsift.contingency import Block


def df(block: Block) -> Array:
    """Document frequency: the documents that contain the term, whatever their class. (terms,)

    Forman (2003), table 1: DFreq.
    """
    return block.term_df[:, 0].copy()


def tf(block: Block) -> Array:
    """Occurrences of the term in the class. (terms, classes)

    Uchyigit and Clark, section 2: word frequency.
    """
    return block.or_zero(block.tf)


def rand(block: Block, *, random_state: int = 0) -> Array:
    """A uniform random number a term, from [0, 1): the baseline. (terms,)

    The same seed gives a term at the same place the same number.
    Forman (2003), table 1.
    """
    generator = np.random.default_rng(random_state)
    return generator.random(block.vocabulary)[block.rows]
