"""Analyzers by the names that counts keep of them: what tells two apart. A name is read, never run."""

from __future__ import annotations

import ast

LONGEST = 10_000  # characters of a name that is read; of a longer one nothing is known


def told_apart(one: str, other: str) -> str:
    """What two analyzers differ in: the options of theirs that do, else both names.

    >>> told_apart("Analyzer(html=True, ngram_range=(1, 1))", "Analyzer(html=True, ngram_range=(1, 2))")
    'ngram_range=(1, 1) and ngram_range=(1, 2)'
    >>> told_apart("Analyzer(lowercase=True)", "Analyzer(lowercase=True, html=True)")
    'the default and html=True'
    >>> told_apart("builtins.str.split", "Analyzer(lowercase=True)")
    'builtins.str.split and Analyzer(lowercase=True)'
    """
    first, second = options_of(one), options_of(other)
    if first is None or second is None:
        return f"{one} and {other}"
    differing = [name for name in first | second if first.get(name) != second.get(name)]
    sides = [[f"{name}={own[name]}" for name in differing if name in own] for own in (first, second)]
    return " and ".join(", ".join(side) or "the default" for side in sides)


def options_of(name: str) -> dict[str, str] | None:
    """The options of an Analyzer that prints so, each as it is written; None of anything else."""
    if len(name) > LONGEST:
        return None
    try:
        call = ast.parse(name, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id != "Analyzer":
        return None
    return {str(option.arg): ast.unparse(option.value) for option in call.keywords}
