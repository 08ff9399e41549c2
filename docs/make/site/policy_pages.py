"""A page per policy: what it keeps, whom it favours on a real corpus, when to use it, and it at work."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np

import termsift as ts
from metric_pages import CLASS, picture_file, plain, real_counts, section
from reference_pages import render_docstring
from worked_examples import shown_command

BLUE, GREY, ORANGE = "#1b6ca8", "#9aa4b1", "#b5541c"


@dataclass(frozen=True)
class PolicyWords:
    """What the page of a policy says that its code does not: the figure's policy, when to use it, a command."""

    drawn: Any
    when: str
    command: str
    metric: str = "ig"


WORDS = {
    "TopK": PolicyWords(
        ts.TopK(100),
        "The default, and the one that published experiments mean by “the best k”. Use it where one class matters, where "
        "classes are of similar size, or where a number of terms is given. With many classes of unequal size, compare it "
        "with [RoundRobin](RoundRobin.md).",
        'termsift select tickets.csv --metric ig --policy "TopK(6)"',
    ),
    "Percentile": PolicyWords(
        ts.Percentile(0.5),
        "Use it where corpora of different sizes are to be treated alike: the number of terms grows with the vocabulary. "
        "Within one corpus it is TopK by another name.",
        'termsift select tickets.csv --metric ig --policy "Percentile(3)"',
    ),
    "Threshold": PolicyWords(
        ts.Threshold(0.02),
        "Use it for a metric whose values mean something by themselves: 3.84 is where `chi2` reaches p = 0.05, 0 is where "
        "`log_ratio` starts to favour a class, 1 where it says twice as often. For `ig` or `bns` a threshold has to be found by trying.",
        'termsift select tickets.csv --metric chi2 --policy "Threshold(60)"',
    ),
    "FalseDiscovery": PolicyWords(
        ts.FalseDiscovery(0.001),
        "Use it where the list itself is the result and a bounded share of it may be wrong: a paper, an audit. It usually "
        "keeps more terms than a classifier needs.",
        'termsift select tickets.csv --metric ig --policy "FalseDiscovery(0.01)" -o terms.txt\nwc -l < terms.txt\nhead -3 terms.txt',
    ),
    "Significant": PolicyWords(
        ts.Significant(1),
        "Use it where nobody knows how many terms there should be: the data decides. It bounds how many of the terms "
        "are false; [FalseDiscovery](FalseDiscovery.md) bounds their share.",
        'termsift select tickets.csv --metric ig --policy "Significant(1)" -o terms.txt\nwc -l < terms.txt\nhead -3 terms.txt',
    ),
    "RoundRobin": PolicyWords(
        ts.RoundRobin(100),
        "Use it with many classes, above all where some are easy and some hard: an easy class cannot take all the terms. "
        "On 20 Newsgroups 200 terms of `ig` chosen in turns reach an accuracy of .680 with a linear SVM, the 200 best .639 "
        "([the table](../guide/joint-selection.md#redundancy-aware-selection)).",
        'termsift select tickets.csv --metric ig --policy "RoundRobin(8)"',
    ),
    "PerClass": PolicyWords(
        ts.PerClass(100),
        "Use it where each class has a classifier of its own that reads its own terms alone, or to print a short list per "
        "class. Classes may share terms, so fewer than k times the number of classes may be chosen.",
        'termsift select tickets.csv --metric ig --policy "PerClass(2)"',
    ),
    "PositiveNegative": PolicyWords(
        ts.PositiveNegative(50, ratio=0.5),
        "Use it to decide how much evidence against a class is read. Words against a class say what a document is not, which "
        "Zheng, Wu and Srihari (2004) found to help where a class is rare; [PositiveNegativeSelector](../estimators/PositiveNegativeSelector.md), `cc:combined` and `cc:combined_per_class` find the ratio.",
        'termsift select tickets.csv --metric cc --policy "PositiveNegative(8, ratio=0.5)" --class returns',
        metric="cc",
    ),
    "RedundancyAware": PolicyWords(
        ts.RedundancyAware(60),
        "Use it where the number of terms is small and the best of them come from the same phrases. It needs documents, so "
        "`ts.select` of counts refuses it; with hundreds of terms it seldom helps "
        "([the table](../guide/joint-selection.md#redundancy-aware-selection)).",
        'termsift select tickets.csv --metric ig --policy "RedundancyAware(6)"',
    ),
}


