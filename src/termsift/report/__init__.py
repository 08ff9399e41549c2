"""Reports: HTML page of the terms that distinguish classes, and charts such as terms in ROC space.

The module is callable: `termsift.report(texts, labels)` returns the page.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from termsift._internal.typing import make_callable
from termsift.report.concordance import Snippet as Snippet
from termsift.report.concordance import iter_snippets as iter_snippets
from termsift.report.concordance import term_pattern as term_pattern
from termsift.report.formatting import round_table as round_table
from termsift.report.keywords import DEFAULT_METRIC as DEFAULT_METRIC
from termsift.report.keywords import ClassKeywords as ClassKeywords
from termsift.report.keywords import class_keywords as class_keywords
from termsift.report.keywords import describe_omitted as describe_omitted
from termsift.report.keywords import format_keywords as format_keywords
from termsift.report.page import load_asset as load_asset
from termsift.report.page import notebook_html as notebook_html
from termsift.report.page import report_html as report_html
from termsift.report.page import strip_markup as strip_markup
from termsift.report.page import template_environment as template_environment
from termsift.report.summary import MAX_K as MAX_K
from termsift.report.summary import Findings as Findings

if TYPE_CHECKING:
    from termsift.report.charts import add_padding as add_padding
    from termsift.report.charts import landscape as landscape
    from termsift.report.charts import roc_space as roc_space
    from termsift.report.charts import save_chart as save_chart
    from termsift.report.charts import unpadded_landscape as unpadded_landscape
    from termsift.report.plots import export_charts as export_charts
    from termsift.report.plots import plot_curve as plot_curve
    from termsift.report.plots import plot_effects as plot_effects
    from termsift.report.plots import plot_terms as plot_terms

make_callable(__name__, report_html)


# Altair takes long to import
LAZY = {
    **dict.fromkeys(("add_padding", "landscape", "unpadded_landscape", "roc_space", "save_chart"), "charts"),
    **dict.fromkeys(("export_charts", "plot_curve", "plot_effects", "plot_terms"), "plots"),
}


def __getattr__(name: str) -> Any:
    if name in LAZY:
        return getattr(import_module(f"termsift.report.{LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
