"""What an audit found: a sentence and a table for each check that found something."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from typing import Any

import numpy as np

from termsift._internal.errors import InvalidInputError, one_line, unknown
from termsift._internal.tables import Table, cell, text_table
from termsift._internal.typing import Array, as_terms
from termsift.analysis.detectors import SHORTEST, find_duplicate_pairs, set_similarities
from termsift.counts import df_limits
from termsift.engines import Documents, LabelledInput
from termsift.estimators import validate_count_rows, concatenate_inputs, filter_by_df, with_int32_indices, vectorize_texts
from termsift.report import asset, templates

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

    >>> from termsift.analysis.checks import audit
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

    >>> from termsift.analysis.checks import audit
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
        names = parse_checks(checks)
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


def parse_checks(names: Iterable[str]) -> set[str]:
    """The checks of some names; "any" is all."""
    given = [names] if isinstance(names, str) else list(names)
    if not given:
        raise InvalidInputError(f"name at least one check: any, {', '.join(CHECKS)}")
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


@dataclass(frozen=True, eq=False)
class AuditedDocuments:
    """All documents, those to learn from first.

    learned : how many those are
    missing : rows of files that lacked a text or a label
    """

    documents: Documents
    learned: int
    missing: int

    @cached_property
    def train(self) -> Documents:
        """The documents to learn from, in all terms."""
        if self.learned == len(self.documents):
            return self.documents
        return self.documents.take(np.arange(self.learned))

    @cached_property
    def names(self) -> list[list[Any]]:
        """The labels of each document."""
        return self.documents.labels.names

    def label(self, document: int) -> str:
        """The labels of a document, as a table shows them."""
        return ", ".join(map(str, self.names[document]))

    def text(self, document: int) -> str:
        """The beginning of a document, empty where there are no texts."""
        return "" if self.documents.texts is None else beginning(self.documents.texts[document])

    @cached_property
    def pairs(self) -> tuple[Array, Array]:
        """(pairs, 2) of documents that are copies or near copies, the earlier first; and how alike they are.

        Of documents of few terms only those whose texts are the same, capitals and blanks aside.
        """
        rows = self.documents.rows
        pairs = find_duplicate_pairs(rows)
        short = np.diff(rows.indptr)[pairs[:, 0]] < SHORTEST
        same = [not few or self.same_text(*pair) for few, pair in zip(short, pairs.tolist(), strict=True)]
        pairs = pairs[np.array(same, dtype=bool)]
        return pairs, set_similarities(rows, pairs)

    def is_leak(self, a: int, b: int) -> bool:
        """Whether the second document is to test with, and the first to learn from."""
        return a < self.learned <= b

    def is_conflict(self, a: int, b: int) -> bool:
        """Whether two documents of the same part have different labels."""
        return not self.is_leak(a, b) and self.names[a] != self.names[b]

    def is_repeat(self, a: int, b: int) -> bool:
        """Whether two documents of the same part have the same labels."""
        return not self.is_leak(a, b) and self.names[a] == self.names[b]

    def same_text(self, one: int, other: int) -> bool:
        """Whether two texts are the same, capitals and blanks aside; of a matrix nobody knows better."""
        texts = self.documents.texts
        return texts is None or texts[one].casefold().split() == texts[other].casefold().split()


def audited_documents(
    train: LabelledInput,
    test: LabelledInput | None,
    analyzer: Any,
    n_jobs: int | None,
    *,
    min_df: float = 1,
    max_df: float = 1.0,
) -> AuditedDocuments:
    """The documents to learn from and to test with, as rows of the same terms."""
    given = concatenate_inputs([train] if test is None else [train, test])
    if given.texts is None:
        if analyzer is not None:
            raise InvalidInputError("an analyzer is for texts; these are counts already")
        documents = Documents(with_int32_indices(validate_count_rows(given.matrix)), given.labels, np.asarray(given.terms))
    else:
        rows, terms, _ = vectorize_texts(given.texts, analyzer, n_jobs)
        documents = Documents(with_int32_indices(rows), given.labels, terms, texts=given.texts)
    df_limits(len(given.labels), min_df, max_df)
    if (min_df, max_df) != (1, 1.0):
        documents = filter_by_df(documents, min_df, max_df)
    return AuditedDocuments(documents, len(train.labels), given.missing)


MOST = 200  # rows of a table; the others are counted


def audit_page(audit: Audit, title: str) -> str:
    """The page."""
    found = {one.check: one.count for one in audit.findings}
    return (
        templates()
        .get_template("audit.html")
        .render(
            title=title,
            audit=audit,
            checks=[(check, f"{found.get(check, 0):,}", what) for check, what in CHECKS.items()],
            parts=[(one, *shown_rows(one)) for one in audit.findings],
            what=CHECKS,
            most=MOST,
            numbered=NUMBERED,
            version=version("termsift"),
            style=asset("report.css"),
        )
    )


def shown_rows(one: Finding) -> tuple[list[tuple[str, str]], list[list[Any]]]:
    """The columns and the cells of a finding's table."""
    shown: Table = one.rows.head(MOST)
    kinds = ["number" if column.dtype.kind in "iuf" else "name" for column in shown.columns.values()]
    return list(zip(shown.columns, kinds, strict=True)), [[cell(v) for v in row.values()] for row in shown]
