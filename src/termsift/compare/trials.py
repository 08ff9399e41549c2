"""Trials: every candidate on every fold, in an order that spends time first where it matters most."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from termsift._typing import Array
from termsift.compare.methods import L1, Method
from termsift.errors import InvalidInput
from termsift.experiment.classifiers import Classifier
from termsift.experiment.decisions import decided, decided_at_break_even
from termsift.experiment.documents import Documents
from termsift.experiment.fold import Fold
from termsift.experiment.folds import fold_numbers
from termsift.experiment.goals import Decided, Goal
from termsift.text.batches import in_order, threads

Progress: TypeAlias = Callable[[int, int], None]
UNBOUNDED = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """A method and a classifier, at all numbers of terms: they are fitted together."""

    method: Method
    classifier: Classifier
    ks: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Tried:
    """What became of a path on a fold: decisions, and the number of terms, at each k."""

    decided: Decided
    terms: Array


@dataclass(frozen=True, slots=True)
class Plan:
    """How documents are split, and how much may be spent.

    deadline : of time.monotonic(), or None
    """

    folds: int
    repeats: int
    seed: int
    n_jobs: int | None
    deadline: float | None
    progress: Progress | None


@dataclass(slots=True)
class Clock:
    """What units of each kind took, and whether there is time for one more."""

    deadline: float | None
    longest: dict[str, float] = field(default_factory=dict)
    out: bool = False

    def has_time(self, kind: str) -> bool:
        """Whether a unit would end in time, if it takes as long as the longest of its kind so far."""
        if self.deadline is not None and not self.out:
            self.out = time.monotonic() + self.longest.get(kind, 0.0) > self.deadline
        return not self.out


class Done:
    """How much of the work is done, told as it goes on."""

    def __init__(self, paths: list[Path], plan: Plan) -> None:
        self.total = plan.folds * plan.repeats * sum(path.classifier.cost for path in paths)
        self.so_far, self.progress = 0, plan.progress

    def add(self, path: Path) -> None:
        """A unit is done."""
        self.so_far += path.classifier.cost
        if self.progress is not None:
            self.progress(self.so_far, self.total)


def paths_of(methods: Sequence[Method], classifiers: Sequence[Classifier], ks: Array) -> list[Path]:
    """The paths, the quick ones first; a slow classifier is tried with fewer numbers of terms."""
    paths = []
    for classifier in classifiers:
        for method in methods:
            own = ks[::-1][:: classifier.every][::-1].tolist()
            if method.is_whole:
                own = [UNBOUNDED]
            elif method.name == L1:
                own = [*own, UNBOUNDED]
            paths.append(Path(method, classifier, tuple(own)))
    return sorted(paths, key=lambda path: path.method.is_slow)


def tried(path: Path, fold: Fold, goal: Goal, most: int) -> Tried:
    """A path on a fold."""
    ranking = path.method.ranking(fold, most)
    asked = ranking.sizes(np.array(path.ks))
    sizes, place = np.unique(asked, return_inverse=True)
    if goal.at_break_even:
        margins = path.classifier.confidences(fold, ranking, sizes)
        found = decided_at_break_even(margins, fold.truth, fold.single)
    else:
        found = decided(path.classifier.margins(fold, ranking, sizes), fold.truth, fold.single)
    parts = (found.tp, found.fp, found.fn, found.right, found.documents)
    return Tried(Decided(*(part[place] for part in parts)), ranking.terms(sizes)[place])


def results_of(documents: Documents, paths: list[Path], goal: Goal, plan: Plan) -> list[list[list[Tried]]]:
    """For each path and repeat the results of the folds.

    Out of time, a path that lacks a fold of the first repeat is left out, and so is a later repeat that lacks
    anything: what is compared is compared on the same folds.
    """
    clock, done = Clock(plan.deadline), Done(paths, plan)
    results: list[list[list[Tried]]] = [[] for _ in paths]
    for repeat in range(plan.repeats):
        folds = folds_of(documents, plan.folds, plan.seed + repeat)
        whole = by_path(paths, folds, goal, clock, plan.n_jobs, done)
        if repeat and not all(whole):
            break
        for own, part in zip(results, whole, strict=True):
            own += [part] if part else []
        if clock.out:
            break
    return results


def by_path(
    paths: list[Path], folds: list[Fold], goal: Goal, clock: Clock, n_jobs: int | None, done: Done
) -> list[list[Tried]]:
    """For each path the results of all folds; none where there was no time for one of them."""
    most = max(k for path in paths for k in path.ks if k != UNBOUNDED)
    units = [(path, fold) for path in paths for fold in folds]
    found: dict[Path, list[Tried]] = {path: [] for path in paths}
    for (path, _), result in zip(units, in_units(units, goal, most, clock, n_jobs), strict=True):
        if result is not None:
            found[path].append(result)
            done.add(path)
    return [own if len(own) == len(folds) else [] for own in found.values()]


def in_units(
    units: list[tuple[Path, Fold]], goal: Goal, most: int, clock: Clock, n_jobs: int | None
) -> Iterator[Tried | None]:
    """The results of the units in their order; None for what there was no time for."""

    def worked_out(unit: tuple[Path, Fold]) -> Tried | None:
        path, fold = unit
        kind = path.classifier.name + L1 * path.method.is_slow
        if not clock.has_time(kind):
            return None
        start = time.monotonic()
        found = tried(path, fold, goal, most)
        clock.longest[kind] = max(clock.longest.get(kind, 0.0), time.monotonic() - start)
        return found

    return in_order(worked_out, units, threads(n_jobs))


def folds_of(documents: Documents, folds: int, seed: int) -> list[Fold]:
    """The folds of one repeat."""
    numbers = fold_numbers(documents.labels, folds, seed)
    return [
        Fold(documents, np.flatnonzero(numbers != fold), np.flatnonzero(numbers == fold), seed)
        for fold in range(folds)
    ]


def check_plan(folds: object, repeats: object, budget: object, documents: int) -> None:
    """One clear line for a plan that cannot be carried out."""
    for name, value, least in (("folds", folds, 2), ("repeats", repeats, 1)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise InvalidInput(f"{name} must be a whole number of at least {least}, got {value!r}")
    if isinstance(folds, int) and folds > documents:
        raise InvalidInput(f"folds is {folds} but there are only {documents} documents")
    if budget is not None and not (isinstance(budget, int | float | np.number) and budget > 0):
        raise InvalidInput(f"budget must be a number of seconds above 0, got {budget!r}")
