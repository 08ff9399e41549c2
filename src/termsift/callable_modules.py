"""Packages that are called as their function of the same name: `ts.compare(...)`, `ts.metrics()`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any


def make_callable(package: str, function: Callable[..., Any]) -> None:
    """Let a package, named by its `__name__`, be called as one of its functions.

    The package and the function have one name under `termsift`, so that neither can hide the other.
    Python documents assigning a module's class for this.
    """
    called = {"__call__": staticmethod(function)}
    sys.modules[package].__class__ = type("CallableModule", (ModuleType,), called)