def policy_pages(pictures: Path) -> dict[str, str]:
    """Return the pages of all policies by their paths, and the page that lists them."""
    pages = {
        f"policies/{name}.md": policy_page(name, partial(picture_file, pictures=pictures)) for name in WORDS
    }
    return pages | {"policies.md": list_page()}


def list_page() -> str:
    """All policies, each in a line."""
    rows = "".join(f"| [`{name}`](policies/{name}.md) | {first_sentence(name)} |\n" for name in WORDS)
    names = "\n".join(f"policies/{name}" for name in WORDS)
    return (
        "# Policies\n\nA metric scores terms; a policy decides which of them to keep.\n"
        "Each page shows what a policy keeps of the same corpus, and when to use it; how policies and metrics combine is in "
        "[the guide](guide/selection.md#policies).\n\n"
        f"| policy | keeps |\n|---|---|\n{rows}\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"
    )


def first_sentence(name: str) -> str:
    """Return the first sentence of a policy's docstring."""
    return plain((inspect.getdoc(getattr(ts, name)) or "").split("\n\n")[0].replace("\n", " "))


def policy_page(name: str, drawn: Callable[[dict[str, Any]], str]) -> str:
    """One policy: its own words, its figure, when to use it, a command and what it prints.

    drawn : from a chart to the name of its picture
    """
    words = WORDS[name]
    body = render_docstring(inspect.getdoc(getattr(ts, name)) or "", without=("Examples",))
    chart, sentence = figure(name, words)
    picture = f"![What {name} keeps](../pictures/{drawn(chart.to_dict())}){{.wide}}"
    parts = [f"# {name}", body, section("What it favours", f"{picture}\n\n{sentence}")]
    parts += [section("When to use it", words.when), section("Example", shown_command(words.command))]
    parts += [f"{python_words(words)}\nReference: [`ts.{name}`](../reference/{name}.md)."]
    return "\n\n".join(parts) + "\n"


def python_words(words: PolicyWords) -> str:
    """How the policy of the command is written in Python."""
    policy = words.command.split('"')[1]
    if policy.startswith("RedundancyAware"):
        return (
            "In Python use [RedundancyAwareSelector](../estimators/RedundancyAwareSelector.md), which is fitted on documents, "
            f"or `{words.metric}:cmim` in `ts.compare`."
        )
    return f'In Python: `ts.select(counts, "{words.metric}", ts.{policy})`, or as the `policy` of `ts.TermSelector`.'


def figure(name: str, words: PolicyWords) -> tuple[Any, str]:
    """Return the chart of a policy and its caption."""
    if name == "PositiveNegative":
        return sides_figure(name, words)
    return coverage_figure() if name == "RedundancyAware" else classes_figure(words)


@cache
def owners(policy: Any, metric: str) -> Counter[str]:
    """How many of the chosen terms each class values most."""
    scores = ts.score(real_counts(), metric)
    chosen = ts.select(real_counts(), metric, policy).indices
    return Counter(np.array(scores.classes, dtype=object)[scores.values[chosen].argmax(axis=1)].tolist())


def classes_figure(words: PolicyWords) -> tuple[Any, str]:
    """Terms per class by the policy, beside those of TopK, or of RoundRobin for TopK itself."""
    other = ts.RoundRobin(100) if isinstance(words.drawn, ts.TopK) else ts.TopK(100)
    counts = real_counts()
    sizes = dict(zip(counts.classes, counts.class_sizes.tolist(), strict=True))
    order = sorted(sizes, key=lambda name: -sizes[name])
    panels = [
        bars(policy, owners(policy, words.metric), order, colour)
        for policy, colour in ((words.drawn, BLUE), (other, GREY))
    ]
    own = owners(words.drawn, words.metric)
    largest, share = own.most_common(1)[0]
    empty = len(order) - len(own)
    sentence = (
        f"Terms per class, each counted for the class that values it most; classes from largest to smallest. Of the docstrings' "
        f"{len(counts.terms):,} terms, `{words.drawn!r}` keeps {sum(own.values()):,} by `{words.metric}`: {share:,} of them belong to "
        f"{largest}, and {none_words(empty, len(order))}."
    )
    return alt.hconcat(*panels, spacing=40), sentence


