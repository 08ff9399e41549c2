"""Pictures: what metrics choose, and the figures of studies from the files of their results."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from termsift.report.findings import Findings
from termsift.report.html_report import notebook_html, report_html
from termsift.report.roc import roc_space
from termsift.report.saving import save_chart

__all__ = ["Findings", "notebook_html", "report_html", "roc_space", "save_chart", "study_figures"]

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
