"""Outcomes as arrays (splits, groups, methods, sizes) by goal; statements, tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
from scipy.stats import spearmanr

from termsift._internal.tables import Table
from termsift._internal.typing import Array
from termsift.counts import ratio
from termsift.evaluation import Confusion, wilcoxon
from termsift_studies.plotting import ChartRows, canvas, line_styles, load_chart_rows, pad_charts
from termsift_studies.publishing import Rows, thousandths
from termsift_studies.study import BY_CONSTRUCTION, Line, Lines, Row, build_tables, check
from termsift_studies.uchyigit_clark.trials import SIZES

GOALS = ("precision", "recall", "f1", "f2")


@dataclass(frozen=True, eq=False)
class UchyigitOutcomes:
    """Decisions about groups and their method of averaging.

    methods : their names
    decisions : (splits, groups, methods, sizes) for the group against the rest
    averaging : the name of a way of AVERAGES
    """

    methods: tuple[str, ...]
    decisions: Confusion
    averaging: str = "groups"

    @cached_property
    def values(self) -> dict[str, Array]:
        """Values of each goal, (splits, groups, methods, sizes)."""
        confusion = self.decisions
        measured = confusion.precision, confusion.recall, confusion.f1, confusion.f_beta(2.0)
        return {goal: values[..., 0] for goal, values in zip(GOALS, measured, strict=True)}

    @cached_property
    def averages(self) -> dict[str, Array]:
        """Means over splits and groups of each goal, (methods, sizes): the curves of figures 1 to 4."""
        return AVERAGES[self.averaging](self)

    def with_averaging(self, averaging: str) -> UchyigitOutcomes:
        """Return the outcomes with another method of averaging."""
        return self if averaging == self.averaging else replace(self, averaging=averaging)

    def curve(self, goal: str, method: str) -> Array:
        """Return the averages of a method, (sizes,)."""
        values: Array = self.averages[goal][self.methods.index(method)]
        return values

    def level(self, goal: str, method: str) -> float:
        """Return the mean of a curve over its sizes."""
        return float(self.curve(goal, method).mean())

    def deviation(self, goal: str, method: str) -> float:
        """Return the standard deviation of the level over splits."""
        levels = self.values[goal][:, :, self.methods.index(method)].mean(axis=(1, 2))
        return float(levels.std(ddof=1)) if len(levels) > 1 else 0.0

    def p_value(self, goal: str, better: str, worse: str) -> float:
        """Return Wilcoxon's p-value over groups that the level of one method is not larger than another's."""
        # groups are the independent units; splits and sizes are averaged before the test
        levels = self.values[goal].mean(axis=(0, 3))
        a, b = (levels[:, self.methods.index(method)] for method in (better, worse))
        return wilcoxon(a, b, alternative="greater").p_value


def average_groups(outcomes: UchyigitOutcomes) -> dict[str, Array]:
    """Return means over groups and splits; undefined precision is 0."""
    return {goal: values.mean(axis=(0, 1)) for goal, values in outcomes.values.items()}


def average_defined(outcomes: UchyigitOutcomes) -> dict[str, Array]:
    """Return the same, with precision averaged over the groups with an accepted post."""
    # precision is undefined if no post is accepted
    accepted = (outcomes.decisions.tp + outcomes.decisions.fp)[..., 0] > 0
    precision = ratio(outcomes.values["precision"].sum(axis=(0, 1)), accepted.sum(axis=(0, 1)))
    return average_groups(outcomes) | {"precision": precision}


def average_then_combine(outcomes: UchyigitOutcomes) -> dict[str, Array]:
    """Return F1 and F2 of mean precision and recall."""
    means = average_groups(outcomes)
    p, r = means["precision"], means["recall"]
    return means | {"f1": ratio(2 * p * r, p + r), "f2": ratio(5 * p * r, 4 * p + r)}


def pool_groups(outcomes: UchyigitOutcomes) -> dict[str, Array]:
    """Return the measures of the pooled decisions of all groups."""
    return average_groups(UchyigitOutcomes(outcomes.methods, outcomes.decisions.pool(axis=1)[:, None]))


AVERAGES: dict[str, Callable[[UchyigitOutcomes], dict[str, Array]]] = {
    "groups": average_groups,
    "where defined": average_defined,
    "of means": average_then_combine,
    "pooled": pool_groups,
}


def uchyigit_outcomes(rows: list[Row]) -> dict[str, UchyigitOutcomes]:
    """Return the rows of all units as arrays by interpretation."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row["interpretation"], []).append(row)
    return {name: interpretation_outcomes(members) for name, members in groups.items()}


