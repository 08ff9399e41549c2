"""Reports: HTML page of the terms that distinguish classes, and charts such as terms in ROC space.

The module is callable: `termsift.report(texts, labels)` returns the page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from termsift._internal.typing import make_callable
from termsift.report.concordance import Snippet, iter_snippets, term_pattern
from termsift.report.formatting import round_table
from termsift.report.keywords import (
    DEFAULT_METRIC,
    ClassKeywords,
    class_keywords,
    describe_omitted,
    format_keywords,
)
from termsift.report.page import load_asset, notebook_html, report_html, template_environment, visible_texts
from termsift.report.summary import MAX_K, Findings

if TYPE_CHECKING:
    from termsift.report.charts import add_padding, landscape, landscape_map, roc_space, save_chart

make_callable(__name__, report_html)

__all__ = [
    "DEFAULT_METRIC",
    "MAX_K",
    "ClassKeywords",
    "Findings",
    "Snippet",
    "add_padding",
    "class_keywords",
    "describe_omitted",
    "format_keywords",
    "iter_snippets",
    "landscape",
    "landscape_map",
    "load_asset",
    "notebook_html",
    "report_html",
    "roc_space",
    "round_table",
    "save_chart",
    "template_environment",
    "term_pattern",
    "visible_texts",
]


def __getattr__(name: str) -> Any:
    if name in ("landscape", "landscape_map", "roc_space", "add_padding", "save_chart"):
        from termsift.report import charts  # Altair takes long to import

        return getattr(charts, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
