"""
Where the terms of a class lie
==============================

Each point is a term: to the right it is in more documents outside the class, upwards in more of the class.
Beyond a line lie the hundred best terms by a metric.
"""

import termsift as ts
from termsift.report import roc_space

counts = ts.count(ts.corpora.load("docstrings"))
picture = roc_space(counts, "scipy.stats", ["bns", "ig", "odds"], k=100, min_df=3)
