"""Accuracies and times over the splits of a corpus, the paper's statements, tables and figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import Any, TypeAlias

import altair as alt

from termsift._internal.tables import Table
from termsift_studies import study
from termsift_studies.jiang_lee.trials import ALL, SIZES, WEIGHTS
from termsift_studies.plotting import ChartRows, canvas, load_chart_rows, log_axis, pad_charts
from termsift_studies.publishing import Rows, pivot_rows

Key: TypeAlias = tuple[str, str, str]
# where, if not in the corpus's own section, what, our figure, and whether its parts hold
Claim: TypeAlias = tuple[str, str, str, list[bool]]
MOST = SIZES[-1]
# of each corpus: the section, the classes, and how far class weights are below all words
PLACES = {"20news": ("section 4.1", 20, 0.22), "reuters10": ("section 4.2", 10, 2.52)}
# standard errors of the difference of two accuracies above which one is better beyond chance
BEYOND_CHANCE = 2
# the least features with which clusters are better than class weights
CLUSTERS_FROM = {"20news": 5000, "reuters10": 200}


@dataclass(frozen=True, slots=True, eq=False)
class JiangOutcomes:
    """Accuracies in per cent and seconds of the splits, by corpus, method and number of features.

    judged : by corpus, the number of test documents of all splits together
    """

    accuracies: dict[Key, list[float]]
    times: dict[Key, list[float]]
    judged: dict[str, int]

    def accuracy(self, corpus: str, method: str, features: object) -> float:
        """Return the mean accuracy over splits."""
        return mean(self.accuracies[corpus, method, str(features)])

    def spread(self, key: Key) -> float:
        """Return the standard deviation over splits, 0 for a single split."""
        values = self.accuracies[key]
        return stdev(values) if len(values) > 1 else 0.0

    def seconds(self, corpus: str, method: str, features: object) -> float:
        """Return the mean time over splits."""
        return mean(self.times[corpus, method, str(features)])

    def sizes(self, corpus: str, method: str) -> list[int]:
        """Return the numbers of features of a method, ascending."""
        return sorted(int(key[2]) for key in self.accuracies if key[:2] == (corpus, method))


def collect_outcomes(rows: Iterable[study.Row]) -> JiangOutcomes:
    """Collect the outcomes from the rows of all units."""
    accuracies: dict[Key, list[float]] = defaultdict(list)
    times: dict[Key, list[float]] = defaultdict(list)
    judged: dict[tuple[str, str], int] = {}
    for row in rows:
        judged[row["corpus"], str(row["split"])] = int(row["judged"])
        key = row["corpus"], row["method"], str(row["features"])
        accuracies[key].append(100 * int(row["right"]) / int(row["judged"]))
        times[key].append(float(row["seconds"]))
    totals = {name: sum(n for (corpus, _), n in judged.items() if corpus == name) for name, _ in judged}
    return JiangOutcomes(dict(accuracies), dict(times), totals)


def jiang_statements(outcomes: JiangOutcomes) -> list[study.Line]:
    """Check all statements, if all sizes were run."""
    # a quick run lacks the sizes that statements refer to
    if any(outcomes.sizes(corpus, "DC") != list(SIZES) for corpus in PLACES):
        return []
    return [row for corpus in PLACES for row in corpus_statements(JiangAnalysis(outcomes, corpus))]


class JiangAnalysis:
    """Outcomes of one corpus in the paper's terms."""

    def __init__(self, outcomes: JiangOutcomes, corpus: str) -> None:
        self.outcomes, self.corpus = outcomes, corpus
        self.where, self.classes, self.below = PLACES[corpus]
        self.weights = outcomes.accuracy(corpus, WEIGHTS, self.classes)
        self.all_words = outcomes.accuracy(corpus, ALL, "all")

    def of(self, method: str, features: int) -> float:
        """Return an accuracy."""
        return self.outcomes.accuracy(self.corpus, method, features)

    def time(self, method: str, features: int) -> float:
        """Return the time of a method as a multiple of that of class weights."""
        base = self.outcomes.seconds(self.corpus, WEIGHTS, self.classes)
        return self.outcomes.seconds(self.corpus, method, features) / base

    def better(self, method: str, by: float = 0.0) -> list[int]:
        """Return the numbers of features with which a method is better than class weights by some points."""
        return [size for size in SIZES if self.of(method, size) > self.weights + by]

    @property
    def noise(self) -> float:
        """Points by which two accuracies near that of class weights may differ by chance."""
        variance = 2 * self.weights * (100 - self.weights) / self.outcomes.judged[self.corpus]
        return float(BEYOND_CHANCE * variance**0.5)


