"""Counts add up, compare, and come back from a file."""

from __future__ import annotations

import copy
import datetime
import pickle

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import termsift as ts
from oracle import as_sums, sums
from strategies import samples
from termsift.counts.labels import sort_classes


@given(samples(), st.integers(0, 9))
def test_counts_of_parts_add_up_to_counts_of_all(sample, cut):
    whole = sample.counts()
    assert sample.counts(slice(0, cut)) + sample.counts(slice(cut, None)) == whole


@given(samples(), samples())
def test_addition_commutes(a, b):
    try:
        total = a.counts() + b.counts()
    except ts.InvalidInputError:
        with pytest.raises(ts.InvalidInputError, match="mixed types"):
            b.counts() + a.counts()
    else:
        assert total == b.counts() + a.counts()


@given(samples(), st.integers(0, 9), st.integers(0, 9))
def test_addition_is_associative(sample, i, j):
    i, j = sorted((i, j))
    a, b, c = (sample.counts(part) for part in (slice(0, i), slice(i, j), slice(j, None)))
    assert (a + b) + c == a + (b + c)


@given(samples())
def test_adding_the_empty_counts_changes_nothing(sample):
    counts = sample.counts()
    assert counts + ts.Counts.empty() == counts == ts.Counts.empty() + counts
    assert sum([counts]) == counts


@given(samples())
def test_sum_of_different_parts_equals_the_oracle(sample):
    parts = [sample.counts(slice(i, i + 1)) for i in range(len(sample.documents))]
    total = sum(parts, ts.Counts.empty())
    assert as_sums(total) == sums(sample.bags, sample.labels, sample.weights)


@given(samples())
def test_save_then_load_is_the_identity(tmp_path_factory, sample):
    path = tmp_path_factory.mktemp("counts") / "counts.parquet"
    counts = sample.counts()
    counts.save(path)
    loaded = ts.Counts.load(path)
    assert loaded == counts
    assert [type(name) for name in loaded.classes] == [type(name) for name in counts.classes]
    assert loaded.df.dtype == counts.df.dtype


def test_equal_counts_are_saved_as_equal_bytes(tmp_path):
    texts, labels = ["a b", "b", "c a"], ["x", "y", "x"]
    whole = ts.count(texts, labels, analyzer=str.split)
    parts = ts.count(texts[2:], labels[2:], analyzer=str.split) + ts.count(
        texts[:2], labels[:2], analyzer=str.split
    )
    whole.save(tmp_path / "whole")
    parts.save(tmp_path / "parts")
    assert (tmp_path / "whole").read_bytes() == (tmp_path / "parts").read_bytes()


def test_addition_retains_a_common_order_and_else_sorts_the_union():
    X, y = np.array([[1, 2]]), ["b"]
    a = ts.count(X, y, terms=["z", "a"])
    assert list((a + a).terms) == ["z", "a"]
    assert list((a + ts.count(X, y, terms=["a", "m"])).terms) == ["a", "m", "z"]
    assert (a + ts.count(X, ["a"], terms=["z", "a"])).classes == ("a", "b")


def test_classes_of_every_scalar_type_survive_a_file(tmp_path):
    for names in (
        [1, 2],
        ["é", "\x00"],
        [0.5, 1.5],
        [True, False],
        [datetime.date(2020, 1, 2), datetime.date(2021, 1, 2)],
    ):
        counts = ts.count(["a", "b"], names, analyzer=str.split)
        counts.save(tmp_path / "c.parquet")
        assert ts.Counts.load(tmp_path / "c.parquet").classes == tuple(sorted(names))


def test_the_empty_counts_survive_a_file(tmp_path):
    ts.Counts.empty().save(tmp_path / "c.parquet")
    assert ts.Counts.load(tmp_path / "c.parquet") == ts.Counts.empty()


def test_counts_can_be_pickled_and_copied():
    counts = ts.count(["a b", "b"], ["x", "y"], analyzer=str.split)
    ts.score(counts, "bns")
    assert pickle.loads(pickle.dumps(counts)) == counts == copy.deepcopy(counts)


