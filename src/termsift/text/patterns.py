"""Which token patterns the compiled scan can follow: runs of characters of one kind."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

# a class of characters, written once or more, then + or {n,}; \b at both ends or at none
RUN = re.compile(
    r"(?:\(\?u\))?(?P<edge>\\b)?(?P<all>(?P<one>\\[wdS]|\[(?:[^\[\]\\]|\\.)+\])(?P=one)*)"
    r"(?P<more>\+|\{\d+,\})(?P<end>\\b)?"
)


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A token is a longest run of at least `least` characters whose `member` is true."""

    member: NDArray[np.bool_]
    least: int


@lru_cache(maxsize=16)
def run_of(pattern: str) -> Run | None:
    r"""The run that a pattern describes, or None where only a regular expression can follow it.

    >>> run_of(r"(?u)\b\w\w+\b").least
    2
    >>> run_of(r"\w+@\w+") is None
    True
    """
    match = RUN.fullmatch(pattern)
    if match is None or bool(match["edge"]) != bool(match["end"]):
        return None
    # between letters and what is not there is always an edge; other kinds may meet without one
    if match["edge"] and match["one"] != r"\w":
        return None
    times = len(match["all"]) // len(match["one"])
    least = times if match["more"] == "+" else times - 1 + int(match["more"][1:-2])
    return Run(members(match["one"]), least) if least >= 1 else None


def members(kind: str) -> NDArray[np.bool_]:
    """Which of all code points match a class of characters, as Python's own `re` has it."""
    found = np.zeros(sys.maxunicode + 1, dtype=np.bool_)
    for match in re.finditer(f"(?:{kind})+", every_character()):
        found[match.start() : match.end()] = True
    return found


@lru_cache(maxsize=1)
def every_character() -> str:
    """All code points in order."""
    return "".join(map(chr, range(sys.maxunicode + 1)))
