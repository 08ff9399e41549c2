"""Kernel that scans texts: one pass over UTF-8 bytes yields the terms of each document with their counts.

Tokens come from one of three sources; the arguments that are None select it at compile time:
- maximal runs of characters of one class, found by this kernel (`edges` and `max_length` are None);
- tokens whose edges are known (`member` and `max_length` are None): token k is
  data[edges[k, 0]:edges[k, 1]], and those of document d are edges[starts[d]:starts[d + 1]], in text order,
  because n-grams consist of consecutive tokens;
- n-grams of `min_length` to `max_length` characters within such edges, generated here because there are too
  many to store (`member` is None). A text shorter than the shortest n-gram is one term.

A document is processed in rounds of up to ROUND tokens, each in three steps, so that memory is prefetched
before it is needed: find the tokens and prefetch their table entries; look up their numbers and prefetch the
entries of pairs; count. Processing one token at a time would wait for memory at each.
This is one long function on purpose: split into inlined functions it took two to three times as long.

In `indices` a token is its number, a node -1 - node.

Invariants, in addition to those of the lexicon:
- A token found by the kernel contains no zero byte.
  Stop words and added terms that contain one are stored as long tokens, and never match.
- Tokens given by edges may overlap and may contain any byte, including zero bytes and spaces; none is empty.
  N-grams are sorted by their tokens, so with n-grams no token contains a character up to the space.
- `letter[b]` is the lowercase form of ASCII byte b, or the byte itself; for runs of one class it is 0 for
  bytes outside the class and for non-ASCII bytes.
- If an array is full, the scan stops before the current document and returns which array; the caller
  enlarges it and calls again. Arrays that are replaced inside the loop would prevent optimizations.
- Tokens below `stops` are stop words. A frozen scan adds no token and no node.
- Bytes are valid UTF-8; non-ASCII uppercase has been lowercased before.
"""

from __future__ import annotations

import numpy as np
from numba import uint64, uintp

from termsift._internal.kernels import lowest_bit, njit, prefetch
from termsift.text._bytes_kernel import (
    BLOCK,
    FOLD,
    count_characters,
    eight_bytes,
    equals_arena,
    fold_case,
    last_bytes,
    token_byte_bits,
)
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
    has_zero_byte,
    mix_hash,
    pair_key,
    token_hash,
    update_hash,
)

ROUND = 32  # tokens per round
UNKNOWN = -1


