"""Numbers and names as a page writes them; written.js writes them alike."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context

from termsift._internal.tables import Table


def three_digits(table: Table) -> Table:
    """Figures to three digits after the point."""
    return Table(
        {name: own.round(3) if own.dtype.kind == "f" else own for name, own in table.columns.items()}
    )


# bytes: a term or a name may be a whole text, and a page shows its beginning
LONGEST = 100


def clipped(name: object, most: int = LONGEST) -> str:
    """A name as text, cut where it is very long; what UTF-8 cannot write is a question mark.

    >>> clipped("x" * 200) == "x" * 97 + "…"
    True
    """
    written = str(name).encode("utf-8", "replace")
    if len(written) <= most:
        return written.decode()
    return written[: most - 3].decode("utf-8", "ignore") + "…"


def significant(value: float, digits: int) -> float:
    """The value to so many digits; a half is rounded up, as JavaScript does."""
    return float(Context(prec=digits, rounding=ROUND_HALF_UP).create_decimal_from_float(value))


def plain_number(value: float, digits: int) -> str:
    """A number with so many digits that count, thousands apart.

    >>> plain_number(12345.6, 4), plain_number(0.00123456, 4), plain_number(3.0, 4), plain_number(1.5e-9, 4)
    ('12,350', '0.001235', '3', '1.50e-9')
    """
    size = abs(value)
    if size and not 1e-5 <= size < 1e9:
        mantissa, _, exponent = f"{value:.2e}".partition("e")
        return f"{mantissa}e{int(exponent):+d}"
    text = f"{significant(value, digits):,.10f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def score_text(value: float) -> str:
    """A score: four digits that count."""
    return plain_number(value, 4)


def amount_text(value: float) -> str:
    """A number of documents: whole, or with weights to four digits.

    >>> amount_text(18846), amount_text(2.25)
    ('18,846', '2.25')
    """
    return f"{int(value):,}" if float(value).is_integer() else plain_number(value, 4)


def share_text(value: float) -> str:
    """A share in per cent: three digits that count.

    >>> share_text(0.03125), share_text(1)
    ('3.13%', '100%')
    """
    return f"{plain_number(100 * value, 3)}%"


def interval_text(low: float, high: float) -> str:
    """An interval in words.

    >>> interval_text(-1.25, 0.5)
    '-1.25 to 0.5'
    """
    return f"{score_text(low)} to {score_text(high)}"
