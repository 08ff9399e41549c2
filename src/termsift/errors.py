"""What can go wrong, as one tree.

```
TermsiftError
├── InvalidInput      (ValueError)               a value that cannot be used
├── UnknownName       (LookupError, ValueError)  a name nobody has, with the near miss
├── UnreadableFile    (OSError)                  a file that is missing, empty, a folder or not ours
└── MissingPackage    (ImportError)              an optional package that is not installed
TermsiftWarning       (UserWarning)              something the user can act on
```

Every message is one line: what is wrong, with the value, and what would be right.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class TermsiftError(Exception):
    """The root of every error termsift raises on purpose."""


class InvalidInput(TermsiftError, ValueError):  # noqa: N818
    """A value that cannot be used."""


class UnknownName(TermsiftError, LookupError, ValueError):  # noqa: N818
    """A name that nobody has."""


class UnreadableFile(TermsiftError, OSError):  # noqa: N818
    """A file that cannot be read as what it should be."""


class MissingPackage(TermsiftError, ImportError):  # noqa: N818
    """A package that is needed here and is not installed."""


class TermsiftWarning(UserWarning):
    """Something the user can act on."""


def unknown(kind: str, name: object, known: Iterable[object]) -> UnknownName:
    """The error for a name that is not among the known ones, ending with the near miss.

    >>> str(unknown("metric", "chi", ["chi2", "bns"]))
    "no metric named 'chi'; did you mean 'chi2'?"
    >>> str(unknown("class", "eggs", ["ham", "spam"]))
    "no class named 'eggs'; there are: 'ham', 'spam'"
    """
    choices = list(known)
    by_text = {str(choice): choice for choice in choices}
    near = get_close_matches(str(name), by_text, n=1, cutoff=0.6)
    if near:
        return UnknownName(f"no {kind} named {name!r}; did you mean {by_text[near[0]]!r}?")
    return UnknownName(f"no {kind} named {name!r}; there are: {listed(choices)}")


def listed(names: Iterable[object], most: int = 12) -> str:
    """The names as one line, cut after `most`.

    >>> listed("abc", most=2)
    "'a', 'b', ... (3)"
    """
    names = list(names)
    shown = ", ".join(repr(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown}, ... ({len(names)})"
