"""Reports: an HTML page of the terms that tell classes apart, and charts such as terms in ROC space.

The module is callable: `termsift.report(texts, labels)` returns the page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from termsift._internal.typing import make_callable
from termsift.report.concordance import pattern_of
from termsift.report.formatting import three_digits
from termsift.report.keywords import FOR_READING, ClassWords, class_words, no_floor_words, ruled, told_words
from termsift.report.page import asset, notebook_html, report_html, seen_texts, templates
from termsift.report.summary import MOST_K, Findings

if TYPE_CHECKING:
    from termsift.report.charts import landscape, landscape_map, roc_space, roomy, save_chart

make_callable(__name__, report_html)

__all__ = [
    "FOR_READING",
    "MOST_K",
    "ClassWords",
    "Findings",
    "asset",
    "class_words",
    "landscape",
    "landscape_map",
    "no_floor_words",
    "notebook_html",
    "pattern_of",
    "report_html",
    "roc_space",
    "roomy",
    "ruled",
    "save_chart",
    "seen_texts",
    "templates",
    "three_digits",
    "told_words",
]


def __getattr__(name: str) -> Any:
    if name in ("landscape", "landscape_map", "roc_space", "roomy", "save_chart"):
        from termsift.report import charts  # Altair takes long to import

        return getattr(charts, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
