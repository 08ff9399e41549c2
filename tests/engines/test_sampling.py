"""A sample of a stream: within its bound, the same for a seed, each class in its share."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa

from termsift.engines.documents import MIN_CLASS_DOCUMENTS, HashedSample, SampleLimit, uniform_hashes


def sampled(size, seed=0, documents=4000, batch=500):
    """A sample of texts of 100 bytes, a tenth of class b, five documents of class c."""
    sample = HashedSample(SampleLimit(size, seed), ["time"])
    for first in range(0, documents, batch):
        places = range(first, first + batch)
        texts = pa.array([f"{i:0100d}" for i in places], pa.large_string())
        names = [["c"] if i % 800 == 7 else ["b"] if i % 10 == 0 else ["a"] for i in places]
        sample.add(texts, names, {"time": list(places)})
    return sample


def test_sample_within_limit_is_complete():
    sample = sampled(10**9)
    assert sample.metadata["time"] == list(range(4000))
    assert sample.facts(False, None) is None


def test_a_sample_keeps_its_bound_and_the_share_of_each_class():
    sample = sampled(100_000)
    assert 70_000 < sample.sizes.sum() <= 100_000
    facts = sample.facts(False, None)
    assert (facts.kept, facts.seen) == (len(sample.texts), 4000)
    assert facts.class_sizes == {"a": 3595, "b": 400, "c": 5}
    kept = Counter(name for (name,) in sample.names)
    assert kept["c"] == 5
    assert abs(kept["b"] / facts.kept - 0.1) < 0.04


def test_texts_labels_and_other_values_stay_together_in_their_order():
    sample = sampled(50_000)
    assert sample.metadata["time"] == sorted(sample.metadata["time"])
    assert [int(text) for text in sample.texts] == sample.metadata["time"]
    assert all(
        (name == "b") == (i % 10 == 0)
        for i, (name,) in zip(sample.metadata["time"], sample.names, strict=True)
    )


def test_sample_depends_only_on_seed_and_share():
    one, again, other = sampled(50_000), sampled(50_000), sampled(50_000, seed=1)
    assert one.texts == again.texts
    assert one.texts != other.texts
    numbers = uniform_hashes(0, 0, 4000)
    below = set(np.flatnonzero(numbers < one.share).tolist())
    kept = set(one.metadata["time"])
    assert below <= kept
    assert len(kept - below) <= 3 * MIN_CLASS_DOCUMENTS


def test_smaller_sample_is_subset_of_larger_sample():
    assert set(sampled(40_000).metadata["time"]) <= set(sampled(80_000).metadata["time"])


def test_sample_keeps_some_documents_of_each_class():
    kept = Counter(name for (name,) in sampled(1).names)
    assert kept == {"a": MIN_CLASS_DOCUMENTS, "b": MIN_CLASS_DOCUMENTS, "c": 5}


def test_document_numbers_are_uniform_and_depend_on_seed():
    numbers = uniform_hashes(3, 0, 100_000)
    assert np.allclose(np.histogram(numbers, 10, (0, 1))[0], 10_000, rtol=0.05)
    assert np.array_equal(numbers[500:600], uniform_hashes(3, 500, 100))
    assert abs(np.corrcoef(numbers, uniform_hashes(4, 0, 100_000))[0, 1]) < 0.02