def test_counts_of_different_values_differ():
    a = ts.count(["a b", "b"], ["x", "y"], analyzer=str.split)
    assert a != ts.count(["a b", "b"], ["y", "x"], analyzer=str.split)
    assert a != ts.count(["a b", "b b"], ["x", "y"], analyzer=str.split)
    assert a != ts.count(["a b", "b", ""], ["x", "y", "y"], analyzer=str.split)
    assert a != "counts"
    with pytest.raises(TypeError):
        hash(a)


def test_counts_are_immutable():
    counts = ts.count(["a b", "b"], ["x", "y"], analyzer=str.split)
    for array in (counts.terms, counts.class_sizes, counts.term_df, counts.df.data):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[0]
    with pytest.raises(AttributeError):
        counts.documents = 3


def test_only_counts_can_be_added():
    with pytest.raises(TypeError):
        ts.Counts.empty() + 1
    with pytest.raises(TypeError):
        1 + ts.Counts.empty()


def test_counts_with_different_analyzers_cannot_be_added():
    a = ts.count(["a b"], ["x"], analyzer=ts.Analyzer())
    b = ts.count(["a b"], ["x"], analyzer=ts.Analyzer(lowercase=False))
    with pytest.raises(ts.InvalidInputError, match=r"cannot be added: lowercase=True and lowercase=False$"):
        a + b
    c = ts.count(["a b"], ["x"], analyzer=str.split)
    with pytest.raises(ts.InvalidInputError, match=r"cannot be added: builtins\.str\.split and Analyzer\("):
        c + a
    # a matrix does not say how it was made
    assert (a + ts.count(np.array([[1]]), ["x"], terms=["a"])).analyzer == a.analyzer


def test_counts_with_classes_of_mixed_types_cannot_be_added():
    a, b = ts.count(np.array([[1]]), ["x"]), ts.count(np.array([[1]]), [1])
    with pytest.raises(ts.InvalidInputError, match="mixed types"):
        a + b


def test_keep_does_not_change_documents_and_class_sizes():
    counts = ts.count(["a b", "b"], ["x", "y"], analyzer=str.split)
    kept = counts.keep(np.array([1]))
    assert list(kept.terms) == ["b"]
    assert kept.documents == 2
    assert kept.class_sizes.tolist() == [1, 1]


def test_counts_of_one_class_retain_all_documents():
    counts = ts.count(["a b", "b", "a"], ["x", "y", "y"], analyzer=str.split).of_class("y")
    assert counts.classes == ("y",)
    assert counts.documents == 3
    assert counts.df.toarray().tolist() == [[1], [1]]


def test_unknown_class_error_suggests_the_closest_name():
    counts = ts.count(["a", "b"], ["spam", "ham"], analyzer=str.split)
    with pytest.raises(ts.UnknownNameError, match="no class named 'spma'; did you mean 'spam'"):
        counts.class_index("spma")


def test_class_index_accepts_the_name_as_text():
    counts = ts.count(np.eye(2, dtype=int), [10, 20])
    assert counts.class_index("20") == counts.class_index(20) == 1


def test_error_for_mixed_class_types_names_them():
    for names in ([True, 1.5], [1, True], [True, 1]):
        with pytest.raises(ts.InvalidInputError, match="bool and number"):
            sort_classes(names)


def test_counts_of_unnamed_functions_have_no_analyzer():
    class Tokens:
        def __call__(self, text):
            return text.split()

    for analyzer in (lambda text: text.split(), Tokens()):
        assert ts.count(["a"], ["x"], analyzer=analyzer).analyzer is None
    assert ts.count(["a"], ["x"], analyzer=str.split).analyzer == "builtins.str.split"


def test_counts_of_vectorizers_with_different_settings_cannot_be_added():
    from sklearn.feature_extraction.text import CountVectorizer

    words = [f"word{i}" for i in range(500)]
    a, b = (
        ts.count(["word1"], ["x"], analyzer=CountVectorizer(vocabulary=[*words, w])) for w in ("last", "lost")
    )
    with pytest.raises(ts.InvalidInputError, match="different analyzers"):
        a + b
    plain = ts.count(["word1"], ["x"], analyzer=CountVectorizer())
    assert (plain + plain).documents == 2
    assert (
        ts.count(
            ["a b"], ["x"], analyzer=CountVectorizer(tokenizer=lambda t: t.split(), token_pattern=None)
        ).analyzer
        is None
    )


