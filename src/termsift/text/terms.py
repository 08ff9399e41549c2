"""Terms as bytes, and the vocabulary that numbers them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from termsift._typing import Array as Array

NEW_LINE = 10
LONG = 64  # bytes
SEPARATORS = (NEW_LINE, 30, 31, 0)


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """Terms as bytes: term t is arena[ends[t - 1]:ends[t]]."""

    arena: Array
    ends: Array

    def __len__(self) -> int:
        return len(self.ends)

    def tolist(self) -> list[str]:
        """The terms as str."""
        return self.named(np.arange(len(self)))

    def named(self, chosen: Array) -> list[str]:
        """Some of the terms as str."""
        from termsift.text._lexicon_kernel import lines

        separator = next((c for c in SEPARATORS if not bool((self.arena == c).any())), None)
        if separator is not None:
            # one call that splits at a character that no term holds is much quicker than one a term
            joined: bytes = lines(self.arena, self.ends, chosen, separator).tobytes()
            return joined.decode().split(chr(separator))[:-1]
        raw, edges = self.arena.tobytes(), [0, *self.ends.tolist()]
        return [raw[edges[t] : edges[t + 1]].decode() for t in chosen.tolist()]

    def order(self) -> Array:
        """The indices that put the terms into code-point order, which is the order of their bytes.

        First by the first eight as one number, then, where those tie, by the next eight, and so on.
        """
        from termsift.text._lexicon_kernel import words_at

        order, tied = np.arange(len(self)), np.arange(len(self))
        group, at = np.zeros(len(self), dtype=np.int64), 0
        width = np.diff(self.ends, prepend=0)
        while len(tied) and at < LONG:
            rest = order[tied]
            key, left = words_at(self.arena, self.ends, rest, at), np.minimum(width[rest] - at, 9)
            inner = np.argsort(key) if at == 0 else np.lexsort((left, key, group))
            order[tied] = rest[inner]
            group, open_ones = parted(group[inner], key[inner], left[inner], at)
            tied, group, at = tied[open_ones], group[open_ones], at + 8
        if len(tied):
            order[tied] = self.sorted_by_bytes(order[tied], group)
        return order

    def sorted_by_bytes(self, chosen: Array, group: Array) -> list[int]:
        """Terms in the order of their groups, then of their bytes, by Python: for few and long ones."""
        raw, ends = self.arena.tobytes(), self.ends.tolist()
        keyed = [
            (g, raw[ends[t - 1] if t else 0 : ends[t]], t)
            for g, t in zip(group.tolist(), chosen.tolist(), strict=True)
        ]
        return [t for _, _, t in sorted(keyed)]


def parted(group: Array, key: Array, left: Array, at: int) -> tuple[Array, Array]:
    """Groups of terms that are equal so far, and which terms are in one with others.

    A term that ends within these eight bytes is before all that go on, and is told from those that end
    there too by its length, since zeros stand for bytes it does not have.
    """
    same = (group[1:] == group[:-1]) & (key[1:] == key[:-1])
    if at:
        same &= (left[1:] == left[:-1]) & (left[1:] == 9)
    is_first = np.concatenate([[True], ~same])
    open_ones = ~is_first
    open_ones[:-1] |= same
    return np.cumsum(is_first), open_ones


class Vocabulary:
    """Terms numbered in the order they came, found by their hash. `sizes` holds (bytes used, terms)."""

    def __init__(self) -> None:
        self.sizes = np.zeros(2, dtype=np.int64)
        self.arena = np.empty(1 << 16, dtype=np.uint8)
        self.rows = np.empty((0, 4), dtype=np.int64)
        self.make_room(1 << 13)

    def __len__(self) -> int:
        return int(self.sizes[1])

    @property
    def terms(self) -> Terms:
        """The terms so far."""
        rows = self.rows[: len(self)]
        return Terms(self.arena[: self.sizes[0]], rows[:, 0] + rows[:, 1])

    def make_room(self, capacity: int) -> None:
        """Room for so many terms."""
        from termsift.text._lexicon_kernel import rehash

        self.rows = longer(self.rows, capacity)
        self.table = np.full((2 * capacity, 2), -1, dtype=np.int64)
        rehash(self.rows, len(self), self.table)

    def double(self) -> None:
        """Twice the room, for terms and for their bytes."""
        self.make_room(2 * len(self.rows))
        self.arena = longer(self.arena, 2 * len(self.arena))

    def add(self, terms: Terms) -> Array:
        """The numbers of some terms, added where they are new."""
        from termsift.text._lexicon_kernel import rows_of

        rows = np.empty((len(terms), 4), dtype=np.int64)
        rows_of(terms.arena, terms.ends, rows)
        return self.absorb(terms.arena, rows)

    def absorb(self, arena: Array, rows: Array) -> Array:
        """The numbers of the terms of another vocabulary, added where they are new."""
        from termsift.text._lexicon_kernel import absorb

        if len(self) + len(rows) > len(self.rows):
            self.make_room(power_of_two(len(self) + len(rows)))
        if self.sizes[0] + len(arena) > len(self.arena):
            self.arena = longer(self.arena, power_of_two(int(self.sizes[0]) + len(arena)))
        number = np.empty(len(rows), dtype=np.int32)
        absorb(arena, rows, number, self.arena, self.rows, self.table, self.sizes)
        return number


def longer(old: Array, capacity: int, fill: int | None = None) -> Array:
    """A longer array that begins as the old one does."""
    shape = (capacity, *old.shape[1:])
    new = np.empty(shape, dtype=old.dtype) if fill is None else np.full(shape, fill, dtype=old.dtype)
    new[: len(old)] = old
    return new


def power_of_two(n: int) -> int:
    """The least power of two that is at least n, and at least 2."""
    return 1 << max(n - 1, 1).bit_length()


def terms_of(words: Sequence[bytes]) -> Terms:
    """Words as one run of bytes."""
    ends = np.cumsum([len(word) for word in words], dtype=np.int64)
    return Terms(np.frombuffer(b"".join(words), dtype=np.uint8), ends)
