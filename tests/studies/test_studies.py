"""Studies: units that are done once, folders that are left alone, tables beside the printed ones."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import termsift as ts
from termsift.studies.plan import Study, carried_out
from termsift.studies.published import printed
from termsift.studies.zheng2004.averages import outcomes
from termsift.tables import Table

COLUMNS = ("unit", "value")


def study(units, **settings) -> Study:
    """A study of numbers."""

    def tabled(rows):
        return {"sum": Table({"sum": np.array([sum(int(row["value"]) for row in rows)])})}

    return Study("numbers", {"seed": "0"} | settings, COLUMNS, units, tabled)


def row(unit: str, value: int):
    return lambda: [{"unit": unit, "value": value}]


class TestUnits:
    def test_rows_of_all_units_are_tabled(self, tmp_path):
        done = carried_out(study({"a": row("a", 1), "b": row("b", 2)}), tmp_path / "s", 1, None)
        assert list(done.tables["sum"]["sum"]) == [3]
        assert (tmp_path / "s" / "results.csv").read_text() == "unit,value\na,1\nb,2\n"
        assert (tmp_path / "s" / "tables" / "sum.csv").read_text() == "sum\n3\n"

    def test_a_unit_that_is_done_is_not_worked_out_again(self, tmp_path):
        calls = []

        def a():
            calls.append("a")
            return row("a", 1)()

        def broken():
            raise RuntimeError("power cut")

        with pytest.raises(RuntimeError, match="power cut"):
            carried_out(study({"a": a, "b": broken}), tmp_path / "s", 1, None)
        assert [path.name for path in (tmp_path / "s" / "units").iterdir()] == ["a.csv"]
        done = carried_out(study({"a": a, "b": row("b", 2)}), tmp_path / "s", 1, None)
        assert calls == ["a"]
        assert list(done.tables["sum"]["sum"]) == [3]

    def test_the_number_of_threads_changes_nothing(self, tmp_path):
        units = {str(i): row(str(i), i) for i in range(20)}
        for threads in (1, 3):
            carried_out(study(units), tmp_path / str(threads), threads, None)
        one, three = ((tmp_path / name / "results.csv").read_bytes() for name in ("1", "3"))
        assert one == three

    def test_progress_counts_what_was_done_before(self, tmp_path):
        seen = []
        carried_out(study({"a": row("a", 1)}), tmp_path / "s", 1, None)
        both = study({"a": row("a", 1), "b": row("b", 2)})
        carried_out(both, tmp_path / "s", 1, lambda *done: seen.append(done))
        assert seen == [(2, 2)]

    def test_results_of_other_settings_are_left_alone(self, tmp_path):
        carried_out(study({"a": row("a", 1)}), tmp_path / "s", 1, None)
        with pytest.raises(ts.InvalidInput, match=r"holds results with another seed \(0, now 1\)"):
            carried_out(study({"a": row("a", 1)}, seed="1"), tmp_path / "s", 1, None)

    def test_a_folder_of_something_else_is_left_alone(self, tmp_path):
        (tmp_path / "thesis.tex").write_text("years of work")
        with pytest.raises(ts.InvalidInput, match="is not empty and holds no study"):
            carried_out(study({"a": row("a", 1)}), tmp_path, 1, None)

    def test_a_file_is_left_alone(self, tmp_path):
        (tmp_path / "mail.csv").write_text("text,label\n")
        with pytest.raises(ts.InvalidInput, match="is a file; results need a folder of their own"):
            carried_out(study({"a": row("a", 1)}), tmp_path / "mail.csv", 1, None)
        assert (tmp_path / "mail.csv").read_text() == "text,label\n"

    def test_a_folder_that_cannot_be_made_is_named(self, tmp_path):
        (tmp_path / "file").write_text("")
        with pytest.raises(ts.UnreadableFile, match="cannot make the folder"):
            carried_out(study({"a": row("a", 1)}), tmp_path / "file" / "s", 1, None)


class TestPublished:
    def test_the_four_tables_have_396_cells(self):
        cells = [line for n in range(1, 5) for line in printed("zheng2004", f"table{n}")]
        assert sum(line["method"] != "none" for line in cells) == 396

    @pytest.mark.parametrize(
        "n, method, size, value",
        [(1, "iCC", "50", 0.77), (2, "OR", "3000", 0.494), (3, "iOR", "3000", 0.816)],
    )
    def test_cells_of_the_paper(self, n, method, size, value):
        cells = {(line["method"], line["size"]): line["value"] for line in printed("zheng2004", f"table{n}")}
        assert float(cells[method, size]) == value

    def test_table_7_has_all_categories(self):
        lines = printed("zheng2004", "table7")
        assert {int(line["category_id"]) for line in lines} == set(range(3, 61))
        assert len(lines) == 58 * 6


def test_averages_pool_or_average_the_categories():
    def of(category, tp, fp, fn):
        named = {"classifier": "NB", "metric": "cc", "scenario": "ideal", "size": "10", "ties": "shared"}
        return named | {"category": category, "ratio": "0.5", "tp": tp, "fp": fp, "fn": fn}

    found = outcomes([of("3", "8", "2", "2"), of("4", "0", "1", "1"), of("9", "1", "0", "0")], [3, 4])
    key = ("NB", "iCC", "10", "shared")
    assert found.macro(key) == pytest.approx(0.4)
    assert found.micro(key) == pytest.approx(16 / 22)
    assert found.ratio[key].tolist() == [0.5, 0.5]


def results(name: str) -> list[dict[str, str]]:
    """A table of the results that come with the package."""
    path = files("termsift.studies").joinpath("results", "zheng2004", f"{name}.csv")
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


@pytest.fixture(scope="module")
def quick(data_folder, tmp_path_factory) -> ts.studies.Results:
    """The quick study."""
    folder = tmp_path_factory.mktemp("zheng2004") / "quick"
    return ts.studies.run("zheng2004", quick=True, folder=folder, data_dir=data_folder)


class TestZheng2004:
    """The quick study, and what it says of the results that come with the package."""

    def test_quick_results_are_those_of_the_whole_study(self, quick):
        curves = {
            (line["name"], line["ratio"]): line["f1"]
            for line in results("curves")
            if line["classifier"] == "NB"
        }
        ours = {(line["name"], str(line["ratio"])): str(line["f1"]) for line in quick.tables["curves"]}
        assert len(ours) == 210
        assert ours == {key: curves[key] for key in ours}

    def test_largest_values_are_the_printed_ones(self, quick):
        lines = [line for line in quick.tables["table7"] if line["metric"] == "CHI" and line["sign"] == "+"]
        assert len(lines) == 10
        assert sum(abs(line["relative"]) <= 0.03 for line in lines) >= 9

    def test_the_command_goes_on_after_a_kill(self, data_folder, quick, tmp_path):
        command = [
            sys.executable,
            "-c",
            "from termsift.cli import main; main()",
            "study",
            "zheng2004",
            "--quick",
        ]
        command += ["-o", str(tmp_path / "s"), "--data-dir", str(data_folder), "--json"]
        running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while running.poll() is None and not list((tmp_path / "s").glob("units/*.csv")):
            time.sleep(0.02)
        os.kill(running.pid, signal.SIGKILL)
        running.wait()
        before = {path: path.stat().st_mtime_ns for path in (tmp_path / "s").glob("units/*.csv")}
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        assert all(path.stat().st_mtime_ns == at for path, at in before.items())
        assert (tmp_path / "s" / "results.csv").read_bytes() == (quick.folder / "results.csv").read_bytes()
        assert json.loads(done.stdout)[0]["table"] == "table1"
        figures = {path.name for path in (tmp_path / "s" / "figures").iterdir()}
        assert figures >= {f"figure{n}.svg" for n in (1, 2, 3, 4, 6)}


class TestResults:
    """The results that come with the package: what was claimed of them is in them."""

    def test_mean_differences_are_within_the_target(self):
        whole = {line["table"]: line for line in results("summary") if line["method"] == "every method"}
        assert all(float(whole[f"table{n}"]["mean absolute difference"]) <= 0.02 for n in range(1, 5))

    def test_no_method_is_far_off(self):
        lines = [line for line in results("summary") if line["table"] in {f"table{n}" for n in range(1, 5)}]
        assert len({line["method"] for line in lines}) == 11
        assert all(abs(float(line["mean difference"])) <= 0.03 for line in lines)

    def test_largest_values_of_positive_terms(self):
        lines = [line for line in results("table7") if line["sign"] == "+" and line["metric"] == "CHI"]
        assert sum(abs(float(line["relative"])) <= 0.03 for line in lines) >= 45


def test_unknown_studies_have_a_near_miss(run, tmp_path):
    code, _, err = run("study", "zheng204", "-o", tmp_path / "s")
    assert code == 1
    assert "no study named 'zheng204'; did you mean 'zheng2004'?" in err


def test_a_study_without_its_corpus_says_where_it_is_offered(run, tmp_path):
    code, _, err = run("study", "zheng2004", "-o", tmp_path / "s", "--data-dir", tmp_path)
    assert code == 1
    assert "https://www.nltk.org/nltk_data/" in err
    assert not (tmp_path / "s").exists()
    assert Path(tmp_path).is_dir()
