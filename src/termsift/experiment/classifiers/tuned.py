"""Classifiers with thresholds per class, tuned for a goal of F inside the training part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from termsift._typing import Array
from termsift.errors import InvalidInput
from termsift.experiment.classifiers import Classifier, marked
from termsift.experiment.classifiers.bayes import Bayes, Complement
from termsift.experiment.classifiers.linear import LOGISTIC_REGRESSION, SVM
from termsift.experiment.folds import Fold
from termsift.experiment.goals import Goal
from termsift.experiment.splits import inner_folds
from termsift.experiment.thresholds import F1_MACRO, Aim, several_label_offsets, single_label_offsets
from termsift.nested.paths import SelectionPath
from termsift.ranking import Ranking


@dataclass(frozen=True, slots=True)
class Tuned:
    """A classifier whose margins are moved to where F is best on documents that it was not fitted to.

    The training part is split in three; each part is judged by a fit to the others, with the terms that the
    whole chose, and what F wants added to the margins of a class is averaged over the parts, as Fan and Lin
    (2007) do. Documents to judge have no say.

    own : the classifier
    aim : the F
    """

    own: Classifier
    aim: Aim = F1_MACRO

    @property
    def name(self) -> str:
        """With how it reads a row."""
        return marked(f"{self.own.name.partition(':')[0]}_tuned", self.own.reads)

    @property
    def words(self) -> str:
        """With how it reads a row."""
        return f"{self.own.words}, thresholds tuned"

    @property
    def cost(self) -> int:
        """That of the classifier, and of three more fits to two thirds."""
        return 3 * self.own.cost

    @property
    def every(self) -> int:
        """As the classifier."""
        return self.own.every

    @property
    def weighted(self) -> bool:
        """As the classifier."""
        return self.own.weighted

    @property
    def reads(self) -> str:
        """As the classifier."""
        return self.own.reads

    @property
    def ways(self) -> tuple[str, ...]:
        """As the classifier."""
        return self.own.ways

    def tuned_for(self, goal: Goal) -> Tuned:
        """The same for a goal; an error where it is no F."""
        if goal.beta is None:
            raise InvalidInput(
                f"{self.name} tunes thresholds for a goal of F, such as f1_macro; the goal is {goal.name}"
            )
        return replace(self, aim=Aim(goal.beta, micro=goal.whole is not None))

    def along(self, fold: Fold, path: SelectionPath) -> Callable[[int], Array]:
        """The margins of a class along a path, as they are without thresholds."""
        return self.own.along(fold, path)

    def margins(self, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
        """The classifier's, moved."""
        return self.own.margins(fold, ranking, sizes) + self.offsets(fold, ranking, sizes)[:, None]

    def confidences(self, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
        """The classifier's: thresholds do not change how documents compare."""
        return self.own.confidences(fold, ranking, sizes)

    def offsets(self, fold: Fold, ranking: Ranking, sizes: Array) -> Array:
        """(sizes, classes) what is added to margins: the mean over the parts of the training part."""
        parts = inner_folds(fold)
        total = sum((self.part_offsets(part, ranking, sizes) for part in parts), np.zeros(()))
        return np.broadcast_to(total / max(len(parts), 1), (len(sizes), fold.n_classes))

    def part_offsets(self, part: Fold, ranking: Ranking, sizes: Array) -> Array:
        """(sizes, classes) by one part; 0 for a class it says nothing of, so that rare ones move less."""
        offsets_of = single_label_offsets if part.train.is_single else several_label_offsets
        weights = part.test_weights if part.test_weights.size else np.ones(len(part.truth))
        found = self.own.margins(part, ranking, sizes)
        return np.stack([offsets_of(margins, part.truth, weights, self.aim) for margins in found])

    def estimator(self) -> Any:
        """The classifier's, whose thresholds are not moved yet."""
        return self.own.estimator()


OFFERED = tuple(Tuned(one) for one in (Bayes(), Complement(), SVM, LOGISTIC_REGRESSION))
