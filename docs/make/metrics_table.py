"""Write the table of docs/metrics.md from the catalogue."""

from __future__ import annotations

from pathlib import Path

import termsift as ts

PAGE = Path(__file__).parent.parent / "metrics.md"
HEAD = """# Metrics

Written by `docs/make/metrics_table.py` from the catalogue, `termsift.metrics()`; do not edit.

A documents of the class and B others contain the term (A = tp, B = fp); C documents of the class and D others do not (C = fn, D = tn).
N = A+B+C+D, pos = A+C, neg = B+D, tpr = A/pos, fpr = B/neg.
tf(t,c) is the number of occurrences of t in documents of c, l_c that of all terms, M the number of terms.
p is the smoothed share (tf(t,c)+1)/(l_c+M) of the term in the class's text, q its mean in the other classes.
*Inverted* means that a term with tpr < fpr is scored at 1-tpr and 1-fpr.
The sign of a one-sided metric distinguishes positive from negative terms.
Every metric has the same exact p-values: [Significance](guide/significance.md).

| name | formula | sided | needs | options | source |
|---|---|---|---|---|---|
"""


def page() -> str:
    """Return the whole page."""
    return HEAD + "".join(line(metric) for metric in ts.metrics())


def line(metric: ts.metrics.Metric) -> str:
    """Return a row of the table."""
    names = ", ".join(f"`{name}`" for name in (metric.name, *metric.aliases))
    options = ", ".join(f"`{key}={value!r}`" for key, value in metric.options.items())
    formula = metric.formula.replace("|", "\\|")
    sided = ("-", "one", "two")[metric.sided]
    cells = (names, formula, sided, metric.needs, options, metric.source)
    return "| " + " | ".join(cells) + " |\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
