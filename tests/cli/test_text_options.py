"""The options that say how a text becomes terms: the same words as the library's, on every command."""

from __future__ import annotations

import json
import textwrap

import pandas as pd
import pytest

import termsift as ts
from termsift.text.analyzer import load_stop_words

GOOD = [
    "the café is great, I'm happy",
    "great food at the bar",
    "the Best Coffee",
    "a happy crowd and great bars",
]
BAD = ["the room was cold", "I'm angry: cold food", "the coffee is cold", "never again: the angry waiter"]
ANALYZERS = [
    (["--ngrams", "1-2"], {"ngram_range": (1, 2)}),
    (["--ngrams", "2"], {"ngram_range": (2, 2)}),
    (["--char-ngrams", "3-4"], {"analyzer": "char_wb", "ngram_range": (3, 4)}),
    (["--char-ngrams", "3", "--across-words"], {"analyzer": "char", "ngram_range": (3, 3)}),
    (["--stop-words", "english"], {"stop_words": load_stop_words("english")}),
    (["--stop-words", "stop.txt"], {"stop_words": ["the", "Best", "best", "I'm", "coffee"]}),
    (
        ["--stop-words", "english,stop.txt"],
        {"stop_words": [*load_stop_words("english"), "Best", "best", "coffee"]},
    ),
    (["--stem", "english"], {"stemmer": "english"}),
    (["--token-pattern", "[a-z]{4,}"], {"token_pattern": "[a-z]{4,}"}),
    (["--keep-case"], {"lowercase": False}),
    (["--strip-accents"], {"strip_accents": "unicode"}),
    (["--words", "unicode"], {"words": "unicode"}),
    (["--words", "sklearn"], {}),
    (["--min-token-length", "5"], {"min_length": 5}),
    (["--html"], {"html": True}),
    (["--hashtags"], {"words": "auto", "hashtags": True}),
    (["--normalize", "nfkc"], {"normalize": "NFKC"}),
    (["--segmenter", "textwrap:wrap"], {"words": "auto", "segmenter": textwrap.wrap}),
    (
        ["--stem", "english", "--ngrams", "1-2", "--stop-words", "en"],
        {"stemmer": "english", "ngram_range": (1, 2), "stop_words": load_stop_words("en")},
    ),
]


@pytest.fixture
def reviews(tmp_path, monkeypatch):
    """Texts of two classes, and a list of stop words."""
    monkeypatch.chdir(tmp_path)
    rows = [(text, "good") for text in GOOD * 4] + [(text, "bad") for text in BAD * 4]
    pd.DataFrame(rows, columns=["text", "label"]).to_csv("reviews.csv", index=False)
    (tmp_path / "stop.txt").write_text("\ufeffthe\nBest\n\n  I'm \ncoffee\n", encoding="utf-8")
    return [text for text, _ in rows], [label for _, label in rows]


@pytest.mark.parametrize("given, analyzer", ANALYZERS)
def test_counts_equal_those_of_the_analyzer(run, reviews, given, analyzer):
    assert run("count", "reviews.csv", *given, "-o", "c.parquet")[0] == 0
    assert_same_counts(ts.Counts.load("c.parquet"), ts.count(*reviews, analyzer=ts.Analyzer(**analyzer)))


def assert_same_counts(found, expected):
    assert found.terms.tolist() == expected.terms.tolist()
    assert (found.df != expected.df).nnz == (found.tf != expected.tf).nnz == 0


@pytest.mark.parametrize(
    "command",
    [
        ("score", "--json", "--top", "30", "--all"),
        ("select", "-k", "13"),
        ("select", "--metric", "ig:jmi", "-k", "13"),
    ],
)
def test_count_score_and_select_use_the_text_options(run, reviews, command):
    name, *rest = command
    code, out, err = run(name, "reviews.csv", *rest, "--ngrams", "2-2", "--stop-words", "english")
    assert (code, err) == (0, "")
    terms = [row["term"] for row in json.loads(out)] if "--json" in rest else out.splitlines()
    assert "cold food" in terms
    assert all(term.count(" ") == 1 for term in terms)


