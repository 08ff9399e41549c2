"""Compiled steps over bytes, several at a time: eight as one number, up to 64 as the bits of one.

Eight bytes are one number, the first of them its highest: so the bytes of a short token, as a number, are in
the order of the bytes.
"""

from __future__ import annotations

import numpy as np
from numba import uint8, uint64, uintp

from termsift._internal.kernels import BLOCK, block_bits, lowest_bit, njit

FOLD = 0x2020202020202020  # what makes capitals of ASCII small, in each of eight bytes


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


@njit(inline="always")
def eight_bytes(data, i):  # type: ignore[no-untyped-def]
    """The eight bytes from i on: one load, as LLVM sees it."""
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
def folded(word, fold):  # type: ignore[no-untyped-def]
    """Eight bytes, capitals of ASCII made small where `fold` is FOLD; as they are where it is 0.

    The highest bit of each byte of `from_a` says that the byte's lower seven bits are at least A, of
    `above_z` that they are above Z; no sum of two of them reaches the next byte.
    """
    low = word & uint64(0x7F7F7F7F7F7F7F7F)
    from_a = low + uint64(0x3F3F3F3F3F3F3F3F)
    above_z = low + uint64(0x2525252525252525)
    capital = (from_a ^ above_z) & ~word & uint64(0x8080808080808080)
    return word | ((capital >> uint64(2)) & fold)


@njit(inline="always")
def lowest_bytes(word, n):  # type: ignore[no-untyped-def]
    """The last n of eight bytes, 1 to 8; zeros before them."""
    return word & (uint64(0xFFFFFFFFFFFFFFFF) >> (uint64(64) - uint64(8) * uint64(n)))


@njit(inline="always")
def same(data, start, size, fold, arena, at):  # type: ignore[no-untyped-def]
    """Whether more than eight bytes of the text, folded, are those of the arena."""
    k = uintp(0)
    while k + uintp(8) < size:
        if folded(eight_bytes(data, start + k), fold) != eight_bytes(arena, at + k):
            return False
        k += uintp(8)
    k = size - uintp(8)
    return folded(eight_bytes(data, start + k), fold) == eight_bytes(arena, at + k)


@njit(nogil=True)
def member_bits(data, base, stop, letter, member, is_usual):  # type: ignore[no-untyped-def]
    """Which bytes from `base` on are of a token, as bits, and how many bytes were looked at.

    Those are 64, fewer before the stop, and fewer where a character that is not ASCII would be parted.
    is_usual : whether of ASCII letters, digits and the underscore are of tokens
    """
    n = min(stop - base, uintp(BLOCK))
    bits = high = uint64(0)
    if is_usual and n == uintp(BLOCK):
        bits, high = block_bits(data, base)
    else:
        for k in range(np.int64(n)):
            b = data[base + uintp(k)]
            bits |= uint64(letter[b] != 0) << uint64(k)
            high |= uint64(b >> 7) << uint64(k)
    while high:
        at = uintp(lowest_bit(high))
        c, width = code_point(data, base + at)
        if at + uintp(width) > uintp(BLOCK):
            return bits, at
        of_character = ((uint64(1) << uint64(width)) - uint64(1)) << uint64(at)
        if member[c]:
            bits |= of_character
        high &= ~of_character
    return bits, n


@njit(nogil=True)
def characters(data, start, last):  # type: ignore[no-untyped-def]
    """How many characters begin in a run of bytes."""
    n = 0
    for k in range(start, last):
        n += (data[k] & uint8(0xC0)) != uint8(0x80)
    return n
