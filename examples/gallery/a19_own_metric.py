"""
A custom metric
===============

Any function of the 2x2 cells of a term and a class is a metric: it scores, selects, and has a landscape.
"""

import termsift as ts
from termsift.report.charts import landscape


def weighted_gap(cells):
    """How far apart the rates are, twice as much for terms of the class."""
    gap = cells.tpr - cells.fpr
    return gap * (1 + (gap > 0))


counts = ts.count(ts.corpora.load("docstrings"), min_df=2)
print(ts.score(counts, ts.Metric("weighted_gap", weighted_gap, sided=1)).top("asyncio", 5))

# %%
picture = landscape(weighted_gap, levels=[-0.6, -0.3, 0.3, 0.6, 1.2])
picture
