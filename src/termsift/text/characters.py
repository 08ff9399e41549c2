"""Character classes of word segmentation, as boolean arrays over all code points.

Classes follow Python's `unicodedata` and `re`, in the Unicode version of this Python. Scripts, and the
properties of UAX #29 that Python lacks, are listed here as ranges of Unicode 16.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array

Characters = NDArray[np.bool_]
N_CODES = sys.maxunicode + 1

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
    categories = ("Mn", "Mc", "Me", "Cf", "Nl", "No", "So", "Cn")
    members = {name: np.zeros(N_CODES, dtype=np.bool_) for name in categories}
    for first, last in ((0, 0x20000), (0xE0000, 0xE1000)):
        names = np.array(list(map(unicodedata.category, all_characters()[first:last])))
        for name, member in members.items():
            member[first:last] = names == name
    return members


def filter_combining_class(marks: Characters, combining_class: int) -> Characters:
    """Return the marks with a canonical combining class."""
    members = np.zeros(N_CODES, dtype=np.bool_)
    for code in np.flatnonzero(marks).tolist():
        members[code] = unicodedata.combining(chr(code)) == combining_class
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
    # `re` treats fractions, superscripts and letter-like numbers as letters
    not_letter = parse_ranges(LETTERS_AS_MARKS) | category["No"] | category["Nl"]
    mark = category["Mn"] | category["Mc"] | category["Me"] | parse_ranges(LETTERS_AS_MARKS)
    joiner = parse_ranges("200C-200D")
    blocks = parse_ranges(COMPLEX)
    return {
        "word": word,
        "mark": mark,
        "joiner": joiner,
        "ideograph": word & parse_ranges(IDEOGRAPHIC),
        "cluster": characters_matching(r"[^\W\d_]") & blocks & ~not_letter,
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
    quiet = shared["mark"] & ~counted | shared["joiner"]
    return shared | {"letter": letter, "counted": counted, "quiet": quiet}


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
    letter = characters_matching(r"[^\W\d_]") & ~category["No"] | category["Nl"] | parse_ranges(MORE_LETTERS)
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


# classes in the order of their bits, which _words_kernel.py names likewise
CLASS_NAMES = (
    "letter", "mark", "counted", "joiner", "ideograph", "cluster", "attached", "stacker", "virama",
    "word", "tag", "hash", "no_tag_after", "hebrew", "digit", "connector", "between_letters",
    "between_digits", "extend", "shown", "regional", "pictograph", "sign", "key",
)  # fmt: skip
# classes that scikit-learn's pattern ignores; it is right for texts without such characters
BEYOND_WORD_PATTERN = sum(1 << CLASS_NAMES.index(name) for name in ("mark", "joiner", "ideograph", "cluster"))


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


Spelling: TypeAlias = Callable[[Characters], str]
UNSPACED = ("ideograph", "cluster")
# escapes of code points up to U+FFFF and beyond, by language
ESCAPES = {"python": (r"\u{:04x}", r"\U{:08x}"), "java": (r"\x{{{:x}}}", r"\x{{{:x}}}")}


def python_class(member: Characters) -> str:
    r"""Return a character class in Python's syntax: its ranges, or its difference to \w if shorter."""
    word = characters_matching(r"\w")
    missing, extra = format_ranges(word & ~member, "python"), format_ranges(member & ~word, "python")
    explicit = format_ranges(member, "python")
    if len(missing) + len(extra) >= len(explicit):
        return f"[{explicit}]"
    return rf"(?:[^\W{missing}]|[{extra}])" if extra else rf"[^\W{missing}]"


def java_class(member: Characters) -> str:
    """Return a character class in Java's syntax."""
    return f"[{format_ranges(member, 'java')}]"


def format_ranges(member: Characters, language: str) -> str:
    """Return the ranges inside the brackets of a character class."""
    ranges = []
    for run in find_true_runs(member):
        first, last = (ESCAPES[language][code > 0xFFFF].format(code) for code in run)
        ranges.append(first if first == last else f"{first}-{last}")
    return "".join(ranges)