def corpus_statements(analysis: JiangAnalysis) -> Iterator[study.Line]:
    """Check the statements on one corpus."""
    yield from accuracy_statements(analysis)
    yield from check_claims(analysis, time_claims(analysis))


def accuracy_statements(analysis: JiangAnalysis) -> Iterator[study.Line]:
    """Check the statements that do not depend on time."""
    yield from check_claims(analysis, (*weight_claims(analysis), *accuracy_claims(analysis)))


def check_claims(analysis: JiangAnalysis, every: Iterable[Claim]) -> Iterator[study.Line]:
    """Add verdicts to claims."""
    for where, text, figure, checks in every:
        yield study.check(where or analysis.where, f"{analysis.corpus}: {text}", figure, checks)


def weight_claims(analysis: JiangAnalysis) -> Iterator[Claim]:
    """Yield claims on class weights against all words and against the other methods."""
    weights, words = f"class weights {analysis.weights:.2f}", f"all words {analysis.all_words:.2f}"
    lost = analysis.all_words - analysis.weights
    text = f"class weights are {analysis.below} points below all words"
    yield "", text, f"{weights}, {words}: {-lost:+.2f}", [lost <= analysis.below]

    other_accuracies = {method: analysis.of(method, analysis.classes) for method in ("DC", "IG")}
    figure = ", ".join([weights, *(f"{m} {v:.2f}" for m, v in other_accuracies.items())])
    text = f"with {analysis.classes} features class weights are better than DC and IG"
    yield "", text, figure, [analysis.weights > value for value in other_accuracies.values()]

    threshold, better = CLUSTERS_FROM[analysis.corpus], analysis.better("DC")
    # below the threshold a lead must be beyond chance to contradict the paper
    early = [size for size in analysis.better("DC", analysis.noise) if size < threshold]
    large = [size for size in SIZES if size >= threshold]
    text = f"DC is better than class weights only from {threshold} features on"
    figure = f"{weights}; DC is better with {format_better_sizes(analysis, 'DC')}"
    figure += f"; {analysis.noise:.2f} points may be chance"
    yield "", text, figure, [not early, set(large) <= set(better)]

    figure = f"{weights}; IG is better with {format_better_sizes(analysis, 'IG')}; {words}"
    if analysis.corpus == "20news":
        checks = [not analysis.better("IG"), analysis.all_words > analysis.weights]
        yield "", "IG is better than class weights only with all words", figure, checks
    else:
        text = "IG with 5000 features is better than class weights"
        yield "", text, figure, [MOST in analysis.better("IG")]


def format_better_sizes(analysis: JiangAnalysis, method: str) -> str:
    """Format the sizes with which a method is better than class weights, with its accuracies."""
    better = [f"{size} ({analysis.of(method, size):.2f})" for size in analysis.better(method)]
    return ", ".join(better) or "none"


def accuracy_claims(analysis: JiangAnalysis) -> Iterator[Claim]:
    """Yield claims on 5000 features against all words, and on clusters against information gain."""
    method = "DC" if analysis.corpus == "20news" else "IG"
    value = analysis.of(method, MOST)
    text = f"{method} with {MOST} features is better than all words"
    figure = f"{method} {value:.2f}, all words {analysis.all_words:.2f}"
    yield "", text, figure, [value > analysis.all_words]

    wins = [size for size in SIZES if analysis.of("DC", size) > analysis.of("IG", size)]
    figure = f"with {len(wins)} of {len(SIZES)} numbers of features: {', '.join(map(str, wins))}"
    text = "DC is more accurate than IG with as many features"
    yield "section 1", text, figure, [size in wins for size in SIZES]


def time_claims(analysis: JiangAnalysis) -> Iterator[Claim]:
    """Yield the claim on the times of clusters.

    That of information gain is not tested: it is 3 or 4 % above that of class weights in print, and ours
    vary more from run to run.
    """
    ratios = [analysis.time("DC", size) for size in SIZES]
    figure = f"{min(ratios):.1f} times as long with {SIZES[ratios.index(min(ratios))]} features, "
    figure += f"{ratios[-1]:.1f} times with {MOST}"
    text = "DC takes longer than class weights, with any number of features"
    yield "", text, figure, [ratio > 1 for ratio in ratios]


