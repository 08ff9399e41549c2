"""Write the page and the pictures of every paper from studies/results, and the list of studies."""

from __future__ import annotations

from pathlib import Path

from termsift_studies.publishing import publish_pages

ROOT = Path(__file__).parent.parent.parent

if __name__ == "__main__":
    publish_pages(ROOT)
