"""The table of corpora. To add one is a file with its reader and its facts, and a line here."""

from __future__ import annotations

from termsift.corpora import cdcai, docstrings, karypis, newsgroups, reuters21578, reuters_apte, sms_spam
from termsift.corpora.entry import Entry
from termsift.errors import unknown

ENTRIES: tuple[Entry, ...] = (
    docstrings.ENTRY,
    reuters21578.ENTRY,
    reuters_apte.ENTRY,
    newsgroups.ENTRY,
    sms_spam.ENTRY,
    *karypis.ENTRIES,
    *cdcai.ENTRIES,
)


def names() -> list[str]:
    """The corpora that can be loaded, in the order of the catalogue."""
    return [entry.name for entry in ENTRIES]


def entry_of(name: str) -> Entry:
    """The entry of a corpus."""
    for entry in ENTRIES:
        if entry.name == name:
            return entry
    raise unknown("corpus", name, names())
