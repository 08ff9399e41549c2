"""Candidates leave a race when they cannot win any more, and the answer is that of the full run."""

from __future__ import annotations

import numpy as np
import pytest

import termsift as ts
from compared_texts import noise, topical
from termsift.compare.candidates import ranker_from
from termsift.compare.racing import Race, best_of_each_size, chance_of_lead, is_look, looks_of
from termsift.compare.trials import UNBOUNDED, Candidate, Clock, Outcome, Runner, Schedule, Track
from termsift.evaluation.classifiers.catalogue import classifier_from
from termsift.evaluation.confusion import Confusion
from termsift.evaluation.decisions import Judgement, judged
from termsift.evaluation.goals import GOALS
from termsift.evaluation.splits import Fold, Split

BAYES = classifier_from("multinomial_nb")


def judgement(value, spread):
    """What became of a hundred documents of which so many are right."""
    right = round(value * 1000)
    cells = (np.array([[n]]) for n in (right, 0, 1000 - right))
    confusion = Confusion.stacked([Confusion(("a",), 1000, *cells, np.array([right]))])
    values = np.array([[[value]]])
    return Judgement(confusion, values, values[0, :, :, None], np.atleast_2d(spread))


def runner(values, parts, terms=10, name="ig", k=10):
    line = Candidate(ranker_from(name, True), BAYES, k)
    found = [judgement(value, part) for value, part in zip(values, parts, strict=True)]
    return Runner(line, found, list(values), [terms] * len(values))


def outcome(accuracy, terms, spread=0.01, seed=0):
    """What a track of one k would give on a fold of a thousand documents."""
    parts = accuracy + spread * np.random.default_rng(seed).normal(size=20)
    return Outcome(judgement(accuracy, parts), np.array([terms]), 0.25)


def race_of(*figures, runs=1):
    """A race of candidates with a ranker each: (accuracy, terms) of all runs."""
    names = ("bns", "ig", "chi2", "acc2", "df")
    tracks = [
        Track(ranker_from(name, True), BAYES, (terms,))
        for name, (_, terms) in zip(names, figures, strict=False)
    ]
    race = Race(tracks, looks=5)
    for run in range(runs):
        places, left = race.left()
        found = [outcome(*figures[place], seed=10 * run + place) for place in places]
        race.add(places, left, found)
        race.drop()
    return race


def names_of(runners):
    return [one.line.ranker.name for one in runners]


def test_one_that_is_behind_with_no_fewer_terms_falls():
    race = race_of((0.9, 50), (0.5, 100), (0.95, 100))
    assert names_of(race.fallen) == ["ig"]
    assert race.fallen[0].fell_to.line.ranker.name == "chi2"
    assert race.fallen[0].p < 0.05


def test_one_with_fewer_terms_stays_however_far_behind():
    assert names_of(race_of((0.3, 50), (0.95, 100)).standing) == ["bns", "ig"]


def test_the_best_of_each_size_stays_though_a_smaller_one_is_better():
    assert names_of(race_of((0.95, 50), (0.5, 100)).fallen) == []


def test_a_difference_that_may_be_chance_drops_none():
    assert names_of(race_of((0.949, 50), (0.945, 50), (0.95, 50)).fallen) == []


def test_what_fell_is_not_tried_again():
    race = race_of((0.909, 50), (0.5, 50), (0.91, 50), runs=3)
    (fallen,) = race.fallen
    assert len(fallen.values) == 1
    assert [track.ranker.name for track in race.left()[1]] == ["bns", "chi2"]
    assert all(len(one.values) == 3 for one in race.standing)


def test_runs_that_are_taken_back_are_gone_for_all():
    race = race_of((0.9, 50), (0.9, 50), runs=3)
    race.forget(1)
    assert race.runs == 2
    assert all(len(one.values) == len(one.found) == 2 for one in race.standing)


def test_all_terms_stay_beside_other_terms_that_are_better():
    plain, other = (
        runner([value], [[0.0]], name=name, k=UNBOUNDED) for name, value in (("all", 0.4), ("all@1-2", 0.9))
    )
    assert set(map(id, best_of_each_size([plain, other]))) == {id(plain), id(other)}


def test_the_variance_of_a_run_is_that_of_the_mean_of_its_parts():
    """Of one run the test is Student's of the parts, but for the correction of parts that overlap."""
    from scipy import stats

    parts = np.random.default_rng(0).normal(0.02, 0.05, 20)
    better, worse = runner([parts.mean()], [parts]), runner([0.0], [np.zeros(20)])
    assert chance_of_lead(better, worse, 0.0) == pytest.approx(
        stats.ttest_1samp(parts, 0, alternative="greater").pvalue
    )
    assert chance_of_lead(better, worse, 0.25) > chance_of_lead(better, worse, 0.0)


