"""
Agreement of metrics
====================

The overlap of the hundred best terms of each pair of metrics, for one class.
"""

import altair as alt

import termsift as ts

counts = ts.count(ts.corpora.load("docstrings"), min_df=2)
names = ["ig", "chi2", "bns", "odds", "ndm", "gss", "log_odds_prior"]
best = {name: set(ts.score(counts, name).top("asyncio", 100)["term"]) for name in names}
rows = [{"metric": a, "other": b, "shared": len(best[a] & best[b]) / 100} for a in names for b in names]

cells = alt.Chart(alt.Data(values=rows), width=320, height=320).encode(
    x=alt.X("metric:N", sort=names, title=None), y=alt.Y("other:N", sort=names, title=None)
)
colour = alt.Color("shared:Q", scale=alt.Scale(scheme="blues", domain=[0, 1]), legend=None)
words = cells.mark_text().encode(
    text=alt.Text("shared:Q", format=".0%"),
    color=alt.condition("datum.shared > 0.6", alt.value("white"), alt.value("black")),
)
picture = (cells.mark_rect().encode(color=colour) + words).properties(
    title="Best 100 terms of asyncio in common"
)
picture
