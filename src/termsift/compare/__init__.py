"""Which metric to trust and how many terms to keep, for labelled documents of one's own.

The package is callable: `termsift.compare(texts, labels)` gives a `Comparison`.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from termsift.compare.comparing import compare
from termsift.compare.comparison import Comparison

__all__ = ["Comparison", "compare"]


class _Callable(ModuleType):
    def __call__(self, *arguments: Any, **options: Any) -> Comparison:
        return compare(*arguments, **options)


# `ts.compare(...)` and `termsift.compare` are one name: Python documents assigning a module's class for this.
sys.modules[__name__].__class__ = _Callable
