"""Lay out the pages of the site: those that are written, those that are made, and what leads to each.

Pages of the repository read well where they lie; here each gets its place on the site, its links are led
there, and the pages below it are listed.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
STUDIES = ROOT / "studies" / "docs"
# pages that lie elsewhere in the repository
MOVED = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "benchmarks/README.md": "benchmarks.md",
    "studies/results/README.md": "studies/results.md",
}
# the page that leads a part of the site, and those below it
TREE = {
    "guide.md": (
        "guide/counts",
        "guide/files",
        "guide/tokenization",
        "languages",
        "guide/scores",
        "guide/significance",
        "guide/groups",
        "keyness",
        "guide/selection",
        "policies",
        "guide/joint-selection",
        "guide/scikit-learn",
        "estimators",
        "compare",
        "guide/candidates",
        "guide/validation",
        "guide/budget",
        "guide/evaluation",
        "models",
        "guide/reports",
        "guide/audit",
        "guide/spark",
        "guide/commands",
        "schemas",
        "words",
        "speed",
        "scale",
        "promises",
        "security",
        "glossary",
    ),
    "papers.md": (
        "studies/papers",
        "studies/studies",
        "studies/zheng2004",
        "studies/forman2003",
        "studies/tang2016",
        "studies/jiang-lee",
        "studies/uchyigit-clark",
        "studies/results",
    ),
    "architecture.md": ("contributing", "changelog", "benchmarks"),
}
# files that pages link to, as they are
FOLDERS = ("img", "data", "schemas")
# what a page says to whoever would edit its file
FOR_EDITORS = re.compile(r"^Written by `make docs`.*do not edit\.\n\n?", flags=re.MULTILINE)
# the blank line that ends a doctest would be shown as an empty line
DOCTEST_END = re.compile(r"(```python\n(?:(?!```).*\n)*?(?!```).+)\n\n```\n")
LINK = re.compile(r"(\]\()(?!https?:|mailto:|#)([^)#\s]+)(#[^)\s]*)?(\))")


def page_places() -> dict[str, str]:
    """Return the path on the site of each page, by its path in the repository."""
    written = {path.relative_to(ROOT).as_posix(): path.relative_to(DOCS).as_posix() for path in doc_pages()}
    studies = {path.relative_to(ROOT).as_posix(): f"studies/{path.name}" for path in STUDIES.glob("*.md")}
    return written | studies | {origin: place for origin, place in MOVED.items() if (ROOT / origin).exists()}


def doc_pages() -> list[Path]:
    """List the Markdown pages below docs/, without those that pages are made from."""
    return sorted(path for path in DOCS.rglob("*.md") if "make" not in path.relative_to(DOCS).parts)


def staged_page(origin: str, places: Mapping[str, str]) -> str:
    """Return a page with its links adapted to the site, and the list of the pages below it."""
    text = (ROOT / origin).read_text(encoding="utf-8")
    place = places[origin]

    def led(match: re.Match[str]) -> str:
        target = os.path.normpath(os.path.join(os.path.dirname(origin), match[2]))
        at = places.get(target) or file_place(target)
        if at is None:
            return match[0]
        return match[1] + os.path.relpath(at, os.path.dirname(place) or ".") + (match[3] or "") + match[4]

    text = DOCTEST_END.sub("\\1\\n```\\n", FOR_EDITORS.sub("", text))
    return LINK.sub(led, text) + contents(TREE.get(place, ()))


def file_place(target: str) -> str | None:
    """Return the path on the site of a file that is not a page, None if the site does not have it."""
    if target.startswith("studies/docs/"):
        return "studies/" + target.removeprefix("studies/docs/")
    return target.removeprefix("docs/") if target.startswith("docs/") else None


def contents(pages: tuple[str, ...] | list[str]) -> str:
    """Return the hidden list of the pages below one, or an empty string if there are none."""
    return "\n```{toctree}\n:hidden:\n\n" + "\n".join(pages) + "\n```\n" if pages else ""


def lay_out(source: Path, made: Mapping[str, str]) -> None:
    """Write all pages to a folder; those that have not changed keep their time, so they are not made again."""
    places = page_places()
    pages = {place: staged_page(origin, places) for origin, place in places.items()} | dict(made)
    for place, text in pages.items():
        write_changed(source / place, text)
    for folder in FOLDERS:
        shutil.copytree(DOCS / folder, source / folder, dirs_exist_ok=True)
    shutil.copytree(STUDIES / "img", source / "studies" / "img", dirs_exist_ok=True)
    forget_scripts(source / "gallery")
    known = {source / place for place in pages}
    for path in source.rglob("*.md"):
        if path not in known and "gallery" not in path.relative_to(source).parts:
            path.unlink()


def forget_scripts(gallery: Path) -> None:
    """Remove what sphinx-gallery made of scripts that are no longer there."""
    scripts = {path.stem for path in (ROOT / "examples" / "gallery").glob("*.py")}
    for path in gallery.glob("*.*"):
        if path.is_file() and path.name.split(".")[0] not in (scripts | {"index", "searchindex"}):
            path.unlink()


def write_changed(path: Path, text: str) -> None:
    """Write a file, unless it holds that already."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
