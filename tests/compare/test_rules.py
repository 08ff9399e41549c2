"""Rules of the recommendation: tolerance and number of terms; trade-off; several goals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import termsift as ts
from compared_texts import topical
from termsift.compare.results import RecommendationRule, pareto_candidates

QUICK = {"metrics": "bns", "k": [2, 5, 10, 30], "classifiers": "multinomial_nb", "repeats": 1}


@pytest.fixture(scope="module")
def found():
    return ts.compare(*topical(40), **QUICK)


def recommended(found, **rule):
    results = replace(found.results, rule=RecommendationRule(**rule))
    return replace(found, results=results)


@pytest.mark.parametrize("tolerance", [0.0, 0.02, 0.1, 1.0])
def test_tolerance_recommends_the_fewest_terms_within_it(found, tolerance):
    r = recommended(found, tolerance=tolerance).results
    able = r.means >= r.means.max() - tolerance - 1e-12
    assert able[r.recommended]
    assert r.sizes[r.recommended] == r.sizes[able].min()


@pytest.mark.parametrize("size", [2, 5, 29, 10**6])
def test_max_terms_recommends_the_best_of_the_small_candidates(found, size):
    r = recommended(found, max_terms=size).results
    able = np.round(r.sizes) <= size
    assert r.means[r.recommended] == r.means[able].max()
    assert able[r.recommended]


def test_max_terms_is_tried_in_addition_to_k(found):
    few = ts.compare(*topical(40), **QUICK, max_terms=7)
    assert few.recommended["terms"] == 7
    assert few.answer[0].endswith(": the best of the candidates with at most 7 terms.")


def test_with_a_budget_none_below_all_terms_is_recommended(found):
    """All candidates are within one standard error, and the first, all terms, is the best."""
    n_candidates, n_folds = found.results.values.shape
    noise = np.linspace(-0.1, 0.1, n_folds)
    values = 0.8 + noise + np.linspace(0.001, 0, n_candidates)[:, None]
    results = replace(found.results, values=values, rule=RecommendationRule())
    timed = replace(results, rule=RecommendationRule(is_timed=True))
    assert results.candidates[0].ranker.uses_all_terms
    assert results.means[results.recommended] < results.means[0]
    assert timed.means[timed.recommended] >= timed.means[0]
    requested = replace(results, rule=RecommendationRule(tolerance=0.1, is_timed=True))
    assert requested.recommended == results.recommended


def test_the_trade_off_rises_and_names_the_rules(found):
    rows = list(found.trade_off)
    ahead = [
        rows[i] for i in range(len(rows)) if rows[i]["mean"] >= max(row["mean"] for row in rows[: i + 1])
    ]
    assert len(ahead) == len(pareto_candidates(found.results))
    assert [row["terms"] for row in rows] == sorted(row["terms"] for row in rows)
    marks = ", ".join(row["answer"] for row in rows if row["answer"]).split(", ")
    assert sorted(marks) == ["at most 500 terms", "best", "one standard error", "within 0.01"]
    assert next(row for row in rows if "best" in row["answer"])["mean"] == found.best["mean"]


def test_the_report_draws_the_trade_off(found):
    page = found.to_html(with_texts=False)
    section = page[page.index('id="trade-off"') :]
    section = section[: section.index("</section>")]
    assert section.count("<tr") == 1 + len(found.trade_off)
    assert "within 0.01" in section


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"tolerance": -0.1}, "tolerance must be a number of at least 0, got -0.1"),
        ({"tolerance": "little"}, "tolerance must be a number of at least 0, got 'little'"),
        ({"max_terms": 0}, "max_terms must be a whole number of at least 1, got 0"),
        ({"max_terms": 2.5}, "max_terms must be a whole number of at least 1, got 2.5"),
        ({"tolerance": float("nan")}, "tolerance must be a number of at least 0, got nan"),
    ],
)
def test_an_invalid_rule_is_an_error(rule, message):
    with pytest.raises(ts.InvalidInputError, match=message):
        ts.compare(*topical(5), **QUICK, **rule)


class TestGoals:
    def test_further_goals_are_columns_of_the_summary(self):
        several = ts.compare(*topical(30), **QUICK, goal=["accuracy", "mcc", "precision_at_recall(0.5)"])
        for goal in ("mcc", "precision_at_recall(0.5)"):
            *shown, guess = several.summary[goal]
            assert np.isnan(guess)
            best = next(row for row in several.table if row["mean"] == several.best["mean"])
            assert shown[0] == pytest.approx(best[goal])
            assert f"{shown[0]:.3f}" in repr(several)
        assert {"mcc", "precision_at_recall(0.5)"} <= set(several.table.columns)
        assert several.results.goal.name == "accuracy"
