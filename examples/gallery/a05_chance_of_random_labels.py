"""
False positives of random labels
================================

Permuted labels show what the threshold of a list means: at most one false positive is expected, on average.
"""

import altair as alt
import numpy as np

import termsift as ts

corpus = ts.corpora.load("docstrings")
X = ts.TermVectorizer(min_df=3).fit_transform(corpus.texts)
labels = np.where(np.array(corpus.labels) == "scipy.stats", "stats", "other")
scores = ts.score(ts.count(X, labels), "ig")
alpha = scores.alpha(1, for_class="stats")  # it depends on how often terms occur, not on where

rng = np.random.default_rng(0)
n_false = []
for _ in range(100):
    p = ts.score(ts.count(X, rng.permutation(labels)), "ig").of_class("stats").p
    n_false.append(int((p <= alpha).sum()))
print("significant terms with permuted labels:", np.mean(n_false), "on average")
print("with the true labels:", int(scores.significant(1, "stats").sum()), "of", X.shape[1])

# %%
# Words of one phrase come together, so many permutations have no such term and some have several.
rows = [{"terms": n, "permutations": n_false.count(n)} for n in range(max(n_false) + 1)]
picture = (
    alt.Chart(alt.Data(values=rows), width=420, height=220)
    .mark_bar()
    .encode(
        x=alt.X("terms:O", title="false positives", axis=alt.Axis(labelAngle=0)), y=alt.Y("permutations:Q")
    )
)
picture
