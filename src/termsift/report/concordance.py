"""Words in context: excerpts of the texts of a corpus around a term."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

from termsift._internal.resources import batch_edges, spend_python_budget
from termsift.counts import Labels
from termsift.report.formatting import clip_name
from termsift.text import Analyzer, Scanner, is_unspaced

CONTEXT_CHARACTERS = 56  # before and after a term
SNIPPETS_PER_USE = 3
OUTSIDE = -1  # stands for "not in the class" where a class index is expected
WORD = re.compile(r"\w+")
# term, class index, whether to search inside that class (otherwise outside)
Use: TypeAlias = tuple[str, int, bool]


@dataclass(frozen=True, slots=True)
class Snippet:
    """Term as a document writes it, the text before and after it, and a class of the document."""

    before: str
    term: str
    after: str
    label: str

    @property
    def cells(self) -> list[str]:
        """Values of a table row."""
        return [self.before, self.term, self.after, clip_name(self.label)]


@dataclass(slots=True)
class Search:
    """Uses of one term that still need snippets."""

    pattern: re.Pattern[str]
    snippets: dict[Use, list[Snippet]] = field(default_factory=dict)

    def add_match(self, text: str, document_classes: set[int], classes: Sequence[object]) -> None:
        """Add the first match in a document to the uses that need snippets."""
        for use, snippets in list(self.snippets.items()):
            _, c, inside = use
            if (c in document_classes) != inside:
                continue
            match = self.pattern.search(text)
            if match is None:
                return
            label = c if inside else min(document_classes, default=None)
            snippet = build_snippet(text, match, "" if label is None else str(classes[label]))
            if snippet not in snippets:
                snippets.append(snippet)
            if len(snippets) == SNIPPETS_PER_USE:
                del self.snippets[use]


def find_snippets(
    texts: Sequence[str], labels: Labels, uses: Iterable[Use], classes: Sequence[object]
) -> dict[Use, tuple[Snippet, ...]]:
    """Find up to three different snippets for each use, in the first documents that contain the term.

    Parameters
    ----------
    texts : documents
    labels : labels of the documents
    uses : terms with the class to search in or outside of
    classes : names of the classes by index

    """
    snippets: dict[Use, list[Snippet]] = {use: [] for use in uses}
    searches = group_searches_by_word(snippets)
    keys = set[str]().union(*searches.values())
    # keys that cannot be among the words of a text
    substrings = [key for key in keys if not WORD.search(key) or is_unspaced(key)]
    index = {name: c for c, name in enumerate(classes)}
    documents = zip(texts, labels.labels_per_document, iter_word_sets(texts, keys), strict=True)
    for text, document_labels, words in documents:
        if not searches:
            break
        document_classes = {index[name] for name in document_labels}
        lowercase = text.lower() if substrings else ""
        present = words | {key for key in substrings if key in lowercase}
        for c in (*sorted(document_classes), OUTSIDE):
            by_key = searches.get(c, {})
            for key in sorted(by_key.keys() & present):
                for search in by_key[key]:
                    search.add_match(text, document_classes, classes)
                by_key[key] = [search for search in by_key[key] if search.snippets]
                if not by_key[key]:
                    del by_key[key]
            if not by_key:
                searches.pop(c, None)
    return {use: tuple(matches) for use, matches in snippets.items() if matches}


def group_searches_by_word(snippets: dict[Use, list[Snippet]]) -> dict[int, dict[str, list[Search]]]:
    """Group searches by class index (or OUTSIDE) and by the word that a text must contain."""
    by_term: dict[tuple[int, str], Search] = {}
    for use, matches in snippets.items():
        term, c, inside = use
        key = (c if inside else OUTSIDE, term)
        by_term.setdefault(key, Search(term_pattern(term))).snippets[use] = matches
    searches: dict[int, dict[str, list[Search]]] = {}
    for (c, term), search in by_term.items():
        word = None if is_unspaced(term) else WORD.search(term.lower())
        searches.setdefault(c, {}).setdefault(word.group() if word else term.lower(), []).append(search)
    return searches


@lru_cache(maxsize=1 << 14)
def term_pattern(term: str) -> re.Pattern[str]:
    """Return a case-insensitive pattern of a term; its words may be separated by any non-word characters."""
    words = WORD.findall(term)
    if is_unspaced(term) or not words or " ".join(words) != term:
        return re.compile(re.escape(term), re.IGNORECASE)
    return re.compile(r"\b" + r"\W+".join(map(re.escape, words)) + r"\b", re.IGNORECASE)


def iter_word_sets(texts: Sequence[str], vocabulary: set[str]) -> Iterator[set[str]]:
    """Yield the words of the vocabulary in each text; long inputs use the compiled scanner."""
    if spend_python_budget(sum(map(len, texts)), for_text_kernels=True):
        yield from (vocabulary & set(WORD.findall(text.lower())) for text in texts)
        return
    scanner = Scanner(Analyzer(token_pattern=WORD.pattern))
    words = sorted(word for word in vocabulary if WORD.fullmatch(word))
    word_codes = scanner.add_terms([word.encode() for word in words]).tolist()
    word_by_code = dict(zip(word_codes, words, strict=True))
    for first, last in pairwise(batch_edges([len(text) for text in texts])):
        bags = scanner.scan_texts(texts[first:last], frozen=True)
        matches = [word_by_code[code] for code in bags.codes.tolist()]
        yield from (set(matches[start:end]) for start, end in pairwise(bags.indptr.tolist()))


def iter_snippets(text: str, pattern: re.Pattern[str], width: int) -> Iterator[Snippet]:
    """Yield every match in a text with this many characters of context on either side."""
    for match in pattern.finditer(text):
        yield build_snippet(text, match, "", width)


def build_snippet(text: str, match: re.Match[str], label: str, width: int = CONTEXT_CHARACTERS) -> Snippet:
    """Return a match with its context, whitespace collapsed and cut at word boundaries if possible."""
    start, end = match.span()
    # the text before the term is shortened from its far end, so it is reversed
    before = shorten(text[max(0, start - 2 * width) : start][::-1], width)[::-1]
    after = shorten(text[end : end + 2 * width], width)
    if before and text[start - 1].isspace():
        before += " "
    if text[end : end + 1].isspace():
        after = " " + after
    return Snippet(before, clip_name(" ".join(match.group().split())), after, label)


def shorten(text: str, width: int = CONTEXT_CHARACTERS) -> str:
    """Cut a text after the last complete word that fits; multi-byte characters count double.

    >>> shorten("one two  three " * 9)
    'one two three one two three one two three one two three…'
    """
    collapsed = " ".join(text.split())
    encoded = collapsed[:width].encode("utf-8", "replace")
    fitting = encoded[: 2 * width].decode("utf-8", "ignore")
    if fitting == collapsed:
        return collapsed
    return (fitting.rpartition(" ")[0] or fitting) + "…"
