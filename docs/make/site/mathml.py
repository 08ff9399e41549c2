"""Mathematics as MathML, which browsers set themselves: no script and no font is fetched."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert


def inline(translator: Any, node: Any) -> None:
    """Write a formula within a line."""
    translator.body.append(convert(node.astext(), display="inline"))
    raise nodes.SkipNode


def display(translator: Any, node: Any) -> None:
    """Write a formula on a line by itself."""
    body = convert(node.astext(), display="block")
    translator.body.append(f'<div class="formula" tabindex="0">{body}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Register the extension in Sphinx."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
