"""Reports: one HTML page of what tells classes apart, and terms in ROC space as a chart.

The package is callable: `termsift.report(texts, labels)` gives the page.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from termsift.callable_modules import make_callable
from termsift.report.charts import save_chart
from termsift.report.charts.roc import roc_space
from termsift.report.html_report import notebook_html, report_html
from termsift.report.values.findings import Findings

__all__ = ["Findings", "notebook_html", "report_html", "roc_space", "save_chart", "study_figures"]

make_callable(__name__, report_html)
_DRAWN = {
    name: f"termsift.studies.{name.replace('-', '_')}.figures"
    for name in ("forman2003", "jiang-lee", "tang2016", "uchyigit-clark", "zheng2004")
}


def study_figures(name: str, folder: Path) -> list[Path]:
    """Draw the figures of a study, if it has any, from the tables in its folder. Gives the files."""
    if name not in _DRAWN:
        return []
    draw = import_module(_DRAWN[name]).figures
    target = folder / "figures"
    target.mkdir(exist_ok=True)
    drawn = []
    for title, chart in draw(folder / "tables").items():
        path = target / f"{title}.svg"
        save_chart(chart, path)
        drawn.append(path)
    return drawn