def test_rejects_values_that_a_file_cannot_store(tmp_path):
    counts = ts.count(["a", "b"], [2**70, 1], analyzer=str.split)
    with pytest.raises(ts.InvalidInputError, match=r"class names such as .* cannot be saved"):
        counts.save(tmp_path / "c.parquet")
    counts = ts.count(np.eye(2), [2, 1], terms=["\ud800", "b"])
    with pytest.raises(ts.InvalidInputError, match="these terms cannot be saved to"):
        counts.save(tmp_path / "c.parquet")
    assert list(tmp_path.iterdir()) == []


class TestForeignFiles:
    def test_rejects_parquet_files_without_counts(self, tmp_path):
        pq.write_table(pa.table({"a": [1]}), tmp_path / "other.parquet")
        with pytest.raises(ts.UnreadableFileError, match="does not contain termsift counts"):
            ts.Counts.load(tmp_path / "other.parquet")

    def test_rejects_files_that_are_not_parquet(self, tmp_path):
        (tmp_path / "x.parquet").write_text("hello")
        with pytest.raises(ts.UnreadableFileError, match="is not a Parquet file"):
            ts.Counts.load(tmp_path / "x.parquet")

    def test_rejects_files_of_a_newer_version(self, tmp_path):
        path = tmp_path / "new.parquet"
        ts.count(np.eye(2, dtype=int), [0, 1]).save(path)
        table = pq.read_table(path)
        metadata = {**table.schema.metadata, b"termsift.counts": b"99"}
        pq.write_table(table.replace_schema_metadata(metadata), path)
        with pytest.raises(
            ts.UnreadableFileError, match="has format 99 and this version of termsift supports 1; upgrade"
        ):
            ts.Counts.load(path)

    def test_rejects_truncated_files(self, tmp_path):
        path = tmp_path / "cut.parquet"
        ts.count(np.eye(2, dtype=int), [0, 1]).save(path)
        path.write_bytes(path.read_bytes()[:-20])
        with pytest.raises(ts.UnreadableFileError, match="damaged"):
            ts.Counts.load(path)

    def test_rejects_files_with_a_damaged_middle(self, tmp_path):
        path = tmp_path / "hole.parquet"
        ts.count(np.eye(2, dtype=int), [0, 1]).save(path)
        raw = path.read_bytes()
        path.write_bytes(raw[:4] + b"\xff" * 60 + raw[64:])
        with pytest.raises(ts.UnreadableFileError, match="damaged"):
            ts.Counts.load(path)

    def test_rejects_missing_files_and_folders(self, tmp_path):
        with pytest.raises(ts.UnreadableFileError, match="there is no file"):
            ts.Counts.load(tmp_path / "none.parquet")
        with pytest.raises(ts.UnreadableFileError, match="is a folder"):
            ts.Counts.load(tmp_path)

    def test_rejects_saving_to_a_folder_or_into_a_missing_one(self, tmp_path):
        counts = ts.count(np.eye(2, dtype=int), [0, 1])
        with pytest.raises(ts.UnreadableFileError, match="is a folder; give the name of a file"):
            counts.save(tmp_path)
        with pytest.raises(ts.UnreadableFileError, match="does not exist"):
            counts.save(tmp_path / "no" / "c.parquet")


def test_failed_save_retains_the_old_file_and_writes_no_other(tmp_path, monkeypatch):
    path = tmp_path / "c.parquet"
    counts = ts.count(np.eye(2, dtype=int), [0, 1])
    counts.save(path)
    before = path.read_bytes()

    def full(*_, **__):
        raise OSError("No space left on device")

    monkeypatch.setattr(pq, "write_table", full)
    with pytest.raises(OSError, match="No space left"):
        counts.save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["c.parquet"]
