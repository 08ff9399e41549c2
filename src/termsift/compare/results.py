"""What the user wants of a recommendation: to give up little, to keep few terms, to label quickly."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array
from termsift.compare.trials import Candidate, Runner
from termsift.evaluation import Confusion, Goal, holm, t_of_mean
from termsift.evaluation.classifiers import Classifier

USUAL_PRICE, USUAL_SIZE = 0.01, 500  # of the answers that are told where nothing is asked


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked of the recommended candidate; without anything, the rule of one standard error.

    within : fewest terms that give up at most so much of the best
    at_most : so many terms at most, the best of them
    latency : milliseconds per document at most, the best of them
    """

    within: float | None = None
    at_most: int | None = None
    latency: float | None = None

    @property
    def words(self) -> str:
        """What a candidate is that was chosen by it."""
        bounds = [f"at most {self.at_most:,} terms"] if self.at_most is not None else []
        bounds += [f"at most {self.latency:g} ms per document"] if self.latency is not None else []
        among = f" of those with {' and '.join(bounds)}" if bounds else ""
        if self.within is not None:
            of = f" the best{among}" if among else " that"
            return f"has the fewest terms that give up at most {self.within:g} of{of}"
        return f"is the best{among}" if among else "has the fewest terms within one standard error of that"


def wish_from(within: object, at_most: object, latency: object) -> Wish:
    """The wish, checked."""
    for name, value in (("within", within), ("latency", latency)):
        is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if value is not None and not (is_number and 0 <= float(value) < np.inf):  # type: ignore[arg-type]
            raise InvalidInputError(f"{name} must be a number of at least 0, got {value!r}")
    is_whole = isinstance(at_most, int | np.integer) and not isinstance(at_most, bool)
    if at_most is not None and not (is_whole and at_most >= 1):  # type: ignore[operator]
        raise InvalidInputError(f"at_most must be a whole number of terms of at least 1, got {at_most!r}")
    return Wish(within, at_most, latency)  # type: ignore[arg-type]


ONE_ERROR = Wish()  # the rule of one standard error


