"""Folds: documents to learn from and documents to judge. What is chosen is chosen by the former alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array, vstack
from sklearn.model_selection import check_cv

from termsift._typing import Array
from termsift.counts import Counts
from termsift.errors import InvalidInput
from termsift.experiment.documents import Documents, ones_of
from termsift.labels import Labels, as_labels
from termsift.nested.linear import inverse_document_frequencies, tf_idf
from termsift.ranking import Ranking
from termsift.scoring import term_weights


@dataclass(frozen=True, eq=False)
class Fold:
    """The training part, and the test part in the same terms.

    train : the documents to learn from
    test : (judged, terms) counts of those to judge
    truth : (judged, classes) which labels are right
    seed : for what is drawn by lot inside the fold
    test_weights : (judged,) what each judged document counts for, or empty where all count alike
    blocks : (judged,) the number of each one's block, where a single fold tells by blocks how much is luck
    rankings : of its terms by methods, each made once for all classifiers
    layouts : of both parts by column, weighted by metrics, each made once for all rankings
    mapped : folds made of this one, each once: in features of its terms, or its training part divided
    inner : the training part in so many parts, each judged by the others, made once for all that is tuned
    """

    train: Documents
    test: csr_array[Any]
    truth: Array
    seed: int = 0
    test_weights: Array = field(default_factory=lambda: np.zeros(0))
    blocks: Array = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    rankings: dict[Any, Ranking] = field(default_factory=dict, init=False)
    layouts: dict[str, tuple[csc_array[Any], csc_array[Any]]] = field(default_factory=dict, init=False)
    mapped: dict[str, Fold] = field(default_factory=dict, init=False)
    inner: dict[int, tuple[Fold, ...]] = field(default_factory=dict, init=False)

    @classmethod
    def of(cls, whole: Documents, learned: Array, judged: Array, seed: int = 0) -> Fold:
        """Two parts of the same documents, in all terms."""
        weights = whole.weights[judged] if whole.weights.size else whole.weights
        return cls(whole.take(learned), whole.rows[judged], whole.truth[judged], seed, weights)

    @property
    def counts(self) -> Counts:
        """The sums of the training part."""
        return self.train.counts

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return int(self.truth.shape[1])

    @property
    def is_mirrored(self) -> bool:
        """Whether one of two classes is the other's opposite."""
        return self.train.is_single and self.n_classes == 2

    @cached_property
    def test_columns(self) -> csc_array[Any]:
        """The test part by column."""
        return csc_array(self.test)

    @cached_property
    def weighted(self) -> tuple[csc_array[Any], csc_array[Any]]:
        """The tf-idf of both parts, by column, its document frequencies those of the training part.

        Features that are made of terms are no counts, and stay as they are.
        """
        if self.train.is_mapped:
            return self.train.columns, self.test_columns
        # of documents, whatever they count for: so does scikit-learn's TfidfTransformer
        df = np.diff(self.train.columns.indptr)
        idf = inverse_document_frequencies(df, len(self.train))
        return tf_idf(self.train.columns, idf), tf_idf(self.test_columns, idf)

    @cached_property
    def binary(self) -> Fold:
        """The fold of 0/1 features: whether a document has a term."""
        return replace(self, train=self.train.binary, test=ones_of(self.test))

    def weighted_by(self, metric: str) -> tuple[csc_array[Any], csc_array[Any]]:
        """Both parts by column, 1 + log count times what a metric says of the term in the training part."""
        if metric not in self.layouts:
            weights = term_weights(self.counts, metric)
            self.layouts[metric] = (
                tf_idf(self.train.columns, weights),
                tf_idf(self.test_columns, weights),
            )
        return self.layouts[metric]

    @cached_property
    def seen(self) -> Array:
        """(terms,) where the terms stand that some document of the training part holds."""
        return np.flatnonzero(np.bincount(self.train.rows.indices, minlength=self.train.rows.shape[1]))

    def in_seen_terms(self) -> Fold:
        """The fold without the terms that no document of the training part holds."""
        return self.keep(self.seen)

    def keep(self, terms: Array) -> Fold:
        """The fold in some of the terms, by index."""
        return replace(self, train=self.train.keep(terms), test=self.test[:, terms])

    def in_features(self, weights: csr_array[Any]) -> Fold:
        """The fold in features: a linear map of its counts, (terms, features)."""
        # indices as narrow as those of the rows: some classifiers of scikit-learn take no others
        kind = self.train.rows.indices.dtype
        places = weights.indices.astype(kind), weights.indptr.astype(kind)
        weights = csr_array((weights.data, *places), shape=weights.shape)
        rows, names = csr_array(self.train.rows @ weights), np.arange(weights.shape[1])
        train = replace(self.train, rows=rows, terms=names, is_mapped=True)
        return replace(self, train=train, test=csr_array(self.test @ weights))

    def against_rest(self, c: int) -> Fold:
        """The fold of two classes: 0, the rest, and 1, a class by its place."""
        known, right = (
            np.stack([~truth[:, c], truth[:, c]], axis=1) for truth in (self.train.truth, self.truth)
        )
        return replace(self, train=replace(self.train, labels=as_labels(known)), truth=right)

    def judging_both(self) -> Fold:
        """The fold that judges its own training part first, and then the test part."""
        rows = csr_array(vstack([self.train.rows, self.test], format="csr"))
        truth = np.concatenate([self.train.truth, self.truth])
        weights = np.concatenate([self.train.weights, self.test_weights])
        return replace(self, test=rows, truth=truth, test_weights=weights, blocks=self.blocks[:0])


