"""Metrics: pure functions of counts, in families, and the one catalogue of them.

The package is callable: `termsift.metrics()` is the catalogue.
"""

from __future__ import annotations

import sys
from types import ModuleType

from termsift.metrics._catalogue import AnyMetric, Catalogue, Metric, metric_from, metrics

__all__ = ["AnyMetric", "Catalogue", "Metric", "metric_from", "metrics"]


class _Callable(ModuleType):
    def __call__(self) -> Catalogue:
        return metrics()


# `ts.metrics()` and `termsift.metrics` are one name: Python documents assigning a module's class for this.
sys.modules[__name__].__class__ = _Callable
