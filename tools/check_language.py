"""Check that names, docstrings and help texts are written in plain technical English.

`make check` runs it. It measures each tree in TREES and fails if a figure exceeds its limit:

- vague names: variables and arguments that do not say what they hold (`found`, `own`, `part`);
- participle functions: names that start with a participle (`told_apart`) instead of a verb;
- functions that end in `_of`;
- docstring summaries that start with an article or "what" instead of a verb or a noun;
- odd phrases per 1,000 words of docstring summaries and help texts;
- comments per 100 lines of code;
- all odd phrases together per 1,000 words of docs/ and README.md, without code.

Usage: python tools/check_language.py [--list]    (--list shows the places behind each figure)
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


VAGUE_NAMES = _words(
    """
    alike asked at beside both each fallen found given held here it its judged kept known least left
    like line lines made more most named one other others own part parts place places reached reading
    readings rest same seen shown side sides standing taken there these thing things those told wanted
    what whole
    """
)
PARTICIPLES = _words(
    """
    drawn found held kept known left made read said seen sent shown taken told
    """
)
# words in -ed or -en that are no participles, or are terms of the field
NOT_PARTICIPLES = _words(
    """
    children embed even feed fixed hidden indeed need nested open red screen seed speed then token
    weighted when
    """
)
OPENERS = _words(
    """
    a all an as by each every for from how no of one some that the those what where whether which who
    why
    """
)
ODD_PHRASES = {
    "headless 'what'": r"\b[Ww]hat (?:a|an|the|is|are|was|were|each|it|they|one|there|this|has|of|follows)\b",
    "'where' for 'if'": r"\bwhere (?:there|it|they|none|one|that|nothing|what|no|some|all|not)\b",
    "fronted 'of'": r"(?:^|[.;:] )Of (?:a|an|the|two|some|several|all|those|what|texts|each|terms|words)\b",
    "'but for', 'beside', 'aside'": r"\b(?:but for|beside|aside)\b",
    "things that say or tell": r"\b(?:told|tells?|says?|said)\b",
    "'so many', 'so much'": r"\bso (?:many|much)\b",
    "'is no X'": r"\b(?:is|are) no (?!longer|more|such)[a-z]+",
    "'own'": r"\bown\b",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """Largest figures allowed for a tree of code; comments are a smallest figure."""

    vague: float = 2.5
    participles: float = 3.0
    of_functions: int = 5
    openers: float = 12.0
    odd: float = 0.3
    comments: float = 3.0


TREES = ("src", "studies/src")
LIMITS = Limits()
# test functions state facts, so only their names are checked
TEST_TREES = ("tests", "studies/tests")
ODD_TEST_NAME = re.compile(r"test_.*(?:^|_)(?:told|tells?|says?|said|beside|own|what)(?:_|$)")
MAX_ODD_TEST_NAMES = 3.0  # percent
MAX_ODD_IN_PAGES = 0.5  # all phrases together, per 1,000 words
CODE = re.compile(r"^(`{3,}).*?^\1|`[^`\n]*`|\]\([^)]*\)", flags=re.DOTALL | re.MULTILINE)


@dataclass(slots=True)
class Figures:
    """Language figures of a tree, with the places behind them."""

    bindings: int = 0
    vague: list[str] = field(default_factory=list)
    functions: int = 0
    participles: list[str] = field(default_factory=list)
    of_functions: list[str] = field(default_factory=list)
    summaries: list[str] = field(default_factory=list)
    openers: list[str] = field(default_factory=list)
    code_rows: int = 0
    comments: int = 0

    def add_module(self, path: Path) -> None:
        """Add the names, docstrings and comments of a module."""
        text = path.read_text(encoding="utf-8")
        rows = [row.strip() for row in text.splitlines()]
        self.comments += sum(row.startswith("#") for row in rows)
        docstring_rows = 0
        for node in ast.walk(ast.parse(text)):
            where = f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}"
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                docstring = ast.get_docstring(node, clean=False)
                if docstring:
                    docstring_rows += docstring.count("\n") + 1
                    self.add_summary(docstring, where)
            if isinstance(node, ast.FunctionDef):
                self.add_function(node.name, where)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self.add_binding(node.id, where)
            elif isinstance(node, ast.arg):
                self.add_binding(node.arg, where)
        self.code_rows += sum(bool(row) and not row.startswith("#") for row in rows) - docstring_rows

    def add_binding(self, name: str, where: str) -> None:
        """Add a variable or argument."""
        self.bindings += 1
        if name in VAGUE_NAMES:
            self.vague.append(f"{where} {name}")

    def add_function(self, name: str, where: str) -> None:
        """Add the name of a function."""
        if name.startswith("__"):
            return
        self.functions += 1
        first = name.lstrip("_").split("_")[0]
        if first in PARTICIPLES or (re.fullmatch(r"[a-z]+(?:ed|en)", first) and first not in NOT_PARTICIPLES):
            self.participles.append(f"{where} {name}")
        if name.endswith("_of"):
            self.of_functions.append(f"{where} {name}")

    def add_summary(self, docstring: str, where: str) -> None:
        """Add the first paragraph of a docstring."""
        summary = docstring.strip().split("\n\n")[0]
        self.summaries.append(summary)
        if summary.split()[0].lower() in OPENERS:
            self.openers.append(f"{where} {summary.splitlines()[0]}")

    def failures(self, limits: Limits) -> Iterator[tuple[str, list[str]]]:
        """Yield the figures above their limits, with their places."""
        shares = (
            ("vague names", self.vague, self.bindings, limits.vague),
            ("functions that start with a participle", self.participles, self.functions, limits.participles),
            (
                "summaries that start with an article or 'what'",
                self.openers,
                len(self.summaries),
                limits.openers,
            ),
        )
        for name, places, total, limit in shares:
            share = 100 * len(places) / max(total, 1)
            if share > limit:
                yield f"{name}: {share:.1f} %, at most {limit} %", places
        if len(self.of_functions) > limits.of_functions:
            yield (
                f"functions that end in _of: {len(self.of_functions)}, at most {limits.of_functions}",
                self.of_functions,
            )
        yield from odd_phrases(self.summaries, limits.odd)
        comments = 100 * self.comments / max(self.code_rows, 1)
        if comments < limits.comments:
            yield f"comments: {comments:.1f} per 100 lines of code, at least {limits.comments}", []


def odd_phrases(texts: list[str], limit: float) -> Iterator[tuple[str, list[str]]]:
    """Yield the odd phrases that are more frequent than the limit, per 1,000 words."""
    words = max(sum(len(text.split()) for text in texts), 1)
    for name, pattern in ODD_PHRASES.items():
        hits = [text for text in texts if re.search(pattern, text)]
        rate = 1000 * sum(len(re.findall(pattern, text)) for text in hits) / words
        if rate > limit:
            yield f"{name}: {rate:.2f} per 1,000 words, at most {limit}", hits


def page_failures() -> Iterator[tuple[str, list[str]]]:
    """Yield the rate of all odd phrases in the prose of pages, if it is above its limit."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    rows = [
        (path.relative_to(ROOT), row)
        for path in pages
        for row in CODE.sub("x", path.read_text(encoding="utf-8")).splitlines()
    ]
    hits = [
        f"{page}: {row}"
        for page, row in rows
        for pattern in ODD_PHRASES.values()
        for _ in re.findall(pattern, row)
    ]
    rate = 1000 * len(hits) / max(sum(len(row.split()) for _, row in rows), 1)
    if rate > MAX_ODD_IN_PAGES:
        yield f"pages: {rate:.2f} odd phrases per 1,000 words, at most {MAX_ODD_IN_PAGES}", hits


