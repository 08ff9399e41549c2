"""The compiled scan of text: one pass over the UTF-8 bytes gives each document's terms and their counts.

Tokens come from one of three sources, which the arguments that are None choose when the loop is compiled:
- runs of characters of one kind, found in the loop (`edges` and `longest` are None);
- tokens whose edges were found before (`member` and `longest` are None): token k is
  data[edges[k, 0]:edges[k, 1]], and those of document d are edges[starts[d]:starts[d + 1]], in their order,
  as n-grams are of tokens that follow each other;
- runs of `least` to `longest` characters within such edges, made in the loop: there are too many to be
  written down (`member` is None). Of what has fewer characters than the shortest run, the whole is taken.
One loop for all: with the parts of it in functions that are inlined it took two to three times as long.

In `indices` a token stands as itself, a node as -1 - node.

Invariants, beside those of the lexicon:
- A token found in the loop holds no zero byte.
  A stop word or a term from elsewhere that holds one is kept as if it were long, and is never met.
- Tokens at edges may overlap, and may hold any byte, the zero byte and blanks too; none is empty.
  N-grams are ranked by their tokens, so where they are asked for no token holds a character up to the space.
- `letter[b]` is the small form of an ASCII byte, or the byte itself; of runs of one kind it is 0 for a byte
  that may not be in a token.
- When an array is full the scan stops before the document it is in, says which array, and can be called
  again at that document once the caller has made it longer: arrays that are replaced inside the loop
  would cost the loop its speed.
- Tokens below `stops` are left out. A frozen scan adds no token and no node.
- Bytes are valid UTF-8, capitals outside ASCII already small.
"""

from __future__ import annotations

import numpy as np
from numba import uint64, uintp

from termsift.machine.compiled import njit
from termsift.text._lexicon_kernel import (
    DONE,
    HASH,
    KEY,
    LAST,
    NODES_FULL,
    OUTPUT_FULL,
    SLOT,
    START,
    TOKENS_FULL,
    VALUE,
    WIDTH,
    blended,
    has_zero_byte,
    mixed,
    pair_key,
    same,
    token_hash,
)


@njit(inline="always")
def code_point(data, i):  # type: ignore[no-untyped-def]
    """The character that begins at byte i, which is not ASCII, and the number of its bytes."""
    b = np.int64(data[i])
    if b < 0xE0:
        return ((b & 0x1F) << 6) | (np.int64(data[i + 1]) & 0x3F), 2
    if b < 0xF0:
        two = (np.int64(data[i + 1]) & 0x3F) << 6
        return ((b & 0x0F) << 12) | two | (np.int64(data[i + 2]) & 0x3F), 3
    three = ((np.int64(data[i + 1]) & 0x3F) << 12) | ((np.int64(data[i + 2]) & 0x3F) << 6)
    return ((b & 0x07) << 18) | three | (np.int64(data[i + 3]) & 0x3F), 4


