"""What the site's pages are made of."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import termsift as ts

SITE = Path(__file__).parents[2] / "docs" / "make" / "site"


@pytest.fixture(autouse=True)
def site_modules(monkeypatch):
    monkeypatch.syspath_prepend(str(SITE))
    yield
    for name in ("formulas", "reference", "staging"):
        sys.modules.pop(name, None)


def test_every_formula_is_set_from_the_words_of_the_catalogue():
    from formulas import FORMULAS

    assert {name: words for name, (words, _) in FORMULAS.items()} == {m.name: m.formula for m in ts.metrics()}


def test_links_are_led_to_the_places_of_the_site():
    import staging

    places = staging.page_places()
    page = staging.staged_page("docs/howto/own-metric.md", places)
    assert "(../contributing.md#to-add-a-metric)" in page
    assert "](docs/" not in staging.staged_page("CONTRIBUTING.md", places)


def test_a_docstring_becomes_markdown():
    import reference

    words = "A sum.\n\nParameters\n----------\na, b : numbers, or\n    lists_of them\n\n>>> 1 + 1\n2"
    parts = [
        "A sum.",
        "**Parameters**",
        "- `a`, `b`: numbers, or lists\\_of them",
        "```python\n>>> 1 + 1\n2\n```",
    ]
    assert reference.told(words) == "\n\n".join(parts)


def test_every_public_name_has_a_page_and_a_place_in_the_index():
    import reference

    pages = reference.reference_pages()
    index = pages["reference/index.md"]
    rooms = {
        f"{name}_room" for name in ("audit", "compare", "corpora", "evaluation", "metrics", "report", "spark")
    }
    assert rooms <= {Path(place).stem for place in pages}
    assert all(f"]({Path(place).name})" in index for place in pages if place != "reference/index.md")
