"""Trials: every candidate on every fold, in an order that spends time first where it matters most."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from termsift._typing import Array
from termsift.compare.rankers import Ranker, fold_ranking
from termsift.errors import InvalidInput
from termsift.experiment.classifiers import Classifier
from termsift.experiment.decisions import Judgement, judged
from termsift.experiment.documents import Documents
from termsift.experiment.folds import Fold
from termsift.experiment.goals import Goal
from termsift.experiment.splits import Split
from termsift.text.batches import in_order, threads

Progress: TypeAlias = Callable[[int, int], None]
UNBOUNDED = np.iinfo(np.int64).max
MOST_SPLITS = 1000  # folds, and repeats: more say nothing new, and take days


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """A ranker and a classifier, at all numbers of terms: they are fitted together."""

    ranker: Ranker
    classifier: Classifier
    ks: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What became of a track on a fold.

    judgement : of all of it or of its blocks, at each k
    terms : (ks,) the number of terms at each k
    share : the documents judged, as a share of those learned from; 0 of blocks, whose training part is one
    """

    judgement: Judgement
    terms: Array
    share: float


@dataclass(frozen=True, slots=True)
class Schedule:
    """How much may be spent.

    deadline : of time.monotonic(), or None
    """

    n_jobs: int | None
    deadline: float | None
    progress: Progress | None


@dataclass(slots=True)
class Clock:
    """What units of each kind took, whether there is time for one more, and how much of the work is done."""

    schedule: Schedule
    total: int
    done: int = 0
    longest: dict[str, float] = field(default_factory=dict)
    out: bool = False

    def has_time(self, kind: str) -> bool:
        """Whether a unit would end in time, if it takes as long as the longest of its kind so far."""
        if self.schedule.deadline is not None and not self.out:
            self.out = time.monotonic() + self.longest.get(kind, 0.0) > self.schedule.deadline
        return not self.out

    def tell(self, cost: int) -> None:
        """A unit is done."""
        self.done += cost
        if self.schedule.progress is not None:
            self.schedule.progress(self.done, self.total)


def tracks_of(rankers: Sequence[Ranker], classifiers: Sequence[Classifier], ks: Array) -> list[Track]:
    """The tracks, the quick ones first; a slow classifier is tried with fewer numbers of terms."""
    tracks = []
    for classifier in classifiers:
        own = ks[::-1][:: classifier.every][::-1].tolist()
        for ranker in rankers:
            more = [UNBOUNDED] if ranker.is_whole or ranker.has_own_size else []
            tracks.append(Track(ranker, classifier, (*([] if ranker.is_whole else own), *more)))
    return sorted(tracks, key=lambda track: track.ranker.is_slow)


def outcome_on_fold(track: Track, fold: Fold, goals: Sequence[Goal], most: int) -> Outcome:
    """A track on a fold."""
    ranking = fold_ranking(track.ranker, fold, most)
    sizes, place = np.unique(ranking.sizes(np.array(track.ks)), return_inverse=True)
    found = judged(track.classifier, fold, ranking, sizes, goals)
    share = 0.0 if fold.blocks.size else len(fold.truth) / len(fold.train)
    return Outcome(found.at(place), ranking.terms(sizes)[place], share)


def outcomes_on_folds(
    documents: Documents, tracks: list[Track], goals: Sequence[Goal], split: Split, schedule: Schedule
) -> list[list[list[Outcome]]]:
    """For each track and round the results of the runs.

    Out of time, a track that lacks a run of the first round is left out, and so is a later round that
    lacks anything: what is compared is compared on the same folds.
    """
    clock = Clock(schedule, split.rounds * split.runs * sum(track.classifier.cost for track in tracks))
    results: list[list[list[Outcome]]] = [[] for _ in tracks]
    for number in range(split.rounds):
        folds = [division.fold(documents) for division in split.divisions(number)]
        whole = whole_outcomes(tracks, folds, goals, clock)
        if number and not all(whole):
            break
        for own, part in zip(results, whole, strict=True):
            own += [part] if part else []
        if clock.out:
            break
    return results


def whole_outcomes(
    tracks: list[Track], folds: list[Fold], goals: Sequence[Goal], clock: Clock
) -> list[list[Outcome]]:
    """For each track the results of all folds; none where there was no time for one of them."""
    most = max(k for track in tracks for k in track.ks if k != UNBOUNDED)

    def worked_out(unit: tuple[Track, Fold]) -> Outcome | None:
        track, fold = unit
        kind = f"{track.classifier.name} {track.ranker.is_slow}"
        if not clock.has_time(kind):
            return None
        start = time.monotonic()
        found = outcome_on_fold(track, fold, goals, most)
        clock.longest[kind] = max(clock.longest.get(kind, 0.0), time.monotonic() - start)
        return found

    units = [(track, fold) for track in tracks for fold in folds]
    found: dict[Track, list[Outcome]] = {track: [] for track in tracks}
    results = in_order(worked_out, units, threads(clock.schedule.n_jobs))
    for (track, _), result in zip(units, results, strict=True):
        if result is not None:
            found[track].append(result)
            clock.tell(track.classifier.cost)
    return [own if len(own) == len(folds) else [] for own in found.values()]


def check_schedule(folds: object, repeats: object, seed: object, budget: object, progress: object) -> None:
    """One clear line for a plan that cannot be carried out."""
    for name, value, least, most in (
        ("folds", folds, 2, MOST_SPLITS),
        ("repeats", 1 if repeats is None else repeats, 1, MOST_SPLITS),
        ("random_state", seed, 0, np.inf),
    ):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise InvalidInput(f"{name} must be a whole number of at least {least}, got {value!r}")
        if value > most:
            raise InvalidInput(f"{name} must be at most {most:,}, got {value:,}")
    if budget is not None and not (isinstance(budget, int | float | np.number) and budget > 0):
        raise InvalidInput(f"budget must be a number of seconds above 0, got {budget!r}")
    if not (progress is None or callable(progress)):
        raise InvalidInput(f"progress must be a function of the work done and of all work, got {progress!r}")


def check_folds(folds: int, documents: int) -> None:
    """An error where there are more folds than documents."""
    if folds > documents:
        raise InvalidInput(f"folds is {folds} but there are only {documents} documents")
