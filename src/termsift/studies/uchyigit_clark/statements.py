"""The statements of the paper's sections 4 and 5, each with our figure.

The figures are curves over 10 to 1000 words without numbers. A method is best if its mean over all sizes is,
and wholly so if it is also the best at more than half of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.stats import spearmanr

from termsift._typing import Array
from termsift.studies.study import Line, stated
from termsift.studies.uchyigit_clark.outcomes import GOALS, UchyigitOutcomes

# what "similar", "no difference" and "as well as" are taken to mean: points of the measure
ALIKE = 0.01
LEAST_CORRELATION = 0.8
TEN = ("CHI", "NGL", "GSS", "MI", "IG", "OR", "WF", "Fisher", "BSS/WSS", "GU")


def uchyigit_statements(found: UchyigitOutcomes, read_as: Mapping[str, str]) -> list[Line]:
    """One line a statement: where, what, our figure, and whether it holds.

    read_as : which scores stand for a method of the paper, where it can be read in several ways
    """
    contest = TenMethods(found, read_as)
    by_goal = (*precision_statements(contest), *recall_statements(contest), *f_statements(contest))
    return [*by_goal, *conclusions(contest)]


@dataclass(frozen=True, slots=True, eq=False)
class TenMethods:
    """The ten methods of the paper, each in one reading."""

    found: UchyigitOutcomes
    read_as: Mapping[str, str]

    def curve(self, goal: str, method: str) -> Array:
        """(sizes,): what a method reaches."""
        return self.found.curve(goal, self.read_as.get(method, method))

    def of(self, goal: str, method: str) -> float:
        """The mean over sizes."""
        return self.found.level(goal, self.read_as.get(method, method))

    def order(self, goal: str) -> list[str]:
        """The ten by their means over sizes, the best first."""
        return sorted(TEN, key=lambda method: -self.of(goal, method))

    def often(self, goal: str, method: str, *, worst: bool = False) -> int:
        """At how many sizes a method is the best, or the worst."""
        curves = np.stack([self.curve(goal, name) for name in TEN])
        there = curves.argmin(axis=0) if worst else curves.argmax(axis=0)
        return int((there == TEN.index(method)).sum())

    def apart(self, goal: str, a: str, b: str) -> float:
        """The mean absolute difference of two curves."""
        return float(np.abs(self.curve(goal, a) - self.curve(goal, b)).mean())

    def shown(self, goal: str, n: int) -> str:
        """The n best with their means."""
        return self.named(goal, *self.order(goal)[:n])

    def named(self, goal: str, *methods: str) -> str:
        """Methods with their means over sizes."""
        return ", ".join(f"{method} {self.of(goal, method):.3f}" for method in methods)

    def place(self, goal: str, method: str) -> int:
        """The place of a method in a goal, 1 the best."""
        return self.order(goal).index(method) + 1

    def next_to(self, goal: str, first: tuple[str, str]) -> list[bool]:
        """Whether GU is below each of two methods, and above each of the others."""
        others = [name for name in TEN if name not in (*first, "GU")]
        mine = self.of(goal, "GU")
        below = [self.of(goal, name) > mine for name in first]
        return [*below, all(self.of(goal, name) < mine for name in others)]

    def p_of_gu(self, goal: str, other: str) -> float:
        """The p-value that the level of GU is not larger than another's."""
        gu, theirs = (self.read_as.get(method, method) for method in ("GU", other))
        return self.found.p_value(goal, gu, theirs)

    @property
    def sizes(self) -> int:
        """How many sizes there are."""
        return int(self.found.decisions.tp.shape[3])


def precision_statements(contest: TenMethods) -> Iterator[Line]:
    """Section 4, figure 1."""
    where, goal = "section 4, figure 1", "precision"
    what = "CHI and NGL are alike in precision"
    apart = contest.apart(goal, "CHI", "NGL")
    figure = f"{contest.named(goal, 'CHI', 'NGL')}; {apart:.3f} apart"
    yield stated(where, what, figure, [apart <= ALIKE])
    top = contest.order(goal)[:2]
    what = "CHI and NGL have the best precision"
    yield stated(where, what, contest.shown(goal, 6), ["CHI" in top, "NGL" in top])
    what = "GU is next in precision after CHI and NGL"
    yield stated(where, what, contest.shown(goal, 6), contest.next_to(goal, ("CHI", "NGL")))
    yield mi_is_worst(contest, where, goal, "MI has the worst precision")


def recall_statements(contest: TenMethods) -> Iterator[Line]:
    """Section 4, figure 2."""
    where, goal = "section 4, figure 2", "recall"
    top = contest.order(goal)[:2]
    what = "IG and GSS have the best recall"
    yield stated(where, what, contest.shown(goal, 4), ["IG" in top, "GSS" in top])
    what = "GU is next in recall after IG and GSS"
    yield stated(where, what, contest.shown(goal, 8), contest.next_to(goal, ("IG", "GSS")))


