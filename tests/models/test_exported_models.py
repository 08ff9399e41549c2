"""Exported pipelines and explanations of linear pipelines: equal to scikit-learn on random corpora."""

from __future__ import annotations

import random

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
from saved_models import saved, topic_texts
from termsift.compare.candidates import UNLIMITED, Candidate, parse_ranker
from termsift.compare.documents import prepare_documents
from termsift.compare.final_model import fit_candidate
from termsift.engines import load_documents
from termsift.evaluation import parse_goals
from termsift.evaluation.classifiers import parse_classifiers

CORPORA = 500
CLASSIFIERS = (
    "svm", "logistic", "svm_balanced", "logistic_balanced", "multinomial_nb", "complement_nb", "svm:binary",
    "multinomial_nb:binary", "svm:bns", "logistic:ig", "svm_tuned", "multinomial_nb_tuned",
    "complement_nb_tuned", "multinomial_nb:all_terms", "multinomial_nb:length",
)  # fmt: skip
RANKERS = ("ig", "bns", "all", "bns:per_class", "class_weights", "divisive(3)", "chi2:round_robin")
ANALYZERS = [
    {},
    {"ngram_range": (1, 2)},
    {"analyzer": "char_wb", "ngram_range": (2, 3)},
    {"analyzer": "char", "ngram_range": (2, 2)},
    {"stop_words": ["aa", "the"], "strip_accents": "unicode"},
    {"words": "sklearn", "token_pattern": "[a-z]+", "lowercase": False},
    {"words": "unicode"},
]
ALPHABETS = ["ab", "abc ", "aé", "ab" + "\u0301", "a東京"]


def random_corpus(seed):
    """Texts of random words, labels, and settings."""
    rng = random.Random(seed)
    alphabet = rng.choice(ALPHABETS)
    words = ["".join(rng.choices(alphabet, k=rng.randint(1, 4))) for _ in range(12)]
    classes = ["x", "y", "z"][: rng.choice([2, 3])]
    several = rng.random() < 0.3
    texts, labels = [], []
    for i in range(rng.randint(16, 30)):
        own = classes[i % len(classes)]
        weights = [3 if j % len(classes) == i % len(classes) else 1 for j in range(len(words))]
        texts.append(" ".join(rng.choices(words, weights, k=rng.randint(1, 12))))
        labels.append([own, *rng.choices(classes, k=rng.randint(0, 1))] if several else own)
    labels = [list(dict.fromkeys(names)) if several else names for names in labels]
    settings = {"words": "auto"} | rng.choice(ANALYZERS)
    return rng, texts, labels, ts.Analyzer(**settings), words


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, CORPORA, 50))
def test_exported_pipelines_of_random_corpora_equal_their_models(start, tmp_path):
    for seed in range(start, start + 50):
        rng, texts, labels, analyzer, words = random_corpus(seed)
        try:
            documents = prepare_documents(load_documents(texts, labels), analyzer=analyzer)
        except ts.InvalidInputError:
            continue  # no terms, or a class of a single document
        (classifier,) = parse_classifiers([rng.choice(CLASSIFIERS)], parse_goals("f1_macro")[0])
        names = [name for name in RANKERS if documents.is_single or not name.startswith("divisive")]
        ranker = parse_ranker(rng.choice(names), documents.is_single)
        k = UNLIMITED if ranker.uses_all_terms else rng.randint(2, 9)
        fitted = fit_candidate(documents, Candidate(ranker, classifier, k), 9, 0)
        model = ts.load_model(fitted.text_model({}).save(tmp_path / f"{seed}"))
        new = [*texts, "", *(" ".join(rng.choices(words, k=5)) for _ in range(9))]
        pipeline, values = model.to_sklearn(), model.decision_function(new)
        expected = np.asarray(pipeline.decision_function(new))
        if expected.ndim == 1 and len(model.classes) == 2:
            expected = np.stack([-expected, expected], axis=1)
        assert np.abs(values - expected.reshape(values.shape)).max() < 1e-9, seed
        predicted = pipeline.predict(new)
        if model.is_multilabel:
            predicted = [[model.classes[c] for c in np.flatnonzero(row)] for row in predicted]
        # equal decision values differ by rounding
        gaps = np.sort(values, axis=1)
        is_clear = (
            np.abs(values).min(axis=1) > 1e-9 if model.is_multilabel else gaps[:, -1] - gaps[:, -2] > 1e-9
        )
        agree = [
            list(a) == list(b) if model.is_multilabel else a == b
            for a, b in zip(model.predict(new), predicted, strict=True)
        ]
        assert np.all(np.array(agree)[is_clear]), seed


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
