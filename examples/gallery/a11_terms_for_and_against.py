"""
Terms for a class and terms against it
======================================

A one-sided metric tells the two apart; a policy says how many of each to take.
"""

import termsift as ts

counts = ts.count(ts.corpora.load("docstrings"), min_df=3)
for ratio in (1.0, 0.5, 0.0):
    chosen = ts.select(counts, "cc", ts.PositiveNegative(8, ratio=ratio), for_class="unittest")
    print(f"ratio {ratio:3}:", *chosen.terms)
