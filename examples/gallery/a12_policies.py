"""
Policies: from scores to a selection
====================================

The k best terms may leave some classes without any; with round-robin each class gets its share.
"""

import termsift as ts

counts = ts.count(ts.corpora.load("docstrings"), min_df=2)
policies = [ts.TopK(40), ts.RoundRobin(40), ts.PerClass(40), ts.Significant(1), ts.FalseDiscovery(0.001)]
for policy in policies:
    chosen = ts.select(counts, "ig", policy)
    print(f"{policy!r:28} {len(chosen):6,} terms, first: {' '.join(chosen.terms[:6])}")
