"""The candidates that are left when the race is over, as results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from termsift.compare.race.racing import Race, Runner
from termsift.compare.results import CandidateResults
from termsift.evaluation import Confusion
from termsift.experiment.goals import Goal
from termsift.experiment.splits import Split


def race_results(
    race: Race, goals: Sequence[Goal], classes: tuple[Any, ...], split: Split
) -> CandidateResults:
    """The results of all candidates that stand, and those that fell. A larger k that adds no term is none."""
    standing = [one for own in race.runners for one in new_sizes(own)]
    parts = np.array([len(run.by_class) for run in standing[0].found])
    values = [np.concatenate([run.values[..., 0] for run in one.found], axis=1) for one in standing]
    own_values, others = np.split(np.stack(values, axis=1), [1])
    shares = np.repeat(race.shares, parts)
    figures = (
        Confusion.stacked([line_confusion(one) for one in standing]),
        own_values[0],
        others,
        np.stack([np.concatenate([run.by_class[:, 0] for run in one.found]) for one in standing]),
        np.repeat(np.array([one.terms for one in standing]), parts, axis=1),
        shares,
    )
    runs = min(split.runs, race.runs)
    words = split.words if runs == split.runs else f"{runs} of the {split.runs} folds of {split.words}"
    folds = len(shares) if split.rounds * split.runs == 1 else runs
    return CandidateResults(
        goals, classes, [one.line for one in standing], *figures, words, folds, dropped=race.fallen
    )


def line_confusion(one: Runner) -> Confusion:
    """(runs, classes) the decisions of a candidate, by runs or by the blocks of one."""
    return Confusion.stacked([part[0] for run in one.found for part in run.parts])


def new_sizes(runners: Sequence[Runner]) -> Iterator[Runner]:
    """The candidates of a track that stand, without those of the same terms as the one before."""
    before: list[int] = []
    for one in runners:
        if one.fell_to is None and one.values and one.terms != before:
            before = one.terms
            yield one
