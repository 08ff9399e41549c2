"""Outcomes of all folds, and the statements of the paper."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from scipy.stats import spearmanr

from termsift._internal.typing import Array
from termsift_studies.study import Line, Row, check, leave_uncounted, load_published
from termsift_studies.tang2016.trials import ALL, GREEDY, INTERPRETATIONS, PROPOSED, method_name

Key: TypeAlias = tuple[str, str, str]  # set, classifier, method
GOALS = ("accuracy", "f1")
MEASURED = (*GOALS, "divergence", "shared")


@dataclass(frozen=True, slots=True, eq=False)
class TangOutcomes:
    """Outcomes as arrays.

    measures : for each set, classifier and method, by measure (folds, sizes)
    sizes : by classifier

    everything : by set and classifier, each goal with all terms, averaged over folds
    """

    measures: Mapping[Key, Mapping[str, Array]]
    sizes: Mapping[str, Array]
    everything: Mapping[tuple[str, str], Mapping[str, float]]

    @property
    def sets(self) -> list[str]:
        """Sets that have results."""
        return list(dict.fromkeys(name for name, *_ in self.measures))

    def curve(self, name: str, method: str, classifier: str = "NB", goal: str = "accuracy") -> Array:
        """Return a measure averaged over folds, (sizes,)."""
        mean: Array = self.measures[name, classifier, method][goal].mean(axis=0)
        return mean

    def at(self, size: int, name: str, method: str, classifier: str = "NB", goal: str = "accuracy") -> float:
        """Return a measure at a size."""
        return float(self.curve(name, method, classifier, goal)[self.sizes[classifier] == size][0])

    def above(
        self, name: str, method: str, baseline: str, classifier: str = "NB", goal: str = "accuracy"
    ) -> float:
        """Return the share of sizes at which a method is above another; a tie counts one half."""
        gains = self.curve(name, method, classifier, goal) - self.curve(name, baseline, classifier, goal)
        # ties are frequent at small sizes, and count one half for each method
        return float(np.mean((gains > 0) + 0.5 * (gains == 0)))

    def rename(self, classifiers: Mapping[str, str], methods: Mapping[str, str]) -> TangOutcomes:
        """Return the outcomes with new names, keeping only the classifiers and methods that have one."""
        measures = {
            (name, classifiers[model], methods[method]): measured
            for (name, model, method), measured in self.measures.items()
            if model in classifiers and method in methods
        }
        sizes = {classifiers[model]: sizes for model, sizes in self.sizes.items() if model in classifiers}
        everything = {
            (name, classifiers[model]): goals
            for (name, model), goals in self.everything.items()
            if model in classifiers
        }
        return TangOutcomes(measures, sizes, everything)

    def first_size(self, target: float, name: str, method: str) -> int | None:
        """Return the first size with which a method reaches an accuracy with naive Bayes, if any."""
        # accuracy need not grow with every size: the first size that reaches the target counts
        indices = np.flatnonzero(self.curve(name, method) >= target)
        return int(self.sizes["NB"][indices[0]]) if len(indices) else None


def tang_outcomes(rows: list[Row]) -> TangOutcomes:
    """Return the rows of all units as arrays."""
    cells_by_key: dict[Key, dict[tuple[int, int], Row]] = defaultdict(dict)
    unselected: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row["method"] == ALL:
            unselected[row["set"], row["classifier"]].append(row)
        elif row["method"]:
            key = row["set"], row["classifier"], row["method"]
            cells_by_key[key][int(row["fold"]), int(row["size"])] = row
    sizes = {classifier: sorted({k for _, k in cells}) for (_, classifier, _), cells in cells_by_key.items()}
    return TangOutcomes(
        {key: arrays(cells) for key, cells in cells_by_key.items()},
        {classifier: np.array(cells) for classifier, cells in sizes.items()},
        {
            key: {goal: float(np.mean([float(row[goal]) for row in cells])) for goal in GOALS}
            for key, cells in unselected.items()
        },
    )


def arrays(cells: Mapping[tuple[int, int], Row]) -> dict[str, Array]:
    """Return the arrays (folds, sizes) by measure."""
    folds, sizes = (sorted({key[i] for key in cells}) for i in (0, 1))
    return {
        measure: np.array([[float(cells[fold, size][measure]) for size in sizes] for fold in folds])
        for measure in MEASURED
    }


def format_percents(values: Mapping[str, float]) -> str:
    """Format methods with their values in per cent.

    >>> format_percents({"md": 0.96451, "chi2 max": 0.95})
    'MD 96.45, chi2 max 95.00'
    """
    return ", ".join(f"{method_name(method)} {100 * value:.2f}" for method, value in values.items())


REUTERS = ("reuters-10", "reuters-20", "reuters-30")
ALT_COMP = {"alt-comp": "alt.* against comp.*", "alt-comp-6": "six classes"}
# what words are taken to mean: "similar" in accuracy, "very small" and "the first 1000" in terms
SIMILAR, FEW, ABOUT_1000 = 0.01, 50, (500, 2000)
ANY = "any"
# what words are taken to mean: "as printed" in points of accuracy; "usually" as a share of terms
AS_PRINTED, USUALLY = 0.5, 0.8


def tang_statements(outcomes: TangOutcomes) -> list[Line]:
    """Check all statements under each interpretation."""
    compared = [
        {"interpretation": interpretation} | row
        for interpretation, baselines in INTERPRETATIONS.items()
        for row in comparisons(outcomes, baselines)
    ]
    return compared + [{"interpretation": ANY} | row for row in alone(outcomes)]


def comparisons(outcomes: TangOutcomes, baselines: Sequence[str]) -> Iterator[Line]:
    """Check the statements on the available sets."""
    sets = set(outcomes.sets)
    if "20-newsgroups" in sets:
        yield from newsgroups_statements(outcomes, baselines)
    for name in ALT_COMP:
        if name in sets:
            yield from alt_comp_statements(outcomes, name, baselines)
    for name in REUTERS:
        if name in sets:
            yield fewer_terms_statement(outcomes, name, baselines)
            yield from svm_statements(outcomes, name, baselines)
    if sets.issuperset(REUTERS):
        yield gain_statement(outcomes, baselines)
        yield from divergence_statements(outcomes, baselines)
    if "tdt2-10" in sets:
        yield from tdt2_statements(outcomes, baselines)


def compare_sizes(
    outcomes: TangOutcomes,
    name: str,
    methods: Sequence[str],
    baselines: Sequence[str],
    goal: str = "accuracy",
) -> tuple[str, list[bool]]:
    """Return the shares of sizes at which methods are above baselines with NB, and a check per method.

    A check holds if the share is above one half for every baseline.
    """
    shares = {
        (method, baseline): outcomes.above(name, method, baseline, "NB", goal)
        for method in methods
        for baseline in baselines
        if method != baseline
    }
    figures = [
        f"{method_name(method)} above "
        + ", ".join(f"{method_name(o)} at {share:.0%}" for (m, o), share in shares.items() if m == method)
        for method in methods
    ]
    checks = [all(share > 0.5 for (m, _), share in shares.items() if m == method) for method in methods]
    return "; ".join(figures) + " of sizes", checks


def newsgroups_statements(outcomes: TangOutcomes, baselines: Sequence[str]) -> Iterator[Line]:
    """Check figure 1."""
    where, name, every = "section 5.3, figure 1", "20-newsgroups", (*baselines, *PROPOSED)
    ends = {method: outcomes.curve(name, method)[[0, -1]].tolist() for method in every}
    figure = ", ".join(
        f"{method_name(m)} {100 * low:.1f} to {100 * high:.1f}" for m, (low, high) in ends.items()
    )
    checks = [high > low for low, high in ends.values()]
    yield check(where, "20-NEWSGROUPS, NB: accuracy grows from 10 to 2000 terms", figure, checks)
    claim = "20-NEWSGROUPS, NB: MD and MD-chi2 are commonly above the other four"
    yield check(where, claim, *compare_sizes(outcomes, name, PROPOSED, baselines))
    claim = "20-NEWSGROUPS, NB: MD is above all others"
    yield check(where, claim, *compare_sizes(outcomes, name, ("md",), (*baselines, "md_chi2")))
    figure, checks = compare_sizes(outcomes, name, every[1:], ("df",))
    yield check(where, "20-NEWSGROUPS, NB: DF is the worst", figure, checks)
    few = {method: outcomes.at(10, name, method) for method in every}
    claim = "20-NEWSGROUPS, NB: accuracy is below 20 % with few terms"
    yield check(
        "section 5.3", claim, f"10 terms: {format_percents(few)}", [value < 0.2 for value in few.values()]
    )


def alt_comp_statements(outcomes: TangOutcomes, name: str, baselines: Sequence[str]) -> Iterator[Line]:
    """Check figure 2 under an interpretation of its classes."""
    which = f"ALT-COMP ({ALT_COMP[name]}), NB"
    claim = f"{which}: MD-chi2 is the best in accuracy"
    yield check(
        "section 5.3, figure 2a", claim, *compare_sizes(outcomes, name, ("md_chi2",), (*baselines, "md"))
    )
    claim = f"{which}: MD and MD-chi2 are the best two in F1"
    yield check("section 5.3, figure 2b", claim, *compare_sizes(outcomes, name, PROPOSED, baselines, "f1"))
    few = {method: outcomes.at(10, name, method) for method in (*baselines, *PROPOSED)}
    claim = f"{which}: accuracy is above 80 % with few terms"
    yield check(
        "section 5.3", claim, f"10 terms: {format_percents(few)}", [value > 0.8 for value in few.values()]
    )


def fewer_terms_statement(outcomes: TangOutcomes, name: str, baselines: Sequence[str]) -> Line:
    """Check figure 3: at most a point below."""
    few = {method: outcomes.at(200, name, method) for method in PROPOSED}
    many = {method: outcomes.at(1000, name, method) for method in baselines}
    checks = [value >= limit - SIMILAR for value in few.values() for limit in many.values()]
    claim = f"{name.upper()}, NB: 200 terms by MD and MD-chi2 are similar to 1000 by the other four"
    return check(
        "section 5.3, figure 3",
        claim,
        f"200: {format_percents(few)}; 1000: {format_percents(many)}",
        checks,
    )


def gain_statement(outcomes: TangOutcomes, baselines: Sequence[str]) -> Line:
    """Check figure 3: the gain over the mean of the baselines, averaged over sizes."""
    gains = {
        name: float(
            mean_accuracies(outcomes, name, PROPOSED).mean()
            - mean_accuracies(outcomes, name, baselines).mean()
        )
        for name in REUTERS
    }
    gain_text = ", ".join(f"{name.upper()} {100 * value:+.2f}" for name, value in gains.items())
    claim = "Reuters, NB: the more categories, the more MD and MD-chi2 gain over the others"
    checks = [larger > smaller for smaller, larger in pairwise(gains.values())]
    return check("section 5.3, figure 3", claim, f"points over their mean: {gain_text}", checks)


def mean_accuracies(outcomes: TangOutcomes, name: str, methods: Sequence[str]) -> Array:
    """Return the mean accuracy of some methods with NB, (sizes,)."""
    mean: Array = np.mean([outcomes.curve(name, method) for method in methods], axis=0)
    return mean


def tdt2_statements(outcomes: TangOutcomes, baselines: Sequence[str]) -> Iterator[Line]:
    """Check figure 4."""
    name = "tdt2-10"
    claim = "TDT2-10, NB: MD and MD-chi2 are above all others in accuracy"
    yield check("section 5.3, figure 4a", claim, *compare_sizes(outcomes, name, PROPOSED, baselines))
    target = outcomes.at(100, name, "md")
    slow_methods = [method for method in baselines if method.split()[0] in ("chi2", "chi2_joint", "gss")]
    sizes = {method: outcomes.first_size(target, name, method) for method in slow_methods}
    figure = ", ".join(f"{method_name(method)} {size or 'not with 2000'}" for method, size in sizes.items())
    low, high = ABOUT_1000
    checks = [size is not None and low <= size <= high for size in sizes.values()]
    claim = f"TDT2-10, NB: GSS and chi2 need about 1000 terms ({low} to {high}) for the accuracy of 100 by MD"
    yield check("section 5.3, figure 4a", claim, f"{100 * target:.2f} is reached with: {figure}", checks)


def svm_statements(outcomes: TangOutcomes, name: str, baselines: Sequence[str]) -> Iterator[Line]:
    """Check figure 5 against the best baseline of each size."""
    sizes = outcomes.sizes["SVM"]
    # the best baseline may be another one at each size
    best = np.max([outcomes.curve(name, method, "SVM") for method in baselines], axis=0)
    gains = np.array([outcomes.curve(name, method, "SVM") for method in PROPOSED]) - best
    few, many = gains[:, sizes <= FEW], gains[:, sizes > FEW]
    where, which = "section 5.3, figure 5", f"{name.upper()}, SVM"
    claim = f"{which}: up to {FEW} terms MD and MD-chi2 do at least as well as the others"
    yield check(where, claim, format_gains(few), (few >= 0).ravel().tolist())
    claim = f"{which}: with more than {FEW} terms MD and MD-chi2 are consistently better"
    yield check(where, claim, format_gains(many), (many > 0).ravel().tolist())


def format_gains(gains: Array) -> str:
    """Format the smallest and largest gain of MD and MD-chi2, and the share of sizes with a gain."""
    texts = [
        f"{name} {100 * gain.min():+.2f} to {100 * gain.max():+.2f}, above at {np.mean(gain > 0):.0%}"
        for name, gain in zip(map(method_name, PROPOSED), gains, strict=True)
    ]
    return f"points over the best other: {'; '.join(texts)} of sizes"


def divergence_statements(outcomes: TangOutcomes, baselines: Sequence[str]) -> Iterator[Line]:
    """Check figure 6."""
    where, name, every = "section 5.3, figure 6", "reuters-20", (*baselines, *PROPOSED)
    reach, accuracy = (
        np.array([outcomes.curve(name, method, "SVM", measure) for method in every])
        for measure in ("divergence", "accuracy")
    )
    # at each size: do methods with more divergence have more accuracy?
    rhos = np.array([spearmanr(a, b).statistic for a, b in zip(reach.T, accuracy.T, strict=True)])
    figure = f"rank correlation of the six at each size: {rhos.min():.2f} to {rhos.max():.2f}, "
    claim = "REUTERS-20, SVM: the divergence of a selection goes with its accuracy"
    checks = [bool(rhos.mean() > 0.5), bool(rhos.min() > 0)]
    yield check(where, claim, f"{figure}mean {rhos.mean():.2f}", checks)
    mine, rival_reach = (reach[every.index("md")], np.delete(reach, every.index("md"), axis=0))
    last = ", ".join(f"{method_name(m)} {value:.2f}" for m, value in zip(every, reach[:, -1], strict=True))
    claim = "REUTERS-20: MD has the largest divergence of the six"
    yield check(where, claim, f"2000 terms: {last}", (mine >= rival_reach).all(axis=1).tolist())


def alone(outcomes: TangOutcomes) -> Iterator[Line]:
    """Check the statements that involve only MD, MD-chi2 and the greedy search."""
    yield from md_statements(outcomes)
    yield from (growth_statement(outcomes), greedy_statement(outcomes))


def md_statements(outcomes: TangOutcomes) -> Iterator[Line]:
    """Check the statements on MD and MD-chi2."""
    if "tdt2-10" in outcomes.sets:
        yield from printed_statements(outcomes)
    for name in ALT_COMP:
        if name in outcomes.sets:
            claim = f"ALT-COMP ({ALT_COMP[name]}), NB: MD-chi2 is better than MD"
            yield check("section 5.3, figure 2", claim, *compare_sizes(outcomes, name, ("md_chi2",), ("md",)))
    yield md_order_statement(outcomes)


def printed_statements(outcomes: TangOutcomes) -> Iterator[Line]:
    """Check the two accuracies printed in section 5.3."""
    for row in load_published("tang2016", "figures"):
        if row["quantity"] == "accuracy":
            size, value = int(row["size"]), float(row["value"])
            ours = 100 * outcomes.at(size, row["set"], row["method"])
            claim = (
                f"{row['set'].upper()}, NB: {size} terms by {method_name(row['method'])} give {value:.2f} %"
            )
            figure = f"{ours:.2f}: {ours - value:+.2f} points"
            yield check(row["where"], claim, figure, [abs(ours - value) < AS_PRINTED])


def md_order_statement(outcomes: TangOutcomes) -> Line:
    """Check section 4.4."""
    shares = {name: outcomes.above(name, "md", "md_chi2") for name in outcomes.sets}
    figure = ", ".join(f"{name.upper()} {share:.0%}" for name, share in shares.items())
    claim = "NB: MD is usually above MD-chi2 (at most sizes, on most sets)"
    checks = [sum(share > 0.5 for share in shares.values()) > len(shares) / 2]
    return check("section 4.4", claim, f"sizes at which MD is above: {figure}", checks)


def growth_statement(outcomes: TangOutcomes) -> Line:
    """Check theorem 1 and the remarks of sections 4.2 and 5.3 on it."""
    steps = [
        float(np.diff(outcomes.measures[name, "NB", method]["divergence"], axis=1).min())
        for name in outcomes.sets
        for method in (*PROPOSED, GREEDY)
    ]
    claim = "the divergence never falls with more terms: greedy, MD and MD-chi2, all sets"
    figure = f"the smallest step from size to size is {min(steps):+.2g}"
    checks = [step >= 0 for step in steps]
    return leave_uncounted(check("theorem 1, section 4.2, figure 6", claim, figure, checks))


def greedy_statement(outcomes: TangOutcomes) -> Line:
    """Check section 4.2: algorithm 2 in place of algorithm 1."""
    shares = {
        name: [outcomes.at(size, name, GREEDY, goal="shared") / size for size in (100, 1000)]
        for name in outcomes.sets
    }
    figure = ", ".join(f"{name.upper()} {few:.0%} and {many:.0%}" for name, (few, many) in shares.items())
    claim = f"MD usually chooses what the greedy search would (taken as {USUALLY:.0%} of the terms)"
    checks = [share >= USUALLY for set_shares in shares.values() for share in set_shares]
    return check("section 4.2", claim, f"in common at 100 and 1000: {figure}", checks)
