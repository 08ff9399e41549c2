"""The sides of a list: terms that speak for a class, against it, or both."""

from __future__ import annotations

from termsift.errors import check_name

SIDES = {"both": 0, "for": 1, "against": -1}


def side_sign(side: str) -> int:
    """0 for both sides, 1 for the terms that speak for a class, -1 for those against it."""
    check_name("side", side, SIDES)
    return SIDES[side]
