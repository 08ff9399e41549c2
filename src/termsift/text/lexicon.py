"""Vocabularies of terms stored as bytes, and the lexicon of tokens and n-grams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from termsift._internal.typing import Array
from termsift.text.analyzer import replace_surrogates

NEWLINE = 10
MAX_RADIX_BYTES = 64  # prefix of terms that is sorted by NumPy; few terms are longer
SEPARATORS = (NEWLINE, 30, 31, 0)
# parents, last tokens and depths of a lexicon without n-grams
NO_NODES = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int8)


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """Terms as joined bytes: term t is arena[ends[t - 1]:ends[t]]."""

    arena: Array
    ends: Array

    def __len__(self) -> int:
        return len(self.ends)

    def decode(self, chosen: Array) -> list[str]:
        """Return the terms with the given numbers as str."""
        from termsift.text._lexicon_kernel import join_nodes

        separator = next((c for c in SEPARATORS if not bool((self.arena == c).any())), None)
        if separator is not None:
            # splitting at a character that no term contains is much faster than decoding term by term
            joined: bytes = join_nodes(self.arena, self.ends, *NO_NODES, chosen, separator).tobytes()
            return joined.decode().split(chr(separator))[:-1]
        raw, edges = self.arena.tobytes(), [0, *self.ends.tolist()]
        return [raw[edges[t] : edges[t + 1]].decode() for t in chosen.tolist()]

    def order(self) -> Array:
        """Return the indices that sort the terms by code points, which is the order of their UTF-8 bytes.

        Terms are sorted by their first eight bytes as one integer; ties by the next eight, and so on.
        """
        from termsift.text._lexicon_kernel import pack_eight_bytes

        order, tied = np.arange(len(self)), np.arange(len(self))
        group, offset = np.zeros(len(self), dtype=np.int64), 0
        widths = np.diff(self.ends, prepend=0)
        while len(tied) and offset < MAX_RADIX_BYTES:
            chosen = order[tied]
            keys = pack_eight_bytes(self.arena, self.ends, chosen, offset)
            # zeros pad short terms: the remaining bytes, 9 if there are more than 8, tell them apart
            n_remaining = np.minimum(widths[chosen] - offset, 9)
            inner = np.argsort(keys) if offset == 0 else np.lexsort((n_remaining, keys, group))
            order[tied] = chosen[inner]
            # groups of terms that are equal so far, and which terms are in a group with others
            group, keys, n_remaining = group[inner], keys[inner], n_remaining[inner]
            is_equal = (group[1:] == group[:-1]) & (keys[1:] == keys[:-1])
            if offset:
                # a term that ends within these eight bytes precedes all longer ones, and equals none
                is_equal &= (n_remaining[1:] == n_remaining[:-1]) & (n_remaining[1:] == 9)
            is_first = np.concatenate([[True], ~is_equal])
            is_tied = ~is_first
            is_tied[:-1] |= is_equal
            group = np.cumsum(is_first)
            tied, group, offset = tied[is_tied], group[is_tied], offset + 8
        if len(tied):
            raw, ends = self.arena.tobytes(), self.ends.tolist()
            keyed = [
                (g, raw[ends[t - 1] if t else 0 : ends[t]], t)
                for g, t in zip(group.tolist(), order[tied].tolist(), strict=True)
            ]
            order[tied] = [t for _, _, t in sorted(keyed)]
        return order


class Vocabulary:
    """Terms numbered in order of arrival, in a hash table. `sizes` holds (bytes used, terms)."""

    def __init__(self) -> None:
        self.sizes = np.zeros(2, dtype=np.int64)
        self.arena = np.empty(1 << 16, dtype=np.uint8)
        self.rows = np.empty((0, 4), dtype=np.int64)
        self.reserve(1 << 13)

    def __len__(self) -> int:
        return int(self.sizes[1])

    @property
    def terms(self) -> Terms:
        """All terms, in order of arrival."""
        rows = self.rows[: len(self)]
        return Terms(self.arena[: self.sizes[0]], rows[:, 0] + rows[:, 1])

    def reserve(self, capacity: int) -> None:
        """Enlarge the hash table for `capacity` terms."""
        from termsift.text._lexicon_kernel import rehash

        self.rows = grow_array(self.rows, capacity)
        self.table = np.full((2 * capacity, 2), -1, dtype=np.int64)
        rehash(self.rows, len(self), self.table)

    def double(self) -> None:
        """Double the capacity for terms and for their bytes."""
        self.reserve(2 * len(self.rows))
        self.arena = grow_array(self.arena, 2 * len(self.arena))

    def add(self, terms: Terms) -> Array:
        """Add the terms that are new, and return the number of each term."""
        from termsift.text._lexicon_kernel import hash_terms

        rows = np.empty((len(terms), 4), dtype=np.int64)
        hash_terms(terms.arena, terms.ends, rows)
        return self.merge(terms.arena, rows)

    def merge(self, arena: Array, rows: Array) -> Array:
        """Add the new terms of another vocabulary, and return the number of each of its terms."""
        from termsift.text._lexicon_kernel import merge_tokens

        if len(self) + len(rows) > len(self.rows):
            self.reserve(_next_power_of_two(len(self) + len(rows)))
        if self.sizes[0] + len(arena) > len(self.arena):
            self.arena = grow_array(self.arena, _next_power_of_two(int(self.sizes[0]) + len(arena)))
        number = np.empty(len(rows), dtype=np.int32)
        merge_tokens(arena, rows, number, self.arena, self.rows, self.table, self.sizes)
        return number


def grow_array(array: Array, capacity: int, fill: int | None = None) -> Array:
    """Return an array of `capacity` rows that begins with the given one."""
    shape = (capacity, *array.shape[1:])
    new = np.empty(shape, dtype=array.dtype) if fill is None else np.full(shape, fill, dtype=array.dtype)
    new[: len(array)] = array
    return new


def _next_power_of_two(n: int) -> int:
    """Return the smallest power of two that is at least n and at least 2."""
    return 1 << max(n - 1, 1).bit_length()


def pack_terms(terms: Sequence[bytes]) -> Terms:
    """Return terms as joined bytes."""
    ends = np.cumsum([len(term) for term in terms], dtype=np.int64)
    return Terms(np.frombuffer(b"".join(terms), dtype=np.uint8), ends)


@dataclass(frozen=True, slots=True, eq=False)
class RankedTerms:
    """Terms in code-point order, and the rank of each token and n-gram, -1 if it is not a term."""

    names: list[str]
    token_ranks: Array
    node_ranks: Array

    def ranks(self, codes: Array) -> Array:
        """Return the ranks of token and n-gram codes."""
        return map_codes(codes, self.token_ranks, self.node_ranks)


class Lexicon:
    """Tokens, stop words first, and n-grams of two or more tokens as (depth, parent, last token).

    The parent of a bigram is a token, that of a longer n-gram an n-gram. `size` holds the number of n-grams.
    """

    def __init__(self, stop_words: Sequence[str] = ()) -> None:
        self.tokens = Vocabulary()
        # no token is empty or contains a lone surrogate
        words = [word.encode() for word in stop_words if word and word == replace_surrogates(word)]
        self.stops = len(self.tokens.add(pack_terms(words)))
        self.size = np.zeros(1, dtype=np.int64)
        self.parents, self.lasts, self.depths = NO_NODES
        self.reserve_nodes(2)

    @property
    def nodes(self) -> tuple[Array, Array, Array]:
        """Parents, last tokens and depths of all n-grams."""
        n = int(self.size[0])
        return self.parents[:n], self.lasts[:n], self.depths[:n]

    def reserve_nodes(self, capacity: int) -> None:
        """Enlarge the hash table for `capacity` n-grams."""
        from termsift.text._lexicon_kernel import rehash_pairs

        self.parents, self.lasts = grow_array(self.parents, capacity), grow_array(self.lasts, capacity)
        self.depths = grow_array(self.depths, capacity)
        self.pairs = np.full((2 * capacity, 2), -1, dtype=np.int64)
        rehash_pairs(self.parents, self.lasts, self.depths, self.size[0], self.pairs)

    def merge(self, lexicon: Lexicon) -> tuple[Array, Array]:
        """Add the tokens and n-grams of another lexicon, and return their numbers in this one."""
        from termsift.text._lexicon_kernel import merge_nodes

        tokens, n = lexicon.tokens, int(lexicon.size[0])
        token_number = self.tokens.merge(tokens.arena[: tokens.sizes[0]], tokens.rows[: len(tokens)])
        if self.size[0] + n > len(self.parents):
            self.reserve_nodes(_next_power_of_two(int(self.size[0]) + n))
        number = np.empty(n, dtype=np.int32)
        merge_nodes(
            *lexicon.nodes, token_number, number,
            self.parents, self.lasts, self.depths, self.pairs, self.size,
        )  # fmt: skip
        return token_number, number

    def rank_terms(self, low: int) -> RankedTerms:
        """Return the terms of at least `low` tokens in code-point order.

        A space precedes every character of a token, so n-grams are in the order of their tokens' ranks.
        """
        from termsift.text._lexicon_kernel import tree_order

        terms, n_nodes = self.tokens.terms, int(self.size[0])
        order = terms.order()
        chosen = tree_order(order, _invert_order(order, len(terms)), *self.nodes, self.stops, low)
        ranks = _invert_order(chosen, len(terms) + n_nodes)
        names = (
            self.join_names(chosen).tobytes().decode().split("\n")[:-1] if n_nodes else terms.decode(chosen)
        )
        return RankedTerms(names, ranks[: len(terms)], ranks[len(terms) :])

    def join_names(self, chosen: Array) -> Array:
        """Return the bytes of the chosen terms, each followed by a newline; n-grams come after tokens."""
        from termsift.text._lexicon_kernel import join_nodes

        terms = self.tokens.terms
        # with n-grams no token contains a character up to the space, so none contains a newline
        joined: Array = join_nodes(terms.arena, terms.ends, *self.nodes, chosen, NEWLINE)
        return joined

    def add_terms(self, terms: Sequence[bytes], max_tokens: int) -> Array:
        """Add terms of up to `max_tokens` tokens, separated by spaces, and return the code of each."""
        if max_tokens == 1:
            return self.tokens.add(pack_terms(terms))
        token_lists = [term.split(b" ") for term in terms]
        distinct = list(dict.fromkeys(token for tokens in token_lists for token in tokens))
        numbers = dict(zip(distinct, self.tokens.add(pack_terms(distinct)).tolist(), strict=True))
        nodes: dict[tuple[int, int, int], int] = {}
        codes = np.empty(len(terms), dtype=np.int64)
        for i, (first, *following) in enumerate(token_lists):
            node = numbers[first]
            for depth, token in enumerate(following, start=2):
                node = nodes.setdefault((depth, node, numbers[token]), len(nodes))
            codes[i] = -1 - node if following else node
        n = len(nodes)
        self.reserve_nodes(_next_power_of_two(n))
        if n:
            self.depths[:n], self.parents[:n], self.lasts[:n] = np.array(list(nodes)).T
        self.size[0] = n
        self.reserve_nodes(len(self.parents))
        return codes


def map_codes(codes: Array, token_numbers: Array, node_numbers: Array) -> Array:
    """Return token_numbers[code] for codes of tokens, node_numbers[-1 - code] for codes of n-grams."""
    if not len(node_numbers):
        return token_numbers[codes]
    is_token = codes >= 0
    out = np.empty(len(codes), dtype=np.result_type(token_numbers, node_numbers))
    out[is_token] = token_numbers[codes[is_token]]
    out[~is_token] = node_numbers[-1 - codes[~is_token]]
    return out


def map_codes_inplace(codes: Array, token_numbers: Array, node_numbers: Array) -> None:
    """Replace codes as `map_codes` does, in place."""
    from termsift.text._lexicon_kernel import map_codes_kernel

    map_codes_kernel(codes, token_numbers, node_numbers)


def _invert_order(chosen: Array, size: int) -> Array:
    """Return, for each number below `size`, its position in `chosen`, or -1."""
    ranks = np.full(size, -1, dtype=np.int32)
    ranks[chosen] = np.arange(len(chosen))
    return ranks
