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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, cast

import numpy as np
from scipy.special import ndtr, ndtri, stdtr

from termsift._internal.ranking import Ranking
from termsift.compare.candidates import (
    ALL,
    GUESSES,
    UNLIMITED,
    Candidate,
    CandidateFamily,
    FamilyResult,
    RacingCandidate,
    Schedule,
    evaluate_families,
)
from termsift.compare.results import LEVEL, CandidateResults
from termsift.engines import Documents
from termsift.evaluation import Confusion, Goal, Split, evaluate_classifier
from termsift.metrics import sum_p_value

MIN_FOLDS_FOR_TEST = 3  # if the goal has no pseudo-values within a fold
NO_TERMS = Ranking((np.zeros(0, dtype=np.intp),))  # guesses ignore the terms
RACED_COST = 0.5  # expected cost of a later fold relative to the first, because candidates are dropped


@dataclass(slots=True, eq=False)
class Race:
    """Candidates by family, with their results so far.

    looks : how often candidates may be dropped, in total
    guesses : baselines that ignore the texts
    test_ratios : (finished folds,) test documents divided by training documents
    """

    families: list[CandidateFamily]
    looks: int
    racers: list[list[RacingCandidate]] = field(init=False)
    guesses: list[RacingCandidate] = field(init=False)
    test_ratios: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.guesses = [RacingCandidate(Candidate(ALL, guess, 0)) for guess in cast("Any", GUESSES)]
        self.racers = [
            [RacingCandidate(Candidate(f.ranker, f.classifier, k, f.is_extra)) for k in f.ks]
            for f in self.families
        ]

    def split_racers(self) -> tuple[list[RacingCandidate], list[RacingCandidate]]:
        """Return the candidates with results that remain, and those that were dropped."""
        racers = [racer for group in self.racers for racer in group if racer.values]
        remaining = [racer for racer in racers if racer.beaten_by is None]
        return remaining, [racer for racer in racers if racer.beaten_by is not None]

    def remaining_families(self) -> dict[int, CandidateFamily]:
        """Return the families of remaining candidates by index, restricted to these."""
        remaining = {}
        for index, (family, racers) in enumerate(zip(self.families, self.racers, strict=True)):
            # after the first fold, a candidate without results had no time
            unbeaten = [racer for racer in racers if racer.beaten_by is None]
            ks = tuple(racer.candidate.k for racer in unbeaten if racer.values or not self.test_ratios)
            if ks:
                remaining[index] = replace(family, ks=ks)
        return remaining

    def add_fold(
        self, families: Mapping[int, CandidateFamily], results: Sequence[FamilyResult | None]
    ) -> None:
        """Add the results of a fold; families without a result had no time."""
        for (index, family), result in zip(families.items(), results, strict=True):
            if result is None:
                continue
            by_k = {racer.candidate.k: racer for racer in self.racers[index]}
            features = result.features if result.features.size else result.terms
            for position, k in enumerate(family.ks):
                fold_result = result.fold_results[position]
                by_k[k].fold_results.append(fold_result)
                by_k[k].values.append(float(fold_result.values[0].mean()))
                by_k[k].terms.append(int(result.terms[position]))
                by_k[k].features.append(int(features[position]))
                by_k[k].seconds.append(result.seconds)
        self.test_ratios.append(next(result.test_ratio for result in results if result is not None))

    def remove_last_folds(self, count: int) -> None:
        """Remove the results of the last folds."""
        end = len(self.test_ratios) - count
        for racer in (*self.split_racers()[0], *self.guesses):
            for results in (racer.fold_results, racer.values, racer.terms, racer.features, racer.seconds):
                del results[end:]
        del self.test_ratios[end:]

    def drop_losers(self) -> None:
        """Drop candidates that are significantly worse than one with at most as many terms."""
        remaining, dropped = self.split_racers()
        racers = sorted(remaining, key=lambda racer: (np.mean(racer.terms), -racer.mean))
        # the first candidate is the one that others are shown against
        protected = {id(racer) for racer in (*best_by_size(racers), *self.racers[0])}
        test_ratio = float(np.mean(self.test_ratios))
        # Bonferroni: every candidate, including the dropped ones, is tested at every look
        n_tests, best = (len(racers) + len(dropped)) * self.looks, racers[0]
        for racer in racers:
            # sorted by size, so that the best so far has at most as many terms
            if racer.mean > best.mean:
                best = racer
            if id(racer) in protected or racer is best:
                continue
            p = min(1.0, n_tests * lead_p_value(best, racer, test_ratio))
            if p < LEVEL:
                racer.beaten_by, racer.p = best, p