def f_statements(contest: TenMethods) -> Iterator[Line]:
    """Section 4, figures 3 and 4."""
    yield gu_is_best(contest, "section 4, figure 3", "f1")
    f1, f2 = ([contest.of(goal, method) for method in TEN] for goal in ("f1", "f2"))
    correlation = float(spearmanr(f1, f2).statistic)
    leaders = [contest.order(goal)[0] for goal in ("f1", "f2")]
    what = "F2 shows what F1 shows"
    figure = f"best {' and '.join(leaders)}; rank correlation {correlation:.2f}"
    parts = [leaders[0] == leaders[1], correlation >= LEAST_CORRELATION]
    yield stated("section 4, figure 4", what, figure, parts)


def conclusions(contest: TenMethods) -> Iterator[Line]:
    """Section 5."""
    where, f1 = "section 5", {method: contest.of("f1", method) for method in ("OR", "IG", "MI")}
    parts = [f1["OR"] > f1["IG"], f1["OR"] > f1["MI"]]
    yield stated(where, "OR is better in F1 than IG and MI", contest.named("f1", "OR", "IG", "MI"), parts)

    figure = "; ".join(f"{goal} {contest.place(goal, 'MI')}" for goal in GOALS)
    parts = [contest.order(goal)[-1] == "MI" for goal in GOALS]
    yield stated(where, "MI is the worst of all", f"its place among ten: {figure}", parts)

    apart = {goal: contest.apart(goal, "CHI", "NGL") for goal in GOALS}
    figure = ", ".join(f"{goal} {value:.3f}" for goal, value in apart.items())
    parts = [value <= ALIKE for value in apart.values()]
    yield stated(where, "NGL and CHI do not differ", f"apart by {figure}", parts)

    figure = "; ".join(f"{g} {contest.named(g, 'GSS', 'NGL', 'CHI')}" for g in ("f1", "f2"))
    parts = [contest.of(g, "GSS") <= contest.of(g, m) for g, m in product(("f1", "f2"), ("NGL", "CHI"))]
    yield stated(where, "GSS is no better than NGL and CHI", figure, parts)

    top = contest.order("f1")[:4]
    parts = [name in top for name in ("CHI", "GU", "BSS/WSS", "NGL")]
    what = "CHI, GU, BSS/WSS and NGL are the best with naive Bayes"
    yield stated(where, what, f"f1 {contest.shown('f1', 6)}", parts)
    yield from gu_statements(contest)


def gu_statements(contest: TenMethods) -> Iterator[Line]:
    """Section 5, on GU."""
    where, gu = "section 5", "GU"
    parts = [contest.order(goal)[0] == gu for goal in ("f1", "f2")]
    figure = "; ".join(f"{goal} {contest.shown(goal, 4)}" for goal in ("f1", "f2"))
    yield stated(where, "GU is best in F1 and F2", figure, parts)

    figure = "; ".join(f"{goal} {contest.named(goal, gu, 'CHI')}" for goal in ("f1", "f2"))
    parts = [contest.of(goal, gu) >= contest.of(goal, "CHI") - ALIKE for goal in ("f1", "f2")]
    yield stated(where, "GU does as well as CHI", figure, parts)

    pairs = list(product(("f1", "f2"), ("OR", "IG")))
    figure = "; ".join(f"{goal} {contest.named(goal, gu, 'OR', 'IG')}" for goal in ("f1", "f2"))
    p = ", ".join(f"{goal} {name} {contest.p_of_gu(goal, name):.2g}" for goal, name in pairs)
    parts = [contest.of(goal, gu) > contest.of(goal, name) for goal, name in pairs]
    yield stated(where, "GU is better than OR and IG", f"{figure}; p {p}", parts)


def gu_is_best(contest: TenMethods, where: str, goal: str) -> Line:
    """Whether GU is the best in a goal, with the p-value against the best of the others."""
    order = contest.order(goal)
    other = next(name for name in order if name != "GU")
    often, p = contest.often(goal, "GU"), contest.p_of_gu(goal, other)
    figure = f"{contest.shown(goal, 4)}; {contest.named(goal, 'GU')}, "
    figure += f"best at {often} of {contest.sizes} sizes; p above {other} {p:.2g}"
    parts = [order[0] == "GU", often > contest.sizes / 2]
    return stated(where, f"GU has the best {goal.upper()}", figure, parts)


def mi_is_worst(contest: TenMethods, where: str, goal: str, what: str) -> Line:
    """Whether MI is the worst in a goal."""
    often = contest.often(goal, "MI", worst=True)
    order = contest.order(goal)
    figure = f"{contest.named(goal, 'MI')}, {contest.place(goal, 'MI')} of {len(order)}, "
    figure += f"worst at {often} of {contest.sizes} sizes; least {contest.named(goal, order[-1])}"
    return stated(where, what, figure, [order[-1] == "MI", often > contest.sizes / 2])
