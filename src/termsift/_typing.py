"""What all rooms share of types: arrays, and packages that can be called.

`termsift.metrics` is a package, and `termsift.metrics()` its catalogue; `compare` and `report` likewise.
An import of such a package would hide a function of its name, so `make_callable` lets the package be called.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeAlias

from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]


def make_callable(package: str, function: Callable[..., Any]) -> None:
    """Let a package, by its `__name__`, be called as a function: Python lets a module's class be assigned."""
    called = {"__call__": staticmethod(function)}
    sys.modules[package].__class__ = type("CallableModule", (ModuleType,), called)
