"""The figures of studies, from tables of their results."""

from __future__ import annotations

import csv

import pytest
from committed import ROOT

from termsift_studies.forman2003.results import COLOURS, forman_charts
from termsift_studies.forman2003.section5 import section5_charts
from termsift_studies.forman2003.statements import NAMES
from termsift_studies.plotting import is_overlapping, label_box, place_labels
from termsift_studies.publishing import draw_figures

# the contours of Forman's appendix C are computed once per process: one process draws all of these figures
pytestmark = pytest.mark.xdist_group("forman2003 figures")
GOALS = ("f1", "precision", "recall", "accuracy")
ALWAYS = ("1", "4", "5", "6", "9a", "9b", "10a", "10b", "12", "14", "15", "16", "17", "18", "19", "20", "21")
# precision of three metrics on two problems: ig wins the first, odds the second, bns neither within 1 %
PRECISION = {("x", "ig"): 0.9, ("x", "odds"): 0.5, ("x", "bns"): 0.85, ("y", "ig"): 0.5, ("y", "odds"): 0.9}


def write(path, lines) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)


def tables_of(folder, subsets):
    """Small tables of the study, in which a metric's values follow from its place."""
    values = {metric: 0.9 - 0.03 * i for i, metric in enumerate(NAMES)}
    averages = [
        {"problems": subset, "goal": goal, "metric": metric, "size": size, "value": value}
        for subset in subsets
        for goal in GOALS
        for metric, value in {**values, "all": 0.7}.items()
        for size in (("all",) if metric == "all" else (10, 1000, 2000))
    ]
    chances = [
        {"goal": goal, "tolerance": tolerance / (10 if goal == "accuracy" else 1), "method": metric,
         "wins": 1, "share": value - 0.1 + 5 * tolerance}
        for goal in GOALS
        for tolerance in (0.01, 0.05)
        for metric, value in values.items()
    ]  # fmt: skip
    maxima = [
        {"goal": goal, "set": "s", "class": one, "metric": metric, "value": PRECISION.get((one, metric), 0.1)}
        for goal in GOALS
        for one in ("x", "y")
        for metric in NAMES
    ]
    problems = [{"set": "s", "class": one, "skew": 9.5, "f1": 0.8} for one in ("x", "y")]
    folder.mkdir()
    for name, lines in zip(
        ("averages", "chances", "maxima", "problems"), (averages, chances, maxima, problems), strict=True
    ):
        write(folder / f"{name}.csv", lines)
    return folder


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    return tables_of(tmp_path_factory.mktemp("study") / "tables", ("all", "low skew", "high skew"))


@pytest.fixture(scope="module")
def charts(tables):
    return forman_charts(tables)


def drawn(chart):
    return chart.to_dict()["data"]["values"]


