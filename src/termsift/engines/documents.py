"""Labelled documents as rows of term counts, samples of streams larger than memory, and duplicates.

A sample is drawn in one pass, reproducibly, with each class in proportion. Every document has a number
between 0 and 1, computed from its position and the seed. Documents whose number is below a share are kept; if
they exceed the limit, the share is lowered. A document that was dropped would never be kept later, so the
result is a uniform sample of everything read. The documents with the smallest numbers of each class are kept
whatever the share.
"""

from __future__ import annotations

import heapq
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csc_array, csr_array

from termsift._internal.errors import InvalidInputError, TermsiftWarning, quote_names
from termsift._internal.resources import free_memory, parse_memory_size, resident_memory
from termsift._internal.typing import Array, as_term_array
from termsift.counts import Counts, Labels
from termsift.engines.matrices import count_rows
from termsift.engines.texts import count_texts
from termsift.text import Analyzer, FullForms, build_full_forms


@dataclass(frozen=True, eq=False)
class Documents:
    """Rows of term counts with the labels of each document.

    Parameters
    ----------
    rows : csr_array, (documents, terms)
    labels : Labels
    terms : Array, (terms,)
        Names of the columns, or their numbers.
    weights : Array, (documents,)
        Sample weights, or empty.
    dense : bool
        Whether they came as a dense matrix; scikit-learn classifiers then get one.
    texts : list of str, optional
        Original texts.
    settings : dict, optional
        Parameters of the CountVectorizer that made the rows from texts, if one did.
    analyzer : Analyzer, optional
        Analyzer that made the rows from texts.
    is_mapped : bool
        Whether columns are features computed from terms, so that rows are not counts.
    groups : Array, (documents,)
        Group number of each document, or empty. Documents of a group stay in one fold.
    times : Array, (documents,)
        Numbers that order the documents in time, or empty.
    is_test : Array, (documents,)
        Whether each document is for testing rather than training, or empty.

    """

    rows: csr_array[Any]
    labels: Labels
    terms: Array
    weights: Array = field(default_factory=lambda: np.zeros(0))
    dense: bool = False
    texts: list[str] | None = None
    settings: dict[str, Any] | None = None
    analyzer: Analyzer | None = None
    is_mapped: bool = False
    groups: Array = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    times: Array = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    is_test: Array = field(default_factory=lambda: np.zeros(0, dtype=bool))

    def __len__(self) -> int:
        return self.labels.size

    @cached_property
    def counts(self) -> Counts:
        """Counts of all classes."""
        return count_rows(self.rows, self.labels, self.terms, self.weights, None)

    @cached_property
    def readable_counts(self) -> Counts:
        """Counts of all classes, with each stem replaced by its most frequent word, for lists of terms."""
        full_forms = None if self.texts is None else find_full_forms(self.analyzer, self.texts)
        if full_forms is None:
            return self.counts
        forms = full_forms.forms
        words = (" ".join(forms.get(stem, stem) for stem in term.split(" ")) for term in self.terms)
        terms = as_term_array(words)
        order = np.argsort(terms)
        return count_rows(self.rows[:, order], self.labels, terms[order], self.weights, None)

    @cached_property
    def class_tf(self) -> csc_array[Any]:
        """(terms, classes) occurrences, by class."""
        return self.counts.tf.tocsc()

    @cached_property
    def columns(self) -> csc_array[Any]:
        """Rows in column order: which documents contain a term."""
        return csc_array(self.rows)

    @property
    def binary(self) -> Documents:
        """Documents with every count replaced by 1."""
        return replace(self, rows=binarize_rows(self.rows))

    @cached_property
    def truth(self) -> Array:
        """(documents, classes) whether each document is in each class."""
        return np.asarray(self.labels.indicator.toarray(), dtype=bool)

    @property
    def target(self) -> Any:
        """(documents,) index of the class if each document has one, else the indicator matrix."""
        return self.truth.argmax(axis=1) if self.labels.is_single_label else self.labels.indicator

    def take(self, indices: Array) -> Documents:
        """Return the documents at some indices, with all classes, even if they are now empty."""
        arrays = {name: getattr(self, name) for name in ("weights", "groups", "times", "is_test")}
        arrays = {name: values[indices] if values.size else values for name, values in arrays.items()}
        texts = None if self.texts is None else [self.texts[i] for i in indices]
        return replace(self, rows=self.rows[indices], labels=self.labels.take(indices), texts=texts, **arrays)

    def keep(self, term_indices: Array) -> Documents:
        """Return the documents with only the terms at some indices."""
        return replace(self, rows=self.rows[:, term_indices], terms=self.terms[term_indices])


