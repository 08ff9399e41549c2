"""The compiled loops of a lexicon: tokens by their bytes, n-grams of tokens, and the names they make.

Names: a token is a run of bytes; a node is an n-gram of two tokens or more, known by its depth n, its
parent (the n-gram without its last token: a token at depth 2, else a node) and its last token.

Invariants:
- `rows[t]` is what is known of token t: where its bytes begin in `arena`, how many there are, the last word
  of them (the bytes from the last multiple of eight on, as a number), and its hash.
- A place of `table` holds a token's key (its bytes as a number if it is short, else its hash), and above 32
  bits its number, doubled, and one more if it is not short; below, the slot of `indices` and `counts` where
  it was last seen. If that slot is of this document and holds the token, the token is in it already, there.
  So a known token costs one line of the cache, and a document's counts need no sort and no clearing.
  Of an empty place the second number is -1.
  There are at least twice as many places as rows, so an empty one is always found.
- A token is short if it has at most eight bytes and none of them is zero, so that its key is its alone.
- A place of `pairs` holds a node likewise: its key is its parent above 32 bits, a node as -1 less itself,
  and its last token below.
- `letter[b]` is what becomes of an ASCII byte of the text: its small form, or the byte itself.
"""

from __future__ import annotations

import numpy as np
from numba import uint64

from termsift._internal.kernels import njit

DONE, TOKENS_FULL, NODES_FULL, OUTPUT_FULL = 0, 1, 2, 3
# columns of a token's row
START, WIDTH, LAST, HASH = 0, 1, 2, 3
# columns of a place of a table
KEY, VALUE = 0, 1
SLOT = 0xFFFFFFFF  # the bits of a slot; all of them are set where there is none


@njit(inline="always")
def mixed(h):  # type: ignore[no-untyped-def]
    """The finaliser of MurmurHash3: every bit of the hash depends on every other."""
    h ^= h >> uint64(33)
    h *= uint64(0xFF51AFD7ED558CCD)
    h ^= h >> uint64(33)
    h *= uint64(0xC4CEB9FE1A85EC53)
    return h ^ (h >> uint64(33))


@njit(inline="always")
def blended(h, word):  # type: ignore[no-untyped-def]
    """A hash that has taken in eight more bytes."""
    h = (h ^ word) * uint64(0x9E3779B97F4A7C15)
    return h ^ (h >> uint64(29))


@njit(inline="always")
def pair_key(depth, parent, last):  # type: ignore[no-untyped-def]
    """The key of an n-gram: its parent, which is a token or a node, and its last token."""
    code = np.int64(parent) if depth == 2 else -1 - np.int64(parent)
    return (code << 32) | np.int64(last)


@njit(inline="always")
def token_hash(h, word, size):  # type: ignore[no-untyped-def]
    """The hash of a token of `size` bytes: h has taken in all whole words but the last, `word`."""
    return mixed(blended(h, word) ^ uint64(size))


@njit(inline="always")
def has_zero_byte(word, width):  # type: ignore[no-untyped-def]
    """Whether one of the last `width` bytes of a word, 8 at most, is zero."""
    if width == 0:
        return False
    filled = word | ~(uint64(0xFFFFFFFFFFFFFFFF) >> (uint64(64) - uint64(8) * uint64(width)))
    return (filled - uint64(0x0101010101010101)) & ~filled & uint64(0x8080808080808080) != uint64(0)


@njit(inline="always")
def settle(table, mask, rows, token):  # type: ignore[no-untyped-def]
    """Put a token that is not there into the table."""
    h = uint64(rows[token, HASH])
    place = h & mask
    while table[place, VALUE] >= 0:
        place = (place + uint64(1)) & mask
    short = rows[token, WIDTH] <= 8 and not has_zero_byte(uint64(rows[token, LAST]), rows[token, WIDTH])
    table[place, KEY] = rows[token, LAST] if short else rows[token, HASH]
    table[place, VALUE] = ((2 * token + (0 if short else 1)) << 32) | SLOT


