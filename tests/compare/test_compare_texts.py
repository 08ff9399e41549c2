"""Models of texts that options have read: saved, loaded and asked in a process of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import skops.io as sio
from scipy.sparse import csr_array

import termsift as ts
from termsift.models.storage import TRUSTED_TYPES
from termsift.text import parse_analyzer

GOOD = ["great phone, the battery lasts &amp; lasts", "I loved the screens", "excellent sound, great cameras"]
BAD = ["terrible battery, it died", "I hated the screen; refunding", "poor sounds and a broken camera"]
# how a model reads texts, what it needs to do so, and where it is saved
WITH_TERMSIFT = [
    (["--ngrams", "1-2", "--stop-words", "english", "--html"], ["termsift"], "one"),
    (["--stem", "english"], ["termsift", "snowballstemmer"], "other"),
]
ALONE = [
    (["--char-ngrams", "3-5"], [], "one"),
    (["--words", "unicode", "--hashtags", "--strip-accents"], [], "other"),
]
ASKED = """
import sys, json, skops.io as sio
trusted, texts = json.load(sys.stdin)
models = [sio.load(f"{name}/pipeline.skops", trusted=trusted) for name in ("one", "other")]
found = [[model.predict(texts).tolist(), type(model[0]).__module__.split(".")[0]] for model in models]
print(json.dumps([found, "termsift" in sys.modules]))
"""
TYPES = ["termsift.estimators.vectorizer.TermVectorizer", "termsift.text.analyzer.Analyzer"]


@pytest.fixture
def reviews(tmp_path, monkeypatch):
    """Titles and bodies in HTML of two classes."""
    monkeypatch.chdir(tmp_path)
    rows = []
    for i in range(36):
        words, label = (GOOD, "good") if i % 2 else (BAD, "bad")
        body = (
            f"<p>{words[i % 3]}</p><script>var terrible = 1</script><td>{words[i // 3 % 3]}</td><td>{i}</td>"
        )
        rows.append((f"A {label if i % 5 else 'new'} phone", body, label))
    pd.DataFrame(rows, columns=["title", "body", "label"]).to_csv("reviews.csv", index=False)
    return [f"{title}\n{body}" for title, body, _ in rows]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("saved", "trusted"), [(WITH_TERMSIFT, TYPES), (ALONE, None)], ids=["with termsift", "alone"]
)
def test_saved_models_predict_equally_in_a_new_process(run, reviews, saved, trusted):
    read = ("--text", "title", "--text", "body", "--classifier", "svm", "--folds", 2, "--repeats", 1, "-k", 9)
    for options, needs, name in saved:
        code, out, _ = run("compare", "reviews.csv", *read, "--metric", "bns", *options, "--save", name)
        assert code == 0
        assert ("TermVectorizer" in out, "requires termsift" in out) == (bool(needs), bool(needs))
    asked = subprocess.run(
        [sys.executable, "-c", ASKED],
        input=json.dumps([trusted, reviews]),
        capture_output=True,
        text=True,
        check=True,
    )
    found, with_termsift = json.loads(asked.stdout)
    assert with_termsift == (trusted is not None)
    for (_, needs, name), (predicted, package) in zip(saved, found, strict=True):
        assert package == ("termsift" if needs else "sklearn")
        said = json.loads(Path(name, "selection.json").read_text(encoding="utf-8"))
        assert said["needs"] == needs
        analyzer = parse_analyzer(said["analyzer"])
        assert isinstance(analyzer, ts.Analyzer)
        # the same by rows of counts, without the vectorizer that was saved
        terms = Path(name, "vocabulary.txt").read_text(encoding="utf-8").split("\n")[:-1]
        rows = [[analyzer(text).count(term) for term in terms] for text in reviews]
        model = sio.load(f"{name}/pipeline.skops", trusted=list(TRUSTED_TYPES) if needs else None)
        assert predicted == model[1:].predict(csr_array(rows)).tolist()
        assert model[0].transform(reviews).toarray().tolist() == rows


def test_report_shows_the_visible_text_of_html(run, reviews):
    for analyzer in (None, ts.Analyzer(html=True)):
        page = ts.report(reviews, ["bad", "good"] * 18, analyzer=analyzer)
        assert ("var terrible" in page) == (analyzer is None)


def test_models_with_a_segmenter_cannot_be_saved(run, reviews):
    options = ("--text", "body", "--segmenter", "textwrap:wrap", "--folds", 2, "--repeats", 1)
    code, _, err = run(
        "compare", "reviews.csv", *options, "--classifier", "multinomial_nb", "--save", "model"
    )
    assert code == 1
    assert "whose analyzer is a function cannot be saved" in err


class TestSelection:
    @pytest.mark.parametrize(
        "settings",
        [
            {"stemmer": "english", "html": True, "ngram_range": (1, 2), "stop_words": "english"},
            {"words": "unicode", "hashtags": True, "normalize": "NFC", "min_length": 2},
            {"analyzer": "char_wb", "ngram_range": (2, 3), "html": True},
            {"words": "auto", "strip_accents": "unicode", "lowercase": False},
        ],
    )
    def test_selection_restores_analyzer_and_vectorizer(self, settings, tmp_path):
        texts = [f"<p>{text}</p> #tag Über" for text in GOOD + BAD]
        counts = ts.count(texts, [1, 1, 1, 0, 0, 0], analyzer=ts.Analyzer(**settings))
        chosen = ts.select(counts, "chi2", ts.TopK(20))
        chosen.to_json(tmp_path / "selection.json")
        again = ts.Selection.from_json(tmp_path / "selection.json")
        assert again.analyzer == ts.Analyzer(**settings)
        found = again.to_vectorizer().fit([]).transform(texts)
        assert found.sum(axis=0).tolist() == [counts.term_tf[chosen.indices].tolist()]
