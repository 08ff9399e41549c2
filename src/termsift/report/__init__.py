"""Pictures: what metrics choose."""

from __future__ import annotations

from termsift.report.findings import Findings
from termsift.report.html_report import notebook_html, report_html
from termsift.report.roc import roc_space
from termsift.report.saving import save_chart

__all__ = ["Findings", "notebook_html", "report_html", "roc_space", "save_chart"]
