"""The Corpus, and the readers of folders and svmlight files."""

from __future__ import annotations

import bz2
import errno
import gzip
import os

import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file

import termsift as ts
from corpus_files import fails
from termsift.corpora.corpus import Corpus


class TestCorpus:
    corpus = Corpus(
        "mail", [["a", "b"], [], ["a"]], "here", texts=["x", "y", "z"], split=["train", "test", "train"]
    )

    def test_several_labels_a_document(self):
        assert self.corpus.classes == ["a", "b"]
        assert repr(self.corpus) == "Corpus('mail', 3 documents, 2 classes)"

    def test_a_part(self):
        part = self.corpus.part("train")
        assert (part.texts, part.labels, part.split) == (["x", "z"], [["a", "b"], ["a"]], ["train", "train"])
        assert (part.name, part.source) == ("mail", "here")

    def test_a_part_of_a_matrix(self):
        corpus = Corpus(
            "m", [1, 2], "", matrix=sp.csr_array([[1, 0], [0, 2]]), terms=["a", "b"], split=["x", "y"]
        )
        assert corpus.part("y").matrix.toarray().tolist() == [[0, 2]]
        assert corpus.part("y").terms == ["a", "b"]

    def test_a_part_that_is_not_there(self):
        fails("no part named 'tests'; did you mean 'test'?", self.corpus.part, "tests")
        fails("corpus 'm' has no split, so no part 'test'", Corpus("m", [], "").part, "test")


class TestFolder:
    def test_the_folders_are_the_classes(self, tmp_path):
        for name, text in (("spam/2", "win"), ("ham/deep/1", "grüße"), ("ham/.hidden", "no"), ("top", "no")):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        corpus = ts.corpora.read_folder(tmp_path)
        assert (corpus.texts, corpus.labels) == (["grüße", "win"], ["ham", "spam"])
        assert ts.count(corpus.texts, corpus.labels) == ts.count(tmp_path)

    def test_a_class_that_cannot_be_read_is_an_error(self, tmp_path, monkeypatch):
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

    def test_mistakes(self, tmp_path):
        fails("without a folder of files for each class", ts.corpora.read_folder, tmp_path)
        fails("there is no folder", ts.corpora.read_folder, tmp_path / "none")
        (tmp_path / "a").mkdir()
        (tmp_path / "a" / "b").write_bytes(b"\xff")
        fails("is not a folder", ts.corpora.read_folder, tmp_path / "a" / "b")
        fails("b is not utf-8: byte 0xff at 0", ts.corpora.read_folder, tmp_path)


class TestSvmlight:
    X = sp.csr_matrix([[1, 0, 2], [0, 3, 0]])

    def test_what_scikit_learn_writes(self, tmp_path):
        dump_svmlight_file(self.X, [1, -1], str(tmp_path / "x.svm"), zero_based=False)
        corpus = ts.corpora.read_svmlight(tmp_path / "x.svm")
        assert (corpus.matrix != self.X).nnz == 0
        assert corpus.labels == [1, -1]
        assert ts.corpora.read_svmlight(tmp_path / "x.svm", n_features=5).matrix.shape == (2, 5)

    def test_several_labels(self, tmp_path):
        (tmp_path / "x.svm").write_text("1,2 1:1\n0.5 2:1.5\n")
        corpus = ts.corpora.read_svmlight(tmp_path / "x.svm", multilabel=True)
        assert corpus.labels == [[1, 2], [0.5]]
        assert corpus.matrix.dtype == float

    @pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress)])
    def test_packed_files_are_bounded(self, tmp_path, ending, pack):
        path = tmp_path / f"x.svm{ending}"
        path.write_bytes(pack(b"1 1:1 3:2\n"))
        assert ts.corpora.read_svmlight(path).matrix.toarray().tolist() == [[1, 0, 2]]
        path.write_bytes(pack(bytes(40_000_000)))
        fails("it holds more than 33,554,432 bytes", ts.corpora.read_svmlight, path)

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("1 2147483647:1", "has an index of 2,147,483,647, more than a file of its size can fill"),
            ("1 99999999999:1", "cannot be read as svmlight: value too large"),
            ("1 1:nan", "has a value that is infinite, or no number"),
            ("1 1:1e999", "has a value that is infinite, or no number"),
            ("inf 1:1", "has a label that is infinite, or no number"),
            ("nan 1:1", "has a label that is infinite, or no number"),
        ],
    )
    def test_numbers_out_of_range(self, tmp_path, line, message):
        (tmp_path / "x.svm").write_text(f"0 1:1\n{line}\n")
        fails(message, ts.corpora.read_svmlight, tmp_path / "x.svm")

    def test_a_number_of_columns_that_was_given_is_right(self, tmp_path):
        (tmp_path / "x.svm").write_text("1 20000000:1\n")
        found = ts.corpora.read_svmlight(tmp_path / "x.svm", n_features=30_000_000)
        assert found.matrix.shape == (1, 30_000_000)

    def test_numbers_too_large_to_be_whole_stay_as_they_are(self, tmp_path):
        (tmp_path / "x.svm").write_text("1 1:1e300\n")
        assert ts.corpora.read_svmlight(tmp_path / "x.svm").matrix.data.tolist() == [1e300]

    def test_mistakes(self, tmp_path):
        (tmp_path / "x.svm").write_text("1 one:1\n")
        fails("x.svm cannot be read as svmlight: ", ts.corpora.read_svmlight, tmp_path / "x.svm")
        fails("there is no file", ts.corpora.read_svmlight, tmp_path / "none.svm")
