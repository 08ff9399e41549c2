"""Selection by the methods of a comparison that need documents, not only counts.

Greedy discrimination, L1 regression, redundancy-aware choice, searched ratios of positive and negative terms,
class weights and word clusters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from termsift._internal.errors import InvalidInputError
from termsift._internal.tables import Table
from termsift._internal.typing import Array, as_term_array, check_positive_integer
from termsift.compare.candidates import DIVISIVE, Candidate, parse_ranker, rank_candidate_terms
from termsift.counts import as_labels
from termsift.engines import Documents
from termsift.evaluation import Fold, parse_goals
from termsift.evaluation.classifiers import parse_classifiers
from termsift.selection import tabulate_class_terms

DEFAULT_CLASSIFIER, DEFAULT_GOAL = "multinomial_nb", "break_even"


@dataclass(frozen=True, slots=True, eq=False)
class DocumentSelection:
    """Terms that a method chose from documents.

    table : columns term and, for terms per class, class and ratio; for features, the weights of all terms
    ratios : share of positive terms, one for each class if the classes differ; or None
    """

    terms: list[str]
    n_terms: int
    table: Table
    ratios: dict[str, float] | None = None


def select_from_documents(
    documents: Documents,
    metric: Any,
    k: int,
    *,
    for_class: Any = None,
    classifier: str = DEFAULT_CLASSIFIER,
    goal: str = DEFAULT_GOAL,
    seed: int = 0,
) -> DocumentSelection:
    """Select k terms, of each class for terms per class, by any method of a comparison.

    for_class : class to separate from all others
    classifier, goal : those that a ratio "auto" is searched for
    """
    check_positive_integer(k)
    class_names = [str(name) for name in documents.labels.classes]
    if for_class is not None:
        if str(for_class) not in class_names:
            message = f"there is no class {for_class!r}; the classes are {', '.join(class_names)}"
            raise InvalidInputError(message)
        # the second of two classes is the positive one
        inside = documents.truth[:, class_names.index(str(for_class))]
        documents = replace(documents, labels=as_labels(np.stack([~inside, inside], axis=1)))
        class_names = ["other classes", str(for_class)]
    (parsed_goal,) = parse_goals(goal)
    ranker = parse_ranker(metric, documents.labels.is_single_label, parsed_goal)
    fold = Fold.from_indices(documents, np.arange(len(documents)), np.arange(0), seed)
    n_terms = len(documents.terms)
    if ranker.features is not None:
        return _build_feature_selection(
            documents, class_names, ranker.name, ranker.features(fold.train.counts).toarray()
        )
    (parsed_classifier,) = parse_classifiers(classifier, parsed_goal)
    candidate = Candidate(ranker, parsed_classifier, min(k, n_terms))
    ranking = rank_candidate_terms(candidate, fold, candidate.k)
    size = int(ranking.order_sizes(np.array([candidate.k]))[0])
    terms = _term_names(documents, ranking.terms_at_size(size))
    ratios = None
    if ranker.tuned_for is not None:
        policy: Any = fold.tuned_methods[ranker.name, parsed_classifier.name][candidate.k].policy
        scored = class_names[1:] if fold.is_mirrored else class_names
        values = policy.ratio if isinstance(policy.ratio, tuple) else [policy.ratio] * len(scored)
        ratios = dict(zip(scored, values, strict=True))
    if not ranking.local:
        return DocumentSelection(terms, n_terms, Table({"term": as_term_array(terms)}), ratios)
    shares = ratios and list(ratios.values())
    table = tabulate_class_terms(ranking, documents.terms, class_names, shares, size)
    return DocumentSelection(terms, n_terms, table, ratios)


def _term_names(documents: Documents, indices: Array) -> list[str]:
    return [str(term) for term in documents.terms[indices]]


def _build_feature_selection(
    documents: Documents, class_names: list[str], ranker_name: str, weights: Array
) -> DocumentSelection:
    """Return all terms with their cluster, or with their weight in the feature of each class."""
    terms = _term_names(documents, np.arange(len(documents.terms)))
    columns: dict[str, Any] = {"term": as_term_array(terms)}
    if ranker_name.startswith(DIVISIVE):
        columns["cluster"] = weights.argmax(axis=1)
    else:
        columns |= {class_name: weights[:, i] for i, class_name in enumerate(class_names)}
    return DocumentSelection(terms, len(terms), Table(columns))
