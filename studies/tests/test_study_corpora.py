"""Corpora of the studies by name, from small files written here: contents, options and errors."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from corpus_files import cut, fails, zipped
from termsift_studies.corpora import load
from termsift_studies.matrices import load_variables

# the files are not the published ones
pytestmark = pytest.mark.filterwarnings("ignore:.*differs from the published file")

MATRIX = {
    "fea": sp.csc_matrix([[1.0, 0], [0, 2], [3, 0]]),
    "gnd": np.array([[1.0], [2], [1]]),
    "trainIdx": np.array([[3.0], [1]]),
    "testIdx": np.array([[2.0]]),
    "vocab": np.array([["tea", 2], ["jam", 1]], dtype=object),
}


class TestLoad:
    def test_an_unknown_name_is_an_error_with_a_suggestion(self):
        fails("no corpus named 'fbi'; did you mean 'fbis'?", load, "fbi")
        fails("no corpus named '20new'; did you mean '20news'?", load, "20new")

    def test_the_corpora_of_termsift_are_loaded_too(self):
        assert load("docstrings").name == "docstrings"

    def test_a_set_of_counts_takes_no_options(self):
        fails("corpus 'fbis' takes no options, got 'split'", load, "fbis", split="x")

    def test_a_missing_file_is_named_with_its_publisher(self, tmp_path, monkeypatch):
        monkeypatch.setenv("TERMSIFT_DATA", str(tmp_path))
        message = f"there is no file {tmp_path}/karypis/re0.wc.arff.zip; download it from https://waikato"
        fails(message, load, "re0")
        fails("there is no file /none/karypis/re0", load, "re0", data_dir="/none")

    def test_a_zipped_arff_file_has_counts_terms_and_labels(self, tmp_path):
        rows = (
            b"@attribute tea numeric\n@attribute jam numeric\n@attribute c {x,y}\n@data\n{0 1}\n{1 1,2 y}\n"
        )
        zipped(tmp_path / "karypis" / "re0.wc.arff.zip", {"re0.arff": rows})
        corpus = load("re0", data_dir=tmp_path)
        assert (corpus.terms, corpus.labels) == (["tea", "jam"], ["x", "y"])
        assert corpus.matrix.toarray().tolist() == [[1, 0], [0, 1]]


def framed(packed):
    """A MATLAB 5 file of one compressed variable."""
    return b"MATLAB 5.0".ljust(124) + b"\x00\x01IM" + struct.pack("<II", 15, len(packed)) + packed


class TestMatrices:
    def load(self, folder, *left_out, compressed=True, **changed):
        path = folder / "cdcai" / "20Newsgroups.mat"
        path.parent.mkdir(exist_ok=True)
        kept = {name: value for name, value in (MATRIX | changed).items() if name not in left_out}
        scipy.io.savemat(path, kept, do_compression=compressed)
        return load("cdcai/20newsgroups", data_dir=folder)

    def test_counts_classes_parts_and_terms(self, tmp_path):
        corpus = self.load(tmp_path)
        assert corpus.matrix.toarray().tolist() == [[1, 0], [0, 2], [3, 0]]
        assert corpus.matrix.dtype == np.int64
        assert (corpus.labels, corpus.terms) == ([1, 2, 1], ["tea", "jam"])
        assert corpus.split == ["train", "test", "train"]

    def test_split_and_terms_may_be_missing(self, tmp_path):
        corpus = self.load(tmp_path, "trainIdx", "testIdx", "vocab")
        assert (corpus.split, corpus.terms) == (None, None)

    def test_mistakes(self, tmp_path):
        fails("has no variable 'fea'", self.load, tmp_path, "fea")
        fails("fea is not a matrix of counts", self.load, tmp_path, fea="words")
        fails("has no list of numbers named 'gnd'", self.load, tmp_path, "gnd")
        fails("has no list of numbers named 'gnd'", self.load, tmp_path, gnd="words")
        fails("has 3 documents but 2 classes", self.load, tmp_path, gnd=np.array([1.0, 2]))
        fails("trainIdx has an index out of range: it is not in 1 to 3", self.load, tmp_path, trainIdx=[4.0])
        fails("testIdx has an index out of range", self.load, tmp_path, testIdx=[0.0])
        fails("document 1 is in no part", self.load, tmp_path, trainIdx=[3.0])
        fails("has 2 columns but 1 terms", self.load, tmp_path, vocab=MATRIX["vocab"][:1])
        fails("vocab is not a table with a term in each row", self.load, tmp_path, vocab="words")

    def test_damage(self, tmp_path):
        fails("is refused: its variables are not compressed", self.load, tmp_path, compressed=False)
        path = tmp_path / "cdcai" / "20Newsgroups.mat"
        for share in (0.3, 0.7, 0.99):
            self.load(tmp_path)
            cut(path, share)
            fails(
                "is damaged or truncated: a variable has no end",
                load,
                "cdcai/20newsgroups",
                data_dir=tmp_path,
            )
        self.load(tmp_path)
        content = bytearray(path.read_bytes())
        content[150] ^= 255
        path.write_bytes(content)
        fails("is damaged or truncated: Error -3", load, "cdcai/20newsgroups", data_dir=tmp_path)
        for inside, message in (
            (b"words", "is damaged or truncated"),
            (bytes(2000), "it unpacks to more than 1,000 bytes"),
        ):
            path.write_bytes(framed(zlib.compress(inside)))
            fails(message, load_variables, path, ("fea",), limit=1000)
        path.write_bytes(framed(zlib.compress(b"words")[:-4]))
        fails("is damaged or truncated: a variable has no end", load_variables, path, ("fea",))
        path.write_bytes(b"<html>")
        fails("is not a MATLAB 5 file", load, "cdcai/20newsgroups", data_dir=tmp_path)
