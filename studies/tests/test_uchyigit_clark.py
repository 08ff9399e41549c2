"""The study of Uchyigit and Clark (2007): three groups of one split, and the protocol by itself."""

from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.naive_bayes import MultinomialNB

import termsift_studies
from termsift.evaluation.classifiers import NaiveBayesPath, SelectionPath
from termsift_studies.uchyigit_clark.results import (
    COLOURS,
    TITLES,
    UchyigitOutcomes,
    group_decisions,
    uchyigit_charts,
    uchyigit_outcomes,
    uchyigit_statements,
)
from termsift_studies.uchyigit_clark.trials import METHODS, SIZES, Words, load_posts, split_fold

GROUP = "sci.space"


@pytest.fixture(scope="module")
def found(data_folder):
    """The posts as the study reads them."""
    return load_posts(Words(), data_folder)[0]


@pytest.fixture(scope="module")
def quick(found, data_folder, tmp_path_factory) -> termsift_studies.StudyResults:
    """The quick study."""
    folder = tmp_path_factory.mktemp("uchyigit-clark") / "quick"
    return termsift_studies.run("uchyigit-clark", quick=True, folder=folder, data_dir=data_folder)


@pytest.fixture(scope="module")
def cells(quick) -> dict[tuple[str, ...], tuple[int, ...]]:
    """The decisions of the quick study."""
    with open(quick.folder / "results.csv", encoding="utf-8", newline="") as file:
        return {
            tuple(row[name] for name in ("interpretation", "group", "metric", "size")): tuple(
                int(row[name]) for name in ("tp", "fp", "fn")
            )
            for row in csv.DictReader(file)
        }


@pytest.fixture(scope="module")
def plain(found):
    """The first split by itself: training and test posts, and whether they are of the group."""
    fold = split_fold(found, 0, fewest=1)
    c = found.labels.classes.index(GROUP)
    return fold.train.rows, fold.train.truth[:, c], fold.test, fold.truth[:, c]


def gu_of_counts(X, y) -> np.ndarray:
    """GU, written once more from the printed formula."""
    has = (X > 0).astype(float)
    inside, outside = has[y].sum(axis=0), has[~y].sum(axis=0)
    n_in, n_out = y.sum(), (~y).sum()
    p = (inside + outside) / (n_in + n_out)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (inside - outside) / np.sqrt(p * (1 - p) * (1 / n_in + 1 / n_out))
        value = np.abs(z) * inside * n_out / (n_in * np.where(outside == 0, 0.5, outside))
    return np.where(np.isfinite(value), value, 0)


def first_by(values, X, k) -> np.ndarray:
    """The k best columns; of those that tie the one in more documents, then the first."""
    df = (X > 0).sum(axis=0)
    return np.array(sorted(range(len(values)), key=lambda i: (-values[i], -df[i], i))[:k])


def decided(accepted, truth) -> tuple[int, ...]:
    return tuple(int(part.sum()) for part in (accepted & truth, accepted & ~truth, ~accepted & truth))


@pytest.mark.parametrize("k", [10, 200, 1000])
def test_a_cell_is_that_of_scikit_learn_fitted_to_the_selected_words(plain, cells, k):
    X, y, other, truth = plain
    chosen = first_by(gu_of_counts(X, y), X, k)
    accepted = MultinomialNB().fit(X[:, chosen], y).predict(other[:, chosen])
    assert cells["selected words", GROUP, "GU counts", str(k)] == decided(accepted, truth)


@pytest.mark.parametrize("k", [10, 200, 1000])
def test_a_cell_is_that_of_scikit_learn_fitted_to_all_words(plain, cells, k):
    X, y, other, truth = plain
    chosen = first_by(gu_of_counts(X, y), X, k)
    model = MultinomialNB().fit(X, y)
    joint = other[:, chosen] @ model.feature_log_prob_[:, chosen].T + model.class_log_prior_
    assert cells["all words", GROUP, "GU counts", str(k)] == decided(joint[:, 1] > joint[:, 0], truth)


