"""20 Newsgroups as counts of words, by the ways in which the paper can be read."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from sklearn.model_selection import StratifiedShuffleSplit

from termsift import corpora
from termsift.estimators import TermVectorizer
from termsift.experiment.documents import Documents
from termsift.experiment.folds import Fold
from termsift.labels import as_labels
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


@lru_cache(maxsize=2)
def loaded_posts(words: Words, data_dir: Path | None = None) -> tuple[Documents, str]:
    """The posts of both parts of the collection by date, and its checksum; words in alphabetical order.

    They are read once for each way to make words of them.
    """
    corpus = corpora.load("20news", data_dir=data_dir, remove=words.without)
    rows = csr_array(post_vectorizer(words).fit_transform(corpus.texts or []))
    return Documents(rows, as_labels(corpus.labels), np.arange(rows.shape[1])), corpus.checksum or ""


def split_fold(found: Documents, number: int, fewest: int, groups: Collection[str] | None = None) -> Fold:
    """Two thirds of each group to learn from and one third to judge, at random.

    fewest : posts to learn from that a word must be in
    groups : those that are told from the rest, all where it is None; the posts of others have no label
    """
    halves = StratifiedShuffleSplit(1, train_size=TRAINING, random_state=number)
    learned, judged = next(halves.split(found.rows, found.target))
    if groups is not None:
        named = [[name for name in names if name in groups] for names in found.labels.names]
        found = replace(found, labels=as_labels(named))
    fold = Fold.of(found, learned, judged)
    posts_with_word = np.bincount(fold.train.rows.indices, minlength=len(found.terms))
    return fold.keep(np.flatnonzero(posts_with_word >= fewest))


def post_vectorizer(words: Words) -> TermVectorizer:
    """What makes words of posts. Words as they are go through the compiled scan; stems cannot."""
    stop_words = None if words.stop_words else sorted(ENGLISH_STOP_WORDS)
    if words.stems:
        return TermVectorizer(analyzer=Analyzer(stop_words=stop_words or (), stemmer="porter"))
    return TermVectorizer(stop_words=stop_words, n_jobs=-1)
