"""The study of Zheng, Wu and Srihari (2004): printed tables, a quick run, committed results, conclusions."""

from __future__ import annotations

import numpy as np
import pytest
from committed import COMMITTED
from scipy.sparse import csr_array

import termsift as ts
import termsift_studies
from termsift.counts.labels import as_labels
from termsift.engines.documents import Documents
from termsift.evaluation.classifiers.paths import ratio_sizes
from termsift.evaluation.splits import Fold
from termsift_studies.study import load_published
from termsift_studies.zheng2004.plan import FIRST, INTERPRETATIONS, TIES
from termsift_studies.zheng2004.sampling import (
    draw_outside,
    mean_ratio_of_others,
    nearest_outside,
    predict_ratios,
)
from termsift_studies.zheng2004.statements import SCENARIOS, zheng_outcomes, zheng_statements
from termsift_studies.zheng2004.tables import tabulate_best_ratios, zheng_tables
from termsift_studies.zheng2004.trials import (
    LACKING,
    NEAREST,
    OTHERS,
    PAPER,
    Scope,
    ZhengInterpretation,
    collect_texts_by_part,
)

CATEGORIES = range(1, 21)
SIZES = (50, 500, 2000)
# true positives of 100 by scenario: the better the ratio is chosen, the more
QUALITY = {"one-sided": 50, "two-sided": 55, "practical": 65, "cv": 68, "ideal": 75}


def results(quality=QUALITY, none=60) -> list[dict[str, str]]:
    """Rows of twenty categories in which every scenario has its quality, give or take a document."""
    rng = np.random.default_rng(0)
    rows = []
    for category in CATEGORIES:
        common = {"category": str(category), "name": f"c{category}", "value": "", "ties": "shared"}
        for metric in ("sig", "cc", "or"):
            for sign, value in (("+", 10.0), ("-", 1.0)):
                largest = {"metric": metric, "scenario": f"max{sign}", "value": str(value)}
                rows.append(common | largest | {"classifier": "", "size": "", "ratio": ""})
        for classifier in ("NB", "LR"):
            named = common | {"classifier": classifier}
            rows.append(named | cell("", "none", "all", none, ""))
            for metric in ("sig", "cc", "or"):
                for size in SIZES:
                    for scenario, tp in quality.items():
                        ratio = 1.0 if "sided" in scenario else (21 - category) / 20
                        own = tp + int(rng.integers(-1, 2))
                        rows.append(named | cell(metric, scenario, str(size), own, str(ratio)))
    return [row | {"ties": ties} for row in rows for ties in ("shared", "together")]


def cell(metric, scenario, size, tp, ratio):
    wrong = str(100 - tp)
    counts = {"tp": str(tp), "fp": wrong, "fn": wrong}
    return {"metric": metric, "scenario": scenario, "size": size, "ratio": ratio} | counts


def verdicts(rows) -> dict[str, str]:
    whole = zheng_outcomes(rows, CATEGORIES)
    return {
        line["statement"]: line["verdict"]
        for line in zheng_statements(zheng_outcomes(rows, range(3, 21)), whole, rows)
    }


def test_results_that_bear_the_paper_out():
    found = verdicts(results())
    ideal = found["iCC (ratio chosen on the test set) is significantly better than CHI and CC"]
    assert ideal == "by construction"
    assert found["with NB iCC' (ratio chosen on the training set) is better than CHI and CC"] == "holds"
    assert found["the largest value of a positive term is above that of a negative one"] == "holds"
    assert found["ideal combination improves LR"] == "holds"
    assert found["over all 90 categories iCC' is always better than CC"] == "holds"
    falls = [verdict for what, verdict in found.items() if what.startswith("the best ratio falls")]
    assert falls == ["holds"]
    differ = [verdict for what, verdict in found.items() if what.startswith("the best ratios of")]
    assert differ == ["does not hold"] * 3  # both classifiers have the same ratios here


def test_ratios_that_differ_without_a_shift_differ():
    rows = results()
    for row in rows:
        if row["classifier"] == "LR" and row["scenario"] == "ideal":
            row["ratio"] = str(1 - float(row["ratio"]))
    differ = [verdict for what, verdict in verdicts(rows).items() if what.startswith("the best ratios of")]
    assert differ == ["holds"] * 3