def find_full_forms(analyzer: Any, texts: list[str]) -> FullForms | None:
    """Return the most frequent word of each stem in the texts; None for an analyzer without a stemmer."""

    def iter_word_counts(analyzer: Any) -> Iterator[tuple[Array, Array]]:
        counts = count_texts(texts, np.zeros(len(texts), dtype=np.intp), analyzer=analyzer)
        yield counts.terms, counts.term_tf

    return build_full_forms(analyzer, iter_word_counts)


def binarize_rows(rows: csr_array[Any]) -> csr_array[Any]:
    """Replace every stored count by 1."""
    return csr_array((np.ones_like(rows.data), rows.indices, rows.indptr), shape=rows.shape)


def check_class_sizes(labels: Labels) -> None:
    """Check that there are classes to distinguish, with documents to train and to test on."""
    warn_numeric_labels(labels.classes, labels.size)
    sizes = np.diff(labels.starts)
    nonempty = np.flatnonzero(sizes)
    if labels.is_single_label and len(nonempty) == 1:
        raise InvalidInputError(
            f"only 1 class: all {labels.size:,} documents are in {labels.classes[nonempty[0]]!r}; "
            "at least 2 classes are needed"
        )
    if labels.is_single_label and len(nonempty) == labels.size and labels.size:
        raise InvalidInputError(
            f"all {labels.size:,} labels are different, so no class has documents to train on; "
            "is this the label column?"
        )
    is_usable = (sizes >= 2) & (labels.size - sizes >= 2)
    if not is_usable.any() or (labels.is_single_label and is_usable.sum() < 2):
        names = quote_names([labels.classes[c] for c in nonempty], 5)
        raise InvalidInputError(
            "at least 2 classes need 2 documents each, one to train and one to test on; "
            f"the classes are {names}"
        )


# more classes whose names are numbers are measurements, unless they are whole and have this mean size
MAX_NUMERIC_CLASSES, MIN_CLASS_SIZE = 20, 5


def warn_numeric_labels(classes: Sequence[Any], n_documents: float) -> None:
    """Warn if the labels are measurements, such as prices, rather than classes.

    Labels that are numbers are classes too, such as ratings from 1 to 10 or the numbers of topics.
    """
    if len(classes) <= MAX_NUMERIC_CLASSES:
        return
    try:
        numbers = [float(name) for name in classes]
    except (TypeError, ValueError):
        return
    if all(number.is_integer() for number in numbers) and n_documents >= MIN_CLASS_SIZE * len(classes):
        return
    warnings.warn(
        f"the labels are {len(classes):,} different numbers from {min(numbers):g} to {max(numbers):g}; "
        "termsift does not predict numbers (regression): bin them into a few classes first, for example with "
        "pandas.qcut(labels, 4)",
        TermsiftWarning,
        stacklevel=3,
    )


# documents of a class that are always kept
MIN_CLASS_DOCUMENTS = 20
SHARE_FACTOR = 0.8
# below this share only the documents that are always kept remain
MIN_SHARE = 1e-9
# memory that a comparison takes for each byte of text, measured, and for any text
MEMORY_PER_TEXT_BYTE, BASE_MEMORY = 40, 150e6
# bytes of text that are always read
MIN_TEXT_BYTES = 1e6
# bytes of text that can be compared in a second of the budget
BYTES_PER_SECOND = 2e6
# share of the budget that reading may take
READ_SHARE = 0.4
GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)  # increment of SplitMix64
# function that reads the texts and the labels of each again, batch by batch
Reread: TypeAlias = Callable[[], Iterator[tuple[list[str], list[list[Any]]]]]


@dataclass(frozen=True, slots=True)
class SampleLimit:
    """Limit of a sample.

    size : bytes of texts
    seed : random seed
    until : value of time.monotonic() at which reading ends; or None
    memory : bytes of memory that determine the size, for messages; or None
    """

    size: float
    seed: int = 0
    until: float | None = None
    memory: float | None = None