def best_by_size(racers: Sequence[RacingCandidate]) -> list[RacingCandidate]:
    """Return the best candidate of each requested number of terms, and of the baseline of all terms."""
    best: dict[tuple[Any, ...], RacingCandidate] = {}
    for racer in racers:
        ranker = racer.candidate.ranker
        # features and all terms are sizes of their own, as is a number that the method determines
        size = ranker.features is not None, ranker.uses_all_terms, racer.candidate.k
        for key in {(*size, False), (*size, ranker is ALL)}:
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
    # pseudo-values vary within each fold; without them only the folds can be compared
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


def race_candidates(
    documents: Mapping[str, Documents],
    families: list[CandidateFamily],
    goals: list[Goal],
    split: Split,
    schedule: Schedule,
) -> tuple[CandidateResults, list[str]]:
    """Evaluate all candidates fold by fold, until all folds are done or the time is over.

    All remaining candidates are compared on the same folds, so an unfinished fold is discarded. In the first
    round any number of folds is enough; later rounds count only if they are complete.

    documents : by representation

    Returns
    -------
    results : of all candidates
    notes : a sentence about candidates and folds without time

    """
    # candidates may be dropped after each fold of the first round, then after each round
    race = Race(families, looks=split.runs + split.rounds - 1)
    max_k = max(k for family in families for k in family.ks if k != UNLIMITED)
    n_total = split.rounds * split.runs
    for division in chain.from_iterable(map(split.divisions, range(split.rounds))):
        remaining = race.remaining_families()
        tried = list(remaining.values())
        representations = {family.ranker.representation for family in tried}
        folds = {name: division.fold(documents[name]) for name in representations}
        n_folds = len(race.test_ratios)
        is_first = not n_folds
        # the first fold must leave time for the rest of its round
        fold_cost = RACED_COST if schedule.racing and is_first else 1.0
        schedule.later_folds = (split.runs - 1) * fold_cost if is_first else 0.0
        schedule.fold_start = time.monotonic()
        n_later = n_total - n_folds - 1
        later_cost = round(n_later * fold_cost * sum(family.cost for family in tried))
        results = evaluate_families(tried, folds, goals, schedule, max_k, later_cost)
        if not any(results) or (not is_first and not all(results)):
            if n_folds > split.runs:
                race.remove_last_folds(n_folds % split.runs)
            break
        # families without time on the first fold are out; the others continue
        schedule.is_over = schedule.is_over and not is_first
        race.add_fold(remaining, results)
        for racer in race.guesses:
            guess: Any = racer.candidate.classifier
            result = evaluate_classifier(guess, folds[""], NO_TERMS, np.zeros(1, int), goals)
            racer.fold_results.append(result)
            racer.values.append(float(result.values[0].mean()))
        is_look = n_folds < split.runs or (n_folds + 1) % split.runs == 0
        if n_later and schedule.racing and is_look:
            race.drop_losers()
    words = documents[""]
    is_grouped = bool(words.groups.size)
    collected = collect_results(race, goals, words.labels.classes, split, is_grouped=is_grouped)
    return collected, _describe_untried(race, split)


