"""Kernels that find words: one pass over UTF-8 bytes yields the edges of the tokens of each document.

`classes[c]` holds the character classes of code point c as bits; their names are those of characters.py.

Invariants:
- Token k is data[edges[k, 0]:edges[k, 1]], and those of document d are edges[indptr[d]:indptr[d + 1]].
  They are sorted by their first byte, and overlap only as letter pairs of a script without spaces.
- Each kernel finds exactly the matches of the pattern of its mode in characters.py.
- A token with its delimiter has at least two bytes, so data.size // 2 edges per document suffice.
- Bytes are valid UTF-8; non-ASCII uppercase has been lowercased before.
"""

from __future__ import annotations

import numpy as np
from numba import uint32, uint64, uintp

from termsift._internal.kernels import njit
from termsift.text._bytes_kernel import code_point_and_width, eight_bytes
from termsift.text.characters import CLASS_NAMES

# bits of the character classes, in the order of CLASS_NAMES
(
    LETTER, MARK, COUNTED, JOINER, IDEOGRAPH, CLUSTER, ATTACHED, STACKER, VIRAMA, WORD, TAG,
    HASH, NO_TAG_AFTER, HEBREW, DIGIT, CONNECTOR, BETWEEN_LETTERS, BETWEEN_DIGITS, EXTEND, SHOWN,
    REGIONAL, PICTOGRAPH, SIGN, KEY,
) = (1 << bit for bit in range(len(CLASS_NAMES)))  # fmt: skip
QUOTE, DOUBLE_QUOTE = 0x27, 0x22
UNSPACED = IDEOGRAPH | CLUSTER  # letters of scripts without spaces
ANY_LETTER = LETTER | HEBREW
CORE = LETTER | HEBREW | DIGIT
WITHIN = CORE | CONNECTOR
BETWEEN = BETWEEN_LETTERS | BETWEEN_DIGITS
# classes that a token of words="unicode" may begin with
STARTS = WITHIN | UNSPACED | PICTOGRAPH | SIGN | REGIONAL | HASH | KEY


@njit(inline="always")
def read_character(data, i, stop, classes):  # type: ignore[no-untyped-def]
    """Return the classes of the character at byte i (0 at the end), and the position after it."""
    if i >= stop:
        return uint32(0), i
    b = data[i]
    if b < 128:
        return classes[b], i + uintp(1)
    c, n = code_point_and_width(data, i)
    return classes[c], i + uintp(n)


@njit(inline="always")
def add_edge(data, start, end, min_length, edges, n):  # type: ignore[no-untyped-def]
    """Store the edges of a token of at least `min_length` characters and return the number of tokens."""
    if min_length > 1:
        length = 0
        for k in range(start, end):
            length += data[k] & 0xC0 != 0x80
        if length < min_length:
            return n
    edges[n, 0], edges[n, 1] = start, end
    return n + 1


@njit(nogil=True)
def add_letter_pairs(data, i, stop, script, classes, min_length, edges, n):  # type: ignore[no-untyped-def]
    """Store the letter pairs of the run of an unspaced script at byte i, or its only letter.

    Return the end of the run and the number of tokens.
    """
    previous, n_letters = i, 0
    current, after = read_character(data, i, stop, classes)
    while current & script:
        start, i, last_classes = i, after, current
        current, after = read_character(data, i, stop, classes)
        while current & ATTACHED or (current & CLUSTER and last_classes & STACKER and script == CLUSTER):
            i, last_classes = after, current
            current, after = read_character(data, i, stop, classes)
        n_letters += 1
        if n_letters > 1:
            n = add_edge(data, previous, i, min_length, edges, n)
        previous = start
    if n_letters == 1:
        n = add_edge(data, previous, i, min_length, edges, n)
    return i, n


@njit(nogil=True)
def tag_end(data, first, i, stop, classes):  # type: ignore[no-untyped-def]
    """Return the end of the tag whose sign is at byte i, or i if there is none; `first` begins the text."""
    if i > first:
        previous = i - uintp(1)
        while data[previous] & 0xC0 == 0x80:
            previous -= uintp(1)
        current, _ = read_character(data, previous, stop, classes)
        if current & NO_TAG_AFTER:
            return i
    _, end = read_character(data, i, stop, classes)
    current, after = read_character(data, end, stop, classes)
    if not current & WORD:
        return i
    while current & TAG:
        end = after
        current, after = read_character(data, end, stop, classes)
    return end


