"""What an audit found: a sentence and a table for each check that found something."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from termsift._typing import as_terms
from termsift.errors import InvalidInput, one_line, unknown
from termsift.tables import Table, text_table

# the checks in the order in which they are told, and what each looks for
CHECKS = {
    "missing": "rows without a text or a label",
    "labels": "labels that differ by case or blanks alone",
    "small": "classes too small to learn from",
    "empty": "documents without any term",
    "encoding": "texts that were decoded wrongly",
    "leakage": "test documents that are copies of training documents",
    "conflicts": "copies that have different labels",
    "copies": "copies and near copies with the same labels",
    "giveaways": "tokens that give a label away",
    "suspects": "labels that the words speak against",
}
NUMBERED = "Documents are counted from 0, without the rows that were left out."
LONGEST = 70  # characters of a text that are shown


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """The finding of one check.

    check : the name of the check in CHECKS
    count : number of rows, labels, classes, documents or tokens found
    sentence : what is wrong, how much of it, and what to do
    rows : a row for each case, most important first

    >>> from termsift import audit
    >>> found = audit(["win a prize", "win a prize", "lunch at noon"], ["spam", "ham", "Ham "])
    >>> found.findings[0].check, found.findings[0].count
    ('labels', 1)
    """

    check: str
    count: int
    sentence: str
    rows: Table


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Audit:
    """The problems found in labelled documents, and the checks that were made.

    findings : one per check that found something, in the order of CHECKS
    documents, test_documents : number of documents and of test documents
    classes : number of classes
    skipped : sentences about checks that could not be made

    >>> from termsift import audit
    >>> found = audit(["win a prize", "win a prize", "lunch at noon"], ["spam", "ham", "Ham "])
    >>> found.found()
    ['labels', 'small', 'conflicts']
    """

    findings: tuple[Finding, ...]
    documents: int
    test_documents: int
    classes: int
    skipped: tuple[str, ...] = ()

    def __getitem__(self, check: str) -> Table:
        """The rows that a check found, none where it found nothing."""
        if check not in CHECKS:
            raise unknown("check", check, CHECKS)
        return next((one.rows for one in self.findings if one.check == check), Table({}))

    def found(self, checks: Iterable[str] = ("any",)) -> list[str]:
        """The checks, of those named, that found something; "any" stands for all checks."""
        names = checks_from(checks)
        return [one.check for one in self.findings if one.check in names]

    @property
    def table(self) -> Table:
        """A row for each check: what it looks for, and how many cases it found."""
        counts = {one.check: one.count for one in self.findings}
        found = [counts.get(check, 0) for check in CHECKS]
        return Table({"check": as_terms(CHECKS), "found": np.array(found), "what": as_terms(CHECKS.values())})

    @property
    def size(self) -> str:
        """The size of the data, in words."""
        test = f" and {self.test_documents:,} to test with" if self.test_documents else ""
        return f"{self.documents:,} documents{test}, {self.classes:,} classes"

    def to_json(self) -> str:
        """The audit as JSON."""
        held: dict[str, Any] = {"documents": self.documents, "test_documents": self.test_documents}
        held |= {"classes": self.classes, "skipped": list(self.skipped)}
        held["findings"] = [
            {"check": one.check, "count": one.count, "sentence": one.sentence, "rows": list(one.rows)}
            for one in self.findings
        ]
        return json.dumps(held, ensure_ascii=False, indent=1, default=str)

    def to_html(self, title: str = "Audit") -> str:
        """The audit as one self-contained HTML page."""
        from termsift.audit.page import audit_page

        return audit_page(self, title)

    def text(self, most: int = 5) -> str:
        """The audit as readable text: the checks, then what each found, with at most `most` cases."""
        parts = [self.size, text_table(self.table)]
        for one in self.findings:
            shown = one.rows.head(most)
            more = len(one.rows) - len(shown)
            rest = f"\n... {more:,} more" if more else ""
            parts.append(f"{one.check}: {one.sentence}\n{text_table(shown)}{rest}")
        parts += [] if self.findings else ["Nothing was found."]
        if any({"document", "test document"} & set(one.rows.columns) for one in self.findings):
            parts.append(NUMBERED)
        return "\n\n".join([*parts, *self.skipped])

    def __repr__(self) -> str:
        return self.text()


def checks_from(names: Iterable[str]) -> set[str]:
    """The checks of some names; "any" is all."""
    given = [names] if isinstance(names, str) else list(names)
    if not given:
        raise InvalidInput(f"name at least one check: any, {', '.join(CHECKS)}")
    for name in given:
        if name != "any" and name not in CHECKS:
            raise unknown("check", name, ("any", *CHECKS))
    return set(CHECKS) if "any" in given else set(given)


def beginning(text: str) -> str:
    """The beginning of a text, in one line."""
    line = one_line(text[: 4 * LONGEST], 4 * LONGEST)
    return line if len(line) <= LONGEST else line[: LONGEST - 3].rstrip() + "..."


def counted(n: int, one: str, several: str) -> str:
    """A number and its noun.

    >>> counted(1, "label", "labels"), counted(1200, "label", "labels")
    ('1 label', '1,200 labels')
    """
    return f"{n:,} {one if n == 1 else several}"
