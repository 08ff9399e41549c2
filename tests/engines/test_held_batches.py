"""Batches of texts that a thread holds and adds up at once: the counts are those of each batch by itself."""

from __future__ import annotations

import numpy as np
import pytest

import termsift as ts
from termsift._internal import resources as batches
from termsift.engines import texts as engine

RNG = np.random.default_rng(5)
TEXTS = [" ".join(f"w{n}" for n in RNG.zipf(1.5, size) if n < 400) for size in RNG.integers(0, 40, 300)]
LABELS = {
    "one": [f"class {c}" for c in RNG.integers(0, 5, 300)],
    "ordered": sorted(f"class {c}" for c in RNG.integers(0, 5, 300)),
    "several": [[f"class {c}" for c in range(3) if has[c]] for has in RNG.integers(0, 2, (300, 3))],
}


@pytest.mark.parametrize("labels", list(LABELS))
@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 2), (2, 3)])
def test_the_counts_of_any_number_held_by_any_threads(monkeypatch, labels, ngram_range):
    monkeypatch.setenv("TERMSIFT_COMPILED_FROM", "0")
    analyzer = ts.Analyzer(ngram_range=ngram_range)
    expected = ts.count(TEXTS, LABELS[labels], analyzer=lambda text: analyzer(text))
    monkeypatch.setattr(batches, "BATCH_CHARACTERS", 300)
    for held in (1, 150, 1 << 21):
        monkeypatch.setattr(engine, "MAX_PENDING_ENTRIES", held)
        for n_jobs in (1, 3):
            found = ts.count(TEXTS, LABELS[labels], analyzer=analyzer, n_jobs=n_jobs)
            assert found.terms.tolist() == expected.terms.tolist()
            for table in ("df", "tf", "tf2"):
                assert (getattr(found, table) != getattr(expected, table)).nnz == 0
            for total in ("term_df", "term_tf", "term_tf2", "class_sizes"):
                assert np.array_equal(getattr(found, total), getattr(expected, total))
            assert found.documents == expected.documents
            assert found.df.dtype == expected.df.dtype
