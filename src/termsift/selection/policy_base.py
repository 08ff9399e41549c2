"""Interface of policies, and what all of them share: validation of fields, printing, ranking."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import fields
from typing import Any, ClassVar, Protocol

import numpy as np

from termsift._internal.errors import InvalidInputError, TermsiftWarning, check_name
from termsift._internal.ranking import Ranking
from termsift._internal.typing import Array, check_positive_integer, is_real_number
from termsift.metrics import Scores, check_expected, check_reduction

CRITERIA = ("mrmr", "jmi", "cmim")


class Policy(Protocol):
    """Interface of a policy.

    by_class : whether it uses the scores of each class; otherwise it uses one score per term
    """

    by_class: ClassVar[bool]

    def choose(self, scores: Scores) -> Array:
        """Return the indices of the chosen terms, in order."""

    def ranking(self, scores: Scores) -> Ranking:
        """Return the chosen terms in order, one list for all classes or one per class."""


def is_fraction(value: object) -> bool:
    """Return whether a value is a number between 0 and 1."""
    return is_real_number(value) and 0 <= value <= 1  # type: ignore[operator]


def is_ratio(value: object) -> bool:
    """Return whether a value is a fraction or a tuple of them; names are checked by PositiveNegative."""
    values = value if isinstance(value, tuple) else (value,)
    return isinstance(value, str) or (bool(values) and all(map(is_fraction, values)))


# values that the expression of a policy leaves out
HIDDEN_DEFAULTS = {"k": None, "reduce": "max", "min_effect": 0, "per_class": False, "cv": 4}
# fields of policies: the condition of a valid value, and its description in messages
CONDITIONS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "percent": (lambda value: is_real_number(value) and 0 < value <= 100, "be above 0 and at most 100"),
    "threshold": (is_real_number, "be a number"),
    "min_effect": (lambda value: is_real_number(value) and value >= 0, "be a number of at least 0"),
    "alpha": (lambda value: is_real_number(value) and 0 < value < 1, "lie between 0 and 1"),
    "ratio": (is_ratio, "lie between 0 and 1"),
    "per_class": (lambda value: isinstance(value, bool), "be True or False"),
    "cv": (
        lambda value: value is None or (isinstance(value, int) and not isinstance(value, bool) and value > 1),
        "be at least 2 folds, or None for the training documents",
    ),
}


class PolicyBase:
    """Validation, printing and ranking shared by all policies."""

    __slots__ = ()
    by_class: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for name in (item.name for item in fields(self)):  # type: ignore[arg-type]
            value = getattr(self, name)
            if name in CONDITIONS:
                is_valid, description = CONDITIONS[name]
                if not is_valid(value):
                    raise InvalidInputError(f"{name} must {description}, got {value!r}")
            elif name == "criterion":
                check_name(name, value, CRITERIA)
            elif name == "reduce":
                check_reduction(value)
            elif name == "expected":
                check_expected(value)
            # a k of None means all terms
            elif name == "pool" or value is not None:
                check_positive_integer(value, name)

    def choose(self, scores: Scores) -> Array:
        """Return the chosen terms in order.

        Parameters
        ----------
        scores : Scores
            Scores of all terms: by class if `by_class`, otherwise one score per term.

        Returns
        -------
        ndarray of int
            Indices of the chosen terms.

        Raises
        ------
        InvalidInputError
            If the scores have another form, or no significance that the policy needs.

        """
        return self._choose(scores)

    def _choose(self, scores: Scores) -> Array:
        raise NotImplementedError

    def ranking(self, scores: Scores) -> Ranking:
        """Return the chosen terms in order, the same for all classes.

        Parameters
        ----------
        scores : Scores
            Scores of all terms, in the form that `choose` needs.

        Returns
        -------
        Ranking
            Indices of the chosen terms, one list for all classes.

        """
        return Ranking((self.choose(scores),))

    def __repr__(self) -> str:
        """Return the expression that creates the policy, without default values that leave all terms."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}  # type: ignore[arg-type]
        arguments = []
        for name, value in values.items():
            value = tuple(map(float, value)) if isinstance(value, tuple) else value
            value = value.item() if isinstance(value, np.generic) else value
            if value != HIDDEN_DEFAULTS.get(name, ...):
                arguments.append(f"{name}={value!r}")
        return f"{type(self).__name__}({', '.join(arguments)})"


def limit_k(k: int | None, n_terms: int) -> int:
    """Return k, or all terms if it is None or, with a warning, if there are fewer."""
    if k is not None and k > n_terms:
        message = f"k is {k} but there are only {n_terms} terms; all are kept"
        warnings.warn(message, TermsiftWarning, stacklevel=2)
    return n_terms if k is None else min(k, n_terms)
