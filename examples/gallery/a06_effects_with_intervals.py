"""
Effects with confidence intervals
=================================

A score ranks terms; an effect measures the difference, and its interval the uncertainty.
"""

import altair as alt

import termsift as ts

counts = ts.count(ts.corpora.load("docstrings"), min_df=3)
table = ts.score(counts, "ig").top("datetime", 12, direction="positive", effect="log_ratio", of="df")
rows = [{name: row[name] for name in ("term", "effect", "low", "high")} for row in table]

base = alt.Chart(alt.Data(values=rows), width=420, height=300).encode(
    y=alt.Y("term:N", sort=[row["term"] for row in rows], title=None)
)
scale = alt.Scale(domain=[0, 14], clamp=True)
bars = base.mark_rule().encode(
    x=alt.X("low:Q", scale=scale, title="doublings of the rate, and 95 % interval"), x2="high:Q"
)
picture = bars + base.mark_point(filled=True, size=50).encode(x=alt.X("effect:Q", scale=scale))
picture
