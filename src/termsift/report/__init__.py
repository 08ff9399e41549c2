"""Reports: HTML page of the terms that distinguish classes, and charts such as terms in ROC space.

The module is callable: `termsift.report(texts, labels)` returns the page.
"""

from __future__ import annotations

from importlib import import_module
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
    from termsift.report.plots import export_charts, plot_curve, plot_effects, plot_terms

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
    "export_charts",
    "format_keywords",
    "iter_snippets",
    "landscape",
    "landscape_map",
    "load_asset",
    "notebook_html",
    "plot_curve",
    "plot_effects",
    "plot_terms",
    "report_html",
    "roc_space",
    "round_table",
    "save_chart",
    "template_environment",
    "term_pattern",
    "visible_texts",
]


# Altair takes long to import
LAZY = {
    **dict.fromkeys(("add_padding", "landscape", "landscape_map", "roc_space", "save_chart"), "charts"),
    **dict.fromkeys(("export_charts", "plot_curve", "plot_effects", "plot_terms"), "plots"),
}


def __getattr__(name: str) -> Any:
    if name in LAZY:
        return getattr(import_module(f"termsift.report.{LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
