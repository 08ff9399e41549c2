"""A comparison carried out: the results of all there was time for, and what there was none for."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from termsift.compare.results import Candidate, CandidateResults, candidate_results
from termsift.compare.trials import Schedule, Track, outcomes_on_folds
from termsift.errors import InvalidInput
from termsift.experiment.documents import Documents
from termsift.experiment.goals import Goal
from termsift.experiment.splits import Split

WORK = 5e6  # entries of the documents times classes that may be split several times
MOST_REPEATS = 5


def results_in_time(
    documents: Documents,
    tracks: list[Track],
    goals: list[Goal],
    split: Split,
    schedule: Schedule,
    start: float,
) -> tuple[CandidateResults, list[str]]:
    """The results of all there was time for, and what there was none for."""
    outcomes = outcomes_on_folds(documents, tracks, goals, split, schedule)
    if not any(outcomes):
        spent = time.monotonic() - start
        what = f"all {split.runs} folds" if split.runs > 1 else "the documents held out"
        raise InvalidInput(f"the budget is too small: after {spent:.1f} s no candidate was tried on {what}")
    results = candidate_results(tracks, outcomes, goals, documents.labels.classes, split)
    return results, unfinished_work(tracks, outcomes, split)


def unfinished_work(tracks: list[Track], outcomes: list[Any], split: Split) -> list[str]:
    """What the budget cut off, in a sentence."""
    missing = [track for track, own in zip(tracks, outcomes, strict=True) if not own]
    rounds = max(len(own) for own in outcomes)
    parts = []
    for name in dict.fromkeys(track.classifier.name for track in missing):
        own = [track.ranker.name for track in missing if track.classifier.name == name]
        is_whole = len(own) == sum(track.classifier.name == name for track in tracks)
        parts.append(name if is_whole else f"{name} with {', '.join(own)}")
    if rounds < split.rounds:
        parts.append(f"{split.rounds - rounds} of {split.rounds} repeats of the cross-validation")
    return [f"The budget left no time for {'; '.join(parts)}."] if parts else []


def lines_to_fit(results: CandidateResults) -> list[Candidate]:
    """The recommended line, and that of all terms with the same classifier."""
    chosen = results.lines[results.chosen]
    whole = [line for line in results.lines if line.ranker.is_whole and line.classifier is chosen.classifier]
    return [chosen, *(line for line in whole if line is not chosen)]


def usual_repeats(documents: Documents) -> int:
    """How often to split, by the size of the corpus alone."""
    work = documents.rows.nnz * len(documents.labels.classes)
    return int(np.clip(WORK // max(work, 1), 1, MOST_REPEATS))
