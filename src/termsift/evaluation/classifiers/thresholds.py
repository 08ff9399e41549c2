"""Thresholds: what is added to the margins of each class, so that decisions by them have the best F.

Yang (2001) calls it SCut. Several labels are decided class by class: a class is accepted where its margin is
above 0. Of one label the classes compete, and the largest margin wins: each class in turn is moved to where
F is best, the others as they are, until none moves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from termsift._internal.errors import InvalidInputError
from termsift._internal.ranking import Ranking
from termsift._internal.typing import Array
from termsift.counts import ratio
from termsift.evaluation.classifiers.linear import LOGISTIC_REGRESSION, SVM
from termsift.evaluation.classifiers.naive_bayes import ComplementNaiveBayes, MultinomialNaiveBayes
from termsift.evaluation.classifiers.paths import Classifier, SelectionPath, append_representation
from termsift.evaluation.goals import Goal
from termsift.evaluation.splits import Fold, inner_folds

ROUNDS = 10  # at most; two or three are usual
LEAST_GAIN = 1e-9  # what rounding alone tells apart is equal


@dataclass(frozen=True, slots=True)
class Aim:
    """An F that is to be as large as can be.

    beta : how many times as important recall is as precision
    micro : whether all decisions count as those of one class; else F is the mean over the classes
    """

    beta: float
    micro: bool


F1_MACRO = Aim(1.0, micro=False)


def multilabel_offsets(margins: Array, truth: Array, weights: Array, aim: Aim) -> Array:
    """(classes,) what to add to margins, each class accepted above 0; 0 for a class without documents.

    margins, truth : (documents, classes); weights : (documents,) what each document counts for

    >>> margins, truth = np.array([[-0.2], [-0.4], [-0.9]]), np.array([[True], [True], [False]])
    >>> multilabel_offsets(margins, truth, np.ones(3), F1_MACRO).round(2)
    array([0.65])
    """
    told = np.isfinite(margins).all(axis=0) & truth.any(axis=0)
    margins, truth = margins[:, told], truth[:, told]
    order = np.argsort(-margins, axis=0, kind="stable")
    ordered, own = np.take_along_axis(margins, order, 0), weights[order]
    hits, taken = with_none(own * np.take_along_axis(truth, order, 0)), with_none(own)
    hits, room = (1 + aim.beta**2) * hits, aim.beta**2 * hits[-1] + taken
    values = hits - best_quotient(hits, room, ordered) * room if aim.micro else ratio(hits, room)
    found = np.zeros(told.size)
    found[told] = best_offsets(values, ordered)
    return found


def best_quotient(hits: Array, room: Array, ordered: Array) -> float:
    """The largest quotient of sums over classes, one cut each. Dinkelbach (1967).

    Where it is q, the cuts are those where hits less q times room is largest, class by class.
    """
    quotient, before = 0.0, -1.0
    usable = ~np.isnan(cuts_between(ordered))
    while quotient > before + LEAST_GAIN:
        chosen = np.where(usable, hits - quotient * room, -np.inf).argmax(axis=0)[None]
        sums = (np.take_along_axis(part, chosen, 0).sum() for part in (hits, room))
        quotient, before = float(ratio(*sums)), quotient
    return quotient


def single_label_offsets(margins: Array, truth: Array, weights: Array, aim: Aim) -> Array:
    """(classes,) what to add to margins, the largest of which wins; they add up to 0.

    >>> margins, truth = np.array([[2.0, 1.0], [3.0, 1.0], [4.0, 0.0]]), np.eye(2, dtype=bool)[[1, 1, 0]]
    >>> single_label_offsets(margins, truth, np.ones(3), F1_MACRO).round(2)
    array([-1.5,  1.5])
    """
    told = np.isfinite(margins).all(axis=0)
    moved, truth = margins[:, told].copy(), truth[:, told]
    for _ in range(ROUNDS):
        before = moved.copy()
        for c in range(moved.shape[1] if moved.shape[1] > 1 else 0):
            moved[:, c] += class_offset(moved, truth, weights, aim, c)
        if np.array_equal(before, moved):
            break
    found = np.zeros(told.size)
    found[told] = (moved - margins[:, told])[0]
    found[told] -= found[told].mean() if told.any() else 0.0
    return found


def class_offset(margins: Array, truth: Array, weights: Array, aim: Aim, c: int) -> float:
    """What to add to the margins of one class, where those of the others stay.

    The documents that it leads by most come first; each is taken from the class that is next to it.
    """
    others = np.delete(margins, c, axis=1).argmax(axis=1)
    others = others + (others >= c)
    rows = np.arange(len(margins))
    lead = margins[:, c] - margins[rows, others]
    order = np.argsort(-lead, kind="stable")
    others, own, truth = others[order], weights[order], truth[order]
    sizes = own @ truth
    hits, taken = with_none(own * truth[:, c]), with_none(own)
    theirs = own * truth[rows, others]
    left, left_taken = (from_the_end(part, others) for part in (theirs, own))
    now = share_of_f(left, left_taken, sizes[others], aim)
    then = share_of_f(left - theirs, left_taken - own, sizes[others], aim)
    values = share_of_f(hits, taken, sizes[c], aim) + with_none(then - now)
    return float(best_offsets(values[:, None], lead[order][:, None])[0])


def share_of_f(hits: Array, taken: Array, size: Array, aim: Aim) -> Array:
    """What a class gives to the aim; of one label each micro-averaged F is the share of right decisions."""
    if aim.micro:
        return hits
    return ratio((1 + aim.beta**2) * hits, aim.beta**2 * size + taken)


def with_none(values: Array) -> Array:
    """Sums of the first 0, 1, 2, ... values."""
    return np.concatenate([np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0)])


def from_the_end(values: Array, groups: Array) -> Array:
    """For each value its own and all later ones of its group, added up.

    >>> from_the_end(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 1, 0, 1]))
    array([4., 6., 3., 4.])
    """
    by_group = np.argsort(groups, kind="stable")
    sums = np.cumsum(values[by_group][::-1])[::-1]
    last = np.append(np.flatnonzero(np.diff(groups[by_group])), len(groups) - 1)
    beyond = np.append(sums, 0.0)[last + 1]
    found = np.empty(len(values))
    found[by_group] = sums - np.repeat(beyond, np.diff(last, prepend=-1))
    return found


def best_offsets(values: Array, ordered: Array) -> Array:
    """(classes,) what to add so that the cut of the largest value is at 0; 0 where none is better than that.

    values : (documents + 1, classes) of accepting the first 0, 1, 2, ... documents
    ordered : (documents, classes) margins, descending
    """
    cuts, classes = cuts_between(ordered), np.arange(values.shape[1])
    values = np.where(np.isnan(cuts), -np.inf, values)
    best, now = values.argmax(axis=0), (ordered > 0).sum(axis=0)
    better = values[best, classes] > values[now, classes] + LEAST_GAIN
    return np.where(better, -cuts[best, classes], 0.0)


def cuts_between(ordered: Array) -> Array:
    """(documents + 1, classes) where to cut margins, descending, after each; NaN between equal ones.

    >>> cuts_between(np.array([[3.0], [1.0], [1.0]])).ravel()
    array([3.5, 2. , nan, 0.5])
    """
    edges = np.concatenate([ordered[:1] + 1, ordered, ordered[-1:] - 1])
    return np.where(edges[:-1] > edges[1:], (edges[:-1] + edges[1:]) / 2, np.nan)


@dataclass(frozen=True, slots=True)
class TunedClassifier:
    """A classifier whose margins are moved to where F is best on documents that it was not fitted to.

    The training part is split in three; each part is judged by a fit to the others, with the terms that the
    whole chose, and what F wants added to the margins of a class is averaged over the parts, as Fan and Lin
    (2007) do. Documents to judge have no say.

    own : the classifier
    aim : the F
    """

    classifier: Classifier
    aim: Aim = F1_MACRO

    @property
    def name(self) -> str:
        """Name with the representation."""
        return append_representation(
            f"{self.classifier.name.partition(':')[0]}_tuned", self.classifier.representation
        )

    @property
    def description(self) -> str:
        """Description with the representation."""
        return f"{self.classifier.description} with tuned thresholds"

    @property
    def cost(self) -> int:
        """That of the classifier, and of three more fits to two thirds."""
        return 3 * self.classifier.cost

    @property
    def size_stride(self) -> int:
        """As the classifier."""
        return self.classifier.size_stride

    @property
    def uses_tfidf(self) -> bool:
        """As the classifier."""
        return self.classifier.uses_tfidf

    @property
    def representation(self) -> str:
        """As the classifier."""
        return self.classifier.representation

    @property
    def representations(self) -> tuple[str, ...]:
        """As the classifier."""
        return self.classifier.representations

    def tuned_for(self, goal: Goal) -> TunedClassifier:
        """The same for a goal; an error where it is no F."""
        if goal.beta is None:
            raise InvalidInputError(
                f"{self.name} tunes thresholds for a goal of F, such as f1_macro; the goal is {goal.name}"
            )
        return replace(self, aim=Aim(goal.beta, micro=goal.overall is not None))

    def fit_path(self, fold: Fold, path: SelectionPath) -> Callable[[int], Array]:
        """The margins of a class along a path, as they are without thresholds."""
        return self.classifier.fit_path(fold, path)

    def decision_values(self, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
        """The classifier's, moved."""
        return (
            self.classifier.decision_values(fold, ranking, sizes)
            + self.offsets(fold, ranking, sizes)[:, None]
        )

    def confidences(self, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
        """The classifier's: thresholds do not change how documents compare."""
        return self.classifier.confidences(fold, ranking, sizes)

    def offsets(self, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
        """(sizes, classes) what is added to margins: the mean over the parts of the training part."""
        parts = inner_folds(fold)
        total = sum((self.part_offsets(part, ranking, sizes) for part in parts), np.zeros(()))
        return np.broadcast_to(total / max(len(parts), 1), (len(sizes), fold.n_classes))

    def part_offsets(self, part: Fold, ranking: Ranking, sizes: Array) -> Array:
        """(sizes, classes) by one part; 0 for a class it says nothing of, so that rare ones move less."""
        offsets_of = single_label_offsets if part.train.is_single else multilabel_offsets
        weights = part.test_weights if part.test_weights.size else np.ones(len(part.truth))
        found = self.classifier.decision_values(part, ranking, sizes)
        return np.stack([offsets_of(margins, part.truth, weights, self.aim) for margins in found])

    def make_estimator(self) -> Any:
        """The classifier's, whose thresholds are not moved yet."""
        return self.classifier.make_estimator()


OFFERED = tuple(
    TunedClassifier(one)
    for one in (MultinomialNaiveBayes(), ComplementNaiveBayes(), SVM, LOGISTIC_REGRESSION)
)