@pytest.mark.parametrize("k", [10, 200, 1000])
def test_the_main_interpretation_smooths_over_the_whole_vocabulary(plain, cells, k):
    X, y, other, truth = plain
    has, n = (X > 0).astype(float), np.array([y.sum(), (~y).sum()])
    rates = np.stack([has[y].sum(axis=0), has[~y].sum(axis=0)]) / n[:, None]
    p = has.mean(axis=0)
    z = np.abs(rates[0] - rates[1]) / np.sqrt(p * (1 - p) * (1 / n).sum())
    outside = np.where(rates[1] == 0, 0.5 / n[1], rates[1])
    chosen = first_by(z * rates[0] / outside, X, k)
    seen = np.stack([X[side][:, chosen].sum(axis=0) for side in (~y, y)]).astype(float)
    logs = np.log(seen + 1) - np.log(X.shape[1] + seen.sum(axis=1, keepdims=True))
    joint = other[:, chosen] @ logs.T + np.log(n[::-1] / n.sum())
    found = cells["room for all words", GROUP, "GU proportions", str(k)]
    assert found == decided(joint[:, 1] > joint[:, 0], truth)


def test_log_odds_among_all_terms_are_those_of_scikit_learn():
    generator = np.random.default_rng(0)
    X, y = csr_array(generator.poisson(0.4, (60, 30))), generator.random(60) < 0.3
    order, sizes = generator.permutation(30), np.array([1, 4, 30])
    inside, outside = X[y].sum(axis=0).astype(float), X[~y].sum(axis=0).astype(float)
    sides, share = np.stack([inside, outside], axis=1), float(y.mean())
    path = SelectionPath.from_ranking(order, sizes)
    model = NaiveBayesPath(path, sides, np.array([share, 1 - share]), denominator="all_terms")
    ours = np.subtract(*np.moveaxis(model.log_posteriors(X), 2, 0))
    model = MultinomialNB().fit(X, y)
    for s, size in enumerate(sizes):
        joint = X[:, order[:size]] @ model.feature_log_prob_[:, order[:size]].T + model.class_log_prior_
        np.testing.assert_allclose(ours[:, s], joint[:, 1] - joint[:, 0])


def test_splits_are_two_thirds_of_each_group_and_differ(found):
    numbers = csr_array(np.arange(1, len(found) + 1)[:, None])
    numbered = replace(found, rows=numbers, terms=np.arange(1))
    first, second = (split_fold(numbered, number, fewest=1) for number in (0, 1))
    assert sorted([*first.train.rows.data, *first.test.data]) == list(range(1, 18_847))
    shares = first.train.truth.sum(axis=0) / found.truth.sum(axis=0)
    np.testing.assert_allclose(shares, 2 / 3, atol=0.002)
    assert np.array_equal(first.truth, found.truth[first.test.data - 1])
    assert first.test.data.tolist() != second.test.data.tolist()


def test_words_are_in_enough_posts_to_learn_from(found):
    for fewest in (1, 3):
        fold = split_fold(found, 0, fewest)
        assert fold.train.counts.term_df.min() == fewest
        assert fold.test.shape[1] == len(fold.train.terms)


def test_posts_of_other_groups_have_no_label(found):
    every, one = split_fold(found, 0, 1), split_fold(found, 0, 1, [GROUP])
    assert one.train.counts.classes == (GROUP,)
    assert np.array_equal(one.truth[:, 0], every.truth[:, every.train.counts.classes.index(GROUP)])


def test_the_study_has_every_method_and_size(quick):
    lines = list(quick.tables["averages"])
    assert len(lines) == 3 * len(METHODS) * len(SIZES) == 3300
    assert SIZES.tolist() == list(range(10, 1001, 10))
    assert len(quick.tables["statements"]) == 6 * 15
    assert len(quick.tables["verdicts"]) == 15


def made(hits: dict[str, int]) -> UchyigitOutcomes:
    """Four groups of 100 posts, of which a method finds so many, and as many others besides as it misses."""
    tp = np.array([hits.get(name, 50) for name in METHODS])
    decisions = np.stack([tp, 100 - tp, 100 - tp], axis=1)
    whole = np.broadcast_to(decisions[None, None, :, None], (2, 4, len(METHODS), 100, 3))
    return UchyigitOutcomes(tuple(METHODS), group_decisions(whole))


def verdicts(found: UchyigitOutcomes, gu: str) -> dict[str, str]:
    return {line["statement"]: line["verdict"] for line in uchyigit_statements(found, {"GU": gu})}


