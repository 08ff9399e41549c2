"""The filters of page.md: accuracies, printed and ours."""

from __future__ import annotations

from termsift.studies.pages import Rows, spread_rows


def accuracy_cell(row: dict[str, str]) -> str:
    """Printed, ours, difference."""
    return f"{float(row['printed']):.2f}, {float(row['ours']):.2f}, {float(row['difference']):+.2f}"


def accuracies_by_size(rows: Rows) -> Rows:
    """Accuracies of the methods that select, by number of features."""
    selecting = [row for row in rows if row["method"] in ("DC", "IG")]
    return spread_rows(selecting, "features", "{method}", accuracy_cell)


JIANG_FILTERS = (accuracy_cell, accuracies_by_size)
