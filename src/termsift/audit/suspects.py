"""Labels that the words speak against: a classifier that has not seen a document is sure of another class.

A linear SVM is fitted to the other folds, each class against the rest; 1 is the distance from its decision to
its margin. A document that another class claims by `SURE` more than its own is suspected. With 3 % of the
labels changed by lot, 88 % of these were suspected on 20 Newsgroups, 92 % on SMS and 95 % on docstrings; of
all suspects, 58 %, 88 % and 88 % were among them. `SURE` was chosen on these corpora, by one draw.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from termsift._typing import Array
from termsift.counts import Counts
from termsift.experiment.classifiers.linear import SVM
from termsift.experiment.documents import Documents
from termsift.experiment.folds import Fold, stratified_folds
from termsift.methods import method_from

FOLDS, FEWEST = 5, 10  # folds, and documents of a class that may be suspected or claim one
TERMS = 4000  # the best of a fold, by information gain
WORDS = 5
SURE = 1.0
SKILLED = 3.0


@dataclass(frozen=True, slots=True)
class Suspect:
    """A document whose label is doubted.

    said : the class that claims it
    lead : how much more that class claims it than its own, in distances of decision to margin
    words : of the document, those that say so, the strongest first
    """

    document: int
    label: object
    said: object
    lead: float
    words: tuple[str, ...]


def beats_chance(documents: Documents, margins: Array) -> bool:
    """Whether what a classifier says agrees with the labels more often than chance: by `SKILLED` errors.

    By chance both agree in the share of documents that Cohen's kappa takes off.
    """
    own, usable = np.asarray(documents.target), np.diff(documents.labels.starts) >= FEWEST
    judged = usable[own]
    said, own = np.where(usable, margins, -np.inf)[judged].argmax(axis=1), own[judged]
    n, classes = len(own), len(usable)
    chance = float(np.bincount(own, minlength=classes) @ np.bincount(said, minlength=classes)) / n**2
    error = np.sqrt(chance * (1 - chance) / n)
    return bool(np.mean(said == own) - chance > SKILLED * error)


def suspects(documents: Documents, margins: Array) -> list[Suspect]:
    """The documents whose labels are doubted, those most doubted first; each has one label."""
    own, usable = np.asarray(documents.target), np.diff(documents.labels.starts) >= FEWEST
    at_own = np.arange(len(own)), own
    others = np.where(usable, margins, -np.inf)
    others[at_own] = -np.inf
    claimed, lead = others.argmax(axis=1), others.max(axis=1) - margins[at_own]
    doubted = np.flatnonzero((lead > SURE) & usable[own])
    order = doubted[np.argsort(-lead[doubted], kind="stable")]
    names = documents.labels.classes
    return [
        Suspect(int(d), names[a], names[b], float(lead[d]), telling(documents, d, a, b))
        for d, a, b in zip(order, own[order], claimed[order], strict=True)
    ]


def out_of_fold_margins(documents: Documents, seed: int) -> Array:
    """(documents, classes) what a linear SVM that has not seen a document says of it."""
    numbers = stratified_folds(documents.labels, FOLDS, seed)
    margins = np.full((len(documents), len(documents.labels.classes)), -np.inf)
    method = method_from("ig")
    for fold in range(FOLDS):
        judged = np.flatnonzero(numbers == fold)
        if not len(judged):
            continue
        parts = Fold.of(documents, np.flatnonzero(numbers != fold), judged, seed).in_seen_terms()
        most = min(TERMS, len(parts.train.terms))
        margins[judged] = SVM.margins(parts, method.ranking(parts.counts, most), np.array([most]))[0]
    return margins


def telling(documents: Documents, document: int, own: int, other: int) -> tuple[str, ...]:
    """The words of a document that speak most for another class and against its own, itself not counted."""
    rows, counts = documents.rows, documents.counts
    terms = rows.indices[rows.indptr[document] : rows.indptr[document + 1]]
    inside = class_rates(counts, terms, other, 0)
    outside = class_rates(counts, terms, own, 1)
    evidence = (inside - outside) * np.log(inside / outside)
    evidence = np.where(inside > outside, evidence, 0.0)
    best = np.argsort(-evidence, kind="stable")[:WORDS]
    return tuple(str(documents.terms[terms[i]]) for i in best if evidence[i] > 0)


def class_rates(counts: Counts, terms: Array, c: int, less: int) -> Array:
    """The share of a class's documents that hold each term, one half added, without `less` of them."""
    held = counts.df[terms][:, [c]].toarray().ravel() - less
    rates: Array = (np.maximum(held, 0) + 0.5) / (counts.class_sizes[c] - less + 1)
    return rates