def stratified_folds(labels: Labels, folds: int, seed: int) -> Array:
    """(documents,) the fold of each, by iterative stratification: Sechidis, Tsoumakas and Vlahavas (2011).

    The class with fewest documents left is dealt first, each of its documents to the fold that still wants
    most of the class, then to the one that wants most documents, then by lot. Documents without a label come
    last. With one label per document this is stratification as usual.

    >>> from termsift.labels import as_labels
    >>> numbers = stratified_folds(as_labels(["a"] * 4 + ["b"] * 2), 2, seed=0)
    >>> np.bincount(numbers[:4]), np.bincount(numbers[4:])
    (array([2, 2]), array([1, 1]))
    """
    lot = np.random.default_rng(seed)
    numbers = np.full(labels.size, -1)
    sizes = np.diff(labels.starts).astype(float)
    # lists, since a document is dealt by a few numbers at a time
    wanted = [[size / folds] * folds for size in sizes.tolist()]
    room = [labels.size / folds] * folds
    rows = labels.indicator.tocsr()
    own = [part.tolist() for part in np.split(rows.indices, rows.indptr[1:-1])]
    left = sizes.copy()
    while np.any(left > 0):
        c = int(np.argmin(np.where(left > 0, left, np.inf)))
        for d in lot.permutation(labels.of(c)).tolist():
            if numbers[d] < 0:
                fold = _neediest(wanted[c], room, lot)
                numbers[d] = fold
                room[fold] -= 1
                for other in own[d]:
                    wanted[other][fold] -= 1
                    left[other] -= 1
    for d in lot.permutation(np.flatnonzero(numbers < 0)).tolist():
        numbers[d] = _neediest(room, room, lot)
        room[numbers[d]] -= 1
    return numbers


def stratified_part(labels: Labels, parts: int, seed: int) -> Array:
    """(documents,) whether each is in one of so many parts, of each class as near to its share as can be.

    Where each document has one label, this takes no more than a draw of each class.
    """
    if not labels.single:
        return np.asarray(stratified_folds(labels, parts, seed) == 0)
    lot = np.random.default_rng(seed)
    inside = np.zeros(labels.size, dtype=bool)
    for c in range(len(labels.classes)):
        own = lot.permutation(labels.of(c))
        inside[own[: int(len(own) / parts + lot.random())]] = True
    return inside


def _neediest(wanted: list[float], room: list[float], lot: np.random.Generator) -> int:
    # shares of a document are floats: what rounding alone tells apart is equal
    least = max(wanted) - 1e-9
    most = [fold for fold, value in enumerate(wanted) if value > least]
    widest = max(room[fold] for fold in most) - 1e-9
    chosen = [fold for fold in most if room[fold] > widest]
    return chosen[0] if len(chosen) == 1 else chosen[int(lot.integers(len(chosen)))]


def split_folds(documents: Documents, cv: Any) -> Iterator[Fold]:
    """The folds of documents, one at a time, as scikit-learn's splitter, number or pairs of indices say."""
    if isinstance(cv, bytes | bytearray):  # which have a `split` of their own
        raise InvalidInput(f"cv must be a number, a splitter or pairs of indices, got {cv!r}")
    target = documents.target
    pairs = list(check_cv(cv, target, classifier=True).split(documents.rows, target))
    if not pairs:
        raise InvalidInput(f"cv must split the documents at least once, got {cv!r}")
    rows = np.arange(documents.rows.shape[0])
    for learned, judged in pairs:
        yield Fold.of(documents, checked_part(rows, learned), checked_part(rows, judged))


def checked_part(rows: Array, part: Any) -> Array:
    """The rows that a part of a split names, by indices or by a mask."""
    named = np.asarray(part)
    fits = named.ndim == 1 and named.size > 0 and named.dtype.kind in "iub"
    if fits and named.dtype.kind == "b":
        fits = named.size == rows.size and bool(named.any())
    elif fits:
        fits = bool((named >= -rows.size).all() and (named < rows.size).all())
    if not fits:
        raise InvalidInput(f"cv must give indices of the {rows.size} documents, got {part!r}")
    return np.asarray(rows[named])
