"""Corpus, the reader of folders, and count matrices."""

from __future__ import annotations

import errno
import os

import numpy as np
import pytest
import scipy.sparse as sp

import termsift as ts
from corpus_files import fails
from termsift.corpora.corpus import Corpus, as_finite_csr


class TestCorpus:
    corpus = Corpus(
        "mail", [["a", "b"], [], ["a"]], "here", texts=["x", "y", "z"], split=["train", "test", "train"]
    )

    def test_documents_can_have_several_labels(self):
        assert self.corpus.classes == ["a", "b"]
        assert repr(self.corpus) == "Corpus('mail', 3 documents, 2 classes)"

    def test_part_returns_the_documents_of_a_set(self):
        part = self.corpus.part("train")
        assert (part.texts, part.labels, part.split) == (["x", "z"], [["a", "b"], ["a"]], ["train", "train"])
        assert (part.name, part.source) == ("mail", "here")

    def test_part_takes_rows_of_a_matrix(self):
        corpus = Corpus(
            "m", [1, 2], "", matrix=sp.csr_array([[1, 0], [0, 2]]), terms=["a", "b"], split=["x", "y"]
        )
        assert corpus.part("y").matrix.toarray().tolist() == [[0, 2]]
        assert corpus.part("y").terms == ["a", "b"]

    def test_rejects_unknown_parts(self):
        fails("no part named 'tests'; did you mean 'test'?", self.corpus.part, "tests")
        fails("corpus 'm' has no training/test split, so no part 'test'", Corpus("m", [], "").part, "test")


class TestFolder:
    def test_the_folders_are_the_classes(self, tmp_path):
        for name, text in (("spam/2", "win"), ("ham/deep/1", "grüße"), ("ham/.hidden", "no"), ("top", "no")):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        corpus = ts.corpora.read_folder(tmp_path)
        assert (corpus.texts, corpus.labels) == (["grüße", "win"], ["ham", "spam"])
        assert ts.count(corpus.texts, corpus.labels) == ts.count(tmp_path)

    def test_rejects_unreadable_folders(self, tmp_path, monkeypatch):
        for name in ("ham/deep/1", "spam/1"):
            (tmp_path / name).parent.mkdir(parents=True)
            (tmp_path / name).write_text("words")
        scan = os.scandir

        def refusing(path):
            if str(path).endswith("deep"):
                raise PermissionError(errno.EACCES, "Permission denied", str(path))
            return scan(path)

        # to the superuser, who may run the tests, every folder can be read
        monkeypatch.setattr(os, "scandir", refusing)
        fails("cannot read .*ham/deep: Permission denied", ts.corpora.read_folder, tmp_path)

    def test_rejects_invalid_folders(self, tmp_path):
        fails(
            "has no documents; expected a subfolder of files for each class", ts.corpora.read_folder, tmp_path
        )
        fails("there is no folder", ts.corpora.read_folder, tmp_path / "none")
        (tmp_path / "a").mkdir()
        (tmp_path / "a" / "b").write_bytes(b"\xff")
        fails("is not a folder", ts.corpora.read_folder, tmp_path / "a" / "b")
        fails("b is not utf-8: byte 0xff at 0", ts.corpora.read_folder, tmp_path)


class TestCountMatrix:
    def test_whole_numbers_become_integers_without_stored_zeros(self):
        matrix = as_finite_csr(sp.csr_matrix(([1.0, 0.0, 2.0], ([0, 0, 1], [0, 1, 1]))), "x")
        assert matrix.dtype == np.int64
        assert (matrix.nnz, matrix.toarray().tolist()) == (2, [[1, 0], [0, 2]])

    @pytest.mark.parametrize("value", [1e300, 1.5])
    def test_numbers_that_are_not_exact_integers_stay_floats(self, value):
        assert as_finite_csr(sp.csr_matrix([[value]]), "x").data.tolist() == [value]

    @pytest.mark.parametrize("value", [np.nan, np.inf])
    def test_values_must_be_finite(self, value):
        fails("x.arff has a value that is not finite", as_finite_csr, sp.csr_matrix([[value]]), "x.arff")