def interpretation_outcomes(rows: list[Row]) -> UchyigitOutcomes:
    """Return the rows of one interpretation as arrays."""
    splits, groups, methods = (
        {name: i for i, name in enumerate(dict.fromkeys(row[column] for row in rows))}
        for column in ("split", "group", "metric")
    )
    sizes = {str(size): i for i, size in enumerate(SIZES.tolist())}
    decisions = np.zeros((len(splits), len(groups), len(methods), len(sizes), 3))
    for row in rows:
        index = splits[row["split"]], groups[row["group"]], methods[row["metric"]], sizes[row["size"]]
        decisions[index] = int(row["tp"]), int(row["fp"]), int(row["fn"])
    return UchyigitOutcomes(tuple(methods), group_decisions(decisions))


def group_decisions(decisions: Array) -> Confusion:
    """Return a Confusion from true positives, false positives and false negatives along the last axis.

    The rows omit true negatives, which none of the paper's measures uses.
    """
    tp, fp, fn = np.moveaxis(decisions, -1, 0)
    return Confusion(("group",), tp + fp + fn, tp[..., None], fp[..., None], fn[..., None], tp)


# what "similar", "no difference" and "as well as" are taken to mean: points of the measure
ALIKE = 0.01
LEAST_CORRELATION = 0.8
TEN = ("CHI", "NGL", "GSS", "MI", "IG", "OR", "WF", "Fisher", "BSS/WSS", "GU")


def uchyigit_statements(outcomes: UchyigitOutcomes, score_names: Mapping[str, str]) -> list[Line]:
    """Check all statements: section, statement, our figure and verdict.

    score_names : which scores stand for a method of the paper, where it can be read in several ways
    """
    contest = TenMethods(outcomes, score_names)
    by_goal = (*precision_statements(contest), *recall_statements(contest), *f_statements(contest))
    return [*by_goal, *conclusions(contest)]


@dataclass(frozen=True, slots=True, eq=False)
class TenMethods:
    """Ten methods of the paper, each under one interpretation."""

    outcomes: UchyigitOutcomes
    score_names: Mapping[str, str]

    def curve(self, goal: str, method: str) -> Array:
        """Return the averages of a method, (sizes,)."""
        return self.outcomes.curve(goal, self.score_names.get(method, method))

    def of(self, goal: str, method: str) -> float:
        """Return the mean over sizes."""
        return self.outcomes.level(goal, self.score_names.get(method, method))

    def order(self, goal: str) -> list[str]:
        """Return the ten methods by their means over sizes, best first."""
        return sorted(TEN, key=lambda method: -self.of(goal, method))

    def count_extremes(self, goal: str, method: str, *, worst: bool = False) -> int:
        """Count the sizes at which a method is the best, or the worst."""
        curves = np.stack([self.curve(goal, name) for name in TEN])
        # argmax and argmin resolve ties in the order of TEN
        extremes = curves.argmin(axis=0) if worst else curves.argmax(axis=0)
        return int((extremes == TEN.index(method)).sum())

    def apart(self, goal: str, a: str, b: str) -> float:
        """Return the mean absolute difference of two curves."""
        return float(np.abs(self.curve(goal, a) - self.curve(goal, b)).mean())

    def format_best(self, goal: str, n: int) -> str:
        """Format the n best methods with their means."""
        return self.format_means(goal, *self.order(goal)[:n])

    def format_means(self, goal: str, *methods: str) -> str:
        """Format methods with their means over sizes."""
        return ", ".join(f"{method} {self.of(goal, method):.3f}" for method in methods)

    def rank(self, goal: str, method: str) -> int:
        """Return the rank of a method in a goal, 1 for the best."""
        return self.order(goal).index(method) + 1

    def is_next_to(self, goal: str, first: tuple[str, str]) -> bool:
        """Check whether GU is below each of two methods and above all others."""
        remaining = [name for name in TEN if name not in (*first, "GU")]
        mine = self.of(goal, "GU")
        below = [self.of(goal, name) > mine for name in first]
        return all(below) and all(self.of(goal, name) < mine for name in remaining)

    def gu_p_value(self, goal: str, rival: str) -> float:
        """Return the p-value that the level of GU is not larger than that of a rival."""
        gu, theirs = (self.score_names.get(method, method) for method in ("GU", rival))
        return self.outcomes.p_value(goal, gu, theirs)

    @property
    def sizes(self) -> int:
        """Number of sizes."""
        return int(self.outcomes.decisions.tp.shape[3])


