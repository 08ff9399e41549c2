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
def test_stop_words_accept_language_names_and_codes(language, word):
    assert word in load_stop_words(language)


def test_fragments_of_contractions_are_stop_words():
    words = load_stop_words("english")
    assert {"don't", "don"} <= set(words)
    assert list(words) == sorted(set(words))


def test_every_language_has_a_list():
    languages = set(LANGUAGE_MAPPING.values())
    assert len(languages) >= 33
    assert all(len(load_stop_words(language)) >= 40 for language in languages)


@pytest.mark.parametrize("word", ["free", "computer", "research", "world"])
def test_content_words_are_not_stop_words(word):
    assert word not in load_stop_words("english")


def test_unknown_language_is_an_error_with_the_closest_name():
    with pytest.raises(UnknownNameError, match="no stop word list named 'englsh'; did you mean 'english'"):
        load_stop_words("englsh")
