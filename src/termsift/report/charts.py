"""The charts of a page as Vega-Lite: the script gives them their data, the style sheet their colours."""

from __future__ import annotations

from typing import Any

import altair as alt

from termsift.report.findings import Findings

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"
RATES = [0, 0.001, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1]
KINDS = ("for", "against", "other", "for chosen", "against chosen")
COLOURS = ("var(--for-pale)", "var(--against-pale)", "var(--other-pale)", "var(--for)", "var(--against)")
CONFIG = {
    "background": "transparent",
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": "var(--soft)", "titleColor": "var(--soft)", "domainColor": "var(--rule)",
        "tickColor": "var(--rule)", "gridColor": "var(--grid)", "labelFontSize": 12, "titleFontSize": 12,
        "titleFontWeight": "normal", "titlePadding": 10, "labelPadding": 6,
    },
}  # fmt: skip


def named(name: str) -> Any:
    """A chart of data that the script gives."""
    return alt.Chart(alt.NamedData(name=name))


def whole(chart: Any, height: int, description: str) -> dict[str, Any]:
    """The chart as wide as its place on the page."""
    sized = chart.properties(width="container", height=height, description=description)
    spec: dict[str, Any] = sized.to_dict()
    spec.pop("$schema")
    return spec | {"config": CONFIG, "autosize": {"type": "fit", "contains": "padding"}}


def rate(field: str, title: str) -> dict[str, Any]:
    """A rate from 0 to 1; square roots, since most terms are rare."""
    scale = alt.Scale(type="sqrt", domain=[0, 1], nice=False)
    axis = alt.Axis(values=RATES, labelExpr="format(datum.value, '~%')", labelOverlap="greedy", grid=True)
    return {"shorthand": f"{field}:Q", "title": title, "scale": scale, "axis": axis}


def term_map() -> dict[str, Any]:
    """Terms in ROC space: points, the isocline, the names of the first, and the one that was looked for."""
    x = alt.X(**rate("x", "share of the other documents that hold the term"))
    y = alt.Y(**rate("y", "share of the class's documents that hold the term"))
    diagonal = alt.Chart(alt.InlineData(values=[{"x": 0, "y": 0}, {"x": 1, "y": 1}])).mark_line(
        stroke="var(--rule)", strokeWidth=1, aria=False
    )
    lines = named("lines").mark_line(stroke="var(--ink)", strokeWidth=1.5, clip=True, aria=False).encode(
        detail="line:N", order="step:Q"
    )  # fmt: skip
    dots = named("points").mark_point(filled=True, opacity=0.9, tooltip={"content": "data"}, aria=False)
    points = dots.encode(
        color=alt.Color("kind:N", legend=None, scale=alt.Scale(domain=KINDS, range=COLOURS)),
        size=alt.Size("size:Q", legend=None, scale=None),
    )  # fmt: skip
    found = named("found").mark_point(
        filled=False, size=260, stroke="var(--ink)", strokeWidth=2.5, opacity=1, aria=False
    )
    place = {"align": "left", "baseline": "middle", "dx": alt.expr("datum.dx"), "dy": alt.expr("datum.dy")}
    text = {"fontSize": 12, "aria": False, **place}
    halo = named("labels").mark_text(stroke="var(--paper)", strokeWidth=4, strokeJoin="round", **text)
    names = named("labels").mark_text(fill="var(--ink)", **text)
    layers = [diagonal, points, lines, found, halo.encode(text="text:N"), names.encode(text="text:N")]
    chart = alt.layer(*(layer.encode(x=x, y=y) for layer in layers))
    return whole(
        chart, 520, "Terms of the chosen class in ROC space; the table beside it has the same terms."
    )


def performance(findings: Findings) -> dict[str, Any]:
    """The goal against the number of terms, a line and a band a method; one scale for all classifiers."""
    goal = findings.goal
    numbers = sorted({max(round(float(n)), 1) for n in findings.curve["terms"]})
    low = min(float(row["mean"]) - float(row["error"]) for row in findings.curve)
    high = max(float(row["mean"]) + float(row["error"]) for row in findings.curve)
    ends = [numbers[0], max(numbers[-1], numbers[0] + 1)]
    ticks = [digit * 10**n for n in range(9) for digit in (1, 2, 5) if ends[0] <= digit * 10**n <= ends[1]]
    axis = alt.Axis(values=ticks, format=",", labelOverlap="greedy", labelSeparation=6, grid=False)
    across = alt.Scale(type="log", domain=ends, nice=False, padding=14)
    x = alt.X("terms:Q", title="number of terms", scale=across, axis=axis)
    up = alt.Scale(domain=[low, max(high, low + 1e-6)], nice=False, padding=10)
    y = alt.Y("mean:Q", title=goal, scale=up, axis=alt.Axis(tickCount=6, grid=True))
    colour = alt.Color("colour:N", scale=None, legend=None)
    band = named("band").mark_area(opacity=0.12, aria=False).encode(
        x=x, y=alt.Y("low:Q", title=goal, scale=up), y2="high:Q", color=colour, detail="method:N"
    )  # fmt: skip
    level = named("level").mark_rule(strokeDash=[5, 4], strokeWidth=1.5, aria=False).encode(y=y, color=colour)
    line = named("curve").mark_line(aria=False).encode(
        x=x, y=y, color=colour, detail="method:N", order="terms:Q",
        strokeWidth=alt.StrokeWidth("weight:Q", scale=None, legend=None),
    )  # fmt: skip
    dots = named("curve").mark_point(filled=True, size=48, opacity=1, tooltip={"content": "data"}, aria=False)
    chosen = named("chosen").mark_point(
        filled=False, size=280, stroke="var(--ink)", strokeWidth=2.5, opacity=1, aria=False
    )
    name = named("chosen").mark_text(
        align=alt.expr("datum.align"), dy=-20, fontSize=12.5, fontWeight="bold", fill="var(--ink)", aria=False
    )
    layers = [band, level, line, dots.encode(x=x, y=y, color=colour), chosen.encode(x=x, y=y)]
    layers.append(name.encode(x=x, y=y, text="text:N"))
    text = f"{goal} against the number of terms, a line a method; the table below has the same figures."
    return whole(alt.layer(*layers), 400, text)
