"""Scores leave as arrays and as tidy tables, with the cells they come from."""

from __future__ import annotations

import csv
import io
import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from scipy.stats import false_discovery_control

import termsift as ts
from strategies import samples

TEXTS = ["free prize prize", "free lunch", "lunch today", "<b> free & 中文"]
LABELS = ["spam", "ham", "ham", "spam"]


@pytest.fixture
def scores():
    return ts.score(ts.count(TEXTS, LABELS), "chi2")


def test_scores_convert_to_an_array(scores):
    assert np.asarray(scores).shape == (5, 2)
    assert np.asarray(scores, dtype=np.float32).dtype == np.float32
    assert len(scores) == 5
    assert scores.classes == ("ham", "spam")
    assert repr(scores) == "Scores(chi2, 5 x 2 terms x classes)"


def test_table_contains_the_cells(scores):
    table = scores.to_pandas().set_index(["term", "class"])
    chance, effect = ["p", "q"], ["effect", "low", "high"]
    assert list(table.columns) == ["sign", "tp", "fp", "fn", "tn", "score", *chance, *effect]
    assert table.loc[("lunch", "ham")].tolist()[:5] == [1, 2, 0, 0, 2]
    assert table.loc[("lunch", "spam")].tolist()[:5] == [-1, 0, 2, 2, 0]
    assert table.loc[("lunch", "ham"), "score"] == pytest.approx(4)
    # the two documents of six pairs, and as far on the other side
    assert table.loc[("lunch", "ham"), "p"] == pytest.approx(1 / 3)
    assert table.loc[("lunch", "ham"), "q"] == pytest.approx(1)


def test_all_forms_of_the_table_agree(scores):
    rows = list(scores.table())
    assert scores.to_arrow().to_pylist() == rows
    assert scores.to_pandas().to_dict("records") == rows
    assert scores.to_polars().to_dicts() == rows
    assert pl.DataFrame(scores.table()).to_dicts() == rows
    assert json.loads(scores.table().to_json()) == rows
    read = list(csv.DictReader(io.StringIO(scores.table().to_csv())))
    assert [row["term"] for row in read] == [row["term"] for row in rows]
    assert isinstance(scores.to_pandas(), pd.DataFrame)


@pytest.mark.parametrize(
    ("written", "metric", "options"),
    [
        ("ig(smoothing='ele')", "ig", {"smoothing": "ele"}),
        ("md(model='bernoulli', per_class=True)", "md", {"model": "bernoulli", "per_class": True}),
        ("bns(zero='replace')", "bns", {"zero": "replace"}),
        ("ngl", "cc", {}),
        ("chi2_joint", "chi2_joint", {}),
        ("chi2_all", "chi2_all", {}),
    ],
)
def test_metric_name_includes_its_options(scores, written, metric, options):
    found, expected = ts.score(scores.counts, written), ts.score(scores.counts, metric, **options)
    assert found.values.tolist() == expected.values.tolist()
    assert found.metric == expected.metric == written.replace("ngl", "cc")
    if found.values.ndim == 2:
        X, y = ts.TermVectorizer().fit_transform(TEXTS), LABELS
        weights = ts.TermWeighter(metric, options=options).fit(X, y).weights_.tolist()
        assert ts.TermWeighter(written).fit(X, y).weights_.tolist() == weights
        assert np.array_equal(
            ts.ScoreFunction(written)(X, y), ts.ScoreFunction(metric, options=options)(X, y)
        )


def test_keyword_option_overrides_the_option_in_the_name(scores):
    found = ts.score(scores.counts, "ig(smoothing='ele')", smoothing=0.5)
    assert found.metric == "ig(smoothing=0.5)"
    assert found.values.tolist() == ts.score(scores.counts, "ig", smoothing=0.5).values.tolist()


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("ig(smooth=1)", "no option of ig named 'smooth'; did you mean 'smoothing'"),
        ("ig('ele')", "metric options must be named"),
        ("ig(smoothing='ele'", "is not a metric; write it as"),
        ("ig(smoothing=open)", "is not a metric; write it as"),
        ("igg(smoothing='ele')", "no metric named 'igg'"),
        ("bns:round_robin", "no metric named 'bns:round_robin'"),
        (3, "no metric named 3"),
    ],
)
def test_rejects_metric_names_that_cannot_be_parsed(scores, written, message):
    for use in (lambda: ts.score(scores.counts, written), lambda: ts.ScoreFunction(written)):
        with pytest.raises(ts.TermsiftError, match=message) as caught:
            use()
        assert "\n" not in str(caught.value)


