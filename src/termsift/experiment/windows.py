"""Windows of time: documents in order, cut where the time changes."""

from __future__ import annotations

import numpy as np

from termsift._typing import Array
from termsift.errors import InvalidInput


def window_numbers(times: Array, windows: int) -> Array:
    """(documents,) the window of each, of about as many documents each; those of one time are in one.

    >>> window_numbers(np.array([3, 1, 1, 1, 2, 4]), 3)
    array([2, 0, 0, 0, 1, 2])
    """
    values, place, counts = np.unique(times, return_inverse=True, return_counts=True)
    if len(values) < windows:
        raise InvalidInput(
            f"time has {len(values)} different values, too few to learn from one and judge "
            f"{windows - 1} more; use fewer folds"
        )
    ends = np.cumsum(counts)
    number, last = np.zeros(len(values), dtype=np.intp), -1
    for window in range(1, windows):
        # every window after this one needs a time of its own
        able = np.arange(last + 1, len(values) - (windows - window))
        last = int(able[np.argmin(np.abs(ends[able] - len(times) * window / windows))])
        number[last + 1 :] = window
    found: Array = number[place]
    return found
