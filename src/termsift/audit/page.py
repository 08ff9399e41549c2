"""An audit as one HTML page, by the templates of the report."""

from __future__ import annotations

from typing import Any

import termsift
from termsift.audit.findings import CHECKS, NUMBERED, Audit, Finding
from termsift.report.page.rendering import asset, templates
from termsift.tables import Table, cell

MOST = 200  # rows of a table; the others are counted


def audit_page(audit: Audit, title: str) -> str:
    """The page."""
    found = {one.check: one.count for one in audit.findings}
    return (
        templates()
        .get_template("audit.html")
        .render(
            title=title,
            audit=audit,
            checks=[(check, f"{found.get(check, 0):,}", what) for check, what in CHECKS.items()],
            parts=[(one, *shown_rows(one)) for one in audit.findings],
            what=CHECKS,
            most=MOST,
            numbered=NUMBERED,
            version=termsift.__version__,
            style=asset("report.css"),
        )
    )


def shown_rows(one: Finding) -> tuple[list[tuple[str, str]], list[list[Any]]]:
    """The columns and the cells of a finding's table."""
    shown: Table = one.rows.head(MOST)
    kinds = ["number" if column.dtype.kind in "iuf" else "name" for column in shown.columns.values()]
    return list(zip(shown.columns, kinds, strict=True)), [[cell(v) for v in row.values()] for row in shown]
