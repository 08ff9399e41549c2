"""Each method on a fold: how many documents it gets right, and how long it takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from time import thread_time
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift.clusters.divisive import Divisive
from termsift.estimators import ClassWeightExtractor, TermSelector, WordClusterExtractor
from termsift.experiment.documents import Documents
from termsift.experiment.folds import Fold
from termsift.labels import as_labels
from termsift.studies.jiang_lee.gains import gain_metric
from termsift.studies.jiang_lee.laplace import bayes_answers
from termsift.studies.jiang_lee.problems import JiangReading
from termsift.studies.study import Row

COLUMNS = ("corpus", "split", "method", "features", "words", "right", "judged", "seconds")
SIZES = (2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000)
WEIGHTS, ALL = "class weights", "all words"


@cache
def compile_once() -> None:
    """Every method once on a few words, so that no clock counts the compiling."""
    rows = csr_array(np.array([[2, 1, 0], [0, 1, 2], [0, 0, 1]]))
    train = Documents(rows, as_labels([0, 1, 2]), np.array(["a", "b", "c"], dtype=object))
    list(method_rows(Fold(train, rows, train.truth), [2], JiangReading()))


def split_rows(corpus: str, split: int, fold: Fold, sizes: Sequence[int], reading: JiangReading) -> list[Row]:
    """The rows of all methods on a split of a corpus."""
    compile_once()
    words = len(fold.train.terms)
    named = {"corpus": corpus, "split": split, "words": words}
    return [named | row for row in method_rows(fold, [size for size in sizes if size < words], reading)]


def method_rows(fold: Fold, sizes: Sequence[int], reading: JiangReading) -> Iterator[Row]:
    """Class weights, clusters (DC) and information gain (IG) of each size, and all words."""
    how, gain = Divisive(reading.rounds), gain_metric(reading.gain)
    yield judged_row(fold, reading, WEIGHTS, fold.n_classes, ClassWeightExtractor())
    for size in sizes:
        yield judged_row(fold, reading, "DC", size, WordClusterExtractor(size, how, n_jobs=1))
        yield judged_row(fold, reading, "IG", size, TermSelector(gain, k=size))
    yield judged_row(fold, reading, ALL, "all", "passthrough")


def judged_row(fold: Fold, reading: JiangReading, method: str, features: object, step: Any) -> Row:
    """A row: multinomial naive Bayes of the features that a step makes.

    The seconds are those of the processor, from counted words to answers: what the step learns from the
    training documents, the features of all documents, fitting and answering.
    """
    start = thread_time()
    answers = bayes_answers(fold, step, reading)
    seconds = thread_time() - start
    right = int(fold.truth[range(len(answers)), answers].sum())
    counts = {"right": right, "judged": len(answers), "seconds": f"{seconds:.3f}"}
    return {"method": method, "features": features} | counts
