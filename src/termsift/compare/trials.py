"""Trials: candidates on a run, in an order that spends time first where it matters most."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from termsift._internal.errors import InvalidInputError
from termsift._internal.threads import in_order, threads
from termsift._internal.typing import Array
from termsift.compare.candidates import ALL, Ranker, fold_ranking, judged_fold
from termsift.compare.splits import MOST_SPLITS
from termsift.evaluation import Fold, Goal, Judgement, judged
from termsift.evaluation.classifiers import Classifier


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """How terms are ranked, who judges, and how many are asked for."""

    ranker: Ranker
    classifier: Classifier
    k: int

    @property
    def asked(self) -> str:
        """The number of terms asked for; "own" where the method itself says how many, "all", "features"."""
        if self.ranker.features is not None:
            return "features"
        if self.ranker.is_whole:
            return "all"
        return "own" if self.k == UNBOUNDED else str(self.k)

    @property
    def is_all(self) -> bool:
        """Whether nothing is chosen: all terms, read as usual."""
        return self.ranker.name == ALL.name


@dataclass(slots=True, eq=False)
class Runner:
    """A candidate, and what it reached on the runs it was in.

    found : what became of the documents of each run; values : (runs,) the first goal; terms : (runs,)
    fell_to : the candidate that is better, where it was dropped; p : how likely that is chance, for all tests
        together
    """

    line: Candidate
    found: list[Judgement] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    terms: list[int] = field(default_factory=list)
    fell_to: Runner | None = None
    p: float = 1.0

    @property
    def mean(self) -> float:
        """The goal, over its runs."""
        return round(float(np.mean(self.values)), 12)

    @property
    def size(self) -> float:
        """The number of terms, over its runs."""
        return float(np.mean(self.terms))

    def add(self, outcome: Outcome, place: int) -> None:
        """One more run."""
        own = outcome.judgement.at(np.array([place]))
        self.found.append(own)
        self.values.append(float(own.values[0].mean()))
        self.terms.append(int(outcome.terms[place]))


Progress: TypeAlias = Callable[[int, int], None]
UNBOUNDED = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """A ranker and a classifier, at all numbers of terms: they are fitted together."""

    ranker: Ranker
    classifier: Classifier
    ks: tuple[int, ...]

    @property
    def kind(self) -> str:
        """What takes about as long as others of the same kind."""
        return f"{self.classifier.name} {self.ranker.is_slow} {self.ranker.reading}"


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
    thorough : whether candidates stay in that cannot win any more
    """

    n_jobs: int | None
    deadline: float | None
    progress: Progress | None
    thorough: bool = False


@dataclass(slots=True)
class Clock:
    """What tracks of each kind took, whether there is time for one more, and how much of the work is done.

    later : runs that are still to come, as far as time is kept for them
    began : when the run did
    """

    schedule: Schedule
    done: int = 0
    longest: dict[str, float] = field(default_factory=dict)
    later: float = 0.0
    began: float = field(default_factory=time.monotonic)
    out: bool = False

    def start_run(self, later: float) -> None:
        """A run begins, and so many more like it are to end in time too."""
        self.later, self.began = later, time.monotonic()

    def has_time(self, kind: str) -> bool:
        """Whether a track would end in time, and later runs of all up to it, taking as long as its kind."""
        if self.schedule.deadline is not None and not self.out:
            now, own = time.monotonic(), self.longest.get(kind, 0.0)
            end = now + own + self.later * (now - self.began + own)
            self.out = end > self.schedule.deadline
        return not self.out

    def tell(self, cost: int, left: int) -> None:
        """A track is done, and so much work is left."""
        self.done += cost
        if self.schedule.progress is not None:
            self.schedule.progress(self.done, self.done + left)


def tracks_of(rankers: Sequence[Ranker], classifiers: Sequence[Classifier], ks: Array) -> list[Track]:
    """The tracks, the quick ones first; a slow classifier is tried with fewer numbers of terms.

    Features that are made of terms are judged by classifiers that read them as they are.
    """
    tracks = []
    for classifier in classifiers:
        own = ks[::-1][:: classifier.every][::-1].tolist()
        for ranker in rankers:
            if ranker.features is not None and classifier.reads:
                continue
            more = [UNBOUNDED] if ranker.is_whole or ranker.has_own_size else []
            tracks.append(Track(ranker, classifier, (*([] if ranker.is_whole else own), *more)))
    return sorted(tracks, key=lambda track: track.ranker.is_slow)


def outcome_on_fold(track: Track, fold: Fold, goals: Sequence[Goal], most: int) -> Outcome:
    """A track on a fold."""
    ranking = fold_ranking(track.ranker, fold, most)
    sizes, place = np.unique(ranking.sizes(np.array(track.ks)), return_inverse=True)
    terms = ranking.terms(sizes)[place]
    if track.ranker.features is not None:
        fold, ranking = judged_fold(track.ranker, fold)
        sizes = ranking.sizes(sizes)
    found = judged(track.classifier, fold, ranking, sizes, goals)
    share = 0.0 if fold.blocks.size else len(fold.truth) / len(fold.train)
    return Outcome(found.at(place), terms, share)


def run_outcomes(
    tracks: Sequence[Track],
    folds: Mapping[str, Fold],
    goals: Sequence[Goal],
    clock: Clock,
    most: int,
    left: int,
) -> list[Outcome | None]:
    """What became of each track on a run; None where there was no time for it.

    folds : the run's documents, by the reading of their texts
    most : the largest number of terms that any track is tried with
    left : the work of later runs
    """

    def worked_out(track: Track) -> Outcome | None:
        if not clock.has_time(track.kind):
            return None
        start = time.monotonic()
        found = outcome_on_fold(track, folds[track.ranker.reading], goals, most)
        clock.longest[track.kind] = max(clock.longest.get(track.kind, 0.0), time.monotonic() - start)
        return found

    outcomes, left = [], left + sum(track.classifier.cost for track in tracks)
    for track, found in zip(
        tracks, in_order(worked_out, tracks, threads(clock.schedule.n_jobs)), strict=True
    ):
        outcomes.append(found)
        left -= track.classifier.cost
        clock.tell(track.classifier.cost, left)
    return outcomes


def check_schedule(folds: object, repeats: object, seed: object, budget: object, progress: object) -> None:
    """One clear line for a plan that cannot be carried out."""
    for name, value, least, most in (
        ("folds", folds, 2, MOST_SPLITS),
        ("repeats", 1 if repeats is None else repeats, 1, MOST_SPLITS),
        ("random_state", seed, 0, np.inf),
    ):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise InvalidInputError(f"{name} must be a whole number of at least {least}, got {value!r}")
        if value > most:
            raise InvalidInputError(f"{name} must be at most {most:,}, got {value:,}")
    if budget is not None and not (isinstance(budget, int | float | np.number) and budget > 0):
        raise InvalidInputError(f"budget must be a number of seconds above 0, got {budget!r}")
    check_callback("progress", progress, "of the work done and of all work")


def check_callback(name: str, given: object, of: str) -> None:
    """An error where something is given that is no function."""
    if not (given is None or callable(given)):
        raise InvalidInputError(f"{name} must be a function {of}, got {given!r}")
