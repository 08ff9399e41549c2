"""Inlined kernels that process several bytes at a time.

Eight bytes are loaded as one big-endian integer, so that short tokens compare as integers in the order of
their bytes. Properties of 64 bytes are the bits of one integer.
"""

from __future__ import annotations

import numpy as np
from numba import uint8, uint64, uintp

from termsift._internal.kernels import lowest_bit, njit

BLOCK = 64  # bytes whose properties are the bits of one integer
FOLD = 0x2020202020202020  # the bit that differs between uppercase and lowercase ASCII, in eight bytes


@njit(inline="always")
def code_point_and_width(data, i):  # type: ignore[no-untyped-def]
    """Return the non-ASCII code point that begins at byte i, and its number of bytes."""
    b = np.int64(data[i])
    if b < 0xE0:
        return ((b & 0x1F) << 6) | (np.int64(data[i + 1]) & 0x3F), 2
    if b < 0xF0:
        middle = (np.int64(data[i + 1]) & 0x3F) << 6
        return ((b & 0x0F) << 12) | middle | (np.int64(data[i + 2]) & 0x3F), 3
    upper = ((np.int64(data[i + 1]) & 0x3F) << 12) | ((np.int64(data[i + 2]) & 0x3F) << 6)
    return ((b & 0x07) << 18) | upper | (np.int64(data[i + 3]) & 0x3F), 4


@njit(inline="always")
def eight_bytes(data, i):  # type: ignore[no-untyped-def]
    """Return the eight bytes from i as an integer; LLVM compiles this to a single load."""
    return (
        (uint64(data[i]) << uint64(56))
        | (uint64(data[i + uintp(1)]) << uint64(48))
        | (uint64(data[i + uintp(2)]) << uint64(40))
        | (uint64(data[i + uintp(3)]) << uint64(32))
        | (uint64(data[i + uintp(4)]) << uint64(24))
        | (uint64(data[i + uintp(5)]) << uint64(16))
        | (uint64(data[i + uintp(6)]) << uint64(8))
        | uint64(data[i + uintp(7)])
    )


@njit(inline="always")
def fold_case(word, fold):  # type: ignore[no-untyped-def]
    """Return eight bytes with uppercase ASCII lowercased if `fold` is FOLD, unchanged if it is 0."""
    # The high bit of each byte of `from_a` is set if its lower seven bits are at least "A", that of `above_z`
    # if they are above "Z". Neither addition carries into the next byte.
    low = word & uint64(0x7F7F7F7F7F7F7F7F)
    from_a = low + uint64(0x3F3F3F3F3F3F3F3F)
    above_z = low + uint64(0x2525252525252525)
    capital = (from_a ^ above_z) & ~word & uint64(0x8080808080808080)
    return word | ((capital >> uint64(2)) & fold)


@njit(inline="always")
def last_bytes(word, n):  # type: ignore[no-untyped-def]
    """Return the last n of eight bytes (1 to 8), preceded by zeros."""
    return word & (uint64(0xFFFFFFFFFFFFFFFF) >> (uint64(64) - uint64(8) * uint64(n)))


@njit(inline="always")
def equals_arena(data, start, size, fold, arena, arena_start):  # type: ignore[no-untyped-def]
    """Return whether more than eight bytes of the text, case-fold_case, equal those of the arena."""
    k = uintp(0)
    while k + uintp(8) < size:
        if fold_case(eight_bytes(data, start + k), fold) != eight_bytes(arena, arena_start + k):
            return False
        k += uintp(8)
    k = size - uintp(8)
    return fold_case(eight_bytes(data, start + k), fold) == eight_bytes(arena, arena_start + k)


@njit(nogil=True)
def token_byte_bits(data, base, stop, letter, member):  # type: ignore[no-untyped-def]
    """Return which bytes from `base` belong to tokens, as bits, and the number of bytes examined.

    That number is 64, or less before `stop` and before a character that crosses the end of the block.
    """
    n = min(stop - base, uintp(BLOCK))
    bits = high = uint64(0)
    for k in range(np.int64(n)):
        b = data[base + uintp(k)]
        bits |= uint64(letter[b] != 0) << uint64(k)
        high |= uint64(b >> 7) << uint64(k)
    # non-ASCII characters, one by one
    while high:
        position = uintp(lowest_bit(high))
        c, width = code_point_and_width(data, base + position)
        if position + uintp(width) > uintp(BLOCK):
            return bits, position
        character_bits = ((uint64(1) << uint64(width)) - uint64(1)) << uint64(position)
        if member[c]:
            bits |= character_bits
        high &= ~character_bits
    return bits, n


@njit(nogil=True)
def count_characters(data, start, last):  # type: ignore[no-untyped-def]
    """Return the number of UTF-8 characters in data[start:last]."""
    n = 0
    for k in range(start, last):
        # continuation bytes are 10xxxxxx
        n += (data[k] & uint8(0xC0)) != uint8(0x80)
    return n
