"""Metrics: pure functions of counts, grouped in families, and their catalogue.

The module is callable: `termsift.metrics()` returns the catalogue.
"""

from termsift._typing import make_callable
from termsift.metrics._catalogue import AnyMetric, Catalogue, Metric, metric_from, metrics
from termsift.metrics.citations import bibtex

__all__ = ["AnyMetric", "Catalogue", "Metric", "bibtex", "metric_from", "metrics"]

make_callable(__name__, metrics)
