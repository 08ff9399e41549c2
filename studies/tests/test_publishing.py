"""Declarations make every list of studies; publishing puts tables, figures and pages where they belong."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from committed import COMMITTED, ROOT

import termsift as ts
import termsift_studies
from corpus_files import fails
from termsift_studies.publishing import (
    ResultTables,
    check_target,
    draw_figures,
    publish_pages,
    publish_run,
    render_index,
    render_page,
    replace_files,
)
from termsift_studies.study import StudyResults, find_study, load_studies

STUDIES = load_studies()
PAPERS = [study.name for study in STUDIES.values() if not study.part_of]
# in the process of test_study_figures.py, which draws the same contours
WITH_FIGURES = [pytest.param(name, marks=pytest.mark.xdist_group(f"{name} figures")) for name in PAPERS]

# a paper's whole folder: nothing else in the package knows of it
DECLARED = """
from termsift_studies.study import Study

STUDIES = (
    Study("made-up", repeats="sums", takes="no time", quick="one", plan="plan:sums_plan",
          title="Sums: Nobody", figures="figures:sum_charts", page="tables:SUM_FILTERS"),
    Study("made-up-more", repeats="more sums", takes="no time", quick="one", plan="plan:sums_plan",
          part_of="made-up"),
)
"""
PLANNED = """
from termsift_studies.study import StudyPlan, build_tables, load_published

def sums_plan(data_dir=None, *, quick=False):
    units = {name: lambda name=name: [{"unit": name, "value": 1}] for name in ("a" if quick else "ab")}
    return StudyPlan({"seed": "0"}, ("unit", "value"), units, sums_tables)

def sums_tables(rows):
    theirs = load_published("made-up", "sums")[0]["value"]
    return build_tables({"summary": [{"printed": theirs, "ours": sum(int(row["value"]) for row in rows)}]})
"""
DRAWN = """
from termsift_studies.plotting import canvas, load_chart_rows

def sum_charts(tables):
    bars = canvas(load_chart_rows(tables / "summary.csv", ("ours",))).mark_bar().encode(x="ours:Q")
    return {"sums": bars}
"""
FILTERED = """
def doubled_ours(rows):
    return [row | {"doubled": str(2 * int(row["ours"]))} for row in rows]

SUM_FILTERS = (doubled_ours,)
"""
WRITTEN = """Printed & ours.

{{ rows("made-up", "summary") | doubled_ours | table_block }}

