"""Tables of curves, printed figures and statements, filters for page.md, and figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import altair as alt

from termsift._internal.tables import Table
from termsift_studies import study
from termsift_studies.plotting import (
    ChartRows,
    canvas,
    load_chart_rows,
    log_axis,
    pad_charts,
    stroke_legend,
    style_scale,
)
from termsift_studies.publishing import Rows
from termsift_studies.tang2016.statements import (
    ALT_COMP,
    ANY,
    GOALS,
    MEASURED,
    TangOutcomes,
    tang_outcomes,
    tang_statements,
)
from termsift_studies.tang2016.trials import ALL, GREEDY, INTERPRETATIONS, METHODS, PROPOSED, method_name

SHOWN = (10, 20, 50, 100, 200, 500, 1000, 2000)


def tang_tables(rows: list[study.Row]) -> dict[str, Table]:
    """Build all tables from the rows of all units."""
    outcomes, facts = tang_outcomes(rows), tabulate_sets(rows)
    statements = tang_statements(outcomes)
    return study.build_tables({
        "sets": facts,
        "curves": tabulate_measures(outcomes),
        "printed": tabulate_printed(outcomes, facts),
        "statements": statements,
        "interpretations": count_by_interpretation(statements),
        "above": tabulate_above(outcomes),
        "greedy": greedy_against_md(outcomes),
        "summary": percents_by_size(outcomes),
    })  # fmt: skip


def tabulate_sets(rows: list[study.Row]) -> study.Lines:
    """Tabulate the sizes of corpora and sets and their number of test folds."""
    folds = Counter(row["set"] for row in rows if row["method"] == ALL and row["classifier"] == "NB")
    set_rows = {row["set"]: row for row in rows if row["documents"]}
    return [
        {"set": name, "parts": folds.get(name, 0)}
        | {column: int(row[column]) for column in ("documents", "terms", "classes")}
        for name, row in set_rows.items()
    ]


def tabulate_measures(outcomes: TangOutcomes) -> Iterator[study.Line]:
    """Tabulate every measure by set, classifier, method and size, averaged over folds: figures 1 to 6."""
    for (name, classifier), values in outcomes.everything.items():
        unselected = dict.fromkeys(MEASURED) | {goal: round(value, 5) for goal, value in values.items()}
        yield {"set": name, "classifier": classifier, "method": ALL, "size": ALL} | unselected
    for name, classifier, method in outcomes.measures:
        means = {
            measure: outcomes.curve(name, method, classifier, measure).round(5).tolist()
            for measure in MEASURED
        }
        for i, size in enumerate(outcomes.sizes[classifier].tolist()):
            cells: dict[str, Any] = {measure: values[i] for measure, values in means.items()}
            yield {"set": name, "classifier": classifier, "method": method, "size": size} | cells


def tabulate_printed(outcomes: TangOutcomes, facts: study.Lines) -> Iterator[study.Line]:
    """Tabulate the printed figures that we have, ours and the difference."""
    facts_by_set = {figure["set"]: figure for figure in facts}
    for figure in study.load_published("tang2016", "figures"):
        ours: float | None = None
        if figure["quantity"] in ("documents", "classes") and figure["set"] in facts_by_set:
            ours = facts_by_set[figure["set"]][figure["quantity"]]
        elif figure["quantity"] == "accuracy" and figure["set"] in outcomes.sets:
            ours = round(100 * outcomes.at(int(figure["size"]), figure["set"], figure["method"]), 2)
        if ours is not None:
            labels = {name: figure[name] for name in ("where", "quantity", "set", "method", "size")}
            yield labels | study.compare_with_print(float(figure["value"]), ours, 2)


def count_by_interpretation(statements: study.Lines) -> Iterator[study.Line]:
    """Count the verdicts in each interpretation of the baselines, with two classes of ALT-COMP."""
    counted = [row for row in statements if ALT_COMP["alt-comp-6"] not in row["statement"]]
    for interpretation in (*INTERPRETATIONS, ANY):
        selected = [row for row in counted if row["interpretation"] == interpretation]
        counts = study.count_verdicts(selected)
        yield {"interpretation": interpretation, "statements": sum(counts.values())} | counts


def tabulate_above(outcomes: TangOutcomes) -> Iterator[study.Line]:
    """Tabulate the share of sizes at which MD and MD-chi2 are above each baseline in each interpretation."""
    baselines = [method for method in METHODS if method not in PROPOSED]
    for name, classifier, baseline in product(outcomes.sets, outcomes.sizes, baselines):
        shares = {m: round(outcomes.above(name, m, baseline, classifier), 3) for m in PROPOSED}
        yield {"set": name, "classifier": classifier, "other": baseline} | shares


def greedy_against_md(outcomes: TangOutcomes) -> Iterator[study.Line]:
    """Tabulate the gain of the exact ranking over MD in points of accuracy."""
    for name, classifier in product(outcomes.sets, outcomes.sizes):
        # adding 0 makes a negative zero plain
        gains = 100 * (outcomes.curve(name, GREEDY, classifier) - outcomes.curve(name, "md", classifier))
        by_size = dict(zip(outcomes.sizes[classifier].tolist(), (gains.round(2) + 0.0).tolist(), strict=True))
        shared = outcomes.at(1000, name, GREEDY, classifier, "shared") / 1000
        averaged = {
            "mean gain": round(float(gains.mean()), 2) + 0.0,
            "sizes above": round(outcomes.above(name, GREEDY, "md", classifier), 3),
        }
        some = {f"at {size}": by_size[size] for size in (100, 500, 1000, 2000)}
        labels = {"set": name, "classifier": classifier}
        yield labels | averaged | some | {"in common at 1000": round(shared, 3)}


def percents_by_size(outcomes: TangOutcomes) -> Iterator[study.Line]:
    """Tabulate accuracy and F1 in per cent at a few sizes, a row per set, classifier and method."""
    for name, classifier, goal in product(outcomes.sets, outcomes.sizes, GOALS):
        common = {"set": name, "classifier": classifier, "goal": goal}
        everything = {ALL: round(100 * outcomes.everything[name, classifier][goal], 2)}
        for method in (*METHODS, GREEDY):
            values = {str(k): round(100 * outcomes.at(k, name, method, classifier, goal), 2) for k in SHOWN}
            yield common | {"method": method} | values | everything


def name_methods(rows: Rows) -> Rows:
    """Replace methods by their names in the paper."""
    return [row | {"method": row["method"] and method_name(row["method"])} for row in rows]


def name_sets(rows: Rows, titles: Mapping[str, str]) -> Rows:
    """Replace sets by their titles."""
    return [row | {"set": titles[row["set"]]} for row in rows]


def above_by_set(rows: Rows, titles: Mapping[str, str]) -> Rows:
    """Return the share of sizes at which MD and MD-chi2 are above each baseline, in the order of titles."""
    share_texts = {(r["set"], r["other"]): f"{float(r['md']):.0%}, {float(r['md_chi2']):.0%}" for r in rows}
    baselines = list(dict.fromkeys(row["other"] for row in rows))
    return [
        {"MD, MD-chi2 above": title}
        | {method_name(baseline): share_texts[name, baseline] for baseline in baselines}
        for name, title in titles.items()
    ]


def format_accuracies(rows: Rows, *sizes: str) -> Rows:
    """Format accuracies by method with two digits at each size."""
    return [row | {size: f"{float(row[size]):.2f}" for size in sizes} for row in name_methods(rows)]


def accuracy_list(rows: Rows, *methods: str) -> str:
    """Format methods with their accuracies in per cent."""
    accuracies = {row["method"]: 100 * float(row["accuracy"]) for row in rows}
    return ", ".join(f"{method_name(method)} {accuracies[method]:.2f}" for method in methods)


TANG_FILTERS = (name_methods, name_sets, above_by_set, format_accuracies, accuracy_list)

# as the paper names them
METHOD_LABELS = {
    "df": "DF", "cet": "CET", "chi2": "χ²", "chi2_joint": "χ² of eq. 9", "gss": "GSS", "md": "MD",
    "md_chi2": "MD-χ²", "greedy": "greedy",
}  # fmt: skip
COLOURS = {
    "DF": "#17becf", "CET": "#2ca02c", "χ²": "#1f77b4", "χ² of eq. 9": "#8c564b", "GSS": "#9467bd",
    "MD": "#d62728", "MD-χ²": "#ff7f0e", "greedy": "#b0b0b0",
}  # fmt: skip
WIDTHS = dict.fromkeys(COLOURS, 1.6) | {"greedy": 3.2}
WHOLE = "one score"
DASHES = {WHOLE: [1, 0], "max": [6, 3], "weighted": [2, 2]}
MEASURES = {"accuracy": "accuracy, %", "f1": "F1 weighted by class, %", "divergence": "JMH divergence"}
ALT_COMP_TITLES = {"alt-comp": "alt.* against comp.*", "alt-comp-6": "ALT-COMP, six classes"}
REUTERS = {f"reuters-{n}": f"REUTERS-{n}" for n in (10, 20, 30)}
PANEL_WIDTH, PANEL_HEIGHT = 360, 240
ZOOM = 500
MARKS = (10, 20, 50, 100, 200, 500, 1000, 2000)


def tang_charts(tables: Path) -> dict[str, Any]:
    """Return the charts that the tables have results for, by name."""
    points = [drawn for row in load_chart_rows(tables / "curves.csv", ()) if (drawn := chart_row(row))]
    # what is drawn first is covered: MD shows where the greedy ranking is the same
    points.sort(key=lambda row: row["method"] != METHOD_LABELS["greedy"])
    sets = {row["set"] for row in points}
    # a quick run has results of some sets only
    charts = {}
    if "20-newsgroups" in sets:
        charts["figure1"] = newsgroups_chart(points)
    for name, titles, classifier in (
        ("figure2", ALT_COMP_TITLES, "NB"),
        ("figure3", REUTERS, "NB"),
        ("figure4", {"tdt2-10": "TDT2-10"}, "NB"),
        ("figure5", REUTERS, "SVM"),
    ):
        available = {name: title for name, title in titles.items() if name in sets}
        if available:
            charts[name] = both_measures(points, available, classifier)
    if "reuters-20" in sets:
        charts["figure6"] = measure_panel(points, "reuters-20", "NB", "divergence", "REUTERS-20", width=560)
    return pad_charts(charts)


def chart_row(row: dict[str, str]) -> dict[str, Any]:
    """Return a row with measures in per cent, empty if it is not drawn."""
    metric, *interpretation = row["method"].split()
    way = interpretation[0] if interpretation else WHOLE
    if metric not in METHOD_LABELS or way not in DASHES:
        return {}
    measured = {"accuracy": 100 * float(row["accuracy"]), "f1": 100 * float(row["f1"])}
    position = {"set": row["set"], "classifier": row["classifier"], "size": int(row["size"])}
    labels = {"method": METHOD_LABELS[metric], "interpretation": way, "divergence": float(row["divergence"])}
    return position | labels | measured


def newsgroups_chart(points: ChartRows) -> Any:
    """Draw accuracy on 20-NEWSGROUPS, and a close-up of the better methods at many terms."""
    near = [row for row in points if row["size"] >= ZOOM and row["method"] not in ("DF", "χ² of eq. 9")]
    near = [row for row in near if (row["method"], row["interpretation"]) != ("GSS", "weighted")]
    overview = measure_panel(points, "20-newsgroups", "NB", "accuracy", "20-NEWSGROUPS, NB")
    zoomed = measure_panel(near, "20-newsgroups", "NB", "accuracy", f"from {ZOOM} terms on")
    return alt.hconcat(overview, zoomed)


def both_measures(points: ChartRows, titles: dict[str, str], classifier: str) -> Any:
    """Draw panels of accuracy and F1 for each set."""

    def one(name: str, measure: str) -> Any:
        return measure_panel(points, name, classifier, measure, f"{titles[name]}, {classifier}")

    return alt.vconcat(*[alt.hconcat(one(name, "accuracy"), one(name, "f1")) for name in titles])


def measure_panel(
    points: ChartRows, name: str, classifier: str, measure: str, title: str, width: int = PANEL_WIDTH
) -> Any:
    """Draw a measure by number of terms: colours for methods, dashes for their interpretations."""
    columns = ("method", "interpretation", "size", measure)
    selected = [
        {column: row[column] for column in columns}
        for row in points
        if row["set"] == name and row["classifier"] == classifier
    ]
    sizes = [row["size"] for row in selected]
    marks = [k for k in MARKS if min(sizes) <= k <= max(sizes)]
    x = log_axis("size", "number of terms", marks, [min(sizes), max(sizes)])
    legend, dashes = stroke_legend(), style_scale(list(DASHES), DASHES)
    return canvas(selected, width, PANEL_HEIGHT).mark_line().encode(
        x=x,
        y=alt.Y(f"{measure}:Q", title=MEASURES[measure], scale=alt.Scale(zero=False)),
        color=alt.Color("method:N", scale=style_scale(list(COLOURS), COLOURS), legend=legend),
        strokeDash=alt.StrokeDash("interpretation:N", title="over classes", scale=dashes, legend=legend),
        strokeWidth=alt.StrokeWidth("method:N", scale=style_scale(list(WIDTHS), WIDTHS), legend=legend),
    ).properties(title=title)  # fmt: skip
