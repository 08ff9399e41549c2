"""A selection is a sequence of terms that exports to a vectorizer and to JSON."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import issparse
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.pipeline import make_pipeline

import termsift as ts

TEXTS = ["free prize prize", "free lunch", "lunch today", "a free & FREE 中文", "today a prize"]
LABELS = ["spam", "ham", "ham", "spam", "spam"]
COUNTS = ts.count(TEXTS, LABELS)
CHOSEN = ts.select(COUNTS, "bns", ts.TopK(3))


def test_lone_surrogates_are_escaped_in_json(tmp_path):
    counts = ts.count(np.eye(2, dtype=int), [0, 1], terms=["\ud800", "b"])
    chosen = ts.select(counts, "bns", ts.TopK(2))
    chosen.to_json(tmp_path / "chosen.json")
    assert ts.Selection.from_json(tmp_path / "chosen.json") == chosen


class TestSequence:
    def test_a_selection_is_the_sequence_of_its_terms(self):
        assert list(CHOSEN) == CHOSEN.terms == ["lunch", "prize", "中文"]
        assert len(CHOSEN) == 3
        assert CHOSEN[0] == "lunch"
        assert CHOSEN[-2:] == ["prize", "中文"]
        assert "prize" in CHOSEN
        assert CHOSEN.index("中文") == 2

    def test_a_selection_equals_a_list_of_the_same_terms(self):
        same = ["lunch", "prize", "中文"]
        assert same == CHOSEN
        assert same == CHOSEN
        assert tuple(same) == CHOSEN
        assert ts.select(COUNTS, "bns", "TopK(3)") == CHOSEN
        assert CHOSEN != ["prize", "lunch", "中文"]
        assert CHOSEN != 3
        assert len({CHOSEN, ts.select(COUNTS, "bns", ts.TopK(3))}) == 1

    def test_printing_lists_the_first_terms_and_counts_the_others(self):
        assert repr(CHOSEN) == "Selection(['lunch', 'prize', '中文'], bns, TopK(k=3))"
        many = ts.select(ts.count(np.eye(30, dtype=int), np.arange(30) % 2), "bns", ts.TopK(12))
        assert repr(many).endswith("... 2 more], bns, TopK(k=12))")
        assert "<table>" in CHOSEN._repr_html_()

    def test_metric_policy_and_analyzer_are_stored(self):
        assert CHOSEN.metric == "bns"
        assert CHOSEN.policy == ts.TopK(3)
        assert CHOSEN.analyzer == ts.Analyzer(words="auto")
        assert list(COUNTS.terms[CHOSEN.indices]) == CHOSEN.terms
        assert CHOSEN.scores.values.shape == (len(COUNTS.terms),)

    def test_a_selection_without_terms_is_an_empty_sequence(self):
        nothing = ts.select(COUNTS, "chi2", ts.Threshold(1e9))
        assert nothing == []
        assert not nothing
        assert ts.Selection.from_json(nothing.to_json()) == []
        with pytest.raises(ts.InvalidInputError, match="no terms were selected"):
            nothing.to_vectorizer()

    def test_a_selection_can_be_pickled(self):
        again = pickle.loads(pickle.dumps(CHOSEN))
        assert again == CHOSEN
        assert again.policy == CHOSEN.policy


class TestRows:
    def test_one_score_per_term(self):
        rows = list(CHOSEN.table())
        assert [row["rank"] for row in rows] == [1, 2, 3]
        assert rows[0]["term"] == "lunch"
        assert rows[0]["df"] == 2
        best = np.asarray(ts.score(COUNTS, "bns", reduce="max"))[CHOSEN.indices]
        assert CHOSEN.table()["score"].tolist() == best.tolist()
        assert "class" not in CHOSEN.table().columns

    def test_scores_of_classes_give_the_largest_and_its_class(self):
        chosen = ts.select(COUNTS, "cc", ts.RoundRobin(4))
        scores = ts.score(COUNTS, "cc")
        for row, index in zip(chosen.table(), chosen.indices, strict=True):
            assert row["score"] == scores.values[index].max()
            assert row["score"] == scores.column(row["class"])[index]


class TestVectorizer:
    def test_vectorizer_counts_equal_the_counted_occurrences(self):
        plain = CHOSEN.to_vectorizer()
        assert type(plain) is CountVectorizer
        assert (
            plain.transform(TEXTS).toarray().sum(axis=0).tolist() == COUNTS.term_tf[CHOSEN.indices].tolist()
        )

    def test_the_vectorizer_has_the_settings_of_the_analyzer(self):
        analyzer = ts.Analyzer(lowercase=False, ngram_range=(1, 2), stop_words=["a"], token_pattern=r"\w+")
        counts = ts.count(TEXTS, LABELS, analyzer=analyzer)
        chosen = ts.select(counts, "chi2", ts.TopK())
        assert chosen.analyzer == analyzer
        found = chosen.to_vectorizer().transform(TEXTS).toarray().sum(axis=0)
        assert found.tolist() == counts.term_tf[chosen.indices].tolist()

    def test_an_analyzer_unknown_to_count_vectorizer_is_an_error(self):
        chosen = ts.select(ts.count(TEXTS, LABELS, analyzer=str.split), "chi2", ts.TopK(2))
        assert chosen.analyzer == "builtins.str.split"
        with pytest.raises(
            ts.InvalidInputError,
            match=r"cannot reproduce the analyzer builtins\.str\.split; pass",
        ):
            chosen.to_vectorizer()
        given = CountVectorizer(analyzer=str.split).fit(TEXTS)
        assert list(chosen.to_vectorizer(given).get_feature_names_out()) == chosen

    def test_a_vectorizer_keeps_its_settings(self):
        given = CountVectorizer(binary=True, min_df=2, max_features=4).fit(TEXTS)
        plain = CHOSEN.to_vectorizer(given)
        assert plain.binary
        assert plain.transform(["prize prize"]).toarray().tolist() == [[0, 1, 0]]

    @pytest.mark.parametrize("norm", [None, "l1", "l2"])
    @pytest.mark.parametrize(
        "settings", [{}, {"sublinear_tf": True}, {"use_idf": False}, {"smooth_idf": False}]
    )
    def test_a_tfidf_vectorizer_gives_the_values_of_the_pipeline(self, norm, settings):
        vectorizer = TfidfVectorizer(norm=norm, **settings)
        model = make_pipeline(vectorizer, ts.TermSelector("bns", k=3)).fit(TEXTS, LABELS)
        names = list(model.get_feature_names_out())
        chosen = ts.select(ts.count(TEXTS, LABELS), "bns", ts.TopK(3))
        plain = chosen.to_vectorizer(vectorizer)
        place = [names.index(term) for term in plain.get_feature_names_out()]
        assert list(plain.get_feature_names_out()) == chosen
        new = [*TEXTS, "lunch lunch free words unseen", ""]
        found, expected = plain.transform(new), model.transform(new)
        assert issparse(found)
        np.testing.assert_allclose(found.toarray(), expected.toarray()[:, place], rtol=0, atol=1e-12)
        assert isinstance(plain, TfidfVectorizer) == (norm is None)

    def test_a_pickled_pipeline_does_not_need_termsift(self):
        plain = CHOSEN.to_vectorizer(TfidfVectorizer().fit(TEXTS))
        assert b"termsift" not in pickle.dumps(plain)

    def test_a_vectorizer_of_other_terms_is_an_error(self):
        with pytest.raises(ts.InvalidInputError, match="the vectorizer does not have the term 'lunch'"):
            CHOSEN.to_vectorizer(TfidfVectorizer().fit(["prize free"]))


class TestJson:
    POLICIES = (
        ts.TopK(2),
        ts.TopK(reduce="mean"),
        ts.Percentile(50.0, reduce="sum"),
        ts.RoundRobin(3),
        ts.PerClass(3),
        ts.PositiveNegative(3, 0.3),
    )

    @pytest.mark.parametrize("policy", POLICIES, ids=repr)
    def test_json_round_trip(self, policy, tmp_path):
        chosen = ts.select(COUNTS, "cc", policy)
        path = tmp_path / "selection.json"
        text = chosen.to_json(path)
        for again in (
            ts.Selection.from_json(text),
            ts.Selection.from_json(path),
            ts.Selection.from_json(str(path)),
        ):
            assert again == chosen
            assert again.indices.tolist() == chosen.indices.tolist()
            assert (again.metric, again.policy, again.analyzer) == (chosen.metric, policy, chosen.analyzer)
            assert list(again.table()) == list(chosen.table())
            assert again.scores is None
            assert again.to_json() == text

    @given(st.lists(st.text(min_size=1).filter(lambda t: t < "\ud800"), min_size=1, max_size=5, unique=True))
    def test_terms_of_any_characters_survive_the_round_trip(self, terms):
        X = np.eye(len(terms) + 1, len(terms), dtype=int)
        counts = ts.count(X, np.arange(len(terms) + 1) % 2, terms=terms)
        chosen = ts.select(counts, "df", ts.TopK())
        assert ts.Selection.from_json(chosen.to_json()) == chosen

    def test_json_has_format_policy_and_terms(self):
        content = json.loads(CHOSEN.to_json())
        assert content["termsift.selection"] == 2
        assert content["policy"] == "TopK(k=3)"
        assert content["term"] == CHOSEN.terms

    @pytest.mark.parametrize("text", ["{}", "{", '{"termsift.selection": "x"'])
    def test_rejects_other_text(self, text):
        with pytest.raises(ts.UnreadableFileError, match="the text is not a selection"):
            ts.Selection.from_json(text)

    def test_a_missing_file_and_other_formats_are_errors(self, tmp_path):
        with pytest.raises(ts.UnreadableFileError, match="there is no file"):
            ts.Selection.from_json(tmp_path / "none.json")
        later = CHOSEN.to_json().replace('"termsift.selection": 2', '"termsift.selection": 9')
        with pytest.raises(ts.UnreadableFileError, match="has format 9"):
            ts.Selection.from_json(later)
        earlier = later.replace('"termsift.selection": 9', '"termsift.selection": 1')
        with pytest.raises(ts.UnreadableFileError, match=r"has format 1 .* select and save the terms again"):
            ts.Selection.from_json(earlier)

    def test_documents_and_saved_counts_are_counted_first(self, tmp_path):
        frame = pd.DataFrame({"text": ["free prize", "prize lunch", "lunch"], "label": ["x", "y", "y"]})
        counts = ts.count(frame)
        frame.to_csv(tmp_path / "mail.csv", index=False)
        counts.save(tmp_path / "counts.parquet")
        for data in (frame, tmp_path / "mail.csv", tmp_path / "counts.parquet"):
            assert ts.select(data, "ig", k=2) == ts.select(counts, "ig", k=2)

    def test_a_user_policy_cannot_be_saved(self):
        class First:
            by_class = False

            def choose(self, scores):
                return np.arange(1)

        with pytest.raises(ts.InvalidInputError, match="is not a policy of termsift"):
            ts.select(COUNTS, "bns", First()).to_json()
