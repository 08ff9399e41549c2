"""
How few terms are enough
========================

Accuracy of naive Bayes by number of terms, for two metrics; terms are chosen inside each fold.
"""

import altair as alt
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

import termsift as ts

corpus = ts.corpora.load("docstrings")
kept = [
    i for i, label in enumerate(corpus.labels) if label in ("asyncio", "unittest", "datetime", "statistics")
]
texts, labels = [corpus.texts[i] for i in kept], [corpus.labels[i] for i in kept]
X = ts.TermVectorizer().fit_transform(texts)
rows = [
    {"metric": metric, "terms": k, "accuracy": float(cross_val_score(model, X, labels, cv=3).mean())}
    for metric in ("ig", "df")
    for k in (5, 20, 80, 320)
    for model in [make_pipeline(ts.TermSelector(metric, k=k), MultinomialNB())]
]
picture = (
    alt.Chart(alt.Data(values=rows), width=420, height=260)
    .mark_line(point=True)
    .encode(
        x=alt.X("terms:Q", scale=alt.Scale(type="log")),
        y=alt.Y("accuracy:Q", scale=alt.Scale(zero=False)),
        color="metric:N",
    )
)
picture