def test_without_parts_the_runs_alone_say_how_far_chance_moves_a_goal():
    none = [np.zeros(0)] * 2
    assert chance_of_lead(runner([0.9, 0.8], none), runner([0.1, 0.2], none), 0.25) == 1
    none = [np.zeros(0)] * 4
    lead = chance_of_lead(runner([0.9, 0.8, 0.9, 0.85], none), runner([0.1, 0.2, 0.15, 0.1], none), 0.25)
    assert 0 < lead < 0.01


def test_pseudo_values_of_accuracy_are_the_accuracies_of_the_parts():
    """Accuracy is a mean over documents, of which the jackknife gives back the parts."""
    documents = ts.compare(
        *topical(20), metrics="ig", k=[5], classifiers="multinomial_nb", repeats=1
    ).documents
    fold = Fold.of(documents, np.arange(20, 60), np.arange(20)).in_seen_terms()
    ranking, sizes = ranker_from("ig", True).ranking(fold, 9), np.array([2, 9])
    found = judged(BAYES, fold, ranking, sizes, [GOALS["accuracy"]])
    margins = BAYES.margins(fold, ranking, sizes)
    right = margins.argmax(axis=2) == fold.truth.argmax(axis=1)
    # twenty documents, so each is a part of its own
    assert np.allclose(found.spread, right)
    assert np.allclose(found.spread.mean(axis=1), found.values[0, 0])


def test_looks_are_after_each_run_of_the_first_round_and_after_each_round():
    split = Split("folds", 3, 5, lambda _: [])
    assert [runs for runs in range(1, 16) if is_look(runs, split)] == [1, 2, 3, 4, 5, 10, 15]
    assert looks_of(split) == 7


def test_time_is_kept_for_the_runs_to_come():
    clock = Clock(Schedule(1, deadline=0.0, progress=None))
    assert not clock.has_time("multinomial_nb")
    clock = Clock(Schedule(1, deadline=clock.began + 1000, progress=None))
    clock.longest["svm"] = 300.0
    clock.start_run(0)
    assert clock.has_time("svm")
    clock.start_run(4)
    assert not clock.has_time("svm")


@pytest.fixture(scope="module")
def both():
    texts, labels = topical(120, seed=3)
    how = {
        "metrics": ["ig", "gu", "rand"],
        "k": [5, 15, 30],
        "classifiers": ["multinomial_nb", "svm"],
        "repeats": 2,
    }
    return ts.compare(texts, labels, **how), ts.compare(texts, labels, **how, thorough=True)


class TestAnswers:
    def test_the_answer_is_that_of_the_full_run(self, both):
        raced, full = both
        assert raced.results.dropped
        assert not full.results.dropped
        assert raced.chosen["method"] == full.chosen["method"]
        assert raced.chosen["mean"] == pytest.approx(full.chosen["mean"], abs=0.01)

    def test_a_method_that_left_is_dropped_not_worse(self, both):
        raced, full = both
        rows = {row["method"]: row for row in raced.methods}
        assert rows["rand"]["verdict"] == "dropped"
        assert 0 <= rows["rand"]["p"] < 0.05
        assert rows["rand"]["difference"] < 0
        assert {row["method"] for row in full.methods} == set(rows)

    def test_what_was_dropped_is_told_with_folds_and_cause(self, both):
        raced, full = both
        (told,) = (sentence for sentence in raced.details if "were dropped" in sentence)
        assert told.startswith(f"Of the {raced.results.tried} candidates {len(raced.dropped)} were dropped, ")
        assert "at most 5%" in told
        assert set(raced.dropped.columns) >= {"method", "folds", "difference", "p", "behind"}
        assert len(full.dropped) == 0
        assert not any("were dropped" in sentence for sentence in full.details)

    def test_what_stands_is_on_all_folds_and_every_size_has_its_row(self, both):
        raced, full = both
        assert raced.results.values.shape[1] == 10
        assert list(raced.by_size["asked"]) == list(full.by_size["asked"])


def test_of_labels_that_say_nothing_the_best_is_not_called_better():
    found = ts.compare(
        *noise(80), metrics=["ig", "bns"], k=[20, 200], classifiers="multinomial_nb", repeats=1
    )
    assert "worse" not in set(found.methods["verdict"])
