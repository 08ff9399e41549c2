"""Words of words="unicode" beside UAX #29, as the package uniseg has its properties and rules.

Departures, each listed in docs/languages.md: letters of scripts without spaces come in pairs; colons part
words; what holds no letter, digit or emoji is no word; marks that are not shown do not end one; a joiner does
not join a word and an emoji; the quote of a Hebrew word is left out where a digit or connector follows.
"""

from __future__ import annotations

import itertools
import unicodedata

import pytest
from uniseg.wordbreak import WordBreak, word_break, words

import termsift as ts
from termsift.text.characters import uax29_classes

KINDS = {
    WordBreak.ALETTER: {"letter"},
    WordBreak.HEBREW_LETTER: {"hebrew"},
    WordBreak.NUMERIC: {"digit"},
    WordBreak.EXTENDNUMLET: {"connector"},
    WordBreak.REGIONAL_INDICATOR: {"regional"},
    WordBreak.EXTEND: {"extend"},
    WordBreak.FORMAT: {"extend"},
    WordBreak.ZWJ: {"extend"},
    WordBreak.MIDLETTER: {"between_letters"},
    WordBreak.MIDNUM: {"between_digits"},
    WordBreak.MIDNUMLET: {"between_letters", "between_digits"},
    WordBreak.SINGLE_QUOTE: {"between_letters", "between_digits"},
}
NAMES = set().union(*KINDS.values())
COLONS = {0x3A, 0xFE13, 0xFE55, 0xFF1A}
WITH_HAN = {0x3005, 0x303B, 0x303C, 0x16FE3}
# one or two characters of each kind of the rules, as WordBreakTest has them, and some of other planes
SAMPLES = [
    "A", "\U0001e900", "א", "1", "_", "\u202f", "'", '"', ".", "·", "״", ",", "\u0308", "\u00ad",
    "\u200d", "🇦", "⌚", "👍", "🏽", "\ufe0f", "\n", "!", "🅰",
]  # fmt: skip
NOT_SHOWN = ("\u00ad", "\u200d")
find = ts.Analyzer(words="unicode", lowercase=False)


@pytest.mark.parametrize("first", range(0, 0x110000, 0x22000))
def test_each_character_has_its_uax_29_class(first):
    kinds = {name: member for name, member in uax29_classes().items() if name in NAMES}
    for code in range(first, min(first + 0x22000, 0x110000)):
        known = unicodedata.category(chr(code)) not in ("Cn", "Cs", "Co")
        if known and code not in COLONS | WITH_HAN:
            own = {name for name in kinds if kinds[name][code]}
            assert own == KINDS.get(word_break(chr(code)), set()), f"U+{code:04X}"


@pytest.mark.parametrize("first", SAMPLES)
def test_every_sequence_of_three_classes_is_segmented_as_in_uax_29(first):
    texts = [first + "".join(rest) for rest in itertools.product(SAMPLES, repeat=2)]
    # and two, each with a mark
    for text in [*texts, *(f"{first}\u0308{second}\u0308" for second in SAMPLES)]:
        if not departs(text):
            assert find(text) == expected_words(text), ascii(text)


def departs(text):
    """Whether the text has one of the two departures that change where words begin and end."""
    bare = [c for c in text if word_break(c).name not in ("EXTEND", "FORMAT", "ZWJ")]
    quoted = any(
        word_break(a).name == "HEBREW_LETTER"
        and b == "'"
        and word_break(c).name in ("NUMERIC", "EXTENDNUMLET")
        for a, b, c in zip(bare, bare[1:], bare[2:], strict=False)
    )
    joined = any(
        a == "\u200d" and (b == "🅰" or (b in "⌚👍" and not set(text[:i]) & set("⌚👍")))
        for i, (a, b) in enumerate(itertools.pairwise(text))
    )
    return quoted or joined


def expected_words(text):
    """The segments that hold a letter, a digit, an emoji or a flag, less what is not shown at their ends."""
    return [segment.rstrip("".join(NOT_SHOWN)) for segment in words(text) if is_word(segment)]


def is_word(segment):
    kinds = {word_break(c).name for c in segment}
    is_flag = sum(word_break(c).name == "REGIONAL_INDICATOR" for c in segment) == 2
    return bool(kinds & {"ALETTER", "HEBREW_LETTER", "NUMERIC"}) or is_flag or segment[0] in "⌚👍"
