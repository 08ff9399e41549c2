"""Docstrings of public names have an example, their parameters and their result."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from public_names import parameter_problems, public_callables, public_names, sections

ROOT = Path(__file__).parents[2]
NAMES = {name: value for name, value in public_names() if callable(value)}
METHODS = {name: value for name, value in public_callables().items() if name not in NAMES}
# its parameters are those of scikit-learn's CountVectorizer, which its page names
SAME_AS_SKLEARN = {"TermVectorizer"}


def test_public_names_have_an_example():
    missing = [name for name, value in NAMES.items() if ">>>" not in sections(value).get("Examples", "")]
    assert not missing, "no example in a section Examples: " + ", ".join(missing)


def test_public_names_document_exactly_their_parameters():
    checked = {name: value for name, value in NAMES.items() if name not in SAME_AS_SKLEARN}
    problems = [problem for item in checked.items() for problem in parameter_problems(*item)]
    assert not problems, "\n".join(problems)


def test_every_parameter_has_a_type():
    untyped = [
        f"{name}: {head}"
        for name, value in (NAMES | METHODS).items()
        for title in ("Parameters", "Attributes")
        for head in re.findall(r"^[^\s*].*", sections(value).get(title, ""), re.MULTILINE)
        if not re.search(r" : \S", head)
    ]
    assert not untyped, "\n".join(untyped)


def test_examples_run_unless_they_need_a_cluster():
    """The doctests of every module are run with its tests."""
    skipped = [name for name, value in (NAMES | METHODS).items() if "+SKIP" in (value.__doc__ or "")]
    assert skipped == ["spark.read", "spark.session", "spark.top", "spark.vectorizer"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    settings = project["tool"]["pytest"]["ini_options"]
    assert "--doctest-modules" in settings["addopts"].split()
    assert "src" in settings["testpaths"]


def test_public_methods_with_parameters_document_exactly_these():
    checked = {name: value for name, value in METHODS.items() if "Parameters" in sections(value)}
    problems = [problem for item in checked.items() for problem in parameter_problems(*item)]
    assert not problems, "\n".join(problems)


def test_sections_follow_the_order_of_numpydoc():
    order = ["Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns", "See Also", "Notes"]
    order += ["References", "Examples"]
    for name, value in (NAMES | METHODS).items():
        assert list(sections(value)) == sorted(sections(value), key=order.index), name
