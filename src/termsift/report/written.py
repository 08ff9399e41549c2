"""Numbers and names as a page writes them; report.js writes them alike."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context

# a term or a name may be a whole text: a page shows its beginning
LONGEST = 80


def clipped(name: object) -> str:
    """A name as text, cut where it is very long; what is no Unicode text, such as half a pair, as U+FFFD.

    >>> clipped("x" * 100) == "x" * 79 + "…"
    True
    """
    text = str(name).encode("utf-8", "replace").decode() if not is_text(str(name)) else str(name)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def is_text(name: str) -> bool:
    """Whether UTF-8 can write it."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def significant(value: float, digits: int) -> float:
    """The value to so many digits; a half is rounded up, as JavaScript does."""
    return float(Context(prec=digits, rounding=ROUND_HALF_UP).create_decimal_from_float(value))


def plain(value: float, digits: int) -> str:
    """A number with so many digits that count, thousands apart.

    >>> plain(12345.6, 4), plain(0.00123456, 4), plain(3.0, 4), plain(1.5e-9, 4)
    ('12,350', '0.001235', '3', '1.50e-9')
    """
    size = abs(value)
    if size and not 1e-5 <= size < 1e9:
        mantissa, _, exponent = f"{value:.2e}".partition("e")
        return f"{mantissa}e{int(exponent):+d}"
    text = f"{significant(value, digits):,.10f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def score(value: float) -> str:
    """A score: four digits that count."""
    return plain(value, 4)


def amount(value: float) -> str:
    """A number of documents: whole, or with weights to four digits.

    >>> amount(18846), amount(2.25)
    ('18,846', '2.25')
    """
    return f"{int(value):,}" if float(value).is_integer() else plain(value, 4)


def share(value: float) -> str:
    """A share in per cent: three digits that count.

    >>> share(0.03125), share(1)
    ('3.13%', '100%')
    """
    return f"{plain(100 * value, 3)}%"
