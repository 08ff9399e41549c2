"""Regular expressions of words in all scripts, for Python's `re`, scikit-learn and Java.

A pattern has one group, the word. Scripts without spaces yield overlapping letter pairs: a look-ahead
contains the group of two letters with their marks, and the match consumes one letter; at the last pair of a
run it consumes two. Quantifiers are possessive (`*+`), so that backtracking never splits off a mark.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from termsift._internal.errors import InvalidInputError
from termsift.text.characters import (
    Characters,
    auto_classes,
    characters_matching,
    common_classes,
    find_true_runs,
    uax29_classes,
)

Spelling: TypeAlias = Callable[[Characters], str]


@lru_cache(maxsize=8)
def words_pattern(words: str, hashtags: bool) -> str:
    """Return the pattern of a mode in the syntax of Python and scikit-learn."""
    return pairs_pattern(words, hashtags, python_class)


@lru_cache(maxsize=8)
def runs_pattern(words: str, hashtags: bool) -> str:
    """Return the pattern in which a run of a script without spaces is one match, for a segmenter."""
    classes = common_classes()
    runs = [
        f"{python_class(classes[name])}{python_class(classes[name] | classes['attached'])}*+"
        for name in UNSPACED
    ]
    return f"({'|'.join(runs + spaced_word_patterns(words, hashtags, python_class))})"


@lru_cache(maxsize=8)
def java_word_pattern(words: str, hashtags: bool) -> str:
    """Return the pattern of a mode in the syntax of Java, with explicit ranges because its classes differ."""
    return pairs_pattern(words, hashtags, java_class)


UNSPACED = ("ideograph", "cluster")


def pattern_mode(pattern: str) -> tuple[str, bool] | None:
    """Return the mode and hashtags option whose pattern this is, or None for any other pattern."""
    if not pattern.startswith("(?=("):
        return None
    modes = {words_pattern(words, tags): (words, tags) for words in WORD_PATTERNS for tags in (False, True)}
    return modes.get(pattern)


def pairs_pattern(words: str, hashtags: bool, spell: Spelling) -> str:
    """Return the pattern of a mode, with letter pairs for scripts without spaces."""
    units = [letter_pattern(name, spell) for name in UNSPACED]
    captured = [*(f"{unit}(?:{unit})?" for unit in units), *spaced_word_patterns(words, hashtags, spell)]
    consumed = [*(f"{unit}(?:{unit}(?!{unit}))?" for unit in units), r"\1"]
    return f"(?=({'|'.join(captured)}))(?:{'|'.join(consumed)})"


def letter_pattern(name: str, spell: Spelling) -> str:
    """Return the pattern of a letter of a script without spaces, with its marks and stacked letters."""
    classes = common_classes()
    letter, attached, stacker = (spell(classes[kind]) for kind in (name, "attached", "stacker"))
    if name == "ideograph":
        return f"{letter}{attached}*+"
    return f"{letter}(?:{attached}|(?<={stacker}){letter})*+"


def spaced_word_patterns(words: str, hashtags: bool, spell: Spelling) -> list[str]:
    """Return the patterns of hashtags and of words in scripts with spaces."""
    return [*([tag_pattern(spell)] if hashtags else []), *WORD_PATTERNS[words](spell)]


def tag_pattern(spell: Spelling) -> str:
    """Return the pattern of a #tag or @name that follows neither a word character nor &."""
    classes = common_classes()
    excluded, hash_sign, first, following = (
        spell(classes[name]) for name in ("no_tag_after", "hash", "word", "tag")
    )
    return f"(?<!{excluded}){hash_sign}{first}{following}*+"


def auto_words(spell: Spelling) -> list[str]:
    r"""Return the pattern of words="auto": \w\w+ with marks and joiners inside."""
    classes = auto_classes()
    letter, quiet, joiner, virama = (spell(classes[name]) for name in ("letter", "quiet", "joiner", "virama"))
    second, following = (
        spell(classes["letter"] | classes["counted"]),
        spell(classes["letter"] | classes["mark"]),
    )
    return [f"{letter}{quiet}*+{second}(?:{joiner}*+{following})*+(?:(?<={virama}){joiner})?"]


def unicode_words(spell: Spelling) -> list[str]:
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
        unicode_word(spell, extend, end),
        rf"(?:{spell(classes['pictograph'])}|{sign}(?=\ufe0f))(?:{spell(classes['extend'])}*{zwj}{picture})*+{end}",
        f"{regional}{extend}{regional}{end}",
        r"[#*]\ufe0f?\u20e3",
    ]


