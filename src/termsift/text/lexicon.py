"""Terms as bytes, and the vocabulary that numbers them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from termsift._internal.typing import Array
from termsift.text.analyzer import replace_surrogates

NEWLINE = 10
LONG = 64  # bytes
SEPARATORS = (NEWLINE, 30, 31, 0)


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
        from termsift.text._lexicon_kernel import join_terms

        separator = next((c for c in SEPARATORS if not bool((self.arena == c).any())), None)
        if separator is not None:
            # one call that splits at a character that no term holds is much quicker than one a term
            joined: bytes = join_terms(self.arena, self.ends, chosen, separator).tobytes()
            return joined.decode().split(chr(separator))[:-1]
        raw, edges = self.arena.tobytes(), [0, *self.ends.tolist()]
        return [raw[edges[t] : edges[t + 1]].decode() for t in chosen.tolist()]

    def order(self) -> Array:
        """The indices that put the terms into code-point order, which is the order of their bytes.

        First by the first eight as one number, then, where those tie, by the next eight, and so on.
        """
        from termsift.text._lexicon_kernel import pack_eight_bytes

        order, tied = np.arange(len(self)), np.arange(len(self))
        group, at = np.zeros(len(self), dtype=np.int64), 0
        width = np.diff(self.ends, prepend=0)
        while len(tied) and at < LONG:
            rest = order[tied]
            key, left = pack_eight_bytes(self.arena, self.ends, rest, at), np.minimum(width[rest] - at, 9)
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

        self.rows = grow_array(self.rows, capacity)
        self.table = np.full((2 * capacity, 2), -1, dtype=np.int64)
        rehash(self.rows, len(self), self.table)

    def double(self) -> None:
        """Twice the room, for terms and for their bytes."""
        self.make_room(2 * len(self.rows))
        self.arena = grow_array(self.arena, 2 * len(self.arena))

    def add(self, terms: Terms) -> Array:
        """The numbers of some terms, added where they are new."""
        from termsift.text._lexicon_kernel import hash_terms

        rows = np.empty((len(terms), 4), dtype=np.int64)
        hash_terms(terms.arena, terms.ends, rows)
        return self.merge(terms.arena, rows)

    def merge(self, arena: Array, rows: Array) -> Array:
        """The numbers of the terms of another vocabulary, added where they are new."""
        from termsift.text._lexicon_kernel import merge_tokens

        if len(self) + len(rows) > len(self.rows):
            self.make_room(power_of_two(len(self) + len(rows)))
        if self.sizes[0] + len(arena) > len(self.arena):
            self.arena = grow_array(self.arena, power_of_two(int(self.sizes[0]) + len(arena)))
        number = np.empty(len(rows), dtype=np.int32)
        merge_tokens(arena, rows, number, self.arena, self.rows, self.table, self.sizes)
        return number


def grow_array(old: Array, capacity: int, fill: int | None = None) -> Array:
    """A longer array that begins as the old one does."""
    shape = (capacity, *old.shape[1:])
    new = np.empty(shape, dtype=old.dtype) if fill is None else np.full(shape, fill, dtype=old.dtype)
    new[: len(old)] = old
    return new


def power_of_two(n: int) -> int:
    """The least power of two that is at least n, and at least 2."""
    return 1 << max(n - 1, 1).bit_length()


def pack_terms(words: Sequence[bytes]) -> Terms:
    """Words as one run of bytes."""
    ends = np.cumsum([len(word) for word in words], dtype=np.int64)
    return Terms(np.frombuffer(b"".join(words), dtype=np.uint8), ends)


@dataclass(frozen=True, slots=True, eq=False)
class RankedTerms:
    """The terms in code-point order, and the place among them of each token and n-gram; -1 for no term."""

    names: list[str]
    token_ranks: Array
    node_ranks: Array

    def ranks(self, codes: Array) -> Array:
        """The places of tokens (their number) and n-grams (-1 less theirs)."""
        return map_codes(codes, self.token_ranks, self.node_ranks)


class Lexicon:
    """Tokens, the stop words first, and n-grams of two tokens or more: (depth, parent, last token).

    The parent of a pair is a token, that of a longer n-gram an n-gram. `size` holds the number of n-grams.
    """

    def __init__(self, stop_words: Sequence[str] = ()) -> None:
        self.tokens = Vocabulary()
        # no token is empty, and none holds half a surrogate pair
        words = [word.encode() for word in stop_words if word and word == replace_surrogates(word)]
        self.stops = len(self.tokens.add(pack_terms(words)))
        self.size = np.zeros(1, dtype=np.int64)
        self.parents, self.lasts = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32)
        self.depths = np.empty(0, dtype=np.int8)
        self.make_nodes(2)

    def make_nodes(self, capacity: int) -> None:
        """Room for so many n-grams."""
        from termsift.text._lexicon_kernel import rehash_pairs

        self.parents, self.lasts = grow_array(self.parents, capacity), grow_array(self.lasts, capacity)
        self.depths = grow_array(self.depths, capacity)
        self.pairs = np.full((2 * capacity, 2), -1, dtype=np.int64)
        rehash_pairs(self.parents, self.lasts, self.depths, self.size[0], self.pairs)

    def merge(self, other: Lexicon) -> tuple[Array, Array]:
        """What the tokens and the n-grams of another lexicon are called here, added where they are new."""
        from termsift.text._lexicon_kernel import merge_nodes

        theirs, n = other.tokens, int(other.size[0])
        token_number = self.tokens.merge(theirs.arena[: theirs.sizes[0]], theirs.rows[: len(theirs)])
        if self.size[0] + n > len(self.parents):
            self.make_nodes(power_of_two(int(self.size[0]) + n))
        number = np.empty(n, dtype=np.int32)
        merge_nodes(
            other.parents[:n], other.lasts, other.depths, token_number, number,
            self.parents, self.lasts, self.depths, self.pairs, self.size,
        )  # fmt: skip
        return token_number, number

    def rank_terms(self, low: int) -> RankedTerms:
        """The terms of at least `low` tokens in code-point order.

        A space comes before every character of a token, so n-grams are in the order of their tokens' ranks.
        """
        from termsift.text._lexicon_kernel import tree_order

        terms, n = self.tokens.terms, int(self.size[0])
        order = terms.order()
        if not n:
            chosen = order[order >= self.stops] if low == 1 else order[:0]
            return RankedTerms(terms.named(chosen), places(chosen, len(terms)), np.zeros(0, dtype=np.int32))
        nodes = self.parents[:n], self.lasts[:n], self.depths[:n]
        chosen = tree_order(order, places(order, len(terms)), *nodes, self.stops, low)
        place = places(chosen, len(terms) + n)
        return RankedTerms(self.named(chosen), place[: len(terms)], place[len(terms) :])

    def named(self, chosen: Array) -> list[str]:
        """The names of tokens, and of n-grams, which are numbered after them."""
        joined: bytes = self.join_names(chosen).tobytes()
        return joined.decode().split("\n")[:-1]

    def join_names(self, chosen: Array) -> Array:
        """The bytes of those names, each with a new line behind it."""
        from termsift.text._lexicon_kernel import join_nodes

        terms, n = self.tokens.terms, int(self.size[0])
        # tokens of n-grams hold no character up to the space, so no end of a line
        nodes = self.parents[:n], self.lasts[:n], self.depths[:n]
        lines: Array = join_nodes(terms.arena, terms.ends, *nodes, chosen, NEWLINE)
        return lines

    def add_terms(self, words: Sequence[bytes], high: int) -> Array:
        """Take in terms of up to `high` tokens, with a space between them. Gives the code of each."""
        if high == 1:
            return self.tokens.add(pack_terms(words))
        split = [word.split(b" ") for word in words]
        distinct = list(dict.fromkeys(token for parts in split for token in parts))
        number = dict(zip(distinct, self.tokens.add(pack_terms(distinct)).tolist(), strict=True))
        node_of: dict[tuple[int, int, int], int] = {}
        codes = np.empty(len(words), dtype=np.int64)
        for i, (first, *rest) in enumerate(split):
            at = number[first]
            for depth, token in enumerate(rest, start=2):
                at = node_of.setdefault((depth, at, number[token]), len(node_of))
            codes[i] = -1 - at if rest else at
        n = len(node_of)
        self.make_nodes(power_of_two(n))
        if n:
            self.depths[:n], self.parents[:n], self.lasts[:n] = np.array(list(node_of)).T
        self.size[0] = n
        self.make_nodes(len(self.parents))
        return codes


def map_codes(codes: Array, token_number: Array, node_number: Array) -> Array:
    """What codes stand for: a token at its number, an n-gram at -1 less its own."""
    if not len(node_number):
        return token_number[codes]
    is_token = codes >= 0
    out = np.empty(len(codes), dtype=np.result_type(token_number, node_number))
    out[is_token] = token_number[codes[is_token]]
    out[~is_token] = node_number[-1 - codes[~is_token]]
    return out


def places(chosen: Array, size: int) -> Array:
    """For each of `size` things its place among the chosen, -1 for the others."""
    place = np.full(size, -1, dtype=np.int32)
    place[chosen] = np.arange(len(chosen))
    return place


def map_codes_inplace(codes: Array, token_number: Array, node_number: Array) -> None:
    """Replace the codes of tokens and n-grams by other numbers, in place."""
    from termsift.text import _lexicon_kernel

    _lexicon_kernel.map_codes_kernel(codes, token_number, node_number)
