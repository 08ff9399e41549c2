"""Reports: an HTML page of the terms that tell classes apart, and charts such as terms in ROC space.

The module is callable: `termsift.report(texts, labels)` returns the page.
"""

from __future__ import annotations

from termsift._typing import make_callable
from termsift.report.charts import save_chart
from termsift.report.charts.landscape import landscape
from termsift.report.charts.roc import roc_space
from termsift.report.html_report import notebook_html, report_html
from termsift.report.values.summary import Findings

__all__ = ["Findings", "landscape", "notebook_html", "report_html", "roc_space", "save_chart"]

make_callable(__name__, report_html)