## Figures
{{ figure("sums", "The sums") }}
"""
FILES = {
    "__init__.py": DECLARED,
    "plan.py": PLANNED,
    "figures.py": DRAWN,
    "tables.py": FILTERED,
    "page.md": WRITTEN,
}


@pytest.fixture
def room(tmp_path, monkeypatch):
    """A folder beside the package in which a new paper stands."""
    folder = tmp_path / "room" / "made_up"
    (folder / "published").mkdir(parents=True)
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "published" / "sums.csv").write_text("where,value\ntable 1,3\n")
    monkeypatch.setattr(termsift_studies, "__path__", [*termsift_studies.__path__, str(folder.parent)])
    yield folder.parent
    for name in [name for name in sys.modules if name.startswith("termsift_studies.made_up")]:
        del sys.modules[name]


class TestDeclarations:
    @pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
    def test_all_that_a_study_declares_is_there(self, study):
        assert study.paper in STUDIES
        assert study.repeats
        assert study.takes
        assert study.quick
        assert callable(study.function(study.plan))
        if not study.part_of:
            assert study.title
            assert callable(study.function(study.figures))
            assert all(callable(filtering) for filtering in study.function(study.page))
            assert (files(study.package) / "page.md").is_file()
            assert (ROOT / "docs" / f"{study.name}.md").exists()
        assert COMMITTED.is_complete(study.name)

    def test_a_new_study_is_its_folder_and_nothing_else(self, room, tmp_path):
        assert {"made-up", "made-up-more"} <= set(termsift_studies.names())
        assert "| `made-up` | sums: [Sums: Nobody](made-up.md) | no time | one |" in render_index()
        done = termsift_studies.run("made-up", folder=tmp_path / "run")
        assert list(done.tables["summary"]) == [{"printed": "3", "ours": 2}]
        with pytest.raises(ts.UnknownNameError, match="did you mean 'made-up'"):
            termsift_studies.run("made-ut")

    def test_the_command_lists_every_study(self, room, run_studies):
        code, out, _ = run_studies("list", "--csv")
        assert code == 0
        assert [line.split(",")[0] for line in out.splitlines()[1:]] == termsift_studies.names()

    def test_listing_studies_loads_none_of_them(self):
        code = "import sys, termsift_studies; termsift_studies.names(); print(*sys.modules)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        loaded = set(done.stdout.split())
        assert "termsift_studies.zheng2004" in loaded
        assert not loaded & {"termsift_studies.zheng2004.plan", "numpy", "sklearn", "altair"}


def run_of(study: str, folder: Path) -> StudyResults:
    """The folder of a run that has the committed tables."""
    (folder / "tables").mkdir(parents=True)
    for file in (ROOT / "results" / study).glob("*.csv"):
        shutil.copyfile(
            file, folder / file.name if file.stem == "provenance" else folder / "tables" / file.name
        )
    return StudyResults(study, folder, {file.stem: None for file in (folder / "tables").iterdir()})


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


class TestCommitted:
    @pytest.mark.parametrize("paper", WITH_FIGURES)
    def test_publishing_makes_the_committed_files(self, paper, tmp_path):
        own = [name for name, study in STUDIES.items() if study.paper == paper]
        for name in reversed(own):
            publish_run(run_of(name, tmp_path / "runs" / name), tmp_path / "public")
        made = files_below(tmp_path / "public")
        pictures = sorted((ROOT / "docs" / "img" / paper).iterdir())
        tables = [file for name in own for file in sorted((ROOT / "results" / name).iterdir())]
        expected = [ROOT / "docs" / f"{paper}.md", *pictures, *tables]
        assert sorted(made) == sorted(str(file.relative_to(ROOT)) for file in expected)
        for file in expected:
            assert made[str(file.relative_to(ROOT))] == file.read_bytes(), file.name


class TestPublish:
    def test_tables_figures_and_page_are_written(self, room, tmp_path):
        public = tmp_path / "public"
        for name in ("made-up", "made-up-more"):
            written = termsift_studies.publish(name, public, folder=tmp_path / name)
            assert all(path.exists() for path in written)
        assert set(files_below(public)) == {
            "docs/made-up.md",
            "docs/img/made-up/sums.svg",
            *(
                f"results/{name}/{t}.csv"
                for name in ("made-up", "made-up-more")
                for t in ("provenance", "summary")
            ),
        }
        page = (public / "docs" / "made-up.md").read_text(encoding="utf-8")
        assert page.startswith("# Sums: Nobody\n\nWritten by `make docs` from `studies/results/made-up`")
        shown = "| printed | ours | doubled |\n|---|---|---|\n| 3 | 2 | 4 |\n"
        figure = "## Figures\n\n### The sums\n\n![The sums](img/made-up/sums.svg)\n"
        assert page.endswith(f"do not edit.\n\nPrinted & ours.\n\n{shown}\n{figure}")

    def test_a_name_that_a_template_lacks_is_an_error(self, room, tmp_path):
        (room / "made_up" / "page.md").write_text("{{ row.printed }}\n")
        termsift_studies.publish("made-up-more", tmp_path / "public", folder=tmp_path / "more")
        with pytest.raises(ts.UnreadableFileError, match="'row' is undefined"):
            termsift_studies.publish("made-up", tmp_path / "public", folder=tmp_path / "run")
        assert not (tmp_path / "public" / "results" / "made-up").exists()

    def test_a_page_without_all_results_shows_the_existing_ones(self, room, tmp_path):
        termsift_studies.publish("made-up", tmp_path / "public", quick=True, folder=tmp_path / "run")
        page = (tmp_path / "public" / "docs" / "made-up.md").read_text(encoding="utf-8")
        assert "full runs of `made-up`, `made-up-more`" in page
        assert "## made-up: summary\n\n| printed | ours |\n|---|---|\n| 3 | 1 |\n" in page
        assert "![sums](img/made-up/sums.svg)" in page

    def test_a_quick_run_does_not_replace_a_whole_one(self, room, tmp_path):
        termsift_studies.publish("made-up", tmp_path / "public", folder=tmp_path / "run")
        before = files_below(tmp_path / "public")
        with pytest.raises(
            ts.InvalidInputError, match="holds a whole run, which a quick one does not replace"
        ):
            termsift_studies.publish("made-up", tmp_path / "public", quick=True, folder=tmp_path / "quick")
        assert files_below(tmp_path / "public") == before
        assert not (tmp_path / "quick").exists()

    def test_stale_files_are_removed(self, room, tmp_path):
        public = tmp_path / "public"
        for stale in ("results/made-up/old.csv", "docs/img/made-up/old.svg"):
            (public / stale).parent.mkdir(parents=True)
            (public / stale).write_text("old")
        termsift_studies.publish("made-up", public, folder=tmp_path / "run")
        assert not any("old" in name for name in files_below(public))

    def test_pages_are_made_again_from_results_alone(self, room, tmp_path):
        public = tmp_path / "public"
        for name in ("made-up", "made-up-more"):
            termsift_studies.publish(name, public, folder=tmp_path / name)
        before = files_below(public)
        shutil.rmtree(public / "docs")
        publish_pages(public)
        after = files_below(public)
        assert {name: after[name] for name in before} == before
        assert after["docs/studies.md"].decode() == render_index()

    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            ("", "summary.csv is damaged or truncated: it has no head"),
            (
                "printed,ours\n3\n",
                "summary.csv is damaged or truncated: row 1 has more or fewer cells than its head",
            ),
            (
                "printed,ours\n3,two\n",
                "results of made-up are damaged, or not of this version: ValueError: could",
            ),
            ("printed\n3\n", "results of made-up are damaged, or not of this version: KeyError: 'ours'"),
            (None, "results of made-up are damaged, or not of this version: IndexError"),
        ],
    )
    def test_damaged_results_are_one_line_and_change_nothing(self, room, tmp_path, content, reason):
        public = tmp_path / "public"
        for name in ("made-up", "made-up-more"):
            termsift_studies.publish(name, public, folder=tmp_path / name)
        summary = public / "results" / "made-up" / "summary.csv"
        summary.unlink() if content is None else summary.write_text(content)
        before = files_below(public)
        fails(reason, publish_pages, public)
        assert files_below(public) == before
        fails("there is no folder .* to make pages from", publish_pages, tmp_path)

    def test_a_file_in_the_place_of_the_folder_is_named(self, tmp_path):
        (tmp_path / "public").write_text("mine")
        with pytest.raises(ts.InvalidInputError, match="is a file; give the folder of results/ and docs/"):
            check_target("zheng2004", tmp_path / "public", False)

    def test_a_failed_move_restores_all_files(self, tmp_path):
        staged, target = tmp_path / "staged", tmp_path / "target"
        for folder, text in ((staged, "new"), (target, "old")):
            (folder / "results").mkdir(parents=True)
            (folder / "results" / "a.csv").write_text(text)
        with pytest.raises(ts.UnreadableFileError, match="cannot write below"):
            replace_files(staged, target, ["results", "docs/missing.md"])
        assert (target / "results" / "a.csv").read_text() == "old"
        assert (staged / "results" / "a.csv").read_text() == "new"

    def test_the_command_publishes_a_quick_run(self, run_studies, data_folder, tmp_path):
        arguments = ("run", "forman2003-section5", "--quick", "-o", tmp_path / "s", "--data-dir", data_folder)
        code, out, err = run_studies(*arguments, "--publish", tmp_path / "public")
        assert code == 0
        assert "alpha .6 is precise" in out
        assert f"published: {tmp_path / 'public' / 'results' / 'forman2003-section5'}" in " ".join(
            err.split()
        )
        tables = {path.name for path in (tmp_path / "public" / "results" / "forman2003-section5").iterdir()}
        assert tables == {"alpha.csv", "cutoffs.csv", "interpretations.csv", "summary.csv", "provenance.csv"}
        page = (tmp_path / "public" / "docs" / "forman2003.md").read_text(encoding="utf-8")
        assert "## forman2003-section5: summary" in page


def test_a_study_without_figures_has_none(tmp_path):
    assert draw_figures("zheng2004-interpretations", tmp_path, tmp_path / "figures") == []


@pytest.mark.parametrize("paper", PAPERS)
def test_a_page_without_results_has_a_notice(paper, tmp_path):
    page = render_page(find_study(paper), ResultTables(tmp_path), [])
    assert page.startswith(f"# {STUDIES[paper].title}\n")
    assert "Some results of this paper are missing" in page
