"""A page per estimator: what it makes of a matrix, it at work on tickets, a picture, when to use it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import altair as alt

import termsift as ts
from metric_pages import picture_file, plain, section
from policy_pages import BLUE, GREY, ORANGE
from reference_pages import SECTION
from worked_examples import run_example, shown_example

READ = """\
import csv

{imports}import termsift as ts

with open("tickets.csv", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
texts, labels = [row["text"] for row in rows], [row["label"] for row in rows]
"""
COUNT = """\
vectorizer = ts.TermVectorizer()
X, words = vectorizer.fit_transform(texts), vectorizer.get_feature_names_out()
"""


@dataclass(frozen=True)
class EstimatorWords:
    """What the page of an estimator says that its code does not: a shape, an example, when to use it, a chart."""

    gives: str
    code: str
    when: str
    draw: Callable[[dict[str, Any]], tuple[Any, str]] | None = None
    counted: bool = True
    imports: str = ""


def ratio_curve(names: dict[str, Any]) -> tuple[Any, str]:
    """How well a classifier does by the share of positive terms."""
    selector = names["selector"]
    rows = [
        {"ratio": float(x), "f1": float(y)}
        for x, y in zip(selector.ratios_, selector.path_scores_, strict=True)
    ]
    chart = curve(rows, "ratio", "f1", "share of positive terms", "F1 at the break-even point")
    mark = (
        alt.Chart(alt.Data(values=[{"ratio": float(selector.ratio_)}]))
        .mark_rule(color=ORANGE)
        .encode(x="ratio:Q")
    )
    return chart + mark, (
        "F1 of `returns` by the share of positive terms among twenty; the rule marks the share that was chosen. "
        f"With terms of the class alone it is {rows[-1]['f1']:.3f}, at the chosen {selector.ratio_:g} it is {max(row['f1'] for row in rows):.3f}."
    )


def divergence_curves(names: dict[str, Any]) -> tuple[Any, str]:
    """Draw the divergence of the first terms, by the search and by the metric that scores single terms."""
    rows = [
        {"terms": i + 1, "divergence": float(value), "choice": choice}
        for choice in ("greedy", "md")
        for i, value in enumerate(names[choice])
    ]
    chart = curve(rows, "terms", "divergence", "terms", "divergence of the classes", "choice")
    return chart, (
        "How far apart the terms taken so far hold the classes: by the search, and by `md`, which scores each term by itself. "
        f"After twenty terms it is {names['greedy'][19]:.3f} against {names['md'][19]:.3f}."
    )


def class_features(names: dict[str, Any]) -> tuple[Any, str]:
    """Draw the features of one ticket."""
    rows = [
        {"class": name, "feature": float(value)}
        for name, value in zip(names["extractor"].classes_, names["features"], strict=True)
    ]
    chart = (
        alt.Chart(alt.Data(values=rows), width=420, height=110)
        .mark_bar(color=BLUE)
        .encode(
            x=alt.X("feature:Q", title="occurrences that speak for the class"), y=alt.Y("class:N", title=None)
        )
    )
    return chart, "The features of that ticket: its words, shared out among the classes."


def curve(
    rows: list[dict[str, Any]], x: str, y: str, x_title: str, y_title: str, colour: str | None = None
) -> Any:
    """Draw a line, or one per colour."""
    chart = (
        alt.Chart(alt.Data(values=rows), width=440, height=220)
        .mark_line(color=BLUE)
        .encode(
            x=alt.X(f"{x}:Q", title=x_title), y=alt.Y(f"{y}:Q", title=y_title, scale=alt.Scale(zero=False))
        )
    )
    return (
        chart.encode(color=alt.Color(f"{colour}:N", title=None, scale=alt.Scale(range=[BLUE, GREY])))
        if colour
        else chart
    )


WORDS = {
    "TermVectorizer": EstimatorWords(
        "a sparse matrix of texts, a row per text and a column per word",
        "vectorizer = ts.TermVectorizer(min_df=20)\nX = vectorizer.fit_transform(texts)\nprint(X.shape, *vectorizer.get_feature_names_out()[:8])\n",
        "Wherever `CountVectorizer` stands in a pipeline: the results are the same, the scan is compiled and takes threads. "
        "With `analyzer=ts.Analyzer(...)` it also reads scripts that `CountVectorizer` does not part into words.",
        counted=False,
    ),
    "TermSelector": EstimatorWords(
        "k of the columns, unchanged",
        'selector = ts.TermSelector("ig", k=8).fit(X, labels)\nprint(*words[selector.selection_])\nprint(X.shape, "->", selector.transform(X).shape)\nprint(selector)\n',
        "As the step between a vectorizer and a classifier. Inside a pipeline the terms are chosen in each fold from its training part alone, "
        "so that a cross-validated figure is honest. Any [policy](../policies.md) takes the place of `k`.",
    ),
    "TermWeighter": EstimatorWords(
        "all columns, each multiplied by the score of its term",
        'weighter = ts.TermWeighter("bns").fit(X, labels)\nbest = weighter.weights_.argsort()[::-1][:5]\nfor i in best:\n    print(f"{words[i]:10} {weighter.weights_[i]:.2f}")\n',
        "In place of tf-idf, where labels should say which words matter. `bns` is BNS scaling (Forman 2008), `rf` and `igm` are those of "
        "Lan et al. (2009) and Chen et al. (2016). No term is dropped.",
    ),
    "ScoreFunction": EstimatorWords(
        "scores and p-values, for scikit-learn's `SelectKBest`, `SelectPercentile`, `SelectFdr` and others",
        'selector = SelectKBest(ts.ScoreFunction("bns"), k=5).fit(X, labels)\nprint(*words[selector.get_support()])\n',
        "Where scikit-learn's own selectors are in place already and only the score should change. "
        "[TermSelector](TermSelector.md) does more: policies, significance, `partial_fit`, a selection that is saved as data.",
        imports="from sklearn.feature_selection import SelectKBest\n\n",
    ),
    "PositiveNegativeSelector": EstimatorWords(
        "k of the columns: some that speak for a class, some against it",
        'returns = [int(label == "returns") for label in labels]\nselector = ts.PositiveNegativeSelector("cc", k=20, cv=5).fit(X, returns)\nprint("share of positive terms:", selector.ratio_)\nprint(*words[selector.selection_][:10])\n',
        "For a rare class, where words of other classes tell what a document is not. Give `cv=`: without it the documents that were fitted are "
        "judged, which favours shares that fit them too closely. [The paper, repeated](../studies/zheng2004.md).",
        draw=ratio_curve,
    ),
    "RedundancyAwareSelector": EstimatorWords(
        "k of the columns that do not repeat each other",
        'plain = ts.TermSelector("ig", k=8).fit(X, labels)\napart = ts.RedundancyAwareSelector("cmim", k=8, metric="ig").fit(X, labels)\nprint("ig:  ", *words[plain.selection_])\nprint("cmim:", *words[apart.selection_])\n',
        "For a few dozen terms, where the best come from the same phrases. [The policy](../policies/RedundancyAware.md) of that name shows how many more "
        "documents such a choice reaches.",
    ),
    "GreedyDiscriminationSelector": EstimatorWords(
        "k of the columns that together hold the classes furthest apart",
        'search = ts.GreedyDiscriminationSelector(k=20).fit(X, labels)\nprint(*words[search.ranking_][:8])\nfrom termsift.selection import divergences\n\ncounts = ts.count(texts, labels)\ngreedy = search.divergences_\nmd = divergences(counts, ts.select(counts, "md", ts.TopK(20)))\nprint(greedy[-1].round(3), md[-1].round(3))\n',
        "Before multinomial naive Bayes, whose divergence it maximizes. The plain metric `md` is nearly as good and needs no search; "
        "[the paper](../studies/tang2016.md) compares them.",
        draw=divergence_curves,
    ),
    "ClassWeightExtractor": EstimatorWords(
        "one new column per class",
        "extractor = ts.ClassWeightExtractor().fit(X, labels)\nfeatures = extractor.transform(X[:1])[0]\nprint(texts[0])\nprint(extractor.explain(X[:1], labels[0], input_features=words).head(4))\n",
        "For a handful of dense features that need no tuning: input for a small model, or a chart of where a document lies among the classes. "
        "[The paper, repeated](../studies/jiang-lee.md).",
        draw=class_features,
    ),
    "WordClusterExtractor": EstimatorWords(
        "one new column per cluster of words, the sum of theirs",
        'clusters = ts.WordClusterExtractor(n_clusters=8).fit(X, labels)\nfor name in clusters.get_feature_names_out(words):\n    print(name)\nprint(X.shape, "->", clusters.transform(X).shape)\n',
        "For few features that lose little: synonyms and rare words of a class share a column instead of being dropped. `clustering=ts.DivisiveClustering(max_iter=20)` "
        "limits the number of rounds.",
    ),
}


def estimator_pages(pictures: Path) -> dict[str, str]:
    """Return the pages of all estimators by their paths, and the page that lists them."""
    pages = {
        f"estimators/{name}.md": estimator_page(name, partial(picture_file, pictures=pictures))
        for name in WORDS
    }
    return pages | {"estimators.md": list_page()}


def list_page() -> str:
    """All estimators, each in a line."""
    rows = "".join(f"| [`{name}`](estimators/{name}.md) | {words.gives} |\n" for name, words in WORDS.items())
    names = "\n".join(f"estimators/{name}" for name in WORDS)
    return (
        "# Estimators\n\nThese are steps for pipelines of scikit-learn.\n"
        "Each page shows one at work on [tickets.csv](data/tickets.csv), and when to use it.\n\n"
        f"| estimator | makes of its input |\n|---|---|\n{rows}\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"
    )


def estimator_page(name: str, drawn: Callable[[dict[str, Any]], str]) -> str:
    """One estimator: what it says of itself, it at work, a picture where there is one, when to use it.

    drawn : from a chart to the name of its picture
    """
    words = WORDS[name]
    summary = SECTION.split(inspect.getdoc(getattr(ts, name)) or "")[0]
    code = READ.replace("{imports}", words.imports) + (COUNT if words.counted else "") + words.code
    printed, names = run_example(code)
    parts = [
        f"# {name}",
        plain(summary.strip())
        if name != "ScoreFunction"
        else "Any metric as a score function of scikit-learn.",
    ]
    parts += [f"It gives {words.gives}.", section("Example", shown_example(code, printed))]
    if words.draw:
        chart, sentence = words.draw(names)
        parts.append(f"![{name} at work](../pictures/{drawn(chart.to_dict())})\n\n{sentence}")
    parts += [
        section("When to use it", words.when),
        f"Parameters and attributes: [the reference](../reference/{name}.md).",
    ]
    return "\n\n".join(parts) + "\n"
