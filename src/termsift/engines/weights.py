"""Sums of weights that do not depend on who adds first, and in which order.

A weight is the sum of chunks of 20 bits, chunk times 2 ** (20 level). Chunks are whole, sums of whole numbers
are the same in any order, and they are rounded once, at the end. 43 bits are left for the sum over documents;
a float of 53 bits has at most four chunks. Every engine counts each level by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift._typing import Array, as_terms, exact, exact_number
from termsift.border.class_names import sorted_classes
from termsift.counts import Counts
from termsift.engines.accumulator import Accumulator, BatchSums
from termsift.errors import InvalidInput
from termsift.text.lexicon import Lexicon

BITS = 20  # of a chunk
MOST = 2.0**42  # of the sum of squared counts, which a chunk multiplies, within 64 bits


def levels(weights: Array) -> dict[int, Array]:
    """For each level the chunks of the weights, int64; one level at least.

    >>> {level: chunks.tolist() for level, chunks in levels(np.array([1.0, 2.5])).items()}
    {0: [1, 2], -1: [0, 524288]}
    """
    chunks: dict[int, Array] = {}
    rest = weights.copy()
    while rest.any():
        level = (int(np.frexp(rest.max())[1]) - 1) // BITS
        # what is far smaller waits for its level: scaled down from here it would lose its last bits
        reached = np.flatnonzero(rest >= np.ldexp(1.0, BITS * level))
        scaled = np.ldexp(rest[reached], -BITS * level)
        chunks[level] = np.zeros(len(weights), dtype=np.int64)
        chunks[level][reached] = np.floor(scaled)
        rest[reached] = np.ldexp(scaled - np.floor(scaled), BITS * level)
    return chunks or {0: np.zeros(len(weights), dtype=np.int64)}


def weight_levels(weights: Array, counts: Array) -> dict[int, Array]:
    """The weights to count with, by level; no weights, and those of counts that are not whole, as they are.

    Where counts are so large that their sums could leave 64 bits, chunks are floats.
    """
    if not weights.size or counts.dtype.kind != "i":
        return {0: weights}
    large = squares(counts) >= MOST
    return {level: own.astype(np.float64) if large else own for level, own in levels(weights).items()}


def squares(counts: Array) -> float:
    """The sum of the squares."""
    numbers = counts.astype(np.float64)
    return float(numbers @ numbers)


class LevelSums:
    """An accumulator for each level of the weights, of one lexicon; one of level 0 where there are none."""

    def __init__(self, low: int, lexicon: Lexicon | None = None) -> None:
        self.low = low
        self.lexicon = Lexicon() if lexicon is None else lexicon
        self.by_level: dict[int, Accumulator] = {}
        self.largest: dict[int, float] = {}

    def add(self, parts: dict[int, BatchSums]) -> None:
        """Add the parts of a batch, which have one lexicon."""
        words = next(iter(parts.values())).lexicon
        tokens, nodes = self.lexicon.absorb(words)
        self.lexicon.stops = words.stops
        self.take(parts, tokens, nodes)

    def take(self, parts: dict[int, BatchSums], tokens: Array, nodes: Array) -> None:
        """Add the parts of a batch, given what its tokens and n-grams are called here."""
        for level, part in parts.items():
            sums = self.by_level.setdefault(level, Accumulator(self.low, self.lexicon))
            sums.take(part, tokens, nodes)
            most = sum(float(tf2.max(initial=0)) for *_, tf2 in part.by_class.values())
            self.largest[level] = self.largest.get(level, 0) + most
            # what could leave 64 bits is added as floats
            sums.whole &= self.largest[level] < 2.0**62

    @property
    def nbytes(self) -> int:
        """The memory the words and the sums take."""
        return sum(sums.nbytes for sums in self.by_level.values())

    def compact(self) -> None:
        """Add the parts of each class and level."""
        for sums in self.by_level.values():
            sums.compact()

    def clear(self) -> None:
        """Let words and sums go; what is known of the documents stays."""
        self.lexicon = Lexicon()
        for sums in self.by_level.values():
            sums.clear()
            sums.lexicon = self.lexicon

    def counts(self, of: Callable[[int, Accumulator], Counts]) -> Counts:
        """The counts of all levels, each as the function has them; what is held is given up."""
        self.lexicon = Lexicon()
        by_level = self.by_level or {0: Accumulator(self.low)}
        return joined_counts({level: of(level, sums) for level, sums in by_level.items()})


def joined_counts(by_level: dict[int, Counts]) -> Counts:
    """The counts of all levels as those of the weights."""
    if list(by_level) == [0]:
        return by_level[0]
    numbers, parts = list(by_level), list(by_level.values())
    terms, rows = joined_terms([part.terms for part in parts])
    classes, columns = joined_classes([part.classes for part in parts])
    keys, cells = joined_cells(cell_keys(parts, rows, columns, len(classes)))
    ends = np.searchsorted(keys, np.arange(len(terms) + 1) * len(classes))

    def joined(name: str, places: Array, size: int) -> Array:
        values = [np.atleast_1d(getattr(part, name)) for part in parts]
        return level_sums(numbers, values, places, size)

    def table(name: str) -> csr_array[Any]:
        data = level_sums(numbers, [getattr(part, name).data for part in parts], cells, len(keys))
        return csr_array((data, keys % max(len(classes), 1), ends), shape=(len(terms), len(classes)))

    in_rows, in_columns = np.concatenate(rows), np.concatenate(columns)
    return Counts(
        terms,
        classes,
        exact_number(joined("documents", np.zeros(len(parts), dtype=np.int64), 1)[0]),
        joined("class_sizes", in_columns, len(classes)),
        table("df"),
        table("tf"),
        table("tf2"),
        joined("term_df", in_rows, len(terms)),
        joined("term_tf", in_rows, len(terms)),
        joined("term_tf2", in_rows, len(terms)),
        parts[0].analyzer,
    )


def level_sums(numbers: list[int], values: list[Array], places: Array, size: int) -> Array:
    """The sums by place of the values of each level, (size,)."""
    level = np.repeat(numbers, [len(own) for own in values])
    return exact(sums_of_levels(np.concatenate(values), level, places, size))


def cell_keys(parts: list[Counts], rows: list[Array], columns: list[Array], n_classes: int) -> list[Array]:
    """For each part a number for each of its cells, the same for the same term and class."""
    return [
        np.repeat(own_rows, np.diff(part.df.indptr)) * n_classes + own_columns[part.df.indices]
        for part, own_rows, own_columns in zip(parts, rows, columns, strict=True)
    ]


def joined_cells(of_levels: list[Array]) -> tuple[Array, Array]:
    """The keys of all levels in order, and the places of each level's own, one level after the other."""
    every = np.concatenate(of_levels)
    most = max(of_levels, key=len)  # mostly that of all: a cell is missing where all its chunks are 0
    if (np.diff(most) > 0).all():
        cells = np.minimum(np.searchsorted(most, every), max(len(most) - 1, 0))
        if np.array_equal(most[cells], every):
            return most, cells
    keys, cells = np.unique(every, return_inverse=True)
    return keys, cells