@dataclass(frozen=True, slots=True, eq=False)
class CandidateResults:
    """Candidates by runs.

    goals : what is maximised first, and what else is asked for
    lines : the candidates
    confusion : (lines, runs, classes) decisions; the runs are those of the first round, then of the next,
        or, of a single one, the blocks of its documents
    values : (lines, runs) the goal; of blocks pseudo-values, whose mean is the goal of all of them
    others : (other goals, lines, runs) the same of each
    class_values : (lines, runs, classes) the goal of each class; NaN where it is not there
    terms : (lines, runs) how many terms were chosen
    shares : (runs,) the documents judged, as a share of those learned from; 0 of blocks
    split : how documents are split, as a sentence names a round of runs
    folds : how many runs a round has
    wish : what is asked of the recommended candidate
    slow : the lines that label too slowly for it
    dropped : the candidates that left the race, with what they reached until then
    """

    goals: Sequence[Goal]
    classes: tuple[Any, ...]
    lines: Sequence[Candidate]
    confusion: Confusion
    values: Array
    others: Array
    class_values: Array
    terms: Array
    shares: Array
    split: str
    folds: int
    wish: Wish = ONE_ERROR
    slow: frozenset[int] = frozenset()
    dropped: Sequence[Runner] = ()

    @property
    def tried(self) -> int:
        """How many candidates were tried."""
        return len(self.lines) + len(self.dropped)

    @property
    def goal(self) -> Goal:
        """What is maximised."""
        return self.goals[0]

    @property
    def means(self) -> Array:
        """(lines,) over the runs."""
        return np.asarray(self.values.mean(axis=1))

    @property
    def errors(self) -> Array:
        """(lines,) standard errors of the means."""
        return standard_errors(self.values, self.shares)

    @property
    def is_held_out(self) -> bool:
        """Whether there is a single run, told apart from chance by blocks of its documents."""
        return not self.shares.any()

    @property
    def sizes(self) -> Array:
        """(lines,) the number of terms, on average."""
        return np.asarray(self.terms.mean(axis=1))

    def also(self, goal: Goal) -> Array:
        """(lines,) what another goal makes of the decisions: the mean over the runs, or of all of one."""
        if self.is_held_out:
            return goal.values(self.confusion.pooled(axis=1))
        return np.asarray(goal.values(self.confusion).mean(axis=1))

    @property
    def repeats(self) -> int:
        """How many rounds there were: how often the documents were split."""
        return int(self.terms.shape[1]) // self.folds

    @property
    def best(self) -> int:
        """The line of the best mean."""
        return best_line(self.values, self.sizes)

    @property
    def chosen(self) -> int:
        """The line that is recommended: fewest terms within one standard error of the best, or as wished."""
        return self.wished_line(np.arange(len(self.shares)))

    @property
    def expected(self) -> float | None:
        """What the chosen line would reach on new documents; None where rounds are of a single run.

        The figure of a candidate that was chosen for its figure is too good. So the choice is made again
        without each fold, and what is then chosen is measured on that fold.
        """
        if self.folds < 2:
            return None
        rounds = np.arange(len(self.shares)).reshape(-1, self.folds)
        found = []
        for runs in rounds:
            for run in runs:
                others = runs[runs != run]
                found.append(self.values[self.wished_line(others), run])
        return float(np.mean(found))

    @property
    def wish_words(self) -> str:
        """What the recommended candidate is, as a sentence goes on."""
        too_slow = self.wish.latency is not None and len(self.slow) == len(self.lines) - 1
        return "is the quickest of those that were timed" if too_slow else self.wish.words

    def wished_line(self, runs: Array) -> int:
        """The line that would be recommended by some of the runs."""
        wish, values = self.wish, self.values[:, runs]
        able = np.array([i for i in range(len(self.lines)) if i not in self.slow])
        if wish.at_most is not None:
            few = able[np.round(self.sizes[able]) <= wish.at_most]
            able = few if len(few) else able[[int(np.argmin(self.sizes[able]))]]
        own, sizes = values[able], self.sizes[able]
        if wish.within is not None:
            return int(able[fewest_within(own, sizes, wish.within)])
        if wish != ONE_ERROR:
            return int(able[best_line(own, sizes)])
        return int(able[smallest_line(own, sizes, self.shares[runs])])

    def best_of(self, name: str, judges: Collection[Classifier] | None = None) -> int:
        """The best line of a method, or its best by some classifiers, one of which it was tried with."""
        own = np.array(self.lines_of(name, self.judges_of(name) if judges is None else judges))
        return int(own[best_line(self.values[own], self.sizes[own])])

    def lines_of(self, name: str, judges: Collection[Classifier]) -> list[int]:
        """The lines of a method by some classifiers."""
        lines = enumerate(self.lines)
        return [i for i, line in lines if line.ranker.name == name and line.classifier in judges]

    def judges_of(self, name: str) -> list[Classifier]:
        """The classifiers that a method was tried with: under a budget perhaps not all."""
        tried = (*self.lines, *(one.line for one in self.dropped))
        return list(dict.fromkeys(line.classifier for line in tried if line.ranker.name == name))

    @property
    def methods(self) -> list[str]:
        """The methods whose best candidate stands, the best first."""
        names = dict.fromkeys(line.ranker.name for line in self.lines)
        standing = [name for name in names if self.fallen_of(name) is None]
        return sorted(standing, key=lambda name: -self.means[self.best_of(name)])

    @property
    def fallen_methods(self) -> list[Runner]:
        """The best candidate of each method that fell with it, those least behind the best first."""
        names = dict.fromkeys(one.line.ranker.name for one in self.dropped)
        found = [fallen for name in names if (fallen := self.fallen_of(name)) is not None]
        return sorted(found, key=lambda one: -self.lead(one))

    def fallen_of(self, name: str) -> Runner | None:
        """The best candidate of a method, if it was dropped: none of the method that stands was ahead of it.

        They are held against each other on the runs that it was in.
        """
        own = [one for one in self.dropped if one.line.ranker.name == name]
        if not own:
            return None
        fallen = max(own, key=self.lead)
        lines = self.lines_of(name, self.judges_of(name))
        runs = len(fallen.values)
        return None if any(self.values[i, :runs].mean() >= fallen.mean for i in lines) else fallen

    def lead(self, one: Runner) -> float:
        """How far a dropped candidate is ahead of the best of all, on the runs that it was in."""
        return float(np.mean(one.values - self.values[self.best, : len(one.values)]))

    @property
    def judges_of_all(self) -> list[Classifier]:
        """The classifiers that every method was tried with; where there is none, all classifiers."""
        judges = dict.fromkeys(line.classifier for line in self.lines)
        common = [judge for judge in judges if all(judge in self.judges_of(name) for name in self.methods)]
        has_line = all(self.lines_of(name, common) for name in self.methods)
        return common if has_line else list(judges)

    def is_judged(self, name: str) -> bool:
        """Whether a method can be told better or worse than the best: it was tried with its classifier."""
        return self.lines[self.best].classifier in self.judges_of(name)

    def rivals(self, name: str) -> tuple[int, int]:
        """The best lines of a method and of the best one, by classifiers that both were tried with."""
        winner = self.lines[self.best].ranker.name
        shared = [judge for judge in self.judges_of(name) if judge in self.judges_of(winner)]
        if not (self.lines_of(name, shared) and self.lines_of(winner, shared)):
            return self.best_of(name), self.best
        return self.best_of(name, shared), self.best_of(winner, shared)

    def p_value(self, line: int, other: int) -> float:
        """Of the corrected resampled t test of two lines."""
        differences = self.values[line] - self.values[other]
        return t_of_mean(differences, 1 / len(differences) + self.shares.mean(), "two-sided").p_value

    def p_values(self) -> dict[str, float]:
        """For each method that can be told worse than the best line, whether it is: corrected after Holm."""
        winner = self.lines[self.best].ranker.name
        names = [name for name in self.methods if name != winner and self.is_judged(name)]
        corrected = holm([self.p_value(*self.rivals(name)[::-1]) for name in names])
        return dict(zip(names, corrected.tolist(), strict=True))

    def by_class(self, line: int) -> tuple[Array, Array]:
        """(classes,) the measure of each class over all runs pooled, and its standard error by jackknife.

        Pooled, since a fold holds too few documents of a rare class: Forman and Scholz (2010). What is no
        measure of decisions cannot be pooled, and is the mean over the runs that have the class.
        """
        if self.goal.ranked is not None:
            return self.class_means(self.class_values[line])
        runs, measure = self.confusion[line], self.goal.measure
        n = len(runs.right)
        without = np.array([measure(runs[np.arange(n) != i].pooled()) for i in range(n)])
        spread = ((without - without.mean(axis=0)) ** 2).sum(axis=0)
        return measure(runs.pooled()), np.sqrt((n - 1) / n * spread)

    def class_means(self, values: Array) -> tuple[Array, Array]:
        """(classes,) the means over the runs that have the class, and their standard errors; 0 where none."""
        there = ~np.isnan(values)
        n = np.maximum(there.sum(axis=0), 1)
        means = np.where(there, values, 0.0).sum(axis=0) / n
        spread = (np.where(there, values - means, 0.0) ** 2).sum(axis=0) / np.maximum(n - 1, 1)
        return means, np.sqrt(spread * (1 / n + self.shares.mean()))