def help_texts() -> list[str]:
    """Return the help of every command and option."""
    from termsift.cli.parser import full_app

    app = full_app()
    texts = []
    for name in app:
        if name.startswith("-"):
            continue
        texts.append(app[name].help)
        texts += [argument.parameter.help or "" for argument in app[name].assemble_argument_collection()]
    return [text for text in texts if text]


def test_name_failures() -> Iterator[tuple[str, list[str]]]:
    """Yield the share of test names in odd English, if it is above its limit."""
    names = [
        f"{path.relative_to(ROOT)} {name}"
        for tree in TEST_TREES
        for path in sorted((ROOT / tree).rglob("test_*.py"))
        for name in re.findall(r"def (test_\w+)", path.read_text(encoding="utf-8"))
    ]
    odd = [name for name in names if ODD_TEST_NAME.search(name.split()[-1])]
    share = 100 * len(odd) / max(len(names), 1)
    if share > MAX_ODD_TEST_NAMES:
        yield f"test names in odd English: {share:.1f} %, at most {MAX_ODD_TEST_NAMES} %", odd


def all_failures() -> Iterator[tuple[str, list[str]]]:
    """Yield every figure above its limit, with the tree it is of."""
    for tree in TREES:
        figures = Figures()
        for path in sorted((ROOT / tree).rglob("*.py")):
            figures.add_module(path)
        yield from ((f"{tree}: {text}", places) for text, places in figures.failures(LIMITS))
    yield from ((f"help texts: {text}", places) for text, places in odd_phrases(help_texts(), limit=0.3))
    yield from test_name_failures()
    yield from page_failures()


def main(arguments: list[str]) -> int:
    """Print the failures and return the exit code."""
    failures = list(all_failures())
    for text, places in failures:
        print(text)
        if "--list" in arguments:
            print(*(f"    {place}" for place in places), sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
