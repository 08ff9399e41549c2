"""Words of every script as regular expressions: what Python's `re`, scikit-learn and Java find alike.

A pattern has one group, the word. Scripts without spaces come as overlapping pairs: a look-ahead holds the
group, of two letters with what is written onto them, and one letter is passed over; before the last pair of a
run, two are. Quantifiers are possessive (`*+`), so that no mark is given back.
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
    """The pattern of a mode, as Python and scikit-learn read it."""
    return pairs_pattern(words, hashtags, python_class)


@lru_cache(maxsize=8)
def runs_pattern(words: str, hashtags: bool) -> str:
    """The same, but a run of a script without spaces is one match, for a segmenter to part."""
    own = common_classes()
    runs = [
        f"{python_class(own[name])}{python_class(own[name] | own['attached'])}*+" for name in RUN_TOGETHER
    ]
    return f"({'|'.join(runs + other_words(words, hashtags, python_class))})"


@lru_cache(maxsize=8)
def java_word_pattern(words: str, hashtags: bool) -> str:
    """The pattern of a mode, as Java reads it: characters one by one, since its classes are not Python's."""
    return pairs_pattern(words, hashtags, java_class)


RUN_TOGETHER = ("ideograph", "cluster")


def pattern_mode(pattern: str) -> tuple[str, bool] | None:
    """The mode, and whether hashtags are words, that a pattern is of; None of any other."""
    if not pattern.startswith("(?=("):
        return None
    known = {words_pattern(words, tags): (words, tags) for words in WORDS for tags in (False, True)}
    return known.get(pattern)


def pairs_pattern(words: str, hashtags: bool, spelled: Spelling) -> str:
    """The pattern of a mode, scripts without spaces as pairs."""
    units = [unit(name, spelled) for name in RUN_TOGETHER]
    found = [*(f"{one}(?:{one})?" for one in units), *other_words(words, hashtags, spelled)]
    passed = [*(f"{one}(?:{one}(?!{one}))?" for one in units), r"\1"]
    return f"(?=({'|'.join(found)}))(?:{'|'.join(passed)})"


def unit(name: str, spelled: Spelling) -> str:
    """A letter of a script without spaces, with what is written onto and below it."""
    own = common_classes()
    letter, attached, stacker = (spelled(own[kind]) for kind in (name, "attached", "stacker"))
    if name == "ideograph":
        return f"{letter}{attached}*+"
    return f"{letter}(?:{attached}|(?<={stacker}){letter})*+"


def other_words(words: str, hashtags: bool, spelled: Spelling) -> list[str]:
    """What else is a word: tags, runs of letters, emoji."""
    return [*([tag(spelled)] if hashtags else []), *WORDS[words](spelled)]


def tag(spelled: Spelling) -> str:
    """A hashtag or a name after @, where no word and no & comes before."""
    own = common_classes()
    before, hash_sign, first, more = (spelled(own[name]) for name in ("no_tag_after", "hash", "word", "tag"))
    return f"(?<!{before}){hash_sign}{first}{more}*+"


def auto_words(spelled: Spelling) -> list[str]:
    r"""As scikit-learn's \w\w+, with the marks and joiners inside."""
    own = auto_classes()
    letter, quiet, joiner, virama = (spelled(own[name]) for name in ("letter", "quiet", "joiner", "virama"))
    second, more = spelled(own["letter"] | own["counted"]), spelled(own["letter"] | own["mark"])
    return [f"{letter}{quiet}*+{second}(?:{joiner}*+{more})*+(?:(?<={virama}){joiner})?"]


def unicode_words(spelled: Spelling) -> list[str]:
    """Words by UAX #29, and emoji."""
    own = uax29_classes()
    extend = spelled(own["extend"]) + "*+"
    end = (
        f"(?:{spelled(own['extend'])}*{spelled(own['shown'])})?"
        f"(?:(?<={spelled(own['virama'])}){spelled(own['joiner'])})?"
    )
    sign, zwj = spelled(own["sign"]), r"\u200d"
    picture = spelled(own["pictograph"] | own["sign"])
    regional = spelled(own["regional"])
    return [
        unicode_word(spelled, extend, end),
        rf"(?:{spelled(own['pictograph'])}|{sign}(?=\ufe0f))(?:{spelled(own['extend'])}*{zwj}{picture})*+{end}",
        f"{regional}{extend}{regional}{end}",
        r"[#*]\ufe0f?\u20e3",
    ]


def unicode_word(spelled: Spelling, extend: str, end: str) -> str:
    """Letters, digits and connectors, one letter or digit at least, with what stands between them.

    A letter of Hebrew also goes on after a double quote, and takes a single quote with it.
    """
    own = uax29_classes()
    letter, hebrew, digit, connector = (
        spelled(own[name]) for name in ("letter", "hebrew", "digit", "connector")
    )
    any_letter = spelled(own["letter"] | own["hebrew"])
    anything = spelled(own["letter"] | own["hebrew"] | own["digit"] | own["connector"])
    run = rf'{hebrew}(?:{extend}(?:"{extend})?{hebrew})*+(?:{extend}\x27(?!{extend}{anything}))?'
    # none after that quote
    more_letters = rf"(?:(?<!\x27){extend}(?:{spelled(own['between_letters'])}{extend})?(?={any_letter}))?"
    more_digits = f"(?:{extend}(?:{spelled(own['between_digits'])}{extend})?(?={digit}))?"
    part = f"(?:(?:{letter}|{run}){more_letters})++|(?:{digit}{more_digits})++"
    first = f"(?:{connector}{extend})*+(?:{part})"
    return f"{first}(?:{extend}(?:{connector}|{part}))*+{end}"


