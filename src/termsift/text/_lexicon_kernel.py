"""Kernels of the lexicon: hash tables of tokens and n-grams, merging, sorting and joining of names.

A token is a sequence of bytes. A node is an n-gram of two or more tokens, identified by its depth n, its
parent (the n-gram without its last token: a token at depth 2, else a node) and its last token.

Invariants:
- `rows[t]` describes token t: start of its bytes in `arena`, their number, the last word (the bytes from the
  last multiple of eight, as an integer), and its hash.
- An entry of `table` has two integers. The first is the key: the bytes of a short token, else its hash. The
  second has in its upper 32 bits the token number, doubled, plus one if the token is not short; in its lower
  32 bits the slot of `indices` and `counts` where the token was last counted. If that slot belongs to the
  current document and holds the token, its count is incremented there. So a known token costs one cache
  line, and the counts of a document need neither sorting nor clearing.
  The second integer of an empty entry is -1.
  `table` is at least twice as long as `rows`, so probing always ends at an empty entry.
- A token is short if it has at most eight bytes, none of them zero, so that its key is unique.
- An entry of `pairs` holds a node likewise: its key is the parent in the upper 32 bits (-1 - parent if the
  parent is a node), and the last token in the lower 32 bits.
- `letter[b]` is the lowercase form of ASCII byte b, or the byte itself.
"""

from __future__ import annotations

import numpy as np
from numba import uint64

from termsift._internal.kernels import njit

DONE, TOKENS_FULL, NODES_FULL, OUTPUT_FULL = 0, 1, 2, 3
# columns of a token's row
START, WIDTH, LAST, HASH = 0, 1, 2, 3
# columns of an entry of a table
KEY, VALUE = 0, 1
SLOT = 0xFFFFFFFF  # mask of the slot; all bits are set if the token has no slot yet


@njit(inline="always")
def mix_hash(h):  # type: ignore[no-untyped-def]
    """Return the hash after the finalizer of MurmurHash3, which makes every bit depend on all others."""
    h ^= h >> uint64(33)
    h *= uint64(0xFF51AFD7ED558CCD)
    h ^= h >> uint64(33)
    h *= uint64(0xC4CEB9FE1A85EC53)
    return h ^ (h >> uint64(33))


@njit(inline="always")
def update_hash(h, word):  # type: ignore[no-untyped-def]
    """Return the hash updated with eight more bytes."""
    h = (h ^ word) * uint64(0x9E3779B97F4A7C15)
    return h ^ (h >> uint64(29))


@njit(inline="always")
def pair_key(depth, parent, last):  # type: ignore[no-untyped-def]
    """Return the key of an n-gram from its depth, parent (token or node) and last token."""
    code = np.int64(parent) if depth == 2 else -1 - np.int64(parent)
    return (code << 32) | np.int64(last)


@njit(inline="always")
def token_hash(h, word, size):  # type: ignore[no-untyped-def]
    """Return the hash of a token of `size` bytes from h, the hash of all words before the last `word`."""
    return mix_hash(update_hash(h, word) ^ uint64(size))


@njit(inline="always")
def has_zero_byte(word, width):  # type: ignore[no-untyped-def]
    """Return whether one of the last `width` (at most 8) bytes of a word is zero."""
    if width == 0:
        return False
    filled = word | ~(uint64(0xFFFFFFFFFFFFFFFF) >> (uint64(64) - uint64(8) * uint64(width)))
    return (filled - uint64(0x0101010101010101)) & ~filled & uint64(0x8080808080808080) != uint64(0)


@njit(inline="always")
def insert_token(table, mask, rows, token):  # type: ignore[no-untyped-def]
    """Insert a token that is not in the table."""
    h = uint64(rows[token, HASH])
    entry = h & mask
    while table[entry, VALUE] >= 0:
        entry = (entry + uint64(1)) & mask
    short = rows[token, WIDTH] <= 8 and not has_zero_byte(uint64(rows[token, LAST]), rows[token, WIDTH])
    table[entry, KEY] = rows[token, LAST] if short else rows[token, HASH]
    table[entry, VALUE] = ((2 * token + (0 if short else 1)) << 32) | SLOT