class TestForman2003:
    def test_every_figure_is_drawn(self, charts):
        assert set(charts) == {f"figure{n}" for n in (*ALWAYS, "7", "8")} | {"appendix-c"}

    def test_without_problems_of_high_skew_there_are_no_panels_by_skew(self, tmp_path):
        tables = tables_of(tmp_path / "tables", ("all", "low skew"))
        assert set(forman_charts(tables)) == {f"figure{n}" for n in ALWAYS} | {"appendix-c"}

    def test_metrics_are_named_as_printed_and_all_terms_are_a_line(self, charts):
        names = {row["metric"] for row in drawn(charts["figure4"])}
        assert names == {*NAMES.values(), "all terms"}

    def test_twelve_colours_differ_and_bns_is_bold_and_ig_dashed(self, charts):
        assert len(set(COLOURS.values())) == len(COLOURS) == 12
        encoding = charts["figure9a"].to_dict()["encoding"]
        widths, dashes = encoding["strokeWidth"]["scale"], encoding["strokeDash"]["scale"]
        width, dash = (dict(zip(s["domain"], s["range"], strict=True)) for s in (widths, dashes))
        assert COLOURS["BNS"] == "#000000"
        assert [name for name in width if width[name] > 2] == ["BNS"]
        assert [name for name in dash if dash[name] != [1, 0]] == ["IG"]

    def test_panels_by_skew_leave_out_three_metrics(self, charts):
        for panel in charts["figure7"].to_dict()["hconcat"]:
            names = {row["metric"] for row in panel["data"]["values"]}
            assert len(names) == 10
            assert not names & {"Rand", "DFreq", "PR"}

    def test_each_goal_has_its_figures(self, charts):
        for n, goal in enumerate(("F-measure", "recall", "precision", "accuracy")):
            assert goal in charts[f"figure{14 + n}"].to_dict()["encoding"]["y"]["title"]
            assert goal in charts[f"figure{18 + n}"].to_dict()["encoding"]["x"]["title"]

    def test_figure_9b_has_the_least_tolerance_of_each_goal(self, charts):
        rows = drawn(charts["figure9b"])
        assert {row["goal"] for row in rows} == {
            "F-measure, 1 %",
            "recall, 1 %",
            "precision, 1 %",
            "accuracy, 0.1 %",
        }
        assert len(rows) == 48

    def test_figure_10b_counts_problems_that_either_metric_wins(self, charts):
        shares = {(row["metric"], row["tolerance"]): row["share"] for row in drawn(charts["figure10b"])}
        assert shares["IG+Odds", 1] == 100
        assert shares["IG+BNS", 1] == shares["IG+Chi", 5] == shares["BNS+Odds", 1] == 50
        assert shares["BNS+Odds", 5] == 100
        assert len(shares) == 12 * 2

    def test_files_have_one_legend_each(self):
        """Of the committed files, which are what publishing draws."""
        files = list((ROOT / "docs" / "img" / "forman2003").iterdir())
        named = {f"figure{n}" for n in (*ALWAYS, "7", "8", "11", "22")} | {"appendix-c"}
        assert {path.stem for path in files} == named
        for path in files:
            titles = path.read_text(encoding="utf-8").count('class="mark-text role-legend-title"')
            without = ("figure1", "figure5", "figure6", "figure12", "appendix-c")
            assert titles == (0 if path.stem in without else 1), path.name

    def test_appendix_c_has_the_contours_of_every_metric_that_has_some(self, charts):
        panels = charts["appendix-c"].concat
        assert [panel.title for panel in panels] == [name for name in NAMES.values() if name != "Rand"]
        for panel in panels:
            lines = panel.data.values
            assert len({point["level"] for point in lines}) > 3, panel.title
            assert all(0 <= point[rate] <= 1 for point in lines for rate in ("tpr", "fpr"))

    def test_section_5_has_figures_if_it_was_run(self, tmp_path):
        assert section5_charts(tmp_path) == {}
        values = {"f1": 0.8, "precision": 0.9, "recall": 0.7}
        write(tmp_path / "cutoffs.csv", [{"cutoff": n, "size": 1000} | values for n in (1, 3)])
        weights = [
            {"alpha": alpha, "goal": goal, "size": size, "value": value}
            for alpha in (0.1, 0.5)
            for goal, value in values.items()
            for size in (10, 100)
        ]
        write(tmp_path / "alpha.csv", weights)
        charts = section5_charts(tmp_path)
        lines = {(row["goal"], row["cutoff"]): row["value"] for row in drawn(charts["figure11"])}
        assert lines == {
            (name, n): value
            for name, value in (("F-measure", 0.8), ("precision", 0.9), ("recall", 0.7))
            for n in (1, 3)
        }
        precision, recall = charts["figure22"].to_dict()["hconcat"]
        assert {row["value"] for row in precision["data"]["values"]} == {0.9}
        assert {(row["alpha"], row["size"]) for row in recall["data"]["values"]} == {
            (alpha, size) for alpha in (0.1, 0.5) for size in (10, 100)
        }

    def test_a_study_without_figures_has_none(self, tmp_path):
        assert draw_figures("zheng2004-interpretations", tmp_path, tmp_path / "figures") == []


class TestLabels:
    def test_names_of_near_points_do_not_cover_each_other(self):
        points = {"Acc": (50.0, 50.0), "Acc2": (56.0, 52.0), "BNS": (60.0, 48.0), "Chi": (58.0, 56.0)}
        offsets = place_labels(points)
        boxes = [
            label_box(x + dx, y + dy, name)
            for (name, (x, y)), (dx, dy) in zip(points.items(), offsets.values(), strict=True)
        ]
        assert not any(is_overlapping(a, b) for i, a in enumerate(boxes) for b in boxes[:i])

    def test_without_a_free_position_the_label_is_on_the_right(self):
        points = {str(n): (float(n % 9), float(n // 9)) for n in range(81)}
        assert place_labels(points)["80"] == (7.0, 0.0)
