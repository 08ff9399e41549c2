"""The compiled scan of text: one pass over the UTF-8 bytes gives each document's terms and their counts.

Tokens come from one of three sources, which the arguments that are None choose when the loop is compiled:
- runs of characters of one kind, found in the loop (`edges` and `longest` are None);
- tokens whose edges were found before (`member` and `longest` are None): token k is
  data[edges[k, 0]:edges[k, 1]], and those of document d are edges[starts[d]:starts[d + 1]], in their order,
  as n-grams are of tokens that follow each other;
- runs of `least` to `longest` characters within such edges, made in the loop: there are too many to be
  written down (`member` is None). Of what has fewer characters than the shortest run, the whole is taken.

A document is taken in rounds of up to ROUND tokens, each in three steps, so that memory is asked for before
it is read: find the tokens, and ask for their places in the table; find their numbers, and ask for the
places of pairs; count. A step at a time of one token alone would wait for memory at each.
One loop for all: with the parts of it in functions that are inlined it took two to three times as long.

In `indices` a token stands as itself, a node as -1 - node.

Invariants, beside those of the lexicon:
- A token found in the loop holds no zero byte.
  A stop word or a term from elsewhere that holds one is kept as if it were long, and is never met.
- Tokens at edges may overlap, and may hold any byte, the zero byte and blanks too; none is empty.
  N-grams are ranked by their tokens, so where they are asked for no token holds a character up to the space.
- `letter[b]` is the small form of an ASCII byte, or the byte itself; of runs of one kind it is 0 for a byte
  that may not be in a token, and for bytes that are not ASCII.
- When an array is full the scan stops before the document it is in, says which array, and can be called
  again at that document once the caller has made it longer: arrays that are replaced inside the loop
  would cost the loop its speed.
- Tokens below `stops` are left out. A frozen scan adds no token and no node.
- Bytes are valid UTF-8, capitals outside ASCII already small.
"""

from __future__ import annotations

import numpy as np
from numba import uint64, uintp

from termsift._internal.kernels import BLOCK, lowest_bit, njit, prefetch
from termsift.text._bytes_kernel import FOLD, characters, eight_bytes, folded, lowest_bytes, member_bits, same
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
    token_hash,
)

ROUND = 32  # tokens
UNKNOWN = -1


