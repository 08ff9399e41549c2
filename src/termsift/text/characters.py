"""Character classes of word segmentation, as boolean arrays over all code points.

Classes follow Python's `unicodedata` and `re`, in the Unicode version of this Python. Scripts, and the
properties of UAX #29 that Python lacks, are listed here as ranges of Unicode 16.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from termsift._internal.typing import Array

Characters = NDArray[np.bool_]
N_CODES = sys.maxunicode + 1
ZWNJ, ZWJ = 0x200C, 0x200D

# ideographic scripts written without spaces: Han, Hiragana and Katakana with iteration and length marks,
# Tangut, Khitan, Nushu
IDEOGRAPHIC = (
    "3005-3007 3021-3029 3031-3035 3038-303C 3041-3096 309D-309F 30A1-30FA 30FC-30FF 31F0-31FF 3400-4DBF "
    "4E00-9FFF F900-FAFF FF66-FF9D 16FE3 17000-18CFF 18D00-18DFF 1AFF0-1B2FF 20000-3FFFD"
)
# blocks of the other scripts written without spaces (Line_Break=Complex_Context): Thai, Lao, Myanmar, Khmer,
# Tai Le, New Tai Lue, Tai Tham, Tai Viet, Ahom
COMPLEX = (
    "0E00-0E7F 0E80-0EFF 1000-109F 1780-17FF 1950-197F 1980-19DF 1A20-1AAF A9E0-A9FF AA60-AA7F AA80-AADF "
    "116D0-116FF 11700-1174F"
)
# letters that behave like marks: AM of Thai and Lao, and the halfwidth sound marks of Katakana
LETTERS_AS_MARKS = "0E33 0EB3 FF9E-FF9F"
# marks of all scripts, and those of kana and Han
COMMON_MARKS = (
    "0300-036F 1AB0-1AFF 1DC0-1DFF 20D0-20FF 302A-302F 3099-309A FE00-FE0F FE20-FE2F E0100-E01EF FF9E-FF9F"
)
# signs that stack the next letter below: Myanmar, Khmer, Tai Tham
STACKERS = "1039 17D2 1A60"
SELECTORS = "034F 180B-180D 180F FE00-FE0F E0100-E01EF"

HEBREW = "05D0-05EA 05EF-05F2 FB1D FB1F-FB28 FB2A-FB36 FB38-FB3C FB3E FB40-FB41 FB43-FB44 FB46-FB4F"
# ALetter characters that `re` does not treat as letters: circled, modifiers, signs of Armenian and Hebrew
MORE_LETTERS = (
    "02C2-02C5 02D2-02D7 02DE-02DF 02E5-02EB 02ED 02EF-02FF 055A-055C 055E 058A 05F3 070F 24B6-24E9 "
    "A708-A716 A720-A721 A789-A78A AB5B 1F130-1F149 1F150-1F169 1F170-1F189"
)
# prepended number signs, and the decimal separator of Arabic
MORE_DIGITS = "0600-0605 066B 06DD 0890-0891 08E2 19DA 110BD 110CD"
MIDDLE_OF_BOTH = "0027 002E 2018 2019 2024 FE52 FF07 FF0E"
# without the colons, as in the root locale of CLDR
MIDDLE_OF_LETTERS = "00B7 0387 055F 05F4 2027"
MIDDLE_OF_DIGITS = "002C 003B 037E 0589 060C-060D 066C 07F8 2044 FE50 FE54 FF0C FF1B"
CONNECTORS = "005F 202F 203F-2040 2054 FE33-FE34 FE4D-FE4F FF3F"
# modifiers of emoji: skin tones, tag characters of regional flags
EMOJI_MARKS = "1F3FB-1F3FF E0020-E007F"
REGIONAL = "1F1E6-1F1FF"
# Extended_Pictographic
PICTOGRAPHIC = (
    "00A9 00AE 203C 2049 2122 2139 2194-2199 21A9-21AA 231A-231B 2328 2388 23CF 23E9-23F3 23F8-23FA 24C2 "
    "25AA-25AB 25B6 25C0 25FB-25FE 2600-2605 2607-2612 2614-2685 2690-2705 2708-2712 2714 2716 271D 2721 "
    "2728 2733-2734 2744 2747 274C 274E 2753-2755 2757 2763-2767 2795-2797 27A1 27B0 27BF 2934-2935 "
    "2B05-2B07 2B1B-2B1C 2B50 2B55 3030 303D 3297 3299 1F000-1F0FF 1F10D-1F10F 1F12F 1F16C-1F171 "
    "1F17E-1F17F 1F18E 1F191-1F19A 1F1AD-1F1E5 1F201-1F20F 1F21A 1F22F 1F232-1F23A 1F23C-1F23F 1F249-1F3FA "
    "1F400-1F53D 1F546-1F64F 1F680-1F6FF 1F774-1F77F 1F7D5-1F7FF 1F80C-1F80F 1F848-1F84F 1F85A-1F85F "
    "1F888-1F88F 1F8AE-1F8FF 1F90C-1F93A 1F93C-1F945 1F947-1FAFF 1FC00-1FFFD"
)
# pictographs that are text unless U+FE0F follows: copyright, trade marks
SIGNS = "00A9 00AE 2122"


def parse_ranges(ranges: str) -> Characters:
    """Return the class of characters in ranges of hexadecimal code points.

    >>> np.flatnonzero(parse_ranges("0041-0043 0061")).tolist()
    [65, 66, 67, 97]
    """
    members = np.zeros(N_CODES, dtype=np.bool_)
    for code_range in ranges.split():
        first, _, last = code_range.partition("-")
        members[int(first, 16) : int(last or first, 16) + 1] = True
    return members


@lru_cache(maxsize=16)
def characters_matching(character_class: str) -> Characters:
    """Return the class of characters that match a regular expression of one character."""
    members = np.zeros(N_CODES, dtype=np.bool_)
    for match in re.finditer(f"(?:{character_class})+", all_characters()):
        members[match.start() : match.end()] = True
    members.flags.writeable = False
    return members


@lru_cache(maxsize=1)
def all_characters() -> str:
    """Return a string of all code points in order."""
    return np.arange(N_CODES, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")


@lru_cache(maxsize=1)
def classes_by_category() -> dict[str, Characters]:
    """Return the classes of general categories that `re` lacks; other planes contain none of them."""
    members = {name: np.zeros(N_CODES, dtype=np.bool_) for name in ("Mn", "Mc", "Me", "Cf", "Nl", "So", "Cn")}
    for first, last in ((0, 0x20000), (0xE0000, 0xE1000)):
        names = np.array(list(map(unicodedata.category, all_characters()[first:last])))
        for name, member in members.items():
            member[first:last] = names == name
    return members


def filter_combining_class(marks: Characters, *combining_classes: int) -> Characters:
    """Return the marks whose canonical combining class is one of the given."""
    members = np.zeros(N_CODES, dtype=np.bool_)
    for code in np.flatnonzero(marks).tolist():
        members[code] = unicodedata.combining(chr(code)) in combining_classes
    return members


def find_true_runs(member: Characters) -> list[tuple[int, int]]:
    """Return the first and last index of each run of true values.

    >>> find_true_runs(np.array([True, True, False, True]))
    [(0, 1), (3, 3)]
    """
    edges = (np.flatnonzero(member[1:] != member[:-1]) + 1).tolist()
    edges = [*([0] if member[:1].any() else []), *edges, *([len(member)] if member[-1:].any() else [])]
    return [(first, last - 1) for first, last in zip(edges[::2], edges[1::2], strict=True)]


@lru_cache(maxsize=1)
def common_classes() -> dict[str, Characters]:
    r"""Return the classes that words="auto" and words="unicode" share.

    word : characters that match \w
    mark, joiner : combining marks; U+200C and U+200D
    ideograph, cluster : letters of scripts without spaces, which `attached` characters may follow, and after
        a `stacker` another letter
    virama : a joiner after it belongs to the word even at its end
    """
    word, category = characters_matching(r"\w"), classes_by_category()
    as_marks = parse_ranges(LETTERS_AS_MARKS)
    mark = category["Mn"] | category["Mc"] | category["Me"] | as_marks
    joiner = parse_ranges("200C-200D")
    blocks = parse_ranges(COMPLEX)
    return {
        "word": word,
        "mark": mark,
        "joiner": joiner,
        "ideograph": word & parse_ranges(IDEOGRAPHIC),
        "cluster": characters_matching(r"[^\W\d_]") & blocks & ~other_numbers() & ~as_marks,
        "attached": mark & (blocks | parse_ranges(COMMON_MARKS)) | joiner,
        "stacker": parse_ranges(STACKERS),
        "virama": filter_combining_class(mark, 9),
        "tag": word | mark | joiner,
        "hash": parse_ranges("0023 0040 FF03 FF20"),
        "no_tag_after": word | mark | joiner | parse_ranges("0026"),
    }


@lru_cache(maxsize=1)
def auto_classes() -> dict[str, Characters]:
    r"""Return the classes of words="auto".

    letter : characters that match \w, of scripts with spaces
    counted : marks that count towards the length of a word: vowel signs (combining class 0), not accents
    quiet : the remaining marks, and joiners
    """
    shared = common_classes()
    letter = shared["word"] & ~shared["ideograph"] & ~shared["cluster"] & ~shared["mark"]
    invisible = classes_by_category()["Me"] | parse_ranges(SELECTORS)
    counted = filter_combining_class(shared["mark"], 0) & ~invisible
    return shared | {
        "letter": letter,
        "counted": counted,
        "quiet": shared["mark"] & ~counted | shared["joiner"],
    }


@lru_cache(maxsize=1)
def uax29_classes() -> dict[str, Characters]:
    """Return the classes of words="unicode", with the corresponding properties of UAX #29.

    letter, hebrew : the two parts of AHLetter; digit : Numeric; connector : ExtendNumLet
    between_letters, between_digits : MidLetter and MidNum, each with MidNumLetQ
    extend : Extend, Format and ZWJ; shown : visible marks, which a word or an emoji may end with
    regional, pictograph : regional indicators; emoji; sign : characters that are emoji if U+FE0F follows
    key : characters that form a keycap with U+20E3
    """
    shared, category = common_classes(), classes_by_category()
    mark = shared["mark"] & ~parse_ranges("0E33 0EB3") | parse_ranges(EMOJI_MARKS)
    digit = characters_matching(r"\d") | parse_ranges(MORE_DIGITS)
    hebrew, between_both = parse_ranges(HEBREW), parse_ranges(MIDDLE_OF_BOTH)
    letter = characters_matching(r"[^\W\d_]") & ~other_numbers() | category["Nl"] | parse_ranges(MORE_LETTERS)
    letter &= ~(shared["ideograph"] | shared["cluster"] | shared["mark"] | hebrew | digit)
    formats = category["Cf"] & ~parse_ranges("200B") & ~digit & ~letter
    pictographic = parse_ranges(PICTOGRAPHIC)
    pictograph = pictographic & (category["So"] | category["Cn"]) & ~parse_ranges(SIGNS) & ~letter
    return shared | {
        "letter": letter,
        "hebrew": hebrew,
        "digit": digit,
        "connector": parse_ranges(CONNECTORS),
        "between_letters": parse_ranges(MIDDLE_OF_LETTERS) | between_both,
        "between_digits": parse_ranges(MIDDLE_OF_DIGITS) | between_both,
        "extend": mark | formats | shared["joiner"],
        "shown": mark,
        "regional": parse_ranges(REGIONAL),
        "pictograph": pictograph,
        "sign": pictographic & ~pictograph & ~letter,
        "key": parse_ranges("0023 002A"),
    }


@lru_cache(maxsize=1)
def other_numbers() -> Characters:
    """Return the numbers that are neither digits nor letters: fractions, superscripts."""
    members = np.zeros(N_CODES, dtype=np.bool_)
    # no plane beyond the second has any
    for code in np.flatnonzero(characters_matching(r"[^\W\d_]")[:0x20000]).tolist():
        members[code] = not chr(code).isalpha()
    return members


CLASS_NAMES = (
    "letter", "mark", "counted", "joiner", "ideograph", "cluster", "attached", "stacker", "virama",
    "word", "tag", "hash", "no_tag_after", "hebrew", "digit", "connector", "between_letters",
    "between_digits", "extend", "shown", "regional", "pictograph", "sign", "key",
)  # fmt: skip
(
    LETTER, MARK, COUNTED, JOINER, IDEOGRAPH, CLUSTER, ATTACHED, STACKER, VIRAMA, WORD, TAG,
    HASH, NO_TAG_AFTER, WORD_BITS_HEBREW, DIGIT, CONNECTOR, BETWEEN_LETTERS, BETWEEN_DIGITS, EXTEND, SHOWN,
    WORD_BITS_REGIONAL, PICTOGRAPH, SIGN, KEY,
) = (1 << bit for bit in range(len(CLASS_NAMES)))  # fmt: skip
# classes that scikit-learn's pattern ignores; it is right for texts without such characters
BEYOND_WORD_PATTERN = MARK | JOINER | IDEOGRAPH | CLUSTER


@lru_cache(maxsize=2)
def class_bits(words: str) -> Array:
    """Return the classes of each code point in a mode of words, as bits."""
    classes = auto_classes() if words == "auto" else uax29_classes()
    bits = np.zeros(N_CODES, dtype=np.uint32)
    for bit, name in enumerate(CLASS_NAMES):
        if name in classes:
            bits |= classes[name].astype(np.uint32) << np.uint32(bit)
    bits.flags.writeable = False
    return bits
