"""Words of scripts without spaces by a segmenter of the user's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from termsift.errors import InvalidInput
from termsift.text.scripts.word_kinds import shared_kinds
from termsift.text.scripts.word_patterns import RUN_TOGETHER, runs_pattern


def segmented_words(
    text: str, words: str, hashtags: bool, segmenter: Callable[[str], Iterable[str]]
) -> list[str]:
    """The words of a text, those of scripts without spaces as the segmenter parts each run of them.

    >>> segmented_words("ab 東京都民 cd", "auto", False, lambda run: [run[:2], run[2:]])
    ['ab', '東京', '都民', 'cd']
    """
    found: list[str] = []
    for match in compiled_runs(words, hashtags).findall(text):
        if is_run_together(match):
            found += parted(match, segmenter)
        else:
            found.append(match)
    return found


def parted(run: str, segmenter: Callable[[str], Iterable[str]]) -> list[str]:
    """What the segmenter makes of a run, without blanks and signs."""
    given = segmenter(run)
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InvalidInput(f"segmenter must give a list of words, got {given!r}")
    words = list(given)
    strange = [word for word in words if not isinstance(word, str)]
    if strange:
        raise InvalidInput(f"segmenter must give words as str, got {strange[0]!r}")
    return [word for word in words if any(is_run_together(letter) for letter in word)]


def is_run_together(word: str) -> bool:
    """Whether a word begins with a letter of a script without spaces."""
    if word.isascii():
        return False
    first = ord(word[0])
    return any(bool(shared_kinds()[name][first]) for name in RUN_TOGETHER)


@lru_cache(maxsize=4)
def compiled_runs(words: str, hashtags: bool) -> re.Pattern[str]:
    """The pattern of words and runs."""
    return re.compile(runs_pattern(words, hashtags))
