"""What a cluster of Spark can do beside counting: score where the sums are, and apply a selection.

`ts.count(frame, text=..., label=...)` counts a DataFrame of Spark; this room has the rest.
"""

from __future__ import annotations

from termsift.engines.spark.session import session
from termsift.spark.files import reading
from termsift.spark.pipeline import vectorizer
from termsift.spark.scoring import top

__all__ = ["reading", "session", "top", "vectorizer"]
