"""Documents given as lists of tokens, in memory, in files and on Spark: the tokens are taken as they are."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.feature_extraction.text import CountVectorizer

import termsift as ts

TOKENS = [["Win", "a prize", "Win"], ["a prize", "now!"], ["lunch", "now!"], ["lunch", "at six"], []]
LABELS = ["spam", "spam", "ham", "ham", "ham"]
PLAIN = ts.count(TOKENS, LABELS)


def write_arrow(path, kind):
    table = pa.table({"tokens": pa.array(TOKENS, kind(pa.string())), "label": LABELS})
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


def write(path, documents=TOKENS, labels=LABELS):
    rows = [{"tokens": tokens, "label": label} for tokens, label in zip(documents, labels, strict=True)]
    if path.suffix == ".parquet":
        pq.write_table(pa.table({"tokens": documents, "label": labels}), path)
    elif path.suffix == ".arrow":
        write_arrow(path, pa.list_)
    elif path.suffix == ".feather":
        write_arrow(path, pa.large_list)
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows))
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_tokens_are_counted_as_given():
    assert PLAIN.terms.tolist() == ["Win", "a prize", "at six", "lunch", "now!"]
    assert PLAIN.tf.toarray().tolist() == [[0, 2], [0, 2], [1, 0], [2, 0], [1, 1]]
    assert PLAIN.documents == 5


def test_counts_equal_those_of_a_vectorizer_that_takes_lists():
    rng = np.random.default_rng(0)
    words = [f"word {i}" for i in range(50)] + ["x", "Über", "東京", "don't"]
    documents = [rng.choice(words, rng.integers(1, 9)).tolist() for _ in range(3000)]
    labels = rng.integers(0, 3, 3000).tolist()
    for ngram_range in ((1, 1), (1, 2)):
        peer = CountVectorizer(
            tokenizer=lambda tokens: tokens, lowercase=False, token_pattern=None, ngram_range=ngram_range
        )
        expected = ts.count(peer.fit_transform(documents), labels, terms=peer.get_feature_names_out())
        counts = ts.count(documents, labels, analyzer=ts.Analyzer(ngram_range=ngram_range), min_df=3)
        expected = expected.with_df(3, 1.0)
        assert counts.terms.tolist() == expected.terms.tolist()
        assert (counts.tf != expected.tf).nnz == (counts.df != expected.df).nnz == 0
        vectorizer = ts.TermVectorizer(ngram_range=ngram_range)
        X = vectorizer.fit_transform(documents)
        assert vectorizer.vocabulary_ == peer.vocabulary_
        assert (peer.transform(documents) != X).nnz == 0
        assert (vectorizer.transform(documents[:9]) != X[:9]).nnz == 0


@pytest.mark.parametrize("extension", ["parquet", "arrow", "feather", "json", "jsonl"])
def test_list_columns_of_files_equal_lists(tmp_path, extension):
    path = write(tmp_path / f"mail.{extension}")
    assert ts.count(path, text="tokens") == PLAIN
    scores = ts.score(path, "bns", text="tokens")
    assert list(scores.top("spam", 9)) == list(ts.score(TOKENS, LABELS, "bns").top("spam", 9))
    bigrams = ts.Analyzer(ngram_range=(2, 2))
    assert ts.count(path, text="tokens", analyzer=bigrams) == ts.count(TOKENS, LABELS, analyzer=bigrams)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"tokens": TOKENS, "label": LABELS}),
        pd.DataFrame({"tokens": [np.array(tokens, dtype=object) for tokens in TOKENS], "label": LABELS}),
        pl.DataFrame({"tokens": TOKENS, "label": LABELS}),
        pl.LazyFrame({"tokens": TOKENS, "label": LABELS}),
        pa.table({"tokens": TOKENS, "label": LABELS}),
    ],
    ids=["pandas", "pandas-arrays", "polars", "polars-lazy", "arrow"],
)
def test_list_columns_of_frames_equal_lists(frame):
    assert ts.count(frame, text="tokens", label="label") == PLAIN


def test_tuples_arrays_and_series_are_lists_too():
    for documents in (tuple(map(tuple, TOKENS)), pd.Series(TOKENS), pl.Series(TOKENS)):
        assert ts.count(documents, LABELS) == PLAIN


def test_stop_words_stems_and_short_tokens_are_dropped_from_lists():
    analyzer = ts.Analyzer(stop_words=["lunch"], stemmer=str.upper, min_length=4)
    assert ts.count(TOKENS, LABELS, analyzer=analyzer).terms.tolist() == ["A PRIZE", "AT SIX", "NOW!"]


def test_analyses_of_lists_name_their_tokens(tmp_path):
    documents, labels = TOKENS[:4] * 12, LABELS[:4] * 12
    assert "a prize" in ts.diff(documents[:2] * 9, documents[2:4] * 9).more()["term"]
    comparison = ts.compare(documents, labels, metrics=["bns"], k=[2], folds=3, repeats=1)
    assert "a prize" in comparison.keywords[1].terms
    assert ts.audit(documents, labels).findings
    assert "a prize" in ts.report(documents, labels)
    saved = ts.count(documents, labels)
    saved.save(tmp_path / "tokens.counts")
    assert ts.Counts.load(tmp_path / "tokens.counts") == saved


def test_the_command_line_counts_list_columns(run, tmp_path):
    path = write(tmp_path / "mail.jsonl")
    code, out, _ = run("select", path, "--text", "tokens", "-k", 2)
    assert (code, out.splitlines()) == (0, ["a prize", "lunch"])
    code, out, _ = run(
        "score", path, "--text", "tokens", "--ngrams", "2-2", "--class", "ham", "--all", "--csv"
    )
    assert "lunch at six" in out


@pytest.mark.parametrize(
    "documents, message",
    [
        ([["a"], ["b", 5]], "document 1 has the token 5, which is int; tokens must be str"),
        ([["a"], [None]], "document 1 has the token None, which is NoneType; tokens must be str"),
        ([["a"], "b"], "document 1 is a text, but document 0 is a list of tokens; give only texts or only"),
        (["a", ["b"]], "document 1 is a list of tokens, but document 0 is a text; give only texts or only"),
        ([["a"], None], "document 1 is missing; every document must be a list of tokens"),
    ],
)
def test_rejects_lists_with_other_values_or_mixed_with_texts(documents, message):
    with pytest.raises(ts.InvalidInputError, match=re.escape(message)):
        ts.count(documents, ["x", "y"])
    with pytest.raises(ts.InvalidInputError, match=re.escape(message)):
        ts.TermVectorizer().fit(documents)


@pytest.mark.parametrize("analyzer", [str.split, CountVectorizer(), ts.Analyzer(analyzer="char_wb")])
def test_rejects_analyzers_that_need_texts(analyzer):
    with pytest.raises(
        ts.InvalidInputError, match="the documents are lists of tokens, which only an Analyzer"
    ):
        ts.count(TOKENS, LABELS, analyzer=analyzer)


@pytest.mark.parametrize(
    "rows, message",
    [
        ([["a"], ["b", 5]], "row 2 of mail.jsonl has the token 5; tokens must be strings"),
        ([["a"], ["b", None]], "row 2 of mail.jsonl has the token null; tokens must be strings"),
        ([["a"], "b"], "row 2 of mail.jsonl has a text, but other rows have lists of tokens; use only one"),
        (["a", ["b"]], "row 1 of mail.jsonl has a text, but other rows have lists of tokens; use only one"),
    ],
)
def test_rejects_json_lists_with_other_values_or_mixed_with_texts(tmp_path, monkeypatch, rows, message):
    monkeypatch.chdir(tmp_path)
    path = write(Path("mail.jsonl"), rows, ["x", "y"])
    with pytest.raises(ts.InvalidInputError, match=re.escape(message)):
        ts.count(path, text="tokens")


@pytest.mark.parametrize(
    "documents, message",
    [
        ([[1, 2], [3]], "column 'tokens' has lists of int64; tokens must be strings"),
        ([[["a"]], [["b"]]], "column 'tokens' has lists of list<"),
        ([["a"], ["b", None]], "row 2 of mail.parquet has a token that is null; tokens must be strings"),
    ],
)
def test_rejects_list_columns_with_other_values(tmp_path, monkeypatch, documents, message):
    monkeypatch.chdir(tmp_path)
    path = write(Path("mail.parquet"), documents, ["x", "y"])
    with pytest.raises(ts.InvalidInputError, match=re.escape(message)):
        ts.count(path, text="tokens")


def test_rejects_files_of_texts_and_of_lists_together(tmp_path):
    first = write(tmp_path / "a.parquet")
    second = write(tmp_path / "b.parquet", ["win a prize", "lunch"], ["spam", "ham"])
    with pytest.raises(ts.InvalidInputError, match="texts have different types in different files"):
        ts.count([first, second], text="tokens")


def test_rejects_texts_compared_with_saved_counts_of_lists():
    with pytest.raises(
        ts.InvalidInputError, match="the analyzer is for lists of tokens, but the documents are"
    ):
        ts.diff(PLAIN, ["win a prize", "lunch"])


def test_rejects_lists_joined_with_another_column():
    frame = pd.DataFrame({"tokens": TOKENS, "title": ["x"] * 5, "label": LABELS})
    with pytest.raises(
        ts.InvalidInputError, match="column 'tokens' has lists of tokens, which cannot be joined"
    ):
        ts.count(frame, text=["title", "tokens"], label="label")


@pytest.mark.xdist_group("spark")
class TestSpark:
    def test_array_columns_equal_lists(self, spark):
        rows = [(tokens, label) for tokens, label in zip(TOKENS, LABELS, strict=True)]
        frame = spark.createDataFrame(rows, "tokens array<string>, label string")
        assert ts.count(frame, text="tokens") == PLAIN
        bigrams = ts.Analyzer(ngram_range=(1, 2))
        assert ts.count(frame, text="tokens", analyzer=bigrams) == ts.count(TOKENS, LABELS, analyzer=bigrams)

    @pytest.mark.parametrize(
        "tokens, kind, message",
        [
            (
                [[1]],
                "array<int>",
                "column 'tokens' is of type array<int>; texts must be of type string, or one",
            ),
            (
                [["a", None]],
                "array<string>",
                "column tokens has a token that is null; tokens must be strings",
            ),
        ],
    )
    def test_rejects_arrays_with_other_values(self, spark, tokens, kind, message):
        frame = spark.createDataFrame([(tokens[0], "x"), (tokens[0], "y")], f"tokens {kind}, label string")
        with pytest.raises(ts.TermsiftError, match=message):
            ts.count(frame, text="tokens")
