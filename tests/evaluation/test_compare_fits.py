"""What a comparison fits is what scikit-learn would fit, and folds are fair."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.sparse import csc_array, csr_array
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.feature_selection import SelectFromModel, SelectKBest, chi2
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

import termsift as ts
from compared_texts import several, topical
from termsift.compare.candidates import Candidate, parse_ranker, rank_candidate_terms, rank_fold_terms
from termsift.compare.documents import prepare_documents
from termsift.compare.final_model import fit_candidate
from termsift.counts.labels import as_labels
from termsift.engines import find_duplicate_pairs
from termsift.engines.inputs import load_documents
from termsift.evaluation.classifiers import linear as joint
from termsift.evaluation.classifiers.catalogue import (
    SklearnClassifier,
    available_classifiers,
    parse_classifier,
)
from termsift.evaluation.classifiers.linear import (
    LOGISTIC,
    SQUARED_HINGE,
    RankedRows,
    document_costs,
    l1_weights,
    linear_decision_values,
    log_count_ratios,
    normalize_rows,
    one_vs_rest_hinge_values,
)
from termsift.evaluation.splits import Fold, assign_stratified_folds

CLASSIFIERS = available_classifiers()


def gathered(texts, labels):
    return prepare_documents(load_documents(texts, labels), n_jobs=1)


def ranking_by(name, fold, most):
    return rank_fold_terms(parse_ranker(name, fold.train.labels.is_single_label), fold, most)


def margins_by(loss, fold, order, c, sizes, costs=None, tolerance=None):
    here, there = (RankedRows.from_columns(order, columns) for columns in fold.train_and_test_tfidf)
    loss = replace(loss, tolerance=tolerance or loss.tolerance)
    return linear_decision_values(loss, here, fold.train.truth[:, c], there, sizes, costs)


def l1_regression(**options):
    """Logistic regression with the L1 penalty, which scikit-learn 1.8 asks for in another way."""
    old = LogisticRegression().get_params()["penalty"] == "l2"
    how = {"penalty": "l1"} if old else {"l1_ratio": 1.0}
    return LogisticRegression(**how, solver="liblinear", random_state=0, **options)


def objective(columns, truth, w, C):
    """What is minimised with the L1 penalty, of the best bias for these weights."""
    y, f = np.where(truth, 1, -1), columns @ w

    def with_bias(bias):
        return np.abs(w).sum() + abs(bias) + C * np.logaddexp(0, -y * (f + bias)).sum()

    return minimize_scalar(with_bias, bracket=(-5, 5)).fun


def fold_of(documents, test_share=4):
    every = np.arange(len(documents))
    parts = every[every % test_share > 0], every[every % test_share == 0]
    return Fold.from_indices(documents, *parts).with_train_terms()


class TestFolds:
    @given(st.lists(st.sampled_from("abc"), min_size=6, max_size=60), st.integers(2, 5), st.integers(0, 3))
    @settings(max_examples=30)
    def test_classes_are_spread_evenly_over_folds(self, labels, folds, seed):
        numbers = assign_stratified_folds(as_labels(labels), folds, seed)
        for name in set(labels):
            own = np.bincount(numbers[np.array(labels) == name], minlength=folds)
            assert own.max() - own.min() <= 1
        assert np.ptp(np.bincount(numbers, minlength=folds)) <= len(set(labels))

    @given(st.lists(st.sets(st.sampled_from("abcd")), min_size=10, max_size=40), st.integers(2, 4))
    @settings(max_examples=30)
    def test_every_multilabel_document_has_a_fold(self, labels, folds):
        numbers = assign_stratified_folds(as_labels([sorted(names) for names in labels]), folds, 0)
        assert set(numbers) <= set(range(folds))
        assert np.ptp(np.bincount(numbers, minlength=folds)) <= len(labels) // 2

    def test_the_rarest_class_of_several_is_in_every_fold(self):
        labels = as_labels([["common", "rare"] if i < 4 else ["common"] for i in range(40)])
        assert sorted(assign_stratified_folds(labels, 4, 0)[:4]) == [0, 1, 2, 3]

    def test_folds_depend_on_the_seed_only(self):
        labels = as_labels(["a", "b"] * 30)
        folds = assign_stratified_folds(labels, 5, 1)
        assert np.array_equal(folds, assign_stratified_folds(labels, 5, 1))
        assert not np.array_equal(folds, assign_stratified_folds(labels, 5, 2))

    def test_terms_only_in_test_documents_are_dropped(self):
        documents = gathered(["a1 b2", "a1 c3", "b2 only", "only"], ["x", "y", "y", "x"])
        fold = Fold.from_indices(documents, np.array([0, 1]), np.array([2, 3])).with_train_terms()
        assert list(fold.train.counts.terms) == ["a1", "b2", "c3"]


@pytest.fixture(scope="module")
def fold():
    return fold_of(gathered(*topical(40)))


class TestPaths:
    """A path of nested selections gives what a fit of each selection gives."""

    def selected(self, fold, order, size):
        chosen = order[:size]
        weigh = TfidfTransformer(sublinear_tf=True).fit(fold.train.rows[:, chosen])
        return weigh.transform(fold.train.rows[:, chosen]), weigh.transform(fold.test[:, chosen])

    def test_naive_bayes(self, fold):
        ranking, sizes = ranking_by("ig", fold, 50), np.array([3, 10, 50])
        margins = CLASSIFIERS["multinomial_nb"].decision_values(fold, ranking, sizes)
        for margin, size in zip(margins, sizes, strict=True):
            chosen = ranking.terms_at_size(size)
            model = MultinomialNB().fit(fold.train.rows[:, chosen], fold.train.target)
            ours = margin - np.logaddexp.reduce(margin, axis=1, keepdims=True)
            assert np.allclose(ours, model.predict_log_proba(fold.test[:, chosen]))

    def test_naive_bayes_of_a_class_against_the_rest(self, fold):
        ranking, sizes = ranking_by("ig:per_class", fold, 60), np.array([2, 20])
        margins = CLASSIFIERS["multinomial_nb"].decision_values(fold, ranking, sizes)
        for c, order in enumerate(ranking.orders):
            model = MultinomialNB().fit(fold.train.rows[:, order[:20]], fold.train.truth[:, c])
            log_odds = np.diff(model.predict_log_proba(fold.test[:, order[:20]]))[:, 0]
            assert np.allclose(margins[1, :, c], log_odds)

    def test_support_vector_machines(self, fold):
        order = ranking_by("chi2", fold, 40).orders[0]
        margins = margins_by(SQUARED_HINGE, fold, order, 1, np.array([5, 40]), tolerance=1e-7)
        for margin, size in zip(margins, (5, 40), strict=True):
            train, test = self.selected(fold, order, size)
            model = LinearSVC(tol=1e-9, max_iter=100_000).fit(train, fold.train.truth[:, 1])
            assert np.allclose(margin, model.decision_function(test), atol=1e-4)

    @pytest.mark.parametrize("block", [1, 2, 16])
    def test_support_vector_machines_of_all_classes_at_once(self, fold, block, monkeypatch):
        monkeypatch.setattr(joint, "MAX_BLOCK", block)
        order, sizes = ranking_by("chi2", fold, 40).orders[0], np.array([5, 40])
        lot, truth = np.random.default_rng(0), fold.train.truth
        costs, exact = lot.integers(0, 4, truth.shape) / 2, replace(SQUARED_HINGE, tolerance=1e-7)
        here, there = (RankedRows.from_columns(order, columns) for columns in fold.train_and_test_tfidf)
        margins = one_vs_rest_hinge_values(exact, here, truth, there, sizes, costs)
        for margin, size in zip(margins, sizes, strict=True):
            train, test = self.selected(fold, order, size)
            for c, own in enumerate(truth.T):
                model = LinearSVC(tol=1e-9, max_iter=100_000).fit(train, own, sample_weight=costs[:, c])
                assert np.allclose(margin[:, c], model.decision_function(test), atol=1e-4)

    def test_a_class_does_not_depend_on_those_fitted_with_it(self, fold):
        order, sizes = ranking_by("ig", fold, 40).orders[0], np.array([3, 10, 40])
        here, there = (RankedRows.from_columns(order, columns) for columns in fold.train_and_test_tfidf)
        truth, costs = fold.train.truth, np.ones(fold.train.truth.shape)
        every = one_vs_rest_hinge_values(SQUARED_HINGE, here, truth, there, sizes, costs)
        for c in range(fold.n_classes):
            alone = one_vs_rest_hinge_values(SQUARED_HINGE, here, truth[:, [c]], there, sizes, costs[:, [c]])
            assert np.array_equal(alone[:, :, 0], every[:, :, c])

    def test_logistic_regressions(self, fold):
        order = ranking_by("chi2", fold, 40).orders[0]
        margins = margins_by(
            LOGISTIC, fold, order, 0, np.array([5, 40]), costs=np.full(len(fold.train), 10.0), tolerance=1e-7
        )
        for margin, size in zip(margins, (5, 40), strict=True):
            train, test = self.selected(fold, order, size)
            model = LogisticRegression(C=10.0, solver="liblinear", tol=1e-9, max_iter=1000)
            found = model.fit(train, fold.train.truth[:, 0]).decision_function(test)
            assert np.allclose(margin, found, atol=1e-3)

    @pytest.mark.parametrize("balanced", [False, True])
    @pytest.mark.parametrize(
        ("loss", "made"),
        [
            (SQUARED_HINGE, lambda **how: LinearSVC(tol=1e-9, max_iter=100_000, **how)),
            (LOGISTIC, lambda **how: LogisticRegression(solver="liblinear", tol=1e-9, max_iter=1000, **how)),
        ],
        ids=["svm", "logistic"],
    )
    def test_document_costs_equal_the_weights_of_scikit_learn(self, fold, loss, made, balanced):
        order, truth = ranking_by("chi2", fold, 40).orders[0], fold.train.truth[:, 1]
        own = np.zeros(0) if balanced else np.random.default_rng(0).integers(0, 4, len(truth)) / 2
        costs = document_costs(1.0, own, truth, balanced)
        (margin,) = margins_by(loss, fold, order, 1, np.array([40]), costs=costs, tolerance=1e-7)
        train, test = self.selected(fold, order, 40)
        model = made(class_weight="balanced") if balanced else made()
        model.fit(train, truth, sample_weight=None if balanced else own)
        assert np.allclose(margin, model.decision_function(test), atol=1e-3)

    def test_decision_value_of_a_document_without_terms_is_the_bias(self):
        documents = gathered(["a1 b2", "a1 c3", "d4 e5", "d4 b2", "zz yy"], ["x", "x", "y", "y", "x"])
        fold = Fold.from_indices(documents, np.arange(4), np.array([4])).with_train_terms()
        for loss in (SQUARED_HINGE, LOGISTIC):
            assert np.isfinite(margins_by(loss, fold, np.array([0]), 0, np.array([1]))).all()

    @pytest.mark.parametrize("name", ["multinomial_nb", "svm", "logistic"])
    def test_class_without_training_documents_is_never_predicted(self, name):
        texts, labels = topical(6)
        documents = gathered([*texts, "ship only"], [*labels, "zoo"])
        every = np.arange(len(labels) + 1)
        fold = Fold.from_indices(documents, every[:-1], every[-1:]).with_train_terms()
        for way in ("ig", "ig:per_class"):
            margins = CLASSIFIERS[name].decision_values(fold, ranking_by(way, fold, 20), np.array([5]))
            assert margins[0, 0, 3] == -np.inf


class TestModels:
    """The model that is saved decides as the one that was measured."""

    @pytest.mark.parametrize("name", ["multinomial_nb", "svm", "logistic"])
    @pytest.mark.parametrize("method", ["bns", "bns:round_robin", "ig:per_class", "cc:combined", "l1", "all"])
    @pytest.mark.parametrize("texts_of", [topical, several], ids=["one label", "several labels"])
    def test_fitted_to_all_documents(self, name, method, texts_of):
        self.check_agreement(gathered(*texts_of(30)), name, method)

    @pytest.mark.parametrize("name", ["multinomial_nb", "svm", "logistic"])
    @pytest.mark.parametrize("method", ["bns", "ig:per_class"])
    @pytest.mark.parametrize("texts_of", [topical, several], ids=["one label", "several labels"])
    def test_fitted_with_sample_weights(self, name, method, texts_of):
        documents = gathered(*texts_of(30))
        weights = np.random.default_rng(0).integers(0, 4, len(documents)).astype(float)
        self.check_agreement(replace(documents, weights=weights), name, method)

    @pytest.mark.parametrize("method", ["bns", "ig:per_class", "cc:combined"])
    @pytest.mark.parametrize("texts_of", [topical, several], ids=["one label", "several labels"])
    def test_nbsvm_fitted_to_all_documents(self, method, texts_of):
        self.check_agreement(gathered(*texts_of(30)), "nbsvm", method)

    def test_nbsvm_of_two_classes_multiplies_rows_of_unit_length_by_log_count_ratios(self):
        """Wang and Manning (2012), by scikit-learn."""
        documents = gathered(*topical(40, classes=("sea", "farm")))
        fold = fold_of(documents)
        order = ranking_by("ig", fold, 40).orders[0][:40]
        values = CLASSIFIERS["nbsvm"].decision_values(fold, ranking_by("ig", fold, 40), np.array([10, 40]))
        truth, present = fold.train.truth[:, 1], fold.train.rows.toarray() > 0
        inside, outside = (1 + present[member].sum(axis=0) for member in (truth, ~truth))
        ratios = np.log((inside / inside.sum()) / (outside / outside.sum()))
        weights = TfidfTransformer(norm=None, sublinear_tf=True).fit(fold.train.rows)
        for step, size in enumerate((10, 40)):
            chosen = order[:size]
            rows = [weights.transform(rows).toarray()[:, chosen] for rows in (fold.train.rows, fold.test)]
            rows = [X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-12) for X in rows]
            train, test = (X * ratios[chosen] for X in rows)
            expected = LinearSVC(tol=1e-6, max_iter=100_000, random_state=0).fit(train, truth)
            assert np.allclose(values[step, :, 1], expected.decision_function(test), atol=0.02)
            assert np.allclose(values[step, :, 0], -values[step, :, 1])

    def test_nbsvm_converges_with_long_rows(self):
        """Ratios of a rare class make rows longer than 1, and one step of the descent shorter."""
        rng, is_rare = np.random.default_rng(0), np.arange(200) < 12
        X = csr_array(rng.poisson(np.where(is_rare[:, None] == (np.arange(900) >= 800), 0.2, 0.01)))
        labels = np.where(is_rare, "rare", "frequent").tolist()
        names = [f"t{i:03}" for i in range(900)]
        fold = fold_of(prepare_documents(load_documents(X, labels, terms=names)))
        values = CLASSIFIERS["nbsvm"].decision_values(fold, ranking_by("ig", fold, 900), np.array([900]))
        order = ranking_by("ig", fold, 900).orders[0][:900]
        ratios = log_count_ratios(fold, 1)[order]
        weights = TfidfTransformer(sublinear_tf=True).fit(fold.train.rows)
        train, test = (
            weights.transform(rows).toarray()[:, order] * ratios for rows in (fold.train.rows, fold.test)
        )
        assert (train**2).sum(axis=1).max() > 3
        expected = LinearSVC(tol=1e-6, max_iter=100_000, random_state=0).fit(train, fold.train.truth[:, 1])
        assert np.allclose(values[0, :, 1], expected.decision_function(test), atol=0.02)

    @pytest.mark.parametrize("name", ["svm_balanced", "logistic_balanced", "svm_balanced(C=0.03)"])
    @pytest.mark.parametrize("texts_of", [topical, several], ids=["one label", "several labels"])
    def test_fitted_with_classes_balanced(self, name, texts_of):
        texts, labels = texts_of(30)
        rare = [i for i, own in enumerate(labels) if "sea" not in own or i % 5 == 0]
        self.check_agreement(gathered([texts[i] for i in rare], [labels[i] for i in rare]), name, "bns")

    @pytest.mark.parametrize(
        "name", ["multinomial_nb_tuned", "complement_nb_tuned", "svm_tuned", "logistic_tuned"]
    )
    @pytest.mark.parametrize("method", ["bns", "ig:per_class"])
    @pytest.mark.parametrize("texts_of", [topical, several], ids=["one label", "several labels"])
    def test_fitted_with_tuned_thresholds(self, name, method, texts_of):
        texts, labels = texts_of(30)
        rare = [i for i, own in enumerate(labels) if "sea" not in own or i % 5 == 0]
        self.check_agreement(gathered([texts[i] for i in rare], [labels[i] for i in rare]), name, method)

    @pytest.mark.parametrize(
        "name", ["multinomial_nb_tuned", "complement_nb_tuned", "svm_tuned", "logistic_tuned"]
    )
    def test_fitted_with_tuned_thresholds_of_two_classes(self, name):
        texts, labels = topical(40, classes=("sea", "farm"))
        self.check_agreement(gathered(texts[:50], labels[:50]), name, "bns")

    def check_agreement(self, documents, name, method):
        line = Candidate(parse_ranker(method, documents.labels.is_single_label), parse_classifier(name), 30)
        model = fit_candidate(documents, line, 30, 0)
        every = np.arange(len(documents))
        whole = Fold.from_indices(documents, every, every).with_train_terms()
        ranking = rank_candidate_terms(line, whole, 30)
        margins = line.classifier.decision_values(whole, ranking, ranking.order_sizes(np.array([30])))[0]
        predicted = model.build_pipeline().predict(documents.texts)
        if documents.labels.is_single_label:
            agree = np.array(documents.labels.classes)[margins.argmax(axis=1)] == predicted
        else:
            agree = ((margins > 0) == predicted).all(axis=1)
        # the fits stop at different tolerances, so documents at the border may differ
        assert agree.mean() > 0.97

    def test_other_classifiers_are_fitted_unchanged(self):
        documents = gathered(*topical(30))
        fold = fold_of(documents)
        other, ranking = SklearnClassifier("nb", MultinomialNB()), ranking_by("ig", fold, 20)
        ours = CLASSIFIERS["multinomial_nb"].decision_values(fold, ranking, np.array([5, 20])).argmax(axis=2)
        assert np.array_equal(other.decision_values(fold, ranking, np.array([5, 20])).argmax(axis=2), ours)


class TestCopies:
    def test_same_terms_in_other_case_and_order_are_duplicates(self):
        documents = gathered(
            ["One two three!", "THREE one, two", "four five six", "seven"], ["a", "a", "b", "b"]
        )
        assert find_duplicate_pairs(documents.rows).tolist() == [[0, 1]]

    def test_long_text_with_one_changed_word_is_a_near_duplicate(self):
        words = [f"w{i}" for i in range(40)]
        texts = [" ".join(words), " ".join([*words[:-1], "other"]), " ".join(f"v{i}" for i in range(40))]
        documents = gathered([*texts, "p q1 r2", "s3 t4"], ["a", "a", "b", "b", "b"])
        assert find_duplicate_pairs(documents.rows).tolist() == [[0, 1]]

    def test_texts_that_share_half_their_words_are_not_duplicates(self):
        half = [f"w{i}" for i in range(20)]
        texts = [" ".join([*half, *(f"x{j}{i}" for i in range(20))]) for j in range(30)]
        documents = gathered(texts, ["a", "b"] * 15)
        assert find_duplicate_pairs(documents.rows).tolist() == []


class TestOtherwise:
    """What one would do otherwise is done as scikit-learn does it."""

    def test_l1_selects_the_terms_of_select_from_model(self, fold):
        weigh = TfidfTransformer(sublinear_tf=True)
        X = weigh.fit_transform(fold.train.rows)
        kept = np.zeros(X.shape[1], dtype=bool)
        importance = np.zeros(X.shape[1])
        for truth in fold.train.truth.T:
            model = SelectFromModel(l1_regression()).fit(X, truth)
            kept |= model.get_support()
            importance += np.abs(model.estimator_.coef_[0])
        order = ranking_by("l1", fold, 5).orders[0]
        assert set(order) == set(np.flatnonzero(kept))
        assert (np.diff(importance[order]) <= 0.01).all()

    @pytest.mark.parametrize("C", [0.3, 1.0, 30.0])
    def test_weights_with_the_l1_penalty_are_those_of_liblinear_at_the_optimum(self, fold, C):
        columns = normalize_rows(fold.train_and_test_tfidf[0])
        for truth in fold.train.truth.T:
            model = l1_regression(C=C, tol=1e-10, max_iter=10_000).fit(columns.tocsr(), truth)
            ours = l1_weights(columns, truth, C)
            assert np.allclose(ours, model.coef_[0], atol=0.01)
            assert objective(columns, truth, ours, C) <= objective(columns, truth, model.coef_[0], C) + 1e-4

    def test_all_weights_are_zero_under_a_large_penalty(self, fold):
        assert not l1_weights(
            normalize_rows(fold.train_and_test_tfidf[0]), fold.train.truth[:, 0], C=1e-6
        ).any()

    def test_rows_without_a_term_stay_empty(self):
        assert normalize_rows(csc_array(np.array([[3.0, 4.0], [0.0, 0.0]]))).toarray().tolist() == [
            [0.6, 0.8],
            [0.0, 0.0],
        ]

    def test_chi2_selects_the_terms_of_select_k_best(self, fold):
        order = ranking_by("sklearn_chi2", fold, 5).orders[0]
        for k in (1, 7, 30):
            model = SelectKBest(chi2, k=k).fit(fold.train.rows, fold.train.target)
            assert set(order[:k]) == set(np.flatnonzero(model.get_support()))

    def test_local_terms_are_those_of_each_class(self, fold):
        ranking = ranking_by("ig:per_class", fold, 10)
        for name, order in zip(fold.train.counts.classes, ranking.orders, strict=True):
            assert list(fold.train.counts.terms[order]) == ts.select(
                fold.train.counts, "ig", ts.TopK(10), for_class=name
            )

    def test_each_class_has_k_local_terms(self, fold):
        ranking = ranking_by("ig:per_class", fold, 10)
        sizes = ranking.order_sizes(np.array([2, 30]))
        assert sizes.tolist() == [2, 10]
        assert ranking.count_terms(sizes).tolist() == [
            len(set(ranking.terms_at_size(size))) for size in (2, 10)
        ]

    def test_ranking_does_not_depend_on_test_documents(self):
        texts, labels = topical(30)
        changed = [text if i % 4 else "judge judge ship cow" for i, text in enumerate(texts)]
        folds = [fold_of(gathered(own, labels)) for own in (texts, changed)]
        for name in ("bns", "ig:round_robin", "ig:per_class", "cc:combined", "l1", "sklearn_chi2", "all"):
            ours, theirs = (
                [list(fold.train.counts.terms[order]) for order in ranking_by(name, fold, 20).orders]
                for fold in folds
            )
            assert ours == theirs
