"""Statements of the paper's sections 4 and 5 that these problems can check, each with our figure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from termsift.studies.forman2003.asked import LEVEL, NAMES, Asked, lead, leader, shown, span
from termsift.studies.forman2003.outcomes import GOALS, Outcomes
from termsift.studies.forman2003.trials import METRICS, SIZES
from termsift.studies.lines import Line, stated

# what "by far", "substantially" and "a little" are taken to mean: points of the measure
FAR, LITTLE = 0.01, 0.005
BEST_PAIRS = {
    "precision": {"bns", "odds"},
    "recall": {"bns", "f1"},
    "f1": {"bns", "ig"},
    "accuracy": {"bns", "oddn"},
}


def statements(found: Outcomes) -> list[Line]:
    """One line a statement: where, what, our figure, and whether it holds."""
    asked = Asked(found)
    skewed = skew(asked) if found.subset("high skew").any() else iter(())
    return [
        *averages(asked),
        *accuracy(asked),
        *tradeoffs(asked),
        *skewed,
        *chances(asked),
        *residuals(asked),
        gain(asked),
    ]


def averages(asked: Asked) -> Iterator[Line]:
    """Section 4, figure 4."""
    where, best = "section 4", asked.best("f1")
    everything = asked.found.macro_of_all_terms("f1")
    above = {metric for metric, value in best.items() if value > everything}
    what = "only BNS, and IG a little, are better in F than all terms"
    yield stated(
        where, what, f"all terms {everything:.3f}; {shown(best)}", ["bns" in above, above <= {"bns", "ig"}]
    )

    many = {size: asked.every("f1", size) for size in (500, 1000)}
    figure = "; ".join(f"{size}: {shown(values, 3)}" for size, values in many.items())
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

    few = {size: asked.every("f1", size) for size in (20, 50)}
    figure = "; ".join(f"{size}: {shown(values, 3)}" for size, values in few.items())
    parts = [leader(values) in ("ig", "acc2") for values in few.values()]
    yield stated(where, "at 20 and 50 terms IG is best in F, or Acc2", figure, parts)

    for better, worse in (("acc2", "acc"), ("ig", "chi2")):
        gains = asked.by_size(better, "f1") - asked.by_size(worse, "f1")
        what = f"{NAMES[better]} is better in F than {NAMES[worse]} at every size"
        yield stated(where, what, span(gains), (gains > 0).tolist())


def accuracy(asked: Asked) -> Iterator[Line]:
    """Section 4, on accuracy."""
    many = {size: asked.every("accuracy", size) for size in (500, 1000, 2000)}
    parts = []
    for size, values in many.items():
        second = leader({metric: value for metric, value in values.items() if metric != "bns"})
        parts.append(leader(values) == "bns" and asked.p_values("bns", second, "accuracy", size)[0] < LEVEL)
    figure = "; ".join(f"{size}: {shown(values, 2)}" for size, values in many.items())
    yield stated("section 4", "BNS is best in accuracy with many terms, significantly", figure, parts)
    few = {size: asked.every("accuracy", size) for size in (10, 20, 50, 100)}
    figure = "; ".join(f"{size}: {shown(values, 2)}" for size, values in few.items())
    parts = [leader(values) == "ig" for values in few.values()]
    yield stated("section 4", "at 100 terms and fewer IG is best in accuracy", figure, parts)


def tradeoffs(asked: Asked) -> Iterator[Line]:
    """Section 4, figure 5: precision against recall."""
    recall, precision = asked.every("recall", 1000), asked.every("precision", 1000)
    parts = [leader(recall) == "bns", lead(recall) > FAR]
    yield stated("section 4", "at 1000 terms BNS has by far the highest recall", shown(recall), parts)
    top = sorted(precision, key=lambda metric: -precision[metric])[:2]
    parts = ["ig" in top, "chi2" in top]
    yield stated("section 4", "at 1000 terms IG and Chi have the highest precision", shown(precision), parts)
    few = {size: asked.every("precision", size) for size in SIZES.tolist() if size <= 500}
    figure = "; ".join(f"{size}: {shown(values, 2)}" for size, values in few.items())
    parts = [leader(values) == "ig" for values in few.values()]
    yield stated("section 4", "at 500 terms and fewer IG has the highest precision", figure, parts)


def skew(asked: Asked) -> Iterator[Line]:
    """Section 4.1, figures 7 and 8."""
    where, low, high = "section 4.1", "low skew", "high skew"
    everything, best = asked.found.macro_of_all_terms("f1", low), asked.best("f1", low)
    above = {metric for metric, value in best.items() if value > everything + LITTLE}
    what = "at low skew BNS alone is better in F than all terms by a margin"
    yield stated(where, what, f"all terms {everything:.3f}; {shown(best)}", [above == {"bns"}])

    few = {size: (asked.of("ig", "f1", size, low), asked.of("bns", "f1", size, low)) for size in (10, 20, 50)}
    figure = "; ".join(f"{size}: IG {ig:.3f}, BNS {bns:.3f}" for size, (ig, bns) in few.items())
    parts = [ig > bns for ig, bns in few.values()]
    yield stated(where, "at low skew and few terms IG is better in F than BNS", figure, parts)

    leaders = [leader(asked.every("f1", size, high)) for size in SIZES.tolist()]
    figure = f"leaders {', '.join(NAMES[metric] for metric in leaders)}; best {shown(asked.best('f1', high))}"
    yield stated(where, "at high skew BNS is best in F at every size", figure, [m == "bns" for m in leaders])

    margin = {group: ahead(asked.best("f1", group)) for group in (low, high)}
    figure = ", ".join(f"{group} {value:+.3f}" for group, value in margin.items())
    yield stated(where, "the margin of BNS in F is wider at high skew", figure, [margin[high] > margin[low]])

    for group, better, worse in ((low, "ig", "bns"), (high, "bns", "ig")):
        gains = asked.by_size(better, "precision", group) - asked.by_size(worse, "precision", group)
        what = f"at {group} {NAMES[better]} is more precise than {NAMES[worse]}"
        yield stated(where, what, span(gains), (gains > 0).tolist())


def ahead(values: dict[str, float]) -> float:
    """By how much BNS is above the best of the others."""
    return values["bns"] - max(value for metric, value in values.items() if metric != "bns")


def chances(asked: Asked) -> Iterator[Line]:
    """Section 4.2, figures 9 and 10a."""
    where, f1 = "section 4.2", asked.share("f1")
    parts = [leader(f1) == "bns", abs(f1["bns"] - 0.65) < 0.1, abs(f1["ig"] - 0.4) < 0.1]
    yield stated(where, "BNS is within 1 % of the best F on 65 % of problems, IG on 40 %", shown(f1), parts)
    for goal in ("recall", "accuracy"):
        shares = asked.share(goal)
        yield stated(
            where, f"BNS is the likeliest to be best in {goal}", shown(shares), [leader(shares) == "bns"]
        )
    precision = asked.share("precision")
    wide = [leader(asked.share("precision", percent / 100)) for percent in range(2, 11)]
    figure = f"1 %: {shown(precision)}; 2 to 10 %: {', '.join(NAMES[metric] for metric in wide)}"
    parts = [leader(precision) == "ig", all(metric == "ig" for metric in wide)]
    yield stated(where, "IG is the likeliest to be best in precision", figure, parts)
    rand = asked.share("precision", 0.1)["rand"]
    what = "Rand is within 10 % of the best precision on less than half of the problems"
    yield stated(where, what, f"{rand:.3f}", [rand < 0.5])


def residuals(asked: Asked) -> Iterator[Line]:
    """Section 4.2.1, figure 10b."""
    where, won = "section 4.2.1", asked.won("precision")
    failures = won[~won[:, METRICS.index("ig")]]
    left = dict(zip(METRICS, failures.mean(axis=0).tolist(), strict=True)) if len(failures) else {}
    if left:
        what = "where IG fails in precision, BNS is the best second choice"
        yield stated(where, what, shown(left), [leader(left) == "bns"])
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


def gain(asked: Asked) -> Line:
    """Section 5."""
    gains = {goal: asked.best(goal)["bns"] - asked.found.macro_of_all_terms(goal) for goal in GOALS}
    figure = ", ".join(f"{goal} {value:+.3f}" for goal, value in gains.items())
    what = "BNS at its best size is better than all terms in F, recall and accuracy"
    return stated("section 5", what, figure, [gains[goal] > 0 for goal in ("f1", "recall", "accuracy")])
