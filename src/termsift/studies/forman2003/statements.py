"""Statements of the paper's sections 4 and 5 that these problems can check, each with our figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from termsift._typing import Array
from termsift.evaluation import paired_t, wilcoxon
from termsift.evaluation.chances import gaps
from termsift.studies.forman2003.outcomes import GOALS, FormanOutcomes
from termsift.studies.forman2003.trials import METRICS, SIZES
from termsift.studies.lines import Line, stated

PRINTED = ("Acc", "Acc2", "BNS", "Chi", "DFreq", "F1", "IG", "Odds", "OddN", "Pow", "PR", "Rand")
NAMES = dict(zip(METRICS, PRINTED, strict=True))
# within how much of the best a metric wins; the skew compresses the range of accuracy
TOLERANCE = {"f1": 0.01, "precision": 0.01, "recall": 0.01, "accuracy": 0.001}
LEVEL = 0.01
# what "by far", "substantially" and "a little" are taken to mean: points of the measure
FAR, LITTLE = 0.01, 0.005
BEST_PAIRS = {
    "precision": {"bns", "odds"},
    "recall": {"bns", "f1"},
    "f1": {"bns", "ig"},
    "accuracy": {"bns", "oddn"},
}


@dataclass(frozen=True, slots=True, eq=False)
class FormanAnswers:
    """Averages, leaders, tests and wins."""

    found: FormanOutcomes

    def of(self, metric: str, goal: str, size: int, subset: str = "all") -> float:
        """A macro-average."""
        return float(self.found.macro(goal, subset)[METRICS.index(metric), SIZES.tolist().index(size)])

    def every(self, goal: str, size: int, subset: str = "all") -> dict[str, float]:
        """The macro-average of each metric at a size."""
        return {metric: self.of(metric, goal, size, subset) for metric in METRICS}

    def best(self, goal: str, subset: str = "all") -> dict[str, float]:
        """The best macro-average of each metric over sizes."""
        return dict(zip(METRICS, self.found.macro(goal, subset).max(axis=1).tolist(), strict=True))

    def by_size(self, metric: str, goal: str, subset: str = "all") -> Array:
        """(sizes,): the macro-averages of a metric."""
        values: Array = self.found.macro(goal, subset)[METRICS.index(metric)]
        return values

    def runs(self, metric: str, goal: str, size: int) -> Array:
        """(problems, trials) of a metric at a size."""
        values: Array = self.found.values[goal][:, :, METRICS.index(metric), SIZES.tolist().index(size)]
        return values

    def p_values(self, better: str, worse: str, goal: str, size: int) -> tuple[float, float]:
        """Of the t test over runs, which is the paper's, and of Wilcoxon's over problems."""
        a, b = self.runs(better, goal, size), self.runs(worse, goal, size)
        over_runs = paired_t(a.ravel(), b.ravel(), alternative="greater").p_value
        return over_runs, wilcoxon(a.mean(axis=1), b.mean(axis=1), alternative="greater").p_value

    def won(self, goal: str, tolerance: float | None = None) -> Array:
        """(problems, metrics): whether a metric comes within a tolerance of the best average maximum."""
        within = TOLERANCE[goal] if tolerance is None else tolerance
        won: Array = gaps(self.found.maxima(goal), relative=False) <= within
        return won

    def share(self, goal: str, tolerance: float | None = None) -> dict[str, float]:
        """The share of problems that each metric wins."""
        return dict(zip(METRICS, self.won(goal, tolerance).mean(axis=0).tolist(), strict=True))


def leader(values: dict[str, float]) -> str:
    """The metric of the largest value."""
    return max(values, key=lambda metric: values[metric])


def lead(values: dict[str, float]) -> float:
    """By how much the largest value is above the second."""
    return float(np.diff(sorted(values.values()))[-1])


def best_shown(values: dict[str, float], n: int = 4) -> str:
    """The n largest with their names, the largest first."""
    order = sorted(values, key=lambda metric: -values[metric])[:n]
    return ", ".join(f"{NAMES[metric]} {values[metric]:.3f}" for metric in order)


def span_shown(values: Sequence[float] | Array) -> str:
    """The smallest and the largest difference."""
    return f"difference {min(values):+.3f} to {max(values):+.3f}"


def forman_statements(found: FormanOutcomes) -> list[Line]:
    """One line a statement: where, what, our figure, and whether it holds."""
    asked = FormanAnswers(found)
    skewed = skew_statements(asked) if found.subset("high skew").any() else iter(())
    return [
        *average_statements(asked),
        *few_terms_statements(asked),
        *accuracy_statements(asked),
        *tradeoff_statements(asked),
        *skewed,
        *chance_statements(asked),
        *residual_statements(asked),
        gain_statement(asked),
    ]


def average_statements(asked: FormanAnswers) -> Iterator[Line]:
    """Section 4, figure 4."""
    where, best = "section 4", asked.best("f1")
    everything = asked.found.macro_of_all_terms("f1")
    above = {metric for metric, value in best.items() if value > everything}
    what = "only BNS, and IG a little, are better in F than all terms"
    yield stated(
        where,
        what,
        f"all terms {everything:.3f}; {best_shown(best)}",
        ["bns" in above, above <= {"bns", "ig"}],
    )

    many = {size: asked.every("f1", size) for size in (500, 1000)}
    figure = "; ".join(f"{size}: {best_shown(values, 3)}" for size, values in many.items())
    parts = [leader(values) == "bns" and lead(values) > FAR for values in many.values()]
    yield stated(where, "BNS is best in F by far at 500 and 1000 terms", figure, parts)

    over_runs, over_problems = asked.p_values("bns", "ig", "f1", 100)
    bns, ig = asked.of("bns", "f1", 100), asked.of("ig", "f1", 100)
    figure = f"BNS {bns:.3f}, IG {ig:.3f}; p {over_runs:.2g} over runs, {over_problems:.2g} over problems"
    yield stated(
        where, "BNS is above IG in F at 100 terms, significantly", figure, [bns > ig, over_runs < LEVEL]
    )

    curve = asked.by_size("bns", "f1")
    figure = ", ".join(
        f"{size}: {value:.3f}" for size, value in zip(SIZES.tolist(), curve.tolist(), strict=True)
    )
    yield stated(where, "F of BNS falls from about 2000 terms on", figure, [bool(curve[-1] < curve.max())])


def few_terms_statements(asked: FormanAnswers) -> Iterator[Line]:
    """Section 4, figure 4: with few terms, and at every size."""
    where = "section 4"
    few = {size: asked.every("f1", size) for size in (20, 50)}
    figure = "; ".join(f"{size}: {best_shown(values, 3)}" for size, values in few.items())
    parts = [leader(values) in ("ig", "acc2") for values in few.values()]
    yield stated(where, "at 20 and 50 terms IG is best in F, or Acc2", figure, parts)

    for better, worse in (("acc2", "acc"), ("ig", "chi2")):
        gains = asked.by_size(better, "f1") - asked.by_size(worse, "f1")
        what = f"{NAMES[better]} is better in F than {NAMES[worse]} at every size"
        yield stated(where, what, span_shown(gains), (gains > 0).tolist())


def accuracy_statements(asked: FormanAnswers) -> Iterator[Line]:
    """Section 4, on accuracy."""
    many = {size: asked.every("accuracy", size) for size in (500, 1000, 2000)}
    parts = []
    for size, values in many.items():
        second = leader({metric: value for metric, value in values.items() if metric != "bns"})
        parts.append(leader(values) == "bns" and asked.p_values("bns", second, "accuracy", size)[0] < LEVEL)
    figure = "; ".join(f"{size}: {best_shown(values, 2)}" for size, values in many.items())
    yield stated("section 4", "BNS is best in accuracy with many terms, significantly", figure, parts)
    few = {size: asked.every("accuracy", size) for size in (10, 20, 50, 100)}
    figure = "; ".join(f"{size}: {best_shown(values, 2)}" for size, values in few.items())
    parts = [leader(values) == "ig" for values in few.values()]
    yield stated("section 4", "at 100 terms and fewer IG is best in accuracy", figure, parts)


def tradeoff_statements(asked: FormanAnswers) -> Iterator[Line]:
    """Section 4, figure 5: precision against recall."""
    recall, precision = asked.every("recall", 1000), asked.every("precision", 1000)
    parts = [leader(recall) == "bns", lead(recall) > FAR]
    yield stated("section 4", "at 1000 terms BNS has by far the highest recall", best_shown(recall), parts)
    top = sorted(precision, key=lambda metric: -precision[metric])[:2]
    parts = ["ig" in top, "chi2" in top]
    yield stated(
        "section 4", "at 1000 terms IG and Chi have the highest precision", best_shown(precision), parts
    )
    few = {size: asked.every("precision", size) for size in SIZES.tolist() if size <= 500}
    figure = "; ".join(f"{size}: {best_shown(values, 2)}" for size, values in few.items())
    parts = [leader(values) == "ig" for values in few.values()]
    yield stated("section 4", "at 500 terms and fewer IG has the highest precision", figure, parts)


def skew_statements(asked: FormanAnswers) -> Iterator[Line]:
    """Section 4.1, figures 7 and 8."""
    where, low, high = "section 4.1", "low skew", "high skew"
    everything, best = asked.found.macro_of_all_terms("f1", low), asked.best("f1", low)
    above = {metric for metric, value in best.items() if value > everything + LITTLE}
    what = "at low skew BNS alone is better in F than all terms by a margin"
    yield stated(where, what, f"all terms {everything:.3f}; {best_shown(best)}", [above == {"bns"}])

    few = {size: (asked.of("ig", "f1", size, low), asked.of("bns", "f1", size, low)) for size in (10, 20, 50)}
    figure = "; ".join(f"{size}: IG {ig:.3f}, BNS {bns:.3f}" for size, (ig, bns) in few.items())
    parts = [ig > bns for ig, bns in few.values()]
    yield stated(where, "at low skew and few terms IG is better in F than BNS", figure, parts)

    leaders = [leader(asked.every("f1", size, high)) for size in SIZES.tolist()]
    figure = (
        f"leaders {', '.join(NAMES[metric] for metric in leaders)}; best {best_shown(asked.best('f1', high))}"
    )
    yield stated(where, "at high skew BNS is best in F at every size", figure, [m == "bns" for m in leaders])

    margin = {group: lead_of_bns(asked.best("f1", group)) for group in (low, high)}
    figure = ", ".join(f"{group} {value:+.3f}" for group, value in margin.items())
    yield stated(where, "the margin of BNS in F is wider at high skew", figure, [margin[high] > margin[low]])

    for group, better, worse in ((low, "ig", "bns"), (high, "bns", "ig")):
        gains = asked.by_size(better, "precision", group) - asked.by_size(worse, "precision", group)
        what = f"at {group} {NAMES[better]} is more precise than {NAMES[worse]}"
        yield stated(where, what, span_shown(gains), (gains > 0).tolist())


def lead_of_bns(values: dict[str, float]) -> float:
    """By how much BNS is above the best of the others."""
    return values["bns"] - max(value for metric, value in values.items() if metric != "bns")


def chance_statements(asked: FormanAnswers) -> Iterator[Line]:
    """Section 4.2, figures 9 and 10a."""
    where, f1 = "section 4.2", asked.share("f1")
    parts = [leader(f1) == "bns", abs(f1["bns"] - 0.65) < 0.1, abs(f1["ig"] - 0.4) < 0.1]
    yield stated(
        where, "BNS is within 1 % of the best F on 65 % of problems, IG on 40 %", best_shown(f1), parts
    )
    for goal in ("recall", "accuracy"):
        shares = asked.share(goal)
        yield stated(
            where, f"BNS is the likeliest to be best in {goal}", best_shown(shares), [leader(shares) == "bns"]
        )
    precision = asked.share("precision")
    wide = [leader(asked.share("precision", percent / 100)) for percent in range(2, 11)]
    figure = f"1 %: {best_shown(precision)}; 2 to 10 %: {', '.join(NAMES[metric] for metric in wide)}"
    parts = [leader(precision) == "ig", all(metric == "ig" for metric in wide)]
    yield stated(where, "IG is the likeliest to be best in precision", figure, parts)
    rand = asked.share("precision", 0.1)["rand"]
    what = "Rand is within 10 % of the best precision on less than half of the problems"
    yield stated(where, what, f"{rand:.3f}", [rand < 0.5])


def residual_statements(asked: FormanAnswers) -> Iterator[Line]:
    """Section 4.2.1, figure 10b."""
    where, won = "section 4.2.1", asked.won("precision")
    failures = won[~won[:, METRICS.index("ig")]]
    left = dict(zip(METRICS, failures.mean(axis=0).tolist(), strict=True)) if len(failures) else {}
    if left:
        what = "where IG fails in precision, BNS is the best second choice"
        yield stated(where, what, best_shown(left), [leader(left) == "bns"])
        what = "where IG fails in precision, Chi does no better than Rand"
        yield stated(
            where, what, f"Chi {left['chi2']:.3f}, Rand {left['rand']:.3f}", [left["chi2"] <= left["rand"]]
        )
    for goal, pair in BEST_PAIRS.items():
        wins = dict(zip(METRICS, asked.won(goal).T, strict=True))
        either = {two: float((wins[two[0]] | wins[two[1]]).mean()) for two in combinations(METRICS, 2)}
        top = max(either, key=lambda two: either[two])
        own = next(share for two, share in either.items() if set(two) == pair)
        figure = f"{NAMES[top[0]]} and {NAMES[top[1]]} {either[top]:.3f}; the paper's pair {own:.3f}"
        what = f"the best pair in {goal} is {' and '.join(NAMES[m] for m in METRICS if m in pair)}"
        yield stated(where, what, figure, [set(top) == pair, "bns" in top])


def gain_statement(asked: FormanAnswers) -> Line:
    """Section 5."""
    gains = {goal: asked.best(goal)["bns"] - asked.found.macro_of_all_terms(goal) for goal in GOALS}
    figure = ", ".join(f"{goal} {value:+.3f}" for goal, value in gains.items())
    what = "BNS at its best size is better than all terms in F, recall and accuracy"
    return stated("section 5", what, figure, [gains[goal] > 0 for goal in ("f1", "recall", "accuracy")])