def precision_statements(contest: TenMethods) -> Iterator[Line]:
    """Check section 4, figure 1."""
    where, goal = "section 4, figure 1", "precision"
    top = contest.order(goal)[:2]
    claim = "CHI and NGL have the best precision"
    yield check(where, claim, contest.format_best(goal, 6), ["CHI" in top, "NGL" in top])
    claim = "GU is next in precision after CHI and NGL"
    yield check(where, claim, contest.format_best(goal, 6), [contest.is_next_to(goal, ("CHI", "NGL"))])
    yield mi_worst_statement(contest, where, goal, "MI has the worst precision")


def recall_statements(contest: TenMethods) -> Iterator[Line]:
    """Check section 4, figure 2."""
    where, goal = "section 4, figure 2", "recall"
    top = contest.order(goal)[:2]
    claim = "IG and GSS have the best recall"
    yield check(where, claim, contest.format_best(goal, 4), ["IG" in top, "GSS" in top])
    claim = "GU is next in recall after IG and GSS"
    yield check(where, claim, contest.format_best(goal, 8), [contest.is_next_to(goal, ("IG", "GSS"))])


def f_statements(contest: TenMethods) -> Iterator[Line]:
    """Check section 4, figures 3 and 4."""
    yield gu_best_statement(contest, "section 4, figure 3", "f1")
    f1, f2 = ([contest.of(goal, method) for method in TEN] for goal in ("f1", "f2"))
    correlation = float(spearmanr(f1, f2).statistic)
    leaders = [contest.order(goal)[0] for goal in ("f1", "f2")]
    claim = "F2 shows what F1 shows"
    figure = f"best {' and '.join(leaders)}; rank correlation {correlation:.2f}"
    checks = [leaders[0] == leaders[1], correlation >= LEAST_CORRELATION]
    yield check("section 4, figure 4", claim, figure, checks)


def conclusions(contest: TenMethods) -> Iterator[Line]:
    """Check section 5."""
    where, f1 = "section 5", {method: contest.of("f1", method) for method in ("OR", "IG", "MI")}
    checks = [f1["OR"] > f1["IG"], f1["OR"] > f1["MI"]]
    yield check(
        where, "OR is better in F1 than IG and MI", contest.format_means("f1", "OR", "IG", "MI"), checks
    )

    figure = "; ".join(f"{goal} {contest.rank(goal, 'MI')}" for goal in GOALS)
    checks = [contest.order(goal)[-1] == "MI" for goal in GOALS]
    yield check(where, "MI is the worst of all", f"its place among ten: {figure}", checks)

    apart = {goal: contest.apart(goal, "CHI", "NGL") for goal in GOALS}
    figure = ", ".join(f"{goal} {value:.3f}" for goal, value in apart.items())
    checks = [value <= ALIKE for value in apart.values()]
    compared = check("sections 4, 5, figure 1", "NGL and CHI do not differ", f"apart by {figure}", checks)
    # without its sign NGL is the root of CHI, so the two rank words alike on any data
    is_root = contest.score_names.get("NGL", "NGL") == "NGL"
    yield compared | {"verdict": BY_CONSTRUCTION} if is_root else compared

    figure = "; ".join(f"{g} {contest.format_means(g, 'GSS', 'NGL', 'CHI')}" for g in ("f1", "f2"))
    checks = [contest.of(g, "GSS") <= contest.of(g, m) for g, m in product(("f1", "f2"), ("NGL", "CHI"))]
    yield check(where, "GSS is no better than NGL and CHI", figure, checks)

    top = contest.order("f1")[:4]
    checks = [name in top for name in ("CHI", "GU", "BSS/WSS", "NGL")]
    claim = "CHI, GU, BSS/WSS and NGL are the best with naive Bayes"
    yield check(where, claim, f"f1 {contest.format_best('f1', 6)}", checks)
    yield from gu_statements(contest)


