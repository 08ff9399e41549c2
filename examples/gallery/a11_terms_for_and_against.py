"""
Positive and negative terms
===========================

A one-sided metric separates them; a policy determines how many of each are selected.
"""

import termsift as ts

counts = ts.count(ts.corpora.load("docstrings"), min_df=3)
for ratio in (1.0, 0.5, 0.0):
    chosen = ts.select(counts, "cc", ts.PositiveNegative(8, ratio=ratio), for_class="unittest")
    print(f"ratio {ratio:3}:", *chosen.terms)
