"""The tables: curves, printed figures beside ours, statements by interpretation; the filters of page.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import altair as alt

from termsift._internal.tables import Table
from termsift_studies.charts import (
    ChartRows,
    canvas,
    load_chart_rows,
    log_axis,
    pad_charts,
    stroke_legend,
    style_scale,
)
from termsift_studies.publishing import Rows
from termsift_studies.study import (
    Line,
    Lines,
    Row,
    build_tables,
    compare_with_print,
    count_verdicts,
    load_published,
)
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


def tang_tables(rows: list[Row]) -> dict[str, Table]:
    """All tables, from the rows of all units."""
    found, facts = tang_outcomes(rows), tabulate_sets(rows)
    said = tang_statements(found)
    return build_tables({
        "sets": facts,
        "curves": tabulate_measures(found),
        "printed": tabulate_printed(found, facts),
        "statements": said,
        "interpretations": count_by_interpretation(said),
        "above": tabulate_above(found),
        "greedy": greedy_against_md(found),
        "summary": percents_by_size(found),
    })  # fmt: skip


def tabulate_sets(rows: list[Row]) -> Lines:
    """How large corpora and sets are, and in how many parts they are judged."""
    folds = Counter(row["set"] for row in rows if row["method"] == ALL and row["classifier"] == "NB")
    own = {row["set"]: row for row in rows if row["documents"]}
    return [
        {"set": name, "parts": folds.get(name, 0)}
        | {what: int(row[what]) for what in ("documents", "terms", "classes")}
        for name, row in own.items()
    ]


def tabulate_measures(found: TangOutcomes) -> Iterator[Line]:
    """Every measure by set, classifier, method and size, averaged over folds: figures 1 to 6."""
    for (name, classifier), values in found.everything.items():
        own = dict.fromkeys(MEASURED) | {goal: round(value, 5) for goal, value in values.items()}
        yield {"set": name, "classifier": classifier, "method": ALL, "size": ALL} | own
    for name, classifier, method in found.parts:
        means = {
            measure: found.curve(name, method, classifier, measure).round(5).tolist() for measure in MEASURED
        }
        for i, size in enumerate(found.sizes[classifier].tolist()):
            cells: dict[str, Any] = {measure: values[i] for measure, values in means.items()}
            yield {"set": name, "classifier": classifier, "method": method, "size": size} | cells


def tabulate_printed(found: TangOutcomes, facts: Lines) -> Iterator[Line]:
    """The figures that the paper prints and we have, ours and the difference."""
    whole = {line["set"]: line for line in facts}
    for line in load_published("tang2016", "figures"):
        ours: float | None = None
        if line["quantity"] in ("documents", "classes") and line["set"] in whole:
            ours = whole[line["set"]][line["quantity"]]
        elif line["quantity"] == "accuracy" and line["set"] in found.sets:
            ours = round(100 * found.at(int(line["size"]), line["set"], line["method"]), 2)
        if ours is not None:
            named = {name: line[name] for name in ("where", "quantity", "set", "method", "size")}
            yield named | compare_with_print(float(line["value"]), ours, 2)


def count_by_interpretation(said: Lines) -> Iterator[Line]:
    """How many statements hold in each interpretation of the other methods; ALT-COMP has two classes here."""
    counted = [line for line in said if ALT_COMP["alt-comp-6"] not in line["statement"]]
    for interpretation in (*INTERPRETATIONS, ANY):
        own = [line for line in counted if line["interpretation"] == interpretation]
        yield {"interpretation": interpretation, "statements": len(own)} | count_verdicts(own)


def tabulate_above(found: TangOutcomes) -> Iterator[Line]:
    """The share of sizes at which MD and MD-chi2 are above each other method, in each of its interpretations."""
    others = [method for method in METHODS if method not in PROPOSED]
    for name, classifier, other in product(found.sets, found.sizes, others):
        shares = {m: round(found.above(name, m, other, classifier), 3) for m in PROPOSED}
        yield {"set": name, "classifier": classifier, "other": other} | shares


def greedy_against_md(found: TangOutcomes) -> Iterator[Line]:
    """What the exact ranking gains over MD, in points of accuracy: averaged over sizes, and at some."""
    for name, classifier in product(found.sets, found.sizes):
        # adding 0 makes a negative zero plain
        gains = 100 * (found.curve(name, GREEDY, classifier) - found.curve(name, "md", classifier))
        by_size = dict(zip(found.sizes[classifier].tolist(), (gains.round(2) + 0.0).tolist(), strict=True))
        shared = found.at(1000, name, GREEDY, classifier, "shared") / 1000
        averaged = {
            "mean gain": round(float(gains.mean()), 2) + 0.0,
            "sizes above": round(found.above(name, GREEDY, "md", classifier), 3),
        }
        some = {f"at {size}": by_size[size] for size in (100, 500, 1000, 2000)}
        named = {"set": name, "classifier": classifier}
        yield named | averaged | some | {"in common at 1000": round(shared, 3)}


def percents_by_size(found: TangOutcomes) -> Iterator[Line]:
    """Accuracy and F1 in per cent at a few sizes, a line a set, classifier and method."""
    for name, classifier, goal in product(found.sets, found.sizes, GOALS):
        common = {"set": name, "classifier": classifier, "goal": goal}
        everything = {ALL: round(100 * found.everything[name, classifier][goal], 2)}
        for method in (*METHODS, GREEDY):
            values = {str(k): round(100 * found.at(k, name, method, classifier, goal), 2) for k in SHOWN}
            yield common | {"method": method} | values | everything


def name_methods(rows: Rows) -> Rows:
    """Rows with methods as the paper names them; some are of no method."""
    return [row | {"method": row["method"] and method_name(row["method"])} for row in rows]


def name_sets(rows: Rows, titles: Mapping[str, str]) -> Rows:
    """Rows with the titles of their sets."""
    return [row | {"set": titles[row["set"]]} for row in rows]


def above_by_set(rows: Rows, titles: Mapping[str, str]) -> Rows:
    """At how many sizes MD and MD-chi2 are above each other method, in the order of titles."""
    both = {(r["set"], r["other"]): f"{float(r['md']):.0%}, {float(r['md_chi2']):.0%}" for r in rows}
    others = list(dict.fromkeys(row["other"] for row in rows))
    return [
        {"MD, MD-chi2 above": title} | {method_name(other): both[name, other] for other in others}
        for name, title in titles.items()
    ]


def format_accuracies(rows: Rows, *sizes: str) -> Rows:
    """Accuracies by method, with two digits at each size."""
    return [row | {size: f"{float(row[size]):.2f}" for size in sizes} for row in name_methods(rows)]


def accuracy_list(rows: Rows, *methods: str) -> str:
    """Methods, each with its accuracy in per cent."""
    found = {row["method"]: 100 * float(row["accuracy"]) for row in rows}
    return ", ".join(f"{method_name(method)} {found[method]:.2f}" for method in methods)


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
    """The charts that the tables have results for, by name."""
    lines = [drawn for row in load_chart_rows(tables / "curves.csv", ()) if (drawn := chart_row(row))]
    # what is drawn first is covered: MD shows where the greedy ranking is the same
    lines.sort(key=lambda row: row["method"] != METHOD_LABELS["greedy"])
    found = {row["set"] for row in lines}
    charts = {}
    if "20-newsgroups" in found:
        charts["figure1"] = newsgroups_chart(lines)
    for name, titles, classifier in (
        ("figure2", ALT_COMP_TITLES, "NB"),
        ("figure3", REUTERS, "NB"),
        ("figure4", {"tdt2-10": "TDT2-10"}, "NB"),
        ("figure5", REUTERS, "SVM"),
    ):
        own = {one: title for one, title in titles.items() if one in found}
        if own:
            charts[name] = both_measures(lines, own, classifier)
    if "reuters-20" in found:
        charts["figure6"] = measure_panel(lines, "reuters-20", "NB", "divergence", "REUTERS-20", width=560)
    return pad_charts(charts)


def chart_row(row: dict[str, str]) -> dict[str, Any]:
    """A row as it is drawn: measures in per cent; nothing for all terms, and for interpretations not shown."""
    metric, *interpretation = row["method"].split()
    way = interpretation[0] if interpretation else WHOLE
    if metric not in METHOD_LABELS or way not in DASHES:
        return {}
    measured = {"accuracy": 100 * float(row["accuracy"]), "f1": 100 * float(row["f1"])}
    place = {"set": row["set"], "classifier": row["classifier"], "size": int(row["size"])}
    named = {"method": METHOD_LABELS[metric], "interpretation": way, "divergence": float(row["divergence"])}
    return place | named | measured


def newsgroups_chart(lines: ChartRows) -> Any:
    """Accuracy on 20-NEWSGROUPS, and the better methods at many terms from near."""
    near = [row for row in lines if row["size"] >= ZOOM and row["method"] not in ("DF", "χ² of eq. 9")]
    near = [row for row in near if (row["method"], row["interpretation"]) != ("GSS", "weighted")]
    whole = measure_panel(lines, "20-newsgroups", "NB", "accuracy", "20-NEWSGROUPS, NB")
    return alt.hconcat(whole, measure_panel(near, "20-newsgroups", "NB", "accuracy", f"from {ZOOM} terms on"))


def both_measures(lines: ChartRows, titles: dict[str, str], classifier: str) -> Any:
    """A row of two panels for each set: accuracy and F1."""

    def one(name: str, measure: str) -> Any:
        return measure_panel(lines, name, classifier, measure, f"{titles[name]}, {classifier}")

    return alt.vconcat(*[alt.hconcat(one(name, "accuracy"), one(name, "f1")) for name in titles])


def measure_panel(
    lines: ChartRows, name: str, classifier: str, measure: str, title: str, width: int = PANEL_WIDTH
) -> Any:
    """A measure against the number of terms: colours for methods, dashes for interpretations of them."""
    kept = ("method", "interpretation", "size", measure)
    own = [
        {what: row[what] for what in kept}
        for row in lines
        if row["set"] == name and row["classifier"] == classifier
    ]
    sizes = [row["size"] for row in own]
    marks = [k for k in MARKS if min(sizes) <= k <= max(sizes)]
    x = log_axis("size", "number of terms", marks, [min(sizes), max(sizes)])
    legend, dashes = stroke_legend(), style_scale(list(DASHES), DASHES)
    return canvas(own, width, PANEL_HEIGHT).mark_line().encode(
        x=x,
        y=alt.Y(f"{measure}:Q", title=MEASURES[measure], scale=alt.Scale(zero=False)),
        color=alt.Color("method:N", scale=style_scale(list(COLOURS), COLOURS), legend=legend),
        strokeDash=alt.StrokeDash("interpretation:N", title="over classes", scale=dashes, legend=legend),
        strokeWidth=alt.StrokeWidth("method:N", scale=style_scale(list(WIDTHS), WIDTHS), legend=legend),
    ).properties(title=title)  # fmt: skip
