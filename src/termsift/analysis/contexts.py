"""Concordance: every occurrence of a term in a corpus, with the text around it (keyword in context)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from termsift._internal.errors import (
    InvalidInputError,
    UnknownNameError,
    check_name,
    closest_name,
    unknown_name_error,
)
from termsift._internal.tables import Table, format_cell
from termsift._internal.typing import Array, as_term_array, check_positive_integer
from termsift.counts import as_list, is_frame
from termsift.engines import LabelledInput, is_corpus, is_path_input, is_unloaded_frame, load_documents
from termsift.report import Snippet, iter_snippets, term_pattern

SORTS = ("text", "left", "right")
MAX_LENGTH_DIFFERENCE = 2  # of a word and the near miss of it
WORD = re.compile(r"\w+")


def concordance(
    data: Any,
    term: str,
    labels: Any = None,
    *,
    n: int | None = None,
    width: int = 50,
    sort: str = "text",
    for_class: Any = None,
    text: Any = None,
    label: Any = None,
    **reading: Any,
) -> Table:
    """Return every occurrence of a term with its context: a keyword-in-context table.

    Parameters
    ----------
    data : texts, path, data frame or Corpus
        Documents as for `ts.count`; labels are not needed.
    term : str
        Word or phrase, in any case; `*` stands for any characters of a word, as in "econom*".
    labels : array-like, optional
        Labels of texts, for the column `label`.
    n : int, optional
        Maximum number of occurrences; all by default.
    width : int, default 50
        Characters of context on either side.
    sort : {"text", "left", "right"}, default "text"
        Order of the rows: that of the documents, or that of the words to the left, nearest first, or to the
        right.
    for_class : object, optional
        Only documents of this class; needs labels.
    text, label : str, optional
        Columns of a file or data frame; without `label`, its labels are not read.
    **reading
        Further options of `ts.count` for files: header, delimiter, encoding, encoding_errors, format, ...

    Returns
    -------
    Table
        document : number of the document, from 0.
        label : its label, or labels; only if there are labels.
        left, term, right : the occurrence as it is written, and the text around it.

    Raises
    ------
    UnknownNameError
        If the term does not occur, with the most similar word; or if a class or option does not exist.
    InvalidInputError
        If the documents or an option cannot be used.

    Examples
    --------
    >>> concordance(["Win a prize now!", "no prize today"], "prize", sort="right")
    document  left   term   right
           0  Win a  prize  now!
           1  no     prize  today

    """
    check_name("order", sort, SORTS)
    check_positive_integer(width, "width")
    if n is not None:
        check_positive_integer(n, "n")
    if not isinstance(term, str) or not term.strip():
        raise InvalidInputError(f"the term must be a word or phrase, got {term!r}")
    documents = load_unlabelled_documents(data, reading | {"text": text, "label": label}, None, labels)
    if documents.texts is None:
        raise InvalidInputError("a concordance needs texts, but the data are counts")
    texts = documents.texts
    has_labels = labels is not None or label is not None or is_corpus(data)
    names = documents.labels.labels_per_document if has_labels else None
    rows = list(range(len(texts)))
    if for_class is not None:
        if names is None:
            raise InvalidInputError("for_class needs labels; pass labels, or name their column with label=")
        # classes may be numbers, which the command line gives as text
        classes = {str(name): name for document_names in names for name in document_names}
        if str(for_class) not in classes:
            raise unknown_name_error("class", for_class, classes)
        rows = [i for i in rows if classes[str(for_class)] in names[i]]
    found = _iter_occurrences(texts, rows, term.strip(), width)
    # in the order of the documents, the first n suffice
    occurrences = list(found if n is None or sort != "text" else islice(found, n))
    if not occurrences:
        raise UnknownNameError(_explain_absence(term.strip(), [texts[i] for i in rows]))
    keys = {
        "left": lambda item: WORD.findall(item[1].before.casefold())[::-1],
        "right": lambda item: WORD.findall(item[1].after.casefold()),
    }
    if sort in keys:
        occurrences.sort(key=keys[sort])
    occurrences = occurrences[:n]
    columns: dict[str, Array] = {"document": np.array([i for i, _ in occurrences])}
    if names is not None:
        columns["label"] = as_term_array(", ".join(map(str, names[i])) for i, _ in occurrences)
    for name, field in (("left", "before"), ("term", "term"), ("right", "after")):
        columns[name] = as_term_array(getattr(snippet, field).strip() for _, snippet in occurrences)
    return Table(columns)


def load_unlabelled_documents(
    data: Any, reading: dict[str, Any], metadata: dict[str, Any] | None = None, labels: Any = None
) -> LabelledInput:
    """Load documents without reading their labels, unless these or their column are given."""
    options = dict(reading)
    if labels is None and options.get("label") is None and not is_corpus(data):
        if isinstance(data, LabelledInput):
            return data
        if is_path_input(data, None, options.get("text") is not None):
            options["label"] = ""
        elif is_unloaded_frame(data):
            raise InvalidInputError("collect the lazy frame first, or name its label column with label=")
        else:
            data = data if is_frame(data) else as_list(data)
            labels = [""] * len(data)
    return load_documents(data, labels, metadata, **options)


def _iter_occurrences(
    texts: Sequence[str], rows: Sequence[int], term: str, width: int
) -> Iterator[tuple[int, Snippet]]:
    """Yield the number of the document and the snippet of each occurrence."""
    pattern = term_pattern(term)
    if "*" in term:
        words = [re.escape(word).replace(r"\*", r"\w*") for word in term.split()]
        pattern = re.compile(r"\b" + r"\W+".join(words) + r"\b", re.IGNORECASE)
    for i in rows:
        for snippet in iter_snippets(texts[i], pattern, width):
            yield i, snippet


def _explain_absence(term: str, texts: Sequence[str]) -> str:
    """Return a message for a term without occurrences, with the most similar word."""
    vocabulary = {word for text in texts for word in WORD.findall(text.lower())}
    for word in WORD.findall(term.lower()):
        if word in vocabulary or "*" in term:
            continue
        similar = sorted(w for w in vocabulary if abs(len(w) - len(word)) <= MAX_LENGTH_DIFFERENCE)
        near = closest_name(word, similar)
        hint = "" if near is None else f"; did you mean {near!r}?"
        return f"{term!r} does not occur in the {len(texts):,} documents{hint}"
    return f"{term!r} does not occur in the {len(texts):,} documents, but its words do, apart from each other"


def format_concordance(table: Table) -> str:
    """Format a concordance with its terms in one column, and documents numbered from 1."""
    table = Table({**table.columns, "document": table["document"] + 1}) if len(table) else table
    rows = [{name: format_cell(value) for name, value in row.items()} for row in table]
    width = {name: max((len(row[name]) for row in rows), default=0) for name in table.columns}
    return "\n".join(
        "  ".join(
            row[name].rjust(width[name]) if name in ("document", "left") else row[name].ljust(width[name])
            for name in table.columns
        ).rstrip()
        for row in rows
    )
