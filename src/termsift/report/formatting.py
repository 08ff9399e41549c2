"""Formatting of numbers and names on pages; assets/format.js does the same in JavaScript."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context

from termsift._internal.tables import NEARLY_ZERO, Table

MAX_NAME_BYTES = 100  # a term or class name may be a complete text; pages show its beginning


def round_table(table: Table) -> Table:
    """Round the float columns of a table to three decimals."""
    columns = table.columns.items()
    return Table({name: column.round(3) if column.dtype.kind == "f" else column for name, column in columns})


def clip_name(name: object, max_bytes: int = MAX_NAME_BYTES) -> str:
    """Convert a name to text of at most `max_bytes` bytes; lone surrogates become question marks.

    >>> clip_name("x" * 200) == "x" * 97 + "…"
    True
    """
    encoded = str(name).encode("utf-8", "replace")
    if len(encoded) <= max_bytes:
        return encoded.decode()
    return encoded[: max_bytes - 3].decode("utf-8", "ignore") + "…"


def format_number(value: float, significant_digits: int) -> str:
    """Format a number with this many significant digits and thousands separators.

    >>> format_number(12345.6, 4), format_number(0.00123456, 4), format_number(3.0, 4)
    ('12,350', '0.001235', '3')
    >>> format_number(1.5e-9, 4)
    '1.50e-9'
    """
    size = abs(value)
    if size and not 1e-5 <= size < 1e9:
        mantissa, _, exponent = f"{value:.2e}".partition("e")
        return f"{mantissa}e{int(exponent):+d}"
    # JavaScript's toPrecision rounds halves up, Python's format to even
    rounded = float(Context(prec=significant_digits, rounding=ROUND_HALF_UP).create_decimal_from_float(value))
    text = f"{rounded:,.10f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def format_score(value: float) -> str:
    """Format a score with four significant digits."""
    return format_number(value, 4)


def format_p(value: float) -> str:
    """Format a p- or q-value; 0 stands for one that is too small to be computed.

    >>> format_p(0.0), format_p(0.0123)
    ('<1e-290', '0.0123')
    """
    return format_score(value) if value else NEARLY_ZERO


def format_count(value: float) -> str:
    """Format a number of documents; weighted sums get four significant digits.

    >>> format_count(18846), format_count(2.25)
    ('18,846', '2.25')
    """
    return f"{int(value):,}" if float(value).is_integer() else format_number(value, 4)


def format_count_and_share(count: float, total: float) -> str:
    """Format a number of documents with its share of a total.

    >>> format_count_and_share(137, 417)
    '137 (32.9%)'
    """
    return f"{format_count(count)} ({format_percent(count / total if total else 0.0)})"


def format_percent(share: float) -> str:
    """Format a share as a percentage with three significant digits.

    >>> format_percent(0.03125), format_percent(1)
    ('3.13%', '100%')
    """
    return f"{format_number(100 * share, 3)}%"
