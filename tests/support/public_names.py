"""The public names, and what their docstrings say."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import termsift as ts


def public_names() -> Iterator[tuple[str, Any]]:
    """Each public name, as one writes it after `termsift.`, and what it is; constants are not among them."""
    for name in ts.__all__:
        value = getattr(ts, name)
        if isinstance(value, ModuleType):
            yield from ((f"{name}.{part}", getattr(value, part)) for part in ts.PACKAGE_NAMES[name])
        else:
            yield name, value


def documented(value: Any) -> set[str]:
    """The names that a docstring explains, as in `min_df, max_df : leave out ...`."""
    lines = re.findall(
        r"^((?:\*{0,2}\w+)(?:, \*{0,2}\w+)*)(?: : |\n    \S)", inspect.getdoc(value) or "", flags=re.MULTILINE
    )
    return {name.strip(" *") for line in lines for name in line.split(",")}


def parameters(value: Any) -> set[str]:
    """What a function or class takes."""
    try:
        found = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return set()
    named = [one for one in found if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
    return {one.name for one in named if one.name not in ("self", "args", "kwargs")}
