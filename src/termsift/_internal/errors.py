"""Exception hierarchy of termsift, and helpers that build error messages.

```
TermsiftError
├── InvalidInputError      (ValueError)               value that cannot be used
├── UnknownNameError       (LookupError, ValueError)  name that does not exist, with the closest match
├── UnreadableFileError    (OSError)                  file that is missing, empty, a folder or malformed
└── EngineError            (RuntimeError)             external engine that is missing or failed
TermsiftWarning            (UserWarning)              condition that the user can act on
```

Every message is one line: the problem, with the value, and the remedy. Values may come from untrusted files,
so messages are truncated, and control characters in them are escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

MAX_MESSAGE_LENGTH = 1000  # characters
# Control characters, bidirectional and zero-width characters, and lone surrogates. The two joiners are
# allowed: many scripts and emoji need them.
INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def escape_invisible(text: str) -> str:
    r"""Return the text with invisible and control characters escaped, safe for any terminal.

    >>> print(escape_invisible("red \x1b[31m, hidden \u200b, right to left \u202e"))
    red \x1b[31m, hidden \u200b, right to left \u202e
    """
    return INVISIBLE.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def format_one_line(text: str, max_length: int = MAX_MESSAGE_LENGTH) -> str:
    """Return the text as one printable line, with the middle of a long text elided.

    >>> format_one_line("three  lines of words", max_length=15)
    'three ... words'
    """
    text = escape_invisible(" ".join(text.split()))
    if len(text) <= max_length:
        return text
    tail = (max_length - 5) // 2
    return f"{text[: max_length - 5 - tail]} ... {text[-tail:]}"


class TermsiftError(Exception):
    """Base class of every error that termsift raises on purpose.

    Parameters
    ----------
    message : str
        Problem, with the value, and its remedy. It is shown as one line.

    Examples
    --------
    >>> import termsift as ts
    >>> try:
    ...     ts.score(ts.count(["a b", "b c"], [0, 1]), "bns2")
    ... except ts.TermsiftError as error:
    ...     print(error)
    no metric named 'bns2'; did you mean 'bns'?

    """

    def __init__(self, message: str) -> None:
        super().__init__(format_one_line(message))


class InvalidInputError(TermsiftError, ValueError):
    """Error for a value that cannot be used.

    Parameters
    ----------
    message : str
        Problem, with the value, and its remedy. It is shown as one line.

    Examples
    --------
    >>> import termsift as ts
    >>> try:
    ...     ts.TopK(-1)
    ... except ts.InvalidInputError as error:
    ...     print(error)
    k must be at least 1, got -1

    """


class UnknownNameError(TermsiftError, LookupError, ValueError):
    """Error for a name that does not exist.

    Parameters
    ----------
    message : str
        Problem, with the value, and its remedy. It is shown as one line.

    Examples
    --------
    >>> import termsift as ts
    >>> try:
    ...     ts.metrics()["chi"]
    ... except ts.UnknownNameError as error:
    ...     print(error)
    no metric named 'chi'; did you mean 'chi2'?

    """


class UnreadableFileError(TermsiftError, OSError):
    """Error for a file that cannot be read in the expected format, or cannot be written.

    Parameters
    ----------
    message : str
        Problem, with the value, and its remedy. It is shown as one line.

    Examples
    --------
    >>> import termsift as ts
    >>> try:
    ...     ts.count("missing.csv")
    ... except ts.UnreadableFileError as error:
    ...     print(type(error).__mro__[2].__name__)
    OSError

    """


class EngineError(TermsiftError, RuntimeError):
    """Error for an external engine that could not start or failed.

    Parameters
    ----------
    message : str
        Problem, with the value, and its remedy. It is shown as one line.

    Examples
    --------
    >>> issubclass(EngineError, RuntimeError)
    True

    """


class TermsiftWarning(UserWarning):
    """Warning about a condition that the user can act on.

    Parameters
    ----------
    message : str
        Problem, with the value, and its remedy. It is shown as one line.

    Examples
    --------
    >>> import warnings
    >>> import termsift as ts
    >>> counts = ts.count(["a few", "some words"], [0, 1])
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     selection = ts.select(counts, "bns", ts.TopK(100))
    >>> caught[0].category.__name__
    'TermsiftWarning'

    """

    def __init__(self, message: str) -> None:
        super().__init__(format_one_line(message))


def unknown_name_error(kind: str, name: object, choices: Iterable[object]) -> UnknownNameError:
    """Return the error for a name that is not among the choices, with the closest match or all choices.

    >>> str(unknown_name_error("metric", "chi", ["chi2", "bns"]))
    "no metric named 'chi'; did you mean 'chi2'?"
    >>> str(unknown_name_error("class", "eggs", ["ham", "spam"]))
    "no class named 'eggs'; there are: 'ham', 'spam'"
    """
    choices = list(choices)
    closest = closest_name(name, choices)
    if closest is not None:
        return UnknownNameError(f"no {kind} named {name!r}; did you mean {closest!r}?")
    return UnknownNameError(f"no {kind} named {name!r}; there are: {quote_names(choices)}")


def unknown_column_error(name: str, columns: Iterable[str], source: str) -> UnknownNameError:
    """Return the error for a column that a file or data frame does not have."""
    closest = closest_name(name, columns)
    hint = "" if closest is None else f"did you mean {closest!r}? "
    return UnknownNameError(f"column {name!r} is not in {source}; {hint}it has: {', '.join(columns)}")


def closest_name(name: object, choices: Iterable[object]) -> object | None:
    """Return the choice most similar to the name, ignoring case, or None if none is similar."""
    by_text = {str(choice).lower(): choice for choice in choices}
    matches = get_close_matches(str(name).lower(), by_text, n=1)
    return by_text[matches[0]] if matches else None


def quote_names(names: Iterable[object], max_names: int = 12) -> str:
    """Return the names quoted and separated by commas, with a count instead of the tail of a long list.

    >>> quote_names("abc", max_names=2)
    "'a', 'b', ... (3)"
    """
    names = list(names)
    text = ", ".join(repr(name) for name in names[:max_names])
    return text if len(names) <= max_names else f"{text}, ... ({len(names)})"


def check_name(kind: str, name: object, choices: Iterable[str]) -> None:
    """Check that a value is one of the names."""
    if not isinstance(name, str) or name not in choices:
        raise unknown_name_error(kind, name, choices)


def check_flags(**flags: object) -> None:
    """Check that every option is True or False.

    >>> check_flags(margins="no")
    Traceback (most recent call last):
    termsift._internal.errors.InvalidInputError: margins must be True or False, got 'no'

    """
    for name, value in flags.items():
        if type(value).__name__ not in ("bool", "bool_", "int"):
            raise InvalidInputError(f"{name} must be True or False, got {value!r}")
