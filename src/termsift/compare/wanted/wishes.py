"""What the user wants of a recommendation: to give up little, to keep few terms, to label quickly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from termsift.errors import InvalidInput

USUAL_PRICE, USUAL_SIZE = 0.01, 500  # of the answers that are told where nothing is asked


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked of the recommended candidate; without anything, the rule of one standard error.

    within : fewest terms that give up at most so much of the best
    at_most : so many terms at most, the best of them
    latency : milliseconds per document at most, the best of them
    """

    within: float | None = None
    at_most: int | None = None
    latency: float | None = None

    @property
    def words(self) -> str:
        """What a candidate is that was chosen by it."""
        bounds = [f"at most {self.at_most:,} terms"] if self.at_most is not None else []
        bounds += [f"at most {self.latency:g} ms per document"] if self.latency is not None else []
        among = f" of those with {' and '.join(bounds)}" if bounds else ""
        if self.within is not None:
            of = f" the best{among}" if among else " that"
            return f"has the fewest terms that give up at most {self.within:g} of{of}"
        return f"is the best{among}" if among else "has the fewest terms within one standard error of that"


def wish_from(within: object, at_most: object, latency: object) -> Wish:
    """The wish, checked."""
    for name, value in (("within", within), ("latency", latency)):
        is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if value is not None and not (is_number and 0 <= float(value) < np.inf):  # type: ignore[arg-type]
            raise InvalidInput(f"{name} must be a number of at least 0, got {value!r}")
    is_whole = isinstance(at_most, int | np.integer) and not isinstance(at_most, bool)
    if at_most is not None and not (is_whole and at_most >= 1):  # type: ignore[operator]
        raise InvalidInput(f"at_most must be a whole number of terms of at least 1, got {at_most!r}")
    return Wish(within, at_most, latency)  # type: ignore[arg-type]
