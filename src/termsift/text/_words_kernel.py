"""The compiled finders of words: one pass over the UTF-8 bytes says where the words of each document are.

`does[c]` is what code point c does in words, as bits; the names of the bits are those of word_kinds.py.

Invariants:
- Token k is data[edges[k, 0]:edges[k, 1]], and those of document d are edges[indptr[d]:indptr[d + 1]].
  They are in the order of their first bytes, and overlap only as pairs of a script without spaces.
- Each finder gives what the pattern of its mode gives (word_patterns.py), to the byte.
- A token, with what parts it from the next, has two bytes or more: so there is room for all of them.
- Bytes are valid UTF-8, capitals outside ASCII already small.
"""

from __future__ import annotations

import numpy as np
from numba import uint32, uintp

from termsift._internal.kernels import njit
from termsift.text._bytes_kernel import code_point
from termsift.text.characters import (
    ATTACHED,
    BETWEEN_DIGITS,
    BETWEEN_LETTERS,
    CLUSTER,
    CONNECTOR,
    COUNTED,
    DIGIT,
    EXTEND,
    HASH,
    IDEOGRAPH,
    JOINER,
    KEY,
    LETTER,
    MARK,
    NO_TAG_AFTER,
    PICTOGRAPH,
    SHOWN,
    SIGN,
    STACKER,
    TAG,
    VIRAMA,
    WORD,
)
from termsift.text.characters import WORD_BITS_HEBREW as HEBREW
from termsift.text.characters import WORD_BITS_REGIONAL as REGIONAL

QUOTE, DOUBLE_QUOTE = 0x27, 0x22
ANY_LETTER = LETTER | HEBREW
CORE = LETTER | HEBREW | DIGIT
WITHIN = CORE | CONNECTOR
BETWEEN = BETWEEN_LETTERS | BETWEEN_DIGITS
# what a token of words="unicode" may begin with
STARTS = WITHIN | IDEOGRAPH | CLUSTER | PICTOGRAPH | SIGN | REGIONAL | HASH | KEY


@njit(inline="always")
def character(data, i, stop, does):  # type: ignore[no-untyped-def]
    """What the character at byte i does, and the byte after it; nothing at the end of the document."""
    if i >= stop:
        return uint32(0), i
    b = data[i]
    if b < 128:
        return does[b], i + uintp(1)
    c, n = code_point(data, i)
    return does[c], i + uintp(n)


@njit(inline="always")
def add_edge(data, start, end, least, edges, n):  # type: ignore[no-untyped-def]
    """Write down a token of `least` characters or more. Returns the number of tokens."""
    if least > 1:
        length = 0
        for k in range(start, end):
            length += data[k] & 0xC0 != 0x80
        if length < least:
            return n
    edges[n, 0], edges[n, 1] = start, end
    return n + 1


@njit(nogil=True)
def add_pairs(data, i, stop, kind, does, least, edges, n):  # type: ignore[no-untyped-def]
    """Write down the run of a script without spaces that begins at byte i, as pairs; one letter where alone.

    Returns where it ends, and the number of tokens.
    """
    before, units = i, 0
    what, after = character(data, i, stop, does)
    while what & kind:
        start, i, last = i, after, what
        what, after = character(data, i, stop, does)
        while what & ATTACHED or (what & CLUSTER and last & STACKER and kind == CLUSTER):
            i, last = after, what
            what, after = character(data, i, stop, does)
        units += 1
        if units > 1:
            n = add_edge(data, before, i, least, edges, n)
        before = start
    if units == 1:
        n = add_edge(data, before, i, least, edges, n)
    return i, n