def none_words(empty: int, classes: int) -> str:
    """How many classes have no term."""
    if not empty:
        return "every class has some"
    return "one class has none" if empty == 1 else f"{empty} of the {classes} classes have none"


def bars(policy: Any, found: Counter[str], order: list[str], colour: str) -> Any:
    """Draw a bar per class."""
    rows = [{"class": name, "terms": found[name]} for name in order]
    return (
        alt.Chart(alt.Data(values=rows), width=230, height=14 * len(order), title=repr(policy))
        .mark_bar(color=colour)
        .encode(x=alt.X("terms:Q", title="terms"), y=alt.Y("class:N", sort=order, title=None))
    )


def sides_figure(name: str, words: PolicyWords) -> tuple[Any, str]:
    """Terms for and against a class as the policy's weight goes from 0 to 1."""
    scores = ts.score(real_counts(), words.metric)
    signs = scores.signs[:, scores.classes.index(CLASS)]
    rows = []
    for weight in np.linspace(0, 1, 11).round(1):
        policy = getattr(ts, name)(50, float(weight))
        chosen = ts.select(real_counts(), words.metric, policy, for_class=CLASS).indices
        positive = int((signs[chosen] >= 0).sum())
        rows += [
            {"weight": weight, "side": side, "terms": n}
            for side, n in (("for", positive), ("against", 50 - positive))
        ]
    parameter = "ratio" if name == "PositiveNegative" else "alpha"
    chart = (
        alt.Chart(alt.Data(values=rows), width=440, height=220)
        .mark_bar()
        .encode(
            x=alt.X("weight:O", title=parameter, axis=alt.Axis(labelAngle=0)),
            y=alt.Y("terms:Q", title="terms"),
            color=alt.Color(
                "side:N", scale=alt.Scale(domain=["for", "against"], range=[BLUE, ORANGE]), title=f"{CLASS}:"
            ),
        )
    )
    even = next(row["terms"] for row in rows if row["weight"] == 0.5)
    return chart, (
        f"Of 50 terms chosen for {CLASS} by `{words.metric}`, how many speak for it and how many against it, by `{parameter}`; "
        f"at 0.5 it is {even} for and {50 - even} against."
    )


@cache
def coverage() -> list[dict[str, Any]]:
    """Return the share of documents with one of the first terms, by the plain metric and by each criterion."""
    corpus = ts.corpora.load("docstrings")
    X = ts.TermVectorizer(binary=True).fit_transform(corpus.texts)
    rankings = {"ig": ts.TermSelector("ig", k=60).fit(X, corpus.labels).selection_}
    for criterion in ("cmim", "jmi", "mrmr"):
        selector = ts.RedundancyAwareSelector(criterion, k=60, pool=1000, metric="ig").fit(X, corpus.labels)
        rankings[f"ig:{criterion}"] = selector.selection_
    held = {
        name: np.maximum.accumulate(X[:, order].toarray(), axis=1).mean(axis=0)
        for name, order in rankings.items()
    }
    return [
        {"choice": name, "terms": i + 1, "share": float(share)}
        for name, shares in held.items()
        for i, share in enumerate(shares)
    ]


def coverage_figure() -> tuple[Any, str]:
    """How many documents the first terms reach."""
    rows = coverage()
    chart = (
        alt.Chart(alt.Data(values=rows), width=440, height=240)
        .mark_line()
        .encode(
            x=alt.X("terms:Q"),
            y=alt.Y("share:Q", title="documents that hold one of them", axis=alt.Axis(format="%")),
            color=alt.Color("choice:N", title=None),
        )
    )
    at = {row["choice"]: row["share"] for row in rows if row["terms"] == 20}
    return chart, (
        "The share of the docstrings that hold at least one of the first terms, by `ig` alone and by the three criteria. "
        f"Twenty terms of `ig` reach {at['ig']:.0%} of them, twenty of `ig:cmim` {at['ig:cmim']:.0%}, of `ig:jmi` "
        f"{at['ig:jmi']:.0%}, of `ig:mrmr` {at['ig:mrmr']:.0%}."
    )
