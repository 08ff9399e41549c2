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
from termsift.experiment.documents import Documents
from termsift.labels import Labels, as_labels
from termsift.nested.linear import inverse_document_frequencies, tf_idf
from termsift.ranking import Ranking


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
    """

    train: Documents
    test: csr_array[Any]
    truth: Array
    seed: int = 0
    test_weights: Array = field(default_factory=lambda: np.zeros(0))
    blocks: Array = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    rankings: dict[Any, Ranking] = field(default_factory=dict, init=False)

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
        """The tf-idf of both parts, by column, its document frequencies those of the training part."""
        # of documents, whatever they count for: so does scikit-learn's TfidfTransformer
        df = np.diff(self.train.columns.indptr)
        idf = inverse_document_frequencies(df, len(self.train))
        return tf_idf(self.train.columns, idf), tf_idf(self.test_columns, idf)

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
    wanted, room = np.tile(sizes / folds, (folds, 1)), np.full(folds, labels.size / folds)
    rows = labels.indicator.tocsr()
    own = np.split(rows.indices, rows.indptr[1:-1])
    left = sizes.copy()
    while np.any(left > 0):
        c = int(np.argmin(np.where(left > 0, left, np.inf)))
        for d in lot.permutation(labels.of(c)):
            if numbers[d] < 0:
                fold = _neediest(wanted[:, c], room, lot)
                numbers[d] = fold
                wanted[fold, own[d]] -= 1
                room[fold] -= 1
                left[own[d]] -= 1
    for d in lot.permutation(np.flatnonzero(numbers < 0)):
        numbers[d] = _neediest(room, room, lot)
        room[numbers[d]] -= 1
    return numbers


def _neediest(wanted: Array, room: Array, lot: np.random.Generator) -> int:
    # shares of a document are floats: what rounding alone tells apart is equal
    most = np.flatnonzero(wanted > wanted.max() - 1e-9)
    widest = most[room[most] > room[most].max() - 1e-9]
    return int(widest[0] if len(widest) == 1 else lot.choice(widest))


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
