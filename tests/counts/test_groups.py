"""Groups: counts by class and group add and fold as sums do, on every engine; scores within them."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference_strata
import termsift as ts

WORDS = ["tea", "jam", "oil", "rust", "été"]
documents = st.lists(
    st.tuples(
        st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join),
        st.lists(st.sampled_from("xyz"), max_size=2, unique=True),
        st.sampled_from(["ann", "bob", "cy"]),
    ),
    min_size=1,
    max_size=12,
)
ROWS = {
    "text": ["tea jam", "oil", "oil tea rust", "jam jam", "rust", "tea"],
    "label": ["x", "y", "y", "x", "x", "y"],
    "author": ["ann", "ann", "bob", "bob", "cy", "cy"],
}


def grouped(rows=ROWS, **more):
    return ts.count(rows["text"], rows["label"], groups=rows["author"], **more)


@given(documents)
def test_grouped_counts_sum_to_counts_without_groups(rows):
    texts, labels, groups = zip(*rows, strict=True)
    folded = ts.count(texts, list(labels), groups=groups, analyzer=str.split).counts
    plain = ts.count(texts, list(labels), analyzer=str.split)
    assert folded == plain


@given(documents, documents)
def test_parts_add_up_and_empty_counts_are_neutral(rows, others):
    def count(part):
        texts, labels, groups = zip(*part, strict=True)
        return ts.count(texts, list(labels), groups=groups, analyzer=str.split)

    assert count(rows) + count(others) == count(rows + others)
    assert sum([count(rows), ts.GroupedCounts.empty()]) == count(rows)


@pytest.mark.parametrize(
    "names",
    [["a", "b", "é\n"], [1, 2, 30], [0.5, 1.0, 2.0], [datetime.date(2024, 1, day) for day in (1, 2, 3)]],
)
def test_groups_and_classes_of_any_kind_are_saved_and_loaded(names, tmp_path):
    kept = ts.count(["tea", "jam", "oil"], names, groups=names[::-1])
    kept.save(tmp_path / "counts.parquet")
    loaded = ts.GroupedCounts.load(tmp_path / "counts.parquet")
    assert loaded == kept
    assert loaded.groups == loaded.classes == tuple(names)
    loaded.save(tmp_path / "again.parquet")
    assert (tmp_path / "again.parquet").read_bytes() == (tmp_path / "counts.parquet").read_bytes()


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_files_and_texts_give_equal_grouped_counts(ending, tmp_path):
    frame, path = pd.DataFrame(ROWS), tmp_path / f"mail.{ending}"
    if ending == "csv":
        frame.to_csv(path, index=False)
    elif ending == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path)
    of_file = ts.count(str(path), group="author")
    assert of_file.pairs == grouped().pairs
    assert of_file.by == "author"
    assert ts.count(frame, text="text", label="label", group="author") == of_file


def test_matrices_frames_and_label_separators_give_equal_grouped_counts(tmp_path):
    X = np.array([[1, 0], [0, 2], [1, 1]])
    counted = ts.count(X, [["x"], ["x", "y"], []], groups=["g", "h", "g"], terms=["tea", "jam"])
    assert counted.counts == ts.count(X, [["x"], ["x", "y"], []], terms=["tea", "jam"])
    path = tmp_path / "mail.csv"
    path.write_text("text,label,author\ntea,x|y,ann\njam,y,bob\n")
    several = ts.count(str(path), group="author", label_separator="|")
    assert several.counts == ts.count(["tea", "jam"], [["x", "y"], ["y"]])


@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize("labels", [ROWS["label"], [["x"], ["y", "x"], ["y"], ["x"], ["x"], ["y"]]])
def test_spark_and_texts_give_equal_grouped_counts(spark, labels):
    frame = spark.createDataFrame(pa.table({**ROWS, "label": labels}))
    assert ts.count(frame, group="author").pairs == grouped({**ROWS, "label": labels}).pairs


def test_range_is_the_number_of_groups_that_contain_a_term():
    counted = grouped()
    held = {
        word: {a for t, a in zip(ROWS["text"], ROWS["author"], strict=True) if word in t} for word in WORDS
    }
    assert counted.range.tolist() == [len(held[term]) for term in counted.terms]


@pytest.mark.parametrize("metric", ["cmh", "mh_odds"])
@given(documents)
def test_stratified_scores_equal_the_reference(metric, rows):
    rows = [(text, (labels or ["x"])[0], group) for text, labels, group in rows]
    # a group of two documents, because groups of single documents are refused
    rows += [("tea", "x", "ann"), ("jam", "y", "bob"), ("jam", "x", "bob")]
    texts, labels, groups = zip(*rows, strict=True)
    scores = ts.score(ts.count(texts, labels, groups=groups, analyzer=str.split), metric)
    sets = [set(text.split()) for text in texts]
    for i, term in enumerate(scores.terms):
        for c, name in enumerate(scores.classes):
            tables = reference_strata.strata_tables(sets, labels, groups, term, name)
            expected = getattr(reference_strata, metric)(*tables)
            assert scores.values[i, c] == pytest.approx(expected, abs=1e-12)


def genre_corpus():
    """Men and women write in two genres; "dragon" is a word of fantasy, which women write more of here."""
    rng = np.random.default_rng(0)
    texts, labels, genres = [], [], []
    for sex, genre, n in [
        ("f", "fantasy", 400),
        ("m", "fantasy", 100),
        ("f", "crime", 100),
        ("m", "crime", 400),
    ]:
        for _ in range(n):
            words = [word for word in ("house", "night", "door", "road") if rng.random() < 0.5]
            words += ["dragon"] if rng.random() < (0.6 if genre == "fantasy" else 0.02) else []
            words += ["shawl"] if rng.random() < (0.35 if sex == "f" else 0.15) else []
            texts.append(" ".join(words))
            labels.append(sex)
            genres.append(genre)
    return texts, labels, genres


def test_stratified_score_is_low_for_a_term_that_groups_explain():
    texts, labels, genres = genre_corpus()
    counted = ts.count(texts, labels, groups=genres)
    assert ts.score(counted.counts, "bns").top("f", 1)["term"].tolist() == ["dragon"]
    within = ts.score(counted, "cmh")
    table = {row["term"]: row for row in within.top("f", 10)}
    assert within.top("f", 1)["term"].tolist() == ["shawl"]
    assert abs(table["dragon"]["score"]) < 2 < 5 < table["shawl"]["score"]
    assert table["dragon"]["p"] > 0.02 > 1e-6 > table["shawl"]["p"]
    assert abs(ts.score(counted, "mh_odds").column("f")[list(counted.terms).index("dragon")]) < 0.4


def test_signs_of_stratified_scores_follow_the_score():
    # in each genre men use "rust" more, over both women do
    texts = (
        ["rust"] * 8
        + ["oil"] * 2
        + ["rust"] * 9
        + ["oil"]
        + ["rust"]
        + ["oil"] * 9
        + ["rust"] * 20
        + ["oil"] * 80
    )
    labels = ["f"] * 10 + ["m"] * 10 + ["f"] * 10 + ["m"] * 100
    counted = ts.count(texts, labels, groups=["fantasy"] * 20 + ["crime"] * 110)
    row = next(row for row in ts.score(counted, "cmh").top("f", 5) if row["term"] == "rust")
    assert row["score"] < 0
    assert row["sign"] == -1
    assert "rust" in ts.score(counted, "cmh").top("f", 5, direction="negative")["term"]
    assert ts.score(counted.counts, "cmh").signs[list(counted.terms).index("rust"), 0] == 1


def test_stratified_scores_can_be_reduced():
    counted = grouped()
    values = ts.score(counted, "cmh").values
    np.testing.assert_array_equal(ts.score(counted, "cmh", reduce="max").values, values.max(axis=1))
    assert ts.score(counted, "bns").values.tolist() == ts.score(counted.counts, "bns").values.tolist()


class TestBadInput:
    @pytest.mark.parametrize(
        ("groups", "message"),
        [
            (["a", None, "b", "b", "a", "a"], "document 1 has no group"),
            (["a", "b", float("nan"), "b", "a", "a"], "document 2 has no group"),
            (["a"], "6 documents but 1 groups"),
            ([["a"]] * 6, "a group must be a single value"),
            (["a", 1, "b", "b", "a", "a"], "mixed types"),
            ([b"a"] * 6, "str, numbers, booleans or dates, got bytes"),
        ],
    )
    def test_rejects_invalid_groups(self, groups, message):
        with pytest.raises(ts.InvalidInputError, match=message):
            ts.count(ROWS["text"], ROWS["label"], groups=groups)

    def test_row_without_group_is_named_and_can_be_skipped(self, tmp_path):
        path = tmp_path / "mail.csv"
        path.write_text("text,label,author\ntea,x,ann\njam,y,\noil,y,bob\n")
        with pytest.raises(ts.InvalidInputError, match=r"row 2 of .*mail.csv has no group"):
            ts.count(str(path), group="author")
        with pytest.warns(ts.TermsiftWarning, match="1 of 3 rows"):
            assert ts.count(str(path), group="author", on_missing="skip").groups == ("ann", "bob")

    def test_rejects_unknown_and_repeated_group_columns(self, tmp_path):
        path = tmp_path / "mail.csv"
        pd.DataFrame(ROWS).to_csv(path, index=False)
        with pytest.raises(ts.UnknownNameError, match="did you mean 'author'"):
            ts.count(str(path), group="autor")
        with pytest.raises(ts.InvalidInputError, match="label and group are both column 'label'"):
            ts.count(str(path), group="label")
        with pytest.raises(ts.InvalidInputError, match="text and group are both column 'text'"):
            ts.count(pd.DataFrame(ROWS), text="text", label="label", group="text")
        with pytest.raises(ts.InvalidInputError, match="groups are given twice"):
            ts.count(pd.DataFrame(ROWS), text="text", label="label", group="author", groups=ROWS["author"])

    def test_rejects_groups_for_inputs_without_a_group_column(self, tmp_path):
        with pytest.raises(ts.InvalidInputError, match="pass a list as groups="):
            ts.count(ROWS["text"], ROWS["label"], group="author")
        with pytest.raises(ts.InvalidInputError, match="name the group column with group="):
            ts.count("mail.csv", groups=["a"])
        for name in ("x", "y"):
            (tmp_path / "mail" / name).mkdir(parents=True)
            (tmp_path / "mail" / name / "1.txt").write_text("tea")
        with pytest.raises(ts.UnreadableFileError, match="one folder per class and no group column"):
            ts.count(str(tmp_path / "mail"), group="author")

    def test_stratified_score_needs_two_groups(self):
        one = ts.count(ROWS["text"], ROWS["label"], groups=["ann"] * 6)
        with pytest.raises(
            ts.InvalidInputError, match=r"at least 2 groups .* all documents are in group 'ann'"
        ):
            ts.score(one, "cmh")

    def test_counts_grouped_by_different_columns_cannot_be_added(self):
        other = ts.GroupedCounts(grouped().pairs, "day")
        with pytest.raises(ts.InvalidInputError, match="grouped by 'author' and by 'day' cannot be added"):
            ts.GroupedCounts(grouped().pairs, "author") + other

    def test_rejects_files_without_groups_or_with_invalid_groups(self, tmp_path):
        path = tmp_path / "counts.parquet"
        grouped().counts.save(path)
        with pytest.raises(ts.UnreadableFileError, match="has no groups"):
            ts.GroupedCounts.load(path)
        for classes in (
            ["x", "y"],
            ["[1]", "[]"],
            ['["a", {"date": "x"}]', '["b", "y"]'],
            ['["a", ["x"]]', "[null]"],
            ['"abc"', '["b", "y"]'],
        ):
            broken = ts.count(["tea", "jam"], classes)
            broken.save(path, {"termsift.groups": "nonsense"})
            with pytest.raises(ts.UnreadableFileError, match="damaged"):
                ts.GroupedCounts.load(path)
            with pytest.raises(ts.InvalidInputError, match="not a pair"):
                ts.GroupedCounts(broken)

    def test_rejects_pairs_with_a_repeated_label(self):
        with pytest.raises(ts.InvalidInputError, match="has a label twice"):
            ts.GroupedCounts(ts.count(["tea", "jam"], ['["a", "x", "x"]', '["b", "y"]']))
