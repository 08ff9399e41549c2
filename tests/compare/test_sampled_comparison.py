"""Files larger than memory: a described sample, and naive Bayes fitted to all documents."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB

import termsift as ts
from compared_texts import selected_terms
from saved_models import TOPICS
from termsift._internal.resources import parse_memory_size
from termsift.compare.run import extrapolate_gains
from termsift.engines import documents as sampling
from termsift.engines.documents import choose_sample_limit


@pytest.fixture
def corpus(tmp_path):
    lot = np.random.default_rng(0)
    names = list(TOPICS)
    rows = []
    for i in range(600):
        own, other = (TOPICS[names[j % 3]].split() for j in (i, i + 1))
        words = [*lot.choice(own, 5), *lot.choice(other, 3), *(f"w{n}" for n in lot.integers(0, 50, 4))]
        rows.append({"text": " ".join(words), "label": names[i % 3], "author": i % 40})
    (tmp_path / "mail.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return tmp_path / "mail.jsonl", rows


@pytest.fixture
def little(monkeypatch):
    """A third of the corpus fits."""
    monkeypatch.setattr(sampling, "MIN_TEXT_BYTES", 10_000)
    monkeypatch.setattr(sampling, "MEMORY_PER_TEXT_BYTE", 10**12)


QUICK = {"metrics": "ig", "k": [15], "folds": 2, "repeats": 1}


def test_the_first_sentence_describes_the_sample(corpus, little):
    path, _ = corpus
    found = ts.compare(path, memory="1GB", classifiers=["svm"], **QUICK)
    size = len(found.documents)
    assert sum(len(text) for text in found.documents.texts) <= 10_000
    assert found.answer[0].startswith(
        f"Compared on a stratified sample of {size} of 600 documents, limited by 1.0 GB of memory; the "
        "learning curve predicts about +0."
    )
    assert found.answer[1].startswith("Use ")
    assert json.loads(found.to_json())["answer"][0] == found.answer[0]


def test_naive_bayes_is_fitted_to_all_documents(corpus, little, tmp_path):
    path, rows = corpus
    found = ts.compare(path, memory="1GB", classifiers=["multinomial_nb"], **QUICK)
    found.save(tmp_path / "model")
    model = ts.load_model(tmp_path / "model")
    texts, labels = ([row[name] for row in rows] for name in ("text", "label"))
    plain = MultinomialNB().fit(model.count_terms(texts), labels)
    assert np.allclose(model.predict_proba(texts), plain.predict_proba(model.count_terms(texts)))


@pytest.mark.parametrize(
    ("analyzer", "has_all"), [(CountVectorizer(lowercase=False), True), (str.split, False)]
)
def test_other_analyzers_count_all_documents_like_the_sample_or_none(corpus, little, analyzer, has_all):
    path, rows = corpus
    found = ts.compare(path, memory="1GB", classifiers=["multinomial_nb"], analyzer=analyzer, **QUICK)
    fitted = found.models[0]
    documents = rows if has_all else []
    texts = [row["text"] for row in documents] or found.documents.texts
    labels = [row["label"] for row in documents] or found.documents.labels.labels_per_document
    counted = CountVectorizer(
        lowercase=False, vocabulary=selected_terms(fitted), **({} if has_all else {"analyzer": analyzer})
    ).transform(texts)
    plain = MultinomialNB().fit(counted, np.ravel(labels))
    assert np.allclose(
        fitted.model.probabilities(fitted.model.decision_values(counted)), plain.predict_proba(counted)
    )


def test_groups_are_sampled_with_their_documents(corpus, little):
    path, _ = corpus
    found = ts.compare(path, memory="1GB", classifiers=["multinomial_nb"], group="author", **QUICK)
    assert found.answer[0].startswith("Compared on a stratified sample of ")


def test_a_corpus_that_fits_is_not_sampled(corpus):
    path, _ = corpus
    found = ts.compare(path, classifiers=["multinomial_nb"], **QUICK)
    assert len(found.documents) == 600
    assert found.answer[0].startswith("Use ")


def test_a_budget_bounds_the_sample():
    assert choose_sample_limit("100GB", 1, 0, 0.0).size == 2e6
    assert choose_sample_limit("100GB", 1, 0, 0.0).memory is None
    assert choose_sample_limit(None, None, 0, 0.0).until is None
    assert choose_sample_limit("100GB", 1000, 0, 5.0).until == pytest.approx(405)


def test_a_sample_cut_by_the_budget_is_described(corpus, little, monkeypatch):
    path, _ = corpus
    monkeypatch.setattr("termsift.engines.files.columns.BATCH_BYTES", 4000)
    monkeypatch.setattr(sampling, "READ_SHARE", 0.0)
    found = ts.compare(path, budget=600, classifiers=["multinomial_nb"], **QUICK)
    assert " of the first " in found.answer[0]


@pytest.mark.parametrize(
    ("values", "times", "gains"),
    [
        ([0.6, 0.8, 0.9], 2, (0.05, 0.05)),
        ([0.6, 0.8, 0.9], 8, (0.05, 0.0875)),
        ([0.8, 0.8, 0.8], 100, (0, 0)),
        ([0.5, 0.7, 0.9], 1000, (0.1, 0.1)),
        ([0.9, 0.8, 0.7], 100, (0, 0)),
    ],
)
def test_learning_curve_gains_shrink_by_a_constant_ratio(values, times, gains):
    assert extrapolate_gains(values, times) == pytest.approx(gains)


@pytest.mark.parametrize("given", ["", "many", "0", "-1GB", "1XB", True, "nan"])
def test_an_invalid_memory_size_is_an_error(given, corpus):
    with pytest.raises(ts.InvalidInputError, match="memory must be a number of bytes or a size such as"):
        ts.compare(corpus[0], memory=given, **QUICK)


def test_memory_sizes_with_units_are_parsed():
    assert parse_memory_size("500 mb") == 5e8
    assert parse_memory_size(2**30) == 2**30
