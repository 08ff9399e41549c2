"""Folds: documents to learn from and documents to judge. What is chosen is chosen by the former alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csc_array, csr_array, vstack
from sklearn.model_selection import check_cv

from termsift._internal.errors import InvalidInputError
from termsift._internal.ranking import Ranking
from termsift._internal.typing import Array
from termsift.counts import Counts, Labels, as_labels
from termsift.engines import Documents, binarize_rows
from termsift.metrics import term_weights


def tf_idf(columns: csc_array[Any], idf: Array) -> csc_array[Any]:
    """Counts as (1 + log count) idf, rows not yet of unit length: TfidfTransformer(sublinear_tf=True)."""
    factors = np.repeat(idf, np.diff(columns.indptr))
    data = (1 + np.log(columns.data)) * factors
    return csc_array((data, columns.indices, columns.indptr), shape=columns.shape)


def inverse_document_frequencies(df: Array, documents: float) -> Array:
    """scikit-learn's, smoothed: log((1 + N) / (1 + df)) + 1."""
    idf: Array = np.log((1 + documents) / (1 + df)) + 1
    return idf


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
    derived_folds: dict[str, Fold] = field(default_factory=dict, init=False)
    inner: dict[int, tuple[Fold, ...]] = field(default_factory=dict, init=False)

    @classmethod
    def from_indices(cls, whole: Documents, learned: Array, judged: Array, seed: int = 0) -> Fold:
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
    def tfidf(self) -> tuple[csc_array[Any], csc_array[Any]]:
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
        return replace(self, train=self.train.binary, test=binarize_rows(self.test))

    def metric_weighted(self, metric: str) -> tuple[csc_array[Any], csc_array[Any]]:
        """Both parts by column, 1 + log count times what a metric says of the term in the training part."""
        if metric not in self.layouts:
            weights = term_weights(self.counts, metric)
            self.layouts[metric] = (
                tf_idf(self.train.columns, weights),
                tf_idf(self.test_columns, weights),
            )
        return self.layouts[metric]

    @cached_property
    def train_terms(self) -> Array:
        """(terms,) where the terms stand that some document of the training part holds."""
        return np.flatnonzero(np.bincount(self.train.rows.indices, minlength=self.train.rows.shape[1]))

    def with_train_terms(self) -> Fold:
        """The fold without the terms that no document of the training part holds."""
        return self.keep(self.train_terms)

    def keep(self, terms: Array) -> Fold:
        """The fold in some of the terms, by index."""
        return replace(self, train=self.train.keep(terms), test=self.test[:, terms])

    def map_features(self, weights: csr_array[Any]) -> Fold:
        """The fold in features: a linear map of its counts, (terms, features)."""
        # indices as narrow as those of the rows: some classifiers of scikit-learn take no others
        kind = self.train.rows.indices.dtype
        places = weights.indices.astype(kind), weights.indptr.astype(kind)
        weights = csr_array((weights.data, *places), shape=weights.shape)
        rows, names = csr_array(self.train.rows @ weights), np.arange(weights.shape[1])
        train = replace(self.train, rows=rows, terms=names, is_mapped=True)
        return replace(self, train=train, test=csr_array(self.test @ weights))

    def binary_problem(self, c: int) -> Fold:
        """The fold of two classes: 0, the rest, and 1, a class by its place."""
        known, right = (
            np.stack([~truth[:, c], truth[:, c]], axis=1) for truth in (self.train.truth, self.truth)
        )
        return replace(self, train=replace(self.train, labels=as_labels(known)), truth=right)

    def test_on_all(self) -> Fold:
        """The fold that judges its own training part first, and then the test part."""
        rows = csr_array(vstack([self.train.rows, self.test], format="csr"))
        truth = np.concatenate([self.train.truth, self.truth])
        weights = np.concatenate([self.train.weights, self.test_weights])
        return replace(self, test=rows, truth=truth, test_weights=weights, blocks=self.blocks[:0])


