"""Token patterns that are a run of characters of one kind, which the compiled scan follows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from termsift.text.scripts.characters import Characters, matching

# a class of characters, written once or more, then + or {n,}; \b at both ends or at none
RUN = re.compile(
    r"(?:\(\?u\))?(?P<edge>\\b)?(?P<all>(?P<one>\\[wdS]|\[(?:[^\[\]\\]|\\.)+\])(?P=one)*)"
    r"(?P<more>\+|\{\d+,\})(?P<end>\\b)?"
)


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A token is a longest run of at least `least` characters whose `member` is true."""

    member: Characters
    least: int


@lru_cache(maxsize=16)
def run_of(pattern: str) -> Run | None:
    r"""The run that a pattern describes, or None where only a regular expression can follow it.

    >>> run_of(r"(?u)\b\w\w+\b").least
    2
    >>> run_of(r"\w+@\w+") is None
    True
    """
    match = run_match(pattern)
    return None if match is None else Run(matching(match["one"]), shortest(match))


def longer_runs(pattern: str, least: int) -> str | None:
    r"""The pattern of a run, of tokens of at least so many characters; None where it is no run.

    >>> longer_runs(r"(?u)\b\w\w+\b", 4)
    '(?u)\\b\\w{4,}\\b'
    """
    match = run_match(pattern)
    if match is None:
        return None
    edge = match["edge"] or ""
    unicode_flag = "(?u)" if pattern.startswith("(?u)") else ""
    return f"{unicode_flag}{edge}{match['one']}{{{max(least, shortest(match))},}}{edge}"


def run_match(pattern: str) -> re.Match[str] | None:
    """The parts of a pattern that describes a run."""
    match = RUN.fullmatch(pattern)
    if match is None or bool(match["edge"]) != bool(match["end"]):
        return None
    # between letters and what is not there is always an edge; other kinds may meet without one
    if match["edge"] and match["one"] != r"\w":
        return None
    return match if shortest(match) >= 1 else None


def shortest(match: re.Match[str]) -> int:
    """The characters of the shortest token."""
    times = len(match["all"]) // len(match["one"])
    return times if match["more"] == "+" else times - 1 + int(match["more"][1:-2])
