"""What ts.count, ts.compare and ts.report take: every form gives the same documents and labels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import termsift as ts
from mail_files import ROWS, written
from termsift.engines.inputs import load_documents

TEXTS, LABELS = (list(column) for column in zip(*ROWS, strict=True))
X = np.array([[1, 0], [0, 1], [1, 1]])


def in_folders(tmp_path):
    for i, (text, label) in enumerate(ROWS):
        (tmp_path / "mail" / label).mkdir(parents=True, exist_ok=True)
        (tmp_path / "mail" / label / f"{i}.txt").write_text(text, encoding="utf-8")
    return tmp_path / "mail"


FORMS = {
    "texts": lambda tmp_path: (TEXTS, LABELS),
    "arrays": lambda tmp_path: (np.array(TEXTS), np.array(LABELS)),
    "a frame": lambda tmp_path: (pd.DataFrame(ROWS, columns=["text", "label"]), None, "text", "label"),
    "a polars frame": lambda tmp_path: (pl.DataFrame({"b": TEXTS}), LABELS, "b"),
    "a path": lambda tmp_path: (written(tmp_path, ".csv"),),
    "a path as text": lambda tmp_path: (str(written(tmp_path, ".jsonl")), None, "text"),
    "a pattern": lambda tmp_path: (str(written(tmp_path, ".parquet").parent / "*.parquet"),),
    "a list of paths": lambda tmp_path: ([written(tmp_path, ".tsv")],),
    "a corpus": lambda tmp_path: (ts.corpora.Corpus("mail", LABELS, "", texts=TEXTS),),
}


def arguments(data, labels=None, text=None, label=None):
    return (data, labels), {"text": text, "label": label}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_form_of_texts_is_the_same_documents_and_counts(tmp_path, form):
    given, options = arguments(*form(tmp_path))
    found = load_documents(*given, **options)
    assert (found.texts, found.labels.labels_per_document) == (TEXTS, [[label] for label in LABELS])
    assert (found.matrix, found.terms, found.data) == (None, None, TEXTS)
    assert ts.count(*given, **options) == ts.count(TEXTS, LABELS)


def test_a_folder_for_each_class(tmp_path):
    folder = in_folders(tmp_path)
    found = load_documents(folder)
    assert sorted(zip(found.texts, found.labels.labels_per_document, strict=True)) == sorted(
        (text, [label]) for text, label in ROWS
    )
    assert ts.count([folder, folder]) == ts.count(TEXTS * 2, LABELS * 2)


def test_several_paths_are_read_in_their_order_and_names_of_files_may_be_text(tmp_path):
    first, second = written(tmp_path, ".csv"), written(tmp_path, ".csv.gz")
    assert load_documents([second, first]).texts == TEXTS * 2
    assert ts.count([str(first), str(second)]) == ts.count(TEXTS * 2, LABELS * 2)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.coo_array, pd.DataFrame])
def test_every_form_of_a_matrix_is_the_same_rows(form):
    found = load_documents(form(X), list("aba"), terms=["x", "y"])
    assert (found.texts, found.terms.tolist()) == (None, ["x", "y"])
    assert found.matrix.toarray().tolist() == found.data.toarray().tolist() == X.tolist()
    assert found.labels.labels_per_document == [["a"], ["b"], ["a"]]


def test_a_corpus_of_counts():
    corpus = ts.corpora.Corpus("c", [["a"], [], ["a", "b"]], "", matrix=sp.csr_array(X), terms=["x", "y"])
    assert load_documents(corpus).terms.tolist() == ["x", "y"]
    assert ts.count(corpus) == ts.count(X, corpus.labels, terms=["x", "y"])


def test_labels_of_a_file_may_be_several_and_missing_ones_left_out(tmp_path):
    path = tmp_path / "mail.csv"
    path.write_text("text,label\na,x|y\nb,\nc,y\n")
    with pytest.warns(ts.TermsiftWarning, match="1 of 3 rows without a text or a label"):
        found = load_documents(path, label_separator="|", on_missing="skip")
    assert (found.texts, found.labels.labels_per_document) == (["a", "c"], [["x", "y"], ["y"]])


@pytest.mark.parametrize("taker", [ts.count, load_documents])
@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ((TEXTS,), {}, "labels are missing: give one label per document"),
        ((["mail.csv", "b"],), {}, "labels are missing"),
        ((TEXTS, LABELS[1:]), {}, "5 documents but 4 labels"),
        ((X, ["a", None, "b"]), {}, "document 1 has a missing label"),
        ((["a", 1], ["x", "y"]), {}, "document 1 is int, not str"),
        (
            (TEXTS, LABELS),
            {"encoding": "latin-1"},
            "option 'encoding' does not apply to texts, only to files",
        ),
        (
            (X, list("aba")),
            {"label_separator": "|"},
            "option 'label_separator' does not apply to a matrix, only to a data frame, files and",
        ),
        ((TEXTS, LABELS), {"on_missing": "skip"}, "option 'on_missing' does not apply to texts"),
        ((TEXTS, LABELS), {"terms": ["a"]}, "terms= names the columns of a matrix"),
        ((TEXTS, LABELS), {"text": "body"}, "text= and label= are columns"),
        (("no.csv", ["x"]), {}, "a file contains its labels"),
        (("no.csv",), {"terms": ["x"]}, "terms= names the columns of a matrix"),
        (("no.csv",), {}, "there is no file no.csv"),
        (("no.csv",), {"encoding": "latine"}, "no text encoding named 'latine'"),
        ((ts.count(TEXTS, LABELS),), {}, "Counts cannot be used here; pass the documents"),
        ((ts.corpora.Corpus("c", ["x"], "", texts=["a"]), ["x"]), {}, "a Corpus contains its labels"),
        ((pd.DataFrame({"t": ["a"]}), ["x"]), {"label": "t"}, "text= is missing"),
        (
            (pd.DataFrame({"t": ["a"], "l": ["x"]}), ["x"]),
            {"text": "t", "label": "l"},
            "labels are given twice",
        ),
        ((pd.DataFrame({"body": ["a"]}), ["x"]), {"text": "bodi"}, "did you mean 'body'?"),
    ],
)
def test_unreadable_input_raises_one_line_error(taker, given, options, message):
    with pytest.raises(ts.TermsiftError, match=message) as caught:
        taker(*given, **options)
    assert "\n" not in str(caught.value)


def test_rejects_incompatible_paths(tmp_path):
    folder, mail = in_folders(tmp_path), written(tmp_path, ".csv")
    for paths, message in [
        ([folder, mail], "folders of documents and files cannot be mixed"),
        ([mail, written(tmp_path, ".jsonl")], "the files have different formats: CSV, JSONL"),
        ([mail, 3], "a list of paths must contain only paths, got int"),
    ]:
        with pytest.raises(ts.TermsiftError, match=message):
            ts.count(paths)


def test_rejects_saved_counts_as_documents(tmp_path):
    ts.count(TEXTS, LABELS).save(tmp_path / "counts.parquet")
    with pytest.raises(ts.InvalidInputError, match=r"counts\.parquet contains counts; pass the documents"):
        load_documents(tmp_path / "counts.parquet")


@pytest.mark.parametrize(
    ("given", "option", "message"),
    [
        ((TEXTS, LABELS), "analyser", "did you mean 'analyzer'?"),
        ((X, list("aba")), "sample_weights", "did you mean 'sample_weight'?"),
        (("no.csv",), "seperator", "did you mean 'label_separator'?"),
        (("no.csv",), "colour", "there are: 'sample_weight'"),
    ],
)
def test_unknown_option_error_suggests_closest_name(given, option, message):
    with pytest.raises(
        ts.UnknownNameError, match=f"no option named '{option}'; {message}".replace("?", r"\?")
    ):
        ts.count(*given, **{option: 1})


def test_load_documents_suggests_closest_option():
    with pytest.raises(
        ts.UnknownNameError, match=r"no option named 'seperator'; did you mean 'label_separator'\?"
    ):
        load_documents("no.csv", seperator="|")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"memory": 5}, "option 'memory' does not apply to a matrix, only to files and a Spark DataFrame"),
        ({"progress": print}, "option 'progress' does not apply to a matrix, only to files"),
        ({"n_jobs": 2}, "n_jobs= is for texts; counting a matrix takes one thread"),
    ],
)
def test_option_that_does_not_apply_raises_error(options, message):
    with pytest.raises(ts.TermsiftError, match=message):
        ts.count(X, list("aba"), **options)