@lru_cache(maxsize=8)
def words_pattern(words: str, hashtags: bool, spell: Spelling = python_class) -> str:
    """Return the pattern of a mode, by default for Python and scikit-learn.

    Scripts without spaces give letter pairs. A letter includes its marks and stacked letters.
    """
    classes = common_classes()
    names = ("ideograph", "cluster", "attached", "stacker")
    ideograph, cluster, attached, stacker = (spell(classes[name]) for name in names)
    units = [f"{ideograph}{attached}*+", f"{cluster}(?:{attached}|(?<={stacker}){cluster})*+"]
    tags = [tag_pattern(spell)] if hashtags else []
    captured = [*(f"{unit}(?:{unit})?" for unit in units), *tags, *WORD_PATTERNS[words](spell)]
    consumed = [*(f"{unit}(?:{unit}(?!{unit}))?" for unit in units), r"\1"]
    return f"(?=({'|'.join(captured)}))(?:{'|'.join(consumed)})"


def java_word_pattern(words: str, hashtags: bool) -> str:
    """Return the pattern of a mode in the syntax of Java, with explicit ranges because its classes differ."""
    return words_pattern(words, hashtags, java_class)


@lru_cache(maxsize=8)
def segmenter_pattern(words: str, hashtags: bool) -> re.Pattern[str]:
    """Return the pattern in which a run of a script without spaces is one match, for a segmenter."""
    classes = common_classes()
    members = (classes[name] for name in UNSPACED)
    runs = [f"{python_class(member)}{python_class(member | classes['attached'])}*+" for member in members]
    tags = [tag_pattern(python_class)] if hashtags else []
    return re.compile(f"({'|'.join([*runs, *tags, *WORD_PATTERNS[words](python_class)])})")


def pattern_mode(pattern: str) -> tuple[str, bool] | None:
    """Return the mode and hashtags option whose pattern this is, or None for any other pattern."""
    if not pattern.startswith("(?=("):
        return None
    modes = {words_pattern(words, tags): (words, tags) for words in WORD_PATTERNS for tags in (False, True)}
    return modes.get(pattern)


def tag_pattern(spell: Spelling) -> str:
    """Return the pattern of a #tag or @name that follows neither a word character nor &."""
    classes = common_classes()
    before, sign, first, later = (spell(classes[name]) for name in ("no_tag_after", "hash", "word", "tag"))
    return f"(?<!{before}){sign}{first}{later}*+"


def auto_word_patterns(spell: Spelling) -> list[str]:
    r"""Return the pattern of words="auto": \w\w+ with marks and joiners inside."""
    classes = auto_classes()
    letter, quiet, joiner, virama = (spell(classes[name]) for name in ("letter", "quiet", "joiner", "virama"))
    second, following = (spell(classes["letter"] | classes[name]) for name in ("counted", "mark"))
    return [f"{letter}{quiet}*+{second}(?:{joiner}*+{following})*+(?:(?<={virama}){joiner})?"]


def unicode_word_patterns(spell: Spelling) -> list[str]:
    """Return the patterns of words="unicode": words of UAX #29, emoji, flags and keycaps."""
    classes = uax29_classes()
    extend = spell(classes["extend"]) + "*+"
    end = (
        f"(?:{spell(classes['extend'])}*{spell(classes['shown'])})?"
        f"(?:(?<={spell(classes['virama'])}){spell(classes['joiner'])})?"
    )
    sign, zwj = spell(classes["sign"]), r"\u200d"
    picture = spell(classes["pictograph"] | classes["sign"])
    regional = spell(classes["regional"])
    return [
        unicode_word_pattern(spell, extend, end),
        rf"(?:{spell(classes['pictograph'])}|{sign}(?=\ufe0f))(?:{spell(classes['extend'])}*{zwj}{picture})*+{end}",
        f"{regional}{extend}{regional}{end}",
        r"[#*]\ufe0f?\u20e3",
    ]