@njit(cache=True, nogil=True)
def merge_tokens(source, source_rows, number, frozen, arena, rows, table, sizes):  # type: ignore[no-untyped-def]
    """Add the terms of one arena to another; `number` receives the number of each term in the target.

    If the target is frozen, new terms have the number -1; else the caller has made its arrays long enough.
    """
    mask = uint64(table.shape[0] - 1)
    used, tokens = sizes[0], sizes[1]
    for t in range(source_rows.shape[0]):
        start, width, h = source_rows[t, START], source_rows[t, WIDTH], source_rows[t, HASH]
        entry = uint64(h) & mask
        token = np.int64(-1)
        while table[entry, VALUE] >= 0:
            token = table[entry, VALUE] >> 33
            if rows[token, HASH] == h and rows[token, WIDTH] == width:
                arena_start = rows[token, START]
                k = 0
                while k < width and source[start + k] == arena[arena_start + k]:
                    k += 1
                if k == width:
                    break
            token = np.int64(-1)
            entry = (entry + uint64(1)) & mask
        if token < 0 and not frozen:
            token = tokens
            arena[used : used + width] = source[start : start + width]
            rows[token] = source_rows[t]
            rows[token, START] = used
            insert_token(table, mask, rows, token)
            used += width
            tokens += 1
        number[t] = token
    sizes[0], sizes[1] = used, tokens


@njit(cache=True, nogil=True)
def hash_terms(arena, ends, rows):  # type: ignore[no-untyped-def]
    """Fill `rows` for terms given by their bytes, with the same hashes as the scan."""
    start = 0
    for t in range(ends.size):
        h = uint64(0)
        word = uint64(0)
        for k in range(ends[t] - start):
            if k and k & 7 == 0:
                h = update_hash(h, word)
                word = uint64(0)
            word = (word << uint64(8)) | uint64(arena[start + k])
        width = ends[t] - start
        h = token_hash(h, word, width)
        rows[t, START], rows[t, WIDTH] = start, width
        rows[t, LAST], rows[t, HASH] = np.int64(word), np.int64(h)
        start = ends[t]


@njit(cache=True, nogil=True)
def rehash(rows, n, table):  # type: ignore[no-untyped-def]
    """Insert the first n terms into an empty table."""
    mask = uint64(table.shape[0] - 1)
    for t in range(n):
        insert_token(table, mask, rows, t)


@njit(cache=True, nogil=True)
def rehash_pairs(parents, lasts, depths, n, pairs):  # type: ignore[no-untyped-def]
    """Insert the first n nodes into an empty table of pairs."""
    mask = uint64(pairs.shape[0] - 1)
    for node in range(n):
        key = pair_key(depths[node], parents[node], lasts[node])
        entry = mix_hash(uint64(key)) & mask
        while pairs[entry, VALUE] >= 0:
            entry = (entry + uint64(1)) & mask
        pairs[entry, KEY], pairs[entry, VALUE] = key, (node << 32) | SLOT


@njit(cache=True, nogil=True)
def merge_nodes(  # type: ignore[no-untyped-def]
    source_parents, source_lasts, source_depths, first, token_number, number, frozen,
    parents, lasts, depths, pairs, sizes,
):  # fmt: skip
    """Add the n-grams of one lexicon from `first` to another; `number` receives the number of each there.

    `token_number` maps token numbers from source to target. Parents precede their children.
    If the target is frozen, new n-grams have the number -1.
    """
    mask = uint64(pairs.shape[0] - 1)
    nodes = sizes[0]
    for n in range(first, source_parents.size):
        depth, last = source_depths[n], token_number[source_lasts[n]]
        parent = token_number[source_parents[n]] if depth == 2 else number[source_parents[n]]
        if last < 0 or parent < 0:
            number[n] = -1
            continue
        key = pair_key(depth, parent, last)
        entry = mix_hash(uint64(key)) & mask
        while pairs[entry, VALUE] >= 0 and pairs[entry, KEY] != key:
            entry = (entry + uint64(1)) & mask
        node = pairs[entry, VALUE] >> 32
        if node < 0 and not frozen:
            node = nodes
            parents[node], lasts[node], depths[node] = parent, last, depth
            pairs[entry, KEY], pairs[entry, VALUE] = key, (node << 32) | SLOT
            nodes += 1
        number[n] = node
    sizes[0] = nodes


@njit(cache=True, nogil=True)
def pack_eight_bytes(arena, ends, chosen, offset):  # type: ignore[no-untyped-def]
    """Return eight bytes of each chosen term from `offset`, as one integer, padded with zeros."""
    words = np.zeros(chosen.size, dtype=np.uint64)
    for i in range(chosen.size):
        t = chosen[i]
        start = (ends[t - 1] if t else 0) + offset
        for k in range(start, start + 8):
            words[i] = (words[i] << uint64(8)) | (uint64(arena[k]) if k < ends[t] else uint64(0))
    return words


