"""What a cluster of Spark can do beside counting: score where the sums are, and apply a selection.

`ts.count(frame, text=..., label=...)` counts a DataFrame of Spark; this room has the rest.
"""

from __future__ import annotations