def unicode_word(spell: Spelling, extend: str, end: str) -> str:
    """Return the pattern of letters, digits and connectors, at least one letter or digit, by UAX #29.

    A Hebrew letter may also be followed by a double quote and a letter (WB7b), or by a single quote (WB7a).
    """
    classes = uax29_classes()
    letter, hebrew, digit, connector = (
        spell(classes[name]) for name in ("letter", "hebrew", "digit", "connector")
    )
    any_letter = spell(classes["letter"] | classes["hebrew"])
    anything = spell(classes["letter"] | classes["hebrew"] | classes["digit"] | classes["connector"])
    run = rf'{hebrew}(?:{extend}(?:"{extend})?{hebrew})*+(?:{extend}\x27(?!{extend}{anything}))?'
    # nothing continues the word after the single quote of a Hebrew letter
    more_letters = rf"(?:(?<!\x27){extend}(?:{spell(classes['between_letters'])}{extend})?(?={any_letter}))?"
    more_digits = f"(?:{extend}(?:{spell(classes['between_digits'])}{extend})?(?={digit}))?"
    segment = f"(?:(?:{letter}|{run}){more_letters})++|(?:{digit}{more_digits})++"
    first = f"(?:{connector}{extend})*+(?:{segment})"
    return f"{first}(?:{extend}(?:{connector}|{segment}))*+{end}"


WORD_PATTERNS: dict[str, Callable[[Spelling], list[str]]] = {"auto": auto_words, "unicode": unicode_words}


def python_class(member: Characters) -> str:
    r"""Return a character class in Python's syntax: its ranges, or its difference to \w if shorter."""
    word = characters_matching(r"\w")
    missing, extra = format_ranges(word & ~member, python_code), format_ranges(member & ~word, python_code)
    explicit = format_ranges(member, python_code)
    if len(missing) + len(extra) >= len(explicit):
        return f"[{explicit}]"
    return rf"(?:[^\W{missing}]|[{extra}])" if extra else rf"[^\W{missing}]"


def java_class(member: Characters) -> str:
    """Return a character class in Java's syntax."""
    return f"[{format_ranges(member, java_code)}]"


def format_ranges(member: Characters, code: Callable[[int], str]) -> str:
    """Return the ranges inside the brackets of a character class."""
    return "".join(
        code(first) if first == last else f"{code(first)}-{code(last)}"
        for first, last in find_true_runs(member)
    )


def python_code(character: int) -> str:
    """Return the escape of a code point in Python."""
    return f"\\u{character:04x}" if character < 0x10000 else f"\\U{character:08x}"


def java_code(character: int) -> str:
    """Return the escape of a code point in Java."""
    return f"\\x{{{character:x}}}"


# a character class, once or more, then + or {n,}; \b at both ends or at none
RUN = re.compile(
    r"(?:\(\?u\))?(?P<edge>\\b)?(?P<all>(?P<one>\\[wdS]|\[(?:[^\[\]\\]|\\.)+\])(?P=one)*)"
    r"(?P<more>\+|\{\d+,\})(?P<end>\\b)?"
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
    match = match_run_pattern(pattern)
    return None if match is None else Run(characters_matching(match["one"]), min_token_length(match))


def lengthen_run_pattern(pattern: str, min_length: int) -> str | None:
    r"""Return the pattern of a run limited to longer tokens, or None if it does not describe a run.

    >>> lengthen_run_pattern(r"(?u)\b\w\w+\b", 4)
    '(?u)\\b\\w{4,}\\b'
    """
    match = match_run_pattern(pattern)
    if match is None:
        return None
    edge = match["edge"] or ""
    unicode_flag = "(?u)" if pattern.startswith("(?u)") else ""
    return f"{unicode_flag}{edge}{match['one']}{{{max(min_length, min_token_length(match))},}}{edge}"


def match_run_pattern(pattern: str) -> re.Match[str] | None:
    """Return the match of a pattern that describes a run, or None."""
    match = RUN.fullmatch(pattern)
    if match is None or bool(match["edge"]) != bool(match["end"]):
        return None
    # \b always holds at the ends of a run of \w, but not of other classes
    if match["edge"] and match["one"] != r"\w":
        return None
    return match if min_token_length(match) >= 1 else None


def min_token_length(match: re.Match[str]) -> int:
    """Return the length of the min_token_length token of a run pattern."""
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
    for match in segmentation_pattern(words, hashtags).findall(text):
        if is_unspaced(match):
            tokens += segment_run(match, segmenter)
        else:
            tokens.append(match)
    return tokens


def segment_run(run: str, segmenter: Callable[[str], Iterable[str]]) -> list[str]:
    """Return the words of a segmented run, without whitespace and punctuation."""
    result = segmenter(run)
    if isinstance(result, str) or not isinstance(result, Iterable):
        raise InvalidInputError(f"segmenter must return a list of words, got {result!r}")
    words = list(result)
    invalid = [word for word in words if not isinstance(word, str)]
    if invalid:
        raise InvalidInputError(f"segmenter must return words as str, got {invalid[0]!r}")
    return [word for word in words if any(is_unspaced(letter) for letter in word)]


def is_unspaced(word: str) -> bool:
    """Return whether a word begins with a letter of a script without spaces."""
    if word.isascii():
        return False
    first = ord(word[0])
    return any(bool(common_classes()[name][first]) for name in UNSPACED)


@lru_cache(maxsize=4)
def segmentation_pattern(words: str, hashtags: bool) -> re.Pattern[str]:
    """Return the compiled pattern for segmentation."""
    return re.compile(runs_pattern(words, hashtags))
