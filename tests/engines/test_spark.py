"""Counting on Spark gives what counting in memory gives, bit for bit, however the frame is cut."""

from __future__ import annotations

import datetime
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import termsift as ts
from oracle import as_sums, sums, within
from real_texts import newsgroups, reuters, sms, unicode_texts
from termsift.engines.spark.counting import CACHED_PLAN_SETTING
from weighted_counts import assert_close

pytestmark = pytest.mark.xdist_group("spark")

SMALLER = [reuters, sms, unicode_texts]
CORPORA = [newsgroups, *SMALLER]


def frame_of(spark, **columns):
    """A Spark DataFrame with these columns."""
    return spark.createDataFrame(pa.table(columns))


def saved(counts, path):
    counts.save(path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def corpora(data_folder):
    """The texts and labels of each corpus, and its counts in memory."""
    found = {corpus: corpus(data_folder) for corpus in CORPORA}
    # of the large corpus every third text is enough
    found[newsgroups] = tuple(part[::3] for part in found[newsgroups])
    return {corpus: (texts, labels, ts.count(texts, labels)) for corpus, (texts, labels) in found.items()}


@pytest.fixture(scope="module")
def frames(spark, corpora, tmp_path_factory):
    """A frame of each corpus, read from a file."""
    folder = tmp_path_factory.mktemp("corpora")
    for corpus, (texts, labels, _) in corpora.items():
        pq.write_table(pa.table({"text": texts, "label": labels}), folder / f"{corpus.__name__}.parquet")
    return {corpus: spark.read.parquet(str(folder / f"{corpus.__name__}.parquet")) for corpus in corpora}


@pytest.mark.parametrize("corpus", CORPORA)
def test_any_number_of_partitions_gives_the_same_bytes(frames, corpora, corpus, tmp_path):
    expected = saved(corpora[corpus][2], tmp_path / "expected")
    # of long texts one number is enough
    for n in (7,) if corpus is newsgroups else (1, 2, 7):
        assert saved(ts.count(frames[corpus].repartition(n)), tmp_path / "found") == expected


def test_three_corpora_in_200_partitions(spark, corpora, tmp_path):
    texts = [text for corpus in SMALLER for text in corpora[corpus][0]]
    labels = [
        [f"{corpus.__name__}:{name}" for name in (names if isinstance(names, list) else [names])]
        for corpus in SMALLER
        for names in corpora[corpus][1]
    ]
    pq.write_table(pa.table({"text": texts, "label": labels}), tmp_path / "all.parquet")
    found = ts.count(spark.read.parquet(str(tmp_path / "all.parquet")).repartition(200))
    assert saved(found, tmp_path / "found") == saved(ts.count(texts, labels), tmp_path / "expected")


def test_one_huge_partition_among_empty_ones(frames, corpora):
    frame = frames[sms].selectExpr("text", "label", "1 AS key")
    assert ts.count(frame.repartition(9, "key")) == corpora[sms][2]


def test_every_document_is_read_once(spark, tmp_path):
    def noted(batches):
        for batch in batches:
            for i, text in enumerate(batch.column("text").to_pylist()):
                with (tmp_path / f"{text}").open("a") as file:
                    file.write(f"{i}\n")
            yield batch

    texts = [f"w{i}" for i in range(20)]
    frame = frame_of(spark, text=texts, label=["x", "y"] * 10).repartition(3)
    from termsift.engines.spark.sessions import ignore_pandas_warning

    with ignore_pandas_warning():
        read = frame.mapInArrow(noted, frame.schema)
    assert ts.count(read, min_df=1).documents == 20
    assert all(len((tmp_path / text).read_text().splitlines()) == 1 for text in texts)


@pytest.mark.parametrize(
    "analyzer",
    [
        ts.Analyzer(ngram_range=(1, 2), stop_words=["to", "you"]),
        ts.Analyzer(analyzer="char_wb", ngram_range=(2, 3)),
        ts.Analyzer(stemmer="english", strip_accents="unicode"),
        ts.Analyzer(
            words="auto", segmenter=lambda run: [run[:3], run[3:]], min_length=2, stop_words="german"
        ),
        ts.Analyzer(words="unicode", normalize="NFKC", hashtags=True, html=True),
        None,
        str.split,
        lambda text: text.upper().split(),
    ],
)
def test_any_analyzer(spark, corpora, analyzer):
    texts, labels = (part[:500] for part in corpora[sms][:2])
    texts += ["<p>ﬁn &amp; #tag @me 東京タワー 👍🏽</p>", "यह अच्छी किताब und das ภาษาไทย"]
    labels += ["ham", "spam"]
    frame = frame_of(spark, text=texts, label=labels).repartition(3)
    assert ts.count(frame, analyzer=analyzer) == ts.count(texts, labels, analyzer=analyzer)


def test_weights_that_add_without_rounding_give_the_same_bits(spark, corpora):
    texts, labels, _ = corpora[reuters]
    weights = [i % 7 / 4 for i in range(len(texts))]
    frame = frame_of(spark, text=texts, label=labels, weight=weights).repartition(4)
    assert ts.count(frame, sample_weight="weight") == ts.count(texts, labels, sample_weight=weights)


def test_other_weights_depend_on_the_partitions_only_by_rounding(spark, corpora):
    texts, labels, _ = corpora[sms]
    weights = np.random.default_rng(0).lognormal(size=len(texts))
    frame = frame_of(spark, text=texts, label=labels, weight=weights)
    one, many = (ts.count(frame.repartition(n), sample_weight="weight", min_df=2.5) for n in (1, 5))
    assert_close(one, many)
    local = ts.count(texts, labels, sample_weight=weights)
    local = local.keep(local.term_df >= 2.5)
    assert_close(one, local)


@pytest.mark.parametrize("corpus", [reuters, sms])
def test_rare_terms_stay_on_the_cluster(frames, corpora, corpus):
    expected = corpora[corpus][2]
    found = ts.count(frames[corpus].repartition(3), min_df=5)
    assert found == expected.keep(expected.term_df >= 5)


@pytest.mark.parametrize(
    "labels",
    [
        [True, False, True],
        [3, 1, 3],
        [0.5, 2.0, 0.5],
        [datetime.date(2020, 1, 2), datetime.date(2019, 1, 2), datetime.date(2020, 1, 2)],
        [[1, 2], [], [2]],
    ],
)
def test_labels_of_every_type(spark, labels):
    texts = ["aa bb", "bb cc", ""]
    assert ts.count(frame_of(spark, text=texts, label=labels)) == ts.count(texts, labels)


def test_quoted_column_names_and_separated_labels(spark):
    frame = frame_of(spark, **{"the.text": ["aa", "bb"], "a `label`": ["x|y", "y"]})
    found = ts.count(frame, text="the.text", label="a `label`", label_separator="|")
    assert found == ts.count(["aa", "bb"], [["x", "y"], ["y"]])


@pytest.mark.parametrize(
    "limits", [(2, 1.0), (2, 3), (1, 1), (0.5, 1.0), (1, 0.5), (0.3, 0.8), (1.0, 1.0), (2.5, 1.0), (9, 1.0)]
)
@pytest.mark.parametrize("weights", [None, [1.0, 1.0, 0.5, 2.0]])
@pytest.mark.parametrize("several", [False, True])
def test_limits_of_document_frequency_are_those_of_the_oracle(spark, limits, weights, several):
    texts, labels = ["aa bb", "aa cc cc", "aa bb dd", "aa bb"], [["x"], ["y"], ["x"], ["y"]]
    labels = [["x", "y"], *labels[1:]] if several else labels
    columns = {"text": texts, "label": labels if several else [names[0] for names in labels]}
    columns |= {} if weights is None else {"weight": weights}
    counts = ts.count(
        frame_of(spark, **columns).repartition(3),
        sample_weight=None if weights is None else "weight",
        min_df=limits[0],
        max_df=limits[1],
    )
    expected = within(sums([Counter(text.split()) for text in texts], labels, weights), *limits)
    assert as_sums(counts) == expected


SHUFFLES = "spark.sql.shuffle.partitions"


def tasks_of(spark, work):
    """How many tasks some work takes, where Spark's usual number of parts is set."""
    context, tracker = spark.sparkContext, spark.sparkContext.statusTracker()
    name, parts = f"small {work}", spark.conf.get(SHUFFLES)
    spark.conf.set(SHUFFLES, "200")
    context.setJobGroup(name, "")
    try:
        work()
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)
        spark.conf.set(SHUFFLES, parts)
    stages = {stage for job in tracker.getJobIdsForGroup(name) for stage in tracker.getJobInfo(job).stageIds}
    return sum(tracker.getStageInfo(stage).numCompletedTasks for stage in stages)


def test_a_small_job_is_not_spread_over_200_parts(spark):
    frame = frame_of(spark, text=["aa bb", "bb cc"], label=["x", "y"]).coalesce(1)
    assert 2 <= tasks_of(spark, lambda: ts.count(frame)) <= 4
    assert 2 <= tasks_of(spark, lambda: ts.count(frame, max_df=0.5)) <= 6
    assert 2 <= tasks_of(spark, lambda: ts.spark.top(frame, "bns", 1)) <= 20
    assert spark.conf.get(CACHED_PLAN_SETTING) == "false"