STUDY = "jiang-lee"
# of each corpus the printed tables of accuracy and of time
TABLES = {"20news": (1, 2), "reuters10": (3, 4)}
# IG has one printed time, for any number of features: ours is that of the most
IG_FEATURES = "5000"


def jiang_tables(rows: list[study.Row]) -> dict[str, Table]:
    """Build all tables that the rows have results for."""
    outcomes = collect_outcomes(rows)
    accuracy = {corpus: tabulate_accuracies(outcomes, corpus) for corpus in TABLES}
    every = {f"table{TABLES[corpus][0]}": table_rows for corpus, table_rows in accuracy.items()}
    every |= {f"table{TABLES[corpus][1]}": tabulate_times(outcomes, corpus) for corpus in TABLES}
    every |= {"summary": differences_by_method(accuracy), "statements": jiang_statements(outcomes)}
    return study.build_tables(every | {"words": tabulate_words(rows)})


def tabulate_accuracies(outcomes: JiangOutcomes, corpus: str) -> study.Lines:
    """Tabulate tables 1 and 3: accuracy in per cent, with its standard deviation over splits."""
    table_rows = []
    for row in study.load_published(STUDY, f"table{TABLES[corpus][0]}"):
        key = corpus, row["method"], row["features"]
        if key in outcomes.accuracies:
            compared = study.compare_with_print(float(row["accuracy"]), outcomes.accuracy(*key), 2)
            spread = {"deviation": round(outcomes.spread(key), 2)}
            table_rows.append({"method": key[1], "features": key[2]} | compared | spread)
    return table_rows


def tabulate_times(outcomes: JiangOutcomes, corpus: str) -> study.Lines:
    """Tabulate tables 2 and 4: seconds, and multiples of class weights, since machines are decades apart."""
    output = []
    cells = study.load_published(STUDY, f"table{TABLES[corpus][1]}")
    first = next(row for row in cells if row["method"] == WEIGHTS)
    for row in cells:
        # the paper prints one time of IG for any number of features
        features = IG_FEATURES if row["features"] == "any" else row["features"]
        if (corpus, row["method"], features) in outcomes.times:
            theirs = float(row["seconds"])
            ours = outcomes.seconds(corpus, row["method"], features)
            base = outcomes.seconds(corpus, WEIGHTS, first["features"])
            labels = {"method": row["method"], "features": row["features"], "printed": theirs}
            ratios = {"printed, times": round(theirs / float(first["seconds"]), 2)}
            output.append(labels | {"ours": round(ours, 3)} | ratios | {"ours, times": round(ours / base, 2)})
    return output


def differences_by_method(tabled: dict[str, study.Lines]) -> study.Lines:
    """Return the differences of our accuracies in points for each corpus and method."""
    table_rows = []
    for corpus, cells in tabled.items():
        for method in dict.fromkeys(["every method", *(cell["method"] for cell in cells)]):
            differences = [c["difference"] for c in cells if method in ("every method", c["method"])]
            labels = {"corpus": corpus, "method": method, "cells": len(differences)}
            table_rows.append(
                labels | study.summarize_differences(differences, 2) | {"largest": max(differences, key=abs)}
            )
    return table_rows


def tabulate_words(rows: list[study.Row]) -> study.Lines:
    """Tabulate the vocabulary and the number of test documents of each corpus and split."""
    splits = {(row["corpus"], row["split"]): row for row in rows}
    return [
        {"corpus": corpus, "split": split, "words": row["words"], "judged": row["judged"]}
        for (corpus, split), row in splits.items()
    ]


def accuracy_cell(row: dict[str, str]) -> str:
    """Format printed, ours and difference."""
    return f"{float(row['printed']):.2f}, {float(row['ours']):.2f}, {float(row['difference']):+.2f}"


def accuracies_by_size(rows: Rows) -> Rows:
    """Return the accuracies of DC and IG by number of features."""
    selecting = [row for row in rows if row["method"] in ("DC", "IG")]
    return pivot_rows(selecting, "features", "{method}", accuracy_cell)


def extra_seconds(rows: Rows, method: str, features: str) -> float:
    """Return the seconds that a method takes more than class weights."""
    ours = {(row["method"], row["features"]): float(row["ours"]) for row in rows}
    return ours[method, features] - next(seconds for (name, _), seconds in ours.items() if name == WEIGHTS)


