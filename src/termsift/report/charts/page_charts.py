"""The charts of a page as Vega-Lite: the script gives them their data, the style sheet their colours."""

from __future__ import annotations

from functools import cache
from importlib import metadata
from typing import Any

import altair as alt
import vl_convert

from termsift.machine.kept_texts import kept_text
from termsift.tables import Table

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"
RATES = [0, 0.001, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1]
KINDS = ("for", "against", "other", "for chosen", "against chosen")
COLOURS = ("var(--for-pale)", "var(--against-pale)", "var(--other-pale)", "var(--for)", "var(--against)")
NAME_ROOM = 0.2
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


def data_set(name: str) -> Any:
    """A chart of data that the script gives."""
    return alt.Chart(alt.NamedData(name=name))


def page_chart(chart: Any, height: int, description: str) -> dict[str, Any]:
    """The chart as wide as its place on the page."""
    sized = chart.properties(width="container", height=height, description=description)
    spec: dict[str, Any] = sized.to_dict()
    spec.pop("$schema")
    return spec | {"config": CONFIG, "autosize": {"type": "fit", "contains": "padding"}}


def rate_axis(field: str, title: str) -> dict[str, Any]:
    """A rate from 0 to 1; square roots, since most terms are rare."""
    scale = alt.Scale(type="sqrt", domain=[0, 1], nice=False)
    text = {"labelExpr": "format(datum.value, '~%')", "labelOverlap": "greedy", "labelSeparation": 4}
    axis = alt.Axis(values=RATES, grid=True, **text)
    return {"shorthand": f"{field}:Q", "title": title, "scale": scale, "axis": axis}


def map_chart() -> dict[str, Any]:
    """Terms in ROC space: points, isocline, floor, the names of the first, the one that was looked for."""
    x = alt.X(**rate_axis("x", "share of the other documents that hold the term"))
    y = alt.Y(**rate_axis("y", "share of the class's documents that hold the term"))
    diagonal = alt.Chart(alt.InlineData(values=[{"x": 0, "y": 0}, {"x": 1, "y": 1}])).mark_line(
        stroke="var(--rule)", strokeWidth=1, aria=False
    )
    lines = data_set("lines").mark_line(stroke="var(--ink)", strokeWidth=1.5, clip=True, aria=False).encode(
        detail="line:N", order="step:Q"
    )  # fmt: skip
    floors = data_set("floors").mark_line(
        stroke="var(--chance)", strokeWidth=1.5, strokeDash=[5, 4], clip=True, aria=False
    )
    dots = data_set("points").mark_point(filled=True, opacity=0.9, tooltip={"content": "data"}, aria=False)
    points = dots.encode(
        color=alt.Color("kind:N", legend=None, scale=alt.Scale(domain=KINDS, range=COLOURS)),
        size=alt.Size("size:Q", legend=None, scale=None),
    )  # fmt: skip
    found = data_set("found").mark_point(
        filled=False, size=260, stroke="var(--ink)", strokeWidth=2.5, opacity=1, aria=False
    )
    place = {"align": "left", "baseline": "middle", "dx": alt.expr("datum.dx"), "dy": alt.expr("datum.dy")}
    text = {"fontSize": 12, "aria": False, **place}
    halo = data_set("labels").mark_text(stroke="var(--paper)", strokeWidth=4, strokeJoin="round", **text)
    names = data_set("labels").mark_text(fill="var(--ink)", **text)
    floors = floors.encode(detail="line:N", order="step:Q")
    layers = [diagonal, points, floors, lines, found, halo.encode(text="text:N"), names.encode(text="text:N")]
    chart = alt.layer(*(layer.encode(x=x, y=y) for layer in layers))
    return page_chart(
        chart, 520, "Terms of the chosen class in ROC space; the table beside it has the same terms."
    )


def curve_chart(goal: str, curve: Table) -> dict[str, Any]:
    """The goal against the number of terms, a line and a band per method; one scale for all classifiers."""
    numbers = sorted({max(round(float(n)), 1) for n in curve["terms"]})
    low = min(float(row["mean"]) - float(row["error"]) for row in curve)
    high = max(float(row["mean"]) + float(row["error"]) for row in curve)
    ends = [numbers[0], max(numbers[-1], numbers[0] + 1)]
    ticks = [digit * 10**n for n in range(9) for digit in (1, 2, 5) if ends[0] <= digit * 10**n <= ends[1]]
    axis = alt.Axis(values=ticks, format=",", labelOverlap="greedy", labelSeparation=6, grid=False)
    across = alt.Scale(type="log", domain=ends, nice=False, padding=14)
    x = alt.X("terms:Q", title="number of terms", scale=across, axis=axis)
    # above the best there is room for the name of the recommended point
    up = alt.Scale(domain=[low, high + max(NAME_ROOM * (high - low), 1e-6)], nice=False, padding=10)
    y = alt.Y("mean:Q", title=goal, scale=up, axis=alt.Axis(tickCount=6, grid=True))
    colour = alt.Color("colour:N", scale=None, legend=None)
    band = data_set("band").mark_area(opacity=0.12, aria=False).encode(
        x=x, y=alt.Y("low:Q", title=goal, scale=up), y2="high:Q", color=colour, detail="method:N"
    )  # fmt: skip
    rule = data_set("level").mark_rule(strokeDash=[5, 4], strokeWidth=1.5, aria=False)
    line = data_set("curve").mark_line(aria=False).encode(
        x=x, y=y, color=colour, detail="method:N", order="terms:Q",
        strokeWidth=alt.StrokeWidth("weight:Q", scale=None, legend=None),
    )  # fmt: skip
    dots = data_set("curve").mark_point(
        filled=True, size=48, opacity=1, tooltip={"content": "data"}, aria=False
    )
    chosen = data_set("chosen").mark_point(
        filled=False, size=280, stroke="var(--ink)", strokeWidth=2.5, opacity=1, aria=False
    )
    place = {"align": "left", "baseline": "top", "dx": alt.expr("datum.dx"), "dy": alt.expr("datum.dy")}
    text = {
        "fontSize": 12.5,
        "fontWeight": "bold",
        "lineHeight": 16,
        "limit": alt.expr("datum.limit"),
        **place,
    }
    halo = data_set("chosen").mark_text(
        stroke="var(--paper)", strokeWidth=4, strokeJoin="round", aria=False, **text
    )
    name = data_set("chosen").mark_text(fill="var(--ink)", aria=False, **text)
    layers = [band, rule.encode(y=y, color=colour), line, dots.encode(x=x, y=y, color=colour)]
    layers += [mark.encode(x=x, y=y, text="text:N") for mark in (halo, name)]
    layers.append(chosen.encode(x=x, y=y))
    said = f"{goal} against the number of terms, a line per method; the table below has the same figures."
    return page_chart(alt.layer(*layers), 400, said)


@cache
def vega_script() -> str:
    """Vega, Vega-Lite and Vega-Embed, as vl-convert bundles them for the version Altair writes for."""
    version = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])

    def bundle() -> str:
        made: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=version)
        return made

    return kept_text(f"vega-{version}-{metadata.version('vl-convert-python')}.js", bundle)
