"""Racing drops candidates that cannot win, and gives the answer of the full comparison."""

from __future__ import annotations

import numpy as np
import pytest

import termsift as ts
from compared_texts import noise, topical
from termsift.compare.candidates import (
    UNLIMITED,
    Candidate,
    CandidateFamily,
    FamilyResult,
    RacingCandidate,
    Schedule,
    parse_ranker,
)
from termsift.compare.racing import Race, best_by_size, lead_p_value
from termsift.evaluation.classifiers.catalogue import parse_classifier
from termsift.evaluation.confusion import Confusion
from termsift.evaluation.goals import GOALS, FoldResult, evaluate_classifier
from termsift.evaluation.splits import Fold

BAYES = parse_classifier("multinomial_nb")


def fold_result(value, spread):
    """Result of a fold of 1,000 documents with this accuracy."""
    right = round(value * 1000)
    cells = (np.array([[n]]) for n in (right, 0, 1000 - right))
    confusion = Confusion.stack([Confusion(("a",), 1000, *cells, np.array([right]))])
    values = np.array([[[value]]])
    return FoldResult(confusion, values, values[0, :, :, None], np.atleast_2d(spread))


def racer(values, blocks, terms=10, name="ig", k=10):
    candidate = Candidate(parse_ranker(name, True), BAYES, k)
    results = [fold_result(value, block) for value, block in zip(values, blocks, strict=True)]
    return RacingCandidate(candidate, results, list(values), [terms] * len(values))


def family_result(accuracy, terms, spread=0.01, seed=0):
    """Result of a family with one number of terms on a fold of 1,000 documents."""
    parts = accuracy + spread * np.random.default_rng(seed).normal(size=20)
    return FamilyResult([fold_result(accuracy, parts)], np.array([terms]), 0.25)


def race_of(*figures, runs=1):
    """Race of candidates with a ranker each, from (accuracy, terms) on all folds."""
    names = ("bns", "ig", "chi2", "acc2", "df")
    families = [
        CandidateFamily(parse_ranker(name, True), BAYES, (terms,))
        for name, (_, terms) in zip(names, figures, strict=False)
    ]
    race = Race(families, looks=5)
    for run in range(runs):
        remaining = race.remaining_families()
        results = [family_result(*figures[i], seed=10 * run + i) for i in remaining]
        race.add_fold(remaining, results)
        race.drop_losers()
    return race


def ranker_names(racers):
    return [racer.candidate.ranker.name for racer in racers]


def test_a_worse_candidate_with_as_many_terms_is_dropped():
    _, (loser,) = race_of((0.9, 50), (0.5, 100), (0.95, 100)).split_racers()
    assert loser.candidate.ranker.name == "ig"
    assert loser.beaten_by.candidate.ranker.name == "chi2"
    assert loser.p < 0.05


def test_a_candidate_with_fewer_terms_is_never_dropped():
    remaining, dropped = race_of((0.3, 50), (0.95, 100)).split_racers()
    assert ranker_names(remaining) == ["bns", "ig"]
    assert not dropped


def test_the_best_of_each_size_is_never_dropped():
    assert race_of((0.95, 50), (0.5, 100)).split_racers()[1] == []


def test_an_insignificant_difference_drops_no_candidate():
    assert race_of((0.949, 50), (0.945, 50), (0.95, 50)).split_racers()[1] == []


def test_a_dropped_candidate_is_not_evaluated_again():
    race = race_of((0.909, 50), (0.5, 50), (0.91, 50), runs=3)
    remaining, (loser,) = race.split_racers()
    assert len(loser.values) == 1
    assert [family.ranker.name for family in race.remaining_families().values()] == ["bns", "chi2"]
    assert all(len(racer.values) == 3 for racer in remaining)


def test_removed_folds_are_removed_for_all_candidates():
    race = race_of((0.9, 50), (0.9, 50), runs=3)
    race.remove_last_folds(1)
    assert len(race.test_ratios) == 2
    assert all(len(racer.values) == len(racer.fold_results) == 2 for racer in race.split_racers()[0])


def test_the_baseline_of_all_terms_is_never_dropped():
    plain, other = (
        racer([value], [[0.0]], name=name, k=UNLIMITED) for name, value in (("all", 0.4), ("all@1-2", 0.9))
    )
    assert set(map(id, best_by_size([plain, other]))) == {id(plain), id(other)}


