"""What can go wrong, as one tree.

```
TermsiftError
├── InvalidInputError      (ValueError)               a value that cannot be used
├── UnknownNameError       (LookupError, ValueError)  a name nobody has, with the near miss
├── UnreadableFileError    (OSError)                  a file that is missing, empty, a folder or not ours
└── EngineError     (RuntimeError)             what an engine outside needs is missing, or it broke down
TermsiftWarning       (UserWarning)              something the user can act on
```

Every message is one line: what is wrong, with the value, and what would be right. A value may come from
a stranger's file, so a message is bounded, and holds nothing that moves a cursor or turns the line around.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

LONGEST = 1000  # characters of a message
# control characters, marks that turn the direction of a line or cannot be seen, halves of surrogate pairs;
# not the two joiners, which words of many scripts and emoji are written with
UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def printable(text: str) -> str:
    r"""The text as any terminal may show it: what is not seen, or does something, is written out.

    >>> print(printable("red \x1b[31m, hidden \u200b, right to left \u202e"))
    red \x1b[31m, hidden \u200b, right to left \u202e
    """
    return UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def one_line(text: str, longest: int = LONGEST) -> str:
    """The text as one printable line; of a longer one the beginning and the end.

    >>> one_line("three  lines of words", longest=15)
    'three ... words'
    """
    line = printable(" ".join(text.split()))
    if len(line) <= longest:
        return line
    end = (longest - 5) // 2
    return f"{line[: longest - 5 - end]} ... {line[-end:]}"


class TermsiftError(Exception):
    """Base class of every error that termsift raises on purpose.

    message : what is wrong and what would be right, in one line

    >>> import termsift as ts
    >>> try:
    ...     ts.score(ts.count(["a b", "b c"], [0, 1]), "bns2")
    ... except ts.TermsiftError as error:
    ...     print(error)
    no metric named 'bns2'; did you mean 'bns'?
    """

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


class InvalidInputError(TermsiftError, ValueError):  # noqa: N818
    """A value that cannot be used.

    message : what is wrong and what would be right, in one line

    >>> import termsift as ts
    >>> try:
    ...     ts.TopK(-1)
    ... except ts.InvalidInputError as error:
    ...     print(error)
    k must be at least 1, got -1
    """


class UnknownNameError(TermsiftError, LookupError, ValueError):  # noqa: N818
    """A name that does not exist.

    message : what is wrong and what would be right, in one line

    >>> import termsift as ts
    >>> try:
    ...     ts.metrics()["chi"]
    ... except ts.UnknownNameError as error:
    ...     print(error)
    no metric named 'chi'; did you mean 'chi2'?
    """


class UnreadableFileError(TermsiftError, OSError):  # noqa: N818
    """A file that cannot be read in the expected format.

    message : what is wrong and what would be right, in one line

    >>> import termsift as ts
    >>> try:
    ...     ts.count("missing.csv")
    ... except ts.UnreadableFileError as error:
    ...     print(type(error).__mro__[2].__name__)
    OSError
    """


class EngineError(TermsiftError, RuntimeError):  # noqa: N818
    """An engine outside termsift that could not start or failed.

    message : what is wrong and what would be right, in one line

    >>> issubclass(EngineError, RuntimeError)
    True
    """


class TermsiftWarning(UserWarning):
    """Something the user can act on.

    message : what is wrong and what would be right, in one line

    >>> import warnings
    >>> import termsift as ts
    >>> counts = ts.count(["a few", "some words"], [0, 1])
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     chosen = ts.select(counts, "bns", ts.TopK(100))
    >>> told[0].category.__name__
    'TermsiftWarning'
    """

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


def unknown(kind: str, name: object, known: Iterable[object]) -> UnknownNameError:
    """The error for a name that is not among the known ones, ending with the near miss.

    >>> str(unknown("metric", "chi", ["chi2", "bns"]))
    "no metric named 'chi'; did you mean 'chi2'?"
    >>> str(unknown("class", "eggs", ["ham", "spam"]))
    "no class named 'eggs'; there are: 'ham', 'spam'"
    """
    choices = list(known)
    near = near_miss(name, choices)
    if near is not None:
        return UnknownNameError(f"no {kind} named {name!r}; did you mean {near!r}?")
    return UnknownNameError(f"no {kind} named {name!r}; there are: {listed(choices)}")


def check_name(kind: str, name: object, known: Iterable[str]) -> None:
    """An error for what is not one of some names, whatever it is."""
    if not isinstance(name, str) or name not in known:
        raise unknown(kind, name, known)


def check_flags(**flags: object) -> None:
    """An error for a flag that is neither true nor false, as an array or a text is not.

    >>> check_flags(margins="no")
    Traceback (most recent call last):
    termsift._internal.errors.InvalidInputError: margins must be True or False, got 'no'

    """
    for name, value in flags.items():
        if type(value).__name__ not in ("bool", "bool_", "int"):
            raise InvalidInputError(f"{name} must be True or False, got {value!r}")


def unknown_column(name: str, columns: Iterable[str], where: str) -> UnknownNameError:
    """The error for a column that a file or frame has not."""
    near = near_miss(name, columns)
    hint = "" if near is None else f"did you mean {near!r}? "
    return UnknownNameError(f"column {name!r} is not in {where}; {hint}it has: {', '.join(columns)}")


def near_miss(name: object, known: Iterable[object]) -> object | None:
    """The known name that is most like this one, if any is, capitals aside."""
    by_text = {str(choice).lower(): choice for choice in known}
    near = get_close_matches(str(name).lower(), by_text, n=1)
    return by_text[near[0]] if near else None


def listed(names: Iterable[object], most: int = 12) -> str:
    """The names as one line, cut after `most`.

    >>> listed("abc", most=2)
    "'a', 'b', ... (3)"
    """
    names = list(names)
    shown = ", ".join(repr(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown}, ... ({len(names)})"
