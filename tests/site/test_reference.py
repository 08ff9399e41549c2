"""Every public name says what it takes, what it gives, and shows it."""

from __future__ import annotations

import inspect

import pytest

from public_names import documented, parameters, public_names

NAMES = [(name, value) for name, value in public_names() if callable(value)]
# its parameters are those of scikit-learn's CountVectorizer, which its page names
SAME_AS_SKLEARN = {"TermVectorizer"}


@pytest.mark.parametrize("name, value", NAMES, ids=[name for name, _ in NAMES])
def test_a_public_name_is_documented(name, value):
    words = inspect.getdoc(value) or ""
    assert words.strip(), f"{name} has no docstring"
    assert ">>>" in words, f"{name} has no example"
    missing = set() if name in SAME_AS_SKLEARN else parameters(value) - documented(value)
    assert not missing, f"{name} does not say what these are: {', '.join(sorted(missing))}"
    assert inspect.isclass(value) or "return" in inspect.unwrap(value).__annotations__, (
        f"{name} does not say what it gives"
    )
