"""References of metrics within strata, by plain loops over the documents of each stratum."""

import math
from collections.abc import Sequence
from fractions import Fraction

Table = tuple[int, int, int, int]


def strata_tables(
    documents: Sequence[set[str]], labels: Sequence[object], groups: Sequence[object], term: str, name: object
) -> list[Table]:
    """(A, B, C, D) of a term and a class in each group."""
    tables = {}
    for words, label, group in zip(documents, labels, groups, strict=True):
        table = tables.setdefault(group, [0, 0, 0, 0])
        table[(label != name) + 2 * (term not in words)] += 1
    return [tuple(table) for table in tables.values()]


def cmh(*tables: Table) -> float:
    """The sum of A - E in its standard deviations."""
    excess, variance = Fraction(0), Fraction(0)
    for a, b, c, d in tables:
        n, pos, df = a + b + c + d, a + c, a + b
        excess += a - Fraction(pos * df, n)
        if n > 1:
            variance += Fraction(pos * (n - pos) * df * (n - df), n * n * (n - 1))
    return float(excess) / math.sqrt(variance) if variance else 0.0


def mh_odds(*tables: Table) -> float:
    """The log of the quotient of the two sums; halves in every cell of telling strata where one is empty."""
    telling = [t for t in tables if (t[0] + t[2]) * (t[1] + t[3]) * (t[0] + t[1]) * (t[2] + t[3])]
    side = Fraction(0)
    for more in (Fraction(0), Fraction(1, 2)):
        cells = [[cell + more for cell in table] for table in telling]
        ad = sum((a * d / (a + b + c + d) for a, b, c, d in cells), Fraction(0))
        bc = sum((b * c / (a + b + c + d) for a, b, c, d in cells), Fraction(0))
        if ad and bc:
            return 0.0 if side * (ad - bc) < 0 else math.log(ad / bc)
        side = ad - bc
    return 0.0
