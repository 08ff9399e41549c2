"""The public names and the sections of their numpydoc docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import termsift as ts

# what the docstring of one public name lacks, or has too much
Problems = Iterator[str]


def public_names() -> Iterator[tuple[str, Any]]:
    """Yield each public name as it is written after `termsift.`, with its value."""
    for name in ts.__all__:
        value = getattr(ts, name)
        if isinstance(value, ModuleType):
            yield from ((f"{name}.{part}", getattr(value, part)) for part in ts.PACKAGE_NAMES[name])
        else:
            yield name, value


def public_callables() -> dict[str, Any]:
    """Return the public functions and classes, and the public methods that termsift defines in them."""
    found = {name: value for name, value in public_names() if callable(value)}
    classes = {name: value for name, value in found.items() if inspect.isclass(value)}
    return found | {
        f"{name}.{method}": function
        for name, value in classes.items()
        for method, function in inspect.getmembers(value, inspect.isroutine)
        if not method.startswith("_") and str(getattr(function, "__module__", "")).startswith("termsift.")
    }


def sections(value: Any) -> dict[str, str]:
    """Return the numpydoc sections of a docstring by their titles."""
    _, *parts = re.split(r"^(\w[\w ]*)\n-{3,} *$", inspect.getdoc(value) or "", flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def entry_names(section: str) -> set[str]:
    """Return the names of a section, as in `min_df, max_df : int or float`."""
    heads = re.findall(r"^\S.*", section, flags=re.MULTILINE)
    return {name.strip(" *") for head in heads for name in head.partition(" : ")[0].split(",")}


def parameters(value: Any) -> set[str]:
    """Return the names of the parameters of a function or class."""
    try:
        found = inspect.signature(value).parameters
    except (TypeError, ValueError):
        return set()
    return set(found) - {"self", "args", "kwargs"}


def parameter_problems(name: str, value: Any) -> Problems:
    """Yield the differences between the signature and the sections Parameters and Returns."""
    documented = sections(value)
    expected, described = parameters(value), entry_names(documented.get("Parameters", ""))
    if inspect.isclass(value):  # the fields of a result class are its attributes
        described |= entry_names(documented.get("Attributes", "")) & expected
    if missing := expected - described:
        yield f"{name} does not describe {', '.join(sorted(missing))}"
    if unknown := described - expected:
        yield f"{name} has no parameter {', '.join(sorted(unknown))}"
    if not inspect.isclass(value):
        annotation = inspect.unwrap(value).__annotations__.get("return", "not annotated")
        if annotation not in (None, "None") and not {"Returns", "Yields"} & set(documented):
            yield f"{name} has no section Returns ({annotation})"