@njit(cache=True, nogil=True)
def documents_with_class(data, starts, classes, bits):  # type: ignore[no-untyped-def]
    """Return which documents have a non-ASCII character of one of the classes."""
    has_class = np.zeros(starts.size - 1, dtype=np.bool_)
    for d in range(has_class.size):
        i, stop = uintp(starts[d]), uintp(starts[d + 1])
        while i < stop:
            if i + uintp(8) <= stop and eight_bytes(data, i) & uint64(0x8080808080808080) == 0:
                i += uintp(8)
            elif data[i] < 128:
                i += uintp(1)
            else:
                current, i = read_character(data, i, stop, classes)
                if current & bits:
                    has_class[d] = True
                    break
    return has_class


@njit(nogil=True)
def auto_word_end(data, i, stop, classes):  # type: ignore[no-untyped-def]
    """Return the end of the word whose first letter is at byte i, or i if it is too short.

    Letters and marks continue it, joiners if a letter or mark follows, and one joiner after a final virama.
    """
    last_classes, end = read_character(data, i, stop, classes)
    counted, position = 1, end
    current, after = read_character(data, position, stop, classes)
    while current & (LETTER | MARK | JOINER):
        if not current & JOINER:
            end = after
            counted += current & (LETTER | COUNTED) != 0
        elif last_classes & VIRAMA:
            end = after
        position, last_classes = after, current
        current, after = read_character(data, position, stop, classes)
    return end if counted > 1 else i