def test_audit_report_and_diff_use_the_text_options(run, reviews, tmp_path):
    options = ("--ngrams", "2-2", "--stop-words", "english")
    assert run("report", "reviews.csv", "-o", "page.html", *options)[0] == 0
    assert "cold food" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert run("audit", "reviews.csv", *options)[0] == 0
    pd.DataFrame({"text": GOOD * 9}).to_csv("good.csv", index=False)
    pd.DataFrame({"text": BAD * 9}).to_csv("bad.csv", index=False)
    code, out, _ = run("diff", "good.csv", "bad.csv", "--csv", *options)
    assert code == 0
    assert "cold food" in out


def test_diff_tokenizes_texts_like_saved_counts(run, reviews):
    pd.DataFrame({"text": GOOD * 9}).to_csv("good.csv", index=False)
    pd.DataFrame({"text": BAD * 9}).to_csv("bad.csv", index=False)
    options = ("--ngrams", "2-2", "--stop-words", "english")
    run("count", "bad.csv", "--label", "", "-o", "bad.parquet", *options)
    code, out, err = run("diff", "good.csv", "bad.parquet", "--csv")
    expected = run("diff", "good.csv", "bad.csv", "--csv", *options)
    assert (code, out.replace("bad.parquet", "bad.csv"), err) == expected
    assert "cold food" in out


def test_segmenters_are_not_imported_from_the_working_folder(run, reviews, tmp_path):
    (tmp_path / "strange.py").write_text("raise SystemExit('run')\ndef cut(text): return [text]\n")
    code, _, err = run("score", "reviews.csv", "--segmenter", "strange:cut")
    assert code == 1
    assert "cannot be imported" in err


def test_words_of_every_script_are_whole_with_any_option(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"यह अच्छी किताब {i},good\nबुरी किताब {i},bad\n" for i in range(9))
    (tmp_path / "books.csv").write_text("text,label\n" + rows, encoding="utf-8")
    out = run("score", "books.csv", "--stop-words", "hindi", "--csv", "--class", "good")[1]
    assert out.splitlines()[1].startswith("अच्छी,")


