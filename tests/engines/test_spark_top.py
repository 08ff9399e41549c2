"""Scores that are made on the cluster are those of the counts, ties included."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import termsift as ts
from real_texts import reuters, sms
from spark_rows import added_rows, by_term, cut
from termsift.engines.spark import partition as spark_rows_module
from termsift.engines.spark import scoring
from termsift.engines.spark.counting import sum_document_rows
from termsift.engines.spark.partition import PartialSums

pytestmark = pytest.mark.xdist_group("spark")
METRICS = [metric.name for metric in ts.metrics() if metric.name != "rand"]
SINGLE = [metric.name for metric in ts.metrics() if metric.single_label]


def rows_of(found):
    """The rows of a table as tuples."""
    return list(zip(*(column.tolist() for column in found.columns.values()), strict=True))


def local(counts, metric, k, expected=0.05, **options):
    """The same by scores in memory, with alpha in the last column for scores by class."""
    scores = ts.score(counts, metric, **options)
    if scores.values.ndim == 1:
        return rows_of(scores.top(None, k))
    return [
        (*row, scores.alpha(expected, name))
        for name in counts.classes
        for row in rows_of(scores.top(name, k))
    ]


@pytest.fixture(scope="module")
def stories(data_folder):
    """Some stories, with several labels and with one."""
    texts, labels = (part[:200] for part in reuters(data_folder))
    kept = [[name for name in names if name in ("acq", "crude", "earn", "trade")] for names in labels]
    return texts, kept, [names[0] if names else "other" for names in kept]


@pytest.fixture(scope="module")
def summed(stories):
    """Sums as the cluster has them, with the job that made them, and counts: of several labels, of one."""
    found = {}
    for several, labels in zip((True, False), stories[1:], strict=True):
        job = PartialSums(ts.Analyzer(), pa.string(), several, False, None, "error", 1 << 27)
        rows = added_rows(cut(pa.table({"text": stories[0], "label": labels}), [30, 100]), job)
        whole = sum_document_rows(rows.filter(rows["term"].is_null()))
        found[several] = (job, whole, by_term(rows, 3)), ts.count(stories[0], labels)
    return found


def without_spark(sums, query):
    """Return the rows of `top` for partitions in memory."""
    job, documents, partitions = sums

    def collect(work, schema, keys=()):
        return pa.Table.from_batches([batch for rows in partitions for batch in work(iter(rows))])

    return rows_of(scoring.find_best_terms(collect, job, documents, query))


@pytest.mark.parametrize("several", [True, False])
@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_gives_the_best_terms_of_the_counts(summed, metric, several, monkeypatch):
    if several and metric in SINGLE:
        return
    monkeypatch.setattr(spark_rows_module, "SCORED_ROWS", 1800)
    sums, counts = summed[several]
    asked = scoring.TopQuery(metric, {}, None, 7)
    assert without_spark(sums, asked) == local(counts, metric, 7)


@pytest.mark.parametrize("several", [True, False])
def test_p_q_and_alpha_are_those_in_memory_to_the_last_bit(summed, several):
    sums, counts = summed[several]
    for expected in (0.05, 3):
        found = without_spark(sums, scoring.TopQuery("gu", {"printed": True}, None, 40, expected))
        assert found == local(counts, "gu", 40, expected, printed=True)
        assert {len(row) for row in found} == {14}


@pytest.mark.parametrize("reduce", ["max", "mean", "weighted", "sum"])
def test_every_reduction(summed, reduce):
    sums, counts = summed[True]
    asked = scoring.TopQuery("bns", {}, reduce, 30)
    assert without_spark(sums, asked) == local(counts, "bns", 30, reduce=reduce)


def test_options_of_the_metric(summed):
    sums, counts = summed[False]
    for metric, options in (("md", {"per_class": True}), ("or", {"smoothing": 0.1})):
        asked = scoring.TopQuery(metric, options, None, 5)
        assert without_spark(sums, asked) == local(counts, metric, 5, **options)


def test_on_a_cluster_with_rare_terms_left_out(spark, data_folder):
    texts, labels = sms(data_folder)
    frame = spark.createDataFrame(pa.table({"text": texts, "label": labels})).repartition(3)
    counts = ts.count(texts, labels)
    counts = counts.keep(np.flatnonzero(counts.term_df >= 3))
    for metric in ("c_tf_idf", "df", "ig(smoothing='ele')"):
        assert rows_of(ts.spark.top(frame, metric, 20, min_df=3)) == local(counts, metric, 20)
    best = ts.spark.top(frame, "chi2", 20, min_df=3, reduce="max", expected=2)
    assert best["term"].tolist() == ts.select(counts, "chi2", ts.TopK(20))
    assert "alpha" not in best.columns


def test_weighted_sums_have_no_significance(spark):
    rows = [("aa bb", "x", 0.5), ("bb cc", "y", 1.0), ("aa cc", "y", 1.0)]
    frame = spark.createDataFrame(rows, "text string, label string, weight double")
    columns = ts.spark.top(frame, "chi2", 1, sample_weight="weight").columns
    assert not {"p", "q", "alpha"} & set(columns)


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        ("chi", {}, "no metric named 'chi'; did you mean 'chi2'"),
        (ts.Metric("bns", abs), {}, "bns is not in termsift.metrics"),
        ("ig(smooth=1)", {}, "no option of ig named 'smooth'; did you mean 'smoothing'"),
        ("rand", {}, "rand needs all terms at once"),
        ("bns", {"k": 0}, "k must be at least 1, got 0"),
        ("bns", {"expected": 0}, "expected must be a number of terms above 0, got 0"),
        ("bns", {"smooth": 1}, "no option of bns named 'smooth'"),
        ("ig_all", {}, "ig_all needs exactly one label per document"),
    ],
)
def test_rejects_queries_that_spark_cannot_score(spark, metric, options, message):
    frame = spark.createDataFrame([("aa", ["x", "y"]), ("bb", ["y"])], "text string, label array<string>")
    with pytest.raises(ts.TermsiftError, match=message):
        ts.spark.top(frame, metric, **options)
