"""Batches of documents, and threads that take them in turn and give them back in order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import numpy as np

from termsift._internal.errors import InvalidInputError

# characters of texts: what a batch needs on its way stays small, and threads have enough to share
BATCH = 1 << 20
# bytes of files: the words of each batch are merged into those of all, so there should be few
STREAM = 1 << 22
T = TypeVar("T")
R = TypeVar("R")


def batch_edges(lengths: Sequence[int], size: int | None = None) -> list[int]:
    """Where batches of about `size` begin, and the end. They depend on the documents alone, not on threads.

    >>> batch_edges([3, 4, 5, 1], size=6)
    [0, 2, 4]
    """
    size = BATCH if size is None else size
    edges, filled = [0], 0
    for i, length in enumerate(lengths):
        filled += length
        if filled >= size:
            edges.append(i + 1)
            filled = 0
    if edges[-1] != len(lengths):
        edges.append(len(lengths))
    return edges


def threads(n_jobs: int | None) -> int:
    """How many threads: all cores for None or -1."""
    if n_jobs is None:
        return os.cpu_count() or 1
    if not isinstance(n_jobs, int | np.integer) or (n_jobs < 1 and n_jobs != -1):
        raise InvalidInputError(f"n_jobs must be at least 1, or -1 for all cores, got {n_jobs!r}")
    return (os.cpu_count() or 1) if n_jobs == -1 else int(n_jobs)


@contextmanager
def beside(work: Callable[[], object], n_threads: int) -> Iterator[None]:
    """Work that is done while the block is, in a thread of its own; after it, where there is but one."""
    if n_threads == 1:
        yield
        work()
        return
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(work)
        yield
        done.result()


def in_order(work: Callable[[T], R], batches: Iterable[T], n_threads: int) -> Iterator[R]:
    """The results of the batches in their order; one batch a thread is in flight, and one more waits."""
    if n_threads == 1:
        yield from map(work, batches)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        waiting: deque[Future[R]] = deque()
        for batch in batches:
            waiting.append(pool.submit(work, batch))
            if len(waiting) > n_threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
