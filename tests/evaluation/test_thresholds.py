"""Thresholds tuned for F: optimal, tuned on training documents only, and part of the saved model."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from sklearn.metrics import fbeta_score

import termsift as ts
from compared_texts import COMMON, authored, several, topical
from termsift.compare.candidates import Candidate, parse_ranker
from termsift.compare.documents import prepare_documents
from termsift.compare.final_model import fit_candidate
from termsift.engines.inputs import load_documents
from termsift.evaluation.classifiers.catalogue import default_classifiers, parse_classifier, parse_classifiers
from termsift.evaluation.classifiers.thresholds import (
    Aim,
    find_class_offset,
    multilabel_offsets,
    single_label_offsets,
)
from termsift.evaluation.goals import parse_goal
from termsift.evaluation.splits import Fold, inner_folds

TUNED = ("multinomial_nb_tuned", "complement_nb_tuned", "svm_tuned", "logistic_tuned")


def drawn(seed: int, documents: int, classes: int, single: bool):
    """Margins with ties, labels that have something to do with them, and weights."""
    lot = np.random.default_rng(seed)
    margins = lot.integers(-6, 7, (documents, classes)) / 4
    hidden = margins + lot.normal(0, 1, margins.shape) + lot.normal(0, 1, classes)
    truth = np.eye(classes, dtype=bool)[hidden.argmax(axis=1)] if single else hidden > 0.5
    truth[:classes] = np.eye(classes, dtype=bool)
    return margins, truth, lot.integers(1, 4, documents).astype(float)


def f_of(decided, truth, weights, aim):
    """The F of decisions (documents x classes), or of each of several such tables at once."""
    hits, said, there = (
        np.einsum("...dc,d->...c", marked.astype(float), weights)
        for marked in (decided & truth, decided, truth)
    )
    if aim.micro:
        hits, said, there = (sums.sum(axis=-1, keepdims=True) for sums in (hits, said, there))
    below = said + aim.beta**2 * there
    return ((1 + aim.beta**2) * hits / np.where(below == 0, 1, below)).mean(axis=-1)


@pytest.mark.parametrize("single", [False, True], ids=["several labels", "one label"])
@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("micro", [False, True], ids=["macro", "micro"])
def test_f_is_that_of_scikit_learn(single, beta, micro):
    average = "micro" if micro else "macro"
    lot = np.random.default_rng(0)
    for seed in range(10):
        margins, truth, weights = drawn(seed, 12, 4, single)
        truth = truth & (lot.random(4) < 0.8)
        cuts = lot.choice([-2, 0.0, 0.5, 2], (5, 4))
        decided = margins > cuts[:, None, :]
        if single:
            decided = np.stack([largest(margins - own) for own in cuts])
        theirs = [
            fbeta_score(truth, own, beta=beta, average=average, sample_weight=weights, zero_division=0)
            for own in decided
        ]
        assert f_of(decided, truth, weights, Aim(beta, micro)) == pytest.approx(theirs)


def every_cut(values):
    """A threshold between any two values, below all of them and above."""
    known = np.unique(values)
    return np.concatenate([[known[0] - 1], (known[1:] + known[:-1]) / 2, [known[-1] + 1]])


def largest(margins):
    return np.eye(margins.shape[1], dtype=bool)[margins.argmax(axis=1)]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("micro", [False, True], ids=["macro", "micro"])
def test_multilabel_offsets_are_optimal(seed, beta, micro):
    margins, truth, weights = drawn(seed, 8, 3, single=False)
    aim = Aim(beta, micro)
    found = multilabel_offsets(margins, truth, weights, aim)
    cuts = np.array(list(product(*(every_cut(column) for column in margins.T))))
    best = f_of(margins > cuts[:, None, :], truth, weights, aim).max()
    assert f_of(margins + found > 0, truth, weights, aim) == pytest.approx(best)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("aim", [Aim(1.0, False), Aim(2.0, False), Aim(1.0, True)], ids=str)
def test_class_offset_is_optimal(seed, aim):
    margins, truth, weights = drawn(seed, 30, 4, single=True)
    margins = margins + np.random.default_rng(seed).normal(0, 1e-3, margins.shape)
    for c in range(4):
        alone = np.eye(4)[c]
        lead = margins[:, c] - np.delete(margins, c, axis=1).max(axis=1)
        tried = np.stack([largest(margins - cut * alone) for cut in every_cut(lead)])
        best = f_of(tried, truth, weights, aim).max()
        offset = find_class_offset(margins, truth, weights, aim, c)
        assert f_of(largest(margins + offset * alone), truth, weights, aim) == pytest.approx(best)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("micro", [False, True], ids=["macro", "micro"])
def test_single_label_offsets_improve_f_and_sum_to_zero(seed, micro):
    margins, truth, weights = drawn(seed, 60, 4, single=True)
    margins = margins + np.random.default_rng(seed).normal(0, 1e-3, margins.shape)
    found = single_label_offsets(margins, truth, weights, Aim(1.0, micro))
    before, after = (
        f_of(largest(own), truth, weights, Aim(1.0, micro)) for own in (margins, margins + found)
    )
    assert after > before
    assert found.sum() == pytest.approx(0)


@pytest.mark.parametrize("offsets_of", [multilabel_offsets, single_label_offsets])
def test_perfect_decisions_have_no_offset(offsets_of):
    truth = np.eye(3, dtype=bool)[[0, 1, 2, 0, 1]]
    assert np.array_equal(offsets_of(truth - 0.3, truth, np.ones(5), Aim(1.0, False)), np.zeros(3))


@pytest.mark.parametrize("offsets_of", [multilabel_offsets, single_label_offsets])
def test_class_without_documents_has_no_offset(offsets_of):
    margins, truth, weights = drawn(0, 20, 3, single=True)
    truth = truth & [True, True, False]
    margins[:, 2] = -np.inf
    found = offsets_of(margins, truth, weights, Aim(1.0, False))
    assert found[2] == 0
    assert np.isfinite(found).all()


def faint(n: int = 400, share: float = 0.12, seed: int = 0) -> tuple[list[str], list[list[str]]]:
    """Texts of rare classes, whose word now and then others have too: an SVM is sure of none of them."""
    lot = np.random.default_rng(seed)
    texts, labels = [], []
    for _ in range(n):
        own = [name for name in ("sea", "farm", "court") if lot.random() < share]
        hints = [w for w in ("sea", "farm", "court") if lot.random() < (0.8 if w in own else 0.12)]
        texts.append(" ".join([*lot.choice(COMMON, 12), *(f"{name}like" for name in hints)]))
        labels.append(own)
    return texts, labels


def means_by_classifier(texts, labels, **options):
    found = ts.compare(texts, labels, metrics="ig", k=[20], repeats=1, racing=False, **options)
    rows = zip(*(found.table[name] for name in ("method", "classifier", "mean")), strict=True)
    return {classifier: mean for method, classifier, mean in rows if method == "all"}


@pytest.mark.parametrize("goal", ["f1_macro", "f1_micro", "f2_macro"])
def test_tuned_thresholds_help_rare_classes(goal):
    means = means_by_classifier(*faint(), classifiers=["svm", "svm_tuned"], goal=goal)
    assert means["svm_tuned"] > means["svm"] + 0.05


def test_tuned_thresholds_help_if_one_of_two_classes_is_rare():
    texts, several_labels = faint()
    labels = ["sea" if "sea" in own else "other" for own in several_labels]
    means = means_by_classifier(texts, labels, classifiers=["svm", "svm_tuned"], goal="f2_macro")
    assert means["svm_tuned"] > means["svm"] + 0.05


def fold_of(texts, labels, **marks):
    given = load_documents(texts, labels, {}, None)
    documents = prepare_documents(given, analyzer=None, min_df=1, max_df=1.0, n_jobs=1)
    documents = replace(documents, **marks)
    places = np.arange(len(documents))
    return Fold.from_indices(documents, places[places % 4 != 0], places[places % 4 == 0]).with_train_terms()


@pytest.mark.parametrize("name", TUNED)
@pytest.mark.parametrize("texts_of", [topical, several], ids=["one label", "several labels"])
def test_offsets_do_not_depend_on_test_labels(name, texts_of):
    fold = fold_of(*texts_of(40))
    ranking, sizes = parse_ranker("ig", True).rank(fold, 20), np.array([5, 20])
    tuned = parse_classifier(name)
    lot = np.random.default_rng(0)
    shuffled = replace(fold, truth=lot.permutation(fold.truth))
    assert np.array_equal(tuned.offsets(fold, ranking, sizes), tuned.offsets(shuffled, ranking, sizes))
    learned = replace(fold.train, labels=fold.train.labels.take(lot.permutation(len(fold.train))))
    others = tuned.offsets(replace(fold, train=learned), ranking, sizes)
    assert not np.array_equal(tuned.offsets(fold, ranking, sizes), others)


def test_inner_folds_test_each_document_once_and_keep_groups_together():
    texts, labels, authors = authored(12, 6)
    groups = np.unique(authors, return_inverse=True)[1]
    fold = fold_of(texts, labels, groups=groups)
    parts = inner_folds(fold)
    assert sum(len(part.truth) for part in parts) == len(fold.train)
    for part in parts:
        judged = len(np.unique(fold.train.groups)) - len(np.unique(part.train.groups))
        assert judged > 0
    assert sum(len(np.unique(part.train.groups)) for part in parts) == 2 * len(np.unique(fold.train.groups))


def test_dated_documents_tune_thresholds_on_the_latest_quarter():
    texts, labels = topical(20)
    fold = fold_of(texts, labels, times=np.random.default_rng(0).permutation(60))
    (part,) = inner_folds(fold)
    assert part.train.times.max() < np.setdiff1d(fold.train.times, part.train.times).min()


@pytest.mark.parametrize("name", TUNED)
@pytest.mark.parametrize("texts_of", [topical, several], ids=["one label", "several labels"])
def test_contributions_add_up_to_shifted_decision_values(name, texts_of):
    documents = fold_of(*texts_of(40)).train
    model = fit_candidate(documents, Candidate(parse_ranker("ig", True), parse_classifier(name), 20), 20, 0)
    row = documents.rows[:1][:, model.columns]
    found = model.model.steps.contributions(row, model.model.coefficients)
    sums = found.sum(axis=0) + model.model.intercepts
    assert sums == pytest.approx(model.model.decision_values(row)[0])
    candidate = Candidate(parse_ranker("ig", True), parse_classifier(name).classifier, 20)
    plain = fit_candidate(documents, candidate, 20, 0)
    assert not np.allclose(model.model.intercepts, plain.model.intercepts)


@pytest.mark.parametrize("goal", ["accuracy", "mcc", "break_even", "average_precision"])
def test_tuning_for_another_goal_than_f_is_an_error(goal):
    with pytest.raises(
        ts.InvalidInputError, match=f"svm_tuned tunes .* such as f1_macro, not for goal {goal}"
    ):
        ts.compare(*topical(6), classifiers="svm_tuned", goal=goal)


def test_thresholds_are_tuned_for_the_goal():
    (macro,), (micro,) = (
        parse_classifiers("svm_tuned", parse_goal(name)) for name in ("f2_macro", "f0.5_micro")
    )
    assert (macro.aim, micro.aim) == (Aim(2.0, False), Aim(0.5, True))


def test_several_labels_and_a_goal_of_f_have_tuned_thresholds_by_default():
    names = [
        [one.name for one in default_classifiers(parse_goal(goal), single)]
        for goal, single in (("f1_micro", False), ("accuracy", False), ("f1_macro", True))
    ]
    assert ["svm_tuned" in own for own in names] == [True, False, False]


@pytest.mark.parametrize("name", TUNED)
def test_tuned_classifiers_keep_the_representation_and_name_it(name):
    tuned = parse_classifier(f"{name}:binary")
    assert tuned.name == f"{name}:binary"
    assert tuned.classifier.representation == "binary"
    assert tuned.description.endswith("of 0/1 features with tuned thresholds")
