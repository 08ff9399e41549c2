"""What a report says in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from termsift.report.values.summary import Summary
from termsift.report.values.written import amount_text, clipped, plain_number, share_text


def opening_sentences(summary: Summary) -> list[str]:
    """The corpus and its terms in a few sentences, for a report without findings."""
    return [
        size_sentence(summary),
        *skew_sentence(summary),
        *class_sentence(summary),
        *agreement_sentence(summary),
    ]


def size_sentence(summary: Summary) -> str:
    """How large the corpus is."""
    corpus = summary.corpus
    once = corpus.bands[0].number if corpus.bands and corpus.bands[0].label == "1" else 0
    rare = f", {share_text(once / corpus.terms)} of them in one document only" if once else ""
    several = f" ({plain_number(corpus.labels, 3)} labels per document on average)"
    labels = "" if np.isclose(corpus.labels, 1) else several
    return (
        f"{amount_text(corpus.documents)} documents in {len(corpus.classes):,} classes{labels} "
        f"hold {corpus.terms:,} different terms{rare}."
    )


def skew_sentence(summary: Summary) -> list[str]:
    """How uneven the classes are."""
    classes = [one for one in summary.corpus.classes if one.documents]
    if len(classes) < 2:
        return []
    first, last = classes[0], classes[-1]
    if first.documents == last.documents:
        return [f"All classes have {amount_text(first.documents)} documents."]
    times = plain_number(first.documents / last.documents, 2)
    return [
        f"The largest class, {clipped(first.name)}, has {amount_text(first.documents)} documents, "
        f"{times} times as many as the smallest, {clipped(last.name)}."
    ]


def class_sentence(summary: Summary) -> list[str]:
    """What tells the class that the page opens with from the rest."""
    one = summary.open_map
    places = one.rankings[0].speaking[:5]
    if not len(places):
        return []
    name = clipped(summary.counts.classes[one.column])
    terms = ", ".join(clipped(term) for term in summary.counts.terms[one.rows[places]])
    return [f"By {summary.metrics[0].name}, the clearest signs of {name} are: {terms}."]


def agreement_sentence(summary: Summary) -> list[str]:
    """How far the metrics agree at the number of terms that the page opens with."""
    table = summary.open_agreement
    above = np.triu_indices(len(table), 1)
    if not len(above[0]):
        return []
    least = int(np.argmin(table[above]))
    a, b = (summary.metrics[int(axis[least])].name for axis in above)
    return [
        f"Which terms are best depends on the metric: of the {summary.opening:,} best terms of a class, "
        f"two metrics share {share_text(float(table[above].mean()))} on average, "
        f"and {a} and {b} only {share_text(float(table[above][least]))}."
    ]


def drawn_sentence(summary: Summary) -> str:
    """Which terms are drawn."""
    most = max((len(one.rows) for one in summary.shown), default=0)
    return (
        f"Of {len(summary.counts.terms):,} terms up to {most:,} are drawn for each class: those that are "
        f"among the best of {summary.metrics[0].name}, then those of the other metrics in turn, "
        "then the most frequent."
    )


def classes_sentence(summary: Summary) -> str | None:
    """Which classes can be chosen, where not all can."""
    shown, known = len(summary.shown), len(summary.corpus.classes)
    if shown == known:
        return None
    return f"{shown:,} of {known:,} classes can be chosen here: those that were named, or else the largest."


def correlation_sentence(summary: Summary) -> str:
    """What the rank correlation is of."""
    return (
        f"Rank correlation is Spearman's, over the terms that speak for a class among the "
        f"{summary.rankings.compared:,} most frequent, on average over the {len(summary.shown):,} classes "
        "shown."
    )


def length_sentence(words: Sequence[float]) -> str:
    """How long documents are, by the quantiles of their words."""
    low, middle, high = (amount_text(round(value)) for value in words)
    return f"One document in ten has at most {low} words, half at most {middle}, nine in ten at most {high}."
