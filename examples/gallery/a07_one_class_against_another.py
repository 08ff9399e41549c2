"""
One class against another
=========================

Compared with all other classes, the words of the whole field come first;
compared with a related class, the words that distinguish the two.
"""

import termsift as ts

counts = ts.count(ts.corpora.load("docstrings"), min_df=2)
rest = ts.score(counts, "ig").top("scipy.stats", 10, direction="positive")["term"]
pair = ts.score(counts, "ig", for_class="scipy.stats", reference="statistics").top(
    n=10, direction="positive"
)["term"]
print("against all:       ", *rest)
print("against statistics:", *pair)
