"""Lists of stop words by language, from the package stop-words."""

from __future__ import annotations

import re
from functools import lru_cache

from termsift.errors import unknown

PART, APOSTROPHE = re.compile(r"\w\w+"), re.compile("['’]")


@lru_cache(maxsize=8)
def stop_words_of(language: str) -> tuple[str, ...]:
    """The stop words of a language, by its name or its code of two letters, sorted.

    Of words with an apostrophe their parts are stop words too: "don't" is "don" to CountVectorizer's pattern.

    >>> "the" in stop_words_of("english"), stop_words_of("en") == stop_words_of("english")
    (True, True)
    """
    from stop_words import LANGUAGE_MAPPING, get_stop_words

    name = language.lower()
    name = LANGUAGE_MAPPING.get(name, name)
    if name not in LANGUAGE_MAPPING.values():
        raise unknown("list of stop words", language, sorted({*LANGUAGE_MAPPING.values()}))
    words = [word.lower() for word in get_stop_words(name)]
    parts = [part for word in words if APOSTROPHE.search(word) for part in PART.findall(word)]
    return tuple(sorted({*words, *parts}))
