"""What policies ask of their numbers and of the scores they read."""

from __future__ import annotations

import warnings
from dataclasses import fields
from typing import Any

import numpy as np

from termsift._typing import Array
from termsift.errors import InvalidInput, TermsiftWarning
from termsift.metrics import metrics
from termsift.ranking import Ranking
from termsift.scores import Scores


def expression_of(policy: Any) -> str:
    """The expression that makes a policy; all terms and the largest score go without saying."""
    given = {field.name: getattr(policy, field.name) for field in fields(policy)}
    plain = {name: value.item() if isinstance(value, np.generic) else value for name, value in given.items()}
    shown = ", ".join(f"{name}={value!r}" for name, value in plain.items() if value not in (None, "max"))
    return f"{type(policy).__name__}({shown})"


def ranking_of_choice(policy: Any, scores: Scores) -> Ranking:
    """The chosen terms in order, for all classes alike."""
    return Ranking((policy.choose(scores),))


def check_k(k: object, name: str = "k") -> None:
    """An error unless k, or what else is so named, is a whole number of at least 1."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer):
        raise InvalidInput(f"{name} must be a whole number, got {k!r}")
    if k < 1:
        raise InvalidInput(f"{name} must be at least 1, got {k}")


def check_k_or_all(k: object) -> None:
    """An error unless k is a whole number of at least 1, or None for all terms."""
    if k is not None:
        check_k(k)


def check_share(name: str, value: object) -> None:
    """An error unless a value is a number between 0 and 1."""
    if not is_part(value):
        raise InvalidInput(f"{name} must lie between 0 and 1, got {value!r}")


def is_part(value: object) -> bool:
    """Whether a value is a number between 0 and 1."""
    return is_number(value) and 0 <= value <= 1  # type: ignore[operator]


def is_number(value: object) -> bool:
    """Whether a value is a number, not NaN, and not longer than floats are."""
    try:
        return isinstance(value, int | float | np.number) and not np.isnan(float(value))
    except (OverflowError, TypeError):  # of whole numbers of hundreds of digits, of complex ones
        return False


def within(k: int | None, terms: int) -> int:
    """k, or all terms where it is None, and with a warning where there are fewer."""
    if k is not None and k > terms:
        what = f"k is {k} but there are only {terms} terms; all are kept"
        warnings.warn(what, TermsiftWarning, stacklevel=2)
    return terms if k is None else min(k, terms)


def class_columns(scores: Scores) -> Array:
    """The scores of the classes."""
    if scores.values.ndim != 2:
        raise InvalidInput(
            f"this policy reads the scores of each class, and {scores.metric} gives one a term"
        )
    return scores.values


def one_sided(scores: Scores) -> Array:
    """The scores of the classes to choose for, if their sign says which terms speak against a class."""
    if scores.sided != 1:
        names = ", ".join(metric.name for metric in metrics() if metric.sided == 1)
        raise InvalidInput(
            f"PositiveNegative needs a one-sided metric, and {scores.metric} ignores the sign; "
            f"one-sided are: {names}"
        )
    columns: Array = class_columns(scores)[:, meant(scores)]
    return columns


def meant(scores: Scores) -> slice:
    """The columns to choose for: of two classes that exclude each other the second, else all."""
    mirrored = len(scores.classes) == 2 and scores.counts.single_label
    return slice(1, 2) if mirrored else slice(None)
