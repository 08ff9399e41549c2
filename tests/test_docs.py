"""The documents say what is."""

from __future__ import annotations

import re
import runpy
import shlex
import tomllib
from pathlib import Path

import pytest

import termsift as ts

ROOT = Path(__file__).parent.parent
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if "make" not in page.parts),
    *(ROOT / "studies" / name for name in ("README.md", "results/README.md")),
    *sorted((ROOT / "studies" / "docs").glob("*.md")),
]
# pages of the site that are made when it is
MADE = ("gallery/index.rst", "reference/index.md", "policies.md", "estimators.md")


def test_the_table_of_metrics_is_that_of_the_catalogue():
    page = runpy.run_path(str(ROOT / "docs" / "make" / "metrics_table.py"))["page"]()
    assert (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8") == page


def test_the_page_on_scale_is_made_of_its_results():
    page = runpy.run_path(str(ROOT / "docs" / "make" / "scale_page.py"))["page"]()
    assert (ROOT / "docs" / "scale.md").read_text(encoding="utf-8") == page


def test_the_page_on_speed_is_made_of_its_results():
    page = runpy.run_path(str(ROOT / "docs" / "make" / "speed_page.py"))["page"]()
    assert (ROOT / "docs" / "speed.md").read_text(encoding="utf-8") == page


def test_the_table_of_candidates_is_made_of_results():
    made = runpy.run_path(str(ROOT / "docs" / "make" / "candidates_table.py"))["page"]
    text = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
    assert text == made(text)


def test_the_picture_of_words_is_that_of_the_tickets():
    picture = runpy.run_path(str(ROOT / "docs" / "make" / "words_picture.py"))["picture"]()
    assert (ROOT / "docs" / "img" / "words.svg").read_text(encoding="utf-8") == picture


def test_the_tickets_are_those_of_their_maker(tmp_path):
    runpy.run_path(str(ROOT / "docs" / "make" / "tickets.py"))["write"](tmp_path)
    for path in (ROOT / "docs" / "data").glob("*.csv"):
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()


def test_the_guide_shows_what_the_example_prints(data_folder, capsys):
    example = runpy.run_path(str(ROOT / "examples" / "explain_post.py"))
    example["main"](list(example["POSTS"]))
    printed = capsys.readouterr().out.strip()
    assert f"```text\n{printed}\n```" in (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")


def test_the_readme_counts_the_metrics():
    assert f"has {len(ts.metrics())} metrics" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_drawn_layers_are_the_contract():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    drawn = "\n".join(contracts[0]["layers"])
    assert f"```\n{drawn}\n```" in (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists() or target in MADE, target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_in_the_pages_are_understood(page):
    from termsift.cli.parser import full_app

    for block in re.findall(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL):
        for line in block.splitlines():
            command, *arguments = shlex.split(line, comments=True)
            if command == "termsift":
                full_app().parse_args(arguments, exit_on_error=False, print_error=False)


def test_versions_agree():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["hatch"]["version"]["path"] == "src/termsift/__init__.py"
    assert f"\n## {ts.__version__} " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\nversion: {ts.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
