"""Small work, which is done by Python and NumPy before a compiled loop is there to do it.

To load numba takes a second, to compile a loop for the first time on a machine several. Both ways give the
same results, so the one is taken that is done first: what is small is added up over the life of a process,
and once it would have paid for the loops, they are loaded.
"""

from __future__ import annotations

import os
import sys

LOOPS = "termsift.machine.compiled"  # the module that every loop imports
TEXT_LOOPS = "termsift.text._scan_kernel"  # and the one that those of texts do
SETTING = "TERMSIFT_COMPILED_FROM"
MOST = 4_000_000  # characters of text, or entries of a matrix: they take Python a third of a second


class Spent:
    """What Python has done so far in place of loops."""

    size = 0


def is_small(size: int) -> bool:
    """Whether Python does so much work quicker than it loads compiled loops; if so, it is taken as done."""
    return takes_on(size, LOOPS)


def is_short(characters: int) -> bool:
    """The same of texts, whose loops are many: others may be there already."""
    return takes_on(characters, TEXT_LOOPS)


def takes_on(size: int, loops: str) -> bool:
    """Whether Python is to do the work, since those loops are not there; if so, it is taken as done."""
    if loops in sys.modules or Spent.size + size >= least_compiled():
        return False
    Spent.size += size
    return True


def least_compiled() -> int:
    """The work from which loops are compiled: what the environment says, such as 0 for all."""
    given = os.environ.get(SETTING, "")
    return int(given) if given.isdecimal() else MOST
