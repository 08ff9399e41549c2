"""
Data other than text
====================

Any matrix of counts works: the pixels that distinguish digits in the 8 by 8 images of scikit-learn.
"""

import altair as alt
import numpy as np
from sklearn.datasets import load_digits

import termsift as ts

digits = load_digits()
dark = (digits.data > 8).astype(int)
counts = ts.count(dark, digits.target, terms=[f"{i // 8} {i % 8}" for i in range(64)])
scores = ts.score(counts, "cc")
rows = [
    {"digit": int(digit), "row": i // 8, "column": i % 8, "score": float(np.asarray(scores.column(digit))[i])}
    for digit in (0, 3, 7)
    for i in range(64)
]
picture = (
    alt.Chart(alt.Data(values=rows), width=180, height=180)
    .mark_rect()
    .encode(
        x=alt.X("column:O", axis=None),
        y=alt.Y("row:O", axis=None),
        color=alt.Color("score:Q", scale=alt.Scale(scheme="redblue", domainMid=0, reverse=True), title="cc"),
        column=alt.Column("digit:O", title="blue speaks for the digit, red against it"),
    )
)
picture