def collect_results(
    race: Race, goals: Sequence[Goal], classes: tuple[Any, ...], split: Split, *, is_grouped: bool
) -> CandidateResults:
    """Collect the results of a race; a larger k that adds no term is left out."""
    racers = []
    for group in race.racers:
        # k ascends within a family
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
        Confusion.stack([r.confusion[b, 0] for r in racer.fold_results for b in range(len(r.by_class))])
        for racer in racers
    ]
    class_values = [np.concatenate([r.by_class[:, 0] for r in racer.fold_results]) for racer in racers]
    test_ratios = np.repeat(race.test_ratios, n_blocks)
    n_folds, description = min(split.runs, len(race.test_ratios)), split.description
    if n_folds < split.runs:
        description = f"{n_folds} of the {split.runs} folds of {description}"
    guess_values = [
        np.concatenate([result.values[0, :, 0] for result in guess.fold_results]) for guess in race.guesses
    ]
    # a single fold has standard errors by groups of its test documents
    spread = np.concatenate([racer.fold_results[0].spread for racer in racers])
    fold_errors = np.zeros(0)
    if len(race.test_ratios) == 1 and race.test_ratios[0] and spread.size:
        variance_factor = (1 + race.test_ratios[0]) / spread.shape[1]
        fold_errors = np.asarray(spread.std(axis=1, ddof=1) * np.sqrt(variance_factor))
    return CandidateResults(
        goals,
        classes,
        [racer.candidate for racer in racers],
        confusion=Confusion.stack(confusions),
        values=first_values[0],
        further_values=further_values,
        class_values=np.stack(class_values),
        terms=np.repeat(np.array([racer.terms for racer in racers]), n_blocks, axis=1),
        features=np.array([racer.features for racer in racers]).mean(axis=1),
        seconds=np.array([racer.seconds for racer in racers]).mean(axis=1),
        test_ratios=test_ratios,
        split=description,
        folds=len(test_ratios) if split.rounds * split.runs == 1 else n_folds,
        dropped=race.split_racers()[1],
        guess_values=np.stack(guess_values),
        guess_p=guess_p_value(race, split, is_grouped=is_grouped),
        fold_errors=fold_errors,
    )


def guess_p_value(race: Race, split: Split, *, is_grouped: bool) -> float:
    """Return the p-value of the best candidate under labels that are independent of the texts, by Bonferroni.

    The exact test of the decisions about each class, with the folds of the first round as strata. It has more
    power than a test of the goal, whose standard error over a few small folds is large. Decisions about
    weighted or grouped documents are not independent; then the lead over the better guess is tested.
    """
    remaining, dropped = race.split_racers()
    best, guess = (max(racers, key=lambda racer: racer.mean) for racers in (remaining, race.guesses))
    if best.mean <= guess.mean:
        return 1.0
    n_tests = len(remaining) + len(dropped)
    folds = best.fold_results[: split.runs]
    # blocks of a test set are summed: its documents are permuted among each other
    sums = [[cells.sum(axis=0) for cells in result.confusion[:, 0].count_arrays] for result in folds]
    documents, tp, fp, fn, _ = map(np.stack, zip(*sums, strict=True))
    if not (is_grouped or any((cells % 1).any() for cells in (tp, fp, fn))):
        marginals = zip(tp.T, (tp + fp).T, (tp + fn).T, strict=True)
        p = min(sum_p_value(*cells, documents) for cells in marginals)
        # Folds that train on each other's documents count pairs of similar documents twice: Nadeau and
        # Bengio's factor of the variance. Time windows are independent, given the documents before them.
        first, last = split.divisions(0)[0], split.divisions(0)[-1]
        if len(folds) > 1 and np.isin(last.test, first.train).any():
            p = float(ndtr(ndtri(p) / np.sqrt(1 + len(folds) * np.mean(race.test_ratios))))
        # two exclusive classes have the same test
        is_mirrored = tp.shape[1] == 2 and np.array_equal((tp + fn).sum(axis=1), documents)
        return min(1.0, n_tests * (1 if is_mirrored else tp.shape[1]) * p)
    # goals of rankings have no variance within a fold
    if len(race.test_ratios) < MIN_FOLDS_FOR_TEST and not best.fold_results[0].spread.size:
        return 0.0
    return min(1.0, n_tests * lead_p_value(best, guess, float(np.mean(race.test_ratios))))


def _describe_untried(race: Race, split: Split) -> list[str]:
    """Describe in a sentence the candidates and folds for which there was no time."""
    groups = zip(race.families, race.racers, strict=True)
    untried = [family for family, racers in groups if not any(racer.values for racer in racers)]
    items = []
    for name in dict.fromkeys(family.classifier.name for family in untried):
        rankers = [family.ranker.name for family in untried if family.classifier.name == name]
        is_complete = len(rankers) == sum(family.classifier.name == name for family in race.families)
        items.append(name if is_complete else f"{name} with {', '.join(rankers)}")
    n_folds = len(race.test_ratios)
    rounds = n_folds // split.runs
    if not rounds:
        items.append(f"{split.runs - n_folds} of {split.runs} folds")
    if rounds < split.rounds and split.rounds > 1:
        items.append(f"{split.rounds - max(rounds, 1)} of {split.rounds} repeats of the cross-validation")
    return [f"Not tried within the budget: {'; '.join(items)}."] if items else []
