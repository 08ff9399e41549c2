"""Racing: candidates are tried run by run, and leave when they cannot win any more.

A candidate falls when another with no more terms is better by more than chance explains: then it is neither
the best, nor the smallest that is good enough, nor the best of its size. The test is made of the documents
judged so far: pseudo-values of their parts give the variance of a run, Nadeau and Bengio's correction that of
the mean of runs whose training parts overlap. The level is shared out over all candidates and all looks, so
that it bounds the chance that the best of all is among the fallen. The best of each size stays.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.special import stdtr

from termsift._internal.errors import InvalidInputError
from termsift._internal.tables import Table
from termsift._internal.typing import Array, as_terms
from termsift.compare.results import CandidateResults, standard_errors
from termsift.compare.trials import (
    UNBOUNDED,
    Candidate,
    Clock,
    Outcome,
    Runner,
    Schedule,
    Track,
    run_outcomes,
)
from termsift.engines import Documents
from termsift.evaluation import Confusion, Goal, Split

LEVEL = 0.05  # the chance that the best is dropped, at most
LEAST_RUNS = 3  # for a test by the runs alone, where a goal has no parts


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


def dropped_candidates(results: CandidateResults) -> Table:
    """The candidates that left, the last first, with what each fell to.

    difference : from the best of all, on the folds that it was tried on
    behind : the candidate with no more terms that is better; p : the chance of that, for all tests together,
        were there no difference
    """
    runners = sorted(results.dropped, key=lambda one: (-len(one.values), -results.lead(one)))
    columns = dropped_columns(runners, results)
    rivals = [one.fell_to for one in runners if one.fell_to is not None]
    behind = [f"{one.line.ranker.name} {one.line.classifier.name} {one.size:.0f}" for one in rivals]
    folds = np.array([len(one.values) for one in runners], dtype=np.int64)
    del columns["verdict"]
    return Table(columns | {"folds": folds, "behind": as_terms(behind)})


def told_race(results: CandidateResults) -> str:
    """How many candidates were dropped, when and why, and how often that errs."""
    if not results.dropped:
        return ""
    after = Counter(len(one.values) for one in results.dropped)
    told = [f"{after[runs]:,} after {runs} {'fold' if runs == 1 else 'folds'}" for runs in sorted(after)]
    listed = " and ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)
    return (
        f"Of the {results.tried:,} candidates {len(results.dropped):,} were dropped, {listed}: each is "
        "behind one with no more terms, by more than chance explains. The chance that the best of all is "
        f"among them is at most {LEVEL:.0%}; thorough=True, or --thorough, tries all to the end."
    )


def with_dropped(standing: dict[str, Array], results: CandidateResults) -> Table:
    """The table of methods that stand, and below them those that were dropped."""
    fallen = dropped_columns(results.fallen_methods, results)
    return Table({name: np.concatenate([standing[name], fallen[name]]) for name in standing})


def dropped_columns(runners: Sequence[Runner], results: CandidateResults) -> dict[str, Array]:
    """Candidates that left the race, as columns of the table of methods, of the runs they were in."""
    runs = [len(one.values) for one in runners]
    errors = [
        standard_errors(np.array([one.values]), results.shares[:n])[0]
        for one, n in zip(runners, runs, strict=True)
    ]
    return {
        "method": as_terms([one.line.ranker.name for one in runners]),
        "classifier": as_terms([one.line.classifier.name for one in runners]),
        "terms": np.array([round(one.size) for one in runners], dtype=np.int64),
        "mean": np.array([one.mean for one in runners], dtype=np.float64),
        "error": np.array(errors, dtype=np.float64),
        "difference": np.array([results.lead(one) for one in runners], dtype=np.float64),
        "p": np.array([one.p for one in runners], dtype=np.float64),
        "verdict": as_terms(["dropped"] * len(runners)),
    }


WORK = 5e6  # entries of the documents times classes that may be split several times
MOST_REPEATS = 3  # by Nadeau and Bengio's formula two more would take 4% off a standard error
FEWEST_RUNS = 2  # that a budget must allow: of one there is no error
RACED = 0.5  # of a later run, for what falls: about so much of the first is left, or less


def results_in_time(
    readings: Mapping[str, Documents],
    tracks: list[Track],
    goals: list[Goal],
    split: Split,
    schedule: Schedule,
    start: float,
) -> tuple[CandidateResults, list[str]]:
    """The results of all there was time for, and what there was none for.

    readings : the documents, by which terms their texts are read as
    """
    race = run_race(readings, tracks, goals, split, schedule)
    if race.runs < min(FEWEST_RUNS, split.rounds * split.runs):
        spent = time.monotonic() - start
        what = f"{FEWEST_RUNS} folds" if split.runs > 1 else "the documents held out"
        raise InvalidInputError(
            f"the budget is too small: after {spent:.1f} s no candidate was tried on {what}"
        )
    return race_results(race, goals, readings[""].labels.classes, split), unfinished_work(race, split)


def run_race(
    readings: Mapping[str, Documents],
    tracks: list[Track],
    goals: list[Goal],
    split: Split,
    schedule: Schedule,
) -> Race:
    """All candidates run by run, until there is no run left or no time.

    Out of time, a run counts that all candidates still in were tried on; what is compared was tried on the
    same runs. Of the first round some runs are enough; later ones count whole.
    """
    race, clock = Race(tracks, looks_of(split)), Clock(schedule)
    most = max(k for track in tracks for k in track.ks if k != UNBOUNDED)
    for number in range(split.rounds):
        for division in split.divisions(number):
            places, left = race.left()
            folds = {
                mark: division.fold(documents)
                for mark, documents in readings.items()
                if any(track.ranker.reading == mark for track in left)
            }
            first = not race.runs
            clock.start_run((split.runs - 1) * (1.0 if schedule.thorough else RACED) if first else 0.0)
            runs_left = split.rounds * split.runs - race.runs - 1
            later = runs_left * sum(track.classifier.cost for track in left)
            outcomes = run_outcomes(left, folds, goals, clock, most, later)
            if not any(outcomes) or (not first and not all(outcomes)):
                return whole_rounds(race, split)
            clock.out = clock.out and not first
            race.add(places, left, outcomes)
            if runs_left and not schedule.thorough and is_look(race.runs, split):
                race.drop()
    return race


def looks_of(split: Split) -> int:
    """How often candidates may be dropped: after each run of the first round, then after each round."""
    return split.runs + split.rounds - 1


def is_look(runs: int, split: Split) -> bool:
    """Whether candidates may be dropped now."""
    return runs <= split.runs or runs % split.runs == 0


def whole_rounds(race: Race, split: Split) -> Race:
    """The race without the runs of a round that was not ended, unless it is the first."""
    if race.runs <= split.runs:
        return race
    race.forget(race.runs % split.runs)
    return race


def unfinished_work(race: Race, split: Split) -> list[str]:
    """What the budget cut off, in a sentence."""
    own_runners = zip(race.tracks, race.runners, strict=True)
    missing = [track for track, own in own_runners if not any(one.values for one in own)]
    parts = []
    for name in dict.fromkeys(track.classifier.name for track in missing):
        own = [track.ranker.name for track in missing if track.classifier.name == name]
        is_whole = len(own) == sum(track.classifier.name == name for track in race.tracks)
        parts.append(name if is_whole else f"{name} with {', '.join(own)}")
    rounds = race.runs // split.runs
    if not rounds:
        parts.append(f"{split.runs - race.runs} of {split.runs} folds")
    if rounds < split.rounds and split.rounds > 1:
        parts.append(f"{split.rounds - max(rounds, 1)} of {split.rounds} repeats of the cross-validation")
    return [f"The budget left no time for {'; '.join(parts)}."] if parts else []


def lines_to_fit(results: CandidateResults) -> list[Candidate]:
    """The recommended line, and that of all terms with the same classifier."""
    chosen = results.lines[results.chosen]
    every = [line for line in (*results.lines, *(one.line for one in results.dropped)) if line.is_all]
    whole = [line for line in every if line.classifier is chosen.classifier]
    return [chosen, *(line for line in whole if line is not chosen)]


def usual_repeats(documents: Documents) -> int:
    """How often to split, by the size of the corpus alone."""
    work = documents.rows.nnz * len(documents.labels.classes)
    return int(np.clip(WORK // max(work, 1), 1, MOST_REPEATS))