def test_results_can_contradict_the_statements():
    flat = verdicts(results(dict.fromkeys(QUALITY, 50), none=90))
    assert (
        flat["iCC (ratio chosen on the test set) is significantly better than CHI and CC"] == "does not hold"
    )
    assert flat["ideal combination improves LR"] == "does not hold"
    assert flat["selection helps NB"] == "does not hold"


def test_without_logistic_regression_nothing_is_concluded():
    rows = [row for row in results() if row["classifier"] != "LR"]
    assert zheng_statements(zheng_outcomes(rows, range(3, 21)), zheng_outcomes(rows, CATEGORIES), rows) == []


def test_every_table_is_made_of_the_rows():
    found = zheng_tables(results(), range(3, 21))
    assert {"table1", "table4", "table5", "summary", "averages", "ratios", "claims"} <= set(found)
    assert {row["method"] for row in found["table1"]} >= {"IG", "SIG", "iSIG", "none"}
    assert set(SCENARIOS) | {"two-sided"} == set(QUALITY)


def test_the_interpretations_are_compared(data_folder, tmp_path):
    done = termsift_studies.run(
        "zheng2004-interpretations", quick=True, folder=tmp_path / "s", data_dir=data_folder
    )
    lines = {line["interpretation"]: line for line in done.tables["summary"]}
    assert lines["nearest"]["terms"] == 9482
    assert lines["as first read"]["terms"] == 8645
    # three categories: money-fx, grain and crude; every value of table 7 is the printed one
    largest = [name for name in lines["nearest"] if name.startswith("table 7")]
    assert len(largest) == 6
    assert all(lines["nearest"][name] == 3 for name in largest)
    assert lines["ApteMod's text alone"]["table 7, CHI+"] < 3
    assert lines["references are words"]["table 7, CHI-"] < 3
    assert lines["no bias"]["table 3, LR"] > lines["nearest"]["table 3, LR"]
    assert lines["no bias"]["table 1, NB"] == ""


def test_tie_breaking_is_compared_by_method(data_folder, tmp_path):
    done = termsift_studies.run("zheng2004-ties", quick=True, folder=tmp_path / "s", data_dir=data_folder)
    ours, from_the_end = done.tables["methods"]
    assert ours["support"] == INTERPRETATIONS["nearest"].support
    assert from_the_end["interpretation"] == "terms that tie from the alphabet's end"
    assert 0 <= from_the_end["method CC, NB"] < 0.5
    assert {"table 1, NB", "table 2, NB", "table 5, NB"} <= set(done.tables["summary"].columns)


def test_the_ratios_that_select_chooses_are_the_committed_ones(data_folder, tmp_path):
    done = termsift_studies.run("zheng2004-select", quick=True, folder=tmp_path / "s", data_dir=data_folder)
    rows = [row for row in COMMITTED.rows("zheng2004-select", "figure3") if row["rule"] == "difference"]
    assert [{name: str(row[name]) for name in rows[0]} for row in done.tables["figure3"]] == rows
    f1 = {row["chosen on"]: row["macro F1"] for row in done.tables["summary"]}
    assert f1["no search"] + 0.05 < f1["training set"] < f1["test set"]


def test_with_the_quotient_three_of_four_ratios_of_figure_3_are_best_on_the_test_set():
    lines = COMMITTED.rows("zheng2004-select", "figure3")
    best = {line["category"]: line["test set"].split() for line in lines if line["rule"] == "quotient"}
    printed = {line["category"]: line["printed"].split()[0] for line in lines}
    assert {name for name in best if printed[name] in best[name]} == {"grain", "dmk", "lumber"}


