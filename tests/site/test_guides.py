"""Guides show the output of their commands."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
GUIDES = runpy.run_path(str(DOCS / "make" / "guides.py"))
PAGES = GUIDES["guide_pages"]()
ON_SPARK = [page for page in PAGES if "--engine spark" in page.read_text(encoding="utf-8")]
# a command stops its Spark session, which other tests of this process share
FRESH_PROCESS = """
import runpy, sys
from pathlib import Path
rewritten = runpy.run_path(sys.argv[1])["rewritten"]
for page in sys.argv[2:]:
    text = Path(page).read_text(encoding="utf-8")
    assert rewritten(text) == text, page
"""


@pytest.mark.parametrize("page", [page for page in PAGES if page not in ON_SPARK], ids=lambda page: page.stem)
def test_a_guide_shows_the_output_of_its_commands(page):
    """If it fails, `python docs/make/guides.py` writes the current output; read the difference."""
    text = page.read_text(encoding="utf-8")
    assert GUIDES["rewritten"](text) == text


def test_guides_for_spark_show_the_output_of_their_commands():
    assert ON_SPARK
    arguments = [sys.executable, "-c", FRESH_PROCESS, str(DOCS / "make" / "guides.py"), *map(str, ON_SPARK)]
    done = subprocess.run(arguments, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


def test_output_replaces_the_text_shown():
    page = "```sh\necho new\n```\n\n```text\nold\n```\n"
    assert GUIDES["rewritten"](page) == page.replace("old", "new")


def test_dots_match_any_lines():
    page = "```sh\nseq 5\n```\n\n```text\n1\n...\n5\n```\n"
    assert GUIDES["rewritten"](page) == page


def test_a_failing_command_is_an_error():
    with pytest.raises(RuntimeError, match=r"missing\.csv"):
        GUIDES["rewritten"]("```sh\ntermsift score missing.csv\n```\n")
