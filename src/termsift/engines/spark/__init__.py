"""Spark tools beyond counting: score terms on the cluster, and apply a selection.

`ts.count(frame, text=..., label=...)` counts a Spark DataFrame; this module has the rest.
"""

from __future__ import annotations

from termsift.engines.spark.counting import to_arrow as to_arrow
from termsift.engines.spark.mapping import map_texts as map_texts
from termsift.engines.spark.pipeline import vectorizer as vectorizer
from termsift.engines.spark.scoring import top as top
from termsift.engines.spark.sessions import session as session
from termsift.engines.spark.sources import read as read
