"""Sample of a stream within a limit: one pass, reproducible, with each class in proportion.

Every document has a number between 0 and 1 that follows from its place and the seed. Those below a share are
kept; where they outgrow the bound, the share is lowered and some go. So no document that was passed over is
missed later, and the sample is drawn alike from all that was read. Of each class the few with the smallest
numbers stay, whatever the share.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any, TypeAlias

import numpy as np

from termsift._internal.resources import free_memory, parse_memory_size, resident_memory
from termsift._internal.typing import Array

MIN_CLASS_DOCUMENTS = 20  # documents of a class that stay
SHARE_FACTOR = 0.8
MIN_SHARE = 1e-9  # of a share
# bytes of memory that a byte of text takes in a comparison, and bytes that it takes whatever the text
MEMORY_PER_TEXT_BYTE, BASE_MEMORY = 40, 150e6
MIN_TEXT_BYTES = 1e6  # bytes of text that are always taken
BYTES_PER_SECOND = 2e6  # bytes of text that a second of a budget is enough for
READ_SHARE = 0.4  # of a budget
SPLITMIX_CONSTANTS = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
# texts and the labels of each, some at a time, read anew
Reread: TypeAlias = Callable[[], Iterator[tuple[list[str], list[list[Any]]]]]


@dataclass(frozen=True, slots=True)
class SampleLimit:
    """Limit of a sample.

    size : bytes of texts
    seed : what it is drawn by
    until : of time.monotonic(), when reading ends; or None
    memory : the bytes of memory that the size follows from, as a sentence says it; or None
    """

    size: float
    seed: int = 0
    until: float | None = None
    memory: float | None = None

    @property
    def is_over(self) -> bool:
        """Whether the time for reading is over."""
        return self.until is not None and monotonic() > self.until


def choose_sample_limit(memory: Any, budget: float | None, seed: int, start: float) -> SampleLimit | None:
    """Return the limit for files: what fits memory (default: half of the free memory) and the time budget."""
    free = free_memory()
    room = parse_memory_size(memory) if memory is not None else None if free is None else free / 2
    used = resident_memory() if memory is not None else 0
    sizes = [] if room is None else [max((room - used - BASE_MEMORY) / MEMORY_PER_TEXT_BYTE, MIN_TEXT_BYTES)]
    in_time = None if budget is None else max(budget * BYTES_PER_SECOND, MIN_TEXT_BYTES)
    if in_time is not None and (not sizes or in_time < sizes[0]):
        return SampleLimit(in_time, seed, start + budget * READ_SHARE)  # type: ignore[operator]
    until = None if budget is None else start + budget * READ_SHARE
    return SampleLimit(sizes[0], seed, until, room) if sizes else None


@dataclass(frozen=True, slots=True, eq=False)
class SampleFacts:
    """Facts about the documents that a sample was drawn from.

    kept, seen : documents of the sample, and those that were read
    class_sizes : of those that were read
    memory : the bound, or None where time was
    is_cut : whether reading ended before the data did
    again : what reads all of them once more; None where that cannot be
    """

    kept: int
    seen: int
    class_sizes: Mapping[Any, int]
    memory: float | None = None
    is_cut: bool = False
    again: Reread | None = None


class HashedSample:
    """Documents sampled so far: texts, lists of labels, and metadata by role."""

    def __init__(self, bound: SampleLimit, roles: Sequence[str] = ()) -> None:
        self.bound = bound
        self.texts: list[str] = []
        self.names: list[list[Any]] = []
        self.metadata: dict[str, list[Any]] = {role: [] for role in roles}
        self.numbers, self.sizes = np.zeros(0), np.zeros(0, dtype=np.int64)
        self.seen, self.share = 0, 1.0
        self.class_sizes: Counter[Any] = Counter()
        self.smallest: dict[Any, list[float]] = {}

    def add(self, texts: Any, names: list[list[Any]], metadata: Mapping[str, list[Any]]) -> None:
        """Add documents, with texts as an Arrow array; drop others if the limit is exceeded."""
        numbers = hash_documents(self.bound.seed, self.seen, len(texts))
        self.seen += len(texts)
        for own, number in zip(names, numbers.tolist(), strict=True):
            for name in own:
                self.note(name, number)
        chosen = self.staying(numbers, names)
        # to take some, Arrow loads pandas
        held = (texts if len(chosen) == len(texts) else texts.take(chosen)).to_pylist()
        self.texts += held
        self.names += [names[i] for i in chosen]
        for role, values in metadata.items():
            self.metadata[role] += [values[i] for i in chosen]
        self.numbers = np.concatenate([self.numbers, numbers[chosen]])
        self.sizes = np.concatenate([self.sizes, [len(text.encode("utf-8", "replace")) for text in held]])
        while self.sizes.sum() > self.bound.size:
            self.share = self.share * SHARE_FACTOR if self.share > MIN_SHARE else 0.0
            self.keep(self.staying(self.numbers, self.names))
            if not self.share:
                return  # the few of each class are more than the bound

    def note(self, name: Any, number: float) -> None:
        """Count a document of a class, and store its hash if it is among the smallest."""
        self.class_sizes[name] += 1
        own = self.smallest.setdefault(name, [])
        if len(own) < MIN_CLASS_DOCUMENTS:
            heapq.heappush(own, -number)
        elif number < -own[0]:
            heapq.heapreplace(own, -number)

    def staying(self, numbers: Array, names: list[list[Any]]) -> list[int]:
        """Return the indices of documents below the share, or among the smallest of a class."""
        return [
            i
            for i, (number, own) in enumerate(zip(numbers.tolist(), names, strict=True))
            if number < self.share or any(number <= -self.smallest[name][0] for name in own)
        ]

    def keep(self, chosen: list[int]) -> None:
        """Keep only the documents at these indices."""
        self.texts = [self.texts[i] for i in chosen]
        self.names = [self.names[i] for i in chosen]
        self.metadata = {role: [values[i] for i in chosen] for role, values in self.metadata.items()}
        self.numbers, self.sizes = self.numbers[chosen], self.sizes[chosen]

    def facts(self, is_cut: bool, again: Reread | None) -> SampleFacts | None:
        """Return facts about the sampled stream, or None if the sample is complete."""
        if len(self.texts) == self.seen and not is_cut:
            return None
        memory = self.bound.memory
        return SampleFacts(len(self.texts), self.seen, dict(self.class_sizes), memory, is_cut, again)


def hash_documents(seed: int, first: int, size: int) -> Array:
    """Return numbers between 0 and 1 from document numbers and a seed, by SplitMix64."""
    with np.errstate(over="ignore"):
        value = np.arange(first, first + size, dtype=np.uint64) + np.uint64(1)
        value = (value + np.uint64(seed % 2**32) * np.uint64(2**31)) * np.uint64(SPLITMIX_CONSTANTS[0])
        value = (value ^ (value >> np.uint64(30))) * np.uint64(SPLITMIX_CONSTANTS[1])
        value = (value ^ (value >> np.uint64(27))) * np.uint64(SPLITMIX_CONSTANTS[2])
        value ^= value >> np.uint64(31)
    return np.asarray(value / 2.0**64)
