"""Averages over categories by method, and the statements of the paper."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.stats import spearmanr

from termsift._internal.typing import Array
from termsift.evaluation import Confusion, wilcoxon
from termsift_studies.study import Line, Row, check, leave_uncounted, load_published

Key: TypeAlias = tuple[str, str, str, str]  # classifier, method, size, how ties are broken

TESTED = 3019  # documents of the test part
TWO_SIDED = {"sig": "IG", "cc": "CHI", "or": "ORS"}
SCENARIOS = {"one-sided": "{}", "ideal": "i{}", "practical": "i{}'", "cv": "i{} cv"}
# documents outside the category for each one inside, by lot or the nearest
SAMPLES = {"lot 1": "CHI lot 1:1", "lot 5": "CHI lot 5:1", "zone 1": "CHI zone 1:1", "zone 5": "CHI zone 5:1"}


def method_label(metric: str, scenario: str) -> str:
    """Return the name of a method, the paper's if it has one.

    >>> method_label("cc", "practical"), method_label("or", "two-sided"), method_label("gss", "two-sided")
    ("iCC'", 'ORS', '|GSS|')
    """
    if scenario == "none":
        return "none"
    if scenario in SAMPLES:
        return SAMPLES[scenario]
    name = metric.upper()
    if scenario == "two-sided":
        return TWO_SIDED.get(metric, f"|{name}|")
    return SCENARIOS[scenario].format(name)


@dataclass(frozen=True, slots=True, eq=False)
class ZhengOutcomes:
    """Decisions and ratios of each method.

    confusions : by method, with the categories as classes
    ratio : (categories,) share of positive terms
    categories : the requested ones, in order
    """

    categories: list[int]
    confusions: Mapping[Key, Confusion]
    ratio: Mapping[Key, Array]

    def average(self, name: str, key: Key) -> float:
        """Return F1 of the pooled decisions (micro), or the mean F1 of the categories (macro)."""
        confusion = self.confusions[key]
        return float((confusion.micro if name == "micro" else confusion.macro).f1)

    def micro(self, key: Key) -> float:
        """Return F1 of the pooled decisions."""
        return self.average("micro", key)


def zheng_outcomes(rows: list[Row], categories: Collection[int]) -> ZhengOutcomes:
    """Return the decisions of all methods that have results for each of the categories."""
    counts: dict[Key, dict[int, list[float]]] = defaultdict(dict)
    ratio: dict[Key, dict[int, float]] = defaultdict(dict)
    for row in rows:
        scenario = row["scenario"]
        if scenario in SCENARIOS or scenario in SAMPLES or scenario in ("none", "two-sided"):
            key = row["classifier"], method_label(row["metric"], scenario), row["size"], row["ties"]
            counts[key][int(row["category"])] = [float(row[name]) for name in ("tp", "fp", "fn")]
            ratio[key][int(row["category"])] = float(row["ratio"] or "nan")
    order = sorted(categories)
    # an average over other categories would not be comparable
    full = [key for key, by_category in counts.items() if all(c in by_category for c in order)]
    return ZhengOutcomes(
        order,
        {key: category_confusion([counts[key][c] for c in order], order) for key in full},
        {key: np.array([ratio[key][c] for c in order]) for key in full},
    )


def category_confusion(counts: list[list[float]], categories: list[int]) -> Confusion:
    """Return a Confusion from tp, fp and fn of each category; exact matches are not counted."""
    tp, fp, fn = np.array(counts).T
    return Confusion(tuple(categories), TESTED, tp, fp, fn, 0)


LEVEL = 0.05
GROUPS = (("IG", "SIG", "iSIG"), ("CHI", "CC", "iCC"), ("ORS", "OR", "iOR"))


def zheng_statements(studied: ZhengOutcomes, every_category: ZhengOutcomes, rows: list[Row]) -> list[Line]:
    """Check all statements: section, statement, our figure and verdict."""
    measured = ZhengAnalysis(studied)
    if not measured.sizes or "LR" not in measured.classifiers:
        return []
    return [
        measured.positive_terms_dominate(rows),
        *measured.improvements(),
        measured.selection_helps("NB", [m for group in GROUPS for m in group], "selection helps NB"),
        measured.plain_does_not_help_lr(),
        measured.selection_helps("LR", [m for *_, m in GROUPS], "ideal combination improves LR"),
        measured.chi_is_cc(),
        *measured.ratios_differ(),
        measured.ratio_falls(),
        *best_ratios(rows),
        *measured.practical_beats_plain(),
        measured.lr_gains_less(),
        measured.nb_competes(),
        *measured.cross_validation(),
        *all_category_statements(every_category, measured.sizes),
    ]


class ZhengAnalysis:
    """Outcomes of the 58 categories in the paper's terms."""

    def __init__(self, outcomes: ZhengOutcomes) -> None:
        self.outcomes = outcomes
        self.classifiers = {key[0] for key in outcomes.confusions}
        every = {key[2] for key in outcomes.confusions if key[1] == "iCC" and key[0] == "NB"}
        self.sizes = sorted(every, key=int)

    def key(self, classifier: str, method: str, size: str) -> Key:
        """Return the key of a method."""
        return classifier, method, size, "shared"

    def best(self, classifier: str, method: str, average: str = "micro") -> tuple[float, str]:
        """Return the best average over sizes, and its size."""
        keys = [self.key(classifier, method, size) for size in self.sizes]
        return max((self.outcomes.average(average, key), key[2]) for key in keys)

    def none(self, classifier: str, average: str = "micro") -> float:
        """Return the average without selection."""
        return self.outcomes.average(average, self.key(classifier, "none", "all"))

    def wins(self, classifier: str, better: str, worse: str) -> str:
        """Format the number of sizes at which a method is significantly better, and the largest p-value."""
        p = self.p_values(classifier, better, worse)
        won = f"{int((p < LEVEL).sum())} of {len(p)} sizes (largest p {p.max():.2g})"
        return f"{classifier}: {better} > {worse} at {won}"

    def p_values(self, classifier: str, better: str, worse: str) -> Array:
        """Return the p-values over categories that the F1 of a method is not larger, (sizes,)."""
        a, b = (
            [self.outcomes.confusions[self.key(classifier, method, size)].f1 for size in self.sizes]
            for method in (better, worse)
        )
        return np.array([wilcoxon(x, y, alternative="greater").p_value for x, y in zip(a, b, strict=True)])

    def positive_terms_dominate(self, rows: list[Row]) -> Line:
        """Check section 5.3 and table 7."""
        studied = set(self.outcomes.categories)
        largest = {
            (row["category"], row["metric"], row["scenario"]): float(row["value"])
            for row in rows
            if row["scenario"] in ("max+", "max-") and int(row["category"]) in studied
        }
        categories = [str(category) for category in self.outcomes.categories]
        shares = {
            name: np.mean([largest[c, m, "max+"] > largest[c, m, "max-"] for c in categories])
            for name, m in (("IG", "sig"), ("CHI", "cc"), ("ORS", "or"))
        }
        figure = ", ".join(f"{name} in {share:.0%} of categories" for name, share in shares.items())
        claim = "the largest value of a positive term is above that of a negative one"
        return check("section 5.3", claim, figure, [bool(share > 0.9) for share in shares.values()])

    def improvements(self) -> list[Line]:
        """Check section 6.1: ideal against one-sided and two-sided.

        The best of 21 ratios on the test set is never below one of them: positive terms alone are ratio 1,
        and the terms of a two-sided metric have some ratio.
        """
        rows = []
        for two, one, improved in GROUPS:
            pairs = [(c, improved, worse) for c in ("NB", "LR") for worse in (two, one)]
            checks = [bool((self.p_values(*pair) < LEVEL).all()) for pair in pairs]
            figure = "; ".join(self.wins(*pair) for pair in pairs)
            claim = f"{improved} (ratio chosen on the test set) is significantly better than {two} and {one}"
            rows.append(leave_uncounted(check("section 6.1", claim, figure, checks)))
        return rows

    def selection_helps(self, classifier: str, methods: Sequence[str], claim: str) -> Line:
        """Check section 6.1: the best of some methods against no selection."""
        best, none = {m: self.best(classifier, m) for m in methods}, self.none(classifier)
        figure = f"none {none:.3f}; " + ", ".join(f"{m} {v:.3f} at {s}" for m, (v, s) in best.items())
        return check("section 6.1", claim, figure, [value > none for value, _ in best.values()])

    def plain_does_not_help_lr(self) -> Line:
        """Check section 6.1 on standard selection with LR."""
        plain = [m for two_sided, one_sided, _ in GROUPS for m in (two_sided, one_sided)]
        checks, figures = [], []
        for average in ("micro", "macro"):
            none = self.none("LR", average)
            best = {m: self.best("LR", m, average)[0] for m in plain}
            checks += [value <= none for value in best.values()]
            best_text = ", ".join(f"{m} {v:.3f}" for m, v in best.items())
            figures.append(f"{average} none {none:.3f}, {best_text}")
        return check("section 6.1", "standard selection does not improve LR", "; ".join(figures), checks)

    def chi_is_cc(self) -> Line:
        """Check section 6.1: 56 of the 58 categories have only positive terms."""
        ratio = self.outcomes.ratio[self.key("NB", "CHI", "50")]
        odd = [c for c, share in zip(self.outcomes.categories, ratio.tolist(), strict=True) if share < 1]
        claim = "50 terms by CHI are positive in 56 categories, the 3rd and the 7th have one negative term"
        figure = f"all positive in {np.sum(ratio == 1)}; not in {odd}, the least share {ratio.min():.2f}"
        return check("section 6.1", claim, figure, [odd == [3, 7], bool(np.mean(ratio == 1) > 0.9)])

    def ratios_differ(self) -> list[Line]:
        """Check section 6.1: in most categories the best ratio of NB is not that of LR.

        Ratios that differ by up to 0.1, two steps of the grid, count as equal. A test of paired
        differences would test whether one classifier needs more positive terms, which nobody claims.
        """
        rows = []
        for *_, improved in GROUPS:
            nb, lr = (self.outcomes.ratio[self.key(c, improved, "50")] for c in ("NB", "LR"))
            n_different = int((np.round(np.abs(nb - lr), 2) > 0.1).sum())
            figure = f"by more than .1 in {n_different} of {len(nb)} categories; "
            figure += f"mean NB {nb.mean():.2f}, LR {lr.mean():.2f}"
            claim = f"the best ratios of {improved} differ between NB and LR"
            rows.append(check("section 6.1", claim, figure, [n_different > len(nb) / 2]))
        return rows

    def ratio_falls(self) -> Line:
        """Check section 6.1: the rarer the category, the fewer positive terms."""
        checks, figures = [], []
        for classifier in ("NB", "LR"):
            for *_, improved in GROUPS:
                ratio = self.outcomes.ratio[self.key(classifier, improved, "50")]
                rho = spearmanr(self.outcomes.categories, ratio)
                checks.append(bool(rho.statistic < 0 and rho.pvalue < LEVEL))
                figures.append(f"{classifier} {improved} {rho.statistic:.2f} (p {rho.pvalue:.2g})")
        claim = "the best ratio falls as categories get rarer (rank correlation with the category's number)"
        return check("section 6.1", claim, ", ".join(figures), checks)

    def practical_beats_plain(self) -> list[Line]:
        """Check section 6.2: iCC' against CHI and CC, by Wilcoxon's test."""
        rows = []
        for classifier in ("NB", "LR"):
            # one check per size: the statement holds in part if only some sizes are significant
            checks = [self.p_values(classifier, "iCC'", worse) < LEVEL for worse in ("CHI", "CC")]
            figure = "; ".join(self.wins(classifier, "iCC'", worse) for worse in ("CHI", "CC"))
            best = ", ".join(f"{m} {self.best(classifier, m)[0]:.3f}" for m in ("iCC'", "CHI", "CC"))
            claim = f"with {classifier} iCC' (ratio chosen on the training set) is better than CHI and CC"
            figure = f"best micro {best}; {figure}"
            rows.append(check("section 6.2", claim, figure, np.concatenate(checks).tolist()))
        return rows

    def lr_gains_less(self) -> Line:
        """Check section 6.2 on the gain of LR."""
        gains = {c: self.best(c, "iCC'")[0] - self.best(c, "CHI")[0] for c in ("NB", "LR")}
        figure = ", ".join(f"{c} {gain:+.3f}" for c, gain in gains.items())
        claim = "LR gains less than NB by iCC' over CHI"
        return check("section 6.2", claim, figure, [gains["LR"] < gains["NB"]])

    def nb_competes(self) -> Line:
        """Check sections 6.2 and 7."""
        ideal, practical = self.best("NB", "iCC")[0], self.best("NB", "iCC'")[0]
        none = self.none("LR")
        figure = f"NB iCC {ideal:.3f}, iCC' {practical:.3f}; LR without selection {none:.3f}"
        claim = "NB with the ratio chosen comes near LR without selection"
        return check("sections 6.2, 7", claim, figure, [ideal > none - 0.01, practical > none - 0.03])

    def cross_validation(self) -> list[Line]:
        """Check the expectation of section 6.2 that cross-validation beats the training set."""
        rows = []
        for classifier in ("NB", "LR"):
            cv, practical = (
                [self.outcomes.micro(self.key(classifier, m, s)) for s in self.sizes]
                for m in ("iCC cv", "iCC'")
            )
            gain = np.array(cv) - np.array(practical)
            figure = f"micro {gain.mean():+.3f} over sizes, from {gain.min():+.3f} to {gain.max():+.3f}; "
            figure += self.wins(classifier, "iCC cv", "iCC'")
            claim = f"with {classifier} a ratio chosen by cross-validation beats one of the training set"
            is_significant = self.p_values(classifier, "iCC cv", "iCC'") < LEVEL
            rows.append(check("section 6.2", claim, figure, is_significant.tolist()))
        return rows


