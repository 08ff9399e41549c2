"""Landscape of a metric: contours with constant values, and errors."""

from __future__ import annotations

import re

import numpy as np
import pytest

import termsift as ts
from termsift.counts.contingency import Cells
from termsift.metrics.separation import bns
from termsift.report.charts import landscape


def points(picture):
    return picture.to_dict()["data"]["values"]


def test_the_metric_is_constant_along_a_line():
    found = points(landscape("bns", positives=50, negatives=1750, levels=[0.5, 1.5]))
    assert {point["level"] for point in found} == {0.5, 1.5}
    tp, fp = (
        np.array([point[name] for point in found]) * size for name, size in (("tpr", 50), ("fpr", 1750))
    )
    values = bns(Cells(tp, fp, 50 - tp, 1750 - fp))
    assert np.allclose(values, [point["level"] for point in found], atol=0.01)


def test_a_number_of_levels_divides_the_plane_into_equal_areas():
    levels = sorted({point["level"] for point in points(landscape("acc2", levels=3))})
    # of a square, the corners beyond |tpr - fpr| = t have the area (1 - t)^2
    assert np.allclose([(1 - t) ** 2 for t in levels], [0.75, 0.5, 0.25], atol=0.02)


def test_options_and_user_defined_functions_are_drawn():
    literal = points(landscape("bns(zero='replace')", positives=10, negatives=10_000, levels=[3.2]))
    assert literal != points(landscape("bns", positives=10, negatives=10_000, levels=[3.2]))
    own = landscape(lambda cells: cells.tpr, levels=[0.25])
    assert {round(point["tpr"], 2) for point in points(own)} == {0.25}
    assert "a function" in own.to_dict()["title"]["text"]


@pytest.mark.parametrize("metric", ["log_ratio(of='df')", "lrc(of='df')", "dfs(per_class=True)"])
def test_metrics_are_drawn_if_their_options_make_them_functions_of_documents(metric):
    assert len(points(landscape(metric, levels=4)))


@pytest.mark.parametrize("metric", ["log_ratio", "log_ratio(of='tf')"])
def test_metrics_of_occurrences_are_drawn_as_functions_of_the_table(metric):
    found = points(landscape(metric, levels=[1]))
    inner = [point for point in found if point["fpr"] > 0.01]
    assert len(inner) > 10
    # a log2 ratio of 1: twice as frequent in the class
    assert np.allclose([point["tpr"] / point["fpr"] for point in inner], 2, rtol=0.02)


def test_landscapes_do_not_depend_on_the_number_of_points():
    for metric in ("lrc", "gini", "simple_maths", "percent_diff", "dfs"):
        assert points(landscape(metric, levels=2))
    assert points(landscape("lrc", levels=[1])) == points(landscape("lrc(adjust='none')", levels=[1]))


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"metric": "md"}, "md has no landscape"),
        ({"metric": "rand"}, "rand has no landscape"),
        ({"metric": "ig_all"}, "ig_all has no landscape"),
        ({"metric": "fisher_score(of='tf')"}, "fisher_score has no landscape"),
        ({"metric": "nix"}, "no metric named 'nix'"),
        ({"positives": 0}, "positives must be a positive number of documents"),
        ({"negatives": 2.5}, "negatives must be a positive number of documents"),
        ({"levels": 0}, "levels must be 1 to 40"),
        ({"levels": ["a"]}, "levels must be an integer or a list"),
        ({"levels": [np.nan]}, "levels must be one or more finite values"),
        ({"levels": []}, "levels must be one or more finite values"),
    ],
)
def test_invalid_arguments_raise_one_line_errors(arguments, message):
    with pytest.raises(ts.TermsiftError, match=re.escape(message)):
        landscape(**{"metric": "bns"} | arguments)


def test_the_command_writes_a_chart(run, tmp_path):
    code, out, err = run("landscape", "bns(zero='replace')", "-o", tmp_path / "bns.svg", "--levels", 4)
    assert (code, out) == (0, "")
    assert "landscape of" in err
    assert (tmp_path / "bns.svg").read_text().startswith("<svg")
    assert run("landscape", "bns", "-o", tmp_path / "bns.gif")[0] == 1
