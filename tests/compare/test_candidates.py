"""Every candidate can be named, evaluated, and saved as plain scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn
import skops.io as sio
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import ComplementNB
from sklearn.utils.fixes import parse_version

import termsift as ts
from compared_texts import several, topical
from termsift.compare.candidates import (
    UNLIMITED,
    Candidate,
    CandidateFamily,
    cluster_membership,
    evaluate_family,
    parse_ranker,
)
from termsift.compare.documents import ngram_analyzer, represent_documents
from termsift.compare.final_model import fit_candidate
from termsift.counts.labels import as_labels
from termsift.evaluation.classifiers.catalogue import parse_classifier
from termsift.evaluation.goals import GOALS
from termsift.evaluation.splits import Fold
from termsift.text.analyzer import DEFAULT_ANALYZER

CANDIDATES = (
    ("md", "multinomial_nb"), ("md_chi2", "complement_nb"), ("gu", "svm:binary"),
    ("greedy", "multinomial_nb:binary"), ("bns", "multinomial_nb:smooth_all"),
    ("ig", "multinomial_nb:all_terms"), ("bns:per_class", "multinomial_nb_tuned:all_terms"),
    ("bns", "multinomial_nb:length"), ("cc:combined_per_class", "multinomial_nb:length"),
    ("sig:combined", "svm"), ("class_weights", "multinomial_nb"), ("class_weights", "complement_nb"),
    ("class_weights", "svm"), ("divisive(8)", "multinomial_nb"), ("divisive(5)", "complement_nb"),
    ("bns", "svm:bns"), ("ig:round_robin", "svm:igm"), ("ig:cmim", "complement_nb:binary"),
    ("ig:significant", "logistic"), ("bns:per_class", "complement_nb"), ("bns:per_class", "svm:bns"),
    ("bns@1-2", "svm"), ("all@chars3-4", "complement_nb"), ("all", "logistic:bns"),
    ("bns", "multinomial_nb_tuned"), ("all", "complement_nb_tuned"), ("ig", "svm_tuned:bns"),
    ("cc:combined_per_class", "multinomial_nb"), ("cc:combined_per_class", "svm"),
    ("cc:combined", "logistic_tuned"), ("class_weights", "svm_tuned"),
    ("bns:per_class", "complement_nb_tuned"),
    ("bns:per_class", "svm_tuned"),
)  # fmt: skip


@pytest.fixture(scope="module")
def documents():
    return ts.compare(*topical(24), metrics="ig", k=[3], classifiers="multinomial_nb", repeats=1).documents


def predict_labels(pipeline, texts):
    """Predict; ties give the first class, for which scikit-learn before 1.8 takes the last."""
    first = parse_version(sklearn.__version__) >= parse_version("1.8")
    if first or not isinstance(pipeline[-1], OneVsRestClassifier):
        return pipeline.predict(texts)
    return pipeline[-1].classes_[np.argmax(pipeline.decision_function(texts), axis=1)]


@pytest.mark.parametrize(("method", "classifier"), CANDIDATES)
def test_a_saved_candidate_predicts_as_it_was_evaluated(documents, method, classifier):
    """Fitted to the training set, it has the accuracy of the fold on the test set."""
    ranker, classifier = parse_ranker(method, True), parse_classifier(classifier)
    read = represent_documents(documents, [ranker.representation], n_jobs=1)[ranker.representation]
    train, test = np.flatnonzero(np.arange(72) % 4), np.flatnonzero(np.arange(72) % 4 == 0)
    k = UNLIMITED if ranker.uses_all_terms else 12
    fold = Fold.from_indices(read, train, test).with_train_terms()
    result = evaluate_family(CandidateFamily(ranker, classifier, (k,)), fold, [GOALS["accuracy"]], 12)
    model = fit_candidate(read.take(train), Candidate(ranker, classifier, k), 12, 0)
    content = sio.dumps(model.build_pipeline())
    assert not sio.get_untrusted_types(data=content)
    predicted = predict_labels(sio.loads(content), [read.texts[i] for i in test])
    right = np.sum(predicted == np.array(read.labels.labels_per_document)[test].ravel())
    assert right == result.fold_results[0].confusion.exact_matches[0, 0]


@pytest.mark.parametrize("name", ["class_weights", "divisive(4)"])
def test_features_of_multilabel_documents_can_be_saved(name):
    texts, labels = several(60)
    found = ts.compare(
        texts, labels, metrics=name, k=[3], classifiers="multinomial_nb", repeats=1, racing=False
    )
    candidate = next(c for c in found.results.candidates if c.ranker.name == name)
    pipeline = fit_candidate(found.documents, candidate, 3, 0).build_pipeline()
    truth = found.documents.truth
    assert np.mean(pipeline.predict(texts) == truth) > np.mean(truth == (truth.mean(axis=0) > 0.5))


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("divisive", "divisive(200)"),
        ("divisive( 7 )", "divisive(7)"),
        ("ngl:round_robin@1-2", "cc:round_robin@1-2"),
        ("class_weights@chars3-5", "class_weights@chars3-5"),
    ],
)
def test_a_ranker_prints_as_it_is_written(written, printed):
    assert parse_ranker(written, True).name == printed
    assert parse_ranker(printed, True).name == printed


@pytest.mark.parametrize("written", ["svm:bns", "multinomial_nb:binary", "logistic:igm", "complement_nb"])
def test_a_classifier_prints_as_it_is_written(written):
    assert parse_classifier(written).name == written


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": "bns@"}, "after the @ of a method, write 1-2"),
        ({"metrics": "bns@words"}, "after the @ of a method, write 1-2"),
        ({"metrics": "class_weights(3)"}, "class_weights takes no options"),
        ({"metrics": "divisive(0)"}, "the number of clusters must be at least 1, got 0"),
        ({"metrics": "divisive(k=3)"}, "divisive takes only the number of clusters"),
        ({"metrics": "divisive(3"}, "cannot parse"),
        ({"classifiers": "multinomial_nb:bns"}, "no representation for multinomial_nb named 'bns'"),
        ({"classifiers": "svm:nonsense"}, "no metric named 'nonsense'"),
        ({"classifiers": "svn:bns"}, "no classifier named 'svn'; did you mean 'svm'"),
    ],
)
def test_an_invalid_candidate_is_an_error(options, message):
    with pytest.raises((ts.InvalidInputError, ts.UnknownNameError), match=message):
        ts.compare(*topical(6), **options)


def test_representations_need_texts():
    with pytest.raises(ts.InvalidInputError, match="@1-2 needs texts, but the data are counts"):
        ts.compare(np.eye(12), [0, 1] * 6, metrics="bns@1-2")


def test_representations_need_an_analyzer():
    with pytest.raises(ts.InvalidInputError, match="@1-2 needs the default analyzer"):
        ts.compare(*topical(6), metrics="bns@1-2", analyzer=str.split)


def test_a_representation_keeps_the_settings_of_the_analyzer():
    own = ts.Analyzer(lowercase=False, stop_words=["the"])
    assert ngram_analyzer(own, "2")("The cat saw the cat") == ["The cat", "cat saw", "saw cat"]
    assert ngram_analyzer(own, "chars3")("The") == [" Th", "The", "he "]
    assert ngram_analyzer(DEFAULT_ANALYZER, "1-2").ngram_range == (1, 2)


def test_complement_naive_bayes_equals_scikit_learn(documents):
    fold = Fold.from_indices(documents, np.arange(10, 72), np.arange(10)).with_train_terms()
    ranking = parse_ranker("ig", True).rank(fold, 20)
    margins = parse_classifier("complement_nb").decision_values(fold, ranking, np.array([5, 20]))
    for size, own in zip((5, 20), margins, strict=True):
        chosen = ranking.terms_at_size(size)
        model = ComplementNB().fit(fold.train.rows[:, chosen], fold.train.target)
        assert np.allclose(own, model.predict_joint_log_proba(fold.test[:, chosen]))


def test_there_are_at_most_as_many_clusters_as_class_profiles():
    counts = ts.count(["a1 b1", "c1 d1", "e1 e1"], ["x", "y", "z"])
    assert cluster_membership(10, counts).shape == (5, 3)


def test_a_class_without_training_documents_is_never_predicted():
    rows = np.array([[2, 0], [1, 0], [0, 1], [0, 2]])
    from scipy.sparse import csr_array

    from termsift.engines.documents import Documents

    documents = Documents(csr_array(rows), as_labels(["a", "a", "b", "c"]), np.arange(2))
    fold = Fold.from_indices(documents, np.arange(3), np.array([3]))
    ranking = parse_ranker("all", True).rank(fold, 2)
    assert parse_classifier("complement_nb").decision_values(fold, ranking, np.array([2]))[0, 0, 2] == -np.inf
