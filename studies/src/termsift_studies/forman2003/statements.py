"""Statements of the paper's sections 4 and 5 that these problems can check, each with our figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
from scipy.stats import binomtest

from termsift_studies.forman2003.trials import GOALS, METRICS, SIZES, FormanOutcomes
from termsift_studies.study import Line, check

PRINTED = ("Acc", "Acc2", "BNS", "Chi", "DFreq", "F1", "IG", "Odds", "OddN", "Pow", "PR", "Rand")
NAMES = dict(zip(METRICS, PRINTED, strict=True))
LEVEL = 0.01
# what "by far", "substantially" and "a little" are taken to mean: points of the measure
FAR, LITTLE = 0.01, 0.005
BEST_PAIRS = {
    "precision": {"bns", "odds"}, "recall": {"bns", "f1"}, "f1": {"bns", "ig"}, "accuracy": {"bns", "oddn"},
}  # fmt: skip


def leader(values: dict[str, float]) -> str:
    """Return the metric with the largest value."""
    return max(values, key=lambda metric: values[metric])


def lead(values: dict[str, float]) -> float:
    """Return the difference between the largest and the second largest value."""
    return float(np.diff(sorted(values.values()))[-1])


def format_best(values: dict[str, float], n: int = 4) -> str:
    """Format the n largest values with their names, largest first."""
    order = sorted(values, key=lambda metric: -values[metric])[:n]
    return ", ".join(f"{NAMES[metric]} {values[metric]:.3f}" for metric in order)


def check_leaders(
    outcomes: FormanOutcomes,
    claim: str,
    goal: str,
    sizes: Sequence[int],
    leaders: Sequence[str],
    n: int = 2,
    where: str = "section 4",
    subset: str = "all",
) -> Line:
    """Check that one of the given metrics is the best in a goal at each of the given sizes.

    It holds at a size unless another metric is significantly above the best of them.
    """
    checks, figures = [], []
    for size in sizes:
        values = outcomes.every(goal, size, subset)
        top, best_leader = leader(values), max(leaders, key=lambda metric: values[metric])
        # without a leader among the expected metrics, the t test decides whether the loss is significant
        p = 0.0 if top in leaders else outcomes.p_values(top, best_leader, goal, size, subset)[0]
        checks.append(top in leaders or p >= LEVEL)
        above = "" if top in leaders else f", p {p:.2g} that {NAMES[top]} is above {NAMES[best_leader]}"
        figures.append(f"{size}: {format_best(values, n)}{above}")
    return check(where, claim, "; ".join(figures), checks)


def check_gains(
    outcomes: FormanOutcomes,
    where: str,
    claim: str,
    goal: str,
    methods: tuple[str, str],
    subset: str = "all",
) -> Line:
    """Check that one metric is better in a goal than another at every size."""
    better, worse = (outcomes.by_size(method, goal, subset) for method in methods)
    gains = better - worse
    figure = f"difference {min(gains):+.3f} to {max(gains):+.3f}"
    text = claim.format(*(NAMES[method] for method in methods))
    return check(where, text, figure, (gains > 0).tolist())


def forman_statements(outcomes: FormanOutcomes) -> list[Line]:
    """Check all statements: section, statement, our figure and verdict."""
    skewed = skew_statements(outcomes) if outcomes.subset("high skew").any() else iter(())
    return [
        *average_statements(outcomes),
        *few_terms_statements(outcomes),
        *accuracy_statements(outcomes),
        *tradeoff_statements(outcomes),
        *skewed,
        *chance_statements(outcomes),
        *residual_statements(outcomes),
        gain_statement(outcomes),
    ]


def average_statements(outcomes: FormanOutcomes) -> Iterator[Line]:
    """Check section 4, figure 4."""
    where, best = "section 4", outcomes.best("f1")
    everything = outcomes.macro_of_all_terms("f1")
    above = {metric for metric, value in best.items() if value > everything}
    claim = "only BNS, and IG a little, are better in F than all terms"
    figure = f"all terms {everything:.3f}; {format_best(best)}"
    yield check(where, claim, figure, ["bns" in above, above <= {"bns", "ig"}])

    many = {size: outcomes.every("f1", size) for size in (500, 1000)}
    figure = "; ".join(f"{size}: {format_best(values, 3)}" for size, values in many.items())
    checks = [leader(values) == "bns" and lead(values) > FAR for values in many.values()]
    yield check(where, "BNS is best in F by far at 500 and 1000 terms", figure, checks)

    # the paper tests over runs, which are not independent; the test over problems is stricter
    over_runs, over_problems = outcomes.p_values("bns", "ig", "f1", 100)
    bns, ig = outcomes.of("bns", "f1", 100), outcomes.of("ig", "f1", 100)
    figure = f"BNS {bns:.3f}, IG {ig:.3f}; p {over_runs:.2g} over runs, {over_problems:.2g} over problems"
    claim, checks = "BNS is above IG in F at 100 terms, significantly", [bns > ig, over_runs < LEVEL]
    yield check(where, claim, figure, checks)

    curve = outcomes.by_size("bns", "f1")
    by_size = zip(SIZES.tolist(), curve.tolist(), strict=True)
    figure = ", ".join(f"{size}: {value:.3f}" for size, value in by_size)
    yield check(where, "F of BNS falls from about 2000 terms on", figure, [bool(curve[-1] < curve.max())])


def few_terms_statements(outcomes: FormanOutcomes) -> Iterator[Line]:
    """Check section 4, figure 4, with few terms and at every size."""
    claim = "at 20 and 50 terms IG is best in F, or Acc2"
    yield check_leaders(outcomes, claim, "f1", (20, 50), ("ig", "acc2"), 3)
    for methods in (("acc2", "acc"), ("ig", "chi2")):
        yield check_gains(outcomes, "section 4", "{} is better in F than {} at every size", "f1", methods)


def accuracy_statements(outcomes: FormanOutcomes) -> Iterator[Line]:
    """Check section 4 on accuracy."""
    many = {size: outcomes.every("accuracy", size) for size in (500, 1000, 2000)}
    checks = []
    for size, values in many.items():
        rival = leader({metric: value for metric, value in values.items() if metric != "bns"})
        p = outcomes.p_values("bns", rival, "accuracy", size)[0]
        checks.append(leader(values) == "bns" and p < LEVEL)
    figure = "; ".join(f"{size}: {format_best(values, 2)}" for size, values in many.items())
    yield check("section 4", "BNS is best in accuracy with many terms, significantly", figure, checks)
    claim = "at 100 terms and fewer IG is best in accuracy"
    yield check_leaders(outcomes, claim, "accuracy", (10, 20, 50, 100), ("ig",))


def tradeoff_statements(outcomes: FormanOutcomes) -> Iterator[Line]:
    """Check section 4, figure 5: precision against recall."""
    recall, precision = outcomes.every("recall", 1000), outcomes.every("precision", 1000)
    checks = [leader(recall) == "bns", lead(recall) > FAR]
    yield check("section 4", "at 1000 terms BNS has by far the highest recall", format_best(recall), checks)
    top = sorted(precision, key=lambda metric: -precision[metric])[:2]
    checks = ["ig" in top, "chi2" in top]
    claim = "at 1000 terms IG and Chi have the highest precision"
    yield check("section 4", claim, format_best(precision), checks)
    claim = "at 500 terms and fewer IG has the highest precision"
    yield check_leaders(outcomes, claim, "precision", SIZES[SIZES <= 500].tolist(), ("ig",))


def skew_statements(outcomes: FormanOutcomes) -> Iterator[Line]:
    """Check section 4.1, figures 7 and 8."""
    where, low, high = "section 4.1", "low skew", "high skew"
    everything, best = outcomes.macro_of_all_terms("f1", low), outcomes.best("f1", low)
    above = {metric for metric, value in best.items() if value > everything + LITTLE}
    claim = "at low skew BNS alone is better in F than all terms by a margin"
    yield check(where, claim, f"all terms {everything:.3f}; {format_best(best)}", [above == {"bns"}])

    few = {size: [outcomes.of(m, "f1", size, low) for m in ("ig", "bns")] for size in (10, 20, 50)}
    figure = "; ".join(f"{size}: IG {ig:.3f}, BNS {bns:.3f}" for size, (ig, bns) in few.items())
    checks = [ig > bns for ig, bns in few.values()]
    yield check(where, "at low skew and few terms IG is better in F than BNS", figure, checks)

    by_size = {group: bns_leads(outcomes, group) for group in (low, high)}
    every = {size: outcomes.every("f1", size, high) for size in SIZES.tolist()}
    figure = "; ".join(f"{size}: {format_best(values, 2)}" for size, values in every.items())
    checks = [bns_lead > threshold for bns_lead in by_size[high] for threshold in (0, FAR)]
    yield check(where, "at high skew BNS is best in F by a wide margin at every size", figure, checks)
    yield margin_statement(by_size)

    for group, methods in ((low, ("ig", "bns")), (high, ("bns", "ig"))):
        claim = f"at {group} {{}} is more precise than {{}}"
        yield check_gains(outcomes, where, claim, "precision", methods, group)


def bns_leads(outcomes: FormanOutcomes, subset: str) -> list[float]:
    """Return the difference in F between BNS and the best of the others at each size."""
    every = [outcomes.every("f1", size, subset) for size in SIZES.tolist()]
    return [values["bns"] - max(f1 for metric, f1 in values.items() if metric != "bns") for values in every]


def margin_statement(leads: Mapping[str, Sequence[float]]) -> Line:
    """Check the abstract on the mean lead of BNS at low and at high skew."""
    figure = ", ".join(
        f"{group} {np.mean(size_leads):+.3f} ({min(size_leads):+.3f} to {max(size_leads):+.3f})"
        for group, size_leads in leads.items()
    )
    low, high = (float(np.mean(size_leads)) for size_leads in leads.values())
    claim = "the margin of BNS in F is wider at high skew"
    return check("abstract", claim, f"mean lead over sizes {figure}", [high > low])


def chance_statements(outcomes: FormanOutcomes) -> Iterator[Line]:
    """Check section 4.2, figures 9 and 10a."""
    where, f1 = "section 4.2", outcomes.share("f1")
    checks = [leader(f1) == "bns", abs(f1["bns"] - 0.65) < 0.1, abs(f1["ig"] - 0.4) < 0.1]
    claim = "BNS is within 1 % of the best F on 65 % of problems, IG on 40 %"
    yield check(where, claim, format_best(f1), checks)
    for goal in ("recall", "accuracy"):
        shares = outcomes.share(goal)
        claim = f"BNS is the likeliest to be best in {goal}"
        yield check(where, claim, format_best(shares), [leader(shares) == "bns"])
    precision = outcomes.share("precision")
    wide = [leader(outcomes.share("precision", percent / 100)) for percent in range(2, 11)]
    figure = f"1 %: {format_best(precision)}; 2 to 10 %: {', '.join(NAMES[metric] for metric in wide)}"
    checks = [leader(precision) == "ig", all(metric == "ig" for metric in wide)]
    yield check(where, "IG is the likeliest to be best in precision", figure, checks)
    # the sentence names no tolerance; figure 10a has 1 to 10 %
    rand = {percent: outcomes.share("precision", percent / 100)["rand"] for percent in range(1, 11)}
    claim = "Rand is near the best precision on less than half of the problems, at each tolerance"
    figure = ", ".join(f"{percent} %: {share:.3f}" for percent, share in rand.items())
    yield check(where, claim, figure, [share < 0.5 for share in rand.values()])


def residual_statements(outcomes: FormanOutcomes) -> Iterator[Line]:
    """Check section 4.2.1, figure 10b."""
    where, won = "section 4.2.1", outcomes.won("precision")
    # residual analysis: only the problems on which IG is not within the tolerance of the best
    failures = won[~won[:, METRICS.index("ig")]]
    residual = dict(zip(METRICS, failures.mean(axis=0).tolist(), strict=True)) if len(failures) else {}
    if residual:
        claim = "where IG fails in precision, BNS is the best second choice"
        yield check(where, claim, format_best(residual), [leader(residual) == "bns"])
        candidates = {metric: share for metric, share in residual.items() if metric not in ("ig", "rand")}
        lowest = min(candidates, key=lambda metric: candidates[metric])
        claim = "where IG fails in precision, Chi fails most often of all but Rand"
        figure = f"Chi {residual['chi2']:.3f}, least {NAMES[lowest]} {residual[lowest]:.3f}"
        yield check(where, claim, figure, [residual["chi2"] == residual[lowest]])
        chi, rand = (failures[:, METRICS.index(metric)] for metric in ("chi2", "rand"))
        p = sign_test(int((chi & ~rand).sum()), int((rand & ~chi).sum()))
        claim = "where IG fails in precision, Chi is as bad as Rand"
        figure = f"Chi {residual['chi2']:.3f}, Rand {residual['rand']:.3f}; p {p:.2g} that they differ"
        yield check(where, claim, figure, [p >= LEVEL])
    for goal, pair in BEST_PAIRS.items():
        wins = dict(zip(METRICS, outcomes.won(goal).T, strict=True))
        # a pair wins a problem if either of its metrics does
        either = {two: float((wins[two[0]] | wins[two[1]]).mean()) for two in combinations(METRICS, 2)}
        top = max(either, key=lambda two: either[two])
        paper_share = next(share for two, share in either.items() if set(two) == pair)
        figure = f"{NAMES[top[0]]} and {NAMES[top[1]]} {either[top]:.3f}; the paper's pair {paper_share:.3f}"
        claim = f"the best pair in {goal} is {' and '.join(NAMES[m] for m in METRICS if m in pair)}"
        yield check(where, claim, figure, [set(top) == pair, "bns" in top])


def sign_test(only_one: int, only_other: int) -> float:
    """Return the p-value that two methods win equally often, from the problems that only one of them wins."""
    apart = only_one + only_other
    return float(binomtest(only_one, apart).pvalue) if apart else 1.0


def gain_statement(outcomes: FormanOutcomes) -> Line:
    """Check section 5 on the gain of BNS over all terms."""
    gains = {goal: outcomes.best(goal)["bns"] - outcomes.macro_of_all_terms(goal) for goal in GOALS}
    figure = ", ".join(f"{goal} {value:+.3f}" for goal, value in gains.items())
    claim = "BNS at its best size is better than all terms in F, recall and accuracy"
    return check("section 5", claim, figure, [gains[goal] > 0 for goal in ("f1", "recall", "accuracy")])
