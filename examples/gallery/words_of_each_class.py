"""
The words of each class
=======================

Count once, then ask for the words that tell each class.
"""

import termsift as ts

counts = ts.count(ts.corpora.load("docstrings"))
scores = ts.score(counts, "ig")
for name in ("asyncio", "datetime", "scipy.stats"):
    print(f"{name:12}", *scores.top(name, 8, side="for")["term"])
