"""
Labels that say nothing
=======================

Shuffled labels show what the floor of a list means: at most one false term is expected above it, on average.
"""

import altair as alt
import numpy as np

import termsift as ts

corpus = ts.corpora.load("docstrings")
X = ts.TermVectorizer(min_df=3).fit_transform(corpus.texts)
labels = np.where(np.array(corpus.labels) == "scipy.stats", "stats", "other")
true = ts.score(ts.count(X, labels), "ig")
floor = true.threshold(1, for_class="stats")  # it depends on how often terms occur, not on where

rng = np.random.default_rng(0)
above = [
    int((ts.score(ts.count(X, rng.permutation(labels)), "ig").column("stats") >= floor).sum())
    for _ in range(100)
]
print("terms above the floor with shuffled labels:", np.mean(above), "on average")
print("with the true labels:", int((true.column("stats") >= floor).sum()), "of", X.shape[1])

# %%
# Words of one phrase come together, so many shuffles have no such term and some have several.
rows = [{"terms": n, "shuffles": above.count(n)} for n in range(max(above) + 1)]
picture = (
    alt.Chart(alt.Data(values=rows), width=420, height=220)
    .mark_bar()
    .encode(
        x=alt.X("terms:O", title="terms above the floor", axis=alt.Axis(labelAngle=0)), y=alt.Y("shuffles:Q")
    )
)
