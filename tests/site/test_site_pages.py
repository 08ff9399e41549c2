"""What the site's pages are made of."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

import termsift as ts

SITE = Path(__file__).parents[2] / "docs" / "make" / "site"


def reference_part(title: str) -> tuple[str, ...]:
    """The names of a part of the reference."""
    found: tuple[str, ...] = runpy.run_path(str(SITE / "reference_pages.py"))["PARTS"][title]
    return found


@pytest.fixture(autouse=True)
def site_modules(monkeypatch):
    monkeypatch.syspath_prepend(str(SITE))
    yield
    for name in [name for name in sys.modules if (SITE / f"{name}.py").exists()]:
        sys.modules.pop(name)


def test_every_formula_is_set_from_the_words_of_the_catalogue():
    from formulas import FORMULAS

    assert {name: words for name, (words, _) in FORMULAS.items()} == {m.name: m.formula for m in ts.metrics()}


def test_letters_belong_to_metrics_of_the_catalogue():
    from formulas import FORMULAS, LETTERS

    assert set(LETTERS) <= set(FORMULAS)


@pytest.mark.parametrize(
    "bounds, words",
    [
        ((-np.inf, np.inf), "Scores have no bounds."),
        ((0, np.inf), "Scores are 0 or more."),
        ((-np.inf, 1), "Scores are 1 or less."),
        ((-1, 1), "Scores lie between -1 and 1."),
    ],
)
def test_bounds_are_described(bounds, words):
    from metric_pages import bounds_words

    assert bounds_words(*bounds) == words


def test_links_point_to_the_paths_of_the_site():
    import staging

    places = staging.page_places()
    page = staging.staged_page("docs/howto/own-metric.md", places)
    assert "(../contributing.md#to-add-a-metric)" in page
    assert "](docs/" not in staging.staged_page("CONTRIBUTING.md", places)


def test_notes_for_editors_are_removed():
    import staging

    places = staging.page_places()
    assert "do not edit" in (SITE.parents[1] / "schemas.md").read_text(encoding="utf-8")
    assert "do not edit" not in staging.staged_page("docs/schemas.md", places)


DOCSTRING = """Add numbers.

Sums are exact for a_few numbers.

Parameters
----------
a, b : int or list_of int
    Numbers, or
    lists.

    Lists are added.
c : int, default 0

Returns
-------
int
    The sum.

Raises
------
InvalidInputError
    If a and b differ in length.

Examples
--------
Two numbers:

>>> add(1, 1)
2
"""
MARKDOWN = """Add numbers.

Sums are exact for a\\_few numbers.

**Parameters**

`a`, `b` (int or list\\_of int)
: Numbers, or
  lists.

  Lists are added.

`c` (int, default 0)

**Returns**

int
: The sum.

**Raises**

`InvalidInputError`
: If a and b differ in length.

**Examples**

Two numbers:

```python
>>> add(1, 1)
2
```"""


def test_numpydoc_sections_become_definition_lists_and_code():
    import reference_pages

    assert reference_pages.render_docstring(DOCSTRING) == MARKDOWN
    without = ("Parameters", "Returns", "Raises", "Examples")
    assert reference_pages.render_docstring(DOCSTRING, without) == MARKDOWN.split("\n\n**Param")[0]


def test_the_returns_section_replaces_the_annotation():
    import reference_pages

    def add(a: int) -> int:
        """Add 1."""

    assert reference_pages.entry("add", add).count("**Returns** `int`") == 1
    add.__doc__ = "Add 1.\n\nReturns\n-------\nint\n    The sum."
    assert reference_pages.entry("add", add).count("**Returns**") == 1


def test_every_public_name_has_a_page_and_a_row_in_the_index():
    import reference_pages

    pages = reference_pages.reference_pages()
    index = pages["reference/index.md"]
    packages = ("compare", "corpora", "evaluation", "metrics", "report", "spark")
    assert {f"reference/{name}_package.md" for name in packages} <= set(pages)
    assert all(f"]({Path(place).name})" in index for place in pages if place != "reference/index.md")


PICTURE = re.compile(r"\]\(\.\./pictures/")


@pytest.mark.parametrize("name", reference_part("Policies"))
def test_every_policy_has_a_page_with_a_picture_and_a_command_that_runs(name):
    import policy_pages

    charts = []
    page = policy_pages.policy_page(name, lambda chart: charts.append(chart) or "drawn.png")
    assert PICTURE.search(page)
    assert [chart["$schema"] for chart in charts]
    assert re.search(rf'--policy "{name}\(.*\n```\n\n```text\n\w', page, flags=re.DOTALL)
    assert "## When to use it" in page


@pytest.mark.parametrize("name", reference_part("Estimators of scikit-learn"))
def test_every_estimator_has_a_page_with_an_example_that_runs(name):
    import estimator_pages

    if name == "DivisiveClustering":  # described on the page of its estimator
        assert f"ts.{name}(" in estimator_pages.WORDS["WordClusterExtractor"].when
        return
    page = estimator_pages.estimator_page(name, lambda chart: "drawn.png")
    assert re.search(rf"ts\.{name}\(.*\n```\n\n```text\n\S", page, flags=re.DOTALL)
    assert "## When to use it" in page


def test_the_output_of_a_script_is_drawn_in_its_columns():
    import thumbnails

    drawn = thumbnails.output_picture("    term   score\n    <free>   2.5\n")
    places = re.findall(r'<text x="([\d.]+)" y="([\d.]+)" fill="#\w+">([^<]*)', drawn)
    assert [word for _, _, word in places] == ["term", "score", "&lt;free&gt;", "2.5"]
    assert float(places[1][0]) < float(places[3][0])
