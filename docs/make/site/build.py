"""Make the site: lay out its pages, run Sphinx with warnings as errors, add what programs read."""

from __future__ import annotations

import shutil
import sys
import time
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
SITE = ROOT / ".site"
sys.path.insert(0, str(HERE))

import estimator_pages
import for_programs
import metric_pages
import policy_pages
import reference_pages
import staging
import termsift as ts


def main() -> int:
    """Make the site in `.site/html`; exit code 0, or that of Sphinx."""
    from sphinx.cmd.build import build_main

    started = time.monotonic()
    # scripts of the gallery run in this process: one reading of the docstrings serves all of them
    ts.corpora.load = cache(ts.corpora.load)
    source, html = SITE / "source", SITE / "html"
    made = reference_pages.reference_pages()
    for pages in (metric_pages.metric_pages, policy_pages.policy_pages, estimator_pages.estimator_pages):
        made |= pages(source / "pictures")
    staging.lay_out(source, made)
    print(f"{len(made)} pages made in {time.monotonic() - started:.0f} s")
    arguments = ["-W", "--keep-going", "-q", "-c", str(HERE), "-d", str(SITE / "doctrees")]
    code = build_main([*arguments, str(source), str(html)])
    for folder in ("data", "schemas"):
        shutil.copytree(source / folder, html / folder, dirs_exist_ok=True)
    copies = for_programs.add_copies(source, html)
    pages = len(list(html.rglob("*.html")))
    print(
        f"{pages} pages and {copies} copies in Markdown, in {time.monotonic() - started:.0f} s: {html / 'index.html'}"
    )
    return int(code)


if __name__ == "__main__":
    raise SystemExit(main())