def unicode_word_pattern(spell: Spelling, extend: str, end: str) -> str:
    """Return the pattern of letters, digits and connectors, at least one letter or digit, by UAX #29.

    A Hebrew letter may also be followed by a double quote and a letter (WB7b), or by a single quote (WB7a).
    """
    classes = uax29_classes()
    names = ("letter", "hebrew", "digit", "connector")
    letter, hebrew, digit, connector = (spell(classes[name]) for name in names)
    any_letter = spell(classes["letter"] | classes["hebrew"])
    anything = spell(classes["letter"] | classes["hebrew"] | classes["digit"] | classes["connector"])
    run = rf'{hebrew}(?:{extend}(?:"{extend})?{hebrew})*+(?:{extend}\x27(?!{extend}{anything}))?'
    # nothing continues the word after the single quote of a Hebrew letter
    more_letters = rf"(?:(?<!\x27){extend}(?:{spell(classes['between_letters'])}{extend})?(?={any_letter}))?"
    more_digits = f"(?:{extend}(?:{spell(classes['between_digits'])}{extend})?(?={digit}))?"
    segment = f"(?:(?:{letter}|{run}){more_letters})++|(?:{digit}{more_digits})++"
    return f"(?:{connector}{extend})*+(?:{segment})(?:{extend}(?:{connector}|{segment}))*+{end}"


WORD_PATTERNS: dict[str, Callable[[Spelling], list[str]]] = {
    "auto": auto_word_patterns,
    "unicode": unicode_word_patterns,
}


# A character class, once or more, then + or {n,}; \b at both ends or at none, and only for \w: it always
# holds at the ends of a run of \w, but not of other classes.
RUN = re.compile(
    r"(?P<start>(?:\(\?u\))?(?P<edge>\\b(?=\\w))?)(?P<all>(?P<one>\\[wdS]|\[(?:[^\[\]\\]|\\.)+\])(?P=one)*)"
    r"(?P<more>\+|\{\d+,\})(?P<end>(?(edge)\\b))"
)


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Token definition: a maximal run of at least `min_length` characters of a class."""

    member: Characters
    min_length: int


@lru_cache(maxsize=16)
def parse_run(pattern: str) -> Run | None:
    r"""Return the run that a pattern describes, or None if it needs a regular expression engine.

    >>> parse_run(r"(?u)\b\w\w+\b").min_length
    2
    >>> parse_run(r"\w+@\w+") is None
    True
    """
    match = RUN.fullmatch(pattern)
    if match is None or min_token_length(match) < 1:
        return None
    return Run(characters_matching(match["one"]), min_token_length(match))


def lengthen_run_pattern(pattern: str, min_length: int) -> str | None:
    r"""Return the pattern of a run limited to longer tokens, or None if it does not describe a run.

    >>> lengthen_run_pattern(r"(?u)\b\w\w+\b", 4)
    '(?u)\\b\\w{4,}\\b'
    """
    match = RUN.fullmatch(pattern)
    if match is None or min_token_length(match) < 1:
        return None
    repetitions = f"{{{max(min_length, min_token_length(match))},}}"
    return f"{match['start']}{match['one']}{repetitions}{match['end']}"


def min_token_length(match: re.Match[str]) -> int:
    """Return the length of the shortest token of a run pattern."""
    times = len(match["all"]) // len(match["one"])
    return times if match["more"] == "+" else times - 1 + int(match["more"][1:-2])


def segment_words(
    text: str, words: str, hashtags: bool, segmenter: Callable[[str], Iterable[str]]
) -> list[str]:
    """Return the words of a text, with runs of scripts without spaces split by the segmenter.

    >>> segment_words("ab 東京都民 cd", "auto", False, lambda run: [run[:2], run[2:]])
    ['ab', '東京', '都民', 'cd']
    """
    tokens: list[str] = []
    for match in segmenter_pattern(words, hashtags).findall(text):
        if not is_unspaced(match):
            tokens.append(match)
            continue
        result = segmenter(match)
        if isinstance(result, str) or not isinstance(result, Iterable):
            raise InvalidInputError(f"segmenter must return a list of words, got {result!r}")
        for word in result:
            if not isinstance(word, str):
                raise InvalidInputError(f"segmenter must return words as str, got {word!r}")
            # whitespace and punctuation are not words
            if any(map(is_unspaced, word)):
                tokens.append(word)
    return tokens


def is_unspaced(word: str) -> bool:
    """Return whether a word begins with a letter of a script without spaces."""
    if word.isascii():
        return False
    return any(bool(common_classes()[name][ord(word[0])]) for name in UNSPACED)
