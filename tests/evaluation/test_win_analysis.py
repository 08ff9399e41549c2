"""Win rates: an example by hand, plain loops, invariants, forms of input, edge cases."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import termsift as ts
from termsift._internal.tables import Table
from termsift.evaluation.paired_tests import paired_t, wilcoxon
from termsift.evaluation.win_analysis import (
    best_pairs,
    best_sizes,
    method_differences,
    pair_wins,
    residual_wins,
    win_rates,
)

# four problems (a to d), the best of each at 90: ig wins a and b, chi a and b too, bns c and d, rand none;
# at a tolerance of 2 bns also wins a, and rand d
BY_HAND = {
    "a": {"ig": 90.0, "chi": 90.0, "bns": 88.0, "rand": 10.0},
    "b": {"ig": 89.5, "chi": 90.0, "bns": 80.0, "rand": 20.0},
    "c": {"ig": 70.0, "chi": 60.0, "bns": 90.0, "rand": 30.0},
    "d": {"ig": 80.0, "chi": 87.0, "bns": 90.0, "rand": 88.0},
}
FORMS = (
    pd.DataFrame,
    pl.DataFrame,
    pa.table,
    dict,
    lambda columns: Table({n: np.array(c) for n, c in columns.items()}),
)


def columns_of(values, **more) -> dict[str, list]:
    """Columns of a mapping of problems to methods to values."""
    rows = [(p, m, v, *more.values()) for p, own in values.items() for m, v in own.items()]
    return dict(zip(("problem", "method", "value", *more), map(list, zip(*rows, strict=True)), strict=True))


def shares(table) -> dict:
    return {row["method"]: row["share"] for row in table}


def rows_of(table) -> list[tuple]:
    return [tuple(row.values()) for row in table]


def test_win_rates_of_the_example():
    table = win_rates(columns_of(BY_HAND), [1, 2])
    assert rows_of(table) == [
        (1.0, "bns", 2, 0.5),
        (1.0, "chi", 2, 0.5),
        (1.0, "ig", 2, 0.5),
        (1.0, "rand", 0, 0.0),
        (2.0, "bns", 3, 0.75),
        (2.0, "chi", 2, 0.5),
        (2.0, "ig", 2, 0.5),
        (2.0, "rand", 1, 0.25),
    ]


def test_a_relative_tolerance_is_a_share_of_the_best():
    # 2 % of 90 are 1.8: 88 is out; 3 % are 2.7, 4 % 3.6
    values = columns_of(BY_HAND)
    assert shares(win_rates(values, [0.02], relative=True)) == {"bns": 0.5, "chi": 0.5, "ig": 0.5, "rand": 0}
    assert shares(win_rates(values, [0.03], relative=True)) == {
        "bns": 0.75,
        "chi": 0.5,
        "ig": 0.5,
        "rand": 0.25,
    }
    assert shares(win_rates(values, [0.04], relative=True))["chi"] == 0.75


def test_residual_wins_of_the_example():
    # ig fails on c and d: bns wins both, chi fails with ig as rand does
    assert rows_of(residual_wins(columns_of(BY_HAND), "ig", 1)) == [
        ("bns", 2, 2, 1.0, 1.0),
        ("chi", 2, 0, 0.0, 0.5),
        ("rand", 2, 0, 0.0, 0.5),
    ]
    assert rows_of(residual_wins(columns_of(BY_HAND), "ig", 2))[1:] == [
        ("rand", 2, 1, 0.5, 0.75),
        ("chi", 2, 0, 0.0, 0.5),
    ]


def test_pairs_of_the_example():
    values = columns_of(BY_HAND)
    assert rows_of(pair_wins(values, 1)) == [
        ("bns", "chi", 4, 1.0),
        ("bns", "ig", 4, 1.0),
        ("bns", "rand", 2, 0.5),
        ("chi", "ig", 2, 0.5),
        ("chi", "rand", 2, 0.5),
        ("ig", "rand", 2, 0.5),
    ]
    # of equals the first by name, and how many others there are
    assert rows_of(best_pairs(values, 1)) == [("bns", "chi", 4, 1.0, 1)]


def test_method_differences_equal_the_paired_tests():
    table = method_differences(columns_of(BY_HAND))
    bns, chi, ig = ([own[method] for own in BY_HAND.values()] for method in ("bns", "chi", "ig"))
    rows = rows_of(table)
    assert [row[:2] for row in rows] == list(combinations(("bns", "chi", "ig", "rand"), 2))
    assert rows[0][2:] == (pytest.approx(5.25), wilcoxon(bns, chi).statistic, wilcoxon(bns, chi).p_value)
    found = rows_of(method_differences(columns_of(BY_HAND), paired_t))[1]
    assert found[3:] == (paired_t(bns, ig).statistic, paired_t(bns, ig).p_value)


def test_the_best_size_is_the_smallest_of_equals():
    runs = {
        "problem": ["p"] * 6,
        "method": ["x", "x", "x", "y", "y", "y"],
        "size": ["all", 100, 20, 20, 100, "all"],
        "value": [0.7, 0.7, 0.6, 0.1, 0.2, 0.3],
    }
    assert rows_of(best_sizes(runs)) == [("p", "x", 100, 0.7), ("p", "y", "all", 0.3)]
    assert rows_of(best_sizes(runs, at=20)) == [("p", "x", 20, 0.6), ("p", "y", 20, 0.1)]
    assert rows_of(best_sizes(runs, at="all")) == [("p", "x", "all", 0.7), ("p", "y", "all", 0.3)]
    assert shares(win_rates(runs, [0.4])) == {"x": 1.0, "y": 1.0}
    assert shares(win_rates(best_sizes(runs, at=20), [0.4])) == {"x": 1.0, "y": 0.0}


def test_goals_are_evaluated_separately():
    first = columns_of(BY_HAND, goal="precision")
    second = columns_of({p: {m: -v for m, v in own.items()} for p, own in BY_HAND.items()}, goal="recall")
    runs = {name: first[name] + second[name] for name in first}
    table = best_pairs(runs, 1)
    assert table["goal"].tolist() == ["precision", "recall"]
    assert rows_of(table)[1] == ("recall", "ig", "rand", 4, 1.0, 0)
    assert [row["share"] for row in win_rates(runs, [1]) if row["goal"] == "precision"] == [0.5, 0.5, 0.5, 0]


@st.composite
def comparisons(draw):
    """Results with ties, of few problems and methods, in any order of rows."""
    problems, methods = draw(st.integers(1, 6)), draw(st.integers(2, 4))
    goals, sizes = (
        draw(st.sampled_from([("f1",), ("f1", "recall")])),
        draw(st.sampled_from([(10,), (10, 200)])),
    )
    cells = [(g, p, m, s) for g in goals for p in range(problems) for m in "wxyz"[:methods] for s in sizes]
    values = draw(st.lists(st.integers(-5, 20), min_size=len(cells), max_size=len(cells)))
    rows = draw(st.permutations([(*cell, value / 20) for cell, value in zip(cells, values, strict=True)]))
    return dict(
        zip(("goal", "problem", "method", "size", "value"), map(list, zip(*rows, strict=True)), strict=True)
    )


class Oracle:
    """The same by plain loops over the rows, in twentieths, which are whole."""

    def __init__(self, runs, tolerance, relative):
        self.rows = list(zip(*(runs[n] for n in ("goal", "problem", "method", "value")), strict=True))
        self.goals, self.problems, self.methods = (sorted({row[i] for row in self.rows}) for i in range(3))
        self.tolerance, self.relative = tolerance, relative

    def best(self, goal, problem, method=None):
        return max(
            round(v * 20) for g, p, m, v in self.rows if (g, p) == (goal, problem) and method in (None, m)
        )

    def wins(self, goal, problem, method):
        best = self.best(goal, problem)
        allowed = self.tolerance * (abs(best) / 20 if self.relative else 1)
        return (best - self.best(goal, problem, method)) / 20 <= allowed + 1e-9

    def won(self, goal, *methods):
        return sum(any(self.wins(goal, p, m) for m in methods) for p in self.problems)


tolerances = st.sampled_from([0, 0.05, 0.1, 0.15, 0.3])


@given(runs=comparisons(), tolerance=tolerances, relative=st.booleans())
def test_win_rates_equal_plain_loops(runs, tolerance, relative):
    oracle = Oracle(runs, tolerance, relative)
    expected = [
        (goal, tolerance, method, oracle.won(goal, method), oracle.won(goal, method) / len(oracle.problems))
        for goal in oracle.goals
        for method in sorted(oracle.methods, key=lambda method: (-oracle.won(goal, method), method))
    ]
    assert rows_of(win_rates(runs, [tolerance], relative=relative)) == expected


@given(runs=comparisons(), tolerance=tolerances, relative=st.booleans())
def test_residual_wins_equal_plain_loops(runs, tolerance, relative):
    oracle = Oracle(runs, tolerance, relative)
    for row in residual_wins(runs, "w", tolerance, relative=relative):
        goal, method = row["goal"], row["method"]
        left = [p for p in oracle.problems if not oracle.wins(goal, p, "w")]
        wins = sum(oracle.wins(goal, p, method) for p in left)
        assert (row["failures"], row["wins"]) == (len(left), wins)
        assert row["share"] == (wins / len(left) if left else 0)
        assert row["together"] == oracle.won(goal, "w", method) / len(oracle.problems)


@given(runs=comparisons(), tolerance=tolerances, relative=st.booleans())
def test_pairs_equal_plain_loops(runs, tolerance, relative):
    oracle = Oracle(runs, tolerance, relative)
    table, best = (
        pair_wins(runs, tolerance, relative=relative),
        best_pairs(runs, tolerance, relative=relative),
    )
    for goal in oracle.goals:
        two = list(combinations(oracle.methods, 2))
        expected = sorted((-oracle.won(goal, *pair), *pair) for pair in two)
        own = [row for row in table if row["goal"] == goal]
        assert [(-row["wins"], row["method"], row["other"]) for row in own] == expected
        (top,) = (row for row in best if row["goal"] == goal)
        assert (-top["wins"], top["method"], top["other"]) == expected[0]
        assert top["ties"] == sum(pair[0] == expected[0][0] for pair in expected) - 1


@given(runs=comparisons())
def test_best_sizes_equal_plain_loops(runs):
    rows = list(zip(*(runs[n] for n in ("goal", "problem", "method", "size", "value")), strict=True))
    keys = sorted({row[:3] for row in rows})
    expected = [(*key, *min((-v, s) for *k, s, v in rows if tuple(k) == key)[::-1]) for key in keys]
    assert rows_of(best_sizes(runs)) == [(*row[:4], -row[4]) for row in expected]


@given(runs=comparisons(), relative=st.booleans())
def test_shares_grow_with_the_tolerance_from_one_winner_to_all(runs, relative):
    table = list(win_rates(runs, [0, 0.01, 0.1, 1, math.inf], relative=relative))
    problems = len(set(runs["problem"]))
    for goal in set(runs["goal"]):
        own = [row for row in table if row["goal"] == goal]
        assert sum(row["wins"] for row in own if row["tolerance"] == 0) >= problems
        assert all(row["share"] == 1 for row in own if row["tolerance"] == math.inf)
        for method in set(runs["method"]):
            grown = [row["share"] for row in own if row["method"] == method]
            assert grown == sorted(grown)


@pytest.mark.parametrize("form", FORMS)
def test_accepts_data_frames_of_any_library(form):
    columns = columns_of(BY_HAND)
    expected = rows_of(win_rates(columns))
    assert rows_of(win_rates(form(columns))) == expected
    renamed = {"task": columns["problem"], "metric": columns["method"], "F": columns["value"]}
    assert rows_of(win_rates(form(renamed), problem="task", method="metric", value="F")) == expected


def test_rounding_errors_are_not_gaps():
    assert 0.96 - 0.95 > 0.01
    assert shares(win_rates(columns_of({"p": {"x": 0.96, "y": 0.95}}), [0.01])) == {"x": 1, "y": 1}
    assert shares(win_rates(columns_of({"p": {"x": 0.3, "y": 0.1 + 0.2}}), [0])) == {"x": 1, "y": 1}


def test_single_method_always_wins_and_has_no_pairs():
    alone = columns_of({"a": {"x": 0.5}, "b": {"x": 0.1}})
    assert shares(win_rates(alone, [0])) == {"x": 1.0}
    for table in (
        lambda: residual_wins(alone, "x", 0),
        lambda: pair_wins(alone, 0),
        lambda: best_pairs(alone, 0),
        lambda: method_differences(alone),
    ):
        with pytest.raises(ts.InvalidInputError, match="at least 2 methods are needed, got only 'x'"):
            table()


def test_one_problem():
    one = columns_of({"p": {"x": 0.5, "y": 0.1}})
    assert shares(win_rates(one, [0])) == {"x": 1.0, "y": 0.0}
    assert rows_of(best_pairs(one, 0)) == [("x", "y", 1, 1.0, 0)]
    assert rows_of(method_differences(one)) == [("x", "y", 0.4, 0.0, 1.0)]
    with pytest.raises(ts.InvalidInputError, match="problems must be at least 2, got 1"):
        method_differences(one, paired_t)


def test_all_ties():
    equal = columns_of({p: dict.fromkeys("xyz", 0.5) for p in "ab"})
    assert shares(win_rates(equal, [0])) == {"x": 1.0, "y": 1.0, "z": 1.0}
    assert rows_of(best_pairs(equal, 0)) == [("x", "y", 2, 1.0, 2)]
    assert rows_of(residual_wins(equal, "x", 0)) == [("y", 0, 0, 0.0, 1.0), ("z", 0, 0, 0.0, 1.0)]
    assert method_differences(equal)["p"].tolist() == [1.0, 1.0, 1.0]


def test_only_zero_is_within_a_relative_tolerance_of_a_best_value_of_zero():
    nothing = columns_of({"p": {"x": 0.0, "y": 0.0, "z": -0.1}})
    assert shares(win_rates(nothing, [0.5], relative=True)) == {"x": 1.0, "y": 1.0, "z": 0.0}


def test_values_of_any_magnitude():
    far = columns_of({"p": {"x": 1e308, "y": -1e308}, "q": {"x": 5e-324, "y": -1e308}})
    for relative in (False, True):
        assert shares(win_rates(far, [1], relative=relative)) == {"x": 1.0, "y": 0.0}


def test_error_names_the_missing_run():
    runs = {"problem": ["a", "a", "b"], "method": ["x", "y", "x"], "value": [1, 2, 3]}
    with pytest.raises(
        ts.InvalidInputError, match="no value for method 'y' on problem 'b'; every method needs a value"
    ):
        win_rates(runs)
    runs |= {"goal": ["f1"] * 3}
    with pytest.raises(
        ts.InvalidInputError, match="no value for method 'y' on problem 'b' for goal 'f1'; every"
    ):
        best_sizes(runs)
    runs = {"problem": ["a"] * 3, "method": ["x", "x", "y"], "size": [10, 20, 20], "value": [1, 2, 3]}
    with pytest.raises(
        ts.InvalidInputError, match="no value for method 'y' on problem 'a' at size 10; every"
    ):
        best_sizes(runs, at=10)


@pytest.mark.parametrize("value", [math.nan, math.inf, None])
def test_error_names_the_run_with_a_value_that_is_not_finite(value):
    runs = columns_of({"a": {"x": 1.0, "y": value}})
    with pytest.raises(
        ts.InvalidInputError, match=r"value must be finite, got .* for method 'y' on problem 'a'"
    ):
        win_rates(runs)


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ({"problem": [], "method": [], "value": []}, "the results are empty; at least one row is needed"),
        ({"problem": ["a"], "method": ["x"], "value": ["much"]}, "value must be numbers"),
        (
            {"problem": ["a"], "method": ["x"]},
            "column 'value' is not in the results; available columns: 'problem', 'method'",
        ),
        (
            {"problem": ["a", "b"], "method": ["x"], "value": [1]},
            "all columns must have the same length, got",
        ),
        (
            {"problem": ["a", None], "method": ["x", "x"], "value": [1, 2]},
            "column 'problem' has a missing value in row 1",
        ),
        (
            {"problem": ["a"], "method": [math.nan], "value": [1]},
            "column 'method' has a missing value in row 0",
        ),
        (
            pd.DataFrame({"problem": [pd.NA], "method": ["x"], "value": [1]}),
            "column 'problem' has a missing value in row 0",
        ),
        (
            {"problem": ["a"] * 2, "method": ["x"] * 2, "value": [1, 2]},
            "two values for method 'x' on problem 'a'; combine them first",
        ),
        ([1, 2], "results must be a Table, a data frame or a mapping of columns, got list"),
    ],
)
def test_invalid_results_are_one_line_errors(runs, message):
    with pytest.raises(ts.InvalidInputError, match=message):
        win_rates(runs)


def test_unknown_names_are_errors():
    values = columns_of(BY_HAND)
    with pytest.raises(ts.UnknownNameError, match="no method named 'bnss'; did you mean 'bns'"):
        residual_wins(values, "bnss", 1)
    with pytest.raises(
        ts.InvalidInputError, match="column 'gaol' is not in the results; available columns: "
    ):
        win_rates(values, goal="gaol")
    with pytest.raises(ts.UnknownNameError, match="no size named 5; there are: 10"):
        best_sizes(values | {"size": [10] * 16}, at=5)


@pytest.mark.parametrize("tolerance", [-1, math.nan, "1%"])
def test_rejects_negative_tolerances(tolerance):
    values = columns_of(BY_HAND)
    for table in (
        lambda: win_rates(values, [tolerance]),
        lambda: residual_wins(values, "ig", tolerance),
        lambda: pair_wins(values, tolerance),
    ):
        with pytest.raises(ts.InvalidInputError, match="tolerance must be a number of at least 0, got"):
            table()
    with pytest.raises(ts.InvalidInputError, match="tolerances must contain at least one number, got none"):
        win_rates(values, [])