@njit(cache=True, nogil=True)
def scan(  # type: ignore[no-untyped-def]
    data, starts, edges, member, letter, least, longest, first, stops, low, high, frozen,
    arena, rows, table, used_sizes, parents, lasts, depths, pairs, node_sizes,
    indptr, indices, counts, sizes,
):  # fmt: skip
    """Scan documents from `first` on. Returns (status, the document to go on with)."""
    one = uintp(1)
    mask = uint64(table.shape[0] - 1)
    pair_mask = uint64(pairs.shape[0] - 1)
    used, tokens = used_sizes[0], used_sizes[1]
    nodes, nonzeros = node_sizes[0], sizes[0]
    previous = np.full(high + 1, -1, dtype=np.int64)
    status = DONE
    document = first
    n_documents = starts.size - 1
    while document < n_documents and status == DONE:
        begin = nonzeros
        previous[:] = -1
        i, stop = uintp(starts[document]), uintp(starts[document + 1])
        start, size = uintp(0), np.int64(0)
        h, word, width, length = uint64(0), uint64(0), 0, 0
        if longest is not None:
            # no edge is open yet, and the last may be open when there is none behind it
            stop += one
            at = last = after = uintp(0)
            is_first = False
        while i < stop:
            if member is not None:
                # pass over what is between tokens
                b = data[i]
                small = letter[b]
                if small == 0:
                    if b < 128:
                        i += one
                        continue
                    c, n = code_point(data, i)
                    if not member[c]:
                        i += uintp(n)
                        continue
                # the token, eight bytes at a time
                start = i
                length = 0
                width = 0
                h = uint64(0)
                word = uint64(0)
                while i < stop:
                    b = data[i]
                    small = letter[b]
                    if small != 0:
                        if width == 8:
                            h, word, width = blended(h, word), uint64(0), 0
                        word = (word << uint64(8)) | uint64(small)
                        width += 1
                        i += one
                    elif b < 128:
                        break
                    else:
                        c, n = code_point(data, i)
                        if not member[c]:
                            break
                        for _ in range(n):
                            if width == 8:
                                h, word, width = blended(h, word), uint64(0), 0
                            word = (word << uint64(8)) | uint64(data[i])
                            width += 1
                            i += one
                    length += 1
                if length < least:
                    continue
                size = np.int64(i - start)
            if edges is not None:
                if longest is None:
                    start, last = uintp(edges[i, 0]), uintp(edges[i, 1])
                    h, word, width = uint64(0), uint64(0), 0
                    at = start
                    while at < last:
                        if width == 8:
                            h, word, width = blended(h, word), uint64(0), 0
                        b = data[at]
                        word = (word << uint64(8)) | uint64(letter[b] if b < 128 else b)
                        width += 1
                        at += one
                    i += one
                    size = np.int64(last - start)
                else:
                    if at == last or length == longest:
                        # a run that begins a character later, if that is long enough, or at the next edge
                        is_first = at == last and length <= least
                        if is_first:
                            if i + one == stop:
                                break
                            after, last = uintp(edges[i, 0]), uintp(edges[i, 1])
                            i += one
                        start = at = after
                        h, word, width, length = uint64(0), uint64(0), 0, 0
                    b = data[at]
                    for _ in range(1 if b < 128 else 2 if b < 0xE0 else 3 if b < 0xF0 else 4):
                        if width == 8:
                            h, word, width = blended(h, word), uint64(0), 0
                        word = (word << uint64(8)) | uint64(data[at])
                        width += 1
                        at += one
                    length += 1
                    if length == 1:
                        after = at
                    if length < least and not (is_first and at == last):
                        continue
                    size = np.int64(at - start)
            full_hash = token_hash(h, word, size)
            # a short token is its own key, a long one is known by its hash and checked by its bytes
            short = size <= 8
            if edges is not None:
                short = short and not has_zero_byte(word, size)  # type: ignore[assignment]
            key = np.int64(word) if short else np.int64(full_hash)
            place = full_hash & mask
            value = table[place, VALUE]
            while value >= 0:
                if table[place, KEY] == key:
                    number = value >> 32
                    if short:
                        if number & 1 == 0:
                            break
                    elif number & 1 and rows[number >> 1, WIDTH] == size:  # noqa: SIM102
                        if same(data, start, size, letter, arena, rows[number >> 1, START]):
                            break
                place = (place + uint64(1)) & mask
                value = table[place, VALUE]
            token = value >> 33
            if value < 0:
                if frozen:
                    previous[:] = -1
                    continue
                if tokens == rows.shape[0] or used + size > arena.size:
                    status = TOKENS_FULL
                    break
                token = tokens
                for k in range(size):
                    b = data[start + uintp(k)]
                    arena[used + k] = letter[b] if b < 128 else b
                rows[token, START], rows[token, WIDTH] = used, size
                rows[token, LAST], rows[token, HASH] = np.int64(word), np.int64(full_hash)
                used += size
                value = ((2 * token + (0 if short else 1)) << 32) | SLOT
                table[place, KEY], table[place, VALUE] = key, value
                tokens += 1
            if token < stops:
                continue
            # the n-grams that end here, the long ones first, for each needs the shorter one of before
            for depth in range(high, 1, -1):
                parent = previous[depth - 1]
                previous[depth] = -1
                if parent < 0:
                    continue
                pair = pair_key(depth, parent, token)
                pair_place = mixed(uint64(pair)) & pair_mask
                pair_value = pairs[pair_place, VALUE]
                while pair_value >= 0 and pairs[pair_place, KEY] != pair:
                    pair_place = (pair_place + uint64(1)) & pair_mask
                    pair_value = pairs[pair_place, VALUE]
                if pair_value < 0:
                    if frozen:
                        continue
                    if nodes == parents.size:
                        status = NODES_FULL
                        break
                    parents[nodes], lasts[nodes], depths[nodes] = parent, token, depth
                    pair_value = (nodes << 32) | SLOT
                    pairs[pair_place, KEY], pairs[pair_place, VALUE] = pair, pair_value
                    nodes += 1
                node = pair_value >> 32
                previous[depth] = node
                if depth < low:
                    continue
                slot = pair_value & SLOT
                if slot >= begin and slot < nonzeros and indices[slot] == -1 - node:
                    counts[slot] += 1
                    continue
                if nonzeros == indices.size:
                    status = OUTPUT_FULL
                    break
                pairs[pair_place, VALUE] = (node << 32) | nonzeros
                indices[nonzeros], counts[nonzeros] = -1 - node, 1
                nonzeros += 1
            if status != DONE:
                break
            previous[1] = token
            if low > 1:
                continue
            slot = value & SLOT
            if slot >= begin and slot < nonzeros and indices[slot] == token:
                counts[slot] += 1
                continue
            if nonzeros == indices.size:
                status = OUTPUT_FULL
                break
            table[place, VALUE] = ((value >> 32) << 32) | nonzeros
            indices[nonzeros], counts[nonzeros] = token, 1
            nonzeros += 1
        if status != DONE:
            nonzeros = begin
            break
        document += 1
        indptr[document] = nonzeros
    used_sizes[0], used_sizes[1] = used, tokens
    node_sizes[0], sizes[0] = nodes, nonzeros
    return status, document