def add_interpretations(statements: Rows, tried: Rows) -> Rows:
    """Return statements that do not fully hold, with the interpretations of each verdict."""
    rows = []
    for statement in statements:
        tested = [row for row in tried if row["statement"] == statement["statement"]]
        if statement["verdict"] != "holds" and tested:
            labels = {name: statement[name] for name in ("statement", "ours", "verdict")}
            rows.append(
                labels | {verdict: join_interpretations(tested, verdict) for verdict in study.VERDICTS}
            )
    return rows


def join_interpretations(tried: Rows, verdict: str) -> str:
    """Join the interpretations under which a statement has a verdict."""
    return "; ".join(row["interpretation"] for row in tried if row["verdict"] == verdict) or "none"


JIANG_FILTERS = (accuracy_cell, accuracies_by_size, extra_seconds, add_interpretations)

NUMBERS = ("printed", "ours", "printed, times", "ours, times", "words")
# of each corpus the tables of accuracy and of time, and its name
CORPUS_TITLES = {"20news": (1, 2, "20 Newsgroups"), "reuters10": (3, 4, "Reuters, ten classes")}
COLOURS = {"class weights": "#d62728", "DC": "#1f77b4", "IG": "#2ca02c"}
WHOSE = ("printed", "ours")
HIGH = 340


def jiang_charts(tables: Path) -> dict[str, Any]:
    """Return the charts that the tables have results for, by name."""
    words = {row["corpus"]: row["words"] for row in load_chart_rows(tables / "words.csv", NUMBERS)}
    charts = {}
    for corpus, (accuracy, time, title) in CORPUS_TITLES.items():
        accuracy_rows = load_chart_rows(tables / f"table{accuracy}.csv", NUMBERS)
        charts[f"accuracy-{corpus}"] = draw_methods(
            extend_to_all_words(accuracy_rows, words[corpus]), "", f"accuracy, %: {title}", "linear"
        )
        timed = [
            row for row in load_chart_rows(tables / f"table{time}.csv", NUMBERS) if row["features"] != "any"
        ]
        charts[f"time-{corpus}"] = draw_methods(timed, ", times", f"time, class weights = 1: {title}", "log")
    return pad_charts(charts)


def extend_to_all_words(rows: ChartRows, words: float) -> ChartRows:
    """Make all words the last point of both lines."""
    unselected = [row for row in rows if row["method"] == "all words"]
    # with all words both methods are the same classifier
    ends = [row | {"method": method, "features": words} for row in unselected for method in ("DC", "IG")]
    return [row for row in rows if row["method"] != "all words"] + ends


def draw_methods(rows: ChartRows, column: str, title: str, scale: str) -> Any:
    """Draw a line per method, printed figures dashed; class weights are a point with a level line."""
    points = split_points(rows, column)
    y = alt.Y("value:Q", title=title, scale=alt.Scale(type=scale, zero=scale == "linear"))
    color = color_scale({point["method"] for point in points})
    dash = alt.StrokeDash("whose:N", title=None, scale=alt.Scale(domain=list(WHOSE), range=[[5, 4], [1, 0]]))
    layer = canvas(points, height=HIGH).encode(x=along(points), y=y, color=color)
    levels = canvas([point for point in points if point["method"] == WEIGHTS], height=HIGH)
    rule = levels.mark_rule(opacity=0.6).encode(y=y, color=color, strokeDash=dash)
    return layer.mark_line().encode(strokeDash=dash) + layer.mark_circle(size=40, opacity=1) + rule


def split_points(rows: ChartRows, column: str) -> ChartRows:
    """Return the printed figure and ours of each row as separate points."""
    return [
        {"method": row["method"], "features": float(row["features"]), "whose": whose}
        | {"value": row[f"{whose}{column}"]}
        for row in rows
        for whose in WHOSE
    ]


def along(points: ChartRows) -> Any:
    """Return the axis of the number of features."""
    features = sorted({point["features"] for point in points})
    return log_axis("features", "number of features", features, [features[0], features[-1]], padding=8)


def color_scale(methods: set[str]) -> Any:
    """Return the colours of the methods."""
    present = [method for method in COLOURS if method in methods]
    colours = alt.Scale(domain=present, range=[COLOURS[method] for method in present])
    return alt.Color("method:N", scale=colours, legend=alt.Legend(symbolType="stroke", symbolStrokeWidth=3))
