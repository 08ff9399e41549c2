"""The sums of partitions, without Spark: rows of any partitions, added up, are the counts of the whole."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import termsift as ts
from spark_rows import added_rows, cut
from strategies import samples, tokens
from termsift.engines.spark.counting import counts_from_rows
from termsift.engines.spark.partition import PartialSums

KINDS = {bool: pa.bool_(), str: pa.string(), int: pa.int64(), float: pa.float64()}
# the range of sample_weight; eight of them add up to at most 2**53
WEIGHTS = st.just(0.0) | st.floats(min_value=2.0**-53, max_value=2.0**50)


def added_up(partitions, job):
    """The counts of the rows of the partitions."""
    return counts_from_rows(added_rows(partitions, job), job)


def partitions(texts, labels, weights, kind, edges):
    """Documents as lists of Arrow batches, cut at the edges."""
    columns = {"text": pa.array(texts, pa.string()), "label": pa.array(labels, pa.list_(kind))}
    if weights is not None:
        columns["weight"] = pa.array(weights, pa.float64())
    return cut(pa.table(columns), edges)


@given(samples(least=1), st.lists(st.integers(0, 9), max_size=5), st.sampled_from([1, 1 << 12, 1 << 27]))
def test_any_partitions_and_any_memory_give_the_counts_of_the_whole(sample, edges, memory):
    texts = ["\t".join(document) for document in sample.documents]
    names = [name for labels in sample.labels for name in labels]
    kind = KINDS[type(names[0])] if names else pa.string()
    job = PartialSums(tokens, kind, True, sample.weights is not None, None, "error", memory)
    parts = partitions(texts, sample.labels, sample.weights, kind, edges)
    assert added_up(parts, job) == sample.counts()


@pytest.mark.parametrize(
    "options",
    [
        {"ngram_range": (1, 1)},
        {"ngram_range": (1, 2)},
        {"ngram_range": (2, 3)},
        {"analyzer": "char", "ngram_range": (2, 4)},
        {"analyzer": "char_wb", "ngram_range": (3, 5)},
    ],
)
@pytest.mark.parametrize("memory", [1 << 12, 1 << 27])
def test_the_compiled_scan_in_partitions(options, memory):
    texts = ["Free prize now", "grüße aus 東京 now", "", "now\nnow \0 prize"] * 9
    analyzer = ts.Analyzer(**options, stop_words=["aus"])
    job = PartialSums(analyzer, pa.string(), True, False, None, "error", memory)
    labels = [["x"], ["y"], ["x", "y"], []] * 9
    parts = partitions(texts, labels, None, pa.string(), [3, 4, 20])
    assert added_up(parts, job) == ts.count(texts, labels, analyzer=analyzer)


@given(st.lists(WEIGHTS, min_size=1, max_size=8), st.lists(st.integers(0, 8), max_size=3))
def test_sums_of_weights_are_exact_up_to_rounding(weights, edges):
    job = PartialSums(str.split, pa.string(), True, True, None, "error", 1)
    counts = added_up(
        partitions(["a"] * len(weights), [["x"]] * len(weights), weights, pa.string(), edges), job
    )
    total = pytest.approx(math.fsum(weights), rel=1e-12)
    assert counts.documents == total
    assert counts.term_df.tolist() == ([total] if any(weights) else [])
    assert counts.class_sizes.tolist() == [total]


def test_a_partition_lets_its_sums_go_when_they_fill_its_memory():
    texts = [" ".join(f"word{i}x{j}" for j in range(2000)) for i in range(600)]
    table = pa.table({"text": texts, "label": [["x"]] * len(texts)})
    job = PartialSums(ts.Analyzer(), pa.string(), True, False, None, "error", 1 << 25)
    seen, largest = 0, 0
    for batch in job(iter(table.to_batches(max_chunksize=20))):
        seen, largest = seen + len(batch), max(largest, len(batch))
    assert seen >= 2 * 1_200_000
    assert largest <= 1 << 16


def test_rows_left_out_are_counted_over_all_partitions():
    job = PartialSums(str.split, pa.string(), True, False, None, "skip", 1 << 27)
    parts = partitions(["a", None, "b"], [["x"], ["y"], None], None, pa.string(), [1, 2])
    with pytest.warns(ts.TermsiftWarning, match="2 of 3 rows without a text or a label were skipped"):
        counts = added_up(parts, job)
    assert counts == ts.count(["a"], [["x"]], analyzer=str.split)


def test_label_separator_splits_labels():
    job = PartialSums(str.split, pa.string(), True, False, "|", "error", 1 << 27)
    table = pa.table({"text": ["a b", "b"], "label": ["x | y", ""]})
    assert added_up([table.to_batches()], job) == ts.count(["a b", "b"], [["x", "y"], []], analyzer=str.split)
