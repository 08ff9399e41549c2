"""
Documents in groups
===================

A favourite word of one author is not evidence about a class.
Intervals over authors show that; intervals over documents do not.
"""

import numpy as np

import termsift as ts

rng = np.random.default_rng(0)
authors = [f"author {i // 20}" for i in range(240)]
labels = ["spam" if i % 2 else "ham" for i in range(240)]
texts = [
    " ".join(rng.choice(["prize", "cash", "now"] if label == "spam" else ["noon", "lunch", "now"], 3))
    for label in labels
]
for i in range(0, 20, 2):
    texts[i] += " zeal"
grouped = ts.count(texts, labels, groups=authors)
print(ts.jackknife(grouped, "bns").top("ham", 4, direction="positive"))
