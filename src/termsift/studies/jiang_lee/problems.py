"""20 Newsgroups in five random splits and the ten largest classes of Reuters-21578: words counted, labels."""

from __future__ import annotations

import html
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift import corpora
from termsift._typing import Array
from termsift.corpora.entry import DataDir
from termsift.estimators import TermVectorizer
from termsift.experiment.documents import Documents
from termsift.experiment.folds import Fold
from termsift.labels import as_labels
from termsift.studies.jiang_lee.gains import BY_OCCURRENCES, GainBasis
from termsift.studies.study import printed_rows
from termsift.text import Analyzer

TOP = 10
SPLITS = 5
FEWEST = 3


@dataclass(frozen=True, slots=True)
class JiangReading:
    """How the paper is read: by its sentences, and where it is silent as plainly as can be.

    headers : the headers of posts are text
    stems : words are reduced to their stems, by Porter's algorithm
    stop_words : scikit-learn's stop words are left out
    numbered : the words of most training documents, as many as the paper has; else those in at least three
    several : what a story of several of the ten classes is: "each", one document of each of them, in training
        and test; "any", the same in training, and right in the test with any of them; "none", left out
    once : a word counts once in a document, however often it occurs
    gain : what the probabilities of equation 1 are shares of
    laplace : what Laplace's smoothing adds one to: "features", each feature of the classifier; "all words",
        the same, with the number of all words in the denominator; "their words", each word of all, and
        features are made of the smoothed shares of words as they are of words
    equal_classes : classes are taken to be equally likely
    rounds : in how many rounds words move between clusters, at most
    """

    headers: bool = True
    stems: bool = False
    stop_words: bool = False
    numbered: bool = True
    several: str = "each"
    once: bool = False
    gain: GainBasis = BY_OCCURRENCES
    laplace: str = "features"
    equal_classes: bool = False
    rounds: int = 300


def newsgroups(data_dir: DataDir, reading: JiangReading, every: int = 1) -> tuple[Documents, Array]:
    """Every so many posts of 20 Newsgroups, and which are judged in the first of the random splits."""
    whole = corpora.load("20news", data_dir=data_dir, remove=() if reading.headers else ("headers",))
    posts = whole.take(list(range(0, len(whole), every)))
    return word_documents(posts.texts or [], posts.labels, reading), random_third(len(posts), 0)


def reuters(data_dir: DataDir, reading: JiangReading) -> tuple[Documents, Array]:
    """The stories of the ModApte split in any of the ten classes of most training stories; the test part."""
    corpus = corpora.load("reuters21578", data_dir=data_dir, split="modapte")
    names = largest_classes(corpus.part("train").labels, TOP)
    stories = corpus.take([i for i, topics in enumerate(corpus.labels) if set(names) & set(topics)])
    texts = [html.unescape(text) for text in stories.texts or []]
    labels = [[name for name in topics if name in names] for topics in stories.labels]
    return word_documents(texts, labels, reading), np.array(stories.split) == "test"


def printed_words(corpus: str) -> int:
    """How many words the paper has of a corpus."""
    lines = printed_rows("jiang-lee", "figures")
    return next(int(line["value"]) for line in lines if (line["quantity"], line["of"]) == ("words", corpus))


def largest_classes(labels: list[list[str]], n: int) -> list[str]:
    """The n classes of most documents, by name among equals; in the order of their names."""
    every = [name for topics in labels for name in topics]
    by_size = sorted(set(every), key=lambda name: (-every.count(name), name))
    return sorted(by_size[:n])


def word_documents(texts: list[str], labels: list[Any], reading: JiangReading) -> Documents:
    """Texts by their lower-case words of at least two letters, digits or underscores."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    analyzer = Analyzer(
        stop_words=ENGLISH_STOP_WORDS if reading.stop_words else (),
        stemmer="porter" if reading.stems else None,
    )
    vectorizer = TermVectorizer(analyzer=analyzer)
    rows = csr_array(vectorizer.fit_transform(texts))
    if reading.once:
        rows.data[:] = 1
    return Documents(rows, as_labels(labels), vectorizer.get_feature_names_out())


def reading_fold(documents: Documents, is_test: Array, words: int, reading: JiangReading) -> Fold:
    """The documents as they are learned and judged, in as many words as the paper has."""
    kept = frequent_words(documents.rows[~is_test], words if reading.numbered else None)
    learned, judged = (documents.take(np.flatnonzero(part)).keep(kept) for part in (~is_test, is_test))
    if reading.several != "any":
        judged = one_per_class(judged, reading.several)
    return Fold(one_per_class(learned, reading.several), judged.rows, judged.truth)


def one_per_class(documents: Documents, several: str) -> Documents:
    """One document for each class of a document, or none where it has several and those are left out."""
    belongs = documents.truth
    kept = belongs.sum(axis=1, keepdims=True) == 1 if several == "none" else True
    places, classes = np.nonzero(belongs & kept)
    labels = as_labels(classes[:, None] == np.arange(belongs.shape[1]))
    return replace(documents, rows=documents.rows[places], labels=labels)


def random_third(n: int, split: int) -> Array:
    """(documents,): whether each is in the third that is judged, drawn by the number of the split."""
    is_test = np.zeros(n, dtype=bool)
    is_test[np.random.default_rng(split).permutation(n)[2 * n // 3 :]] = True
    return is_test


def frequent_words(rows: csr_array[Any], n: int | None) -> Array:
    """The n words in most documents, the first among equals; without n those in at least three."""
    df = np.bincount(rows.indices, minlength=rows.shape[1])
    if n is None:
        return np.flatnonzero(df >= FEWEST)
    in_order = np.argsort(-df, kind="stable")[:n]
    return np.sort(in_order[df[in_order] > 0])