@njit(nogil=True)
def tag_end(data, first, i, stop, does):  # type: ignore[no-untyped-def]
    """Where the tag whose sign is at byte i ends, i where there is none; `first` is where the text begins."""
    if i > first:
        before = i - uintp(1)
        while data[before] & 0xC0 == 0x80:
            before -= uintp(1)
        what, _ = character(data, before, stop, does)
        if what & NO_TAG_AFTER:
            return i
    _, end = character(data, i, stop, does)
    what, after = character(data, end, stop, does)
    if not what & WORD:
        return i
    while what & TAG:
        end = after
        what, after = character(data, end, stop, does)
    return end


@njit(cache=True, nogil=True)
def holds(data, does, bits):  # type: ignore[no-untyped-def]
    """Whether a character does one of these things."""
    i, stop = uintp(0), uintp(data.size)
    while i < stop:
        if data[i] < 128:
            i += uintp(1)
            continue
        what, i = character(data, i, stop, does)
        if what & bits:
            return True
    return False


@njit(nogil=True)
def auto_word_end(data, i, stop, does):  # type: ignore[no-untyped-def]
    """Where the word ends whose first letter is at byte i; i where it is too short.

    Letters and marks go on, joiners where a letter or mark follows, and one behind a virama.
    """
    last, end = character(data, i, stop, does)
    counted, at = 1, end
    what, after = character(data, at, stop, does)
    while what & (LETTER | MARK | JOINER):
        if not what & JOINER:
            end = after
            counted += what & (LETTER | COUNTED) != 0
        elif last & VIRAMA:
            end = after
        at, last = after, what
        what, after = character(data, at, stop, does)
    return end if counted > 1 else i


