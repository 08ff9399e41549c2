"""The share of positive terms that serves best, found inside the training part of a fold."""

from __future__ import annotations

import numpy as np

from termsift.experiment.bayes import apart_margins, joint_margins
from termsift.experiment.decisions import decided
from termsift.experiment.fold import Fold
from termsift.experiment.folds import fold_numbers
from termsift.experiment.goals import GOALS
from termsift.policies import PositiveNegative
from termsift.ranking import Ranking
from termsift.scoring import score

RATIOS = (1.0, 0.75, 0.5, 0.25)
PARTS = 4


def best_ratio(metric: str, fold: Fold, k: int) -> float:
    """Of the ratios the one by which naive Bayes does best on a part held out of the training part.

    The measure is macro-averaged F1, over half, a quarter, ... of k; of equals the largest ratio.
    """
    numbers = fold_numbers(fold.train.labels, PARTS, fold.seed)
    inner = Fold(fold.train, np.flatnonzero(numbers), np.flatnonzero(numbers == 0), fold.seed)
    if not np.any(inner.labelled.any(axis=0) & ~inner.labelled.all(axis=0)):
        return RATIOS[0]
    most = min(k, len(inner.columns))
    sizes = np.unique([max(most >> halved, 1) for halved in range(5)])
    scores = score(inner.counts, metric)
    reached = []
    for ratio in RATIOS:
        ranking = Ranking((PositiveNegative(most, ratio).choose(scores),))
        margins = (
            joint_margins(inner, ranking.orders[0], sizes)
            if inner.single
            else apart_margins(inner, ranking, sizes)
        )
        reached.append(float(GOALS["f1_macro"].values(decided(margins, inner.truth, inner.single)).mean()))
    return RATIOS[int(np.argmax(reached))]
