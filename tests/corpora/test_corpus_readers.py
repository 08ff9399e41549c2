"""The Corpus, and the readers of folders and svmlight files."""

from __future__ import annotations

import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file

import termsift as ts
from corpus_files import fails
from termsift.corpora import Corpus


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

    def test_mistakes(self, tmp_path):
        (tmp_path / "x.svm").write_text("1 one:1\n")
        fails("x.svm cannot be read as svmlight: ", ts.corpora.read_svmlight, tmp_path / "x.svm")
        fails("there is no file", ts.corpora.read_svmlight, tmp_path / "none.svm")