@njit(cache=True, nogil=True)
def scan(  # type: ignore[no-untyped-def]
    data, starts, edges, member, letter, min_length, max_length, first, stops, low, high, frozen,
    arena, rows, table, used_sizes, parents, lasts, depths, pairs, node_sizes,
    indptr, indices, counts, sizes,
):  # fmt: skip
    """Scan documents from `first` and return the status and the document to continue with."""
    fold = uint64(0)
    for b in range(65, 91):
        if letter[b] == b + 32:
            fold = uint64(FOLD)
    mask = uint64(table.shape[0] - 1)
    pair_mask = uint64(pairs.shape[0] - 1)
    used, tokens = used_sizes[0], used_sizes[1]
    nodes, nonzeros = node_sizes[0], sizes[0]
    previous_nodes = np.full(high + 1, UNKNOWN, dtype=np.int64)
    # of the tokens of a round: start, size, last word and hash; table entry and number
    begins, widths = np.empty(ROUND, dtype=np.uintp), np.empty(ROUND, dtype=np.uintp)
    last_words, hashes = np.empty(ROUND, dtype=np.uint64), np.empty(ROUND, dtype=np.uint64)
    entries, token_numbers = np.empty(ROUND, dtype=np.uint64), np.empty(ROUND, dtype=np.int64)
    status = DONE
    document = first
    n_documents = starts.size - 1
    while document < n_documents and status == DONE:
        begin = nonzeros
        previous_nodes[:] = UNKNOWN
        previous_token = np.int64(UNKNOWN)
        i, stop = uintp(starts[document]), uintp(starts[document + 1])
        start = last = uintp(0)
        h, word, size = uint64(0), uint64(0), uintp(0)
        # runs: bits at which tokens begin or end in a block, and whether a token is open at the end
        changes, block, is_open = uint64(0), i, False
        if max_length is not None:
            # n-grams of the last edge remain when all edges have been read, hence one more step
            stop += uintp(1)
            position = next_position = uintp(0)
            width = length = 0
            is_first = False
        has_tokens = True
        while has_tokens and status == DONE:
            n_round = 0
            while n_round < ROUND:
                if member is not None:
                    if changes == 0:
                        if i < stop:
                            bits, n = token_byte_bits(data, i, stop, letter, member)
                            changes = bits ^ ((bits << uint64(1)) | uint64(is_open))
                            if n < uintp(BLOCK):
                                changes &= (uint64(1) << uint64(n)) - uint64(1)
                            block = i
                            i += n
                            continue
                        if not is_open:
                            has_tokens = False
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
                    if last - start < uintp(min_length):
                        continue
                if edges is not None:  # noqa: SIM102
                    if max_length is None:
                        if i == stop:
                            has_tokens = False
                            break
                        start, last = uintp(edges[i, 0]), uintp(edges[i, 1])
                        i += uintp(1)
                if max_length is None:
                    # the token, eight bytes at a time
                    size = last - start
                    h = uint64(0)
                    if last >= uintp(8):
                        first_byte = start
                        while first_byte + uintp(8) < last:
                            h = update_hash(h, fold_case(eight_bytes(data, first_byte), fold))
                            first_byte += uintp(8)
                        word = fold_case(eight_bytes(data, last - uintp(8)), fold)
                        word = last_bytes(word, last - first_byte)
                    else:
                        word = uint64(0)
                        for k in range(start, last):
                            word = (word << uint64(8)) | uint64(data[k])
                        word = fold_case(word, fold)
                    if member is not None and size < uintp(4 * min_length):
                        is_ascii = size <= uintp(8) and word & uint64(0x8080808080808080) == 0
                        if not is_ascii and count_characters(data, start, last) < min_length:
                            continue
                else:
                    if position == last or length == max_length:
                        # continue with the n-grams that begin one character later, or with the next edge
                        is_first = position == last and length <= min_length
                        if is_first:
                            if i + uintp(1) == stop:
                                has_tokens = False
                                break
                            next_position, last = uintp(edges[i, 0]), uintp(edges[i, 1])
                            i += uintp(1)
                        start = position = next_position
                        h, word, width, length = uint64(0), uint64(0), 0, 0
                    b = data[position]
                    for _ in range(1 if b < 128 else 2 if b < 0xE0 else 3 if b < 0xF0 else 4):
                        if width == 8:
                            h, word, width = update_hash(h, word), uint64(0), 0
                        word = (word << uint64(8)) | uint64(data[position])
                        width += 1
                        position += uintp(1)
                    length += 1
                    if length == 1:
                        next_position = position
                    if length < min_length and not (is_first and position == last):
                        continue
                    size = position - start
                full_hash = token_hash(h, word, size)
                prefetch(table, full_hash & mask)
                begins[n_round], widths[n_round] = start, size
                last_words[n_round], hashes[n_round] = word, full_hash
                n_round += 1
            for t in range(n_round):
                token_start, token_size = begins[t], widths[t]
                token_word, full_hash = last_words[t], hashes[t]
                # a short token is its key; a long one is found by its hash and compared by its bytes
                short = token_size <= uintp(8)
                if edges is not None:
                    short = short and not has_zero_byte(token_word, token_size)
                key = np.int64(token_word) if short else np.int64(full_hash)
                entry = full_hash & mask
                value = table[entry, VALUE]
                while value >= 0:
                    if table[entry, KEY] == key:
                        number = value >> 32
                        if short:
                            if number & 1 == 0:
                                break
                        elif number & 1 and uintp(rows[number >> 1, WIDTH]) == token_size:
                            arena_start = uintp(rows[number >> 1, START])
                            if token_size > uintp(8):
                                if equals_arena(data, token_start, token_size, fold, arena, arena_start):
                                    break
                            elif uint64(rows[number >> 1, LAST]) == token_word:
                                break
                    entry = (entry + uint64(1)) & mask
                    value = table[entry, VALUE]
                token = value >> 33
                if value < 0:
                    if frozen:
                        token_numbers[t] = previous_token = np.int64(UNKNOWN)
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
                    table[entry, KEY], table[entry, VALUE] = key, value
                    tokens += 1
                if high > 1:
                    entries[t], token_numbers[t] = entry, token
                    if token >= stops:
                        if previous_token != UNKNOWN:
                            prefetch(pairs, mix_hash(uint64(pair_key(2, previous_token, token))) & pair_mask)
                        previous_token = token
                    continue
                # without n-grams the token is counted at once
                if token < stops:
                    continue
                slot = value & SLOT
                if slot >= begin and slot < nonzeros and indices[slot] == token:
                    counts[slot] += 1
                    continue
                if nonzeros == indices.size:
                    status = OUTPUT_FULL
                    break
                table[entry, VALUE] = ((value >> 32) << 32) | nonzeros
                indices[nonzeros], counts[nonzeros] = token, 1
                nonzeros += 1
            if status != DONE:
                break
            for t in range(n_round if high > 1 else 0):
                token, entry = token_numbers[t], entries[t]
                if token < stops:
                    if token == UNKNOWN:
                        previous_nodes[:] = UNKNOWN
                    continue
                # n-grams that end with this token, longest first: each extends the shorter one before it
                for depth in range(high, 1, -1):
                    parent = previous_nodes[depth - 1]
                    previous_nodes[depth] = UNKNOWN
                    if parent < 0:
                        continue
                    pair = pair_key(depth, parent, token)
                    pair_entry = mix_hash(uint64(pair)) & pair_mask
                    pair_value = pairs[pair_entry, VALUE]
                    while pair_value >= 0 and pairs[pair_entry, KEY] != pair:
                        pair_entry = (pair_entry + uint64(1)) & pair_mask
                        pair_value = pairs[pair_entry, VALUE]
                    if pair_value < 0:
                        if frozen:
                            continue
                        if nodes == parents.size:
                            status = NODES_FULL
                            break
                        parents[nodes], lasts[nodes], depths[nodes] = parent, token, depth
                        pair_value = (nodes << 32) | SLOT
                        pairs[pair_entry, KEY], pairs[pair_entry, VALUE] = pair, pair_value
                        nodes += 1
                    node = pair_value >> 32
                    previous_nodes[depth] = node
                    if depth < low:
                        continue
                    slot = pair_value & SLOT
                    if slot >= begin and slot < nonzeros and indices[slot] == -1 - node:
                        counts[slot] += 1
                        continue
                    if nonzeros == indices.size:
                        status = OUTPUT_FULL
                        break
                    pairs[pair_entry, VALUE] = (node << 32) | nonzeros
                    indices[nonzeros], counts[nonzeros] = -1 - node, 1
                    nonzeros += 1
                if status != DONE:
                    break
                previous_nodes[1] = token
                if low > 1:
                    continue
                value = table[entry, VALUE]
                slot = value & SLOT
                if slot >= begin and slot < nonzeros and indices[slot] == token:
                    counts[slot] += 1
                    continue
                if nonzeros == indices.size:
                    status = OUTPUT_FULL
                    break
                table[entry, VALUE] = ((value >> 32) << 32) | nonzeros
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