def gu_statements(contest: TenMethods) -> Iterator[Line]:
    """Check section 5 on GU."""
    where, gu = "section 5", "GU"
    checks = [contest.order(goal)[0] == gu for goal in ("f1", "f2")]
    figure = "; ".join(f"{goal} {contest.format_best(goal, 4)}" for goal in ("f1", "f2"))
    yield check(where, "GU is best in F1 and F2", figure, checks)

    figure = "; ".join(f"{goal} {contest.format_means(goal, gu, 'CHI')}" for goal in ("f1", "f2"))
    checks = [contest.of(goal, gu) >= contest.of(goal, "CHI") - ALIKE for goal in ("f1", "f2")]
    yield check(where, "GU does as well as CHI", figure, checks)

    pairs = list(product(("f1", "f2"), ("OR", "IG")))
    figure = "; ".join(f"{goal} {contest.format_means(goal, gu, 'OR', 'IG')}" for goal in ("f1", "f2"))
    p = ", ".join(f"{goal} {name} {contest.gu_p_value(goal, name):.2g}" for goal, name in pairs)
    checks = [contest.of(goal, gu) > contest.of(goal, name) for goal, name in pairs]
    yield check(where, "GU is better than OR and IG", f"{figure}; p {p}", checks)


def gu_best_statement(contest: TenMethods, where: str, goal: str) -> Line:
    """Check that GU is the best in a goal, with the p-value against the best of the others."""
    order = contest.order(goal)
    runner_up = next(name for name in order if name != "GU")
    often, p = contest.count_extremes(goal, "GU"), contest.gu_p_value(goal, runner_up)
    figure = f"{contest.format_best(goal, 4)}; {contest.format_means(goal, 'GU')}, "
    figure += f"best at {often} of {contest.sizes} sizes; p above {runner_up} {p:.2g}"
    checks = [order[0] == "GU", often > contest.sizes / 2]
    return check(where, f"GU has the best {goal.upper()}", figure, checks)


def mi_worst_statement(contest: TenMethods, where: str, goal: str, claim: str) -> Line:
    """Check that MI is the worst in a goal."""
    often = contest.count_extremes(goal, "MI", worst=True)
    order = contest.order(goal)
    figure = f"{contest.format_means(goal, 'MI')}, {contest.rank(goal, 'MI')} of {len(order)}, "
    figure += f"worst at {often} of {contest.sizes} sizes; least {contest.format_means(goal, order[-1])}"
    return check(where, claim, figure, [order[-1] == "MI", often > contest.sizes / 2])


GU = ("GU proportions", "GU counts")
SHOWN = ("10", "50", "100", "200", "500", "1000")


def uchyigit_tables(rows: list[Row]) -> dict[str, Table]:
    """Build all tables of the study from the rows of all units."""
    outcomes = uchyigit_outcomes(rows)
    statements = [
        {"vocabulary": interpretation, "gu": gu} | row
        for interpretation, run_outcomes in outcomes.items()
        for gu in GU
        for row in uchyigit_statements(run_outcomes, {"GU": gu})
    ]
    return build_tables({
        "averages": [row for name in outcomes for row in tabulate_curves(name, outcomes[name])],
        "summary": [row for name in outcomes for row in tabulate_levels(name, outcomes[name])],
        "statements": statements,
        "verdicts": verdicts_by_interpretation(statements),
    })  # fmt: skip


def tabulate_curves(interpretation: str, outcomes: UchyigitOutcomes) -> Iterator[Line]:
    """Tabulate the averages of each method by size: figures 1 to 4."""
    for m, method in enumerate(outcomes.methods):
        for s, size in enumerate(SIZES.tolist()):
            values = {goal: round(float(outcomes.averages[goal][m, s]), 5) for goal in GOALS}
            yield {"vocabulary": interpretation, "metric": method, "size": size} | values


