"""20 Newsgroups in five random splits and the ten largest classes of Reuters-21578: words counted, labels."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift import corpora
from termsift._typing import Array
from termsift.corpora.entry import DataDir
from termsift.estimators import TermVectorizer
from termsift.studies.lines import printed_rows
from termsift.text import Analyzer

TOP = 10
SPLITS = 5
FEWEST = 3


@dataclass(frozen=True, slots=True)
class JiangReading:
    """How the paper is read where it is silent.

    headers : the headers of posts are text
    stems : words are reduced to their stems, by Porter's algorithm
    stop_words : scikit-learn's stop words are left out
    numbered : the words of most training documents, as many as the paper has; else those in at least three
    several : what a story of several of the ten classes is: "each", one document of each of them, in training
        and test; "any", the same in training, and right in the test with any of them; "none", left out
    """

    headers: bool = True
    stems: bool = False
    stop_words: bool = False
    numbered: bool = True
    several: str = "each"


@dataclass(frozen=True, slots=True, eq=False)
class SplitCorpus:
    """Documents to learn from with one class each, and documents to judge.

    rows, test_rows : (documents, words), counts
    labels : (documents,) the number of the class
    truth : (test documents, classes) which answers are right
    """

    rows: csr_array[Any]
    labels: Array
    test_rows: csr_array[Any]
    truth: Array


@dataclass(frozen=True, slots=True, eq=False)
class CountedCorpus:
    """A corpus as words are counted, before it is split.

    rows : (documents, words)
    belongs : (documents, classes)
    words : how many the paper has
    is_test : (documents,) the publisher's split, if any
    """

    rows: csr_array[Any]
    belongs: Array
    words: int
    checksum: str
    is_test: Array | None = None


def newsgroups(data_dir: DataDir, reading: JiangReading, every: int = 1) -> CountedCorpus:
    """Every so many posts of 20 Newsgroups."""
    whole = corpora.load("20news", data_dir=data_dir, remove=() if reading.headers else ("headers",))
    corpus = whole.take(list(range(0, len(whole), every)))
    belongs = np.array(corpus.labels)[:, None] == np.array(corpus.classes)
    return CountedCorpus(
        word_counts(corpus.texts or [], reading), belongs, printed_words("20news"), corpus.checksum or ""
    )


def reuters(data_dir: DataDir, reading: JiangReading) -> CountedCorpus:
    """The stories of the ModApte split that are in any of the ten classes of most training stories."""
    corpus = corpora.load("reuters21578", data_dir=data_dir, split="modapte")
    names = largest_classes(corpus.part("train").labels, TOP)
    chosen = [i for i, topics in enumerate(corpus.labels) if set(names) & set(topics)]
    stories = corpus.take(chosen)
    belongs = np.array([[name in topics for name in names] for topics in stories.labels])
    texts = [html.unescape(text) for text in stories.texts or []]
    is_test = np.array(stories.split) == "test"
    return CountedCorpus(
        word_counts(texts, reading), belongs, printed_words("reuters10"), corpus.checksum or "", is_test
    )


def printed_words(corpus: str) -> int:
    """How many words the paper has of a corpus."""
    lines = printed_rows("jiang-lee", "figures")
    return next(int(line["value"]) for line in lines if (line["quantity"], line["of"]) == ("words", corpus))


def largest_classes(labels: list[list[str]], n: int) -> list[str]:
    """The n classes of most documents, by name among equals; in the order of their names."""
    every = [name for topics in labels for name in topics]
    by_size = sorted(set(every), key=lambda name: (-every.count(name), name))
    return sorted(by_size[:n])


def word_counts(texts: list[str], reading: JiangReading) -> csr_array[Any]:
    """(documents, words): lower-case words of at least two letters, digits or underscores."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    analyzer = Analyzer(
        stop_words=ENGLISH_STOP_WORDS if reading.stop_words else (),
        stemmer="porter" if reading.stems else None,
    )
    return csr_array(TermVectorizer(analyzer=analyzer).fit_transform(texts))


def split_corpus(whole: CountedCorpus, split: int, reading: JiangReading) -> SplitCorpus:
    """Two thirds to learn from and one to judge, at random; or the publisher's own parts."""
    is_test = whole.is_test if whole.is_test is not None else random_third(len(whole.belongs), split)
    kept = frequent_words(whole.rows[~is_test], whole.words if reading.numbered else None)
    documents, labels = class_pairs(whole.belongs, ~is_test, reading.several)
    judged, right = judged_documents(whole.belongs, is_test, reading.several)
    return SplitCorpus(whole.rows[documents][:, kept], labels, whole.rows[judged][:, kept], right)


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


def class_pairs(belongs: Array, inside: Array, several: str) -> tuple[Array, Array]:
    """Documents of a part and their classes: one pair for each class of a document."""
    chosen = inside & (belongs.sum(axis=1) == 1) if several == "none" else inside
    documents, labels = np.nonzero(belongs & chosen[:, None])
    return documents, labels


def judged_documents(belongs: Array, inside: Array, several: str) -> tuple[Array, Array]:
    """Documents of a part, and which answers are right for each."""
    if several == "any":
        documents = np.flatnonzero(inside)
        return documents, belongs[documents]
    documents, labels = class_pairs(belongs, inside, several)
    return documents, labels[:, None] == np.arange(belongs.shape[1])
