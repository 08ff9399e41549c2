"""The documents of an audit: those to learn from, those to test with, and their terms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from termsift._typing import Array
from termsift.audit.findings import beginning
from termsift.border.df_limits import df_limits
from termsift.compare.copies import SHORTEST, copied, set_similarities
from termsift.compare.reading import count_rows, limited_terms, narrow, text_rows
from termsift.compare.split.joining import joined_inputs
from termsift.errors import InvalidInput
from termsift.experiment.documents import Documents
from termsift.inputs import LabelledInput


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
        pairs = copied(rows)
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
    given = joined_inputs([train] if test is None else [train, test])
    if given.texts is None:
        if analyzer is not None:
            raise InvalidInput("an analyzer is for texts; these are counts already")
        documents = Documents(narrow(count_rows(given.matrix)), given.labels, np.asarray(given.terms))
    else:
        rows, terms, _ = text_rows(given.texts, analyzer, n_jobs)
        documents = Documents(narrow(rows), given.labels, terms, texts=given.texts)
    df_limits(len(given.labels), min_df, max_df)
    if (min_df, max_df) != (1, 1.0):
        documents = limited_terms(documents, min_df, max_df)
    return AuditedDocuments(documents, len(train.labels), given.missing)