@njit(cache=True, nogil=True)
def scan(  # type: ignore[no-untyped-def]
    data, starts, edges, member, letter, least, longest, first, stops, low, high, frozen,
    arena, rows, table, used_sizes, parents, lasts, depths, pairs, node_sizes,
    indptr, indices, counts, sizes,
):  # fmt: skip
    """Scan documents from `first` on. Returns (status, the document to go on with)."""
    one, eight = uintp(1), uintp(8)
    fold = uint64(0)
    for b in range(65, 91):
        if letter[b] == b + 32:
            fold = uint64(FOLD)
    is_usual = True
    if member is not None:
        for b in range(128):
            is_word = 48 <= b <= 57 or 65 <= b <= 90 or b == 95 or 97 <= b <= 122
            is_usual = is_usual and (letter[b] != 0) == is_word
    mask = uint64(table.shape[0] - 1)
    pair_mask = uint64(pairs.shape[0] - 1)
    used, tokens = used_sizes[0], used_sizes[1]
    nodes, nonzeros = node_sizes[0], sizes[0]
    previous = np.full(high + 1, UNKNOWN, dtype=np.int64)
    # the tokens of a round: where they begin, their sizes, last words and hashes; their places and numbers
    begins, widths = np.empty(ROUND, dtype=np.uintp), np.empty(ROUND, dtype=np.uintp)
    words, hashes = np.empty(ROUND, dtype=np.uint64), np.empty(ROUND, dtype=np.uint64)
    places, numbers = np.empty(ROUND, dtype=np.uint64), np.empty(ROUND, dtype=np.int64)
    status = DONE
    document = first
    n_documents = starts.size - 1
    while document < n_documents and status == DONE:
        begin = nonzeros
        previous[:] = UNKNOWN
        before = np.int64(UNKNOWN)
        i, stop = uintp(starts[document]), uintp(starts[document + 1])
        start = last = uintp(0)
        h, word, size = uint64(0), uint64(0), uintp(0)
        # runs: where tokens begin and end in a block of bytes, as bits; whether one is open
        changes, block, is_open = uint64(0), i, False
        if longest is not None:
            # no edge is open yet, and the last may be open when there is none behind it
            stop += one
            at = after = uintp(0)
            width = length = 0
            is_first = False
        is_more = True
        while is_more and status == DONE:
            n_round = 0
            while n_round < ROUND:
                if member is not None:
                    if changes == 0:
                        if i < stop:
                            bits, n = member_bits(data, i, stop, letter, member, is_usual)
                            changes = bits ^ ((bits << uint64(1)) | uint64(is_open))
                            if n < uintp(BLOCK):
                                changes &= (uint64(1) << uint64(n)) - uint64(1)
                            block = i
                            i += n
                            continue
                        if not is_open:
                            is_more = False
                            break
                        last = stop
                    else:
                        if not is_open:
                            start = block + uintp(lowest_bit(changes))
                            changes &= changes - uint64(1)
                            if changes == 0:
                                is_open = True
                                continue
                        last = block + uintp(lowest_bit(changes))
                        changes &= changes - uint64(1)
                    is_open = False
                    if last - start < uintp(least):
                        continue
                if edges is not None:  # noqa: SIM102
                    if longest is None:
                        if i == stop:
                            is_more = False
                            break
                        start, last = uintp(edges[i, 0]), uintp(edges[i, 1])
                        i += one
                if longest is None:
                    # the token, eight bytes at a time
                    size = last - start
                    h = uint64(0)
                    if last >= eight:
                        first_byte = start
                        while first_byte + eight < last:
                            h = blended(h, folded(eight_bytes(data, first_byte), fold))
                            first_byte += eight
                        word = folded(eight_bytes(data, last - eight), fold)
                        word = lowest_bytes(word, last - first_byte)
                    else:
                        word = uint64(0)
                        for k in range(start, last):
                            word = (word << uint64(8)) | uint64(data[k])
                        word = folded(word, fold)
                    if member is not None and size < uintp(4 * least):
                        is_ascii = size <= eight and word & uint64(0x8080808080808080) == 0
                        if not is_ascii and characters(data, start, last) < least:
                            continue
                else:
                    if at == last or length == longest:
                        # a run that begins a character later, if that is long enough, or at the next edge
                        is_first = at == last and length <= least
                        if is_first:
                            if i + one == stop:
                                is_more = False
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
                    size = at - start
                full_hash = token_hash(h, word, size)
                prefetch(table, full_hash & mask)
                begins[n_round], widths[n_round] = start, size
                words[n_round], hashes[n_round] = word, full_hash
                n_round += 1
            for t in range(n_round):
                token_start, token_size, token_word, full_hash = begins[t], widths[t], words[t], hashes[t]
                # a short token is its own key, a long one is known by its hash and checked by its bytes
                short = token_size <= eight
                if edges is not None:
                    short = short and not has_zero_byte(token_word, token_size)
                key = np.int64(token_word) if short else np.int64(full_hash)
                place = full_hash & mask
                value = table[place, VALUE]
                while value >= 0:
                    if table[place, KEY] == key:
                        number = value >> 32
                        if short:
                            if number & 1 == 0:
                                break
                        elif number & 1 and uintp(rows[number >> 1, WIDTH]) == token_size:
                            arena_start = uintp(rows[number >> 1, START])
                            if token_size > eight:
                                if same(data, token_start, token_size, fold, arena, arena_start):
                                    break
                            elif uint64(rows[number >> 1, LAST]) == token_word:
                                break
                    place = (place + uint64(1)) & mask
                    value = table[place, VALUE]
                token = value >> 33
                if value < 0:
                    if frozen:
                        numbers[t] = before = np.int64(UNKNOWN)
                        continue
                    width_now = np.int64(token_size)
                    if tokens == rows.shape[0] or used + width_now > arena.size:
                        status = TOKENS_FULL
                        break
                    token = tokens
                    for k in range(width_now):
                        b = data[token_start + uintp(k)]
                        arena[used + k] = letter[b] if b < 128 else b
                    rows[token, START], rows[token, WIDTH] = used, width_now
                    rows[token, LAST], rows[token, HASH] = np.int64(token_word), np.int64(full_hash)
                    used += width_now
                    value = ((2 * token + (0 if short else 1)) << 32) | SLOT
                    table[place, KEY], table[place, VALUE] = key, value
                    tokens += 1
                if high > 1:
                    places[t], numbers[t] = place, token
                    if token >= stops:
                        if before != UNKNOWN:
                            prefetch(pairs, mixed(uint64(pair_key(2, before, token))) & pair_mask)
                        before = token
                    continue
                # without n-grams there is nothing more to wait for
                if token < stops:
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
                break
            for t in range(n_round if high > 1 else 0):
                token, place = numbers[t], places[t]
                if token < stops:
                    if token == UNKNOWN:
                        previous[:] = UNKNOWN
                    continue
                # the n-grams that end here, the long ones first, for each needs the shorter one of before
                for depth in range(high, 1, -1):
                    parent = previous[depth - 1]
                    previous[depth] = UNKNOWN
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
                value = table[place, VALUE]
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
