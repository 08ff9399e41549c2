"""Features that are made of terms: linear maps of counts, one column per class or per cluster of words."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csr_array
from sklearn.decomposition import TruncatedSVD
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.preprocessing import Normalizer

from termsift.clusters import Agglomerative, Divisive
from termsift.clusters.profiles import profiles_of
from termsift.counts import Counts
from termsift.errors import InvalidInput
from termsift.estimators.class_weights import class_shares
from termsift.policies import call_parts, check_k

# (terms, features) of the counts of a training part; a text, since SciPy before 1.15 has no csr_array[...]
FeatureMap: TypeAlias = "Callable[[Counts], csr_array[Any]]"
CLUSTERINGS: dict[str, Divisive | Agglomerative] = {"divisive": Divisive(), "agglomerative": Agglomerative()}
# clusters where no number is given; agglomerative clustering takes longer the more there are
USUAL_CLUSTERS = {"divisive": 200, "agglomerative": 50}
CLASS_WEIGHTS = "class_weights"
MAPS = (CLASS_WEIGHTS, *CLUSTERINGS)


def feature_map(text: str) -> tuple[str, str, FeatureMap] | None:
    """The map that a text names: as it is written, in words, and itself; None where it names none.

    >>> feature_map("divisive(20)")[:2]
    ('divisive(20)', '20 clusters of words')
    """
    name = text.partition("(")[0].strip()
    if name not in MAPS:
        return None
    if name == CLASS_WEIGHTS:
        if text.strip() != name:
            raise InvalidInput(f"{CLASS_WEIGHTS} has nothing to choose, got {text!r}")
        return name, "the class weights", class_shares
    k = clusters_of(text, name)
    how = "" if name == "divisive" else ", put together one by one,"
    return f"{name}({k})", f"{k} clusters of words{how}", partial(cluster_membership, CLUSTERINGS[name], k)


def clusters_of(text: str, name: str) -> int:
    """How many clusters are asked for."""
    try:
        _, numbers, options = call_parts(text)
    except (SyntaxError, ValueError) as error:
        raise InvalidInput(f"{text!r} is no clustering; write it as '{name}(100)'") from error
    if options or len(numbers) > 1:
        raise InvalidInput(f"a clustering has a number of clusters alone, as in '{name}(100)', got {text!r}")
    k = numbers[0] if numbers else USUAL_CLUSTERS[name]
    check_k(k, "the number of clusters")
    return int(k)


def cluster_membership(how: Divisive | Agglomerative, k: int, counts: Counts) -> csr_array[Any]:
    """(terms, clusters) 1 where a term is in a cluster; as many as there are words of different spread."""
    profiles = profiles_of(counts)
    k = min(k, len(profiles))
    labels = how.found(profiles, k, 1)[-1].labels
    known = np.flatnonzero(profiles.of_term >= 0)
    cells = known, labels[profiles.of_term[known]]
    return csr_array((np.ones(len(known)), cells), shape=(len(profiles.of_term), k))


def mapped_pipeline(estimator: Any, weights: csr_array[Any], unit: bool) -> list[tuple[str, Any]]:
    """The steps from counts of terms to labels of an estimator that was fitted to features.

    Naive Bayes adds up what each feature says, so a term says what its features say, and needs no map.
    unit : whether the estimator reads rows of unit length
    """
    if not unit and all(isinstance(one, MultinomialNB | ComplementNB) for one in parts_of(estimator)):
        for one in parts_of(estimator):
            one.feature_log_prob_ = one.feature_log_prob_ @ weights.T
            one.n_features_in_ = weights.shape[0]
        return [("classify", estimator)]
    mapping = TruncatedSVD(n_components=weights.shape[1])
    mapping.components_ = weights.T.toarray()
    mapping.n_features_in_ = weights.shape[0]
    return [("map", mapping), *([("scale", Normalizer())] if unit else []), ("classify", estimator)]


def parts_of(estimator: Any) -> list[Any]:
    """The fitted estimator, or those of each class against the rest."""
    return list(estimator.estimators_) if isinstance(estimator, OneVsRestClassifier) else [estimator]