@njit(cache=True, nogil=True)
def find_auto_words(data, starts, classes, hashtags, min_length):  # type: ignore[no-untyped-def]
    """Find the words of words="auto" and return data, edges and indptr."""
    edges = np.empty((data.size // 2 + starts.size, 2), dtype=np.int64)
    indptr = np.zeros(starts.size, dtype=np.int64)
    n = 0
    for document in range(starts.size - 1):
        first, stop = uintp(starts[document]), uintp(starts[document + 1])
        i = first
        while i < stop:
            current, after = read_character(data, i, stop, classes)
            end = i
            if current & LETTER:
                end = auto_word_end(data, i, stop, classes)
            elif current & UNSPACED:
                i, n = add_letter_pairs(data, i, stop, current & UNSPACED, classes, min_length, edges, n)
                continue
            elif hashtags and current & HASH:
                end = tag_end(data, first, i, stop, classes)
            if end == i:
                i = after
                continue
            n = add_edge(data, i, end, min_length, edges, n)
            i = end
        indptr[document + 1] = n
    return data, edges[:n], indptr


@njit(nogil=True)
def skip_extend(data, i, stop, classes):  # type: ignore[no-untyped-def]
    """Return the position after the extending characters at byte i."""
    current, after = read_character(data, i, stop, classes)
    while current & EXTEND:
        i = after
        current, after = read_character(data, i, stop, classes)
    return i


@njit(nogil=True)
def skip_visible_marks(data, end, stop, classes):  # type: ignore[no-untyped-def]
    """Return the end of a token including its visible marks, and a joiner after a virama."""
    i, last_classes = end, uint32(0)
    current, after = read_character(data, i, stop, classes)
    while current & EXTEND:
        if current & SHOWN:
            end, last_classes = after, current
        i = after
        current, after = read_character(data, i, stop, classes)
    if last_classes & VIRAMA:
        current, after = read_character(data, end, stop, classes)
        if current & JOINER:
            return after
    return end


@njit(inline="always")
def read_ascii_word(data, i, stop, classes):  # type: ignore[no-untyped-def]
    """Return the end of the ASCII word at byte i and the classes of its characters.

    Return i if a non-ASCII character may belong to the word. This is the fast path for most words.
    """
    word_classes = last_classes = classes[data[i]]
    end = i + uintp(1)
    while end < stop:
        b = data[end]
        if b >= 128:
            return i, uint32(0)
        current = classes[b]
        if current & WITHIN:
            word_classes |= current
            last_classes = current
            end += uintp(1)
            continue
        if not current & BETWEEN:
            return end, word_classes
        middle = end + uintp(1)
        if middle == stop:
            return end, word_classes
        b = data[middle]
        if b >= 128:
            return i, uint32(0)
        following = classes[b]
        letters = current & BETWEEN_LETTERS and last_classes & LETTER and following & LETTER
        if not letters and not (current & BETWEEN_DIGITS and last_classes & DIGIT and following & DIGIT):
            return end, word_classes
        last_classes = following
        end = middle + uintp(1)
    return end, word_classes


@njit(inline="always")
def read_unicode_word(data, i, stop, classes):  # type: ignore[no-untyped-def]
    """Return the end of the word at byte i and the classes of its characters."""
    current, end = read_character(data, i, stop, classes)
    word_classes = current
    while True:
        # letters, digits and connectors; extending characters only if the word continues after them
        middle = end
        following, after = read_character(data, middle, stop, classes)
        while following & (WITHIN | EXTEND):
            if following & WITHIN:
                word_classes |= following
                current, end = following, after
            middle = after
            following, after = read_character(data, middle, stop, classes)
        if middle >= stop:
            break
        sign = data[middle]
        is_joined = current & ANY_LETTER and following & BETWEEN_LETTERS
        is_joined = is_joined or (current & DIGIT and following & BETWEEN_DIGITS)
        if not is_joined and not (current & HEBREW and sign == DOUBLE_QUOTE):
            break
        second, after_second = read_character(data, skip_extend(data, after, stop, classes), stop, classes)
        required = DIGIT if current & DIGIT else HEBREW if sign == DOUBLE_QUOTE else ANY_LETTER
        if second & required:
            current, end = second, after_second
            continue
        if current & HEBREW and sign == QUOTE and not second & WITHIN:
            end = after
        break
    return end, word_classes


@njit(nogil=True)
def emoji_end(data, end, stop, classes):  # type: ignore[no-untyped-def]
    """Return the end of the emoji sequence whose first character ends at byte `end`."""
    while True:
        middle = skip_extend(data, end, stop, classes)
        # the extending characters must end with U+200D (E2 80 8D)
        joined = middle - end >= 3 and data[middle - 3] == 0xE2 and data[middle - 2] == 0x80
        current, after = read_character(data, middle, stop, classes)
        if not (joined and data[middle - 1] == 0x8D and current & (PICTOGRAPH | SIGN)):
            return skip_visible_marks(data, end, stop, classes)
        end = after


@njit(inline="always")
def is_selector(data, i, stop):  # type: ignore[no-untyped-def]
    """Return whether U+FE0F, the selector of emoji presentation, is at byte i."""
    return i + uintp(2) < stop and data[i] == 0xEF and data[i + 1] == 0xB8 and data[i + 2] == 0x8F


@njit(nogil=True)
def keycap_end(data, i, stop):  # type: ignore[no-untyped-def]
    """Return the end of the keycap sequence whose sign is at byte i, or i if there is none."""
    after = i + uintp(1)
    if is_selector(data, after, stop):
        after += uintp(3)
    # U+20E3 encloses the sign in a keycap
    if after + uintp(2) >= stop or data[after] != 0xE2:
        return i
    return after + uintp(3) if data[after + 1] == 0x83 and data[after + 2] == 0xA3 else i


@njit(cache=True, nogil=True)
def find_unicode_words(data, starts, classes, hashtags, min_length):  # type: ignore[no-untyped-def]
    """Find the words of words="unicode" (UAX #29) and return data, edges and indptr."""
    edges = np.empty((data.size // 2 + starts.size, 2), dtype=np.int64)
    indptr = np.zeros(starts.size, dtype=np.int64)
    n = 0
    for document in range(starts.size - 1):
        first, stop = uintp(starts[document]), uintp(starts[document + 1])
        i = first
        while i < stop:
            current, after = read_character(data, i, stop, classes)
            if not current & STARTS:
                i = after
                continue
            end = i
            if current & WITHIN:
                word_classes = uint32(0)
                if data[i] < 128:
                    end, word_classes = read_ascii_word(data, i, stop, classes)
                if end == i:
                    end, word_classes = read_unicode_word(data, i, stop, classes)
                    end = skip_visible_marks(data, end, stop, classes)
                if not word_classes & CORE:
                    i = end
                    continue
            elif current & UNSPACED:
                i, n = add_letter_pairs(data, i, stop, current & UNSPACED, classes, min_length, edges, n)
                continue
            elif current & PICTOGRAPH or (current & SIGN and is_selector(data, after, stop)):
                end = emoji_end(data, after, stop, classes)
            elif current & REGIONAL:
                middle = skip_extend(data, after, stop, classes)
                second, after_second = read_character(data, middle, stop, classes)
                if second & REGIONAL:
                    end = skip_visible_marks(data, after_second, stop, classes)
            elif hashtags and current & HASH:
                end = tag_end(data, first, i, stop, classes)
            if end == i and current & KEY:
                end = keycap_end(data, i, stop)
            if end == i:
                i = after
                continue
            n = add_edge(data, i, end, min_length, edges, n)
            i = end
        indptr[document + 1] = n
    return data, edges[:n], indptr


SPACE = 32


@njit(inline="always")
def width_and_is_whitespace(data, i, whitespace):  # type: ignore[no-untyped-def]
    """Return the number of bytes of the character at byte i, and whether it is whitespace."""
    b = data[i]
    if b < 128:
        return 1, whitespace[b]
    c, n = code_point_and_width(data, i)
    return n, whitespace[c]


@njit(inline="always")
def copy_character(data, i, n, lowercase, out, position):  # type: ignore[no-untyped-def]
    """Copy the n bytes of a character, lowercased, and return the next output position."""
    for k in range(n):
        out[position + k] = lowercase[data[i + k]]
    return position + n


@njit(cache=True, nogil=True)
def find_collapsed_texts(data, starts, whitespace, lowercase, min_length):  # type: ignore[no-untyped-def]
    """Return texts of at least `min_length` characters with runs of whitespace reduced to one space."""
    out = np.empty(data.size, dtype=np.uint8)
    edges = np.empty((starts.size - 1, 2), dtype=np.int64)
    edge_indptr = np.zeros(starts.size, dtype=np.int64)
    position = n_tokens = 0
    for document in range(starts.size - 1):
        i, stop = starts[document], starts[document + 1]
        begin, previous, length, n_whitespace = position, position, 0, 0
        while i < stop:
            n, is_whitespace = width_and_is_whitespace(data, i, whitespace)
            n_whitespace = n_whitespace + 1 if is_whitespace else 0
            if n_whitespace < 2:
                previous, length = position, length + 1
                position = copy_character(data, i, n, lowercase, out, position)
            elif n_whitespace == 2:
                out[previous] = SPACE
                position = previous + 1
            i += n
        if length >= min_length:
            edges[n_tokens, 0], edges[n_tokens, 1] = begin, position
            n_tokens += 1
        edge_indptr[document + 1] = n_tokens
    return out[:position], edges[:n_tokens], edge_indptr


@njit(cache=True, nogil=True)
def find_padded_words(data, starts, whitespace, lowercase):  # type: ignore[no-untyped-def]
    """Return the whitespace-separated words, each with a space before and after it."""
    out = np.empty(data.size + 2 * starts.size, dtype=np.uint8)
    # generous, because untouched memory costs nothing
    edges = np.empty((data.size // 2 + starts.size, 2), dtype=np.int64)
    edge_indptr = np.zeros(starts.size, dtype=np.int64)
    position = n_tokens = 0
    for document in range(starts.size - 1):
        i, stop = starts[document], starts[document + 1]
        out[position] = SPACE
        position += 1
        begin = position - 1
        while i < stop:
            n, is_whitespace = width_and_is_whitespace(data, i, whitespace)
            if not is_whitespace:
                position = copy_character(data, i, n, lowercase, out, position)
            i += n
            if position - begin > 1 and (is_whitespace or i == stop):
                out[position] = SPACE
                position += 1
                edges[n_tokens, 0], edges[n_tokens, 1] = begin, position
                n_tokens += 1
                begin = position - 1
        edge_indptr[document + 1] = n_tokens
    return out[:position], edges[:n_tokens], edge_indptr
