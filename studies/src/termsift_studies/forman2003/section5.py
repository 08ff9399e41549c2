"""Section 5: the weight of positive terms and the cutoff of rare words, with differences by t tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from statistics import NormalDist
from typing import Any, ClassVar, TypeAlias

import altair as alt
import numpy as np

from termsift._internal.ranking import Ranking, rank_terms
from termsift._internal.tables import Table
from termsift._internal.typing import Array
from termsift.engines import Documents
from termsift.evaluation import holm, paired_t
from termsift.metrics import Scores
from termsift.report import unpadded_landscape
from termsift.selection import Method, limit_k, parse_method, positive_class_slice
from termsift_studies import corpora
from termsift_studies.forman2003 import trials
from termsift_studies.forman2003.extended import WIDER_COLUMNS, wider_rows
from termsift_studies.forman2003.statements import LEVEL, NAMES
from termsift_studies.plotting import ChartRows, canvas, load_chart_rows, log_axis
from termsift_studies.study import Line, Row, build_tables, check

BALANCE = 0.5
CUTOFFS = (1, 3, 5, 10, 15, 20, 25)
WHERE, TERMS = "section 5", 1000
MANY = (1000, 2000)

GoalsAtSizes: TypeAlias = Sequence[tuple[str, int]]


def weighted_name(alpha: float) -> str:
    """Return the name of BNS with a weight of positive terms, as used in rows."""
    return f"bns {alpha}"


def section5_statements(
    weights: trials.FormanOutcomes, cutoffs: Mapping[int, trials.FormanOutcomes]
) -> list[Line]:
    """Check the statements on the weight of positive terms and on the cutoff of rare words."""
    return [*weight_statements(weights), *cutoff_statements(cutoffs)]


def weight_statements(outcomes: trials.FormanOutcomes) -> Iterator[Line]:
    """Check the statements of section 5 on the weight of positive terms by t tests."""
    claim = "alpha .6 is precise with few terms, and loses recall against unweighted BNS"
    yield exchange_statement(outcomes, claim, 0.6, gains=[("precision", 50)], losses=[("recall", TERMS)])
    claim = "alpha .4 has the higher recall with many terms, at the cost of precision"
    gains, losses = ([(goal, size) for size in MANY] for goal in ("recall", "precision"))
    yield exchange_statement(outcomes, claim, 0.4, gains=gains, losses=losses)
    best_f1 = outcomes.best("f1")
    # "defeats" is read as: the lowest of all weights, and significantly below the next
    lowest, *higher = sorted(best_f1, key=lambda name: best_f1[name])
    p = best_p_value(outcomes, higher[0], lowest)
    figure = f"{best_by_weight(outcomes)}; p {p:.2g} that {higher[0].split()[1]} is above {lowest.split()[1]}"
    checks = [lowest == weighted_name(0.1), p < LEVEL]
    yield check(WHERE, "alpha .1 defeats the classifier", figure, checks)
    yield balance_statement(outcomes)


def exchange_statement(
    outcomes: trials.FormanOutcomes, claim: str, alpha: float, *, gains: GoalsAtSizes, losses: GoalsAtSizes
) -> Line:
    """Check that a weight gains in one goal and loses in another against unweighted BNS."""
    figures, checks, names = [], [], (weighted_name(alpha), weighted_name(BALANCE))
    for sign, (goal, size) in [*((1, gain) for gain in gains), *((-1, loss) for loss in losses)]:
        heavy, plain = (outcomes.runs(name, goal, size).ravel() for name in names)
        p = paired_t(sign * heavy, sign * plain, alternative="greater").p_value
        figures.append(f"{goal} at {size}: {heavy.mean():.3f} ({plain.mean():.3f} unweighted, p {p:.2g})")
        checks += [sign * (heavy.mean() - plain.mean()) > 0, p < LEVEL]
    return check(WHERE, claim, "; ".join(figures), checks)


def balance_statement(outcomes: trials.FormanOutcomes) -> Line:
    """Check that no weight is significantly better than unweighted BNS (figure 22)."""
    best_f1, plain = outcomes.best("f1"), weighted_name(BALANCE)
    top = max(best_f1, key=lambda name: best_f1[name])
    figure, p = best_by_weight(outcomes), 1.0
    if top != plain:
        p = best_p_value(outcomes, top, plain)
        figure += f"; p {p:.2g} that {top.split()[1]} is above {BALANCE}"
    return check(WHERE, "F is best with the two in balance", figure, [p >= LEVEL])


def best_by_weight(outcomes: trials.FormanOutcomes) -> str:
    """Format the best F of each weight over sizes."""
    return ", ".join(f"{name.split()[1]}: {f1:.3f}" for name, f1 in outcomes.best("f1").items())


def best_p_value(outcomes: trials.FormanOutcomes, better: str, worse: str) -> float:
    """Return the p-value that one weight is above another in F, each at its best size."""
    a, b = (outcomes.runs(name, "f1", outcomes.best_size(name, "f1")).ravel() for name in (better, worse))
    return paired_t(a, b, alternative="greater").p_value


def cutoff_statements(cutoffs: Mapping[int, trials.FormanOutcomes]) -> Iterator[Line]:
    """Check the statements of section 5 on rare words."""
    for goal in ("f1", "precision", "accuracy"):
        yield fall_statement(goal, cutoff_runs(cutoffs, goal))
    yield recall_statement(cutoff_runs(cutoffs, "recall"))


def cutoff_runs(cutoffs: Mapping[int, trials.FormanOutcomes], goal: str) -> dict[int, Array]:
    """Return the values of a goal by cutoff, (problems,) each."""
    return {cutoff: outcomes.runs("bns", goal, TERMS).ravel() for cutoff, outcomes in cutoffs.items()}


def fall_statement(goal: str, runs: Mapping[int, Array]) -> Line:
    """Check that a goal drops: the last cutoff is below the first, none is above an earlier one (t test)."""
    pairs = list(combinations(runs, 2))
    # all pairs of cutoffs are tested, so the p-values are corrected by Holm's method
    rises = holm([above_p_value(runs, later, earlier) for earlier, later in pairs])
    likeliest = int(np.argmin(rises))
    earlier, later = pairs[likeliest]
    fall = above_p_value(runs, CUTOFFS[0], CUTOFFS[-1])
    figure = (
        f"{format_means(runs)}; p {fall:.2g} that the last is below the first; "
        f"likeliest rise from {earlier} to {later}, p {rises[likeliest]:.2g}"
    )
    claim = f"{goal} falls as the cutoff of rare words rises"
    return check(WHERE, claim, figure, [fall < LEVEL, bool(rises[likeliest] >= LEVEL)])


def recall_statement(runs: Mapping[int, Array]) -> Line:
    """Check that recall peaks at a cutoff of at most ten, above the first and the last (t test)."""
    first, last = CUTOFFS[0], CUTOFFS[-1]
    peak = max(runs, key=lambda cutoff: float(runs[cutoff].mean()))
    rise, fall = above_p_value(runs, peak, first), above_p_value(runs, peak, last)
    means = format_means(runs)
    figure = f"{means}; p {rise:.2g} that {peak} is above {first}, {fall:.2g} that it is above {last}"
    claim = "recall rises a little up to a cutoff of about ten, then falls"
    return check(WHERE, claim, figure, [CUTOFFS[1] < peak <= 10, rise < LEVEL, fall < LEVEL])


def format_means(runs: Mapping[int, Array]) -> str:
    """Format the mean of each cutoff."""
    return ", ".join(f"{cutoff}: {values.mean():.3f}" for cutoff, values in runs.items())


def above_p_value(runs: Mapping[int, Array], better: int, worse: int) -> float:
    """Return the p-value that one cutoff is above another over problems."""
    return paired_t(runs[better], runs[worse], alternative="greater").p_value


SECTION5_COLUMNS = (*WIDER_COLUMNS, "counted")
ALPHAS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True, slots=True)
class Section5Interpretation:
    """Interpretation of section 5.

    why : the words of the paper that support it
    counted : of what a rare word has few: "documents" or "occurrences"
    reduced : whether la1 and la2 have the reduced vocabulary
    """

    name: str
    why: str
    counted: str = "documents"
    reduced: bool = False


MAIN_INTERPRETATION = Section5Interpretation(
    "documents", '3: "the Boolean occurrence of a forced-lowercase word"'
)
INTERPRETATIONS = (
    MAIN_INTERPRETATION,
    Section5Interpretation("occurrences", '5: "up to 25 occurrences"', counted="occurrences"),
    Section5Interpretation("reduced words", "against appendix A: la1 and la2 have 31472 words", reduced=True),
)


@dataclass(frozen=True, slots=True)
class SignWeighted:
    """Policy that weights scores by alpha for positive and 1 - alpha for negative terms and takes the k best.

    A term's score is its maximum over the classes; with two classes, the second is the positive one.

    k : number of terms; None means all, in order
    alpha : the weight of positive terms, from 0 to 1
    """

    k: int | None = None
    alpha: float = 0.5
    by_class: ClassVar[bool] = True

    def choose(self, scores: Scores) -> Array:
        """Return the indices of the k best terms, best first."""
        # the sign is that of the association, whatever the sign of the metric
        factor = np.where(scores.signs >= 0, self.alpha, 1 - self.alpha)
        values = (np.abs(scores.values) * factor)[:, positive_class_slice(scores)].max(axis=1, initial=0.0)
        return rank_terms(values, scores.counts.term_df, scores.terms, limit_k(self.k, len(scores)))

    def ranking(self, scores: Scores) -> Ranking:
        """Return the terms in order, the same for all classes."""
        return Ranking((self.choose(scores),))


def weighted_methods() -> dict[str, Method]:
    """Return BNS with different weights of positive terms: figure 22."""
    bns = parse_method("bns").metric
    return {weighted_name(alpha): Method(bns, SignWeighted(alpha=alpha)) for alpha in ALPHAS}


def section5_rows(data_dir: Path | None, name: str) -> list[Row]:
    """Return the rows of a set: weights of positive terms, and BNS without rare words."""
    documents = trials.load_set(name, data_dir)[0]
    # weights of positive terms use all words, so they have no cutoff
    rows = [row | {"cutoff": "", "counted": ""} for row in wider_rows(documents, weighted_methods(), "SVM")]
    rows_by_words: dict[bytes, list[Row]] = {}
    for counted, numbers in word_frequencies(name, data_dir).items():
        for cutoff in CUTOFFS:
            indices = np.flatnonzero(numbers >= cutoff)
            # most sets have no rarer words than three documents'
            if indices.tobytes() not in rows_by_words:
                rows_by_words[indices.tobytes()] = cutoff_rows(documents.keep(indices))
            rows += [row | {"cutoff": cutoff, "counted": counted} for row in rows_by_words[indices.tobytes()]]
    return [row | {"set": name} for row in rows]


def cutoff_rows(documents: Documents) -> list[Row]:
    """Return the rows of 1000 terms by BNS, or of all terms if there are fewer."""
    few = len(documents.terms) <= TERMS
    rows = wider_rows(documents, {"bns": parse_method("bns")}, "SVM", every=few)
    return [row for row in rows if row["size"] == TERMS]


def word_frequencies(name: str, data_dir: Path | None) -> dict[str, Array]:
    """Return the number of documents and of occurrences of each word of a set."""
    matrix = corpora.load(name, data_dir=data_dir).matrix
    return {"documents": (matrix > 0).sum(axis=0), "occurrences": matrix.sum(axis=0)}


def section5_tables(rows: list[Row]) -> dict[str, Table]:
    """Build tables of averages by weight and by cutoff, and of the statements by interpretation."""
    weights, cutoffs = section5_outcomes(rows, MAIN_INTERPRETATION)
    interpretations = [
        {"interpretation": interpretation.name, "supported by": interpretation.why} | row
        for interpretation in INTERPRETATIONS
        for row in section5_statements(*section5_outcomes(rows, interpretation))
    ]
    return build_tables({
        "alpha": tabulate_weights(weights),
        "cutoffs": [tabulate_cutoff(cutoff, outcomes) for cutoff, outcomes in cutoffs.items()],
        "interpretations": interpretations,
        "summary": section5_statements(weights, cutoffs),
    })  # fmt: skip


def section5_outcomes(
    rows: list[Row], interpretation: Section5Interpretation
) -> tuple[trials.FormanOutcomes, dict[int, trials.FormanOutcomes]]:
    """Return the outcomes of all weights, and of BNS by cutoff of rare words."""
    selected = trials.select_vocabulary(rows, reduced=interpretation.reduced)
    weights = [row for row in selected if row["cutoff"] == ""]
    counted = [row for row in selected if row["counted"] == interpretation.counted]
    cutoffs = {
        cutoff: trials.forman_outcomes([row for row in counted if int(row["cutoff"]) == cutoff], ["bns"])
        for cutoff in CUTOFFS
    }
    return trials.forman_outcomes(weights, [weighted_name(alpha) for alpha in ALPHAS]), cutoffs


def tabulate_weights(outcomes: trials.FormanOutcomes) -> Iterator[Line]:
    """Tabulate macro-averages by weight, goal and size."""
    for goal in trials.GOALS:
        for alpha, values in zip(ALPHAS, outcomes.macro(goal).tolist(), strict=True):
            for size, value in zip(trials.SIZES.tolist(), values, strict=True):
                yield {"alpha": alpha, "goal": goal, "size": size, "value": round(value, 5)}


def tabulate_cutoff(cutoff: int, outcomes: trials.FormanOutcomes) -> Line:
    """Tabulate macro-averages of 1000 terms by BNS without the words below a cutoff."""
    values = {goal: round(outcomes.of("bns", goal, TERMS), 5) for goal in trials.GOALS}
    return {"cutoff": cutoff, "size": TERMS} | values


# the problem of section 2.2, and how many contours each metric has
POSITIVES, NEGATIVES, LEVELS = 50, 1750, 9
NUMBERS = ("value", "f1", "precision", "recall", "cutoff", "size", "alpha")


def section5_charts(tables: Path) -> dict[str, Any]:
    """Return the charts of section 5 if its results are present."""
    weights, cutoffs = (load_chart_rows(tables / f"{name}.csv", NUMBERS) for name in ("alpha", "cutoffs"))
    charts = {"figure11": figure11(cutoffs)} if cutoffs else {}
    return charts | ({"figure22": figure22(weights)} if weights else {})


def figure1() -> Any:
    """Draw two views of Bi-Normal Separation for a term in 40 % of the class and 5 % of the rest."""
    rates = {"tpr": 0.40, "fpr": 0.05}
    cuts = {name: NormalDist().inv_cdf(1 - rate) for name, rate in rates.items()}
    # BNS is this distance: between two thresholds of one curve, or between two curves
    apart = cuts["fpr"] - cuts["tpr"]
    grid = [round(-4 + i / 25, 2) for i in range(201)]
    single = [{"curve": "documents", "x": x, "y": NormalDist().pdf(x)} for x in grid]
    two = [
        {"curve": name, "x": x, "y": NormalDist(shift).pdf(x)}
        for name, shift in (("outside the class", -apart / 2), ("in the class", apart / 2))
        for x in grid
    ]
    thresholds = [{"x": cut, "rate": f"{name} {rates[name]:.0%}"} for name, cut in cuts.items()]
    # one threshold cuts a tail of each curve: fpr of the one, tpr of the other
    middle = [{"x": cuts["fpr"] - apart / 2, "rate": "threshold"}]
    titles = "two thresholds, one curve", "one threshold, two curves"
    panels = [
        normal_panel(curves, rules, f"{title}: {apart:.2f} apart")
        for curves, rules, title in zip((single, two), (thresholds, middle), titles, strict=True)
    ]
    return alt.hconcat(*panels)


def normal_panel(curves: ChartRows, rules: ChartRows, title: str) -> Any:
    """Draw normal curves with thresholds."""
    x = alt.X("x:Q", title=None, axis=alt.Axis(grid=False))
    # the names of thresholds stand above the curves
    y = alt.Y("y:Q", title=None, axis=None, scale=alt.Scale(domain=[0, 0.48]))
    colour = alt.Color("curve:N", title=None, legend=alt.Legend(orient="bottom"))
    curve_layer = canvas(curves, 270, 200).mark_line().encode(x=x, y=y, color=colour)
    cuts = canvas(rules, 270, 200).mark_rule(strokeDash=[4, 3]).encode(x=x)
    names = canvas(rules, 270, 200).mark_text(align="left", dx=4, dy=8, baseline="top").encode(
        x=x, y=alt.value(0), text="rate:N"
    )  # fmt: skip
    return (curve_layer + cuts + names).properties(title=title)


@cache
def appendix_c() -> Any:
    """Draw the landscape of each metric except Rand, for a class of 50 among 1800 documents."""
    panels = [landscape_panel(metric) for metric in NAMES if metric != "rand"]
    return alt.concat(*panels, columns=3, spacing=24).resolve_scale(color="independent")


def landscape_panel(metric: str) -> Any:
    """Draw the contours of a metric, dark for low values, without numbers, which differ between metrics."""
    panel = unpadded_landscape(metric, POSITIVES, NEGATIVES, LEVELS)
    panel.encoding.color.legend = None
    for axis, name in ((panel.encoding.x, "fpr"), (panel.encoding.y, "tpr")):
        axis.title = name
    return panel.properties(width=200, height=200, title=NAMES[metric])


def figure11(cutoffs: ChartRows) -> Any:
    """Draw F, precision and recall of 1000 terms by BNS against the cutoff of rare words."""
    points = [
        {"goal": name, "cutoff": row["cutoff"], "value": row[goal]}
        for row in cutoffs
        for goal, name in (("f1", "F-measure"), ("precision", "precision"), ("recall", "recall"))
    ]
    x = alt.X("cutoff:Q", title="words of fewer documents are left out")
    y = alt.Y("value:Q", title="averaged over problems", scale=alt.Scale(zero=False))
    return canvas(points).mark_line(point=True).encode(x=x, y=y, color=alt.Color("goal:N", title="goal"))


def figure12(problems: ChartRows) -> Any:
    """Draw the numbers of documents inside and outside the class of each problem."""
    marks = [m * 10**n for n in range(5) for m in (1, 2, 5)]
    x, y = (
        channel(
            f"{name}:Q",
            title=f"documents {where} the class",
            scale=alt.Scale(type="log", nice=False, padding=8),
            axis=alt.Axis(values=marks, format="~s"),
        )
        for channel, name, where in ((alt.X, "positive", "inside"), (alt.Y, "negative", "outside"))
    )
    return canvas(problems, height=340).mark_point(size=24).encode(x=x, y=y)


def figure22(weights: ChartRows) -> Any:
    """Draw precision and recall by number of terms, a line for each weight of positive terms."""
    panels = []
    for goal in ("precision", "recall"):
        goal_rows = [row | {"size": int(row["size"])} for row in weights if row["goal"] == goal]
        sizes = sorted({row["size"] for row in goal_rows})
        x = log_axis("size", "number of terms", sizes, (sizes[0], sizes[-1]), padding=6)
        y = alt.Y("value:Q", title=f"{goal}, averaged over problems", scale=alt.Scale(zero=False))
        colour = alt.Color("alpha:O", title="alpha", scale=alt.Scale(scheme="viridis"))
        points = alt.OverlayMarkDef(size=18)
        panels.append(canvas(goal_rows, 330).mark_line(point=points).encode(x=x, y=y, color=colour))
    return alt.hconcat(*panels)
