"""The JMH divergence and algorithm 1 of Tang, Kay and He (2016) once more: plain, slow, from the definitions.

Shares are fractions and logarithms have 40 digits, so that what is equal comes out equal to 30.
Written from the paper, never from termsift's own code.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

import termsift as ts

Shares = list[list[Fraction]]
EQUAL = Decimal("1e-30")


def shares(counts: ts.Counts) -> tuple[Shares, list[Fraction]]:
    """p of each term in each class that has documents (eq. 3), and the sizes of these classes."""
    filled = [c for c, size in enumerate(counts.class_sizes) if size]
    tf = counts.tf.toarray()
    lengths = {c: sum(Fraction(float(x)) for x in tf[:, c]) for c in filled}
    p = [[(Fraction(float(row[c])) + 1) / (lengths[c] + len(tf)) for c in filled] for row in tf]
    return p, [Fraction(float(counts.class_sizes[c])) for c in filled]


def beside(p: list[Fraction], sizes: list[Fraction], c: int) -> Fraction:
    """The mixture of the other classes (eq. 21 and 22)."""
    others = [k for k in range(len(sizes)) if k != c]
    return sum(sizes[k] * p[k] for k in others) / sum(sizes[k] for k in others)


def part(counts: ts.Counts, p: list[Fraction], sizes: list[Fraction]) -> Decimal:
    """What one variable adds to eq. 12 and 21: p log(p/q), over the classes."""
    return sum((kl_part(p[c], beside(p, sizes, c)) for c in told(counts)), Decimal(0))


def jmh(counts: ts.Counts, chosen: Sequence[int]) -> Decimal:
    """Eq. 21 and 26: the chosen terms, and one variable for all others."""
    p, sizes = shares(counts)
    pool = [1 - sum(p[t][c] for t in chosen) for c in range(len(sizes))]
    with localcontext(prec=40):
        return sum(
            (part(counts, variable, sizes) for variable in [*(p[t] for t in chosen), pool]), Decimal(0)
        )


def told(counts: ts.Counts) -> list[int]:
    """The classes with documents, but for those that hold all."""
    filled = [size for size in counts.class_sizes if size]
    return [c for c, size in enumerate(filled) if size < counts.documents]


def kl_part(p: Fraction, q: Fraction) -> Decimal:
    """p log(p/q), 0 for p = q = 0."""
    if p == q:
        return Decimal(0)
    return as_decimal(p) * as_decimal(p / q).ln()


def as_decimal(x: Fraction) -> Decimal:
    return Decimal(x.numerator) / Decimal(x.denominator)


def greedy(counts: ts.Counts, k: int) -> list[int]:
    """Algorithm 1; ties by document frequency, then by term; terms of no document come last.

    The parts of the terms already chosen are the same for every candidate, so they are left out.
    """

    def tie_rule(t: int) -> tuple[float, str]:
        return -counts.term_df[t], counts.terms[t]

    p, sizes = shares(counts)
    left = [t for t in range(len(p)) if counts.term_df[t] > 0]
    never = sorted(set(range(len(p))) - set(left), key=tie_rule)
    chosen: list[int] = []
    pool = [Fraction(1)] * len(sizes)
    with localcontext(prec=40):
        own = [part(counts, variable, sizes) for variable in p]
        while left and len(chosen) < k:
            values = {t: own[t] + part(counts, without(pool, p[t]), sizes) for t in left}
            most = max(values.values())
            chosen.append(min((t for t in left if most - values[t] <= EQUAL), key=tie_rule))
            left.remove(chosen[-1])
            pool = without(pool, p[chosen[-1]])
    return [*chosen, *never][:k]


def without(pool: list[Fraction], p: list[Fraction]) -> list[Fraction]:
    return [whole - share for whole, share in zip(pool, p, strict=True)]
