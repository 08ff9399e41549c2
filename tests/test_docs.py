"""The documents say what is."""

from __future__ import annotations

import re
import runpy
import shlex
import tomllib
from pathlib import Path

import pytest
import yaml

import termsift as ts

ROOT = Path(__file__).parent.parent
# words of docs/, without the pages that are generated for the site
MAX_WORDS, MAX_WORDS_PER_PAGE = 35_000, 2_000
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if "make" not in page.parts),
    *(ROOT / "studies" / name for name in ("README.md", "results/README.md")),
    *sorted((ROOT / "studies" / "docs").glob("*.md")),
]
# pages of the site that are made when it is
GENERATED = re.compile(r"\.site/|\.venv")
MADE = (
    "gallery/index.rst",
    "reference/index.md",
    "policies.md",
    "estimators.md",
    "../policies.md",
    "../estimators.md",
)


def test_the_table_of_metrics_is_that_of_the_catalogue():
    page = runpy.run_path(str(ROOT / "docs" / "make" / "metrics_table.py"))["page"]()
    message = "run python docs/make/metrics_table.py"
    assert (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8") == page, message


def test_the_page_on_scale_is_made_of_its_results():
    page = runpy.run_path(str(ROOT / "docs" / "make" / "scale_page.py"))["page"]()
    assert (ROOT / "docs" / "scale.md").read_text(encoding="utf-8") == page


def test_the_page_on_speed_is_made_of_its_results():
    page = runpy.run_path(str(ROOT / "docs" / "make" / "speed_page.py"))["page"]()
    assert (ROOT / "docs" / "speed.md").read_text(encoding="utf-8") == page


def test_the_table_of_candidates_is_made_of_results():
    made = runpy.run_path(str(ROOT / "docs" / "make" / "candidates_table.py"))["page"]
    text = (ROOT / "docs" / "guide" / "candidates.md").read_text(encoding="utf-8")
    assert text == made(text)


def test_the_picture_shows_the_words_of_the_tickets(tmp_path):
    picture = runpy.run_path(str(ROOT / "docs" / "make" / "words_picture.py"))
    picture["draw"](tmp_path / "effects.svg")
    texts = picture["shown_texts"](picture["PICTURE"])
    assert len(texts) > 50
    assert texts == picture["shown_texts"](tmp_path / "effects.svg")


def test_the_tickets_are_those_of_their_maker(tmp_path):
    runpy.run_path(str(ROOT / "docs" / "make" / "tickets.py"))["write"](tmp_path)
    for path in (ROOT / "docs" / "data").glob("*.csv"):
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()


def test_the_guide_shows_the_output_of_the_example(data_folder, capsys):
    example = runpy.run_path(str(ROOT / "examples" / "explain_post.py"))
    example["main"](list(example["POSTS"])[:1])
    printed = capsys.readouterr().out.strip()
    page = ROOT / "docs" / "guide" / "scikit-learn.md"
    assert f"```text\n{printed}\n```" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["README.md", "docs/index.md", "docs/start/researcher.md"])
def test_pages_state_the_number_of_metrics(name):
    text, number = (ROOT / name).read_text(encoding="utf-8"), len(ts.metrics())
    assert re.findall(r"\b(\d+) metrics\b", text) == [str(number)], f"{name}: write {number} metrics"


# paths are written from the root, from the package, or by the name of a file of it
FOLDERS = (
    ROOT,
    ROOT / "src" / "termsift",
    ROOT / "src" / "termsift" / "metrics",
    ROOT / "docs",
    ROOT / "tests",
)
WRITTEN_PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)*(?:\.(?:py|md|bib|toml|cff|svg|csv)|/)")


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_files_and_names_that_pages_mention_exist(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    source = "\n".join(
        path.read_text(encoding="utf-8")
        for folder in ("src", "studies/src", "tests")
        for path in (ROOT / folder).rglob("*.py")
    )
    # the trees of call paths have a file at the start of a line
    mentioned = re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text) + re.findall(r"^([\w/]+(?:\.py|/))  ", text, re.M)
    assert len(mentioned) > 50
    for mention in mentioned:
        if WRITTEN_PATH.fullmatch(mention):
            found = any((folder / mention).exists() for folder in FOLDERS)
            assert found or GENERATED.match(mention), f"{name}: there is no file {mention}"
        elif re.fullmatch(r"[A-Za-z_]\w*", mention):
            assert re.search(rf"\b{mention}\b", source), f"{name}: {mention} is not in the code"


def test_the_drawn_layers_are_the_contract():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    drawn = "\n".join(contracts[0]["layers"])
    assert f"```\n{drawn}\n```" in (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_pages_are_short():
    words = {
        str(page.relative_to(ROOT)): len(page.read_text(encoding="utf-8").split())
        for page in (ROOT / "docs").rglob("*.md")
        if "make" not in page.parts
    }
    assert {name: count for name, count in words.items() if count > MAX_WORDS_PER_PAGE} == {}
    assert sum(words.values()) <= MAX_WORDS


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


def test_the_action_and_the_hook_run_audit_with_known_options():
    from termsift.cli.parser import full_app

    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    step = action["runs"]["steps"][-1]
    assert {"name", "description", "inputs", "runs"} <= action.keys()
    assert all(
        value in (f"${{{{ inputs.{name} }}}}" for name in action["inputs"]) for value in step["env"].values()
    )
    values = {
        "$DATA": "a.csv b.csv",
        "$OPTIONS": "--text body",
        "$FAIL_ON": action["inputs"]["fail-on"]["default"],
        "$REPORT": action["inputs"]["report"]["default"],
    }
    command = re.sub(r"\$[A-Z_]+", lambda match: values[match[0]], step["run"])
    assert {"id", "name", "entry", "language", "files"} <= hook.keys()
    assert re.search(hook["files"], "data/train.csv")
    for line in (command, f"{hook['entry']} a.csv b.csv"):
        name, *arguments = shlex.split(line)
        assert name == "termsift"
        full_app().parse_args(arguments, exit_on_error=False, print_error=False)


def test_the_changelog_begins_with_what_a_user_reads_in_two_minutes():
    top, history, _ = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").partition("\n## History\n")
    assert history
    assert re.findall(r"^##+ .*", top, re.M)[1:] == ["### Highlights", "### Changed names"]
    assert len(top.splitlines()) < 60
    assert len(top.split()) < 500


def test_versions_agree():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["hatch"]["version"]["path"] == "src/termsift/__init__.py"
    assert f"\n## {ts.__version__} " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\nversion: {ts.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
