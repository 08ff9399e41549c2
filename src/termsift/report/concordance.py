"""Words in context: where the texts of a corpus use a term."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

from termsift._internal.resources import is_short
from termsift._internal.threads import batch_edges
from termsift.counts import Labels
from termsift.report.formatting import clipped
from termsift.text import Analyzer, Scanner, is_run_together

AROUND, EACH = 56, 3
OUTSIDE = -1  # in place of the number of a class
WORD = re.compile(r"\w+")
# a term, the number of a class, and whether it is looked for inside that class (else outside)
Use: TypeAlias = tuple[str, int, bool]


@dataclass(frozen=True, slots=True)
class Snippet:
    """A term as a document writes it, what stands before and after it, and a class of that document."""

    before: str
    term: str
    after: str
    label: str


@dataclass(slots=True)
class Wanted:
    """The uses of one term that are still looked for."""

    pattern: re.Pattern[str]
    open: dict[Use, list[Snippet]] = field(default_factory=dict)


def snippets(
    texts: Sequence[str], labels: Labels, uses: Iterable[Use], classes: Sequence[object]
) -> dict[Use, tuple[Snippet, ...]]:
    """Up to three uses of each term, of the first documents that have them, none twice.

    classes : the names of the classes that the uses number
    """
    found: dict[Use, list[Snippet]] = {use: [] for use in uses}
    by_side = wanted_by_side(found)
    keys = set[str]().union(*by_side.values())
    odd = [key for key in keys if not WORD.search(key) or is_run_together(key)]
    for text, own, words in zip(texts, members_of(labels, classes), words_of(texts, keys), strict=True):
        if not by_side:
            break
        present = words | odd_keys(text, odd)
        for side in [side for side in (*sorted(own), OUTSIDE) if side in by_side]:
            by_key = by_side[side]
            for key in sorted(by_key.keys() & present):
                by_key[key] = [one for one in by_key[key] if is_open(one, text, own, classes)]
                if not by_key[key]:
                    del by_key[key]
            if not by_key:
                del by_side[side]
    return {use: tuple(seen) for use, seen in found.items() if seen}


def wanted_by_side(found: dict[Use, list[Snippet]]) -> dict[int, dict[str, list[Wanted]]]:
    """The terms wanted inside each class, and those outside some, by their first word.

    By themselves where they have none.
    """
    wanted: dict[tuple[int, str], Wanted] = {}
    for use, seen in found.items():
        term, c, inside = use
        side = c if inside else OUTSIDE
        wanted.setdefault((side, term), Wanted(pattern_of(term))).open[use] = seen
    by_side: dict[int, dict[str, list[Wanted]]] = {}
    for (side, term), one in wanted.items():
        by_side.setdefault(side, {}).setdefault(first_word(term), []).append(one)
    return by_side


def first_word(term: str) -> str:
    """The first word of a term in lower case; the term itself where it has none, or none around it."""
    if is_run_together(term):
        return term.lower()
    word = WORD.search(term.lower())
    return word.group() if word else term.lower()


@lru_cache(maxsize=1 << 14)
def pattern_of(term: str) -> re.Pattern[str]:
    """The term as texts write it: in any case, its words apart by anything that is no word."""
    words = WORD.findall(term)
    if is_run_together(term) or not words or " ".join(words) != term:
        return re.compile(re.escape(term), re.IGNORECASE)
    return re.compile(r"\b" + r"\W+".join(map(re.escape, words)) + r"\b", re.IGNORECASE)


def odd_keys(text: str, odd: list[str]) -> set[str]:
    """Those of the keys that are no words, or have none around them, that the text has."""
    small = text.lower() if odd else ""
    return {key for key in odd if key in small}


def words_of(texts: Sequence[str], wanted: set[str]) -> Iterator[set[str]]:
    """For each text those of the wanted words that it has; of long ones by the compiled scan."""
    if is_short(sum(map(len, texts))):
        yield from (wanted & set(WORD.findall(text.lower())) for text in texts)
        return
    scanner = Scanner(Analyzer(token_pattern=WORD.pattern))
    words = sorted(word for word in wanted if WORD.fullmatch(word))
    place = {code: i for i, code in enumerate(scanner.learn([word.encode() for word in words]).tolist())}
    for first, last in pairwise(batch_edges([len(text) for text in texts])):
        bags = scanner.bags(texts[first:last], frozen=True)
        codes = [words[place[code]] for code in bags.codes.tolist()]
        yield from (set(codes[start:end]) for start, end in pairwise(bags.indptr.tolist()))


def members_of(labels: Labels, classes: Sequence[object]) -> list[set[int]]:
    """For each document the numbers of its classes."""
    place = {name: c for c, name in enumerate(classes)}
    members: list[set[int]] = [set() for _ in range(labels.size)]
    for c, name in enumerate(labels.classes):
        for document in labels.of(c).tolist():
            members[document].add(place[name])
    return members


def is_open(wanted: Wanted, text: str, own: set[int], classes: Sequence[object]) -> bool:
    """Whether uses are still looked for, after the document's was added to those that look for it there."""
    for use, seen in list(wanted.open.items()):
        _, c, inside = use
        if (c in own) != inside:
            continue
        at = wanted.pattern.search(text)
        if at is None:
            return True
        label = c if inside else min(own, default=None)
        new = snippet(text, at, "" if label is None else str(classes[label]))
        if new not in seen:
            seen.append(new)
        if len(seen) == EACH:
            del wanted.open[use]
    return bool(wanted.open)


def snippet(text: str, at: re.Match[str], label: str) -> Snippet:
    """A match and what is around it, white space as single spaces, cut at words where it can be."""
    before = shortened(text[max(0, at.start() - 2 * AROUND) : at.start()][::-1])[::-1]
    after = shortened(text[at.end() : at.end() + 2 * AROUND])
    gap = " " if text[: at.start()][-1:].isspace() else ""
    follow = " " if text[at.end() : at.end() + 1].isspace() else ""
    return Snippet(
        before + gap if before else "", clipped(" ".join(at.group().split())), follow + after, label
    )


def shortened(text: str) -> str:
    """The beginning of a text, to the last whole word that fits; letters of many bytes fit less often.

    >>> shortened("one two  three " * 9)
    'one two three one two three one two three one two three…'
    """
    single = " ".join(text.split())
    fitting = single[:AROUND].encode("utf-8", "replace")[: 2 * AROUND].decode("utf-8", "ignore")
    if fitting == single:
        return single
    return (fitting.rpartition(" ")[0] or fitting) + "…"