class TestLimits:
    @pytest.mark.parametrize(
        "given, limits",
        [
            (["--min-df", "5"], {"min_df": 5}),
            (["--min-df", "0.2"], {"min_df": 0.2}),
            (["--max-df", "8"], {"max_df": 8}),
            (["--max-df", "0.3", "--min-df", "2"], {"max_df": 0.3, "min_df": 2}),
        ],
    )
    def test_df_limits_are_numbers_or_shares(self, run, reviews, given, limits):
        assert run("count", "reviews.csv", *given, "-o", "c.parquet")[0] == 0
        assert_same_counts(ts.Counts.load("c.parquet"), ts.count(*reviews, **limits))

    @pytest.mark.parametrize("command", ["count", "score", "select", "compare", "audit", "report"])
    def test_limits_that_exclude_all_terms_are_explained(self, run, reviews, command):
        more = ("-o", "page.html") if command == "report" else ()
        code, out, err = run(command, "reviews.csv", "--min-df", "1000", *more)
        assert (code, out) == (1, "")
        assert err == "termsift: --min-df 1000 removes all 20 terms; the most frequent is in 24 documents\n"

    def test_limits_of_diff_that_exclude_all_terms_are_explained(self, run, reviews):
        code, _, err = run("diff", "reviews.csv", "reviews.csv", "--min-df", "1000")
        assert code == 1
        assert "--min-df 1000 removes all 20 terms; the most frequent is in 48 documents" in err

    def test_max_df_below_all_terms_is_explained(self, run, reviews):
        err = run("score", "reviews.csv", "--max-df", "2")[2]
        assert err == "termsift: --max-df 2 removes all 20 terms; the rarest is in 4 documents\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--ngrams", "2-1"], "--ngrams expects a range like 1-2 or 3-5, got '2-1'"),
        (["--ngrams", "0-2"], "--ngrams expects a range like 1-2 or 3-5"),
        (["--ngrams", "x"], "--ngrams expects a range like 1-2 or 3-5, got 'x'"),
        (["--ngrams", "1-200"], "--ngrams must not exceed 100"),
        (["--char-ngrams", "5-3"], "--char-ngrams expects a range like 1-2 or 3-5"),
        (
            ["--char-ngrams", "3", "--stem", "english"],
            "--char-ngrams cannot be combined with --stem, which applies to words",
        ),
        (
            ["--char-ngrams", "3", "--ngrams", "1-2"],
            "--char-ngrams cannot be combined with --ngrams, which applies to words",
        ),
        (["--across-words"], "--across-words needs --char-ngrams"),
        (["--stop-words", "englsh"], "no stop word list named 'englsh'; did you mean 'english'?"),
        (["--stop-words", "none.txt"], "there is no stop word file none.txt"),
        (["--stop-words", "empty.txt"], "empty.txt is not a list of stop words: it is empty"),
        (["--stop-words", "bytes.bin"], "bytes.bin is not a list of stop words: it is not UTF-8"),
        (["--stop-words", "zeros.bin"], "zeros.bin is not a list of stop words: it is binary"),
        (["--stop-words", "."], "there is no stop word file ."),
        (["--token-pattern", "[a-"], "--token-pattern is not a regular expression: '[a-'"),
        (["--token-pattern", "(a)(b)"], "--token-pattern must be a regex with at most one group"),
        (["--stem", "klingon"], "no stemmer named 'klingon'"),
        (["--stem", "englsh"], "no stemmer named 'englsh'; did you mean 'english'?"),
        (["--words", "unicod"], "no tokenization mode named 'unicod'; did you mean 'unicode'?"),
        (
            ["--words", "sklearn", "--hashtags"],
            "--hashtags must not be set with --words sklearn; use --words auto",
        ),
        (["--token-pattern", "a+", "--hashtags"], "give only one of --token-pattern and --hashtags"),
        (["--token-pattern", "a+", "--words", "unicode"], "give only one of --token-pattern and --words"),
        (["--normalize", "NFD"], "no Unicode normalization named 'NFD'; did you mean 'NFC'?"),
        (["--min-token-length", "0"], "--min-token-length must be an integer from 1 to 1,000,000, got 0"),
        (["--segmenter", "wrap"], "--segmenter expects MODULE:FUNCTION, e.g. jieba:lcut, got 'wrap'"),
        (["--segmenter", "no.such:wrap"], "--segmenter no.such:wrap cannot be imported: No module named"),
        (["--segmenter", "textwrap:wrapp"], "--segmenter textwrap:wrapp: textwrap has no wrapp"),
        (["--segmenter", "os:sep"], "--segmenter os:sep is str, not a function"),
        (["--segmenter", "reviews.csv:wrap"], "--segmenter reviews.csv:wrap cannot be imported"),
        (["--min-df", "-1"], "--min-df must be a number of documents or a share from 0.0 to 1.0, got -1"),
        (["--min-df", "many"], "many"),
        (
            ["--min-df", "9", "--max-df", "3"],
            "--min-df 9 is more documents than --max-df 3, which removes all",
        ),
    ],
)
@pytest.mark.parametrize("command", ["score", "compare"])
def test_invalid_options_are_one_line_errors(run, reviews, tmp_path, command, options, message):
    (tmp_path / "empty.txt").write_text("\n\n")
    (tmp_path / "bytes.bin").write_bytes(b"\xff\xfe\x00\x81")
    (tmp_path / "zeros.bin").write_bytes(b"\x00\x00word")
    code, out, err = run(command, "reviews.csv", *options)
    assert (code, out) == (1, "")
    assert err.startswith("termsift: ")
    assert err.count("\n") == 1
    assert message in err


def test_text_options_are_rejected_for_saved_counts(run, reviews):
    run("count", "reviews.csv", "-o", "c.parquet")
    code, _, err = run("score", "c.parquet", "--ngrams", "1-2")
    assert code == 1
    assert (
        err == "termsift: c.parquet contains counts, but --ngrams applies to texts; count the texts again\n"
    )
    assert run("score", "c.parquet", "--min-df", "2", "--max-df", "0.9")[0] == 0
