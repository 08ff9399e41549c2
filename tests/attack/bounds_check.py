"""That the kernels of this run check their indices: `make bounds` runs this with the suites it is about."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit


@njit
def item(values, i):
    """A value by its place, as kernels read it."""
    return values[i]


def test_an_index_out_of_range_is_an_error():
    with pytest.raises(IndexError):
        item(np.zeros(3), 5)
