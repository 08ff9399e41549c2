"""20 Newsgroups as counts of words, by the ways in which the paper can be read."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from sklearn.model_selection import StratifiedShuffleSplit

from termsift import corpora
from termsift._typing import Array
from termsift.corpora.entry import DataDir
from termsift.estimators import TermVectorizer
from termsift.text import Analyzer

TRAINING = 2 / 3


@dataclass(frozen=True, slots=True)
class Words:
    """How a post becomes words. The paper mentions no step, so by default it is taken as it comes.

    without : parts of a post that are left out: "headers", "footers", "quotes"
    stop_words : whether the stop words of scikit-learn are words
    stems : words are reduced to their stems, by Porter's algorithm
    """

    without: tuple[str, ...] = ()
    stop_words: bool = True
    stems: bool = False


@dataclass(frozen=True, slots=True)
class UchyigitReading:
    """How the paper is read where it leaves a choice.

    all_words : the probabilities of naive Bayes are shares of all words of the training posts,
        else of the selected words alone
    fewest : training posts that a word must be in
    by_frequency : of words that tie, the one in more posts comes first, else the order is the alphabet's
    """

    words: Words = field(default_factory=Words)
    all_words: bool = False
    fewest: int = 1
    by_frequency: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Posts:
    """rows : (posts, words) counts, words in the order of the alphabet; truth : (groups, posts)."""

    rows: csr_array[Any]
    groups: list[str]
    truth: Array
    checksum: str

    def split(self, number: int) -> tuple[Array, Array]:
        """Posts to learn from and to judge: two thirds and one third of each group, at random."""
        halves = StratifiedShuffleSplit(1, train_size=TRAINING, random_state=number)
        learned, judged = next(halves.split(self.rows, self.truth.argmax(axis=0)))
        return learned, judged


def posts(words: Words, data_dir: DataDir = None) -> Posts:
    """The posts, read once for each way to make words of them."""
    return loaded_posts(words, None if data_dir is None else str(data_dir))


@lru_cache(maxsize=2)
def loaded_posts(words: Words, data_dir: str | None) -> Posts:
    """The posts of both parts of the collection by date."""
    corpus = corpora.load("20news", data_dir=data_dir, remove=words.without)
    rows = csr_array(post_vectorizer(words).fit_transform(corpus.texts or []))
    labels = np.array(corpus.labels, dtype=object)
    truth = np.stack([labels == group for group in corpus.classes])
    return Posts(rows, corpus.classes, truth, corpus.checksum or "")


def post_vectorizer(words: Words) -> TermVectorizer:
    """What makes words of posts. Words as they are go through the compiled scan; stems cannot."""
    stop_words = None if words.stop_words else sorted(ENGLISH_STOP_WORDS)
    if words.stems:
        return TermVectorizer(analyzer=Analyzer(stop_words=stop_words or (), stemmer="porter"))
    return TermVectorizer(stop_words=stop_words, n_jobs=-1)
