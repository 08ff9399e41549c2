"""Lists of stop words by language."""

from __future__ import annotations

import pytest
from stop_words import LANGUAGE_MAPPING

from termsift._internal.errors import UnknownNameError
from termsift.text.analyzer import load_stop_words


@pytest.mark.parametrize(
    ("language", "word"),
    [("english", "the"), ("German", "und"), ("fr", "les"), ("russian", "что"), ("arabic", "من")],
)
def test_a_language_is_named_or_coded(language, word):
    assert word in load_stop_words(language)


def test_the_parts_of_words_with_apostrophes_are_stop_words_too():
    words = load_stop_words("english")
    assert {"don't", "don"} <= set(words)
    assert list(words) == sorted(set(words))


def test_every_language_has_a_list():
    languages = set(LANGUAGE_MAPPING.values())
    assert len(languages) >= 33
    assert all(len(load_stop_words(language)) >= 40 for language in languages)


@pytest.mark.parametrize("word", ["free", "computer", "research", "world"])
def test_words_that_tell_classes_apart_are_not_among_them(word):
    assert word not in load_stop_words("english")


def test_a_language_that_has_no_list_is_an_error_with_the_near_miss():
    with pytest.raises(
        UnknownNameError, match="no list of stop words named 'englsh'; did you mean 'english'"
    ):
        load_stop_words("englsh")
