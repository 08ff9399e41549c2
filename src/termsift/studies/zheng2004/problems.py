"""The 90 problems of ApteMod: a category against the rest, in the order of their sizes."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from math import inf
from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from termsift import corpora
from termsift._typing import Array
from termsift.corpora import reuters_apte
from termsift.corpora.corpus import Corpus
from termsift.corpora.entry import DataDir
from termsift.errors import UnreadableFile
from termsift.estimators import TermVectorizer
from termsift.evaluation.confusion import indicator
from termsift.experiment.documents import Documents
from termsift.experiment.folds import Fold
from termsift.labels import Labels, as_labels
from termsift.text import Analyzer

PARTS = ("train", "test")
# what ApteMod has of a story that Reuters-21578 calls unprocessed: its date, twice
DATES = re.compile(r"(\s*\d{1,2}-[A-Z]{3}-1987[\s\d:.]*)+")
# the one story of the 90 categories that ApteMod lacks: no. 1199, in trade
LACKING = "ROSTENKOWSKI SAYS HE WILL OPPOSE PROTECTIONIST TRADE BILL IN U.S. HOUSE"
END = re.compile(r"\s+Reuter\s*$", re.IGNORECASE)  # of a story, not of its text


@dataclass(frozen=True, slots=True)
class ZhengReading:
    """How the paper is read where it is silent. The default is the one that comes nearest to its tables.

    text : ApteMod's with the unprocessed stories completed, ApteMod's alone, or the distribution's
    stems : words are reduced to their stems, by Porter's algorithm
    stop_stems : what has the stem of a stop word is one
    references : the names in character references (&lt;) are words
    least : how often a term occurs in the training part at least, or, "whole", in both parts
    quotient : naive Bayes ranks by the quotient of the log posteriors, as printed, else by their difference
    smoothing : of SIG
    bias : the bias of logistic regression is one of the weights, free of the penalty, or there is none
    one_term : a ratio of 0 takes one positive term, for none would be no natural number
    rounding : shares of terms are rounded down, or a half up
    equal : which of several ratios that are best is taken; of an even number the smaller middle one
    tied_terms : which of terms of equal score comes first: of most or of fewest documents, then by the
        alphabet; by the alphabet alone, or from its end; in the order in which documents bring them
    file_order : documents of equal score stand in the order of the corpus, else they share the cut
    """

    text: Literal["completed", "apte", "distribution"] = "completed"
    stems: bool = True
    stop_stems: bool = True
    references: bool = False
    least: Literal["2 documents", "3 documents", "3 occurrences", "3 occurrences, whole"] = "2 documents"
    quotient: bool = True
    smoothing: float | str = "ele"
    bias: Literal["weight", "free", "none"] = "weight"
    one_term: bool = True
    rounding: Literal["down", "half up"] = "down"
    equal: Literal["smallest", "middle", "largest"] = "smallest"
    tied_terms: Literal["frequent", "rare", "alphabet", "alphabet's end", "corpus"] = "frequent"
    file_order: bool = False

    @property
    def of_terms(self) -> ZhengReading:
        """What it says of texts and terms; all else as in the nearest."""
        names = ("text", "stems", "stop_stems", "references", "least")
        return ZhengReading(**{name: getattr(self, name) for name in names})

    def bias_penalty(self, penalty: float) -> float:
        """The penalty of the bias, given that of the weights."""
        return {"weight": penalty, "free": 0.0, "none": inf}[self.bias]

    def positive_terms(self, size: int, steps: int = 20) -> Array:
        """(steps + 1,) how many of some terms are positive at the ratios 0, 1 / steps, ..., 1.

        >>> ZhengReading().positive_terms(50)[:4]
        array([1, 2, 5, 7])
        """
        numbers = np.arange(steps + 1) * size
        shares = numbers // steps if self.rounding == "down" else (2 * numbers + steps) // (2 * steps)
        return np.maximum(shares, int(self.one_term))


NEAREST = ZhengReading()


def both_corpora(data_dir: DataDir = None) -> tuple[Corpus, Corpus]:
    """ApteMod, and the stories of the 90 categories as Reuters-21578 distributes them."""
    whole = corpora.load("reuters21578", data_dir=data_dir, categories="both")
    return corpora.load("reuters_apte", data_dir=data_dir), whole


def apte_fold(pair: tuple[Corpus, Corpus], data_dir: DataDir = None, reading: ZhengReading = NEAREST) -> Fold:
    """ApteMod as the paper reads it, in all its categories.

    Terms are runs of letters, but for the stop words that come with the corpus, that are frequent enough.
    """
    stop_words = reuters_apte.stop_words(data_dir)
    stemmer = "porter" if reading.stems else None
    vectorizer = TermVectorizer(
        analyzer=Analyzer(token_pattern=r"[a-z]+", stop_words=stop_words, stemmer=stemmer)
    )
    texts, corpus = part_texts(*pair, reading), pair[0]
    rows = csr_array(vectorizer.fit_transform(texts["train"]))
    test_rows = csr_array(vectorizer.transform(texts["test"]))
    terms = vectorizer.get_feature_names_out()
    stops = (
        Analyzer(token_pattern=r"\S+", stemmer=stemmer)(" ".join(stop_words)) if reading.stop_stems else []
    )
    kept = np.flatnonzero(frequent(rows, test_rows, reading.least) & ~np.isin(terms.astype(str), stops))
    rows, test_rows = rows[:, kept], test_rows[:, kept]
    # the terms of a document stand in one order, so that equal terms give equal sums to the last bit
    rows.sort_indices()
    test_rows.sort_indices()
    learned = Documents(rows, as_labels(corpus.part("train").labels), terms[kept])
    return Fold(learned, test_rows, indicator(as_labels(corpus.part("test").labels), learned.labels.classes))


def frequent(rows: csr_array, test_rows: csr_array, least: str) -> Array:
    """(terms,) which occur as often as is asked for."""
    number, of, *_ = least.replace(",", "").split()
    seen = rows > 0 if of == "documents" else rows
    found = np.asarray(seen.sum(axis=0)) + (test_rows.sum(axis=0) if least.endswith("whole") else 0)
    return np.asarray(found >= int(number))


def part_texts(apte: Corpus, whole: Corpus, reading: ZhengReading) -> dict[str, list[str]]:
    """The texts of both parts.

    ApteMod lacks the text of the stories that Reuters-21578 calls unprocessed, and has the title of a brief
    story twice, once in the place of its body.
    """
    prepared = str if reading.references else html.unescape
    ours = {part: [prepared(text) for text in apte.part(part).texts or []] for part in PARTS}
    if reading.text == "apte":
        return ours
    theirs = distributed_texts(whole)
    if [len(theirs[part]) for part in PARTS] != [len(ours[part]) for part in PARTS]:
        raise UnreadableFile("ApteMod and Reuters-21578 have not the same stories")
    if reading.text == "distribution":
        return theirs
    return {
        part: [
            full if DATES.fullmatch(own) else own for own, full in zip(ours[part], theirs[part], strict=True)
        ]
        for part in PARTS
    }


def distributed_texts(whole: Corpus) -> dict[str, list[str]]:
    """The texts of ApteMod's stories as Reuters-21578 has them, by part, without the mark of their end."""
    return {
        part: [END.sub("", text) for text in whole.part(part).texts or [] if not text.startswith(LACKING)]
        for part in PARTS
    }


def largest_first(labels: Labels) -> Array:
    """(classes,): the places of the classes, the one of most documents first, by name among equals.

    >>> largest_first(as_labels([["acq"], ["earn"], ["acq", "dlr"], ["acq"], ["earn"]]))
    array([0, 2, 1])
    """
    order: Array = np.argsort(-np.diff(labels.starts), kind="stable")
    return order
