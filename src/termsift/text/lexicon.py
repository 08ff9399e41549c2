"""Lexicon: tokens and n-grams by number, and the order of the terms they make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from termsift._typing import Array
from termsift.text.analyzer import without_surrogates
from termsift.text.terms import NEW_LINE, Vocabulary, longer, power_of_two, terms_of


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """The terms in code-point order, and the place among them of each token and n-gram; -1 for no term."""

    names: list[str]
    token_place: Array
    node_place: Array

    def places(self, codes: Array) -> Array:
        """The places of tokens (their number) and n-grams (-1 less theirs)."""
        return recoded(codes, self.token_place, self.node_place)


class Lexicon:
    """Tokens, the stop words first, and n-grams of two tokens or more: (depth, parent, last token).

    The parent of a pair is a token, that of a longer n-gram an n-gram. `size` holds the number of n-grams.
    """

    def __init__(self, stop_words: Sequence[str] = ()) -> None:
        self.tokens = Vocabulary()
        # no token is empty, and none holds half a surrogate pair
        words = [word.encode() for word in stop_words if word and word == without_surrogates(word)]
        self.stops = len(self.tokens.add(terms_of(words)))
        self.size = np.zeros(1, dtype=np.int64)
        self.parents, self.lasts = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32)
        self.depths = np.empty(0, dtype=np.int8)
        self.make_nodes(2)

    def make_nodes(self, capacity: int) -> None:
        """Room for so many n-grams."""
        from termsift.text._lexicon_kernel import rehash_pairs

        self.parents, self.lasts = longer(self.parents, capacity), longer(self.lasts, capacity)
        self.depths = longer(self.depths, capacity)
        self.pairs = np.full((2 * capacity, 2), -1, dtype=np.int64)
        rehash_pairs(self.parents, self.lasts, self.depths, self.size[0], self.pairs)

    def absorb(self, other: Lexicon) -> tuple[Array, Array]:
        """What the tokens and the n-grams of another lexicon are called here, added where they are new."""
        from termsift.text._lexicon_kernel import absorb_nodes

        theirs, n = other.tokens, int(other.size[0])
        token_number = self.tokens.absorb(theirs.arena[: theirs.sizes[0]], theirs.rows[: len(theirs)])
        if self.size[0] + n > len(self.parents):
            self.make_nodes(power_of_two(int(self.size[0]) + n))
        number = np.empty(n, dtype=np.int32)
        absorb_nodes(
            other.parents[:n], other.lasts, other.depths, token_number, number,
            self.parents, self.lasts, self.depths, self.pairs, self.size,
        )  # fmt: skip
        return token_number, number

    def ranked(self, low: int) -> Ranked:
        """The terms of at least `low` tokens in code-point order.

        A space comes before every character of a token, so n-grams are in the order of their tokens' ranks.
        """
        from termsift.text._lexicon_kernel import tree_order

        terms, n = self.tokens.terms, int(self.size[0])
        order = terms.order()
        if not n:
            chosen = order[order >= self.stops] if low == 1 else order[:0]
            return Ranked(terms.named(chosen), places(chosen, len(terms)), np.zeros(0, dtype=np.int32))
        nodes = self.parents[:n], self.lasts[:n], self.depths[:n]
        chosen = tree_order(order, places(order, len(terms)), *nodes, self.stops, low)
        place = places(chosen, len(terms) + n)
        return Ranked(self.named(chosen), place[: len(terms)], place[len(terms) :])

    def named(self, chosen: Array) -> list[str]:
        """The names of tokens, and of n-grams, which are numbered after them."""
        joined: bytes = self.name_lines(chosen).tobytes()
        return joined.decode().split("\n")[:-1]

    def name_lines(self, chosen: Array) -> Array:
        """The bytes of those names, each with a new line behind it."""
        from termsift.text._lexicon_kernel import node_lines

        terms, n = self.tokens.terms, int(self.size[0])
        # tokens of n-grams hold no character up to the space, so no end of a line
        nodes = self.parents[:n], self.lasts[:n], self.depths[:n]
        lines: Array = node_lines(terms.arena, terms.ends, *nodes, chosen, NEW_LINE)
        return lines

    def learn(self, words: Sequence[bytes], high: int) -> Array:
        """Take in terms of up to `high` tokens, with a space between them. Gives the code of each."""
        if high == 1:
            return self.tokens.add(terms_of(words))
        split = [word.split(b" ") for word in words]
        distinct = list(dict.fromkeys(token for parts in split for token in parts))
        number = dict(zip(distinct, self.tokens.add(terms_of(distinct)).tolist(), strict=True))
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


def recoded(codes: Array, token_number: Array, node_number: Array) -> Array:
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
