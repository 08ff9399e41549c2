"""
The words of each class
=======================

Count once, then ask for the words of each class, with counts, significance and effects.
"""

import termsift as ts

counts = ts.count(ts.corpora.load("docstrings"))
scores = ts.score(counts, "ig")
for name in ("asyncio", "datetime", "scipy.stats"):
    print(f"{name:12}", *scores.top(name, 8, direction="positive")["term"])

# %%
# One class in full: documents inside and outside, p-values, and the effect with its interval.
scores.top("datetime", 6, direction="positive")
