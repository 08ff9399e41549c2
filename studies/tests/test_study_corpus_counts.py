"""The real corpora of the studies: their documents, words, classes, splits and checksums."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import termsift as ts
from termsift_studies import corpora

# documents, words, classes
KARYPIS = {
    "fbis": (2463, 2000, 17),
    "la1s": (3204, 13195, 6),
    "la2s": (3075, 12432, 6),
    "oh0": (1003, 3182, 10),
    "oh5": (918, 3012, 10),
    "oh10": (1050, 3238, 10),
    "oh15": (913, 3100, 10),
    "ohscal": (11162, 11465, 10),
    "re0": (1504, 2886, 13),
    "re1": (1657, 3758, 25),
    "tr11": (414, 6429, 9),
    "tr12": (313, 5804, 8),
    "tr21": (336, 7902, 6),
    "tr23": (204, 5832, 6),
    "tr31": (927, 10128, 7),
    "tr41": (878, 7454, 10),
    "tr45": (690, 8261, 10),
    "wap": (1560, 8460, 20),
}
# rows of the file that name no class
WITHOUT_CLASS = {
    "la1s": 354, "la2s": 375, "oh0": 57, "oh5": 74, "oh10": 126, "oh15": 56, "ohscal": 1159,
    "re0": 38, "re1": 31, "wap": 15,
}  # fmt: skip
CDCAI = {
    "cdcai/reuters21578": (8293, 18933, 65, {"train": 5946, "test": 2347}),
    "cdcai/tdt2": (9394, 36771, 30, None),
    "cdcai/20newsgroups": (18846, 26214, 20, {"train": 11314, "test": 7532}),
}


@pytest.fixture(scope="module")
def load(data_folder):
    """Corpora of the data folder, each read once."""
    read = {}

    def load(name, **options):
        key = (name, *options.items())
        if key not in read:
            read[key] = corpora.load(name, data_dir=data_folder, **options)
        return read[key]

    return load


@pytest.mark.parametrize("entry", corpora.ENTRIES.values(), ids=lambda entry: entry.name)
def test_a_corpus_matches_the_catalogue(load, entry):
    corpus = load(entry.name)
    assert (len(corpus), len(corpus.classes)) == (entry.documents, entry.classes)
    assert (corpus.name, corpus.source, corpus.checksum) == (entry.name, entry.home, entry.sha256)
    assert corpus.citation == entry.citation
    assert corpus.terms_of_use == entry.terms_of_use
    assert corpus.terms_of_use


@pytest.mark.parametrize("name", KARYPIS)
def test_the_sets_of_han_and_karypis(load, name):
    corpus = load(name)
    documents, words, classes = KARYPIS[name]
    assert corpus.matrix.shape == (documents, words)
    assert len(corpus.terms) == words
    assert len(corpus.classes) == classes
    assert corpus.matrix.dtype == np.int64
    assert corpus.matrix.data.min() == 1
    assert ts.count(corpus.matrix, corpus.labels, terms=corpus.terms).documents == documents


@pytest.mark.parametrize("name", WITHOUT_CLASS)
def test_rows_without_a_class_have_the_first(load, name):
    corpus = load(name)
    assert corpus.labels.count(corpus.classes[0]) == WITHOUT_CLASS[name]


@pytest.mark.parametrize("name", CDCAI)
def test_the_matrices_of_deng_cai(load, name):
    corpus = load(name)
    documents, words, classes, split = CDCAI[name]
    assert corpus.matrix.shape == (documents, words)
    assert corpus.classes == list(range(1, classes + 1))
    assert (corpus.split and Counter(corpus.split)) == split
    assert ts.count(corpus.matrix, corpus.labels, terms=corpus.terms).documents == documents


@pytest.mark.parametrize("name", ["la1", "la2"])
def test_the_sets_with_all_words_have_the_classes_of_the_reduced_ones(load, name):
    corpus, reduced = load(name), load(f"{name}s")
    assert corpus.matrix.shape == (len(reduced), 31472)
    assert sorted(Counter(corpus.labels).values()) == sorted(Counter(reduced.labels).values())


def test_the_vocabulary_of_20_newsgroups_names_its_columns(load):
    corpus = load("cdcai/20newsgroups")
    df = np.bincount(corpus.matrix.indices)
    # every post has a subject line, and the vocabulary of the file is sorted by document frequency
    assert dict(zip(corpus.terms[:3], df[:3].tolist(), strict=True)) == {
        "subject": 18846, "line": 18796, "organ": 18151,
    }  # fmt: skip
    assert load("cdcai/tdt2").terms is None
