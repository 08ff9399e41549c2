"""Studies: units that are done once, folders that are left alone."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import termsift as ts
import termsift_studies
from corpus_files import fails
from termsift._internal.files import TEMPORARY
from termsift._internal.tables import Table
from termsift_studies.running import add_checksum, run_plan
from termsift_studies.study import StudyPlan, find_failing_statements

COLUMNS = ("unit", "value")
STEMS = ("provenance", "results", "sum")


def plan(units, **settings) -> StudyPlan:
    """A plan of numbers."""

    def tabled(rows):
        return {"sum": Table({"sum": np.array([sum(int(row["value"]) for row in rows)])})}

    return StudyPlan({"seed": "0"} | settings, COLUMNS, units, tabled)


def row(unit: str, value: int):
    return lambda: [{"unit": unit, "value": value}]


class TestUnits:
    def test_rows_of_all_units_are_tabled(self, tmp_path):
        done = run_plan("numbers", plan({"a": row("a", 1), "b": row("b", 2)}), tmp_path / "s", 1, None)
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
            run_plan("numbers", plan({"a": a, "b": broken}), tmp_path / "s", 1, None)
        assert [path.name for path in (tmp_path / "s" / "units").iterdir()] == ["a.csv"]
        done = run_plan("numbers", plan({"a": a, "b": row("b", 2)}), tmp_path / "s", 1, None)
        assert calls == ["a"]
        assert list(done["sum"]["sum"]) == [3]

    def test_the_number_of_threads_changes_nothing(self, tmp_path):
        units = {str(i): row(str(i), i) for i in range(20)}
        for threads in (1, 3):
            run_plan("numbers", plan(units), tmp_path / str(threads), threads, None)
        one, three = ((tmp_path / name / "results.csv").read_bytes() for name in ("1", "3"))
        assert one == three

    def test_progress_counts_units_of_earlier_runs(self, tmp_path):
        seen = []
        run_plan("numbers", plan({"a": row("a", 1)}), tmp_path / "s", 1, None)
        both = plan({"a": row("a", 1), "b": row("b", 2)})
        run_plan("numbers", both, tmp_path / "s", 1, lambda *done: seen.append(done))
        assert seen == [(2, 2)]

    def test_results_of_other_settings_are_left_alone(self, tmp_path):
        run_plan("numbers", plan({"a": row("a", 1)}), tmp_path / "s", 1, None)
        with pytest.raises(ts.InvalidInputError, match=r"holds results with another seed \(0, now 1\)"):
            run_plan("numbers", plan({"a": row("a", 1)}, seed="1"), tmp_path / "s", 1, None)

    def test_a_folder_of_something_else_is_left_alone(self, tmp_path):
        (tmp_path / "thesis.tex").write_text("years of work")
        with pytest.raises(ts.InvalidInputError, match="is not empty and holds no study"):
            run_plan("numbers", plan({"a": row("a", 1)}), tmp_path, 1, None)

    def test_a_file_is_left_alone(self, tmp_path):
        (tmp_path / "mail.csv").write_text("text,label\n")
        with pytest.raises(ts.InvalidInputError, match="is a file; results need a folder of their own"):
            run_plan("numbers", plan({"a": row("a", 1)}), tmp_path / "mail.csv", 1, None)
        assert (tmp_path / "mail.csv").read_text() == "text,label\n"

    def test_a_folder_that_cannot_be_made_is_named(self, tmp_path):
        (tmp_path / "file").write_text("")
        with pytest.raises(ts.UnreadableFileError, match="cannot make the folder"):
            run_plan("numbers", plan({"a": row("a", 1)}), tmp_path / "file" / "s", 1, None)


def finished(folder, units):
    """The folder of a run that is done."""
    run_plan("numbers", plan(units), folder, 1, None)
    return folder


# a file that was emptied, cut, altered, or is of another unit, or of a version that did not prove it whole
DAMAGE = {
    "emptied": lambda content: b"",
    "cut": lambda content: content[: len("unit,value\na,1\n")],
    "cut by a byte": lambda content: content[:-1],
    "longer by a byte": lambda content: content + b"\n",
    "altered": lambda content: content.replace(b"a,1", b"a,7"),
    "of another unit": lambda content: add_checksum("b", "unit,value\nb,2\n").encode(),
    "of other columns": lambda content: add_checksum("a", "unit,number\na,1\n").encode(),
    "of an older version": lambda content: b"unit,value\na,1\n",
    "not UTF-8": lambda content: b"\xff" + content,
    "a long field": lambda content: b"unit,value\na," + b"1" * 200_000 + b"\n",
}


class TestDamagedFolders:
    units: ClassVar = {"a": row("a", 1), "b": row("b", 2)}

    @pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
    def test_a_unit_that_is_not_whole_is_worked_out_again(self, tmp_path, damage):
        folder = finished(tmp_path / "s", self.units)
        file = folder / "units" / "a.csv"
        before = {path: path.read_bytes() for path in folder.rglob("*.csv")}
        file.write_bytes(damage(before[file]))
        with pytest.warns(ts.TermsiftWarning, match=r"a\.csv is not whole, or of an older version"):
            finished(folder, self.units)
        assert {path: path.read_bytes() for path in folder.rglob("*.csv")} == before

    def test_of_several_the_first_is_named(self, tmp_path):
        folder = finished(tmp_path / "s", self.units)
        for file in (folder / "units").iterdir():
            file.write_text("")
        with pytest.warns(ts.TermsiftWarning, match=r"a\.csv and 1 more are not whole"):
            finished(folder, self.units)

    def test_a_unit_that_is_altered_meanwhile_is_an_error(self, tmp_path):
        def b():
            (tmp_path / "s" / "units" / "a.csv").write_text("")
            return row("b", 2)()

        with pytest.raises(
            ts.UnreadableFileError, match=r"a\.csv was altered while the study ran; run it again"
        ):
            finished(tmp_path / "s", self.units | {"b": b})

    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            (b"", "it has no what, value"),
            (b"a,b\n1,2\n", "it has no what, value"),
            (b"what,value\nstudy\n", "row 1 has more or fewer cells than its head"),
            (b"what,value\nstudy,\xff\n", "can't decode byte 0xff"),
            (b'what,value\nstudy,"numbers\n', "unexpected end of data"),
            (b"what,value\nstudy," + b"x" * 200_000, "field larger than field limit"),
        ],
    )
    def test_a_damaged_provenance_is_one_line(self, tmp_path, content, reason):
        folder = finished(tmp_path / "s", self.units)
        (folder / "provenance.csv").write_bytes(content)
        fails(rf"provenance\.csv is damaged or truncated: .*{reason}", finished, folder, self.units)

    @pytest.mark.parametrize(
        ("name", "match"),
        [
            ("units/a.csv", "cannot read .*a.csv: Is a directory"),
            ("provenance.csv", "provenance.csv is a folder, not a file"),
            ("results.csv", "results.csv is a folder; give the name of a file to write"),
        ],
    )
    def test_a_folder_in_the_place_of_a_file(self, tmp_path, name, match):
        folder = finished(tmp_path / "s", self.units)
        (folder / name).unlink()
        (folder / name).mkdir()
        fails(match, finished, folder, self.units)

    def test_a_file_in_the_place_of_a_folder(self, tmp_path):
        folder = finished(tmp_path / "s", self.units)
        shutil.rmtree(folder / "tables")
        (folder / "tables").write_text("")
        fails("cannot make the folder .*tables: File exists", finished, folder, self.units)

    @pytest.mark.parametrize("name", ["tea/coffee", "x/../../../out", "..", "n" * 300, "nul\0", "\ud800", ""])
    def test_a_unit_of_any_name_stays_in_its_folder(self, tmp_path, name):
        folder = finished(tmp_path / "s", {name: row("a", 1)})
        assert [path.parent for path in folder.rglob("*.csv") if path.stem not in STEMS] == [folder / "units"]
        assert list(tmp_path.iterdir()) == [folder]
        finished(folder, {name: lambda: pytest.fail("it was done")})

    def test_what_a_kill_at_the_beginning_leaves_is_no_other_folder(self, tmp_path):
        (tmp_path / "s").mkdir()
        (tmp_path / "s" / f"{TEMPORARY}x").write_text("what")
        finished(tmp_path / "s", self.units)


def test_a_failing_statement_names_the_interpretations_in_which_it_holds():
    told = {
        "main": {"a": ("1", "holds"), "b": ("2", "holds in part")},
        "x": {"a": ("9", "does not hold"), "b": ("3", "holds")},
        "y": {"a": ("9", "holds"), "b": ("2", "holds in part")},
        "z": {"a": ("1", "holds"), "b": ("4", "does not hold")},
    }
    said = [
        {
            "interpretation": interpretation,
            "where": "section 1",
            "statement": what,
            "ours": ours,
            "verdict": verdict,
        }
        for interpretation, own in told.items()
        for what, (ours, verdict) in own.items()
    ]
    assert list(find_failing_statements(said, "main")) == [
        {"where": "section 1", "statement": "b", "verdict": "holds in part"}
        | {"interpretations tried": 2, "holds in": "x"}
    ]


def test_studies_are_named():
    assert "forman2003-all" in termsift_studies.names()
    with pytest.raises(ts.UnknownNameError, match="did you mean 'zheng2004'"):
        termsift_studies.run("zheng2003")


def test_unknown_studies_have_a_near_miss(run_studies, tmp_path):
    code, _, err = run_studies("run", "zheng204", "-o", tmp_path / "s")
    assert code == 1
    assert "no study named 'zheng204'; did you mean 'zheng2004'?" in err


def test_a_study_without_its_corpus_names_the_publisher(run_studies, tmp_path):
    code, _, err = run_studies("run", "zheng2004", "-o", tmp_path / "s", "--data-dir", tmp_path)
    assert code == 1
    assert "https://archive.ics.uci.edu/dataset/137" in err
    assert not (tmp_path / "s").exists()
    assert Path(tmp_path).is_dir()


def test_a_study_without_a_summary_shows_its_first_table(run_studies, tmp_path):
    code, out, _ = run_studies("run", "tang2016-synthetic", "--quick", "-o", tmp_path / "s")
    assert code == 0
    assert out.startswith("quantity")
    assert "under H2" in out
