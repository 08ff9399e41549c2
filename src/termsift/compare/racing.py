"""Racing: evaluate candidates fold by fold, and drop those that can no longer win.

A candidate is dropped if another one with at most as many terms is significantly better: then it is neither
the best, nor the smallest that is good enough, nor the best of its size. The test uses the test documents so
far: pseudo-values of their blocks give the variance within a fold, and Nadeau and Bengio's correction that of
a mean over folds with overlapping training sets. The significance level is divided by the number of
candidates and of looks, so that it bounds the probability that the best candidate is dropped. The best of
each size is never dropped.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.special import stdtr

from termsift._internal.errors import InvalidInputError
from termsift._internal.tables import Table
from termsift._internal.typing import Array, as_term_array
from termsift.compare.results import CandidateResults, standard_errors
from termsift.compare.trials import (
    UNLIMITED,
    Candidate,
    CandidateFamily,
    Clock,
    FamilyResult,
    RacingCandidate,
    Schedule,
    evaluate_families,
)
from termsift.engines import Documents
from termsift.evaluation import Confusion, Goal, Split

LEVEL = 0.05  # upper bound of the probability that the best candidate is dropped
MIN_FOLDS_FOR_TEST = 3  # if the goal has no pseudo-values within a fold
MIN_FOLDS = 2  # that a budget must allow: a single one has no standard error
RACED_COST = 0.5  # expected cost of a later fold relative to the first, because candidates are dropped
REPEATED_WORK = 5e6  # matrix entries times classes that allow one more repeat
MAX_REPEATS = 3  # by Nadeau and Bengio's formula, two more would reduce a standard error by only 4 %


@dataclass(slots=True, eq=False)
class Race:
    """Candidates by family, with their results so far.

    looks : how often candidates may be dropped, in total
    test_ratios : (folds,) test documents divided by training documents
    """

    families: list[CandidateFamily]
    looks: int
    racers: list[list[RacingCandidate]] = field(init=False)
    test_ratios: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.racers = [
            [RacingCandidate(Candidate(family.ranker, family.classifier, k)) for k in family.ks]
            for family in self.families
        ]

    @property
    def n_folds(self) -> int:
        """Number of finished folds."""
        return len(self.test_ratios)

    @property
    def tried(self) -> list[RacingCandidate]:
        """Candidates with at least one result."""
        return [racer for group in self.racers for racer in group if racer.values]

    @property
    def remaining(self) -> list[RacingCandidate]:
        """Candidates with results that were not dropped."""
        return [racer for racer in self.tried if racer.beaten_by is None]

    def remaining_families(self) -> tuple[list[int], list[CandidateFamily]]:
        """Return the families of remaining candidates, restricted to these, and their indices."""
        indices, families = [], []
        for index, (family, racers) in enumerate(zip(self.families, self.racers, strict=True)):
            ks = tuple(
                racer.candidate.k
                for racer in racers
                if racer.beaten_by is None and (racer.values or not self.n_folds)
            )
            if ks:
                indices.append(index)
                families.append(replace(family, ks=ks))
        return indices, families

    def add_fold(
        self,
        indices: Sequence[int],
        families: Sequence[CandidateFamily],
        results: Sequence[FamilyResult | None],
    ) -> None:
        """Add the results of a fold; families without a result had no time."""
        for index, family, result in zip(indices, families, results, strict=True):
            if result is not None:
                by_k = {racer.candidate.k: racer for racer in self.racers[index]}
                for position, k in enumerate(family.ks):
                    by_k[k].add_fold(result, position)
        self.test_ratios.append(next(result.test_ratio for result in results if result is not None))

    def remove_folds(self, count: int) -> None:
        """Remove the results of the last folds."""
        end = self.n_folds - count
        for racer in self.remaining:
            for results in (racer.fold_results, racer.values, racer.terms):
                del results[end:]
        del self.test_ratios[end:]

    def drop_losers(self) -> None:
        """Drop candidates that are significantly worse than one with at most as many terms."""
        racers = sorted(self.remaining, key=lambda racer: (racer.size, -racer.mean))
        protected = {id(racer) for racer in best_by_size(racers)}
        test_ratio = float(np.mean(self.test_ratios))
        n_tests, best = len(self.tried) * self.looks, racers[0]
        for racer in racers:
            if racer.mean > best.mean:
                best = racer
            if id(racer) in protected or racer is best:
                continue
            p = min(1.0, n_tests * lead_p_value(best, racer, test_ratio))
            if p < LEVEL:
                racer.beaten_by, racer.p = best, p


def best_by_size(racers: Sequence[RacingCandidate]) -> list[RacingCandidate]:
    """Return the best candidate of each requested number of terms, and of the baseline of all terms."""
    best: dict[tuple[str, bool], RacingCandidate] = {}
    for racer in racers:
        size = racer.candidate.requested_size
        for key in {(size, False), (size, racer.candidate.is_all_terms)}:
            if racer.mean > best.setdefault(key, racer).mean:
                best[key] = racer
    return list(best.values())


def lead_p_value(better: RacingCandidate, worse: RacingCandidate, test_ratio: float) -> float:
    """Return the one-sided p-value of the lead of a candidate, on the folds of both.

    test_ratio : test documents divided by training documents
    """
    n_folds = len(worse.values)
    leads = np.subtract(better.values[:n_folds], worse.values[:n_folds])
    pairs = zip(better.fold_results[:n_folds], worse.fold_results, strict=True)
    differences = [(a.spread - b.spread)[0] for a, b in pairs if a.spread.size]
    if differences:
        freedom = sum(block.size - 1 for block in differences)
        variance = float(np.mean([block.var(ddof=1) / block.size for block in differences]))
    elif n_folds >= MIN_FOLDS_FOR_TEST:
        freedom, variance = n_folds - 1, float(leads.var(ddof=1))
    else:
        return 1.0
    if not variance:
        return 1.0
    return float(stdtr(freedom, -leads.mean() / np.sqrt(variance * (1 / n_folds + test_ratio))))


def default_repeats(documents: Documents) -> int:
    """Return how often to repeat the cross-validation, by the size of the corpus."""
    work = documents.rows.nnz * len(documents.labels.classes)
    return int(np.clip(REPEATED_WORK // max(work, 1), 1, MAX_REPEATS))


def race_candidates(
    documents: Mapping[str, Documents],
    families: list[CandidateFamily],
    goals: list[Goal],
    split: Split,
    schedule: Schedule,
    start: float,
) -> tuple[CandidateResults, list[str]]:
    """Evaluate all candidates within the budget.

    documents : by representation

    Returns
    -------
    results : of all candidates
    notes : a sentence about candidates and folds without time

    """
    race = run_race(documents, families, goals, split, schedule)
    if race.n_folds < min(MIN_FOLDS, split.rounds * split.runs):
        spent = time.monotonic() - start
        target = f"{MIN_FOLDS} folds" if split.runs > 1 else "the test documents"
        raise InvalidInputError(
            f"the budget is too small: {spent:.1f} s are not enough to evaluate one candidate on {target}; "
            "increase the budget, or try fewer candidates"
        )
    return collect_results(race, goals, documents[""].labels.classes, split), _describe_untried(race, split)


def run_race(
    documents: Mapping[str, Documents],
    families: list[CandidateFamily],
    goals: list[Goal],
    split: Split,
    schedule: Schedule,
) -> Race:
    """Evaluate all candidates fold by fold, until all folds are done or the time is over.

    All remaining candidates are compared on the same folds, so an unfinished fold is discarded. In the first
    round any number of folds is enough; later rounds count only if they are complete.
    """
    race, clock = Race(families, count_looks(split)), Clock(schedule)
    max_k = max(k for family in families for k in family.ks if k != UNLIMITED)
    for number in range(split.rounds):
        for division in split.divisions(number):
            indices, remaining = race.remaining_families()
            used = {family.ranker.representation for family in remaining}
            folds = {name: division.fold(documents[name]) for name in documents if name in used}
            is_first = not race.n_folds
            if is_first:
                clock.start_fold((split.runs - 1) * (RACED_COST if schedule.racing else 1.0))
            else:
                clock.start_fold(0.0)
            later_folds = split.rounds * split.runs - race.n_folds - 1
            later_cost = later_folds * sum(family.classifier.cost for family in remaining)
            results = evaluate_families(remaining, folds, goals, clock, max_k, later_cost)
            if not any(results) or (not is_first and not all(results)):
                if race.n_folds > split.runs:
                    race.remove_folds(race.n_folds % split.runs)
                return race
            # families without time on the first fold are out; the others continue
            clock.is_over = clock.is_over and not is_first
            race.add_fold(indices, remaining, results)
            if later_folds and schedule.racing and is_look(race.n_folds, split):
                race.drop_losers()
    return race


def count_looks(split: Split) -> int:
    """Return how often candidates may be dropped: after each fold of the first round, then each round."""
    return split.runs + split.rounds - 1


def is_look(n_folds: int, split: Split) -> bool:
    """Whether candidates may be dropped after this number of folds."""
    return n_folds <= split.runs or n_folds % split.runs == 0


def collect_results(
    race: Race, goals: Sequence[Goal], classes: tuple[Any, ...], split: Split
) -> CandidateResults:
    """Collect the results of a race; a larger k that adds no term is left out."""
    racers = []
    for group in race.racers:
        previous: list[int] = []
        for racer in group:
            if racer.beaten_by is None and racer.values and racer.terms != previous:
                previous = racer.terms
                racers.append(racer)
    # a fold may consist of several blocks, which then take its place
    n_blocks = np.array([len(result.by_class) for result in racers[0].fold_results])
    values = [np.concatenate([r.values[..., 0] for r in racer.fold_results], axis=1) for racer in racers]
    first_values, further_values = np.split(np.stack(values, axis=1), [1])
    confusions = [
        Confusion.stack([block[0] for result in racer.fold_results for block in result.blocks])
        for racer in racers
    ]
    class_values = [np.concatenate([r.by_class[:, 0] for r in racer.fold_results]) for racer in racers]
    test_ratios = np.repeat(race.test_ratios, n_blocks)
    n_folds, description = min(split.runs, race.n_folds), split.description
    if n_folds < split.runs:
        description = f"{n_folds} of the {split.runs} folds of {description}"
    return CandidateResults(
        goals,
        classes,
        [racer.candidate for racer in racers],
        confusion=Confusion.stack(confusions),
        values=first_values[0],
        further_values=further_values,
        class_values=np.stack(class_values),
        terms=np.repeat(np.array([racer.terms for racer in racers]), n_blocks, axis=1),
        test_ratios=test_ratios,
        split=description,
        folds=len(test_ratios) if split.rounds * split.runs == 1 else n_folds,
        dropped=[racer for racer in race.tried if racer.beaten_by is not None],
    )


def _describe_untried(race: Race, split: Split) -> list[str]:
    """Describe in a sentence the candidates and folds for which there was no time."""
    untried = [
        family
        for family, racers in zip(race.families, race.racers, strict=True)
        if not any(racer.values for racer in racers)
    ]
    items = []
    for name in dict.fromkeys(family.classifier.name for family in untried):
        rankers = [family.ranker.name for family in untried if family.classifier.name == name]
        is_complete = len(rankers) == sum(family.classifier.name == name for family in race.families)
        items.append(name if is_complete else f"{name} with {', '.join(rankers)}")
    rounds = race.n_folds // split.runs
    if not rounds:
        items.append(f"{split.runs - race.n_folds} of {split.runs} folds")
    if rounds < split.rounds and split.rounds > 1:
        items.append(f"{split.rounds - max(rounds, 1)} of {split.rounds} repeats of the cross-validation")
    return [f"Not tried within the budget: {'; '.join(items)}."] if items else []


def dropped_table(results: CandidateResults) -> Table:
    """Return the dropped candidates, last dropped first.

    difference : from the best of all, on the folds before it was dropped
    behind : the better candidate with at most as many terms; p : p-value, corrected for all tests
    """
    racers = sorted(results.dropped, key=lambda r: (-len(r.values), -results.lead_over_best(r)))
    columns = dropped_columns(racers, results)
    del columns["verdict"]
    winners = [racer.beaten_by for racer in racers if racer.beaten_by is not None]
    behind = [f"{w.candidate.ranker.name} {w.candidate.classifier.name} {w.size:.0f}" for w in winners]
    n_folds = np.array([len(racer.values) for racer in racers], dtype=np.int64)
    return Table(columns | {"folds": n_folds, "behind": as_term_array(behind)})


def dropped_columns(racers: Sequence[RacingCandidate], results: CandidateResults) -> dict[str, Array]:
    """Return dropped candidates as columns of the table of methods."""
    errors = [
        standard_errors(np.array([racer.values]), results.test_ratios[: len(racer.values)])[0]
        for racer in racers
    ]
    return {
        "method": as_term_array([racer.candidate.ranker.name for racer in racers]),
        "classifier": as_term_array([racer.candidate.classifier.name for racer in racers]),
        "terms": np.array([round(racer.size) for racer in racers], dtype=np.int64),
        "mean": np.array([racer.mean for racer in racers], dtype=np.float64),
        "error": np.array(errors, dtype=np.float64),
        "difference": np.array([results.lead_over_best(racer) for racer in racers], dtype=np.float64),
        "p": np.array([racer.p for racer in racers], dtype=np.float64),
        "verdict": as_term_array(["dropped"] * len(racers)),
    }


def describe_race(results: CandidateResults) -> str:
    """Describe in a sentence how many candidates were dropped, when and why."""
    if not results.dropped:
        return ""
    counts = Counter(len(racer.values) for racer in results.dropped)
    steps = [f"{counts[n]:,} after {n} {'fold' if n == 1 else 'folds'}" for n in sorted(counts)]
    return (
        f"Racing dropped {len(results.dropped):,} of {results.n_tried:,} candidates ({', '.join(steps)}): "
        "each was "
        "significantly worse than a candidate of equal or smaller size. The probability that the best one is "
        f"among them is at most {LEVEL:.0%}; --no-racing, or racing=False in Python, evaluates all."
    )


def candidates_to_fit(results: CandidateResults) -> list[Candidate]:
    """Return the recommended candidate, and all terms with the same classifier."""
    recommended = results.candidates[results.recommended]
    tried = (*results.candidates, *(racer.candidate for racer in results.dropped))
    baselines = [c for c in tried if c.is_all_terms and c.classifier is recommended.classifier]
    return [recommended, *(c for c in baselines if c is not recommended)]
