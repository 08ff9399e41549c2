"""Classifiers: what selections are judged by, each fitted along a ranking.

A classifier is a module here, and `OFFERED` lists what comparisons may name of it. `along` fits a class
against the rest along a path of selections; `margins` decide; `confidences` compare documents for one class,
as the break-even point needs. Both are (sizes, judged, classes).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Protocol

import numpy as np
from sklearn.base import is_classifier

from termsift._typing import Array
from termsift.errors import InvalidInput, unknown
from termsift.experiment.folds import Fold
from termsift.experiment.goals import Goal
from termsift.nested.paths import SelectionPath
from termsift.ranking import Ranking
from termsift.scoring import metric_with_options

BINARY = "binary"
# what is tried where none is named; logistic regression of tf-idf takes as long as the SVM and never led it
USUAL = ("bayes", "complement", "svm")
# beside them where documents have several labels and the goal is an F: on ApteMod it leads svm by 0.1
USUAL_OF_SEVERAL = "svm_tuned"
LONGEST_NAME = 40  # characters of a classifier as it prints; of one that is longer the name of its type


class Classifier(Protocol):
    """What judges selections."""

    @property
    def name(self) -> str:
        """What it is called in tables."""

    @property
    def cost(self) -> int:
        """How long it takes, about, against naive Bayes."""

    @property
    def every(self) -> int:
        """Of the numbers of terms, every how many-th it is tried with, from the largest down."""

    @property
    def weighted(self) -> bool:
        """Whether it reads tf-idf rows of unit length; else it reads counts."""

    @property
    def reads(self) -> str:
        """How it reads a row, as it is written behind its name; empty for as usual."""

    @property
    def ways(self) -> tuple[str, ...]:
        """How else it may read a row: "binary", or by the weights of a METRIC."""

    @property
    def words(self) -> str:
        """What it is called in sentences."""

    def along(self, fold: Fold, path: SelectionPath) -> Callable[[int], Array]:
        """For a class, by its place, the margins (judged, steps) against the rest along a path."""

    def margins(self, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
        """What it says of each class."""

    def confidences(self, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
        """The same, of a kind by which documents can be compared."""

    def estimator(self) -> Any:
        """The scikit-learn classifier that does the same, of one class against another."""


def one_vs_rest_margins(
    classifier: Classifier, fold: Fold, ranking: Ranking, sizes: Array, *, mirrored: bool = False
) -> Array:
    """(sizes, judged, classes) margins of each class against the rest; infinite for one of all or none.

    mirrored : of two classes that exclude each other the second alone is fitted
    """
    # a class after the other in memory, as they are fitted
    margins = np.moveaxis(np.empty((fold.n_classes, len(sizes), len(fold.truth))), 0, 2)
    opposite = mirrored and fold.is_mirrored
    shared = None if ranking.local else classifier.along(fold, SelectionPath.along(ranking.orders[0], sizes))
    for c in range(opposite, fold.n_classes):
        inside = fold.train.truth[:, c]
        if inside.all() or not inside.any():
            margins[:, :, c] = np.inf if inside.all() else -np.inf
            continue
        fitted = shared or classifier.along(fold, SelectionPath.along(ranking.orders[c], sizes))
        margins[:, :, c] = fitted(c).T
    if opposite:
        margins[:, :, 0] = -margins[:, :, 1]
    return margins


def marked(name: str, reads: str) -> str:
    """A classifier as it is written with how it reads a row.

    >>> marked("svm", "bns"), marked("svm", "")
    ('svm:bns', 'svm')
    """
    return f"{name}:{reads}" if reads else name


def as_read(words: str, reads: str) -> str:
    """A classifier as sentences name it with how it reads a row.

    >>> as_read("a linear SVM", "bns")
    'a linear SVM of terms weighted by bns'
    """
    if not reads:
        return words
    return f"{words} of {'0/1 features' if reads == BINARY else f'terms weighted by {reads}'}"


def classifier_reading(classifier: Classifier, reads: str) -> Classifier:
    """The classifier, reading rows in another way."""
    from termsift.experiment.classifiers.tuned import Tuned

    if isinstance(classifier, Tuned):
        return Tuned(classifier_reading(classifier.own, reads))
    by_metric = "METRIC" in classifier.ways
    if reads not in classifier.ways and not by_metric:
        raise unknown(f"way for {classifier.name} to read a row", reads, classifier.ways)
    if reads != BINARY:
        metric_with_options(reads)
    return replace(classifier, reads=reads)  # type: ignore[type-var]


@cache
def offered_classifiers() -> dict[str, Classifier]:
    """The classifiers by name, the quick ones first: what the modules here offer."""
    modules = (import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__))
    every = [one for module in modules for one in getattr(module, "OFFERED", ())]
    return {one.name: one for one in sorted(every, key=lambda one: (one.cost, one.every))}


def usual_classifiers(goal: Goal, single: bool) -> list[Classifier]:
    """What is tried where none is named, for a goal, and documents with one label each or several."""
    more = [] if single or goal.beta is None else [USUAL_OF_SEVERAL]
    return classifiers_from([*USUAL, *more], goal)


def classifiers_from(given: Any, goal: Goal) -> list[Classifier]:
    """Classifiers by name, or scikit-learn's own; the quick ones first. Thresholds are tuned for the goal.

    Those of a dict have the names that it gives them.
    """
    known = offered_classifiers()
    if isinstance(given, Mapping):
        found = [classifier_from(one, name) for name, one in given.items()]
    else:
        several = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]
        found = [classifier_from(one) for one in several]
    if not found:
        raise InvalidInput(f"classifiers must be at least one of {', '.join(known)}, got none")
    name, times = Counter(one.name for one in found).most_common(1)[0]
    if times > 1:
        raise InvalidInput(f"classifiers must differ; {name} is given twice; a dict can give them names")
    return sorted((for_goal(one, goal) for one in found), key=lambda one: one.cost)


def for_goal(classifier: Classifier, goal: Goal) -> Classifier:
    """The classifier; one that tunes thresholds with what they are tuned for, or an error."""
    from termsift.experiment.classifiers.tuned import Tuned

    if not isinstance(classifier, Tuned):
        return classifier
    return classifier.tuned_for(goal)


def classifier_from(given: Any, name: Any = None) -> Classifier:
    """A classifier by name, or scikit-learn's own, under a name of its own if one is given."""
    from termsift.experiment.classifiers.other import Other

    known = offered_classifiers()
    if not (name is None or (isinstance(name, str) and name)):
        raise InvalidInput(f"the name of a classifier must be a text, got {name!r}")
    if isinstance(given, str) and name in (None, given):
        base, colon, reads = given.partition(":")
        if base not in known:
            raise unknown("classifier", base, known)
        return classifier_reading(known[base], reads) if colon else known[base]
    known_to_it = hasattr(given, "__sklearn_tags__") and not isinstance(given, type)
    if not (known_to_it and is_classifier(given)):
        raise InvalidInput(
            f"a classifier is one of {', '.join(known)}, or one of scikit-learn's, got {given!r}"
        )
    shown = " ".join(repr(given).split())
    return Other(name or (shown if len(shown) <= LONGEST_NAME else type(given).__name__), given)
