"""ARFF, sparse and dense: what is written is read, and bad files get one clear line."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import termsift as ts
from corpus_files import zipped
from termsift_studies.corpora import load_arff

HEADER = """% two words
@RELATION mail

@attribute 'free lunch' NUMERIC
@Attribute noon\tinteger   % a count
@attribute class {ham, 'junk, or spam', "so \\"so\\""}
@data
"""
SPARSE = "{0 2, 2 'junk, or spam'}\n\n% a comment\n{1 1}\n{ 0 1 ,1 3,2 ham } % the last\n{}\n"
DENSE = "2, 0, 'junk, or spam'\n0,1,ham % first\r\n1,3,\"ham\"\n0,0,ham\n"


def arff(folder, rows, header=HEADER, name="mail.arff"):
    """A file of the header and the rows."""
    path = folder / name
    path.write_text(header + rows, encoding="utf-8", newline="")
    return path


@pytest.mark.parametrize("rows", [SPARSE, DENSE])
def test_counts_terms_and_labels_are_read(tmp_path, rows):
    corpus = load_arff(arff(tmp_path, rows))
    assert corpus.terms == ["free lunch", "noon"]
    assert corpus.matrix.toarray().tolist() == [[2, 0], [0, 1], [1, 3], [0, 0]]
    assert corpus.matrix.dtype == np.int64
    assert corpus.labels == ["junk, or spam", "ham", "ham", "ham"]
    assert corpus.name == "mail.arff"
    assert len(corpus.checksum) == 64


def test_a_sparse_row_without_a_class_has_the_first(tmp_path):
    assert load_arff(arff(tmp_path, "{0 1}\n{1 1}\n")).labels == ["ham", "ham"]


def test_compressed_files_give_the_same_corpus(tmp_path):
    plain = arff(tmp_path, SPARSE).read_bytes()
    (tmp_path / "mail.arff.gz").write_bytes(gzip.compress(plain))
    zipped(tmp_path / "mail.arff.zip", {"folder/mail.arff": plain})
    for name in ("mail.arff.gz", "mail.arff.zip"):
        assert load_arff(tmp_path / name).labels == ["junk, or spam", "ham", "ham", "ham"]


def test_any_nominal_attribute_may_be_the_class_by_name_or_number(tmp_path):
    header = "@attribute kind {x,y}\n@attribute free numeric\n@attribute seen {0,1}\n@data\n"
    path = arff(tmp_path, "{1 2,2 1}\n{0 y}\n", header)
    for wanted in ("kind", 0, -3):
        corpus = load_arff(path, class_attribute=wanted)
        assert (corpus.terms, corpus.labels) == (["free", "seen"], ["x", "y"])
        assert corpus.matrix.toarray().tolist() == [[2, 1], [0, 0]]


def test_a_string_attribute_gives_texts(tmp_path):
    header = "@relation sms\n@attribute body string\n@attribute class {ham,spam}\n@data\n"
    rows = "'it\\'s \\\"noon\\\", 100%\\n',ham\n\"\\u00fcber\",spam\nyes,ham\n{0 'so',1 spam}\n'?',ham\n"
    corpus = load_arff(arff(tmp_path, rows, header))
    assert corpus.texts == ['it\'s "noon", 100%\n', "über", "yes", "so", "?"]
    assert corpus.labels == ["ham", "spam", "ham", "spam", "ham"]
    assert corpus.matrix is None
    assert ts.count(corpus.texts, corpus.labels).documents == 5


def test_two_escapes_are_one_character_and_half_of_one_is_none(tmp_path):
    header = "@relation sms\n@attribute body string\n@attribute class {ham,spam}\n@data\n"
    corpus = load_arff(arff(tmp_path, "'\\ud83d\\ude00 \\ud83d',ham\n", header))
    assert corpus.texts == ["\U0001f600 \ufffd"]


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e999"])
def test_numbers_are_finite(tmp_path, value):
    fails("has a value that is not finite", arff(tmp_path, f"{{0 {value}}}\n"))


def test_values_that_are_not_whole_stay_as_they_are(tmp_path):
    corpus = load_arff(arff(tmp_path, "{0 0.5}\n{0 '2',1 0}\n"))
    assert corpus.matrix.toarray().tolist() == [[0.5, 0], [2, 0]]
    assert corpus.matrix.nnz == 2


def test_other_encodings(tmp_path):
    path = tmp_path / "mail.arff"
    path.write_bytes("@attribute größe numeric\n@attribute c {a}\n@data\n{0 1}\n".encode("latin-1"))
    assert load_arff(path, encoding="latin-1").terms == ["größe"]
    fails("is not utf-8: byte 0xf6 at 13; name its encoding", path)
    fails("no encoding named 'latin-l'", path, encoding="latin-l")


def fails(match, path, **options):
    """Interpretation the file is one of our errors, in one line."""
    with pytest.raises(ts.TermsiftError, match=match) as caught:
        load_arff(path, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{0 1,3 1}", "line 9 of .*mail.arff: index 3 is out of range: attributes are numbered 0 to 2"),
        ("{99999999999999999999999 1}", "is out of range: attributes are numbered 0 to 2"),
        ("{0 1,2 eggs}", "line 9 of .*: class 'eggs' is not in the list: 'ham', 'junk, or spam', 'so"),
        ("1,2,eggs", "line 9 of .*: class 'eggs' is not in the list"),
        ("{0 1,0 2}", "line 9 of .* has an index twice"),
        ("{0 1,1 2", "line 9 of .* is cut, or not a list of index and value: '{0 1,1 2'"),
        ("{0 1 2}", "not a list of index and value"),
        ("{0 1,}", "not a list of index and value"),
        ("{-1 2}", "not a list of index and value"),
        ("{0 many}", "line 9 of .*: attribute 'free lunch' is not a number: 'many'"),
        ("{0 ?}", "line 9 of .*: attribute 'free lunch' is missing; a corpus has no missing values"),
        ("1,?,ham", "attribute 'noon' is missing"),
        ("1,2,?", "attribute 'class' is missing"),
        ("1,2", "line 9 of .* has 2 values for 3 attributes"),
        ("1,,ham", "is cut, or not values with commas between: '1,,ham'"),
        ("1,2,'ham", "is cut, or not values with commas between"),
        ("1,2,'ham',", "is cut, or not values with commas between"),
    ],
)
def test_a_bad_row(tmp_path, row, message):
    fails(message, arff(tmp_path, f"{{0 1}}\n{row}\n"))


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("@attribute a numeric\n", "is not ARFF, or is cut: it has no @data line"),
        ("@attribute a numeric\nwords\n@data\n", "line 2 of .* is not an attribute: 'words'"),
        ("@attribute 'a numeric\n@data\n", "line 1 of .* is not an attribute"),
        ("@attribute a date\n@data\n", "has the type 'date'; numeric, string and {...} can be read"),
        ("@attribute a {x,y\n@data\n", "are not a list in braces: '{x,y'"),
        ("@attribute a {x,,y}\n@data\n", "are not a list in braces"),
        ("@attribute a {'x' y}\n@data\n", "are not a list in braces"),
        ("@attribute a numeric\n@data\n1\n", "cannot be 'a', which has no list of values"),
        ("@data\n", "class_attribute is -1, but .* has 0 attributes"),
        ("@attribute a {x}\n@data\n", "has no rows"),
        ("@attribute b {u,v}\n@attribute a {x}\n@data\n", "attribute 'b' of .* is nominal; beside its class"),
        (
            "@attribute b string\n@attribute n real\n@attribute a {x}\n@data\n",
            "attribute 'b' of .* is string",
        ),
        ("@attribute b string\n@attribute a {x}\n@data\n?,x\n", "attribute 'b' is missing"),
        ("@attribute b string\n@attribute a {x}\n@data\n{1 x}\n", "attribute 'b' is missing"),
    ],
)
def test_a_bad_header(tmp_path, header, message):
    fails(message, arff(tmp_path, "", header))


def test_a_class_that_is_not_there(tmp_path):
    path = arff(tmp_path, SPARSE)
    fails("no attribute named 'clas'; did you mean 'class'?", path, class_attribute="clas")
    fails("class_attribute is 3, but .* has 3 attributes", path, class_attribute=3)
    fails("there is no file", tmp_path / "none.arff")


# any character but those that no line can hold; Weka writes these as escapes
WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)
NUMBERS = st.integers(0, 5) | st.floats(0, 1e6, allow_nan=False)


@st.composite
def tables(draw):
    """Terms, classes, a matrix, and the class of each row."""
    terms = draw(st.lists(WORDS, min_size=1, max_size=5, unique=True))
    classes = draw(st.lists(WORDS, min_size=1, max_size=3, unique=True))
    row = st.lists(NUMBERS, min_size=len(terms), max_size=len(terms))
    rows = draw(st.lists(row, min_size=1, max_size=6))
    return terms, classes, rows, [draw(st.sampled_from(classes)) for _ in rows]


def quoted(word):
    """A word as Weka writes it."""
    for character, escape in (("\\", "\\\\"), ("'", "\\'"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
        word = word.replace(character, escape)
    return f"'{word}'"


def sparse_row(row, label, classes):
    """The values above 0; the class unless it is the first."""
    cells = [f"{i} {value!r}" for i, value in enumerate(row) if value]
    cells += [f"{len(row)} {quoted(label)}"] * (label != classes[0])
    return "{" + ",".join(cells) + "}"


def dense_row(row, label, classes):
    """All values and the class."""
    return ",".join([*map(repr, row), quoted(label)])


@pytest.mark.parametrize("written", [sparse_row, dense_row])
@given(table=tables())
def test_written_files_are_read_back(tmp_path_factory, written, table):
    terms, classes, rows, labels = table
    lines = [f"@attribute {quoted(term)} numeric" for term in terms]
    lines += [f"@attribute class {{{','.join(map(quoted, classes))}}}", "@data"]
    lines += [written(row, label, classes) for row, label in zip(rows, labels, strict=True)]
    corpus = load_arff(arff(tmp_path_factory.mktemp("arff"), "\n".join(lines), header=""))
    assert (corpus.terms, corpus.labels) == (terms, labels)
    assert np.array_equal(corpus.matrix.toarray(), np.array(rows))
