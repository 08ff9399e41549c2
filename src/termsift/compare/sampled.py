"""Comparisons of more than fits: how much of it is taken, what more would give, a model of all of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import monotonic

import numpy as np
from sklearn.base import clone
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import Pipeline

from termsift._typing import Array
from termsift.compare.models import Model, model_classes, vectorizer_of
from termsift.compare.race.racing import Candidate
from termsift.compare.race.trials import Track, outcome_on_fold
from termsift.compare.results import CandidateResults
from termsift.engines.sampling import SampleFacts
from termsift.estimators.vectorizer import TermVectorizer
from termsift.experiment.classifiers.tuned import Tuned
from termsift.experiment.documents import Documents
from termsift.experiment.splits import Division, Split
from termsift.machine.capacity import told

PARTS = (0.25, 0.5)  # of the documents to learn from, beside all


def sample_words(facts: SampleFacts, gain: tuple[float, float] | None, goal: str) -> str:
    """What was compared in place of all, and what more would give, in a sentence."""
    why = "the budget leaves time for" if facts.memory is None else f"fits {told(facts.memory)} of memory"
    what = f"the first {facts.seen:,}" if facts.is_cut else f"{facts.seen:,}"
    said = f"This is of a sample of {facts.kept:,} of {what} documents, each class in its share: what {why}"
    if gain is None:
        return f"{said}."
    twice, whole = gain
    return (
        f"{said}; by its learning curve twice as many would give about {twice:+.3f} {goal}, all {whole:+.3f}."
    )


def learning_gains(
    results: CandidateResults, documents: Documents, split: Split, facts: SampleFacts, most: int
) -> tuple[float, float] | None:
    """What twice as many documents, and all of them, would add to the goal of the recommended candidate.

    It is fitted to a quarter and to half of the documents to learn from. Each doubling is taken to give as
    much less than the one before as the last did.
    """
    line, divisions = results.lines[results.chosen], split.divisions(0)
    parts = [curve_value(results, documents, line, divisions, share, most) for share in (*PARTS, 1.0)]
    return gains_of(parts, facts.seen / max(facts.kept, 1))


def gains_of(values: Sequence[float], times: float) -> tuple[float, float]:
    """What a doubling, and as many documents times as much, would add, by values at a quarter, half and all.

    >>> [round(gain, 3) for gain in gains_of([0.6, 0.8, 0.9], 4)]
    [0.05, 0.075]
    """
    before, last = values[1] - values[0], values[2] - values[1]
    ratio = float(np.clip(last / before if before > 0 else 1.0, 0, 1)) if last > 0 else 0.0
    doublings = max(float(np.log2(max(times, 1))), 0)
    steps = np.arange(1, int(np.ceil(doublings)) + 1)
    shares = np.minimum(doublings - (steps - 1), 1)
    whole = float((max(last, 0) * ratio**steps * shares).sum())
    twice = max(last, 0) * ratio if doublings >= 1 else whole
    # no goal is above 1
    return min(twice, 1 - values[2]), min(whole, 1 - values[2])


def curve_value(
    results: CandidateResults,
    documents: Documents,
    line: Candidate,
    divisions: Sequence[Division],
    share: float,
    most: int,
) -> float:
    """The goal of a candidate, over divisions whose documents to learn from are cut to a share."""
    track, values = Track(line.ranker, line.classifier, (line.k,)), []
    for division in divisions:
        part = replace(division, learned=part_of(division.learned, share, division.seed))
        found = outcome_on_fold(track, part.fold(documents), results.goals, most)
        values.append(float(found.judgement.values[0].mean()))
    return float(np.mean(values))


def part_of(documents: Array, share: float, seed: int) -> Array:
    """A share of some documents, by lot, in their order."""
    if share >= 1:
        return documents
    size = max(int(len(documents) * share), 2)
    return np.sort(np.random.default_rng(seed).choice(documents, size, replace=False))


def fitted_to_all(
    models: list[Model], facts: SampleFacts, deadline: float | None, n_jobs: int | None
) -> list[Model]:
    """Naive Bayes fitted to all documents, read once more and counted in its terms; other models as they are.

    Out of time, all stay as they are.
    """
    grown = {n: clone(model.pipeline.steps[-1][1]) for n, model in enumerate(models) if grows(model)}
    if facts.again is None or not grown:
        return models
    counters = {n: counter_of(models[n], n_jobs) for n in grown}
    labels = models[0].documents.labels
    known = dict(zip(labels.classes, model_classes(labels), strict=True))
    for texts, names in facts.again():
        if deadline is not None and monotonic() > deadline:
            return models
        truth = np.array([known[own[0]] for own in names])
        for n, bayes in grown.items():
            classes = models[n].pipeline.steps[-1][1].classes_
            bayes.partial_fit(counters[n].transform(texts), truth, classes=classes)
    return [
        replace(model, pipeline=Pipeline([(model.pipeline.steps[-1][0], grown[n])])) if n in grown else model
        for n, model in enumerate(models)
    ]


def grows(model: Model) -> bool:
    """Whether a model is naive Bayes of counts alone, which learns from some documents after others.

    Thresholds are those of a fit to the sample; what a function found cannot be counted again.
    """
    own = model.documents
    is_plain = len(model.pipeline.steps) == 1 and type(model.pipeline.steps[0][1]) is MultinomialNB
    is_alike = own.is_single and not own.weights.size and not isinstance(model.line.classifier, Tuned)
    return is_plain and is_alike and (own.analyzer is not None or own.settings is not None)


def counter_of(model: Model, n_jobs: int | None) -> TermVectorizer:
    """What counts the terms of a model in texts as they were counted, by the compiled scan where that can."""
    own, terms = model.documents, model.terms(model.documents)
    if own.analyzer is not None:
        return TermVectorizer(analyzer=own.analyzer, vocabulary=terms, n_jobs=n_jobs)
    return TermVectorizer(**vectorizer_of(own, terms).get_params(), n_jobs=n_jobs)
