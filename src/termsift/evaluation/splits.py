"""Splits of documents into training and test sets, and the folds that evaluation runs on.

Every choice inside a fold (terms, weights, thresholds) uses its training documents alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
from scipy.sparse import csc_array, csr_array, vstack
from sklearn.model_selection import check_cv

from termsift._internal.errors import InvalidInputError
from termsift._internal.ranking import Ranking
from termsift._internal.typing import Array
from termsift.counts import Labels, as_labels
from termsift.engines import Documents, binarize_rows
from termsift.metrics import term_weights


def weight_sublinear_tf(columns: csc_array[Any], weights: Array) -> csc_array[Any]:
    """Return (1 + log count) * idf without row normalization, as TfidfTransformer(sublinear_tf=True) does."""
    data = (1 + np.log(columns.data)) * np.repeat(weights, np.diff(columns.indptr))
    return csc_array((data, columns.indices, columns.indptr), shape=columns.shape)


@dataclass(frozen=True, eq=False)
class Fold:
    """Training documents, and test documents with the same terms.

    Parameters
    ----------
    train : Documents
        Training documents.
    test : csr_array, (test documents, terms)
        Counts of the test documents.
    truth : Array, (test documents, classes)
        Whether each test document is in each class.
    seed : int
        Seed of all random choices inside the fold.
    test_weights : Array, (test documents,)
        Sample weights, or empty if all are equal.
    blocks : Array, (test documents,)
        Jackknife block of each test document, or empty. A single fold needs them to estimate its variance.

    Attributes
    ----------
    rankings, layouts, derived_folds, inner, tuned_methods : dict
        Caches: rankings by method, weighted matrices by metric, folds with mapped features, the folds that
        thresholds and ratios are tuned on, and methods with tuned ratios by size.

    """

    train: Documents
    test: csr_array[Any]
    truth: Array
    seed: int = 0
    test_weights: Array = field(default_factory=lambda: np.zeros(0))
    blocks: Array = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    rankings: dict[Any, Ranking] = field(default_factory=dict, init=False)
    layouts: dict[str, tuple[csc_array[Any], csc_array[Any]]] = field(default_factory=dict, init=False)
    derived_folds: dict[str, Fold] = field(default_factory=dict, init=False)
    inner: dict[int, tuple[Fold, ...]] = field(default_factory=dict, init=False)
    tuned_methods: dict[Any, dict[int, Any]] = field(default_factory=dict, init=False)

    @classmethod
    def from_indices(cls, documents: Documents, train: Array, test: Array, seed: int = 0) -> Fold:
        """Return the fold of the training and test documents at some indices, with all terms."""
        weights = documents.weights[test] if documents.weights.size else documents.weights
        return cls(documents.take(train), documents.rows[test], documents.truth[test], seed, weights)

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.truth.shape[1])

    @property
    def is_mirrored(self) -> bool:
        """Whether there are two classes and each document is in exactly one of them."""
        return self.train.labels.is_single_label and self.n_classes == 2

    @cached_property
    def test_columns(self) -> csc_array[Any]:
        """Test documents in column order."""
        return csc_array(self.test)

    @cached_property
    def train_and_test_tfidf(self) -> tuple[csc_array[Any], csc_array[Any]]:
        """Training and test tf-idf in column order, with the document frequencies of the training set.

        Mapped features are not counts, and are returned unchanged.
        """
        if self.train.is_mapped:
            return self.train.columns, self.test_columns
        # document frequencies ignore sample weights, and are smoothed, as in scikit-learn's TfidfTransformer
        idf = np.log((1 + len(self.train)) / (1 + np.diff(self.train.columns.indptr))) + 1
        return weight_sublinear_tf(self.train.columns, idf), weight_sublinear_tf(self.test_columns, idf)

    @cached_property
    def binary(self) -> Fold:
        """Fold with every count replaced by 1."""
        return replace(self, train=self.train.binary, test=binarize_rows(self.test))

    def weight_by_metric(self, metric: str) -> tuple[csc_array[Any], csc_array[Any]]:
        """Return both sets in column order as (1 + log count) * weight, with training weights."""
        if metric not in self.layouts:
            weights = term_weights(self.train.counts, metric)
            train, test = (
                weight_sublinear_tf(columns, weights) for columns in (self.train.columns, self.test_columns)
            )
            self.layouts[metric] = train, test
        return self.layouts[metric]

    @cached_property
    def train_terms(self) -> Array:
        """Indices of the terms that occur in the training documents."""
        return np.flatnonzero(np.bincount(self.train.rows.indices, minlength=self.train.rows.shape[1]))

    def with_train_terms(self) -> Fold:
        """Return the fold without the terms that do not occur in the training documents."""
        return self.keep(self.train_terms)

    def keep(self, terms: Array) -> Fold:
        """Return the fold with only the terms at some indices."""
        return replace(self, train=self.train.keep(terms), test=self.test[:, terms])

    def map_features(self, weights: csr_array[Any]) -> Fold:
        """Return the fold with features that are a linear map, (terms, features), of its counts."""
        # some scikit-learn classifiers accept 32-bit indices only, so keep the index type of the rows
        index_type = self.train.rows.indices.dtype
        indices = weights.indices.astype(index_type), weights.indptr.astype(index_type)
        weights = csr_array((weights.data, *indices), shape=weights.shape)
        rows = csr_array(self.train.rows @ weights)
        train = replace(self.train, rows=rows, terms=np.arange(weights.shape[1]), is_mapped=True)
        return replace(self, train=train, test=csr_array(self.test @ weights))

    def binary_problem(self, c: int) -> Fold:
        """Return the fold with two classes: 0 is the rest and 1 the class of index c."""
        train, test = (np.stack([~t[:, c], t[:, c]], axis=1) for t in (self.train.truth, self.truth))
        return replace(self, train=replace(self.train, labels=as_labels(train)), truth=test)

    def test_on_all(self) -> Fold:
        """Return the fold that tests on its training documents, followed by its test documents."""
        rows = csr_array(vstack([self.train.rows, self.test], format="csr"))
        truth = np.concatenate([self.train.truth, self.truth])
        weights = np.concatenate([self.train.weights, self.test_weights])
        return replace(self, test=rows, truth=truth, test_weights=weights, blocks=self.blocks[:0])


def assign_stratified_folds(labels: Labels, folds: int, seed: int) -> Array:
    """Return the fold number of each document, by iterative stratification.

    Sechidis, Tsoumakas and Vlahavas (2011). The class with the fewest remaining documents is assigned first,
    each document to the fold that lacks most documents of the class, then to the one that lacks most
    documents, then at random. Documents without a label come last. With one label per document this is
    ordinary stratification.

    >>> from termsift.counts.labels import as_labels
    >>> numbers = assign_stratified_folds(as_labels(["a"] * 4 + ["b"] * 2), 2, seed=0)
    >>> np.bincount(numbers[:4]), np.bincount(numbers[4:])
    (array([2, 2]), array([1, 1]))
    """
    rng = np.random.default_rng(seed)
    fold_numbers = np.full(labels.size, -1)
    remaining = np.diff(labels.starts).astype(float)
    # Python lists are faster than arrays here: each document changes a few numbers only
    class_demand = [[size / folds] * folds for size in remaining.tolist()]
    capacity = [labels.size / folds] * folds
    rows = labels.indicator.tocsr()
    document_classes = [classes.tolist() for classes in np.split(rows.indices, rows.indptr[1:-1])]
    while np.any(remaining > 0):
        rarest = int(np.argmin(np.where(remaining > 0, remaining, np.inf)))
        for d in rng.permutation(labels.class_documents(rarest)).tolist():
            if fold_numbers[d] < 0:
                fold = _neediest_fold(class_demand[rarest], capacity, rng)
                fold_numbers[d] = fold
                capacity[fold] -= 1
                for c in document_classes[d]:
                    class_demand[c][fold] -= 1
                    remaining[c] -= 1
    for d in rng.permutation(np.flatnonzero(fold_numbers < 0)).tolist():
        fold_numbers[d] = _neediest_fold(capacity, capacity, rng)
        capacity[fold_numbers[d]] -= 1
    return fold_numbers


def _neediest_fold(demand: list[float], capacity: list[float], rng: np.random.Generator) -> int:
    """Return the fold of largest demand, then of largest capacity, then at random."""
    # demands are sums of fractions, so differences within rounding error are ties
    threshold = max(demand) - 1e-9
    tied = [fold for fold, value in enumerate(demand) if value > threshold]
    threshold = max(capacity[fold] for fold in tied) - 1e-9
    tied = [fold for fold in tied if capacity[fold] > threshold]
    return tied[0] if len(tied) == 1 else tied[int(rng.integers(len(tied)))]


def split_folds(documents: Documents, cv: Any) -> Iterator[Fold]:
    """Yield the folds of a scikit-learn splitter, a number of folds, or pairs of index arrays."""
    if isinstance(cv, bytes | bytearray):  # bytes have a method named `split`
        raise InvalidInputError(f"cv must be a number of folds, a splitter or pairs of indices, got {cv!r}")
    target = documents.target
    pairs = list(check_cv(cv, target, classifier=True).split(documents.rows, target))
    if not pairs:
        raise InvalidInputError(f"cv must produce at least one split, got {cv!r}")
    rows = np.arange(documents.rows.shape[0])
    for train, test in pairs:
        yield Fold.from_indices(documents, select_rows(rows, train), select_rows(rows, test))


def select_rows(rows: Array, index_or_mask: Any) -> Array:
    """Return the rows that indices or a mask select; raise an error if they do not fit or select none."""
    indices = np.asarray(index_or_mask)
    if indices.dtype == bool:
        is_valid = indices.shape == rows.shape and bool(indices.any())
    else:
        is_valid = indices.ndim == 1 and indices.size > 0 and indices.dtype.kind in "iu"
        is_valid = is_valid and bool(np.all((indices >= -rows.size) & (indices < rows.size)))
    if not is_valid:
        raise InvalidInputError(f"cv must give indices of the {rows.size} documents, got {index_or_mask!r}")
    return np.asarray(rows[indices])


def assign_group_folds(labels: Labels, groups: Array, folds: int, seed: int) -> Array:
    """Return the fold number of each document; a group is in one fold, classes are spread evenly.

    Groups are assigned from large to small, in random order within a size range, each to the fold that keeps
    the class shares and the sizes of the folds most equal. No fold stays empty if there are at least as many
    groups as folds. Documents may have several labels.

    >>> from termsift.counts.labels import as_labels
    >>> numbers = assign_group_folds(as_labels(["a", "b"] * 4), np.arange(8) // 2, 2, seed=0)
    >>> np.bincount(numbers), numbers[::2] == numbers[1::2]
    (array([4, 4]), array([ True,  True,  True,  True]))
    """
    _, codes = np.unique(groups, return_inverse=True)
    # (groups, classes + 1) documents of each class in each group; the last column counts all documents
    n_groups = int(codes.max()) + 1
    class_codes = np.repeat(np.arange(len(labels.classes)), np.diff(labels.starts))
    sizes = np.zeros((n_groups, len(labels.classes) + 1))
    np.add.at(sizes, (codes[labels.documents], class_codes), 1)
    sizes[:, -1] = np.bincount(codes, minlength=n_groups)
    # groups whose sizes have the same power of two are in random order
    magnitude = np.frexp(sizes[:, -1])[1]
    order = np.random.default_rng(seed).permutation(n_groups)
    order = order[np.argsort(-magnitude[order], kind="stable")]
    shares = sizes / np.maximum(sizes.sum(axis=0), 1)
    fold_shares, group_folds = np.zeros((folds, shares.shape[1])), np.empty(n_groups, dtype=np.intp)
    n_empty = folds
    for n_remaining, group in zip(range(n_groups, 0, -1), order, strict=True):
        # the last groups go to empty folds
        is_open = fold_shares[:, -1] == 0 if n_remaining <= n_empty else np.ones(folds, dtype=bool)
        open_folds = np.flatnonzero(is_open)
        # growth of the sum of squared shares; rounded, so that ties do not depend on rounding errors
        growth = (2 * fold_shares[open_folds] + shares[group]) @ shares[group]
        group_folds[group] = fold = open_folds[np.argmin(np.round(growth, 12))]
        n_empty -= fold_shares[fold, -1] == 0
        fold_shares[fold] += shares[group]
    return np.asarray(group_folds[codes])


def assign_time_windows(times: Array, windows: int) -> Array:
    """Return the time window of each document: windows of similar size, equal times in one window.

    >>> assign_time_windows(np.array([3, 1, 1, 1, 2, 4]), 3)
    array([2, 0, 0, 0, 1, 2])
    """
    values, codes, counts = np.unique(times, return_inverse=True, return_counts=True)
    if len(values) < windows:
        raise InvalidInputError(
            f"time has {len(values)} distinct values, but {windows - 1} time windows need at least "
            f"{windows}; use fewer folds"
        )
    ends = np.cumsum(counts)
    number, last = np.zeros(len(values), dtype=np.intp), -1
    for window in range(1, windows):
        # each later window needs at least one distinct time
        candidates = np.arange(last + 1, len(values) - (windows - window))
        last = int(candidates[np.argmin(np.abs(ends[candidates] - len(times) * window / windows))])
        number[last + 1 :] = window
    return np.asarray(number[codes])


VALIDATION_FRACTION = 4  # 1/4 of the training documents is held out for choices inside a fold
TUNING_FOLDS = 3  # inner folds of a training set, for tuning thresholds
MAX_BLOCKS = 20  # jackknife blocks of the test documents of a single run


@dataclass(frozen=True, slots=True, eq=False)
class Division:
    """Indices of the training and the test documents of one run.

    seed : seed of all random choices inside the run
    blocks : (test documents,) jackknife block of each test document, if there is a single run
    """

    train: Array
    test: Array
    seed: int = 0
    blocks: Array = field(default_factory=lambda: np.zeros(0, dtype=np.intp))

    def fold(self, documents: Documents) -> Fold:
        """Return the fold of these documents, with the terms of the training documents."""
        fold = Fold.from_indices(documents, self.train, self.test, self.seed)
        return replace(fold, blocks=self.blocks).with_train_terms()


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Runs of an experiment, in rounds; candidates are compared on complete rounds.

    description : phrase for one round, for use in a sentence
    rounds : number of rounds
    runs : number of divisions of each round
    divisions : function from the number of a round to its divisions
    duplicate_location : phrase for the location of a leaking duplicate of a test document
    is_stratified : whether classes are spread evenly, so that only very small ones miss a fold
    """

    description: str
    rounds: int
    runs: int
    divisions: Callable[[int], list[Division]]
    duplicate_location: str = "among the training documents"
    is_stratified: bool = False


def k_fold_split(documents: Documents, folds: int, repeats: int, seed: int) -> Split:
    """Return repeated stratified cross-validation; each repeat has different folds."""

    # cached because the warnings of a comparison use the folds of the first round again
    @cache
    def divisions(repeat: int) -> list[Division]:
        numbers = assign_folds(documents, folds, seed + repeat)
        tests = [numbers == fold for fold in range(folds)]
        return [Division(np.flatnonzero(~test), np.flatnonzero(test), seed + repeat) for test in tests]

    grouped = bool(documents.groups.size)
    description = f"{folds}-fold cross-validation{', groups kept together' if grouped else ''}"
    return Split(description, repeats, folds, divisions, "in another fold", not grouped)


def assign_folds(documents: Documents, folds: int, seed: int) -> Array:
    """Return the fold number of each document; documents of a group are in one fold."""
    if documents.groups.size:
        return assign_group_folds(documents.labels, documents.groups, folds, seed)
    return assign_stratified_folds(documents.labels, folds, seed)


def time_window_split(documents: Documents, windows: int, seed: int) -> Split:
    """Return time windows, each tested on after training on earlier documents of other groups."""
    numbers, groups = assign_time_windows(documents.times, windows + 1), documents.groups
    divisions = []
    for window in range(1, windows + 1):
        test, train = np.flatnonzero(numbers == window), np.flatnonzero(numbers < window)
        if groups.size:
            train = train[~np.isin(groups[train], groups[test])]
        divisions.append(Division(train, test, seed))
    divisions = add_jackknife_blocks(documents, divisions, seed)
    description = f"{windows} time windows, each tested on a model trained on earlier documents"
    description += ", groups kept together" if groups.size else ""
    return Split(description, 1, windows, lambda _: divisions)


def holdout_split(documents: Documents, seed: int) -> Split:
    """Return the split into the documents marked as test documents, and all others for training."""
    train, test = np.flatnonzero(~documents.is_test), np.flatnonzero(documents.is_test)
    (division,) = add_jackknife_blocks(documents, [Division(train, test, seed)], seed)
    n_blocks = division.blocks.max() + 1
    description = f"{len(test):,} documents held out, ± by the jackknife over {n_blocks} blocks of them"
    return Split(description, 1, 1, lambda _: [division])


def add_jackknife_blocks(documents: Documents, divisions: list[Division], seed: int) -> list[Division]:
    """Return the divisions; a single one gets jackknife blocks, with each group in one block."""
    if len(divisions) > 1:
        return divisions
    test = documents.take(divisions[0].test)
    units = len(np.unique(test.groups)) if test.groups.size else len(test)
    return [replace(divisions[0], blocks=assign_folds(test, min(MAX_BLOCKS, units), seed))]


def inner_split(documents: Documents, seed: int) -> tuple[Array, Array]:
    """Return the indices of documents to train on, and of a quarter for validation: the latest, if dated.

    Groups are kept together if there are at least four.
    """
    if documents.times.size and len(np.unique(documents.times)) >= VALIDATION_FRACTION:
        numbers = VALIDATION_FRACTION - 1 - assign_time_windows(documents.times, VALIDATION_FRACTION)
    elif documents.groups.size and len(np.unique(documents.groups)) >= VALIDATION_FRACTION:
        numbers = assign_folds(documents, VALIDATION_FRACTION, seed)
    elif not documents.labels.is_single_label:
        numbers = assign_stratified_folds(documents.labels, VALIDATION_FRACTION, seed)
    else:
        # with one label per document an independent draw from each class suffices
        rng, numbers = np.random.default_rng(seed), np.ones(len(documents), dtype=np.intp)
        for c in range(len(documents.labels.classes)):
            members = rng.permutation(documents.labels.class_documents(c))
            numbers[members[: int(len(members) / VALIDATION_FRACTION + rng.random())]] = 0
    return np.flatnonzero(numbers), np.flatnonzero(numbers == 0)


def inner_folds(fold: Fold, n_folds: int = TUNING_FOLDS) -> tuple[Fold, ...]:
    """Return the cached inner folds of the training set; dated documents give one, with the latest quarter.

    Groups are kept together if there are enough of them.
    """
    if n_folds not in fold.inner:
        documents, groups = fold.train, fold.train.groups
        if documents.times.size and len(np.unique(documents.times)) >= VALIDATION_FRACTION:
            pairs = [inner_split(documents, fold.seed)]
        else:
            has_groups = groups.size and len(np.unique(groups)) >= n_folds
            units = documents if has_groups else replace(documents, groups=groups[:0])
            numbers = assign_folds(units, n_folds, fold.seed)
            pairs = [(np.flatnonzero(numbers != i), np.flatnonzero(numbers == i)) for i in range(n_folds)]
        folds = tuple(Fold.from_indices(documents, *pair, fold.seed) for pair in pairs if all(map(len, pair)))
        # another thread may have been faster: all use the folds of the first
        fold.inner.setdefault(n_folds, folds)
    return fold.inner[n_folds]
