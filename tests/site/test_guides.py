"""What guides show is what their commands print."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
GUIDES = runpy.run_path(str(DOCS / "make" / "guides.py"))
PAGES = GUIDES["guide_pages"]()
ALONE = """
import runpy, sys
from pathlib import Path
text = Path(sys.argv[2]).read_text(encoding="utf-8")
assert runpy.run_path(sys.argv[1])["rewritten"](text) == text
"""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_guide_shows_what_its_commands_print(page):
    """Where it does not, `python docs/make/guides.py` writes what they print now; read the difference."""
    text = page.read_text(encoding="utf-8")
    if "--engine spark" in text:  # a command ends its session of Spark, which other tests share
        guides = str(DOCS / "make" / "guides.py")
        subprocess.run([sys.executable, "-c", ALONE, guides, str(page)], check=True)
        return
    assert GUIDES["rewritten"](text) == text


def test_what_is_printed_takes_the_place_of_what_is_shown():
    page = "```sh\necho new\n```\n\n```text\nold\n```\n"
    assert GUIDES["rewritten"](page) == page.replace("old", "new")


def test_dots_stand_for_lines_that_are_left_out():
    page = "```sh\nseq 5\n```\n\n```text\n1\n...\n5\n```\n"
    assert GUIDES["rewritten"](page) == page


def test_a_command_that_fails_is_told():
    with pytest.raises(RuntimeError, match=r"missing\.csv"):
        GUIDES["rewritten"]("```sh\ntermsift score missing.csv\n```\n")
