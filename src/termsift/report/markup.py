"""HTML as text: every value is escaped where it enters."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

# inside a script these could end it, begin a comment, or break a line of JavaScript
UNSAFE = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def tag(name: str, *content: str, **attributes: object) -> str:
    """An element; its content is HTML already. An attribute that is True has no value, None is left out.

    >>> tag("p", escape("1 < 2"), class_="note", data_x='"')
    '<p class="note" data-x="&quot;">1 &lt; 2</p>'
    """
    written = "".join(
        f" {attribute(key)}" if value is True else f' {attribute(key)}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return f"<{name}{written}>{''.join(content)}</{name}>"


def attribute(key: str) -> str:
    """The name of an attribute as HTML writes it."""
    return key.rstrip("_").replace("_", "-")


def script_json(value: Any) -> str:
    """JSON that stays inside its script element, whatever the words are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(UNSAFE)


def name_of(text: str) -> str:
    """A term or a name among other words: its direction of writing does not touch theirs."""
    return tag("bdi", escape(text))


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table; `kind` is "text", "number" or "bar"."""

    title: str
    kind: str = "text"
    note: str | None = None


def table(
    identity: str, caption: str, columns: Sequence[Column], rows: Iterable[Sequence[str]], tall: bool = False
) -> str:
    """A table of cells that are HTML already, in a box that scrolls if it must."""
    heads = "".join(tag("th", escape(c.title), scope="col", class_=c.kind, title=c.note) for c in columns)
    body = "".join(
        tag("tr", *(one_cell(c.kind, cell) for c, cell in zip(columns, row, strict=True))) for row in rows
    )
    whole = tag(
        "table",
        tag("caption", tag("div", tag("span", escape(caption)), class_="cap")),
        tag("thead", tag("tr", heads)),
        tag("tbody", body),
        id=identity,
        class_="data",
    )
    box = "box tall" if tall else "box"
    return tag("div", whole, class_=box, tabindex=0, role="region", aria_label=caption)


def one_cell(kind: str, content: str) -> str:
    """A cell of a table."""
    return f"<td>{content}</td>" if kind == "text" else f'<td class="{kind}">{content}</td>'


def bar(width: float, text: str, colour: str = "accent") -> str:
    """A bar of some share of its cell, 0 to 1, and what it says."""
    percent = f"{100 * min(max(width, 0.0), 1.0):.1f}"
    return f'<span class="bar {colour}" style="--w:{percent}%"></span>{escape(text)}'
