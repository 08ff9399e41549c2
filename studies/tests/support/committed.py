"""The results of studies that are files of the repository."""

from __future__ import annotations

from pathlib import Path

from termsift_studies.publishing import ResultTables

ROOT = Path(__file__).parent.parent.parent
COMMITTED = ResultTables(ROOT / "results")