def choose_sample_limit(
    memory: Any, budget: float | None, seed: int, start_time: float
) -> SampleLimit | None:
    """Return the limit for files: what fits memory (default: half of the free memory) and the time budget."""
    if memory is None:
        free, used = free_memory(), 0.0
        room = None if free is None else free / 2
    else:
        room, used = parse_memory_size(memory), resident_memory()
    size = float("inf")
    if room is not None:
        size = max((room - used - BASE_MEMORY) / MEMORY_PER_TEXT_BYTE, MIN_TEXT_BYTES)
    if budget is None:
        return None if room is None else SampleLimit(size, seed, None, room)
    until, size_in_time = start_time + budget * READ_SHARE, max(budget * BYTES_PER_SECOND, MIN_TEXT_BYTES)
    if size_in_time < size:
        return SampleLimit(size_in_time, seed, until)
    return SampleLimit(size, seed, until, room)


@dataclass(frozen=True, slots=True, eq=False)
class SampleFacts:
    """Facts about the documents that a sample was drawn from.

    kept, seen : number of documents in the sample, and of those read
    class_sizes : number of documents read of each class
    memory : the limit, or None if it was time
    is_cut : whether reading ended before the data
    again : function that reads all documents again, or None if that is impossible
    """

    kept: int
    seen: int
    class_sizes: Mapping[Any, int]
    memory: float | None = None
    is_cut: bool = False
    again: Reread | None = None


class HashedSample:
    """Documents sampled so far: texts, lists of labels, and metadata by role."""

    def __init__(self, limit: SampleLimit, roles: Sequence[str] = ()) -> None:
        self.limit = limit
        self.texts: list[str] = []
        self.names: list[list[Any]] = []
        self.metadata: dict[str, list[Any]] = {role: [] for role in roles}
        self.numbers, self.sizes = np.zeros(0), np.zeros(0, dtype=np.int64)
        self.n_documents, self.share = 0, 1.0
        self.class_sizes: Counter[Any] = Counter()
        # of each class a heap of its smallest numbers, negated: the largest of them comes first
        self.smallest: dict[Any, list[float]] = {}

    def add(self, texts: Any, label_lists: list[list[Any]], metadata: Mapping[str, list[Any]]) -> None:
        """Add documents, with texts as an Arrow array; drop others if the limit is exceeded."""
        numbers = uniform_hashes(self.limit.seed, self.n_documents, len(texts))
        self.n_documents += len(texts)
        for document_names, number in zip(label_lists, numbers.tolist(), strict=True):
            for name in document_names:
                self.class_sizes[name] += 1
                smallest = self.smallest.setdefault(name, [])
                if len(smallest) < MIN_CLASS_DOCUMENTS:
                    heapq.heappush(smallest, -number)
                elif number < -smallest[0]:
                    heapq.heapreplace(smallest, -number)
        chosen = self.select_indices(numbers, label_lists)
        # Arrow imports pandas to take some of the texts
        chosen_texts = (texts if len(chosen) == len(texts) else texts.take(chosen)).to_pylist()
        self.texts += chosen_texts
        self.names += [label_lists[i] for i in chosen]
        for role, values in metadata.items():
            self.metadata[role] += [values[i] for i in chosen]
        sizes = [len(text.encode("utf-8", "replace")) for text in chosen_texts]
        self.numbers = np.concatenate([self.numbers, numbers[chosen]])
        self.sizes = np.concatenate([self.sizes, sizes])
        while self.sizes.sum() > self.limit.size:
            self.share = self.share * SHARE_FACTOR if self.share > MIN_SHARE else 0.0
            chosen = self.select_indices(self.numbers, self.names)
            self.texts = [self.texts[i] for i in chosen]
            self.names = [self.names[i] for i in chosen]
            self.metadata = {role: [values[i] for i in chosen] for role, values in self.metadata.items()}
            self.numbers, self.sizes = self.numbers[chosen], self.sizes[chosen]
            # the documents that are always kept may exceed the limit
            if not self.share:
                return

    def select_indices(self, hashes: Array, label_lists: list[list[Any]]) -> list[int]:
        """Return the indices of documents below the share, or among the smallest of a class."""
        return [
            i
            for i, (number, document_names) in enumerate(zip(hashes.tolist(), label_lists, strict=True))
            if number < self.share or any(number <= -self.smallest[name][0] for name in document_names)
        ]

    def facts(self, is_cut: bool, reread: Reread | None) -> SampleFacts | None:
        """Return facts about the sampled stream, or None if the sample is complete."""
        if len(self.texts) == self.n_documents and not is_cut:
            return None
        sizes, memory = dict(self.class_sizes), self.limit.memory
        return SampleFacts(len(self.texts), self.n_documents, sizes, memory, is_cut, reread)


