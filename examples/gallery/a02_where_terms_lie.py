"""
Terms of a class in ROC space
=============================

Each point is a term, by the documents inside the class (vertical) and outside (horizontal).
The hundred best terms of each metric lie beyond its line.
"""

import termsift as ts
from termsift.report.charts import roc_space

counts = ts.count(ts.corpora.load("docstrings"))
picture = roc_space(counts, "scipy.stats", ["bns", "ig", "odds"], k=100, min_df=3)
picture
