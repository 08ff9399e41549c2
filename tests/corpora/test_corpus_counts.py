"""The real corpora, all of them: their documents, classes, splits and checksums."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from sklearn.datasets import _twenty_newsgroups as twenty

import termsift as ts
from termsift.corpora.readers import ENTRIES, REMOVALS

MONTHS = ("feb", "mar", "apr", "jun", "oct")
FILES = [entry for entry in ENTRIES if entry.file]


@pytest.fixture(scope="module")
def load(data_folder):
    """Corpora of the data folder, each read once."""
    read = {}

    def load(name, **options):
        key = (name, *options.items())
        if key not in read:
            read[key] = ts.corpora.load(name, data_dir=data_folder, **options)
        return read[key]

    return load


@pytest.mark.parametrize("entry", FILES, ids=lambda entry: entry.name)
def test_corpora_match_the_catalogue(load, entry):
    corpus = load(entry.name)
    assert (len(corpus), len(corpus.classes)) == (entry.documents, entry.classes)
    assert (corpus.name, corpus.source, corpus.checksum) == (entry.name, entry.home, entry.sha256)
    assert corpus.citation == entry.citation
    assert corpus.terms_of_use == entry.terms_of_use
    assert corpus.terms_of_use


class TestReuters21578:
    @pytest.mark.parametrize(
        ("split", "train", "test"),
        [("modapte", 9603, 3299), ("modlewis", 13625, 6188), ("modhayes", 20856, 722)],
    )
    def test_splits_have_the_published_sizes(self, load, split, train, test):
        corpus = load("reuters21578", split=split)
        assert Counter(corpus.split) == {"train": train, "test": test}
        assert len(corpus.part("train")) == train

    def test_modapte_is_the_default(self, load):
        assert load("reuters21578").split == load("reuters21578", split="modapte").split

    def test_ninety_categories_are_in_training_and_test_set(self, load):
        corpus = load("reuters21578", categories="both")
        assert Counter(corpus.split) == {"train": 7770, "test": 3019}
        assert len(corpus.part("train").classes) == len(corpus.part("test").classes) == 90
        assert repr(corpus) == "Corpus('reuters21578', 10,789 documents, 90 classes)"

    def test_the_words_equal_aptemod_except_unprocessed_stories(self, load):
        ours, theirs = words(load("reuters21578", categories="both")), words(load("reuters_apte"))
        assert (ours - theirs).total() == 62
        assert (theirs - ours).total() == 61
        # of unprocessed stories ApteMod has no text, only the date
        assert {words for *_, words in theirs - ours} <= {frozenset({month}) for month in MONTHS}

    def test_control_codes_are_removed(self, load):
        texts = load("reuters21578", split="modhayes").texts
        assert not any(re.search("[\x00-\x08\x0b-\x1f\x7f]", text) for text in texts)


def words(corpus):
    """How many stories have such a part, such topics and such words."""
    return Counter(
        (part, tuple(sorted(labels)), bag(text))
        for part, labels, text in zip(corpus.split, corpus.labels, corpus.texts, strict=True)
    )


def bag(text):
    """The words of a text, without entities, which ApteMod keeps, and the signature, which it lacks."""
    found = re.findall("[a-z]+", re.sub("&(lt|amp);", " ", text.lower()))
    return frozenset(word for word in found if not word.startswith("reut"))


class TestApteMod:
    def test_sets_and_categories_have_the_published_sizes(self, load):
        corpus = load("reuters_apte")
        assert Counter(corpus.split) == {"train": 7769, "test": 3019}
        assert len(corpus.part("train").classes) == len(corpus.part("test").classes) == 90
        assert sum(map(len, corpus.labels)) / len(corpus) == pytest.approx(1.235, abs=0.001)

    def test_the_stop_list_has_570_words(self, data_folder, monkeypatch):
        monkeypatch.setenv("TERMSIFT_DATA", str(data_folder))
        stop_words = ts.corpora.reuters_stop_words()
        assert len(stop_words) == 570
        assert {"the", "a's", "zero"} <= stop_words


class TestNewsgroups:
    def test_documents_are_in_the_order_of_their_paths(self, load):
        corpus = load("20news")
        assert Counter(corpus.split) == {"train": 11314, "test": 7532}
        assert corpus.split == sorted(corpus.split, reverse=True)
        for part in ("train", "test"):
            assert corpus.part(part).labels == sorted(corpus.part(part).labels)
        assert len(corpus.classes) == 20

    @pytest.mark.parametrize(
        ("name", "peer"),
        [
            ("headers", twenty.strip_newsgroup_header),
            ("footers", twenty.strip_newsgroup_footer),
            ("quotes", twenty.strip_newsgroup_quoting),
        ],
    )
    def test_parts_of_posts_are_removed_as_scikit_learn_does(self, load, name, peer):
        assert all(REMOVALS[name](text) == peer(text) for text in load("20news").texts)

    def test_removals_are_done_in_scikit_learns_order(self, load):
        removed = load("20news", remove=("quotes", "headers", "footers"))
        for before, after in zip(load("20news").texts[::50], removed.texts[::50], strict=True):
            bare = twenty.strip_newsgroup_footer(twenty.strip_newsgroup_header(before))
            assert after == twenty.strip_newsgroup_quoting(bare)


def test_sms_spam(load):
    corpus = load("sms_spam")
    assert Counter(corpus.labels) == {"ham": 4827, "spam": 747}
    assert corpus.texts[1] == "Ok lar... Joking wif u oni..."
    assert corpus.split is None
