"""A comparison carried out: the results of all there was time for, and what there was none for."""

from __future__ import annotations

import time
from collections.abc import Mapping

import numpy as np

from termsift.compare.race.racing import Candidate, Race
from termsift.compare.race.standing import race_results
from termsift.compare.race.trials import UNBOUNDED, Clock, Schedule, Track, run_outcomes
from termsift.compare.results import CandidateResults
from termsift.errors import InvalidInput
from termsift.experiment.documents import Documents
from termsift.experiment.goals import Goal
from termsift.experiment.splits import Split

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
        raise InvalidInput(f"the budget is too small: after {spent:.1f} s no candidate was tried on {what}")
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