@njit(cache=True, nogil=True)
def find_auto_words(data, starts, does, hashtags, least):  # type: ignore[no-untyped-def]
    """The words of words="auto". Returns the data, edges and where those of each document begin."""
    edges = np.empty((data.size // 2 + starts.size, 2), dtype=np.int64)
    indptr = np.zeros(starts.size, dtype=np.int64)
    n = 0
    for document in range(starts.size - 1):
        first, stop = uintp(starts[document]), uintp(starts[document + 1])
        i = first
        while i < stop:
            what, after = character(data, i, stop, does)
            end = i
            if what & LETTER:
                end = auto_word_end(data, i, stop, does)
            elif what & (IDEOGRAPH | CLUSTER):
                i, n = add_pairs(data, i, stop, what & (IDEOGRAPH | CLUSTER), does, least, edges, n)
                continue
            elif hashtags and what & HASH:
                end = tag_end(data, first, i, stop, does)
            if end == i:
                i = after
                continue
            n = add_edge(data, i, end, least, edges, n)
            i = end
        indptr[document + 1] = n
    return data, edges[:n], indptr


@njit(nogil=True)
def past_extend(data, i, stop, does):  # type: ignore[no-untyped-def]
    """The first byte from i on that is of no extending character."""
    what, after = character(data, i, stop, does)
    while what & EXTEND:
        i = after
        what, after = character(data, i, stop, does)
    return i


@njit(nogil=True)
def past_shown(data, end, stop, does):  # type: ignore[no-untyped-def]
    """The end of a token with its marks, up to the last that is shown, and a joiner after a virama."""
    i, last = end, uint32(0)
    what, after = character(data, i, stop, does)
    while what & EXTEND:
        if what & SHOWN:
            end, last = after, what
        i = after
        what, after = character(data, i, stop, does)
    if last & VIRAMA:
        what, after = character(data, end, stop, does)
        if what & JOINER:
            return after
    return end


@njit(inline="always")
def ascii_word_end(data, i, stop, does):  # type: ignore[no-untyped-def]
    """Where the word of ASCII that begins at byte i ends, and what its characters do.

    Nothing where what is not ASCII may belong to it: most words are nothing else, and need no more than this.
    """
    seen = last = does[data[i]]
    end = i + uintp(1)
    while end < stop:
        b = data[end]
        if b >= 128:
            return i, uint32(0)
        what = does[b]
        if what & WITHIN:
            seen |= what
            last = what
            end += uintp(1)
            continue
        if not what & BETWEEN:
            return end, seen
        middle = end + uintp(1)
        if middle == stop:
            return end, seen
        b = data[middle]
        if b >= 128:
            return i, uint32(0)
        following = does[b]
        letters = what & BETWEEN_LETTERS and last & LETTER and following & LETTER
        if not letters and not (what & BETWEEN_DIGITS and last & DIGIT and following & DIGIT):
            return end, seen
        last = following
        end = middle + uintp(1)
    return end, seen


@njit(inline="always")
def word_end(data, i, stop, does):  # type: ignore[no-untyped-def]
    """Where the word that begins at byte i ends, and what its characters do."""
    what, end = character(data, i, stop, does)
    seen = what
    while True:
        # letters, digits and connectors, with what extends them where the word goes on behind it
        middle = end
        following, after = character(data, middle, stop, does)
        while following & (WITHIN | EXTEND):
            if following & WITHIN:
                seen |= following
                what, end = following, after
            middle = after
            following, after = character(data, middle, stop, does)
        if middle >= stop:
            break
        sign = data[middle]
        joins = what & ANY_LETTER and following & BETWEEN_LETTERS
        joins = joins or (what & DIGIT and following & BETWEEN_DIGITS)
        if not joins and not (what & HEBREW and sign == DOUBLE_QUOTE):
            break
        second, after_second = character(data, past_extend(data, after, stop, does), stop, does)
        wanted = DIGIT if what & DIGIT else HEBREW if sign == DOUBLE_QUOTE else ANY_LETTER
        if second & wanted:
            what, end = second, after_second
            continue
        if what & HEBREW and sign == QUOTE and not second & WITHIN:
            end = after
        break
    return end, seen


@njit(nogil=True)
def picture_end(data, end, stop, does):  # type: ignore[no-untyped-def]
    """Where the emoji ends whose first character ends at byte `end`."""
    while True:
        middle = past_extend(data, end, stop, does)
        # the last three bytes of what extends it are those of the joiner
        joined = middle - end >= 3 and data[middle - 3] == 0xE2 and data[middle - 2] == 0x80
        what, after = character(data, middle, stop, does)
        if not (joined and data[middle - 1] == 0x8D and what & (PICTOGRAPH | SIGN)):
            return past_shown(data, end, stop, does)
        end = after


@njit(inline="always")
def is_selector(data, i, stop):  # type: ignore[no-untyped-def]
    """Whether U+FE0F, which asks for a picture, is at byte i."""
    return i + uintp(2) < stop and data[i] == 0xEF and data[i + 1] == 0xB8 and data[i + 2] == 0x8F


@njit(nogil=True)
def keycap_end(data, i, stop):  # type: ignore[no-untyped-def]
    """Where the key ends whose sign is at byte i; i where there is none."""
    after = i + uintp(1)
    if is_selector(data, after, stop):
        after += uintp(3)
    if (
        after + uintp(2) < stop
        and data[after] == 0xE2
        and data[after + 1] == 0x83
        and data[after + 2] == 0xA3
    ):
        return after + uintp(3)
    return i


@njit(cache=True, nogil=True)
def find_unicode_words(data, starts, does, hashtags, least):  # type: ignore[no-untyped-def]
    """The words of words="unicode". Returns the data, edges and where those of each document begin."""
    edges = np.empty((data.size // 2 + starts.size, 2), dtype=np.int64)
    indptr = np.zeros(starts.size, dtype=np.int64)
    n = 0
    for document in range(starts.size - 1):
        first, stop = uintp(starts[document]), uintp(starts[document + 1])
        i = first
        while i < stop:
            what, after = character(data, i, stop, does)
            if not what & STARTS:
                i = after
                continue
            end = i
            if what & WITHIN:
                seen = uint32(0)
                if data[i] < 128:
                    end, seen = ascii_word_end(data, i, stop, does)
                if end == i:
                    end, seen = word_end(data, i, stop, does)
                    end = past_shown(data, end, stop, does)
                if not seen & CORE:
                    i = end
                    continue
            elif what & (IDEOGRAPH | CLUSTER):
                i, n = add_pairs(data, i, stop, what & (IDEOGRAPH | CLUSTER), does, least, edges, n)
                continue
            elif what & PICTOGRAPH or (what & SIGN and is_selector(data, after, stop)):
                end = picture_end(data, after, stop, does)
            elif what & REGIONAL:
                middle = past_extend(data, after, stop, does)
                second, after_second = character(data, middle, stop, does)
                if second & REGIONAL:
                    end = past_shown(data, after_second, stop, does)
            elif hashtags and what & HASH:
                end = tag_end(data, first, i, stop, does)
            if end == i and what & KEY:
                end = keycap_end(data, i, stop)
            if end == i:
                i = after
                continue
            n = add_edge(data, i, end, least, edges, n)
            i = end
        indptr[document + 1] = n
    return data, edges[:n], indptr


BLANK = 32


@njit(inline="always")
def character_at(data, i, blank):  # type: ignore[no-untyped-def]
    """The number of bytes of the character that begins at byte i, and whether it is white space."""
    b = data[i]
    if b < 128:
        return 1, blank[b]
    c, n = code_point(data, i)
    return n, blank[c]


@njit(inline="always")
def copy_character(data, i, n, small, out, at):  # type: ignore[no-untyped-def]
    """Write the n bytes of a character. Returns where the next one goes."""
    for k in range(n):
        out[at + k] = small[data[i + k]]
    return at + n


@njit(cache=True, nogil=True)
def find_texts(data, starts, blank, small, least):  # type: ignore[no-untyped-def]
    """Whole texts of `least` characters and more; white space of two characters and more is one blank."""
    out = np.empty(data.size, dtype=np.uint8)
    edges = np.empty((starts.size - 1, 2), dtype=np.int64)
    edge_indptr = np.zeros(starts.size, dtype=np.int64)
    at = n_edges = 0
    for document in range(starts.size - 1):
        i, stop = starts[document], starts[document + 1]
        begin, before, length, blanks = at, at, 0, 0
        while i < stop:
            n, is_blank = character_at(data, i, blank)
            blanks = blanks + 1 if is_blank else 0
            if blanks < 2:
                before, length = at, length + 1
                at = copy_character(data, i, n, small, out, at)
            elif blanks == 2:
                out[before] = BLANK
                at = before + 1
            i += n
        if length >= least:
            edges[n_edges, 0], edges[n_edges, 1] = begin, at
            n_edges += 1
        edge_indptr[document + 1] = n_edges
    return out[:at], edges[:n_edges], edge_indptr


@njit(cache=True, nogil=True)
def find_words(data, starts, blank, small):  # type: ignore[no-untyped-def]
    """What is between white space, with a blank before and one behind."""
    out = np.empty(data.size + 2 * starts.size, dtype=np.uint8)
    # memory that is not written to costs nothing
    edges = np.empty((data.size // 2 + starts.size, 2), dtype=np.int64)
    edge_indptr = np.zeros(starts.size, dtype=np.int64)
    at = n_edges = 0
    for document in range(starts.size - 1):
        i, stop = starts[document], starts[document + 1]
        out[at] = BLANK
        at += 1
        begin = at - 1
        while i < stop:
            n, is_blank = character_at(data, i, blank)
            if not is_blank:
                at = copy_character(data, i, n, small, out, at)
            i += n
            if at - begin > 1 and (is_blank or i == stop):
                out[at] = BLANK
                at += 1
                edges[n_edges, 0], edges[n_edges, 1] = begin, at
                n_edges += 1
                begin = at - 1
        edge_indptr[document + 1] = n_edges
    return out[:at], edges[:n_edges], edge_indptr
