"""Tables of printed and our figures, filters for page.md, and figures."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from statistics import median_high
from typing import Any

import altair as alt
import numpy as np

from termsift._internal.tables import Table
from termsift_studies import study
from termsift_studies.plotting import WIDTH, ChartRows, canvas, load_chart_rows
from termsift_studies.publishing import Rows, pivot_rows, thousandths
from termsift_studies.zheng2004 import statements
from termsift_studies.zheng2004.sampling import tabulate_imbalance

STUDY = "zheng2004"
METHOD = "method "  # before its name, of a measure that is of one method alone
METRIC_NAMES = {"IG": "sig", "CHI": "cc", "ORS": "or"}
HEADS = {
    "one-sided": "one-sided", "two-sided": "sign ignored", "practical": "practical", "cv": "cross-validation",
    "ideal": "ideal",
}  # fmt: skip


def zheng_tables(rows: list[study.Row], categories: Collection[int]) -> dict[str, Table]:
    """Build all tables that the rows have results for; `categories` are those of tables 1 to 5."""
    studied = statements.zheng_outcomes(rows, categories)
    every_category = statements.zheng_outcomes(rows, {int(row["category"]) for row in rows})
    compared = {f"table{n}": compare_averages(n, studied) for n in range(1, 6)}
    return study.build_tables({
        **compared,
        "table6": compare_largest_categories(rows),
        "table7": compare_largest_values(rows, categories),
        "summary": differences_by_table(compared, len(categories)),
        "averages": tabulate_averages({"studied": studied, "all": every_category}),
        "ratios": tabulate_ratios(studied),
        "curves": tabulate_ratio_curves(rows),
        "figure3": tabulate_best_ratios(tabulate_ratio_curves(rows)),
        "imbalance": tabulate_imbalance(rows, studied),
        "shares": category_shares(rows),
        "claims": statements.zheng_statements(studied, every_category, rows),
    })  # fmt: skip


def compare_averages(n: int, outcomes: statements.ZhengOutcomes) -> study.Lines:
    """Compare tables 1 to 5: F1 at the break-even point by method and size."""
    table_rows = []
    for row in study.load_published(STUDY, f"table{n}"):
        key = row["classifier"], row["method"], row["size"], "shared"
        if key in outcomes.confusions:
            together, ours = (outcomes.average(row["average"], (*key[:3], t)) for t in ("together", "shared"))
            labels = {name: row[name] for name in ("classifier", "average", "method", "size")}
            compared = study.compare_with_print(float(row["value"]), ours, 4)
            table_rows.append(labels | compared | {"ours, ties together": round(together, 4)})
    return table_rows


def compare_largest_categories(rows: list[study.Row]) -> study.Lines:
    """Compare table 6: the two largest categories."""
    by_category = {name: statements.zheng_outcomes(rows, [n]) for n, name in ((1, "earn"), (2, "acq"))}
    table_rows = []
    for row in study.load_published(STUDY, "table6"):
        key = row["classifier"], row["method"], row["size"], "shared"
        scored = by_category[row["category"]]
        if key in scored.confusions:
            labels = {name: row[name] for name in ("category", "classifier", "method", "size")}
            table_rows.append(labels | study.compare_with_print(float(row["value"]), scored.micro(key), 4))
    return table_rows


def compare_largest_values(rows: list[study.Row], categories: Collection[int]) -> study.Lines:
    """Compare table 7: the largest values of positive and of negative terms."""
    ours = {
        (row["category"], row["metric"], row["scenario"]): float(row["value"])
        for row in rows
        if row["scenario"] in ("max+", "max-")
    }
    names = {row["category"]: row["name"] for row in rows}
    table_rows = []
    for row in study.load_published(STUDY, "table7"):
        number, metric, sign = row["category_id"], row["metric"], row["sign"]
        if int(number) in categories:
            theirs, value = float(row["value"]), ours[number, METRIC_NAMES[metric], f"max{sign}"]
            labels = {"category": number, "name": names[number], "metric": metric, "sign": sign}
            share = {"relative": round(value / theirs - 1, 4), "rounds": rounds_to(value, row["value"])}
            table_rows.append(labels | {"printed": theirs, "ours": float(f"{value:.4g}")} | share)
    return table_rows


def rounds_to(value: float, printed: str) -> bool:
    """Check if a value rounds to the printed digits.

    >>> rounds_to(0.0316, "0.03"), rounds_to(0.0316, "0.031")
    (True, False)
    """
    # half a unit of the last printed digit, with a little slack for binary fractions
    digits = len(printed.partition(".")[2])
    return bool(abs(value - float(printed)) <= 0.5 * 10**-digits * (1 + 1e-9))


def differences_by_table(compared_tables: dict[str, study.Lines], categories: int) -> study.Lines:
    """Return the mean difference and the mean absolute difference for each table and method.

    The printed figures are of 58 categories, whatever ours are of.
    """
    table_rows = []
    for name, cells in compared_tables.items():
        groups: dict[tuple[str, str], list[float]] = {}
        for cell in cells:
            differences = groups.setdefault((cell["classifier"], "every method"), [])
            if cell["method"] != "none":
                differences.append(cell["difference"])
            groups.setdefault((cell["classifier"], cell["method"]), []).append(cell["difference"])
        for (classifier, method), values in groups.items():
            labels = {"table": name, "classifier": classifier, "method": method, "categories": categories}
            far = {"largest": round(max(map(abs, values)), 4)}
            table_rows.append(labels | {"cells": len(values)} | study.summarize_differences(values, 4) | far)
    return table_rows


def tabulate_averages(groups: dict[str, statements.ZhengOutcomes]) -> Iterator[study.Line]:
    """Tabulate every average, including those not in the paper."""
    for group, outcomes in groups.items():
        for key in outcomes.confusions:
            labels = dict(zip(("classifier", "method", "size", "ties"), key, strict=True))
            yield (
                {"categories": group}
                | labels
                | {"micro": round(outcomes.micro(key), 4), "macro": round(outcomes.average("macro", key), 4)}
            )


def tabulate_ratios(outcomes: statements.ZhengOutcomes) -> study.Lines:
    """Tabulate the share of positive terms of each category at size 50: figures 2, 4 and 5."""

    def required_classifiers(key: statements.Key) -> bool:
        return key[2] == "50" and key[3] == "shared" and not np.isnan(outcomes.ratio[key]).any()

    return [
        {"category": category, "classifier": key[0], "method": key[1], "ratio": ratio}
        for key in outcomes.ratio
        if required_classifiers(key)
        for category, ratio in zip(outcomes.categories, outcomes.ratio[key].tolist(), strict=True)
    ]


def tabulate_ratio_curves(rows: list[study.Row]) -> study.Lines:
    """Tabulate F1 by ratio for CC at size 50: figure 3."""
    table_rows = []
    for row in rows:
        if row["scenario"] == "curve" and row["size"] == "50":
            tp, fp, fn = (float(row[name]) for name in ("tp", "fp", "fn"))
            # F1 is 0 if nothing is accepted and nothing is missed
            value = 2 * tp / max(2 * tp + fp + fn, 1)
            labels = {name: row[name] for name in ("category", "name", "classifier", "ratio")}
            table_rows.append(labels | {"f1": round(value, 4)})
    return table_rows


def tabulate_best_ratios(curves: study.Lines) -> study.Lines:
    """Tabulate the optimal ratios of figure 3 and ours: F1 of CC, 50 terms, NB."""
    f1_by_category: dict[str, dict[float, float]] = {}
    for point in curves:
        if point["classifier"] == "NB":
            f1_by_category.setdefault(point["name"], {})[float(point["ratio"])] = point["f1"]
    table_rows = []
    for row in study.load_published(STUDY, "figures"):
        f1_by_ratio = f1_by_category.get(row["of"], {})
        if row["where"] == "figure 3" and f1_by_ratio:
            printed, highest = float(row["value"]), max(f1_by_ratio.values())
            best = [ratio for ratio, f1 in f1_by_ratio.items() if f1 == highest]
            labels = {"category": row["of"], "printed": printed, "ours": " ".join(map(str, best))}
            table_rows.append(labels | {"f1 at printed": f1_by_ratio[printed], "f1 at best": highest})
    return table_rows


def category_shares(rows: list[study.Row]) -> study.Lines:
    """Tabulate the percentage of training documents in each category: figure 1."""
    return [
        {"category": row["category"], "name": row["name"], "percent": float(row["value"])}
        for row in rows
        if row["scenario"] == "percent"
    ]


def farthest_method(rows: Rows, *methods: str) -> dict[str, str]:
    """Return the row of the method with the largest mean difference in a table."""
    by_method = [row for row in rows if row["method"] in methods]
    return max(by_method, key=lambda row: abs(float(row["mean difference"])))


def agreement(cells: Rows) -> dict[str, str]:
    """Return the numbers of cells within some differences, and the largest difference."""
    off = [abs(float(cell["difference"])) for cell in cells if cell["method"] != "none"]
    within = {f"within {limit}": f"{sum(d <= float(limit) for d in off)}" for limit in (".005", ".01", ".02")}
    return {"cells": f"{len(off)}"} | within | {"largest": thousandths(str(max(off)))}


def imbalance_by_size(rows: Rows, average: str) -> Rows:
    """Return the averages by classifier and method at the sizes tried by all; * for p below .05."""
    sizes = {row["size"] for row in rows if row["method"] in statements.SAMPLES.values()}
    labelled = [row | {"of": f"{row['classifier']} {row['method']}"} for row in rows if row["size"] in sizes]

    def cell(row: dict[str, str]) -> str:
        return thousandths(row[average]) + ("*" if float(row["p"]) < 0.05 else "")

    return pivot_rows(labelled, "of", "{size}", cell)


def count_significant(rows: Rows, classifier: str, method: str) -> str:
    """Format the number of sizes at which a method differs from the practical ratio (p < .05)."""
    p_values = [float(row["p"]) for row in rows if (row["classifier"], row["method"]) == (classifier, method)]
    return f"{sum(p < 0.05 for p in p_values)} of {len(p_values)}"


def printed_and_ours(row: dict[str, str]) -> str:
    """Format printed and our figure."""
    return f"{thousandths(row['printed'])} {thousandths(row['ours'])}"


def figures_by_size(rows: Rows, heads: str) -> Rows:
    """Return printed and our figures by number of terms."""
    selected = [row | {"terms": row["size"]} for row in rows if row["size"] != "all"]
    return pivot_rows(selected, "terms", heads, printed_and_ours)


def largest_values(cells: Rows) -> Rows:
    """Return the number of largest values that are close to the printed ones."""
    table_rows = []
    for metric, sign in [(metric, sign) for metric in ("IG", "CHI", "ORS") for sign in "+-"]:
        differences = [abs(float(c["relative"])) for c in cells if (c["metric"], c["sign"]) == (metric, sign)]
        rounded = sum(c["rounds"] == "True" for c in cells if (c["metric"], c["sign"]) == (metric, sign))
        counts = {"rounds to print": rounded, "within 3 %": sum(relative <= 0.03 for relative in differences)}
        count_texts = {name: f"{number} of {len(differences)}" for name, number in counts.items()}
        off = {"median relative difference": f"{median_high(differences):.4f}"}
        table_rows.append({"metric": metric, "sign": sign} | count_texts | off)
    return table_rows


def every_metric(averages: Rows) -> Rows:
    """Return the best micro-average over sizes of every one-sided metric, by scenario."""
    best_scores: dict[tuple[str, str], tuple[float, str]] = {}
    for row in averages:
        key, value = (row["classifier"], row["method"]), (float(row["micro"]), row["size"])
        best_scores[key] = max(value, best_scores.get(key, value))
    metrics = sorted({method[1:] for _, method in best_scores if method[0] == "i" and method[-1].isupper()})
    best = {key: f"{thousandths(str(value))} at {size}" for key, (value, size) in best_scores.items()}
    return [
        {"classifier": classifier, "metric": metric}
        | {
            head: best.get((classifier, statements.method_label(metric.lower(), s)), "")
            for s, head in HEADS.items()
        }
        for classifier in ("NB", "LR")
        for metric in metrics
    ]


def differences_by_method(interpretations: Rows) -> Rows:
    """Return the difference of each interpretation, a row per method."""
    measures = [name for name in interpretations[0] if name.startswith(METHOD)]
    by_measure = {m: {row["interpretation"]: row[m] for row in interpretations} for m in measures}
    return [{"method": m.removeprefix(METHOD)} | row for m, row in by_measure.items()]


ZHENG_FILTERS = (
    agreement, farthest_method, printed_and_ours, figures_by_size, imbalance_by_size, count_significant,
    largest_values, every_metric, differences_by_method,
)  # fmt: skip

NUMBERS = ("category", "ratio", "f1", "percent", "micro", "macro")
# the two largest and the two smallest of the 58
FIGURE_3 = ("money-fx", "grain", "dmk", "lumber")


def zheng_charts(tables: Path) -> dict[str, Any]:
    """Return the charts that the tables have results for, by name."""
    shares, ratios, curves = (
        load_chart_rows(tables / f"{name}.csv", NUMBERS) for name in ("shares", "ratios", "curves")
    )
    averages = [row for row in load_chart_rows(tables / "averages.csv", NUMBERS) if row["ties"] == "shared"]
    charts = {
        "figure1": shares_chart([row for row in shares if 3 <= row["category"] <= 60]),
        "figure2": shares_by_category([row for row in ratios if row["method"] in ("IG", "CHI", "ORS")], "NB"),
        "figure3": ratio_chart(
            [row for row in curves if row["name"] in FIGURE_3 and row["classifier"] == "NB"]
        ),
    }
    improved = [row for row in ratios if row["method"] in ("iSIG", "iCC", "iOR")]
    for name, ratio_name, classifier in (("figure6", "figure4", "NB"), ("figure7", "figure5", "LR")):
        if any(row["classifier"] == classifier for row in averages):
            charts[ratio_name] = shares_by_category(improved, classifier)
            charts[name] = averages_by_size(averages, classifier, "all", ("CC", "CHI", "iCC'", "iCC"))
            methods = ("CC", "CHI", "iCC'", "iCC cv", "iCC")
            studied = averages_by_size(averages, classifier, "studied", methods)
            charts[f"cross-validation-{classifier}"] = studied
    return charts


def shares_chart(values: ChartRows) -> Any:
    """Draw the percentage of training documents in each category."""
    return canvas(values).mark_bar(size=6).encode(
        x=alt.X("category:Q", title="category", scale=alt.Scale(domain=[2, 61])),
        y=alt.Y("percent:Q", title="training documents in the category, %"),
    )  # fmt: skip


def ratio_chart(values: ChartRows) -> Any:
    """Draw F1 against the share of positive terms."""
    return canvas(values).mark_line(point=True).encode(
        x=alt.X("ratio:Q", title="share of positive terms (CC, 50 terms, NB)"),
        y=alt.Y("f1:Q", title="F1 at the break-even point, test", scale=alt.Scale(domain=[0, 1])),
        color=alt.Color("name:N", title="category", sort=list(FIGURE_3)),
        strokeDash=alt.StrokeDash("name:N", legend=None, sort=list(FIGURE_3)),
    )  # fmt: skip


def shares_by_category(values: ChartRows, classifier: str) -> Any:
    """Draw the share of positive terms in each category, a panel per method."""
    classifier_rows = [row for row in values if row["classifier"] == classifier]
    panel = canvas(classifier_rows).mark_line(point=True).encode(
        x=alt.X("category:Q", title="category, the largest first", scale=alt.Scale(domain=[2, 61])),
        y=alt.Y("ratio:Q", title="share", scale=alt.Scale(domain=[0, 1])),
    )  # fmt: skip
    panels = alt.Row("method:N", title=f"share of positive terms among 50 ({classifier})")
    return panel.properties(height=110).facet(row=panels)


def averages_by_size(values: ChartRows, classifier: str, categories: str, methods: tuple[str, ...]) -> Any:
    """Draw F1 by number of terms, a line per method, with a rule for no selection."""
    selected = [row for row in values if row["classifier"] == classifier and row["categories"] == categories]
    points = [row | {"size": int(row["size"])} for row in selected if row["method"] in methods]
    none = [row for row in selected if row["method"] == "none"]
    of = "all 90 categories" if categories == "all" else "the 58 categories"
    y = alt.Y("micro:Q", title=f"micro-averaged F1, {of} ({classifier})", scale=alt.Scale(zero=False))
    curves = canvas(points).mark_line(point=True).encode(
        x=alt.X("size:Q", title="terms", scale=alt.Scale(type="log")),
        y=y,
        color=alt.Color("method:N", sort=list(methods)),
        strokeDash=alt.StrokeDash("method:N", legend=None, sort=list(methods)),
    )  # fmt: skip
    rule = canvas([row | {"what": "no selection"} for row in none]).mark_rule(color="gray").encode(y=y)
    label = canvas(none).mark_text(align="right", x=WIDTH - 4, dy=-6, color="gray").encode(
        y=y, text=alt.value("no selection")
    )  # fmt: skip
    return curves + rule + label