WORDS: dict[str, Callable[[Spelling], list[str]]] = {"auto": auto_words, "unicode": unicode_words}


def python_class(member: Characters) -> str:
    r"""A class of characters as Python writes it: one by one, or by how it differs from \w if shorter."""
    word = characters_matching(r"\w")
    missing, more = ranges(word & ~member, python_code), ranges(member & ~word, python_code)
    whole = ranges(member, python_code)
    if len(missing) + len(more) >= len(whole):
        return f"[{whole}]"
    return rf"(?:[^\W{missing}]|[{more}])" if more else rf"[^\W{missing}]"


def java_class(member: Characters) -> str:
    """A class of characters as Java writes it."""
    return f"[{ranges(member, java_code)}]"


def ranges(member: Characters, code: Callable[[int], str]) -> str:
    """The characters as ranges, for the inside of a class."""
    return "".join(
        code(first) if first == last else f"{code(first)}-{code(last)}"
        for first, last in find_true_runs(member)
    )


def python_code(character: int) -> str:
    """A character as an escape of Python's."""
    return f"\\u{character:04x}" if character < 0x10000 else f"\\U{character:08x}"


def java_code(character: int) -> str:
    """A character as an escape of Java's."""
    return f"\\x{{{character:x}}}"


# a class of characters, written once or more, then + or {n,}; \b at both ends or at none
RUN = re.compile(
    r"(?:\(\?u\))?(?P<edge>\\b)?(?P<all>(?P<one>\\[wdS]|\[(?:[^\[\]\\]|\\.)+\])(?P=one)*)"
    r"(?P<more>\+|\{\d+,\})(?P<end>\\b)?"
)


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A token is a longest run of at least `least` characters whose `member` is true."""

    member: Characters
    min_length: int


@lru_cache(maxsize=16)
def parse_run(pattern: str) -> Run | None:
    r"""The run that a pattern describes, or None where only a regular expression can follow it.

    >>> parse_run(r"(?u)\b\w\w+\b").min_length
    2
    >>> parse_run(r"\w+@\w+") is None
    True
    """
    match = run_match(pattern)
    return None if match is None else Run(characters_matching(match["one"]), shortest(match))


def longer_runs(pattern: str, least: int) -> str | None:
    r"""The pattern of a run, of tokens of at least so many characters; None where it is no run.

    >>> longer_runs(r"(?u)\b\w\w+\b", 4)
    '(?u)\\b\\w{4,}\\b'
    """
    match = run_match(pattern)
    if match is None:
        return None
    edge = match["edge"] or ""
    unicode_flag = "(?u)" if pattern.startswith("(?u)") else ""
    return f"{unicode_flag}{edge}{match['one']}{{{max(least, shortest(match))},}}{edge}"


def run_match(pattern: str) -> re.Match[str] | None:
    """The parts of a pattern that describes a run."""
    match = RUN.fullmatch(pattern)
    if match is None or bool(match["edge"]) != bool(match["end"]):
        return None
    # between letters and what is not there is always an edge; other kinds may meet without one
    if match["edge"] and match["one"] != r"\w":
        return None
    return match if shortest(match) >= 1 else None


def shortest(match: re.Match[str]) -> int:
    """The characters of the shortest token."""
    times = len(match["all"]) // len(match["one"])
    return times if match["more"] == "+" else times - 1 + int(match["more"][1:-2])


def segmented_words(
    text: str, words: str, hashtags: bool, segmenter: Callable[[str], Iterable[str]]
) -> list[str]:
    """The words of a text, those of scripts without spaces as the segmenter parts each run of them.

    >>> segmented_words("ab 東京都民 cd", "auto", False, lambda run: [run[:2], run[2:]])
    ['ab', '東京', '都民', 'cd']
    """
    found: list[str] = []
    for match in compiled_runs(words, hashtags).findall(text):
        if is_unspaced(match):
            found += parted(match, segmenter)
        else:
            found.append(match)
    return found


def parted(run: str, segmenter: Callable[[str], Iterable[str]]) -> list[str]:
    """What the segmenter makes of a run, without blanks and signs."""
    given = segmenter(run)
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InvalidInputError(f"segmenter must give a list of words, got {given!r}")
    words = list(given)
    strange = [word for word in words if not isinstance(word, str)]
    if strange:
        raise InvalidInputError(f"segmenter must give words as str, got {strange[0]!r}")
    return [word for word in words if any(is_unspaced(letter) for letter in word)]


def is_unspaced(word: str) -> bool:
    """Whether a word begins with a letter of a script without spaces."""
    if word.isascii():
        return False
    first = ord(word[0])
    return any(bool(common_classes()[name][first]) for name in RUN_TOGETHER)


@lru_cache(maxsize=4)
def compiled_runs(words: str, hashtags: bool) -> re.Pattern[str]:
    """The pattern of words and runs."""
    return re.compile(runs_pattern(words, hashtags))