def assign_stratified_folds(labels: Labels, folds: int, seed: int) -> Array:
    """(documents,) the fold of each, by iterative stratification: Sechidis, Tsoumakas and Vlahavas (2011).

    The class with fewest documents left is dealt first, each of its documents to the fold that still wants
    most of the class, then to the one that wants most documents, then by lot. Documents without a label come
    last. With one label per document this is stratification as usual.

    >>> from termsift.counts.labels import as_labels
    >>> numbers = assign_stratified_folds(as_labels(["a"] * 4 + ["b"] * 2), 2, seed=0)
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
        for d in lot.permutation(labels.class_documents(c)).tolist():
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
    if not labels.is_single_label:
        return np.asarray(assign_stratified_folds(labels, parts, seed) == 0)
    lot = np.random.default_rng(seed)
    inside = np.zeros(labels.size, dtype=bool)
    for c in range(len(labels.classes)):
        own = lot.permutation(labels.class_documents(c))
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
        raise InvalidInputError(f"cv must be a number, a splitter or pairs of indices, got {cv!r}")
    target = documents.target
    pairs = list(check_cv(cv, target, classifier=True).split(documents.rows, target))
    if not pairs:
        raise InvalidInputError(f"cv must split the documents at least once, got {cv!r}")
    rows = np.arange(documents.rows.shape[0])
    for learned, judged in pairs:
        yield Fold.from_indices(documents, validate_indices(rows, learned), validate_indices(rows, judged))


def validate_indices(rows: Array, part: Any) -> Array:
    """The rows that a part of a split names, by indices or by a mask."""
    named = np.asarray(part)
    fits = named.ndim == 1 and named.size > 0 and named.dtype.kind in "iub"
    if fits and named.dtype.kind == "b":
        fits = named.size == rows.size and bool(named.any())
    elif fits:
        fits = bool((named >= -rows.size).all() and (named < rows.size).all())
    if not fits:
        raise InvalidInputError(f"cv must give indices of the {rows.size} documents, got {part!r}")
    return np.asarray(rows[named])


def assign_group_folds(labels: Labels, groups: Array, folds: int, seed: int) -> Array:
    """(documents,) the fold of each, all of a group in one, the classes spread as evenly as groups allow.

    Groups are dealt from the largest down, those of about one size by lot, each to the fold by which the
    shares of all classes, and of all documents, then differ least between folds. No fold stays empty where
    there are as many groups as folds. Documents may have several labels.

    >>> from termsift.counts.labels import as_labels
    >>> numbers = assign_group_folds(as_labels(["a", "b"] * 4), np.arange(8) // 2, 2, seed=0)
    >>> np.bincount(numbers), numbers[::2] == numbers[1::2]
    (array([4, 4]), array([ True,  True,  True,  True]))
    """
    _, codes = np.unique(groups, return_inverse=True)
    sizes = group_sizes(labels, codes)
    # by powers of two: within one, the lot decides
    rank = np.frexp(sizes[:, -1])[1]
    lot = np.random.default_rng(seed).permutation(len(sizes))
    order = lot[np.argsort(-rank[lot], kind="stable")]
    shares = sizes / np.maximum(sizes.sum(axis=0), 1)
    filled, number = np.zeros((folds, shares.shape[1])), np.empty(len(sizes), dtype=np.intp)
    empty = folds
    for left, group in zip(range(len(order), 0, -1), order, strict=True):
        open_folds = np.flatnonzero(~filled[:, -1].astype(bool)) if left <= empty else np.arange(folds)
        number[group] = fold = open_folds[least_uneven(filled, shares[group], open_folds)]
        empty -= filled[fold, -1] == 0
        filled[fold] += shares[group]
    found: Array = number[codes]
    return found


def group_sizes(labels: Labels, codes: Array) -> Array:
    """(groups, classes + 1) the documents of each class in each group, and last all of its documents."""
    groups = int(codes.max()) + 1
    of_class = np.repeat(np.arange(len(labels.classes)), np.diff(labels.starts))
    sizes = np.zeros((groups, len(labels.classes) + 1))
    np.add.at(sizes, (codes[labels.documents], of_class), 1)
    sizes[:, -1] = np.bincount(codes, minlength=groups)
    return sizes


def least_uneven(filled: Array, shares: Array, open_folds: Array) -> int:
    """Which of some folds the group is best put into: the sum of squares of all shares grows least by it."""
    growth = (2 * filled[open_folds] + shares) @ shares
    return int(np.argmin(np.round(growth, 12)))


def assign_time_windows(times: Array, windows: int) -> Array:
    """(documents,) the window of each, of about as many documents each; those of one time are in one.

    >>> assign_time_windows(np.array([3, 1, 1, 1, 2, 4]), 3)
    array([2, 0, 0, 0, 1, 2])
    """
    values, place, counts = np.unique(times, return_inverse=True, return_counts=True)
    if len(values) < windows:
        raise InvalidInputError(
            f"time has {len(values)} different values, too few to learn from one and judge "
            f"{windows - 1} more; use fewer folds"
        )
    ends = np.cumsum(counts)
    number, last = np.zeros(len(values), dtype=np.intp), -1
    for window in range(1, windows):
        # every window after this one needs a time of its own
        able = np.arange(last + 1, len(values) - (windows - window))
        last = int(able[np.argmin(np.abs(ends[able] - len(times) * window / windows))])
        number[last + 1 :] = window
    found: Array = number[place]
    return found


INNER = 4  # of the training part a share of 1/4 is held out where something is chosen inside it
TUNING_FOLDS = 3  # of a training part, each judged by the others where something is tuned inside it
BLOCKS = 20  # of the documents that a single run judges


@dataclass(frozen=True, slots=True, eq=False)
class Division:
    """Documents to learn from and documents to judge, by their places.

    seed : for what is drawn by lot inside
    blocks : (judged,) the number of each one's block, where there is a single run
    """

    train: Array
    test: Array
    seed: int = 0
    blocks: Array = field(default_factory=lambda: np.zeros(0, dtype=np.intp))

    def fold(self, documents: Documents) -> Fold:
        """The two parts, in the terms that those to learn from have."""
        found = Fold.from_indices(documents, self.train, self.test, self.seed)
        return replace(found, blocks=self.blocks).with_train_terms()


Divisions: TypeAlias = Callable[[int], list[Division]]


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """The runs of an experiment, in rounds: what is compared is compared on whole rounds.

    words : as a sentence names one round
    rounds : how many there are
    runs : how many divisions each of them has
    divisions : of a round, by its number
    elsewhere : where a copy of a judged document is that gives it away, as a sentence says it
    by_class : whether each class is shared out among the folds, so that it is missing from none unless it
        has fewer documents than there are folds
    """

    description: str
    rounds: int
    runs: int
    divisions: Divisions
    duplicate_location: str = "among the documents learned from"
    is_stratified: bool = False


def k_fold_split(documents: Documents, folds: int, repeats: int, seed: int) -> Split:
    """Stratified folds, each judged once by what is learned from the others; each repeat draws them anew."""

    # the warnings of a comparison ask again for what its race began with
    @cache
    def divisions(repeat: int) -> list[Division]:
        return divide_by_fold(fold_numbers(documents, folds, seed + repeat), folds, seed + repeat)

    grouped = bool(documents.groups.size)
    words = f"{folds}-fold cross-validation{', no group on both sides' if grouped else ''}"
    return Split(words, repeats, folds, divisions, "in another fold", not grouped)


def fold_numbers(documents: Documents, folds: int, seed: int) -> Array:
    """(documents,) the fold of each; documents of a group are in one."""
    if documents.groups.size:
        return assign_group_folds(documents.labels, documents.groups, folds, seed)
    return assign_stratified_folds(documents.labels, folds, seed)


def divide_by_fold(numbers: Array, folds: int, seed: int) -> list[Division]:
    """Each fold judged by the others; `numbers` (documents,) says which fold each document is in."""
    parts = [(np.flatnonzero(numbers != fold), np.flatnonzero(numbers == fold)) for fold in range(folds)]
    return [Division(*part, seed) for part in parts]


def time_window_split(documents: Documents, windows: int, seed: int) -> Split:
    """Windows of time, each judged by what is learned before it, and not from its groups."""
    numbers, groups = assign_time_windows(documents.times, windows + 1), documents.groups

    def divisions(_: int) -> list[Division]:
        found = []
        for window in range(1, windows + 1):
            judged, before = np.flatnonzero(numbers == window), np.flatnonzero(numbers < window)
            known = before[~np.isin(groups[before], groups[judged])] if groups.size else before
            found.append(Division(known, judged, seed))
        return add_blocks(documents, found, seed)

    words = f"{windows} windows of time, each judged by what was learned before it"
    return Split(words + (", no group on both sides" if groups.size else ""), 1, windows, divisions)


def holdout_split(documents: Documents, seed: int) -> Split:
    """The documents that are held out, judged by what is learned from the others."""
    parts = np.flatnonzero(~documents.is_test), np.flatnonzero(documents.is_test)
    (one,) = add_blocks(documents, [Division(*parts, seed)], seed)
    parted = f"± by the jackknife over {one.blocks.max() + 1} parts of them"
    words = f"{len(one.test):,} documents held out, {parted}"
    return Split(words, 1, 1, lambda _: [one])


def add_blocks(documents: Documents, divisions: list[Division], seed: int) -> list[Division]:
    """The divisions; a single one with blocks of its judged documents, a group in one block."""
    if len(divisions) > 1:
        return divisions
    judged = documents.take(divisions[0].test)
    units = len(np.unique(judged.groups)) if judged.groups.size else len(judged)
    return [replace(divisions[0], blocks=fold_numbers(judged, min(BLOCKS, units), seed))]


def inner_split(documents: Documents, seed: int) -> tuple[Array, Array]:
    """Documents of a training part to learn from, and a quarter to choose by: the last in time, if known.

    Groups stay together where there are several.
    """
    if documents.times.size and len(np.unique(documents.times)) >= INNER:
        numbers = INNER - 1 - assign_time_windows(documents.times, INNER)
    elif documents.groups.size and len(np.unique(documents.groups)) >= INNER:
        numbers = fold_numbers(documents, INNER, seed)
    else:
        numbers = 1 - stratified_part(documents.labels, INNER, seed)
    return np.flatnonzero(numbers), np.flatnonzero(numbers == 0)


def inner_folds(fold: Fold) -> tuple[Fold, ...]:
    """The training part in parts, each judged by the others; in time the last quarter by what was before it.

    Made once for all that is tuned; groups stay together where there are enough of them.
    """
    if TUNING_FOLDS not in fold.inner:
        pairs = inner_parts(fold.train, fold.seed)
        made = tuple(Fold.from_indices(fold.train, *pair, fold.seed) for pair in pairs if all(map(len, pair)))
        fold.inner.setdefault(TUNING_FOLDS, made)
    return fold.inner[TUNING_FOLDS]


def inner_parts(documents: Documents, seed: int) -> list[tuple[Array, Array]]:
    """Documents to learn from and to tune by."""
    if documents.times.size and len(np.unique(documents.times)) >= INNER:
        return [inner_split(documents, seed)]
    grouped = documents.groups.size and len(np.unique(documents.groups)) >= TUNING_FOLDS
    one_by_one = documents if grouped else replace(documents, groups=documents.groups[:0])
    divisions = divide_by_fold(fold_numbers(one_by_one, TUNING_FOLDS, seed), TUNING_FOLDS, seed)
    return [(division.train, division.test) for division in divisions]