def uniform_hashes(seed: int, first_document: int, n_documents: int) -> Array:
    """Return numbers between 0 and 1 from document numbers and a seed, by SplitMix64."""
    numbers = np.arange(first_document, first_document + n_documents, dtype=np.uint64) + np.uint64(1)
    return np.asarray(mix_bits(numbers + np.uint64(seed % 2**32) * np.uint64(2**31)) / 2.0**64)


def mix_bits(numbers: Array) -> Array:
    """Return numbers spread over 64 bits, by SplitMix64."""
    z = numbers * GOLDEN_GAMMA
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))


NEAR_DUPLICATE_SIMILARITY = 0.8  # Jaccard similarity of the term sets of near-duplicates
MIN_NEAR_DUPLICATE_TERMS = 5  # documents with fewer terms are duplicates only if they are equal
N_BANDS, BAND_WIDTH = 12, 4  # locality-sensitive hashing


def find_duplicate_indices(rows: csr_array[Any]) -> Array:
    """Return the documents that duplicate an earlier one, exactly or nearly."""
    return np.unique(find_duplicate_pairs(rows)[:, 1])


def find_duplicate_pairs(rows: csr_array[Any]) -> Array:
    """Return pairs of documents, (pairs, 2), that are duplicates or near-duplicates, in order, earlier first.

    Candidates are documents with equal MinHash signatures, or an equal band of them.
    """
    lengths = np.diff(rows.indptr)
    nonempty = np.flatnonzero(lengths)
    is_long = lengths[nonempty] >= MIN_NEAR_DUPLICATE_TERMS
    terms, filled = np.arange(rows.shape[1], dtype=np.uint64), rows[nonempty]
    candidates, exact_key = [], lengths[nonempty].astype(np.uint64)
    for band in range(N_BANDS):
        key = np.zeros(len(nonempty), dtype=np.uint64)
        for i in range(band * BAND_WIDTH, (band + 1) * BAND_WIDTH):
            # a pseudorandom function of the term number for each column of the signatures; 32 bits are read
            # three times as fast as 64, and the few equal ones only add candidates
            seed = mix_bits(np.full(1, i, dtype=np.uint64))
            hashes = (mix_bits(terms * np.uint64(2) + np.uint64(1) + seed) >> np.uint64(32)).astype(np.uint32)
            key = mix_bits(key + np.minimum.reduceat(hashes[filled.indices], filled.indptr[:-1]))
        candidates.append(link_equal_keys(nonempty[is_long], key[is_long]))
        exact_key = mix_bits(exact_key + key)
    # equal signatures and lengths: candidates for exact duplicates, also of short documents
    candidates.append(link_equal_keys(nonempty, exact_key))
    pairs = np.unique(np.concatenate(candidates), axis=0)
    return pairs[jaccard_similarities(rows, pairs) >= NEAR_DUPLICATE_SIMILARITY]


def link_equal_keys(document_indices: Array, keys: Array) -> Array:
    """Pair each document with the first and with the previous document of the same key: (pairs, 2)."""
    order = np.argsort(keys, kind="stable")
    ordered, groups = document_indices[order], keys[order]
    is_repeated = groups[1:] == groups[:-1]
    starts = np.flatnonzero(np.concatenate([[True], ~is_repeated]))
    first = ordered[np.repeat(starts, np.diff(np.append(starts, len(ordered))))]
    # pairs with the first and with the previous document find chains of near-duplicates in linear time
    with_first = np.stack([first[1:][is_repeated], ordered[1:][is_repeated]], axis=1)
    with_previous = np.stack([ordered[:-1][is_repeated], ordered[1:][is_repeated]], axis=1)
    return np.concatenate([with_first, with_previous])


def jaccard_similarities(rows: csr_array[Any], pairs: Array) -> Array:
    """Return the Jaccard similarity of the term sets of each pair of documents."""
    # the product of two sets, with 1 for each count, is their intersection
    sets = csr_array((np.ones(rows.nnz, dtype=np.int32), rows.indices, rows.indptr), shape=rows.shape)
    lengths = np.diff(rows.indptr)
    n_common = np.zeros(len(pairs))
    # in batches, to bound the memory of the products
    for start in range(0, len(pairs), 10_000):
        batch = slice(start, start + 10_000)
        n_common[batch] = (sets[pairs[batch, 0]] * sets[pairs[batch, 1]]).sum(axis=1)
    n_union = lengths[pairs[:, 0]] + lengths[pairs[:, 1]] - n_common
    return np.divide(n_common, np.maximum(n_union, 1))
