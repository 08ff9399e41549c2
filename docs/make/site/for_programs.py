"""Files of the site for programs: `llms.txt`, and a Markdown copy beside each page."""

from __future__ import annotations

import re
from pathlib import Path

# the parts of the site, as llms.txt lists them: a heading, and the pages by their places
PARTS = {
    "Start": "start/*.md",
    "How to": "howto/*.md",
    "Guide": "guide/*.md",
    "More": "*.md",
    "Metrics": "metrics/*.md",
    "Policies": "policies/*.md",
    "Estimators": "estimators/*.md",
    "Gallery": "gallery/*.md",
    "Reference": "reference/*.md",
}
HEAD = """# termsift

> termsift finds the terms that distinguish classes of text, with exact significance: a Python package with a command line.

Every page of this site has a Markdown copy at the same address, with .md in place of .html.
"""
DIRECTIVE = re.compile(r"^(`{3,}|:{3,})\{(\w[\w:-]*)\}(.*)$")


def add_copies(source: Path, html: Path) -> int:
    """Write the copies and llms.txt beside the pages; how many copies."""
    copies = {
        path.relative_to(source).as_posix(): plain_page(path.read_text(encoding="utf-8"))
        for path in sorted(source.rglob("*.md"))
    }
    copies |= {
        f"gallery/{path.stem}.md": script_page(path.read_text(encoding="utf-8"))
        for path in sorted((source / "gallery").glob("*.py"))
    }
    for place, text in copies.items():
        (html / place).parent.mkdir(parents=True, exist_ok=True)
        (html / place).write_text(text, encoding="utf-8")
    (html / "llms.txt").write_text(contents(copies), encoding="utf-8")
    return len(copies)


def contents(copies: dict[str, str]) -> str:
    """Return llms.txt: each copy by its title, in the parts of the site."""
    lines = [HEAD]
    for title, pattern in PARTS.items():
        folder = pattern.rpartition("/")[0]
        places = [place for place in copies if place.rpartition("/")[0] == folder]
        lines.append(
            f"## {title}\n\n" + "".join(f"- [{title_of(copies[place])}]({place})\n" for place in places)
        )
    return "\n".join(lines)


def title_of(page: str) -> str:
    """Return the first heading of a page."""
    found = re.search(r"^# (.+)$", page, flags=re.MULTILINE)
    return found[1] if found else "termsift"


def plain_page(page: str) -> str:
    """Return a page without Sphinx directives: toctrees are removed, signatures and formulas become code."""
    page = re.sub(r"\A---\n.*?\n---\n", "", page, flags=re.DOTALL)
    page = re.sub(r"^```\{toctree\}\n.*?^```\n", "", page, flags=re.DOTALL | re.MULTILINE)
    page = re.sub(r"^```\{math\}\n(.*?)^```", r"$$\n\1$$", page, flags=re.DOTALL | re.MULTILINE)
    page = re.sub(r"^`{4}\{py:\w+\} (.*?)$\n(.*?)^`{4}$", r"`\1`\n\2", page, flags=re.DOTALL | re.MULTILINE)
    page = re.sub(
        r"^```\{image\} (\S+)\n:alt: (.*?)\n.*?^```", r"![\2](\1)", page, flags=re.DOTALL | re.MULTILINE
    )
    page = re.sub(
        r"^:{3,}\{grid-item-card\} (.*)\n:link: (\S+)\n:link-type: doc\n",
        r"### [\1](\2.md)\n",
        page,
        flags=re.MULTILINE,
    )
    page = re.sub(r"^:{3,}.*\n|^:(?:gutter|columns|class|width): .*\n", "", page, flags=re.MULTILINE)
    return (
        re.sub(r"\n{3,}", "\n\n", page)
        .replace("{.wide}", "")
        .replace("gallery/index.rst", "gallery/index.html")
        .strip()
        + "\n"
    )


def script_page(script: str) -> str:
    """Return a script of the gallery as Markdown: its text and its code."""
    _, words, code = script.split('"""', 2)
    title, _, rest = words.strip().partition("\n")
    prose = re.sub(r"\A=+\n", "", rest).strip()
    return f"# {title}\n\n{prose}\n\n```python\n{code.strip()}\n```\n"
