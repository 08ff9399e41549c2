"""Models of texts that options have read: saved, loaded and asked in a process of their own."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import termsift as ts

GOOD = ["great phone, the battery lasts &amp; lasts", "I loved the screens", "excellent sound, great cameras"]
BAD = ["terrible battery, it died", "I hated the screen; refunding", "poor sounds and a broken camera"]
# how a model reads texts, whether CountVectorizer can express it, and where it is saved
SAVED = [
    (["--ngrams", "1-2", "--stop-words", "english", "--html"], False, "html"),
    (["--stem", "english"], False, "stems"),
    (["--char-ngrams", "3-5"], True, "characters"),
    (["--words", "unicode", "--hashtags", "--strip-accents"], True, "words"),
]
# neither termsift nor its compiler can be imported where the exported pipeline is used
ASKED = """
import sys, json
for name in ("termsift", "numba"):
    sys.modules[name] = None
import skops.io as sio
print(json.dumps([sio.load(f"{name}.skops").predict(TEXTS).tolist() for name in NAMES]))
"""


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
def test_saved_and_exported_models_predict_equally_in_a_new_process(run, reviews):
    read = ("--text", "title", "--text", "body", "--classifier", "svm", "--folds", 2, "--repeats", 1, "-k", 9)
    labels = {}
    for options, is_expressible, name in SAVED:
        code, out, _ = run("compare", "reviews.csv", *read, "--metric", "bns", *options, "--save", name)
        assert code == 0
        assert f"model = ts.load_model('{name}')" in out
        model = ts.load_model(name)
        # the same by rows of counts
        rows = [[model.analyzer(text).count(term) for term in model.terms] for text in reviews]
        assert np.array_equal(model.count_terms(reviews).toarray(), rows)
        code, _, err = run("export", name, "-o", f"{name}.skops")
        assert (code == 0) == is_expressible
        if is_expressible:
            labels[name] = model.predict(reviews)
        else:
            assert "cannot be exported, because CountVectorizer has no" in err
    script = ASKED.replace("TEXTS", repr(reviews)).replace("NAMES", repr(list(labels)))
    asked = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert json.loads(asked.stdout) == list(labels.values())


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
    assert "whose segmenter is a function cannot be saved" in err


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
