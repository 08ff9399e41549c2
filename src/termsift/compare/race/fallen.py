"""The candidates that left the race, as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from termsift._typing import Array, as_terms
from termsift.compare.race.racing import LEVEL, Runner
from termsift.compare.results import CandidateResults, standard_errors
from termsift.tables import Table


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
