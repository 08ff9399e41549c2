"""What section 5 says of the weight of positive terms and of rare words; differences count by the t test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np

from termsift._typing import Array
from termsift.evaluation import holm, paired_t
from termsift.studies.forman2003.outcomes import FormanOutcomes
from termsift.studies.forman2003.statements import LEVEL
from termsift.studies.study import Line, stated

BALANCE = 0.5
CUTOFFS = (1, 3, 5, 10, 15, 20, 25)
WHERE, TERMS = "section 5", 1000
MANY = (1000, 2000)

GoalsAtSizes: TypeAlias = Sequence[tuple[str, int]]


def weighted_name(alpha: float) -> str:
    """What BNS with a weight of positive terms is called in rows."""
    return f"bns {alpha}"


def side_statements(weights: FormanOutcomes, cutoffs: Mapping[int, FormanOutcomes]) -> list[Line]:
    """The statements on weights of positive terms, and on BNS by the cutoff of rare words."""
    return [*weight_statements(weights), *cutoff_statements(cutoffs)]


def weight_statements(found: FormanOutcomes) -> Iterator[Line]:
    """What section 5 says of the weight of positive terms; a difference counts where the t test finds it."""
    what = "alpha .6 is precise with few terms, and loses recall against unweighted BNS"
    yield exchange_statement(found, what, 0.6, gains=[("precision", 50)], losses=[("recall", TERMS)])
    what = "alpha .4 has the higher recall with many terms, at the cost of precision"
    gains, losses = ([(goal, size) for size in MANY] for goal in ("recall", "precision"))
    yield exchange_statement(found, what, 0.4, gains=gains, losses=losses)
    best = found.best("f1")
    lowest, *others = sorted(best, key=lambda name: best[name])
    p = best_p_value(found, others[0], lowest)
    figure = f"{best_by_weight(found)}; p {p:.2g} that {others[0].split()[1]} is above {lowest.split()[1]}"
    parts = [lowest == weighted_name(0.1), p < LEVEL]
    yield stated(WHERE, "alpha .1 defeats the classifier", figure, parts)
    yield balance_statement(found)


def exchange_statement(
    found: FormanOutcomes, what: str, alpha: float, *, gains: GoalsAtSizes, losses: GoalsAtSizes
) -> Line:
    """A statement that a weight gains in one goal, and loses in another, against unweighted BNS."""
    figures, parts = [], []
    for sign, (goal, size) in [*((1, gain) for gain in gains), *((-1, loss) for loss in losses)]:
        own, plain = (found.runs(weighted_name(one), goal, size).ravel() for one in (alpha, BALANCE))
        p = paired_t(sign * own, sign * plain, alternative="greater").p_value
        figures.append(f"{goal} at {size}: {own.mean():.3f} ({plain.mean():.3f} unweighted, p {p:.2g})")
        parts += [sign * (own.mean() - plain.mean()) > 0, p < LEVEL]
    return stated(WHERE, what, "; ".join(figures), parts)


def balance_statement(found: FormanOutcomes) -> Line:
    """Section 5 and figure 22: unweighted BNS is best; in part where what leads is not above it for sure."""
    best, plain = found.best("f1"), weighted_name(BALANCE)
    top = max(best, key=lambda name: best[name])
    figure, p = best_by_weight(found), 1.0
    if top != plain:
        p = best_p_value(found, top, plain)
        figure += f"; p {p:.2g} that {top.split()[1]} is above {BALANCE}"
    return stated(WHERE, "F is best with the two in balance", figure, [top == plain, p >= LEVEL])


def best_by_weight(found: FormanOutcomes) -> str:
    """The best F of each weight over sizes, told."""
    return ", ".join(f"{name.split()[1]}: {f1:.3f}" for name, f1 in found.best("f1").items())


def best_p_value(found: FormanOutcomes, better: str, worse: str) -> float:
    """That one weight is above another in F over problems, each at its best size."""
    a, b = (found.runs(name, "f1", found.best_size(name, "f1")).ravel() for name in (better, worse))
    return paired_t(a, b, alternative="greater").p_value


def cutoff_statements(cutoffs: Mapping[int, FormanOutcomes]) -> Iterator[Line]:
    """What section 5 says of rare words."""
    for goal in ("f1", "precision", "accuracy"):
        yield fall_statement(goal, cutoff_runs(cutoffs, goal))
    yield recall_statement(cutoff_runs(cutoffs, "recall"))


def cutoff_runs(cutoffs: Mapping[int, FormanOutcomes], goal: str) -> dict[int, Array]:
    """(problems,) of each cutoff."""
    return {cutoff: found.runs("bns", goal, TERMS).ravel() for cutoff, found in cutoffs.items()}


def fall_statement(goal: str, runs: Mapping[int, Array]) -> Line:
    """A goal tends to drop: the last cutoff is below the first, none above an earlier one, by the t test."""
    pairs = list(combinations(runs, 2))
    rises = holm([above_p_value(runs, later, earlier) for earlier, later in pairs])
    likeliest = int(np.argmin(rises))
    earlier, later = pairs[likeliest]
    fall = above_p_value(runs, CUTOFFS[0], CUTOFFS[-1])
    figure = (
        f"{told_means(runs)}; p {fall:.2g} that the last is below the first; "
        f"likeliest rise from {earlier} to {later}, p {rises[likeliest]:.2g}"
    )
    what = f"{goal} falls as the cutoff of rare words rises"
    return stated(WHERE, what, figure, [fall < LEVEL, bool(rises[likeliest] >= LEVEL)])


def recall_statement(runs: Mapping[int, Array]) -> Line:
    """Recall is highest at a cutoff of ten or a little less, above the first and the last, by the t test."""
    first, last = CUTOFFS[0], CUTOFFS[-1]
    most = max(runs, key=lambda cutoff: float(runs[cutoff].mean()))
    rise, fall = above_p_value(runs, most, first), above_p_value(runs, most, last)
    figure = (
        f"{told_means(runs)}; p {rise:.2g} that {most} is above {first}, {fall:.2g} that it is above {last}"
    )
    what = "recall rises a little up to a cutoff of about ten, then falls"
    return stated(WHERE, what, figure, [CUTOFFS[1] < most <= 10, rise < LEVEL, fall < LEVEL])


def told_means(runs: Mapping[int, Array]) -> str:
    """The mean of each cutoff."""
    return ", ".join(f"{cutoff}: {own.mean():.3f}" for cutoff, own in runs.items())


def above_p_value(runs: Mapping[int, Array], better: int, worse: int) -> float:
    """That one cutoff is above another over problems."""
    return paired_t(runs[better], runs[worse], alternative="greater").p_value