def test_metrics_of_occurrences_have_the_p_values_of_documents(scores):
    table = ts.score(scores.counts, "md", per_class=True).table()
    assert table["p"].tolist() == scores.table()["p"].tolist()


def test_q_values_are_over_all_terms_of_the_class(scores):
    table, top = scores.table().to_pandas(), scores.top("ham", 2).to_pandas()
    for name in scores.classes:
        own = table[table["class"] == name]
        np.testing.assert_allclose(own["q"], false_discovery_control(own["p"]))
    assert top["q"].tolist() == [
        table["q"][(table["term"] == t) & (table["class"] == "ham")].item() for t in top["term"]
    ]


def test_table_of_one_score_per_term_has_no_classes(scores):
    reduced = ts.score(scores.counts, "chi2", reduce="max")
    assert reduced.classes == ()
    np.testing.assert_array_equal(reduced.p, scores.p)
    assert list(reduced.table().columns) == ["term", "df", "score"]
    assert list(reduced.top(n=1)["term"]) == ["lunch"]
    assert repr(reduced) == "Scores(chi2, 5 terms)"
    assert "lunch" in reduced._repr_html_()


def test_top_terms_of_a_class_and_of_a_direction():
    scores = ts.score(ts.count(TEXTS, LABELS), "bns")
    assert list(scores.top("ham", 2)["term"]) == ["lunch", "free"]
    assert list(scores.top("ham", 9, direction="positive")["term"]) == ["lunch", "today"]
    assert list(scores.top("ham", 9, direction="negative")["term"]) == ["free", "prize", "中文"]
    one_sided = ts.score(scores.counts, "cc")
    assert list(one_sided.top("ham", 9, direction="negative")["term"]) == ["free", "prize", "中文"]
    assert list(one_sided.top("ham", 1, direction="positive")["term"]) == ["lunch"]


def test_signs_follow_the_classes(scores):
    assert scores.signs.tolist() == [[-1, 1], [1, -1], [-1, 1], [1, -1], [-1, 1]]
    assert scores.of_class("spam").signs[:, 0].tolist() == [1, -1, 1, -1, 1]


def test_of_class_retains_scores_and_p_values(scores):
    spam = scores.of_class("spam")
    assert spam.values.shape == (5, 1)
    np.testing.assert_array_equal(spam.p, scores.p[:, [1]])
    assert spam.column("spam").tolist() == scores.column("spam").tolist()


def test_a_notebook_shows_the_best_terms_and_escapes_them(scores):
    html = scores._repr_html_()
    assert html.startswith("<p>Scores(chi2, 5 x 2 terms x classes)</p><table>")
    assert "<td>spam</td><td>2</td><td>free, prize, 中文</td>" in html
    table = ts.score(ts.count(["<b> x", "y"], [0, 1], analyzer=str.split), "df").table()
    assert "&lt;b&gt;" in table._repr_html_()


def test_printed_table_is_truncated():
    counts = ts.count(np.eye(100, dtype=int), np.arange(100) % 2)
    table = ts.score(counts, "chi2").table()
    assert "... 140 more rows" in repr(table)
    assert "140 more rows" in table._repr_html_()


def test_scores_can_be_pickled(scores):
    again = pickle.loads(pickle.dumps(scores))
    np.testing.assert_array_equal(again.values, scores.values)
    np.testing.assert_array_equal(again.p, scores.p)


@given(samples(least=2, weighted=False))
def test_the_cells_of_the_table_add_up_to_the_documents(sample):
    counts = sample.counts()
    if counts.documents and ((counts.class_sizes > 0) & (counts.class_sizes < counts.documents)).any():
        table = ts.score(counts, "bns").table()
        total = table["tp"] + table["fp"] + table["fn"] + table["tn"]
        assert (total == counts.documents).all()
        assert (table["tp"] == counts.df.toarray().ravel()).all()
