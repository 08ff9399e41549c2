"""Studies: units that are done once, folders that are left alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import termsift as ts
from termsift.studies.running import carried_out_plan
from termsift.studies.study import StudyPlan
from termsift.tables import Table

COLUMNS = ("unit", "value")


def plan(units, **settings) -> StudyPlan:
    """A plan of numbers."""

    def tabled(rows):
        return {"sum": Table({"sum": np.array([sum(int(row["value"]) for row in rows)])})}

    return StudyPlan({"seed": "0"} | settings, COLUMNS, units, tabled)


def row(unit: str, value: int):
    return lambda: [{"unit": unit, "value": value}]


class TestUnits:
    def test_rows_of_all_units_are_tabled(self, tmp_path):
        done = carried_out_plan(
            "numbers", plan({"a": row("a", 1), "b": row("b", 2)}), tmp_path / "s", 1, None
        )
        assert list(done["sum"]["sum"]) == [3]
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
            carried_out_plan("numbers", plan({"a": a, "b": broken}), tmp_path / "s", 1, None)
        assert [path.name for path in (tmp_path / "s" / "units").iterdir()] == ["a.csv"]
        done = carried_out_plan("numbers", plan({"a": a, "b": row("b", 2)}), tmp_path / "s", 1, None)
        assert calls == ["a"]
        assert list(done["sum"]["sum"]) == [3]

    def test_the_number_of_threads_changes_nothing(self, tmp_path):
        units = {str(i): row(str(i), i) for i in range(20)}
        for threads in (1, 3):
            carried_out_plan("numbers", plan(units), tmp_path / str(threads), threads, None)
        one, three = ((tmp_path / name / "results.csv").read_bytes() for name in ("1", "3"))
        assert one == three

    def test_progress_counts_what_was_done_before(self, tmp_path):
        seen = []
        carried_out_plan("numbers", plan({"a": row("a", 1)}), tmp_path / "s", 1, None)
        both = plan({"a": row("a", 1), "b": row("b", 2)})
        carried_out_plan("numbers", both, tmp_path / "s", 1, lambda *done: seen.append(done))
        assert seen == [(2, 2)]

    def test_results_of_other_settings_are_left_alone(self, tmp_path):
        carried_out_plan("numbers", plan({"a": row("a", 1)}), tmp_path / "s", 1, None)
        with pytest.raises(ts.InvalidInput, match=r"holds results with another seed \(0, now 1\)"):
            carried_out_plan("numbers", plan({"a": row("a", 1)}, seed="1"), tmp_path / "s", 1, None)

    def test_a_folder_of_something_else_is_left_alone(self, tmp_path):
        (tmp_path / "thesis.tex").write_text("years of work")
        with pytest.raises(ts.InvalidInput, match="is not empty and holds no study"):
            carried_out_plan("numbers", plan({"a": row("a", 1)}), tmp_path, 1, None)

    def test_a_file_is_left_alone(self, tmp_path):
        (tmp_path / "mail.csv").write_text("text,label\n")
        with pytest.raises(ts.InvalidInput, match="is a file; results need a folder of their own"):
            carried_out_plan("numbers", plan({"a": row("a", 1)}), tmp_path / "mail.csv", 1, None)
        assert (tmp_path / "mail.csv").read_text() == "text,label\n"

    def test_a_folder_that_cannot_be_made_is_named(self, tmp_path):
        (tmp_path / "file").write_text("")
        with pytest.raises(ts.UnreadableFile, match="cannot make the folder"):
            carried_out_plan("numbers", plan({"a": row("a", 1)}), tmp_path / "file" / "s", 1, None)


def test_studies_are_named():
    assert "forman2003-all" in ts.studies.names()
    with pytest.raises(ts.UnknownName, match="did you mean 'zheng2004'"):
        ts.studies.run("zheng2003")


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