@njit(cache=True, nogil=True)
def absorb(source, source_rows, number, arena, rows, table, sizes):  # type: ignore[no-untyped-def]
    """Add the terms of one arena to another; `number` receives what each is called there.

    The caller has made the arrays long enough for all of them.
    """
    mask = uint64(table.shape[0] - 1)
    used, tokens = sizes[0], sizes[1]
    for t in range(source_rows.shape[0]):
        start, width, h = source_rows[t, START], source_rows[t, WIDTH], source_rows[t, HASH]
        place = uint64(h) & mask
        token = np.int64(-1)
        while table[place, VALUE] >= 0:
            token = table[place, VALUE] >> 33
            if rows[token, HASH] == h and rows[token, WIDTH] == width:
                at = rows[token, START]
                k = 0
                while k < width and source[start + k] == arena[at + k]:
                    k += 1
                if k == width:
                    break
            token = np.int64(-1)
            place = (place + uint64(1)) & mask
        if token < 0:
            token = tokens
            for k in range(width):
                arena[used + k] = source[start + k]
            for k in range(4):
                rows[token, k] = source_rows[t, k]
            rows[token, START] = used
            settle(table, mask, rows, token)
            used += width
            tokens += 1
        number[t] = token
    sizes[0], sizes[1] = used, tokens


@njit(cache=True, nogil=True)
def hash_terms(arena, ends, rows):  # type: ignore[no-untyped-def]
    """The rows of terms given by their bytes, as the scan makes them."""
    start = 0
    for t in range(ends.size):
        h = uint64(0)
        word = uint64(0)
        for k in range(ends[t] - start):
            if k and k & 7 == 0:
                h = blended(h, word)
                word = uint64(0)
            word = (word << uint64(8)) | uint64(arena[start + k])
        width = ends[t] - start
        h = token_hash(h, word, width)
        rows[t, START], rows[t, WIDTH], rows[t, LAST], rows[t, HASH] = (
            start,
            width,
            np.int64(word),
            np.int64(h),
        )
        start = ends[t]


@njit(cache=True, nogil=True)
def rehash(rows, n, table):  # type: ignore[no-untyped-def]
    """Put the first n terms into an empty table."""
    mask = uint64(table.shape[0] - 1)
    for t in range(n):
        settle(table, mask, rows, t)


@njit(cache=True, nogil=True)
def rehash_pairs(parents, lasts, depths, n, pairs):  # type: ignore[no-untyped-def]
    """Put the first n nodes into an empty table of pairs."""
    mask = uint64(pairs.shape[0] - 1)
    for node in range(n):
        key = pair_key(depths[node], parents[node], lasts[node])
        place = mixed(uint64(key)) & mask
        while pairs[place, VALUE] >= 0:
            place = (place + uint64(1)) & mask
        pairs[place, KEY], pairs[place, VALUE] = key, (node << 32) | SLOT


@njit(cache=True, nogil=True)
def absorb_nodes(  # type: ignore[no-untyped-def]
    source_parents, source_lasts, source_depths, token_number, number, parents, lasts, depths, pairs, sizes
):
    """Add the n-grams of one lexicon to another; `number` receives what each is called there.

    `token_number` says what the tokens are called there. A parent comes before its children.
    """
    mask = uint64(pairs.shape[0] - 1)
    nodes = sizes[0]
    for n in range(source_parents.size):
        depth, last = source_depths[n], token_number[source_lasts[n]]
        parent = token_number[source_parents[n]] if depth == 2 else number[source_parents[n]]
        key = pair_key(depth, parent, last)
        place = mixed(uint64(key)) & mask
        while pairs[place, VALUE] >= 0 and pairs[place, KEY] != key:
            place = (place + uint64(1)) & mask
        node = pairs[place, VALUE] >> 32
        if node < 0:
            node = nodes
            parents[node], lasts[node], depths[node] = parent, last, depth
            pairs[place, KEY], pairs[place, VALUE] = key, (node << 32) | SLOT
            nodes += 1
        number[n] = node
    sizes[0] = nodes


@njit(cache=True, nogil=True)
def words_at(arena, ends, chosen, at):  # type: ignore[no-untyped-def]
    """Eight bytes of each chosen term, from `at` on, as one number, zeros for bytes it does not have."""
    words = np.zeros(chosen.size, dtype=np.uint64)
    for i in range(chosen.size):
        t = chosen[i]
        start = (ends[t - 1] if t else 0) + at
        for k in range(start, start + 8):
            words[i] = (words[i] << uint64(8)) | (uint64(arena[k]) if k < ends[t] else uint64(0))
    return words