def best_ratios(rows: list[Row]) -> list[Line]:
    """Check figure 3: the optimal ratios of four categories."""
    curves: dict[str, dict[float, float]] = {}
    for row in rows:
        if row["scenario"] == "curve" and (row["classifier"], row["size"]) == ("NB", "50"):
            curves.setdefault(row["name"], {})[float(row["ratio"])] = float(row["tp"])
    optimal = [row for row in load_published("zheng2004", "figures") if row["where"] == "figure 3"]
    if any(row["of"] not in curves for row in optimal):
        return []
    checks, figures = [], []
    for row in optimal:
        curve = curves[row["of"]]
        best = [ratio for ratio, tp in curve.items() if tp == max(curve.values())]
        checks.append(float(row["value"]) in best)
        figures.append(f"{row['of']} {' or '.join(f'{ratio:g}' for ratio in best)}")
    ratios = ", ".join(f"{row['value']} ({row['of']})" for row in optimal)
    claim = f"NB and CC, 50 terms: the best ratios are {ratios}"
    return [check("figure 3", claim, ", ".join(figures), checks)]


def all_category_statements(outcomes: ZhengOutcomes, sizes: list[str]) -> Iterator[Line]:
    """Check section 6.3: the micro-average over all 90 categories."""
    where = "section 6.3"
    chi = outcomes.micro(("NB", "CHI", "2000", "shared"))
    none = outcomes.micro(("LR", "none", "all", "shared"))
    claim = "NB with CHI and 2000 terms: .804 over 90 categories"
    yield check(where, claim, f"{chi:.3f}", [abs(chi - 0.804) < 0.02])
    claim = "LR without selection: .854 over 90 categories"
    yield check(where, claim, f"{none:.3f}", [abs(none - 0.854) < 0.02])
    for better, worse in (("iCC'", "CHI"), ("iCC'", "CC"), ("CHI", "CC")):
        pairs = [((c, better, n, "shared"), (c, worse, n, "shared")) for c in ("NB", "LR") for n in sizes]
        gain = np.array([outcomes.micro(first) - outcomes.micro(second) for first, second in pairs])
        won = f"at {int((gain > 0).sum())} of {len(gain)} classifiers and sizes"
        claim = f"over all 90 categories {better} is always better than {worse}"
        yield check(where, claim, f"{won}, {gain.min():+.3f} to {gain.max():+.3f}", (gain > 0).tolist())
