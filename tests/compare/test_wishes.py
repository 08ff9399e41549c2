"""What is wanted of a recommendation: to give up little, to keep few terms, to label quickly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import termsift as ts
from compared_texts import topical
from termsift.compare.recommendation import worthwhile
from termsift.compare.results import Wish

QUICK = {"metrics": "bns", "k": [2, 5, 10, 30], "classifiers": "multinomial_nb", "repeats": 1}


@pytest.fixture(scope="module")
def found():
    return ts.compare(*topical(40), **QUICK)


def recommended(found, **wish):
    results = replace(found.results, wish=Wish(**wish))
    return replace(found, results=results)


@pytest.mark.parametrize("price", [0.0, 0.02, 0.1, 1.0])
def test_within_a_price_no_candidate_of_fewer_terms_gives_up_so_little(found, price):
    r = recommended(found, within=price).results
    able = r.means >= r.means.max() - price - 1e-12
    assert able[r.chosen]
    assert r.sizes[r.chosen] == r.sizes[able].min()


@pytest.mark.parametrize("size", [2, 5, 29, 10**6])
def test_within_a_size_the_best_is_recommended(found, size):
    r = recommended(found, at_most=size).results
    able = np.round(r.sizes) <= size
    assert r.means[r.chosen] == r.means[able].max()
    assert able[r.chosen]


def test_a_size_that_was_not_to_be_tried_is_tried(found):
    few = ts.compare(*topical(40), **QUICK, at_most=7)
    assert few.chosen["terms"] == 7
    assert "which is the best of those with at most 7 terms, gives up" in few.answer[1]


def test_the_trade_off_rises_and_marks_the_answers(found):
    rows = list(found.trade_off)
    ahead = [
        rows[i] for i in range(len(rows)) if rows[i]["mean"] >= max(row["mean"] for row in rows[: i + 1])
    ]
    assert len(ahead) == len(worthwhile(found.results))
    assert [row["terms"] for row in rows] == sorted(row["terms"] for row in rows)
    marks = ", ".join(row["answer"] for row in rows if row["answer"]).split(", ")
    assert sorted(marks) == ["at most 500 terms", "best", "one standard error", "within 0.01"]
    assert next(row for row in rows if "best" in row["answer"])["mean"] == found.best["mean"]
    assert any(sentence.startswith("Terms by what is wanted of them: ") for sentence in found.details)


def test_the_page_draws_the_trade_off_and_names_its_answers(found):
    page = found.to_html(with_texts=False)
    section = page[page.index('id="trade-off"') :]
    section = section[: section.index("</section>")]
    assert section.count("<circle") == len(found.trade_off)
    assert "within 0.01" in section


class TestLatency:
    def test_of_candidates_that_are_quick_enough_the_best_is_recommended(self):
        quick = ts.compare(*topical(20), **QUICK, latency=10**6)
        assert quick.results.chosen == quick.results.best
        assert quick.left_out == []

    def test_where_none_is_quick_enough_it_is_said(self):
        slow = ts.compare(*topical(20), **QUICK, latency=1e-9)
        assert "No candidate that was timed labels a document in 1e-09 ms; the quickest" in slow.left_out[-1]
        assert "is the quickest of those that were timed" in slow.answer[1] or slow.chosen == slow.best


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ({"within": -0.1}, "within must be a number of at least 0, got -0.1"),
        ({"within": "little"}, "within must be a number of at least 0, got 'little'"),
        ({"at_most": 0}, "at_most must be a whole number of terms of at least 1, got 0"),
        ({"at_most": 2.5}, "at_most must be a whole number of terms of at least 1, got 2.5"),
        ({"latency": float("nan")}, "latency must be a number of at least 0, got nan"),
    ],
)
def test_a_wish_that_cannot_be_is_one_line(wish, message):
    with pytest.raises(ts.InvalidInputError, match=message):
        ts.compare(*topical(5), **QUICK, **wish)


class TestGoals:
    def test_other_goals_say_whether_they_would_choose_otherwise(self):
        several = ts.compare(*topical(30), **QUICK, goal=["accuracy", "mcc", "precision_at_recall(0.5)"])
        (told,) = (one for one in several.details if one.startswith("Of the recommendation "))
        assert "Matthews' correlation is" in told
        assert "precision at a recall of 0.5 is" in told
        assert told.count("would choose") == 2
        assert {"mcc", "precision_at_recall(0.5)"} <= set(several.table.columns)
        assert several.results.goal.name == "accuracy"