def test_on_one_fold_the_test_is_a_t_test_of_its_blocks():
    """The correction for overlapping training sets comes on top."""
    from scipy import stats

    parts = np.random.default_rng(0).normal(0.02, 0.05, 20)
    better, worse = racer([parts.mean()], [parts]), racer([0.0], [np.zeros(20)])
    assert lead_p_value(better, worse, 0.0) == pytest.approx(
        stats.ttest_1samp(parts, 0, alternative="greater").pvalue
    )
    assert lead_p_value(better, worse, 0.25) > lead_p_value(better, worse, 0.0)


def test_without_blocks_the_variance_is_that_of_at_least_three_folds():
    none = [np.zeros(0)] * 2
    assert lead_p_value(racer([0.9, 0.8], none), racer([0.1, 0.2], none), 0.25) == 1
    none = [np.zeros(0)] * 4
    lead = lead_p_value(racer([0.9, 0.8, 0.9, 0.85], none), racer([0.1, 0.2, 0.15, 0.1], none), 0.25)
    assert 0 < lead < 0.01


def test_pseudo_values_of_accuracy_are_the_accuracies_of_the_blocks():
    """Accuracy is a mean over documents, for which the jackknife returns the blocks."""
    documents = ts.compare(
        *topical(20), metrics="ig", k=[5], classifiers="multinomial_nb", repeats=1
    ).documents
    fold = Fold.from_indices(documents, np.arange(20, 60), np.arange(20)).with_train_terms()
    ranking, sizes = parse_ranker("ig", True).rank(fold, 9), np.array([2, 9])
    found = evaluate_classifier(BAYES, fold, ranking, sizes, [GOALS["accuracy"]])
    margins = BAYES.decision_values(fold, ranking, sizes)
    right = margins.argmax(axis=2) == fold.truth.argmax(axis=1)
    # twenty documents, so each is a block
    assert np.allclose(found.spread, right)
    assert np.allclose(found.spread.mean(axis=1), found.values[0, 0])


def test_time_is_reserved_for_later_folds():
    schedule = Schedule(1, deadline=0.0, progress=None)
    assert not schedule.has_time("multinomial_nb")
    schedule = Schedule(1, deadline=schedule.start + 1000, progress=None, longest={"svm": 300.0})
    assert schedule.has_time("svm")
    schedule.later_folds = 4
    assert not schedule.has_time("svm")


@pytest.fixture(scope="module")
def both():
    texts, labels = topical(120, seed=3)
    how = {
        "metrics": ["ig", "gu", "rand"],
        "k": [5, 15, 30],
        "classifiers": ["multinomial_nb", "svm"],
        "repeats": 2,
    }
    return ts.compare(texts, labels, **how), ts.compare(texts, labels, **how, racing=False)


class TestAnswers:
    def test_the_answer_is_that_of_the_full_run(self, both):
        raced, full = both
        assert raced.results.dropped
        assert not full.results.dropped
        assert raced.recommended["method"] == full.recommended["method"]
        assert raced.recommended["mean"] == pytest.approx(full.recommended["mean"], abs=0.01)

    def test_a_dropped_method_has_the_verdict_dropped(self, both):
        raced, full = both
        rows = {row["method"]: row for row in raced.methods}
        assert rows["rand"]["verdict"] == "dropped"
        assert 0 <= rows["rand"]["p"] < 0.05
        assert rows["rand"]["difference"] < 0
        assert {row["method"] for row in full.methods} == set(rows)

    def test_dropped_candidates_are_described_and_tabulated(self, both):
        raced, full = both
        (sentence,) = (s for s in raced.details if s.startswith("Racing dropped"))
        assert sentence.startswith(
            f"Racing dropped {len(raced.dropped)} of {raced.results.n_tried} candidates ("
        )
        assert "at most 5%" in sentence
        assert set(raced.dropped.columns) >= {"method", "folds", "difference", "p", "behind"}
        assert len(full.dropped) == 0
        assert not any("Racing dropped" in sentence for sentence in full.details)

    def test_candidates_are_dropped_after_folds_of_the_first_round_and_after_whole_rounds(self, both):
        assert set(both[0].dropped["folds"].tolist()) <= {1, 2, 3, 4, 5, 10}

    def test_remaining_candidates_have_all_folds_and_every_size_a_row(self, both):
        assert both[0].results.values.shape[1] == 10
        sizes = [{candidate.k for candidate in found.results.candidates} for found in both]
        assert sizes[0] == sizes[1]


def test_random_labels_give_no_significant_differences():
    found = ts.compare(
        *noise(80), metrics=["ig", "bns"], k=[20, 200], classifiers="multinomial_nb", repeats=1
    )
    assert "worse" not in set(found.methods["verdict"])
