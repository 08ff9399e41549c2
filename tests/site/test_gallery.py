"""Every script of the gallery runs, and shows a table or a picture."""

from __future__ import annotations

import runpy
from functools import cache
from pathlib import Path

import pytest

import termsift as ts

GALLERY = Path(__file__).parents[2] / "examples" / "gallery"
SCRIPTS = sorted(GALLERY.glob("*.py"))
# reading the docstrings takes longer than most scripts, and one reading serves all of them
LOAD = cache(ts.corpora.load)
pytestmark = pytest.mark.xdist_group("gallery")


def test_there_are_fifteen():
    assert len(SCRIPTS) >= 15


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_of_the_gallery_runs_and_prints_or_draws(script, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ts.corpora, "load", LOAD)
    made = runpy.run_path(str(script))
    drawn = [value for value in made.values() if type(value).__module__.startswith("altair.")]
    assert capsys.readouterr().out.strip() or drawn
    assert made["__doc__"].strip().splitlines()[1].startswith("=")
