"""Exported pipelines and explanations of linear pipelines: equal to scikit-learn on random corpora."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

import termsift as ts
from random_models import CORPORA, OTHER_ANALYZERS, answers, difference, random_models
from saved_models import saved, topic_texts


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, CORPORA, 50))
def test_exported_pipelines_of_random_corpora_equal_their_models(start, tmp_path, monkeypatch):
    if start % 100:
        # by kernels, which texts this short do not need
        monkeypatch.setenv("TERMSIFT_COMPILED_FROM", "0")
    for seed, model, texts in random_models(start, start + 50, tmp_path):
        assert difference(answers(model, texts), model.to_sklearn()) is None, seed


@pytest.mark.slow
@pytest.mark.parametrize("start", [0, 50])
def test_models_that_cannot_be_exported_equal_a_pipeline_with_their_tokens(start, tmp_path, monkeypatch):
    monkeypatch.setenv("TERMSIFT_COMPILED_FROM", "0")
    for seed, model, texts in random_models(start, start + 50, tmp_path, OTHER_ANALYZERS):
        with pytest.raises(ts.InvalidInputError, match="cannot be exported"):
            model.to_sklearn()
        tokens = CountVectorizer(analyzer=model.analyzer, vocabulary=model.terms.tolist())
        pipeline = make_pipeline(
            tokens, *(step for _, step in replace(model, analyzer=None).to_sklearn().steps)
        )
        assert difference(answers(model, texts), pipeline) is None, seed


def test_the_plain_pattern_is_exported_if_the_training_texts_allow_it(tmp_path):
    model = saved(tmp_path / "plain")
    assert model.plain_words
    assert model.to_sklearn()[0].token_pattern == r"(?u)\b\w\w+\b"
    texts, labels = topic_texts()
    found = ts.compare(
        [*texts, "東京 soup"], [*labels, "cook"], metrics="ig", k=[9], classifiers="svm", folds=2, repeats=1
    )
    assert not found.model.plain_words
    assert len(found.model.to_sklearn()[0].token_pattern) > 10_000


@pytest.mark.parametrize(
    ("options", "name"),
    [({"stemmer": "english"}, "stemmer"), ({"html": True}, "html"), ({"normalize": "NFC"}, "normalize")],
)
def test_options_that_countvectorizer_lacks_are_refused(tmp_path, options, name):
    model = saved(tmp_path / "model", analyzer=ts.Analyzer(words="auto", **options))
    with pytest.raises(
        ts.InvalidInputError, match=f"cannot be exported, because CountVectorizer has no {name}"
    ):
        model.to_sklearn()


PIPELINES = {
    "tf-idf, svm": make_pipeline(TfidfVectorizer(), LinearSVC()),
    "counts, naive Bayes": make_pipeline(CountVectorizer(), MultinomialNB()),
    "complement": make_pipeline(ts.TermVectorizer(), ComplementNB()),
    "absent words count": make_pipeline(CountVectorizer(binary=True), BernoulliNB()),
    "selected": make_pipeline(
        CountVectorizer(ngram_range=(1, 2)), SelectKBest(chi2, k=9), LogisticRegression()
    ),
    "weighed later": make_pipeline(
        CountVectorizer(), TfidfTransformer(sublinear_tf=True), SGDClassifier(random_state=0)
    ),
    "one against the rest": make_pipeline(TfidfVectorizer(), OneVsRestClassifier(LogisticRegression())),
}


@pytest.mark.parametrize("name", PIPELINES)
@pytest.mark.parametrize("two", [False, True], ids=["three classes", "two classes"])
def test_contributions_of_a_linear_pipeline_add_up(name, two):
    texts, labels = topic_texts()
    labels = [label if label == "cook" or not two else "rest" for label in labels]
    pipeline = PIPELINES[name].fit(texts, labels)
    for text in texts[:5]:
        (why,) = ts.explain(pipeline, text)
        assert why.labels == (pipeline.predict([text])[0],) == (why.name,)
        other = next(label for label in pipeline.classes_ if label != why.name)
        (against,) = ts.explain(pipeline, text, why.name, reference=other)
        if hasattr(pipeline, "decision_function"):
            values = np.asarray(pipeline.decision_function([text]))[0]
            values = values if np.ndim(values) else np.array([-values, values])
            c, d = (list(pipeline.classes_).index(label) for label in (why.name, other))
            assert why.decision_value == pytest.approx(values[c])
            assert against.decision_value == pytest.approx(values[c] - values[d])
        else:
            joint = pipeline[-1].predict_joint_log_proba(pipeline[:-1].transform([text]))[0]
            c, d = (list(pipeline.classes_).index(label) for label in (why.name, other))
            # with two classes, one decision value is the negative of the other
            assert against.decision_value / (2 if two else 1) == pytest.approx(joint[c] - joint[d])
        assert why.words["contribution"].sum() + why.intercept == pytest.approx(why.decision_value)
        assert {text[start:end] for start, end, _ in why.marks} <= set(text.split()) | set(why.words["term"])


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        (make_pipeline(CountVectorizer(), KNeighborsClassifier()), "KNeighborsClassifier is not linear"),
        (make_pipeline(CountVectorizer(), SVC()), "SVC is not linear"),
        (make_pipeline(HashingVectorizer(), LinearSVC()), "the first step must be a CountVectorizer"),
        (
            make_pipeline(CountVectorizer(), TruncatedSVD(3), LinearSVC()),
            "features of TruncatedSVD are not terms",
        ),
    ],
    ids=["neighbours", "kernel", "hashes", "components"],
)
def test_pipelines_that_are_not_sums_over_words_are_refused(pipeline, message):
    pipeline.fit(*topic_texts())
    with pytest.raises(ts.InvalidInputError, match=message):
        ts.explain(pipeline, "soup")


def test_the_page_of_a_pipeline_names_the_intercept_and_both_directions():
    texts, labels = topic_texts()
    pipeline = make_pipeline(TfidfVectorizer(), LinearSVC()).fit(texts, labels)
    (why,) = ts.explain(pipeline, "soup bread oil wheel", "cook")
    page = why.to_html()
    assert '<mark class="positive"' in page
    assert '<mark class="negative"' in page
    assert '<td class="signed positive"' in page
    assert '<td class="signed negative"' in page
    assert f"The intercept, {why.intercept:+.4f}, is the decision value of an empty document." in page
