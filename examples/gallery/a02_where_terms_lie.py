"""
Where the terms of a class lie
==============================

Each point is a term: the higher, the more documents of the class contain it;
the further right, the more others do.
The hundred best terms of each metric lie beyond its line.
"""

import termsift as ts
from termsift.report.charts import roc_space

counts = ts.count(ts.corpora.load("docstrings"))
picture = roc_space(counts, "scipy.stats", ["bns", "ig", "odds"], k=100, min_df=3)
