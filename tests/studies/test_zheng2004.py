"""What the paper of 2004 concludes, asked of results made up for it, and the readings of it."""

from __future__ import annotations

import numpy as np
import pytest

import termsift as ts
from termsift.studies.zheng2004.averages import SCENARIOS, outcomes
from termsift.studies.zheng2004.claims import claims
from termsift.studies.zheng2004.tables import tables

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
    whole = outcomes(rows, CATEGORIES)
    return {line["statement"]: line["verdict"] for line in claims(outcomes(rows, range(3, 21)), whole, rows)}


def test_results_that_bear_the_paper_out():
    found = verdicts(results())
    assert found["iCC (ratio chosen on the test set) is significantly better than CHI and CC"] == "holds"
    assert found["with NB iCC' (ratio chosen on the training set) is better than CHI and CC"] == "holds"
    assert found["the largest value of a positive term is above that of a negative one"] == "holds"
    assert found["ideal combination improves LR"] == "holds"
    assert found["over all 90 categories iCC' is always better than CC"] == "holds"
    falls = [verdict for what, verdict in found.items() if what.startswith("the best ratio falls")]
    assert falls == ["holds"]


def test_results_that_speak_against_it():
    flat = verdicts(results(dict.fromkeys(QUALITY, 50), none=90))
    assert (
        flat["iCC (ratio chosen on the test set) is significantly better than CHI and CC"] == "does not hold"
    )
    assert flat["ideal combination improves LR"] == "does not hold"
    assert flat["selection helps NB"] == "does not hold"


def test_without_logistic_regression_nothing_is_concluded():
    rows = [row for row in results() if row["classifier"] != "LR"]
    assert claims(outcomes(rows, range(3, 21)), outcomes(rows, CATEGORIES), rows) == []


def test_every_table_is_made_of_the_rows():
    found = tables(results(), range(3, 21))
    assert {"table1", "table4", "table5", "summary", "averages", "ratios", "claims"} <= set(found)
    assert {row["method"] for row in found["table1"]} >= {"IG", "SIG", "iSIG", "none"}
    assert set(SCENARIOS) | {"two-sided"} == set(QUALITY)


def test_the_readings_are_compared(data_folder, tmp_path):
    done = ts.studies.run("zheng2004-readings", quick=True, folder=tmp_path / "s", data_dir=data_folder)
    lines = {line["reading"]: line for line in done.tables["summary"]}
    assert lines["nearest"]["terms"] == 8645
    assert lines["words, not stems"]["terms"] == 11761
    # three categories: money-fx, grain and crude
    assert lines["nearest"]["table 7, CHI+"] == 3
    assert lines["references are words"]["table 7, CHI-"] < lines["nearest"]["table 7, CHI-"]


def test_studies_are_named():
    assert "forman2003-all" in ts.studies.names()
    with pytest.raises(ts.UnknownName, match="did you mean 'zheng2004'"):
        ts.studies.run("zheng2003")