class TestInterpretation:
    def test_a_ratio_of_0_takes_one_positive_term_and_shares_are_rounded_down(self):
        assert NEAREST.positive_terms(50)[:4].tolist() == [1, 2, 5, 7]
        assert NEAREST.positive_terms(3000)[[0, 1, 20]].tolist() == [1, 150, 3000]

    def test_as_first_read_shares_are_those_of_the_policy(self):
        for size in (1, 7, 10, 30, 50, 3000):
            expected = ratio_sizes(size, np.arange(21) / 20)
            np.testing.assert_array_equal(FIRST.positive_terms(size), expected)

    def test_the_bias_is_a_weight_or_free_or_none(self):
        assert [interpretation.bias_penalty(1.5) for interpretation in (NEAREST, FIRST)] == [1.5, 0.0]
        assert ZhengInterpretation(bias="none").bias_penalty(1.5) == np.inf

    def test_of_equal_ratios_the_smallest_or_a_middle_one_or_the_largest_is_taken(self):
        f1 = np.array([0.1, 0.7, 0.7, 0.2, 0.7])
        interpretations = [ZhengInterpretation(equal=which) for which in ("smallest", "middle", "largest")]
        assert [Scope((), (), (), False, own).best_step(f1) for own in interpretations] == [1, 2, 4]

    def test_terms_of_equal_score_have_an_order_by_interpretation(self):
        # c is in the first document, a in the second, d in the second and the third, b in none
        rows = csr_array(np.array([[0, 0, 1, 0], [1, 0, 0, 1], [0, 0, 0, 1]]))
        train = Documents(rows, as_labels(["x", "y", "y"]), np.array(list("abcd"), dtype=object))
        fold = Fold(train, rows, train.truth)
        orders = {}
        for tied in ("frequent", "rare", "alphabet", "alphabet's end", "corpus"):
            scope = Scope((), (), (), False, ZhengInterpretation(tied_terms=tied))
            orders[tied] = scope.strongest(fold, np.ones(4), 4).tolist()
        assert orders == {
            "frequent": [3, 0, 2, 1],
            "rare": [1, 0, 2, 3],
            "alphabet": [0, 1, 2, 3],
            "alphabet's end": [3, 2, 1, 0],
            "corpus": [2, 0, 3, 1],
        }

    def test_the_metrics_beyond_the_paper_are_one_sided(self):
        assert all(ts.metrics()[name].sided == 1 for name in (*PAPER, *OTHERS))

    def test_every_other_interpretation_differs_from_the_nearest(self):
        others = [tried for name, tried in (INTERPRETATIONS | TIES).items() if name != "nearest"]
        assert all((tried.interpretation, tried.ties) != (NEAREST, "shared") for tried in others)


def test_a_story_of_dates_alone_is_completed_and_others_are_left():
    def corpus(train, test):
        texts, parts = [*train, *test], ["train"] * len(train) + ["test"] * len(test)
        return ts.corpora.Corpus("c", [["a"]] * len(texts), "", texts=texts, split=parts)

    apte = corpus([" 5-APR-1987 23:45:47.90\n 5-APR-1987 23:45:47.90\n", "Tea &lt;T>\nTea"], ["x"])
    whole = corpus(["wheat up\n Reuter", "Tea <T>", f"{LACKING}"], ["y\n REUTER "])
    assert collect_texts_by_part(apte, whole, NEAREST) == {
        "train": ["wheat up", "Tea <T>\nTea"],
        "test": ["x"],
    }
    assert collect_texts_by_part(apte, whole, ZhengInterpretation(text="distribution"))["test"] == ["y"]
    with pytest.raises(ts.UnreadableFileError, match="have not the same stories"):
        collect_texts_by_part(apte, corpus(["a"], ["b"]), NEAREST)


class TestImbalance:
    def test_the_ratio_of_a_category_follows_from_those_of_others(self):
        shares = np.array([1.0, 2.0, 4.0, 8.0])
        line = 0.2 + 0.1 * np.log(shares)
        np.testing.assert_allclose(predict_ratios(shares, line), line)
        # its own ratio does not matter
        odd = line.copy()
        odd[2] = 0.0
        assert predict_ratios(shares, odd)[2] == pytest.approx(line[2])

    def test_the_mean_of_the_others_excludes_the_category(self):
        np.testing.assert_allclose(mean_ratio_of_others(np.array([0.0, 0.5, 1.0])), [0.75, 0.5, 0.25])

    def test_the_query_zone_starts_with_the_documents_most_similar_to_the_category(self):
        rows = csr_array(np.array([[2, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 0, 1], [0, 0, 0, 1]]))
        truth = np.array([[False, True], [False, True], [True, False], [True, False], [True, False]])
        train = Documents(rows, as_labels(truth), np.array(list("abcd"), dtype=object))
        fold = Fold(train, rows, truth)
        assert nearest_outside(fold)[0] == 3
        assert sorted(draw_outside(fold)) == [2, 3, 4]


