"""audit: labelled documents through all checks."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from termsift.audit import checks
from termsift.audit.audited import audited_documents
from termsift.audit.findings import CHECKS, Audit
from termsift.errors import InvalidInput, TermsiftWarning
from termsift.inputs import LabelledInput, labelled_documents, names_files, reading_options


def audit(
    data: Any,
    labels: Any = None,
    *,
    test: Any = None,
    test_labels: Any = None,
    text: Any = None,
    label: Any = None,
    analyzer: Any = None,
    min_df: float = 1,
    max_df: float = 1.0,
    random_state: int = 0,
    n_jobs: int | None = None,
    terms: Iterable[str] | None = None,
    **reading: Any,
) -> Audit:
    """Find problems in labelled documents before training on them.

    The checks cover rows without text or label, labels that differ only by case or blanks, classes that are
    too small, documents without terms, encoding damage, duplicates and near duplicates, those with different
    labels, those of training documents in the test set, tokens that give a label away, and labels that the
    words contradict.

    Parameters
    ----------
    data : as for `termsift.compare`: texts, a document-term matrix, a data frame, the path of a file or
        folder, a glob pattern, a list of paths, or a Corpus
    labels : one label per document, a list of labels per document, or an indicator matrix
    test, test_labels : test documents and their labels, in the same form
    text, label : columns of the data frame or file
    analyzer : how a text becomes terms: a termsift.Analyzer, a function, or a CountVectorizer
    min_df, max_df : leave out terms in fewer, or in more, documents than this, as for `termsift.count`
    random_state : seed of the folds used to look for wrong labels
    n_jobs : number of threads; None means all cores
    terms : names of the matrix columns
    reading : how files are read, as for `termsift.count`: header, delimiter, encoding, encoding_errors,
        format, separator

    >>> texts = ["win a prize now", "win a prize now", "lunch at noon", "see you at lunch"]
    >>> found = audit(texts, ["spam", "ham", "ham", "Ham"])
    >>> found.found()
    ['labels', 'small', 'conflicts']
    >>> found["conflicts"]["document"]
    array([1])

    """
    if "on_missing" in reading:
        raise InvalidInput("rows that lack something are a finding of the audit; leave on_missing= out")
    reading = reading_options(audit, reading) | {"text": text, "label": label, "terms": terms}
    train = whole_rows(data, labels, reading)
    held = None if test is None else whole_rows(test, test_labels, reading)
    how: dict[str, Any] = {"analyzer": analyzer, "min_df": min_df, "max_df": max_df}
    return audit_of(train, held, **how, random_state=random_state, n_jobs=n_jobs)


def whole_rows(data: Any, labels: Any, reading: dict[str, Any]) -> LabelledInput:
    """The documents; rows of files that lack something are left out, which is a finding and no warning."""
    if not names_files(data, labels):
        return labelled_documents(data, labels, **reading)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* rows had no text or no label", TermsiftWarning)
        return labelled_documents(data, labels, **reading, on_missing="skip")


def audit_of(
    train: LabelledInput,
    test: LabelledInput | None = None,
    *,
    analyzer: Any = None,
    min_df: float = 1,
    max_df: float = 1.0,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Audit:
    """The audit of documents in memory."""
    if isinstance(random_state, bool) or not isinstance(random_state, int | np.integer) or random_state < 0:
        raise InvalidInput(f"random_state must be a whole number of at least 0, got {random_state!r}")
    audited = audited_documents(train, test, analyzer, n_jobs, min_df=min_df, max_df=max_df)
    doubted, reason = checks.doubts(audited, random_state)
    found = [
        *checks.missing_rows(audited),
        *checks.labels_alike(audited),
        *checks.small_classes(audited),
        *checks.empty_documents(audited),
        *checks.wrong_letters(audited),
        *checks.test_copies(audited),
        *checks.conflicts(audited),
        *checks.copies(audited),
        *checks.give_aways(audited),
        *doubted,
    ]
    order = list(CHECKS)
    found.sort(key=lambda one: order.index(one.check))
    sizes = audited.learned, len(audited.documents) - audited.learned
    filled = np.count_nonzero(np.diff(audited.documents.labels.starts))
    return Audit(tuple(found), *sizes, int(filled), () if reason is None else (reason,))