@njit(cache=True, nogil=True)
def grouped(keys, n_groups):  # type: ignore[no-untyped-def]
    """Things by group, in the order they came: where each group begins, and the things."""
    starts = np.zeros(n_groups + 1, dtype=np.int64)
    for i in range(keys.size):
        starts[keys[i] + 1] += 1
    for group in range(n_groups):
        starts[group + 1] += starts[group]
    free, things = starts[:-1].copy(), np.empty(keys.size, dtype=np.int32)
    for i in range(keys.size):
        group = keys[i]
        things[free[group]] = i
        free[group] += 1
    return starts, things


@njit(cache=True, nogil=True)
def tree_order(order, rank, parents, lasts, depths, stops, low):  # type: ignore[no-untyped-def]
    """Tokens and n-grams in code-point order, an n-gram as its number after those of the tokens.

    order, rank : the tokens in their order, and the place of each in it
    N-grams are a tree whose roots are the tokens: a node comes before what is below it, and nodes of one
    parent are in the order of their last tokens. So no two n-grams are compared.
    Left out are tokens below `stops` and all terms of fewer than `low` tokens.
    """
    n_tokens, n = order.size, parents.size
    by_last = grouped(rank[lasts], n_tokens)[1]
    above = np.empty(n, dtype=np.int32)
    longest = 1
    for i in range(n):
        node = by_last[i]
        above[i] = parents[node] if depths[node] == 2 else n_tokens + parents[node]
        longest = max(longest, depths[node])
    starts, below = grouped(above, n_tokens + n)
    chosen = np.empty(n_tokens + n, dtype=np.int64)
    at, end = np.zeros(longest + 1, dtype=np.int64), np.zeros(longest + 1, dtype=np.int64)
    size = 0
    for i in range(n_tokens):
        token = order[i]
        if low == 1 and token >= stops:
            chosen[size] = token
            size += 1
        depth = 1
        at[1], end[1] = starts[token], starts[token + 1]
        while depth > 0:
            if at[depth] == end[depth]:
                depth -= 1
                continue
            node = n_tokens + by_last[below[at[depth]]]
            at[depth] += 1
            if depth + 1 >= low:
                chosen[size] = node
                size += 1
            if depth + 1 < longest:
                depth += 1
                at[depth], end[depth] = starts[node], starts[node + 1]
    return chosen[:size]


@njit(cache=True, nogil=True)
def map_codes_kernel(codes, token_number, node_number):  # type: ignore[no-untyped-def]
    """Put in place of each code what it stands for: a token at its number, an n-gram at -1 less its own."""
    for i in range(codes.size):
        code = codes[i]
        codes[i] = token_number[code] if code >= 0 else node_number[-1 - code]


@njit(cache=True, nogil=True)
def lines(arena, ends, order, separator):  # type: ignore[no-untyped-def]
    """The chosen terms in their order, one after the other, each with the separator behind it."""
    size = order.size
    for i in range(order.size):
        t = order[i]
        size += ends[t] - (ends[t - 1] if t else 0)
    out = np.empty(size, dtype=np.uint8)
    n = 0
    for i in range(order.size):
        t = order[i]
        for k in range(ends[t - 1] if t else 0, ends[t]):
            out[n] = arena[k]
            n += 1
        out[n] = separator
        n += 1
    return out


@njit(cache=True, nogil=True)
def node_lines(arena, ends, parents, lasts, depths, chosen, separator):  # type: ignore[no-untyped-def]
    """The chosen tokens and n-grams in their order, tokens of an n-gram with a space between them.

    An n-gram stands as its number after those of the tokens. Each has the separator behind it.
    """
    n_tokens = ends.size
    longest = 1
    for i in range(depths.size):
        longest = max(longest, depths[i])
    tokens = np.empty(longest, dtype=np.int64)
    out = np.empty(0, dtype=np.uint8)
    for writing in range(2):
        n = 0
        for i in range(chosen.size):
            at, depth = np.int64(chosen[i]), np.int64(1)
            if at >= n_tokens:
                node = at - n_tokens
                depth = np.int64(depths[node])
                for d in range(depth - 1, 0, -1):
                    tokens[d] = lasts[node]
                    node = np.int64(parents[node])
                at = node
            tokens[0] = at
            for d in range(depth):
                t = tokens[d]
                first = ends[t - 1] if t else 0
                if writing:
                    for k in range(first, ends[t]):
                        out[n + k - first] = arena[k]
                    out[n + ends[t] - first] = separator if d == depth - 1 else 32
                n += ends[t] - first + 1
        if not writing:
            out = np.empty(n, dtype=np.uint8)
    return out
