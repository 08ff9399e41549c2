"""A summary as one HTML page: styles, scripts, data and tables in one file, and no way out of it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import groupby

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from termsift.report.charts.page_charts import vega_script
from termsift.report.page.payload import held_json
from termsift.report.values.evidence import FULL_EFFECT
from termsift.report.values.sections import SECTIONS, Section
from termsift.report.values.summary import Summary
from termsift.report.values.written import amount_text, clipped, plain_number, share_text

SCRIPTS = ("written.js", "tables.js", "charts.js", "explorer.js", "lookup.js", "report.js")


def page_html(summary: Summary, version: str, sections: Sequence[Section] = SECTIONS) -> str:
    """The page of a summary."""
    filled = [(section, section.values(summary)) for section in sections]
    shown = [(section, values) for section, values in filled if values is not None]
    scripts = [vega_script(), own_script()]
    return (
        templates()
        .get_template("page.html")
        .render(
            summary=summary,
            version=version,
            parts=[section for section, _ in shown],
            groups=[(explored, list(own)) for explored, own in groupby(shown, lambda part: part[0].explored)],
            style=Markup(asset("report.css")),
            held=Markup(held_json(summary)),
            scripts=[Markup(script) for script in scripts],
            digests=[digest(script) for script in scripts],
        )
    )


@cache
def templates() -> Environment:
    """The templates of the page: every value is escaped where it enters, and a name they lack is an error."""
    environment = Environment(
        loader=PackageLoader("termsift.report.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["FULL_EFFECT"] = FULL_EFFECT
    environment.filters |= {f.__name__: f for f in (amount_text, clipped, plain_number, share_text)}
    return environment


def digest(script: str) -> str:
    """What a policy knows a script by."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"


@cache
def own_script() -> str:
    """Our own script, one piece in a scope of its own."""
    parts = "\n".join(asset(name) for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}}})();'


@cache
def asset(name: str) -> str:
    """A file of the page that comes with the package."""
    return (files("termsift.report.page") / "assets" / name).read_text(encoding="utf-8")