@njit(cache=True, nogil=True)
def group_indices_by_key(keys, n_groups):  # type: ignore[no-untyped-def]
    """Return a counting sort of items by key: the start of each group, and the item indices."""
    starts = np.zeros(n_groups + 1, dtype=np.int64)
    for i in range(keys.size):
        starts[keys[i] + 1] += 1
    for group in range(n_groups):
        starts[group + 1] += starts[group]
    free, items = starts[:-1].copy(), np.empty(keys.size, dtype=np.int32)
    for i in range(keys.size):
        group = keys[i]
        items[free[group]] = i
        free[group] += 1
    return starts, items


@njit(cache=True, nogil=True)
def sort_tokens_and_ngrams(token_order, token_rank, parents, lasts, depths, n_stop_words, min_tokens):  # type: ignore[no-untyped-def]
    """Return tokens and n-grams in code-point order; n-gram i has the number n_tokens + i.

    N-grams form a forest whose roots are the tokens: a node precedes its descendants, and siblings are in the
    order of their last tokens. So a depth-first traversal sorts them without comparing any two n-grams.
    Stop words, the first tokens, and terms of fewer than `min_tokens` tokens are omitted.

    token_order, token_rank : tokens in code-point order, and the rank of each token
    """
    n_tokens, n = token_order.size, parents.size
    by_last = group_indices_by_key(token_rank[lasts], n_tokens)[1]
    parent_numbers = np.empty(n, dtype=np.int32)
    longest = 1
    for i in range(n):
        node = by_last[i]
        parent_numbers[i] = parents[node] if depths[node] == 2 else n_tokens + parents[node]
        longest = max(longest, depths[node])
    starts, children = group_indices_by_key(parent_numbers, n_tokens + n)
    chosen = np.empty(n_tokens + n, dtype=np.int64)
    cursor, end = np.zeros(longest + 1, dtype=np.int64), np.zeros(longest + 1, dtype=np.int64)
    size = 0
    for i in range(n_tokens):
        token = token_order[i]
        if min_tokens == 1 and token >= n_stop_words:
            chosen[size] = token
            size += 1
        depth = 1
        cursor[1], end[1] = starts[token], starts[token + 1]
        while depth > 0:
            if cursor[depth] == end[depth]:
                depth -= 1
                continue
            node = n_tokens + by_last[children[cursor[depth]]]
            cursor[depth] += 1
            if depth + 1 >= min_tokens:
                chosen[size] = node
                size += 1
            if depth + 1 < longest:
                depth += 1
                cursor[depth], end[depth] = starts[node], starts[node + 1]
    return chosen[:size]


@njit(cache=True, nogil=True)
def map_codes_kernel(codes, token_number, node_number):  # type: ignore[no-untyped-def]
    """Replace each code in entry: code >= 0 is a token number, -1 - code an n-gram number."""
    for i in range(codes.size):
        code = codes[i]
        codes[i] = token_number[code] if code >= 0 else node_number[-1 - code]


@njit(cache=True, nogil=True)
def sum_mapped_codes(indptr, codes, counts, token_number, node_number, n_tokens, slots):  # type: ignore[no-untyped-def]
    """Replace codes as `map_codes_kernel` does, and add up the counts of equal ones of a document, in place.

    Codes of the number -1 are left out. `slots` has an entry of any value for each new token and n-gram.
    """
    n = 0
    first = indptr[0]
    for document in range(indptr.size - 1):
        begin = n
        for k in range(first, indptr[document + 1]):
            code = codes[k]
            number = token_number[code] if code >= 0 else node_number[-1 - code]
            if number < 0:
                continue
            entry = number if code >= 0 else n_tokens + number
            new = number if code >= 0 else -1 - number
            slot = slots[entry]
            if slot >= begin and slot < n and codes[slot] == new:
                counts[slot] += counts[k]
                continue
            slots[entry] = n
            codes[n], counts[n] = new, counts[k]
            n += 1
        first = indptr[document + 1]
        indptr[document + 1] = n
    return n


@njit(cache=True, nogil=True)
def join_term_bytes(arena, ends, parents, lasts, depths, chosen, separator):  # type: ignore[no-untyped-def]
    """Return the bytes of the chosen tokens and n-grams, each followed by the separator.

    N-gram i has the number n_tokens + i; its tokens are separated by spaces. The first pass measures, the
    second writes.
    """
    n_tokens = ends.size
    tokens = np.empty(max(1, depths.max()) if depths.size else 1, dtype=np.int64)
    out = np.empty(0, dtype=np.uint8)
    for writing in range(2):
        n = 0
        for i in range(chosen.size):
            token, depth = np.int64(chosen[i]), np.int64(1)
            if token >= n_tokens:
                node = token - n_tokens
                depth = np.int64(depths[node])
                for d in range(depth - 1, 0, -1):
                    tokens[d] = lasts[node]
                    node = np.int64(parents[node])
                token = node
            tokens[0] = token
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