def joined_classes(of_levels: list[tuple[Any, ...]]) -> tuple[tuple[Any, ...], list[Array]]:
    """The classes of all levels, sorted unless they are the same, and the places of each's own."""
    same = all(classes == of_levels[0] for classes in of_levels)
    classes = of_levels[0] if same else sorted_classes(name for own in of_levels for name in own)
    place = {name: c for c, name in enumerate(classes)}
    return classes, [np.array([place[name] for name in own], dtype=np.int64) for own in of_levels]


def joined_terms(of_levels: list[Array]) -> tuple[Array, list[Array]]:
    """The terms of all levels, in code-point order unless they are the same, and the places of each's own."""
    first = of_levels[0]
    if all(np.array_equal(terms, first) for terms in of_levels):
        return first, [np.arange(len(first))] * len(of_levels)
    names = sorted({name for terms in of_levels for name in terms.tolist()})
    place = {name: i for i, name in enumerate(names)}
    places = [np.array([place[name] for name in terms.tolist()], dtype=np.int64) for terms in of_levels]
    return as_terms(names), places


def sums_of_levels(values: Array, level: Array, place: Array, size: int) -> Array:
    """The sums of chunks by place, (size,): added exactly, then rounded once to float64."""
    if values.dtype.kind == "f":
        total = np.zeros(size)
        np.add.at(total, place, np.ldexp(values, BITS * level))
        return total
    lowest, highest = (int(level.min()), int(level.max())) if len(level) else (0, 0)
    within = sums_of_three(values, level - lowest, place, size) if highest - lowest < 3 else None
    if within is not None:
        return finite(np.ldexp(within, BITS * lowest))
    # three digits more hold what is carried, and three below, which are 0, what rounding looks at
    digits = np.zeros((highest - lowest + 8, size), dtype=np.int64)
    np.add.at(digits, (level - lowest + 4, place), values)
    for i in range(4, len(digits) - 1):
        digits[i + 1] += digits[i] >> BITS
        digits[i] &= (1 << BITS) - 1
    return rounded(digits, BITS * (lowest - 4))


def sums_of_three(values: Array, level: Array, place: Array, size: int) -> Array | None:
    """The sums of chunks of levels 0 to 2; None where two floats do not hold one.

    Two floats hold each sum, its last 40 bits and what is above them, and adding them is the one rounding.
    """
    chunks = np.zeros((3, size), dtype=np.int64)
    np.add.at(chunks, (level, place), values)
    low = chunks[0] + ((chunks[1] & ((1 << BITS) - 1)) << BITS)
    high = chunks[2] + (chunks[1] >> BITS) + (low >> 2 * BITS)
    if high.max(initial=0) >= 2**53:
        return None
    total: Array = high * 2.0 ** (2 * BITS) + (low & ((1 << 2 * BITS) - 1))
    return total


def rounded(digits: Array, exponent: int) -> Array:
    """Numbers of digits of 20 bits, the lowest first and the last of them times 2 ** exponent, as float64.

    The first 61 bits, and whether anything follows them, decide how a number is rounded to 53.
    """
    each = np.arange(digits.shape[1])
    first = np.maximum(len(digits) - 1 - np.argmax(digits[::-1] > 0, axis=0), 4)
    head = (digits[first, each] << 2 * BITS) + (digits[first - 1, each] << BITS) + digits[first - 2, each]
    more = np.minimum(BITS, 2 + BITS - np.frexp(digits[first, each].astype(np.float64))[1]).astype(np.int64)
    following = digits[first - 3, each]
    head = (head << more) + (following >> BITS - more)
    below = np.cumsum(digits, axis=0)[first - 4, each] > 0
    rest = below | ((following & ((1 << BITS - more) - 1)) > 0)
    return finite(np.ldexp((head | rest).astype(np.float64), exponent + BITS * (first - 2) - more))


def finite(values: Array) -> Array:
    """The sums; they are refused where one is beyond every number."""
    if not np.isfinite(values).all():
        raise InvalidInput("sample_weight is so large that sums of it are beyond every number")
    return values
