"""Batches of documents, and threads that process them in order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import numpy as np

from termsift._internal.errors import InvalidInputError

# small enough that temporary arrays of a batch stay small, large enough for threads to share the work
BATCH_CHARACTERS = 1 << 20
# larger, because the lexicon of each batch of a file is merged into the total
BATCH_BYTES = 1 << 22
T = TypeVar("T")
R = TypeVar("R")


def batch_edges(lengths: Sequence[int], size: int | None = None) -> list[int]:
    """Return the start index of each batch of about `size`, and the end of the last batch.

    Batches depend only on the documents, so results do not depend on the number of threads.

    >>> batch_edges([3, 4, 5, 1], size=6)
    [0, 2, 4]
    """
    size = BATCH_CHARACTERS if size is None else size
    edges, batch_size = [0], 0
    for i, length in enumerate(lengths):
        batch_size += length
        if batch_size >= size:
            edges.append(i + 1)
            batch_size = 0
    if edges[-1] != len(lengths):
        edges.append(len(lengths))
    return edges


def resolve_n_jobs(n_jobs: int | None) -> int:
    """Return the number of threads: all cores for None or -1."""
    if n_jobs is None:
        n_jobs = -1
    if not isinstance(n_jobs, int | np.integer) or (n_jobs < 1 and n_jobs != -1):
        raise InvalidInputError(f"n_jobs must be at least 1, or -1 for all cores, got {n_jobs!r}")
    return (os.cpu_count() or 1) if n_jobs == -1 else int(n_jobs)


@contextmanager
def run_in_background(work: Callable[[], object], n_threads: int) -> Iterator[None]:
    """Run `work` in a second thread during the block, or after the block if there is only one thread."""
    if n_threads == 1:
        yield
        work()
        return
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work)
        yield
        future.result()


def map_in_order(work: Callable[[T], R], batches: Iterable[T], n_threads: int) -> Iterator[R]:
    """Yield the results of the batches in order, with at most `n_threads + 1` batches in memory."""
    if n_threads == 1:
        yield from map(work, batches)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        pending: deque[Future[R]] = deque()
        for batch in batches:
            pending.append(pool.submit(work, batch))
            if len(pending) > n_threads:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
