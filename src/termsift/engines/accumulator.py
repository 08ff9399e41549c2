"""Sums by class, as the kernels give them, become Counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csc_array, csr_array

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array, as_terms, exact, exact_number
from termsift.counts import Counts, sorted_classes
from termsift.text import Lexicon, Ranked, recoded

# (terms, df, tf, tf2) of one class, ascending by term
Sums: TypeAlias = tuple[Array, Array, Array, Array]


def emptied(df: Array, tf: Array, tf2: Array, touched: Array, n: int) -> Sums:
    """The sums of the n touched terms, ascending by term; the scratch that held them is zero again."""
    if n * 16 >= df.size:
        return emptied_in_order(df, tf, tf2, touched.dtype, n)
    terms = np.sort(touched[:n])
    sums = terms, df[terms], tf[terms], tf2[terms]
    for part in (df, tf, tf2):
        part[terms] = 0
    return sums


def emptied_in_order(df: Array, tf: Array, tf2: Array, kind: Any, n: int) -> Sums:
    """The same by one pass over all terms."""
    from termsift.engines._sums_kernel import move_sums

    terms = np.empty(n, dtype=kind)
    own_df, own_tf, own_tf2 = (np.empty(n, dtype=part.dtype) for part in (df, tf, tf2))
    move_sums(df, tf, tf2, terms, own_df, own_tf, own_tf2)
    return terms, own_df, own_tf, own_tf2


def summed_counts(
    terms: Array,
    classes: tuple[Any, ...],
    documents: float,
    sizes: Iterable[float],
    columns: list[Sums],
    every: Sums | None,
    analyzer: str | None,
) -> Counts:
    """Counts of the sums of each class and of every document; None where the classes add up to those."""
    tables = class_tables(columns, len(terms))
    df, tf, tf2 = map(class_totals, tables) if every is None else laid_out_sums(every, len(terms))
    head = terms, classes, exact_number(documents), exact(np.asarray(sizes))
    return Counts(*head, *tables, df, tf, tf2, analyzer)


def class_tables(columns: list[Sums], size: int) -> tuple[csr_array[Any], csr_array[Any], csr_array[Any]]:
    """Sums that stand class by class as three sparse tables of terms x classes with one pattern."""
    starts = np.concatenate([[0], np.cumsum([len(column[0]) for column in columns], dtype=np.int64)])
    shape = (size, len(columns))
    by_term = csc_array((np.arange(starts[-1]), joined_column(columns, 0), starts), shape=shape).tocsr()
    df, tf, tf2 = (
        csr_array(
            (exact(joined_column(columns, i)[by_term.data]), by_term.indices, by_term.indptr), shape=shape
        )
        for i in (1, 2, 3)
    )
    return df, tf, tf2


def joined_column(columns: list[Sums], i: int) -> Array:
    """The i-th arrays of the columns, one after the other."""
    return np.concatenate([column[i] for column in columns]) if columns else np.zeros(0, dtype=np.int64)


def class_totals(table: csr_array[Any]) -> Array:
    """The sums over the classes, one class after the other, as a full vector."""
    return exact(table @ np.ones(table.shape[1], dtype=table.dtype))


def laid_out_sums(sums: Sums, size: int) -> Iterator[Array]:
    """Sums of some terms, each as a full vector."""
    terms, *values = sums
    for value in values:
        total = np.zeros(size, dtype=value.dtype)
        total[terms] = value
        yield exact(total)


@dataclass(frozen=True, slots=True, eq=False)
class BatchSums:
    """The sums of one batch.

    lexicon : its tokens and n-grams
    by_class : for each class name its (codes, df, tf, tf2), codes of the lexicon
    every : the same over all documents; None where each is in one class, so that the classes add up to it
    sizes : for each class name its documents, or the sum of their weights; documents : of all
    """

    lexicon: Lexicon
    by_class: dict[Any, Sums]
    every: Sums | None
    sizes: dict[Any, float]
    documents: float


class Accumulator:
    """Parts that add up; terms are of at least `low` tokens."""

    def __init__(self, low: int, lexicon: Lexicon | None = None) -> None:
        self.low = low
        self.lexicon = Lexicon() if lexicon is None else lexicon
        self.single = True
        self.by_class: dict[Any, list[Sums]] = {}
        self.every: list[Sums] = []
        self.whole = True
        self.sizes: dict[Any, float] = {}
        self.documents: float = 0
        self.sums_bytes = 0

    def add(self, part: BatchSums) -> None:
        """Add a part."""
        tokens, nodes = self.lexicon.absorb(part.lexicon)
        self.lexicon.stops = part.lexicon.stops
        self.take(part, tokens, nodes)

    def take(self, part: BatchSums, tokens: Array, nodes: Array) -> None:
        """Add the sums of a part, given what its tokens and n-grams are called here."""

        def here(sums: Sums) -> Sums:
            codes, df, tf, tf2 = sums
            self.whole &= df.dtype.kind == "i"
            return recoded(codes, tokens, -1 - nodes), df, tf, tf2

        moved = {name: here(sums) for name, sums in part.by_class.items()}
        for name, sums in moved.items():
            self.by_class.setdefault(name, []).append(sums)
        self.single &= part.every is None
        every = list(moved.values()) if part.every is None else [here(part.every)]
        self.every += every
        self.sums_bytes += bytes_of([*moved.values(), *([] if part.every is None else every)])
        for name, size in part.sizes.items():
            self.sizes[name] = self.sizes.get(name, 0) + size
        self.documents += part.documents

    @property
    def nbytes(self) -> int:
        """The memory the words and the sums take."""
        words, tokens = self.lexicon, self.lexicon.tokens
        arrays: list[Array] = [tokens.arena, tokens.rows, tokens.table]
        arrays += [words.parents, words.lasts, words.pairs]
        return self.sums_bytes + sum(array.nbytes for array in arrays)

    def compact(self) -> None:
        """Add the parts of each class, so that a term stands once in each."""
        n_tokens = len(self.lexicon.tokens)
        adder, ranked = self.unsorted()

        def one(parts: list[Sums]) -> list[Sums]:
            places, df, tf, tf2 = adder.of(parts, ranked)
            return [narrow((np.where(places < n_tokens, places, n_tokens - 1 - places), df, tf, tf2))]

        self.by_class = {name: one(parts) for name, parts in self.by_class.items()}
        own = [sums for parts in self.by_class.values() for sums in parts]
        self.every = own if self.single else one(self.every)
        self.sums_bytes = bytes_of(own if self.single else own + self.every)

    def unsorted(self) -> tuple[Adder, Ranked]:
        """What adds parts in no order: tokens and n-grams are at their own numbers, tokens first."""
        n_tokens, n_nodes = len(self.lexicon.tokens), int(self.lexicon.size[0])
        every = np.arange(n_tokens + n_nodes, dtype=np.int32)
        return Adder(len(every), self.whole), Ranked([], every[:n_tokens], every[n_tokens:])

    def counts(self, analyzer: str | None, classes: tuple[Any, ...] | None = None) -> Counts:
        """The counts of all parts, terms in code-point order; classes sorted, unless they are given.

        The accumulator gives up what it holds.
        """
        classes = sorted_classes(self.sizes) if classes is None else classes
        sizes = [self.sizes.get(name, 0) for name in classes]
        ranked, self.lexicon = self.lexicon.ranked(self.low), Lexicon()
        terms, adder = as_terms(ranked.names), Adder(len(ranked.names), self.whole)
        every = None if self.single else adder.of(self.every, ranked)
        self.every.clear()
        columns = [adder.of(self.by_class.pop(name, []), ranked) for name in classes]
        return found_somewhere(summed_counts(terms, classes, self.documents, sizes, columns, every, analyzer))

    def clear(self) -> None:
        """Let words and sums go; what is known of the documents stays."""
        self.lexicon, self.by_class, self.every, self.sums_bytes = Lexicon(), {}, [], 0


class Adder:
    """The kernel that adds parts, with its scratch arrays."""

    def __init__(self, size: int, whole: bool) -> None:
        self.kind = np.int64 if whole else np.float64
        self.scratch = [np.zeros(size, dtype=self.kind) for _ in range(3)]
        self.touched = np.empty(size, dtype=np.int32)

    def of(self, parts: list[Sums], ranked: Ranked) -> Sums:
        """The sum of some parts, terms by their place, ascending."""
        from termsift.engines._sums_kernel import add_part

        n = 0
        for codes, df, tf, tf2 in parts:
            n = add_part(ranked.places(codes), df, tf, tf2, *self.scratch, self.touched, n)
        df, tf, tf2 = self.scratch
        return emptied(df, tf, tf2, self.touched, n)


def bytes_of(parts: list[Sums]) -> int:
    """The memory that sums take."""
    return sum(array.nbytes for part in parts for array in part)


def narrow(sums: Sums) -> Sums:
    """The same sums in half the memory, where they are whole and small enough."""
    codes, df, tf, tf2 = sums
    # no sum is above that of the squares
    if df.dtype.kind != "i" or tf2.max(initial=0) >= 2**31:
        return codes.astype(np.int32), df, tf, tf2
    return codes.astype(np.int32), df.astype(np.int32), tf.astype(np.int32), tf2.astype(np.int32)


def found_somewhere(counts: Counts) -> Counts:
    """The counts without terms that only documents of no weight hold."""
    found = counts.term_df > 0
    return counts if found.all() else counts.keep(np.flatnonzero(found))


def class_sums(
    rows: csr_array[Any], least: Any, most: Any, weights: Array, documents: Array, kind: Any
) -> tuple[Sums, int]:
    """The sums of some documents, and the place of a bad value, or -1."""
    at = entries_of(rows.indptr, documents)
    lengths = np.diff(rows.indptr)[documents]
    value = rows.data[at]
    weight = np.repeat(weights[documents], lengths) if weights.size else np.ones(len(at), dtype=kind)
    used = (value != 0) & (weight != 0)
    at, value, weight = at[used], value[used], weight[used]
    strange = np.flatnonzero(~((value >= least) & (value <= most)))
    if strange.size:
        return (at[:0], value[:0], value[:0], value[:0]), int(at[strange[0]])
    terms, place = np.unique(rows.indices[at], return_inverse=True)
    sums = [np.zeros(len(terms), dtype=kind) for _ in range(3)]
    for total, part in zip(sums, (weight, weight * value, weight * value * value), strict=True):
        np.add.at(total, place, part)
    return (terms.astype(np.int64), sums[0], sums[1], sums[2]), -1


def entries_of(indptr: Array, documents: Array) -> Array:
    """The places of all entries of some documents, document by document."""
    starts, lengths = indptr[documents].astype(np.int64), np.diff(indptr)[documents].astype(np.int64)
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(lengths.sum())


def repeats(indptr: Array, indices: Array, size: int) -> bool:
    """Whether a row holds a column twice, of `size` columns."""
    row = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    keys = row * size + indices[: len(row)]
    return len(np.unique(keys)) < len(keys)


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
        raise InvalidInputError("sample_weight is so large that sums of it are beyond every number")
    return values
