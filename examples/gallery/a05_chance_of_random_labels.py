"""
Labels that say nothing
=======================

Shuffled labels show what the floor of a list is worth: with one false term expected, about one is found.
"""

import numpy as np

import termsift as ts

corpus = ts.corpora.load("docstrings")
labels = np.where(np.array(corpus.labels) == "scipy.stats", "stats", "other")
rng = np.random.default_rng(0)
above = []
for _ in range(5):
    scores = ts.score(ts.count(corpus.texts, rng.permutation(labels), min_df=3), "ig")
    above.append(int((scores.column("stats") >= scores.floor(1, for_class="stats")).sum()))
print("terms above the floor, of 5 shuffles:", above)
print("expected at most 1 each; found on average", np.mean(above))

# %%
# The true labels, at the same floor:
scores = ts.score(ts.count(corpus.texts, labels, min_df=3), "ig")
print(
    int((scores.column("stats") >= scores.floor(1, for_class="stats")).sum()),
    "of",
    len(scores.terms),
    "terms",
)