def tabulate_levels(interpretation: str, outcomes: UchyigitOutcomes) -> Iterator[Line]:
    """Tabulate means over sizes, best F1 first, with the deviation of F1 over splits and its best size."""
    for method in sorted(outcomes.methods, key=lambda method: -outcomes.level("f1", method)):
        values = {goal: round(outcomes.level(goal, method), 5) for goal in GOALS}
        curve = outcomes.curve("f1", method)
        best = {"best f1": round(float(curve.max()), 5), "at size": int(SIZES[curve.argmax()])}
        deviation = {"deviation of f1": round(outcomes.deviation("f1", method), 5)}
        yield {"vocabulary": interpretation, "metric": method} | values | deviation | best


def verdicts_by_interpretation(statements: Lines) -> Lines:
    """Return a row per statement with a column per interpretation."""
    targets: dict[str, Line] = {}
    for row in statements:
        target = targets.setdefault(row["statement"], {"where": row["where"], "statement": row["statement"]})
        target[f"{row['vocabulary']}, {row['gu']}"] = row["verdict"]
    return list(targets.values())


def measures_by_metric(summary: Rows, averages: Rows) -> Rows:
    """Return means over sizes, best F1 first, and F1 at some sizes."""
    f1 = {(row["metric"], row["size"]): row["f1"] for row in averages}
    return [
        {"metric": row["metric"]}
        | {name: thousandths(row[name]) for name in (*GOALS, "deviation of f1")}
        | {f"f1, {size} words": thousandths(f1[row["metric"], size]) for size in SHOWN}
        for row in summary
    ]


def verdict_count(rows: Rows, verdict: str) -> int:
    """Count the cells with a verdict."""
    return sum(list(row.values()).count(verdict) for row in rows)


UCHYIGIT_FILTERS = (measures_by_metric, verdict_count)

FIGURES_GOALS = {"precision": "precision", "recall": "recall", "f1": "F1", "f2": "F2"}
NUMBERS = ("size", *FIGURES_GOALS)
COLOURS = {
    "GU proportions": "#000000", "GU counts": "#000000", "CHI": "#1f77b4", "NGL": "#17becf", "GSS": "#2ca02c",
    "IG": "#d62728", "MI": "#a0a0a0", "OR": "#9467bd", "WF": "#bcbd22", "Fisher": "#8c564b",
    "BSS/WSS": "#ff7f0e",
}  # fmt: skip
DASHES = {"GU counts": [6, 3], "NGL": [3, 2]}
WIDTHS = {"GU proportions": 3, "GU counts": 2}
TITLES = {
    "room for all words": "selected words, room for all",
    "selected words": "selected words",
    "all words": "all words",
}


def uchyigit_charts(tables: Path) -> dict[str, Any]:
    """Return a chart per goal with a panel for each vocabulary of naive Bayes."""
    averages = load_chart_rows(tables / "averages.csv", NUMBERS)
    return pad_charts(
        {f"figure{n}": vocabulary_panels(averages, goal) for n, goal in enumerate(FIGURES_GOALS, 1)}
    )


def vocabulary_panels(averages: ChartRows, goal: str) -> Any:
    """Draw the averages of the methods by number of words."""
    panels = []
    for vocabulary, title in TITLES.items():
        selected = [row for row in averages if row["vocabulary"] == vocabulary]
        points = [{"metric": row["metric"], "size": row["size"], "value": row[goal]} for row in selected]
        panels.append(curves_panel(points, goal).properties(title=f"vocabulary: {title}"))
    return alt.hconcat(*panels)


def curves_panel(points: ChartRows, goal: str) -> Any:
    """Draw a line per method."""
    return canvas(points, 280, 320).mark_line().encode(
        x=alt.X(
            "size:Q",
            title="number of words",
            scale=alt.Scale(domain=[0, 1000]),
            axis=alt.Axis(values=list(range(0, 1001, 200)), format="d"),
        ),
        y=alt.Y("value:Q", title=f"{FIGURES_GOALS[goal]}, mean of groups", scale=alt.Scale(domain=[0, 1])),
        **line_styles(list(COLOURS), COLOURS, DASHES, WIDTHS),
    )  # fmt: skip