class TestStatements:
    def test_statements_on_f_hold_if_the_figures_agree(self):
        hits = {"GU counts": 90, "BSS/WSS": 80, "CHI": 82, "NGL": 82, "OR": 60, "MI": 10}
        said = verdicts(made(hits), "GU counts")
        for statement in (
            "GU has the best F1",
            "F2 shows what F1 shows",
            "OR is better in F1 than IG and MI",
            "MI is the worst of all",
            "GSS is no better than NGL and CHI",
            "CHI, GU, BSS/WSS and NGL are the best with naive Bayes",
            "GU is best in F1 and F2",
            "GU does as well as CHI",
            "GU is better than OR and IG",
        ):
            assert said[statement] == "holds", statement
        # GU is above CHI and NGL, so not next to them
        assert said["GU is next in precision after CHI and NGL"] == "does not hold"
        assert said["NGL and CHI do not differ"] == "by construction"
        assert (
            verdicts(made(hits | {"GU counts": 81}), "GU counts")["GU is next in precision after CHI and NGL"]
            == "holds"
        )

    def test_interpretations_of_gu_are_independent(self):
        found = made({"GU counts": 90, "GU proportions": 80})
        assert verdicts(found, "GU proportions")["GU has the best F1"] == "holds"

    def test_what_is_not_so_does_not_hold(self):
        said = verdicts(made({"MI": 90, "CHI": 20, "GU counts": 10}), "GU counts")
        for statement in ("GU has the best F1", "MI has the worst precision", "MI is the worst of all"):
            assert said[statement] == "does not hold", statement


def test_means_are_over_groups_and_splits():
    common = {"interpretation": "r", "metric": "CHI", "size": "10"}
    counted = (("0", "a", 1, 1, 0), ("0", "b", 1, 0, 3), ("1", "a", 0, 0, 1), ("1", "b", 2, 2, 2))
    rows = [
        common | dict(zip(("split", "group", "tp", "fp", "fn"), map(str, line), strict=True))
        for line in counted
    ]
    own = uchyigit_outcomes(rows)["r"]
    assert own.curve("precision", "CHI")[0] == pytest.approx((0.5 + 1 + 0 + 0.5) / 4)
    assert own.curve("recall", "CHI")[0] == pytest.approx((1 + 0.25 + 0 + 0.5) / 4)
    pooled, defined, average_then_combine = (
        own.with_averaging(how) for how in ("pooled", "where defined", "of means")
    )
    assert pooled.curve("recall", "CHI")[0] == pytest.approx((2 / 5 + 2 / 5) / 2)
    assert defined.curve("precision", "CHI")[0] == pytest.approx((0.5 + 1 + 0.5) / 3)
    assert defined.curve("f1", "CHI")[0] == own.curve("f1", "CHI")[0]
    p, r = (own.curve(goal, "CHI")[0] for goal in ("precision", "recall"))
    assert average_then_combine.curve("f1", "CHI")[0] == pytest.approx(2 * p * r / (p + r))
    assert average_then_combine.curve("f2", "CHI")[0] == pytest.approx(5 * p * r / (4 * p + r))
    # 5 tp / (5 tp + fp + 4 fn)
    assert own.curve("f2", "CHI")[0] == pytest.approx((5 / 6 + 5 / 17 + 0 + 10 / 20) / 4)


def test_figures_have_a_line_for_every_method(tmp_path):
    values = {"precision": 0.1, "recall": 0.2, "f1": 0.3, "f2": 0.4}
    lines = [
        {"vocabulary": name, "metric": metric, "size": size} | values
        for name in TITLES
        for metric in METHODS
        for size in (10, 20)
    ]
    with open(tmp_path / "averages.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)
    charts = uchyigit_charts(tmp_path)
    assert list(charts) == ["figure1", "figure2", "figure3", "figure4"]
    for chart, value in zip(charts.values(), (0.1, 0.2, 0.3, 0.4), strict=True):
        for panel in chart.to_dict()["hconcat"]:
            points = panel["data"]["values"]
            assert {row["metric"] for row in points} == set(METHODS) == set(COLOURS)
            assert {row["value"] for row in points} == {value}
