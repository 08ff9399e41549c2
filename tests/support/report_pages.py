"""Pages of reports for tests: small corpora, findings made by hand, and a reader of what a page holds."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import numpy as np

import termsift as ts
from strategies import tokens
from termsift._internal.tables import Table
from termsift.report.page import report_html
from termsift.report.summary import Findings

TOPICS = {
    "sea": "boat sail harbour wave anchor tide",
    "wood": "tree moss deer path oak fern",
    "town": "street tram market square lamp shop",
}
COMMON = "the and a of we saw there again"
NASTY = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(2)>',
    "{{7*7}}",
    "שלום",
    "مرحبا",
    "🙂",
    "</script><script>alert(3)</script>",
    "\u2028line",
    "&amp;",
    "it's",
)


def corpus(documents: int = 60, seed: int = 0) -> tuple[list[str], list[str]]:
    """Documents of three topics, each with words of its own and some of the others."""
    rng = np.random.default_rng(seed)
    names, texts, labels = list(TOPICS), [], []
    for d in range(documents):
        name = names[d % 3]
        own = rng.choice(TOPICS[name].split(), 4).tolist()
        strange = rng.choice(TOPICS[names[rng.integers(3)]].split(), 1).tolist()
        words = [*rng.choice(COMMON.split(), 5).tolist(), *own, *strange]
        rng.shuffle(words)
        texts.append(f"Once {' '.join(words).capitalize()}, no. {d}.")
        labels.append(name)
    return texts, labels


def spread_corpus(terms: int = 500, documents: int = 800) -> tuple[list[str], list[str]]:
    """Documents of two classes with hundreds of significant terms, rare and frequent ones."""
    rng = np.random.default_rng(0)
    rates = np.exp(rng.uniform(np.log(0.004), np.log(0.4), terms))
    by_class = np.clip(rates * np.exp(rng.normal(0, 1.5, (2, terms))), 0, 0.9)
    present = rng.random((documents, terms)) < by_class[np.arange(documents) % 2]
    return [" ".join(f"word{t}" for t in np.flatnonzero(row)) for row in present], ["a", "b"] * (
        documents // 2
    )


def nasty_corpus() -> tuple[list[str], list[str]]:
    """Documents whose words and labels are markup, script, templates, right-to-left text and emoji."""
    n = len(NASTY)
    texts = [f"{NASTY[i % n]}\t{NASTY[(3 * i + 1) % n]}\t{NASTY[(7 * i + 2) % n]}" for i in range(600)]
    return texts, [NASTY[i % 4] for i in range(600)]


def nasty_page(**options) -> str:
    texts, labels = nasty_corpus()
    counts = ts.count(texts, labels, analyzer=tokens)
    return report_html(
        counts, title=NASTY[0], texts=texts, labels=labels, findings=findings(NASTY[1]), **options
    )


def findings(method: str = "bns") -> Findings:
    """What a comparison might have found."""
    sizes = (5.0, 10.0, 20.0)
    rows = [
        (name, classifier, size, base + 0.02 * i + lift, 0.01)
        for classifier, lift in (("naive Bayes", 0.0), ("linear SVM", 0.05))
        for name, base in ((method, 0.7), ("chi2", 0.68), ("df", 0.5))
        for i, size in enumerate(sizes)
    ]
    rows += [("all terms", c, 26.0, 0.72, 0.02) for c in ("naive Bayes", "linear SVM")]
    names = ("method", "classifier", "terms", "mean", "error")
    lines = [dict(zip(names, row, strict=True)) for row in rows]
    best = max(lines, key=lambda line: line["mean"])
    by_class = [{"class": name, **line} for name in TOPICS for line in lines]
    return Findings(
        goal="macro-averaged F1",
        curve=table(lines),
        best=best,
        chosen=lines[10],
        classes=table(by_class),
        chances=table([{"method": "chi2", "chance": 0.25}, {"method": method, "chance": 0.75}]),
        answer=[f"Keep 10 terms by {method}.", "It ties with chi2."],
        warnings=["Two documents are duplicates."],
        trade_off=table([line | {"answer": f"within {method}"} for line in lines[9:12]]),
    )


def table(rows) -> Table:
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    kinds = {name: object if isinstance(column[0], str) else float for name, column in columns.items()}
    return Table({name: np.array(column, dtype=kinds[name]) for name, column in columns.items()})


class Page(HTMLParser):
    """What a browser would find in a page: tags with attributes, cells of tables, texts of scripts."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: dict[str, list[list[str]]] = {}
        self.captions: dict[str, str] = {}
        self.scripts: list[str] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self._table = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.tags.append((tag, found))
        if tag not in ("meta", "input", "img"):
            self._open.append(tag)
        if "template" in self._open:
            return
        if tag == "table":
            self._table = found["id"]
            self.tables[self._table] = []
            self.captions[self._table] = ""
        elif tag == "tr":
            self.tables[self._table].append([])
        elif tag in ("td", "th"):
            self.tables[self._table][-1].append("")
        elif tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data):
        if "script" in self._open:
            self.scripts[-1] += data
            return
        if "style" in self._open:
            return
        self.words.append(data)
        if "td" in self._open or "th" in self._open:
            self.tables[self._table][-1][-1] += data
        elif "caption" in self._open:
            self.captions[self._table] += data

    @property
    def text(self) -> str:
        return "".join(self.words)


def held(page: Page):
    """The data of the page's script."""
    return json.loads(page.scripts[0])["data"]