def standard_errors(values: Array, shares: Array) -> Array:
    """Of means over runs whose training parts overlap: Nadeau and Bengio (2003).

    The variance of the mean is that of the runs times 1/runs + test/training, not 1/runs alone.
    values : (lines, runs); shares : (runs,) test/training
    """
    runs = values.shape[1]
    spread = values.std(axis=1, ddof=1) if runs > 1 else np.zeros(len(values))
    return np.asarray(spread * np.sqrt(1 / runs + shares.mean()))


def best_line(values: Array, sizes: Array) -> int:
    """The line of the best mean; of equals the one of fewest terms, then the first."""
    means = np.round(values.mean(axis=1), 12)
    return int(np.lexsort((np.arange(len(means)), sizes, -means))[0])


def smallest_line(values: Array, sizes: Array, shares: Array) -> int:
    """Of the lines within one standard error of the best, the one of fewest terms; of equals the best."""
    best = best_line(values, sizes)
    return fewest_within(values, sizes, standard_errors(values[[best]], shares)[0])


def fewest_within(values: Array, sizes: Array, price: float) -> int:
    """Of the lines that give up at most a price of the best, the one of fewest terms; of equals the best."""
    means = np.round(values.mean(axis=1), 12)
    within = np.flatnonzero(means >= np.round(means.max() - price, 12))
    order = np.lexsort((within, -means[within], np.round(sizes[within], 6)))
    return int(within[order[0]])


def asked_size(line: Candidate, size: float) -> str:
    """The number of terms that a candidate was asked for; "own" where it took fewer by itself, or "all"."""
    if line.ranker.is_whole:
        return "all"
    return "own" if line.ranker.has_own_size and round(size) != line.k else str(line.k)