def test_figure_3_is_compared():
    curves = [
        {"name": name, "classifier": "NB", "ratio": ratio, "f1": f1}
        for name in ("money-fx", "grain", "dmk", "lumber")
        for ratio, f1 in (("0.1", 0.2), ("0.2", 0.5), ("0.95", 0.5))
    ]
    lines = {line["category"]: line for line in tabulate_best_ratios(curves)}
    assert len(lines) == 4
    assert lines["grain"]["ours"] == "0.2 0.95"
    assert lines["dmk"]["f1 at printed"] == 0.2
    assert lines["dmk"]["f1 at best"] == 0.5


class TestPublished:
    def test_the_four_tables_have_396_cells(self):
        cells = [line for n in range(1, 5) for line in load_published("zheng2004", f"table{n}")]
        assert sum(line["method"] != "none" for line in cells) == 396

    @pytest.mark.parametrize(
        "n, method, size, value",
        [(1, "iCC", "50", 0.77), (2, "OR", "3000", 0.494), (3, "iOR", "3000", 0.816)],
    )
    def test_cells_of_the_paper(self, n, method, size, value):
        cells = {
            (line["method"], line["size"]): line["value"] for line in load_published("zheng2004", f"table{n}")
        }
        assert float(cells[method, size]) == value

    def test_table_7_has_all_categories(self):
        lines = load_published("zheng2004", "table7")
        assert {int(line["category_id"]) for line in lines} == set(range(3, 61))
        assert len(lines) == 58 * 6


def test_averages_pool_or_average_the_categories():
    def of(category, tp, fp, fn):
        named = {"classifier": "NB", "metric": "cc", "scenario": "ideal", "size": "10", "ties": "shared"}
        return named | {"category": category, "ratio": "0.5", "tp": tp, "fp": fp, "fn": fn}

    found = zheng_outcomes([of("3", "8", "2", "2"), of("4", "0", "1", "1"), of("9", "1", "0", "0")], [3, 4])
    key = ("NB", "iCC", "10", "shared")
    assert found.average("macro", key) == pytest.approx(0.4)
    assert found.micro(key) == pytest.approx(16 / 22)
    assert found.ratio[key].tolist() == [0.5, 0.5]


def committed(name: str) -> list[dict[str, str]]:
    """A committed table."""
    return COMMITTED.rows("zheng2004", name)


@pytest.fixture(scope="module")
def quick(data_folder, tmp_path_factory) -> termsift_studies.StudyResults:
    """The quick study."""
    folder = tmp_path_factory.mktemp("zheng2004") / "quick"
    return termsift_studies.run("zheng2004", quick=True, folder=folder, data_dir=data_folder)


class TestZheng2004:
    """The quick study, and what it says of the committed results."""

    def test_quick_results_are_those_of_the_whole_study(self, quick):
        curves = {
            (line["name"], line["ratio"]): line["f1"]
            for line in committed("curves")
            if line["classifier"] == "NB"
        }
        ours = {(line["name"], str(line["ratio"])): str(line["f1"]) for line in quick.tables["curves"]}
        assert len(ours) == 210
        assert ours == {key: curves[key] for key in ours}

    def test_largest_values_are_the_printed_ones(self, quick):
        assert len(quick.tables["table7"]) == 60
        assert all(line["rounds"] for line in quick.tables["table7"])


class TestResults:
    """The committed results: what was claimed of them is in them."""

    def test_mean_differences_are_within_the_target(self):
        whole = [line for line in committed("summary") if line["method"] == "every method"]
        assert {line["table"] for line in whole} == {f"table{n}" for n in range(1, 6)}
        assert all(float(line["mean absolute difference"]) <= 0.006 for line in whole)

    def test_no_method_is_far_off(self):
        lines = committed("summary")
        assert len({line["method"] for line in lines}) == 12
        assert all(abs(float(line["mean difference"])) <= 0.015 for line in lines)

    def test_the_largest_values_round_to_the_printed_ones(self):
        lines = committed("table7")
        for metric in ("IG", "CHI", "ORS"):
            for sign in "+-":
                own = [line for line in lines if (line["metric"], line["sign"]) == (metric, sign)]
                assert sum(line["rounds"] == "True" for line in own) >= 55, (metric, sign)
