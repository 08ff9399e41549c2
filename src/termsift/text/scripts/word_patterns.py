r"""Words of every script as regular expressions: what Python's `re`, scikit-learn and Java find alike.

A pattern has one group, the word. Scripts without spaces come as overlapping pairs: a look-ahead holds the
group, of two letters with what is written onto them, and one letter is passed over; before the last pair of a
run, two are. Quantifiers are possessive (`*+`), so that no mark is given back.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

from termsift.text.scripts.characters import Characters, matching, spans
from termsift.text.scripts.word_kinds import auto_kinds, shared_kinds, unicode_kinds

Spelling: TypeAlias = Callable[[Characters], str]


@lru_cache(maxsize=8)
def words_pattern(words: str, hashtags: bool) -> str:
    """The pattern of a mode, as Python and scikit-learn read it."""
    return pairs_pattern(words, hashtags, python_class)


@lru_cache(maxsize=8)
def runs_pattern(words: str, hashtags: bool) -> str:
    """The same, but a run of a script without spaces is one match, for a segmenter to part."""
    own = shared_kinds()
    runs = [
        f"{python_class(own[name])}{python_class(own[name] | own['attached'])}*+" for name in RUN_TOGETHER
    ]
    return f"({'|'.join(runs + other_words(words, hashtags, python_class))})"


@lru_cache(maxsize=8)
def java_words_pattern(words: str, hashtags: bool) -> str:
    """The pattern of a mode, as Java reads it: characters one by one, since its classes are not Python's."""
    return pairs_pattern(words, hashtags, java_class)


RUN_TOGETHER = ("ideograph", "cluster")


def known_pattern(pattern: str) -> tuple[str, bool] | None:
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
    own = shared_kinds()
    letter, attached, stacker = (spelled(own[kind]) for kind in (name, "attached", "stacker"))
    if name == "ideograph":
        return f"{letter}{attached}*+"
    return f"{letter}(?:{attached}|(?<={stacker}){letter})*+"


def other_words(words: str, hashtags: bool, spelled: Spelling) -> list[str]:
    """What else is a word: tags, runs of letters, emoji."""
    return [*([tag(spelled)] if hashtags else []), *WORDS[words](spelled)]


def tag(spelled: Spelling) -> str:
    """A hashtag or a name after @, where no word and no & comes before."""
    own = shared_kinds()
    before, hash_sign, first, more = (spelled(own[name]) for name in ("no_tag_after", "hash", "word", "tag"))
    return f"(?<!{before}){hash_sign}{first}{more}*+"


def auto_words(spelled: Spelling) -> list[str]:
    r"""As scikit-learn's \w\w+, with the marks and joiners inside."""
    own = auto_kinds()
    letter, quiet, joiner, virama = (spelled(own[name]) for name in ("letter", "quiet", "joiner", "virama"))
    second, more = spelled(own["letter"] | own["counted"]), spelled(own["letter"] | own["mark"])
    return [f"{letter}{quiet}*+{second}(?:{joiner}*+{more})*+(?:(?<={virama}){joiner})?"]


def unicode_words(spelled: Spelling) -> list[str]:
    """Words by UAX #29, and emoji."""
    own = unicode_kinds()
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
    own = unicode_kinds()
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
    word = matching(r"\w")
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
        code(first) if first == last else f"{code(first)}-{code(last)}" for first, last in spans(member)
    )


def python_code(character: int) -> str:
    """A character as an escape of Python's."""
    return f"\\u{character:04x}" if character < 0x10000 else f"\\U{character:08x}"


def java_code(character: int) -> str:
    """A character as an escape of Java's."""
    return f"\\x{{{character:x}}}"
