"""Racing: candidates are tried run by run, and leave when they cannot win any more.

A candidate falls when another with no more terms is better by more than chance explains: then it is neither
the best, nor the smallest that is good enough, nor the best of its size. The test is made of the documents
judged so far: pseudo-values of their parts give the variance of a run, Nadeau and Bengio's correction that of
the mean of runs whose training parts overlap. The level is shared out over all candidates and all looks, so
that it bounds the chance that the best of all is among the fallen. The best of each size stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.special import stdtr

from termsift.compare.candidates.rankers import ALL, Ranker
from termsift.compare.race.trials import UNBOUNDED, Outcome, Track
from termsift.experiment.classifiers import Classifier
from termsift.experiment.decisions import Judgement

LEVEL = 0.05  # the chance that the best is dropped, at most
LEAST_RUNS = 3  # for a test by the runs alone, where a goal has no parts


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


@dataclass(slots=True, eq=False)
class Race:
    """All candidates by track, and the runs done.

    looks : how often candidates may be dropped, in all
    shares : (runs,) the documents judged, as a share of those learned from
    """

    tracks: list[Track]
    looks: int
    runners: list[list[Runner]] = field(init=False)
    shares: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.runners = [
            [Runner(Candidate(track.ranker, track.classifier, k)) for k in track.ks] for track in self.tracks
        ]

    @property
    def runs(self) -> int:
        """How many runs are done."""
        return len(self.shares)

    @property
    def standing(self) -> list[Runner]:
        """The candidates that are on all runs and did not fall."""
        return [one for own in self.runners for one in own if one.fell_to is None and one.values]

    @property
    def fallen(self) -> list[Runner]:
        """The candidates that were dropped."""
        return [one for own in self.runners for one in own if one.fell_to is not None]

    @property
    def tried(self) -> int:
        """How many candidates there are or were."""
        return sum(bool(one.values) for own in self.runners for one in own)

    def left(self) -> tuple[list[int], list[Track]]:
        """The tracks that go on, by their place, each with the numbers of terms that are still in."""
        places, tracks = [], []
        for place, (track, own) in enumerate(zip(self.tracks, self.runners, strict=True)):
            ks = tuple(one.line.k for one in own if one.fell_to is None and (one.values or not self.runs))
            if ks:
                places.append(place)
                tracks.append(replace(track, ks=ks))
        return places, tracks

    def add(self, places: Sequence[int], tracks: Sequence[Track], outcomes: Sequence[Outcome | None]) -> None:
        """One more run, of the tracks that it has an outcome of."""
        for place, track, outcome in zip(places, tracks, outcomes, strict=True):
            if outcome is not None:
                own = {one.line.k: one for one in self.runners[place]}
                for at, k in enumerate(track.ks):
                    own[k].add(outcome, at)
        self.shares.append(next(outcome.share for outcome in outcomes if outcome is not None))

    def forget(self, runs: int) -> None:
        """Take the last runs back."""
        last = self.runs - runs
        for one in self.standing:
            for kept in (one.found, one.values, one.terms):
                del kept[last:]
        del self.shares[last:]

    def drop(self) -> None:
        """Let candidates fall that cannot win any more."""
        standing = sorted(self.standing, key=lambda one: (one.size, -one.mean))
        stays = {id(one) for one in best_of_each_size(standing)}
        share = float(np.mean(self.shares))
        tests, best = self.tried * self.looks, standing[0]
        for one in standing:
            if one.mean > best.mean:
                best = one
            if id(one) in stays or one is best:
                continue
            p = min(1.0, tests * chance_of_lead(best, one, share))
            if p < LEVEL:
                one.fell_to, one.p = best, p


def best_of_each_size(runners: Sequence[Runner]) -> list[Runner]:
    """The best candidate of each number of terms asked for, and of all terms as usual."""
    found: dict[tuple[str, bool], Runner] = {}
    for one in runners:
        for key in {(one.line.asked, False), (one.line.asked, one.line.is_all)}:
            if one.mean > found.setdefault(key, one).mean:
                found[key] = one
    return list(found.values())


def chance_of_lead(better: Runner, worse: Runner, share: float) -> float:
    """How likely chance alone gives a lead of this size, of the runs that both were in.

    share : the documents judged in a run, by those learned from
    """
    runs = len(worse.values)
    leads = np.subtract(better.values[:runs], worse.values[:runs])
    pairs = zip(better.found[:runs], worse.found, strict=True)
    parts = [(a.spread - b.spread)[0] for a, b in pairs if a.spread.size]
    if parts:
        freedom = sum(part.size - 1 for part in parts)
        variance = float(np.mean([part.var(ddof=1) / part.size for part in parts]))
    elif runs >= LEAST_RUNS:
        freedom, variance = runs - 1, float(leads.var(ddof=1))
    else:
        return 1.0
    if not variance:
        return 1.0
    return float(stdtr(freedom, -leads.mean() / np.sqrt(variance * (1 / runs + share))))
