"""Results of an audit: a sentence and a table for each check that found problems, as text, JSON or HTML."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from importlib.metadata import version
from typing import Any

import numpy as np

from termsift._internal.errors import InvalidInputError, unknown_name_error
from termsift._internal.tables import Table, format_cell, format_table
from termsift._internal.typing import as_term_array
from termsift.report import load_asset, template_environment

# checks in the order of the output, with their descriptions
CHECKS = {
    "missing": "rows without a text or a label",
    "label_variants": "labels that differ only in case or whitespace",
    "small_classes": "classes with too few documents for training",
    "empty_documents": "documents without any term",
    "encoding": "texts decoded with a wrong encoding",
    "leakage": "test documents that duplicate training documents",
    "label_conflicts": "duplicates with different labels",
    "duplicates": "duplicates and near-duplicates with the same labels",
    "leaking_tokens": "tokens and fixed phrases that reveal the label",
    "shortcuts": "properties that predict a class, such as length or source",
    "label_errors": "possible label errors",
    "label_disagreement": "pairs of different first and second labels (--label2)",
    "disagreement_words": "words that go with different labels (--label2)",
}
NUMBERING_NOTE = "Documents are numbered from 1, not counting skipped rows; in Python and --json from 0."
# columns of document numbers, which are indices from 0
NUMBER_COLUMNS = ("document", "duplicate of", "test document", "training document", "example")
MAX_HTML_ROWS = 200

MAX_NOTEBOOK_ROWS = 5  # of each finding


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """Result of a check that found problems.

    Attributes
    ----------
    check : str
        Name of the check in CHECKS.
    count : int
        Number of rows, labels, classes, documents or tokens.
    sentence : str
        The problem, its size and its remedy.
    rows : Table
        A row for each case, most important first.

    Examples
    --------
    >>> from termsift import audit
    >>> result = audit(["win a prize", "win a prize", "lunch at noon"], ["spam", "ham", "Ham "])
    >>> result.findings[0].check, result.findings[0].count
    ('label_variants', 1)

    """

    check: str
    count: int
    sentence: str
    rows: Table


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Audit:
    """Problems of labelled documents.

    Attributes
    ----------
    findings : tuple of Finding
        One per check that found problems, in the order of CHECKS.
    documents, test_documents : int
        Number of training and of test documents.
    classes : int
        Number of classes.
    skipped : tuple of str
        Sentences about checks that could not be made.

    Examples
    --------
    >>> from termsift import audit
    >>> result = audit(["win a prize", "win a prize", "lunch at noon"], ["spam", "ham", "Ham "])
    >>> result.failed_checks()
    ['label_variants', 'small_classes', 'label_conflicts']

    """

    findings: tuple[Finding, ...]
    documents: int
    test_documents: int
    classes: int
    skipped: tuple[str, ...] = ()

    def __getitem__(self, check: str) -> Table:
        """Return the rows of a check; an empty table if it found no problems."""
        if check not in CHECKS:
            raise unknown_name_error("check", check, CHECKS)
        return next((finding.rows for finding in self.findings if finding.check == check), Table({}))

    def failed_checks(self, checks: Iterable[str] = ("any",)) -> list[str]:
        """Return the checks that found problems.

        Parameters
        ----------
        checks : iterable of str, default ("any",)
            Checks to include; "any" means all.

        Returns
        -------
        list of str
            Names of the checks, in the order of CHECKS.

        Raises
        ------
        UnknownNameError
            If a check does not exist.

        """
        names = parse_checks(checks)
        return [finding.check for finding in self.findings if finding.check in names]

    @property
    def summary(self) -> Table:
        """Row for each check: its name, number of problems, and description."""
        counts = {finding.check: finding.count for finding in self.findings}
        problems = np.array([counts.get(check, 0) for check in CHECKS])
        descriptions = as_term_array(CHECKS.values())
        return Table({"check": as_term_array(CHECKS), "problems": problems, "description": descriptions})

    @property
    def size_text(self) -> str:
        """Size of the data as text."""
        test = f" and {self.test_documents:,} test documents" if self.test_documents else ""
        return f"{self.documents:,} documents{test}, {self.classes:,} classes"

    def to_json(self) -> str:
        """Return the audit as JSON.

        Returns
        -------
        str
            JSON object with the sizes, and the rows of each finding.

        """
        names = ("documents", "test_documents", "classes", "skipped")
        content: dict[str, Any] = {name: getattr(self, name) for name in names}
        content["findings"] = [
            {"check": item.check, "count": item.count, "sentence": item.sentence, "rows": list(item.rows)}
            for item in self.findings
        ]
        return json.dumps(content, ensure_ascii=False, indent=1, default=str)

    def to_html(self, title: str = "Audit") -> str:
        """Return the audit as one self-contained HTML page.

        Parameters
        ----------
        title : str, default "Audit"
            Heading of the page.

        Returns
        -------
        str
            The page.

        """
        sections = []
        for finding in self.findings:
            table: Table = number_documents_from_one(finding.rows.head(MAX_HTML_ROWS))
            kinds = ["number" if column.dtype.kind in "iuf" else "name" for column in table.columns.values()]
            cells = [[format_cell(value) for value in row.values()] for row in table]
            sections.append((finding, list(zip(table.columns, kinds, strict=True)), cells))
        template = template_environment().get_template("audit.html")
        return template.render(
            title=title,
            audit=self,
            checks=[(row["check"], f"{row['problems']:,}", row["description"]) for row in self.summary],
            sections=sections,
            descriptions=CHECKS,
            max_rows=MAX_HTML_ROWS,
            numbering_note=NUMBERING_NOTE,
            version=version("termsift"),
            style=load_asset("report.css"),
        )

    def to_text(self, max_rows: int = 5) -> str:
        """Return the audit as text: a table of the checks, then the cases of each finding.

        Parameters
        ----------
        max_rows : int, default 5
            Maximum number of cases of each finding.

        Returns
        -------
        str
            The text.

        """
        sections = [self.size_text, format_table(self.summary)]
        for finding in self.findings:
            table = number_documents_from_one(finding.rows.head(max_rows))
            n_hidden = len(finding.rows) - len(table)
            note = f"\n... {n_hidden:,} more" if n_hidden else ""
            sections.append(f"{finding.check}: {finding.sentence}\n{format_table(table)}{note}")
        if not self.findings:
            sections.append("No problems found.")
        if any({*NUMBER_COLUMNS} & set(finding.rows.columns) for finding in self.findings):
            sections.append(NUMBERING_NOTE)
        return "\n\n".join([*sections, *self.skipped])

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        blocks = [
            f"<h4>{escape(finding.check)}</h4><p>{escape(finding.sentence)}</p>"
            f"{number_documents_from_one(finding.rows.head(MAX_NOTEBOOK_ROWS))._repr_html_()}"
            for finding in self.findings
        ]
        notes = [f"<p>{escape(note)}</p>" for note in (NUMBERING_NOTE, *self.skipped)]
        return "".join([f"<p>{escape(self.size_text)}</p>{self.summary._repr_html_()}", *blocks, *notes])


def number_documents_from_one(table: Table) -> Table:
    """Return rows of a finding for people, with documents numbered from 1."""
    columns = table.columns.items()
    return Table({name: values + 1 if name in NUMBER_COLUMNS else values for name, values in columns})


def parse_checks(names: Iterable[str]) -> set[str]:
    """Return the checks with the given names; "any" means all."""
    checks = [names] if isinstance(names, str) else list(names)
    if not checks:
        raise InvalidInputError(f"give at least one check: any, {', '.join(CHECKS)}")
    for name in checks:
        if name != "any" and name not in CHECKS:
            raise unknown_name_error("check", name, ("any", *CHECKS))
    return set(CHECKS) if "any" in checks else set(checks)
