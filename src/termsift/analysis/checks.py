"""Audit of labelled documents: the checks and `audit`.

Texts decoded with a wrong encoding are recognized by their traces. UTF-8 decoded as Windows-1252 or Latin-1
leaves sequences such as `Ã©` for `é`: characters whose bytes in those encodings are UTF-8 again. Bytes that
are not UTF-8 leave U+FFFD. Windows-1252 and other encodings decoded as Latin-1 leave C1 control characters.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from unicodedata import normalize

import numpy as np

from termsift._internal.errors import InvalidInputError, TermsiftWarning, format_one_line
from termsift._internal.tables import Table
from termsift._internal.typing import Array, as_term_array
from termsift.analysis.detectors import (
    MIN_DOCUMENTS,
    MIN_NEAR_DUPLICATE_TERMS,
    Leak,
    find_class_name_leaks,
    find_duplicate_pairs,
    find_label_errors,
    find_leaking_tokens,
    is_better_than_chance,
    jaccard_similarities,
    out_of_fold_decision_values,
)
from termsift.analysis.findings import CHECKS, Audit, Finding
from termsift.counts import Cells, resolve_df_limits
from termsift.engines import Documents, LabelledInput, is_path_input, load_documents, validate_read_options
from termsift.estimators import (
    concatenate_inputs,
    filter_by_df,
    validate_count_rows,
    vectorize_texts,
    with_int32_indices,
)
from termsift.metrics import hypergeometric, score

MAX_EXCERPT = 70  # characters of a text in a table
MAX_TOKENS = 5  # leaking tokens of a class
EXPECTED_FALSE_LEAKS = 1e-3  # expected false positives among leaking tokens, over all terms and classes


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

    The checks cover rows without text or label, labels that differ only in case or whitespace, small classes,
    documents without terms, wrong encodings, duplicates and near-duplicates with the same and with different
    labels, test documents that duplicate training documents, tokens that reveal the label, and label errors.

    Parameters
    ----------
    data : texts, matrix, data frame, path or Corpus
        As for `termsift.compare`: texts, a document-term matrix, a data frame, the path of a file or folder,
        a glob pattern, a list of paths, or a Corpus.
    labels : optional
        One label per document, a list of labels per document, or an indicator matrix.
    test, test_labels : optional
        Test documents and their labels, in the same form.
    text, label : str, optional
        Columns of the data frame or file.
    analyzer : Analyzer, function or CountVectorizer, optional
        How a text becomes terms.
    min_df, max_df : float
        Omit terms in fewer, or in more, documents, as for `termsift.count`.
    random_state : int
        Random seed for the folds of the label-error check.
    n_jobs : int, optional
        Number of threads; None means all cores.
    terms : optional
        Names of the matrix columns.
    **reading
        How files are read, as for `termsift.count`: header, delimiter, encoding, encoding_errors, format,
        label_separator.

    Returns
    -------
    Audit

    Examples
    --------
    >>> texts = ["win a prize now", "win a prize now", "lunch at noon", "see you at lunch"]
    >>> result = audit(texts, ["spam", "ham", "ham", "Ham"])
    >>> result.failed_checks()
    ['label_variants', 'small_classes', 'label_conflicts']
    >>> result["label_conflicts"]["document"]
    array([1])

    """
    if "on_missing" in reading:
        raise InvalidInputError("on_missing cannot be set: incomplete rows are a finding of the audit")
    options = validate_read_options(audit, reading) | {"text": text, "label": label, "terms": terms}

    def load_complete_rows(source: Any, source_labels: Any) -> LabelledInput:
        if not is_path_input(source, source_labels):
            return load_documents(source, source_labels, **options)
        with warnings.catch_warnings():
            # incomplete rows are reported as a finding instead of a warning
            warnings.filterwarnings("ignore", ".*no text or no label", TermsiftWarning)
            return load_documents(source, source_labels, **options, on_missing="skip")

    return audit_inputs(
        load_complete_rows(data, labels),
        None if test is None else load_complete_rows(test, test_labels),
        analyzer=analyzer,
        min_df=min_df,
        max_df=max_df,
        random_state=random_state,
        n_jobs=n_jobs,
    )


def audit_inputs(
    train: LabelledInput,
    test: LabelledInput | None = None,
    *,
    analyzer: Any = None,
    min_df: float = 1,
    max_df: float = 1.0,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Audit:
    """Audit documents in memory."""
    if isinstance(random_state, bool) or not isinstance(random_state, int | np.integer) or random_state < 0:
        raise InvalidInputError(f"random_state must be a whole number of at least 0, got {random_state!r}")
    audited = AuditedDocuments.from_inputs(train, test, analyzer, n_jobs, min_df=min_df, max_df=max_df)
    label_errors, reason = check_label_errors(audited, random_state)
    findings = [
        *check_missing(audited),
        *check_label_variants(audited),
        *check_small_classes(audited),
        *check_empty_documents(audited),
        *check_encoding(audited),
        *check_leakage(audited),
        *check_label_conflicts(audited),
        *check_duplicates(audited),
        *check_leaking_tokens(audited),
        *label_errors,
    ]
    order = list(CHECKS)
    findings.sort(key=lambda finding: order.index(finding.check))
    n_test = len(audited.documents) - audited.n_train
    n_classes = int(np.count_nonzero(np.diff(audited.documents.labels.starts)))
    return Audit(tuple(findings), audited.n_train, n_test, n_classes, () if reason is None else (reason,))


@dataclass(frozen=True, eq=False)
class AuditedDocuments:
    """Training documents followed by test documents.

    n_train : number of training documents
    missing : number of rows without a text or a label
    """

    documents: Documents
    n_train: int
    missing: int

    @classmethod
    def from_inputs(
        cls,
        train: LabelledInput,
        test: LabelledInput | None,
        analyzer: Any,
        n_jobs: int | None,
        *,
        min_df: float = 1,
        max_df: float = 1.0,
    ) -> AuditedDocuments:
        """Count training and test documents in the same terms."""
        data = concatenate_inputs([train] if test is None else [train, test])
        if data.texts is None:
            if analyzer is not None:
                raise InvalidInputError("an analyzer needs texts; the data are counts")
            rows = with_int32_indices(validate_count_rows(data.matrix))
            documents = Documents(rows, data.labels, np.asarray(data.terms))
        else:
            rows, terms, _ = vectorize_texts(data.texts, analyzer, n_jobs)
            documents = Documents(with_int32_indices(rows), data.labels, terms, texts=data.texts)
        resolve_df_limits(len(data.labels), min_df, max_df)  # raises an error for invalid limits
        if (min_df, max_df) != (1, 1.0):
            documents = filter_by_df(documents, min_df, max_df)
        return cls(documents, len(train.labels), data.missing)

    @cached_property
    def train(self) -> Documents:
        """Training documents."""
        if self.n_train == len(self.documents):
            return self.documents
        return self.documents.take(np.arange(self.n_train))

    @cached_property
    def labels(self) -> list[list[Any]]:
        """Labels of each document."""
        return self.documents.labels.labels_per_document

    def format_label(self, document: int) -> str:
        """Return the labels of a document as text."""
        return ", ".join(map(str, self.labels[document]))

    def excerpt(self, document: int) -> str:
        """Return the beginning of a document in one line; empty if there are no texts."""
        if self.documents.texts is None:
            return ""
        beginning = format_one_line(self.documents.texts[document][: 4 * MAX_EXCERPT], 4 * MAX_EXCERPT)
        return beginning if len(beginning) <= MAX_EXCERPT else beginning[: MAX_EXCERPT - 3].rstrip() + "..."

    @cached_property
    def duplicate_pairs(self) -> tuple[Array, Array]:
        """Pairs of duplicates or near-duplicates, (pairs, 2), earlier first, and their similarity.

        Documents with few terms are duplicates only if their texts are equal except for case and whitespace.
        """
        rows, texts = self.documents.rows, self.documents.texts
        pairs = find_duplicate_pairs(rows)
        is_short = np.diff(rows.indptr)[pairs[:, 0]] < MIN_NEAR_DUPLICATE_TERMS
        if texts is not None:
            is_duplicate = [
                not short or texts[a].casefold().split() == texts[b].casefold().split()
                for short, (a, b) in zip(is_short, pairs.tolist(), strict=True)
            ]
            pairs = pairs[np.array(is_duplicate, dtype=bool)]
        return pairs, jaccard_similarities(rows, pairs)

    def is_leak(self, a: int, b: int) -> bool:
        """Return whether the first document is in the training set and the second in the test set."""
        return a < self.n_train <= b

    def is_conflict(self, a: int, b: int) -> bool:
        """Return whether two documents of the same set have different labels."""
        return not self.is_leak(a, b) and self.labels[a] != self.labels[b]

    def first_duplicates(self, is_relevant: Callable[[int, int], bool]) -> list[tuple[int, int, float]]:
        """Return (earlier, later, similarity) with the first relevant duplicate of each later document."""
        pairs, similarities = self.duplicate_pairs
        first: dict[int, tuple[int, int, float]] = {}
        for (a, b), similarity in zip(pairs.tolist(), similarities.tolist(), strict=True):
            if is_relevant(a, b):
                first.setdefault(b, (a, b, round(similarity, 2)))
        return [first[b] for b in sorted(first)]


def check_missing(audited: AuditedDocuments) -> Iterator[Finding]:
    """Find rows of files without a text or a label."""
    n = audited.missing
    if n:
        rows = format_count(n, "row has", "rows have")
        sentence = f"{rows} no text or no label (skipped). Fill in the missing values or drop the rows."
        yield Finding("missing", n, sentence, Table({"rows": np.array([n])}))


def check_label_variants(audited: AuditedDocuments) -> Iterator[Finding]:
    """Find labels that are blank, or equal except for case, whitespace or Unicode normalization."""
    labels = audited.documents.labels
    by_key: dict[str, list[int]] = {}
    for c, name in enumerate(labels.classes):
        if isinstance(name, str):
            by_key.setdefault(" ".join(normalize("NFKC", name).casefold().split()), []).append(c)
    sizes = np.diff(labels.starts)
    rows = []
    for key, variants in by_key.items():
        # the most frequent variant; if several are, preferably one without surplus whitespace
        usual = max(
            variants, key=lambda c: (sizes[c], labels.classes[c] == " ".join(labels.classes[c].split()))
        )
        for c in variants:
            if key == "":
                rows.append((repr(labels.classes[c]), int(sizes[c]), "blank"))
            elif c != usual:
                rows.append((repr(labels.classes[c]), int(sizes[c]), repr(labels.classes[usual])))
    if rows:
        count = format_count(len(rows), "label is blank or differs", "labels are blank or differ")
        sentence = f"{count} from another only in case or whitespace; each is a separate class. Unify them."
        table = build_table(rows, ("label", "documents", "meant"))
        yield Finding("label_variants", len(rows), sentence, table)


def check_small_classes(audited: AuditedDocuments) -> Iterator[Finding]:
    """Find classes with too few training documents, smallest first."""
    labels = audited.train.labels
    sizes = np.diff(labels.starts)
    small = [c for c in np.argsort(sizes, kind="stable") if sizes[c] < MIN_DOCUMENTS]
    if small:
        sentence = (
            f"{format_count(len(small), 'class has', 'classes have')} fewer than {MIN_DOCUMENTS} training "
            "documents, so scores for it are unreliable. Collect more documents, or merge classes."
        )
        rows = [(quote_if_blank(labels.classes[c]), int(sizes[c])) for c in small]
        yield Finding("small_classes", len(small), sentence, build_table(rows, ("class", "documents")))


def check_empty_documents(audited: AuditedDocuments) -> Iterator[Finding]:
    """Find documents without terms."""
    empty = np.flatnonzero(np.diff(audited.documents.rows.indptr) == 0).tolist()
    if empty:
        count = format_count(len(empty), "document has", "documents have")
        sentence = f"{count} no terms and cannot be classified by words. Drop or repair them."
        rows = [(d, audited.format_label(d), audited.excerpt(d)) for d in empty]
        table = build_table(rows, ("document", "label", "text"))
        yield Finding("empty_documents", len(empty), sentence, table)


def check_encoding(audited: AuditedDocuments) -> Iterator[Finding]:
    """Find texts that were decoded with a wrong encoding."""
    damaged = find_damaged_texts(audited.documents.texts or ())
    if damaged:
        count = format_count(len(damaged), "text was", "texts were")
        sentence = f"{count} decoded with a wrong encoding. Re-decode the files with the correct encoding."
        rows = [(d, audited.format_label(d), *damage) for d, *damage in damaged]
        names = ("document", "label", "damage", "shows", "was")
        yield Finding("encoding", len(damaged), sentence, build_table(rows, names))


def check_leakage(audited: AuditedDocuments) -> Iterator[Finding]:
    """Find test documents that duplicate training documents."""
    rows = []
    for a, b, similarity in audited.first_duplicates(audited.is_leak):
        labels = audited.format_label(b), audited.format_label(a)
        rows.append((b - audited.n_train, a, similarity, *labels, audited.excerpt(b)))
    if rows:
        share = len(rows) / (len(audited.documents) - audited.n_train)
        sentence = (
            f"{format_count(len(rows), 'test document duplicates', 'test documents duplicate')} training "
            f"documents ({share:.1%}), so test scores on them measure memorization. Drop them from one set."
        )
        names = ("test document", "training document", "similarity", "label", "training label", "text")
        yield Finding("leakage", len(rows), sentence, build_table(rows, names))


def check_label_conflicts(audited: AuditedDocuments) -> Iterator[Finding]:
    """Find duplicates with different labels."""
    rows = [
        (b, audited.format_label(b), a, audited.format_label(a), similarity, audited.excerpt(b))
        for a, b, similarity in audited.first_duplicates(audited.is_conflict)
    ]
    if rows:
        sentence = (
            f"{format_count(len(rows), 'document duplicates', 'documents duplicate')} a document with a "
            "different label: one of the labels is wrong, or the text does not determine the label."
        )
        names = ("document", "label", "duplicate of", "label of duplicate", "similarity", "text")
        yield Finding("label_conflicts", len(rows), sentence, build_table(rows, names))


def check_duplicates(audited: AuditedDocuments) -> Iterator[Finding]:
    """Find duplicates of earlier documents with the same labels, except documents with a label conflict."""
    conflicting = {b for _, b, _ in audited.first_duplicates(audited.is_conflict)}

    def has_same_labels(a: int, b: int) -> bool:
        return not audited.is_leak(a, b) and audited.labels[a] == audited.labels[b]

    rows = [
        (b, a, similarity, audited.format_label(b), audited.excerpt(b))
        for a, b, similarity in audited.first_duplicates(has_same_labels)
        if b not in conflicting
    ]
    if rows:
        share = len(rows) / len(audited.documents)
        sentence = (
            f"{format_count(len(rows), 'document duplicates', 'documents duplicate')} an earlier document "
            f"({share:.1%} of all). If a split separates duplicates, scores are too high. Keep one of each, "
            "for example with termsift compare --drop-duplicates."
        )
        names = ("document", "duplicate of", "similarity", "label", "text")
        yield Finding("duplicates", len(rows), sentence, build_table(rows, names))


def check_leaking_tokens(audited: AuditedDocuments) -> Iterator[Finding]:
    """Find tokens, and class names, that reveal the label and are significant."""
    counts, name_leaks = audited.train.counts, find_class_name_leaks(audited.train)
    leaks = []
    for c in range(len(counts.classes)):
        leaks += [name_leaks[c]] if c in name_leaks else []
        leaks += find_leaking_tokens(counts, c, MAX_TOKENS)
    # the threshold over all terms and classes is expensive, so it is computed only if needed
    threshold = score(counts, "hypergeometric").threshold(EXPECTED_FALSE_LEAKS) if leaks else None
    rows = []
    for leak in leaks:
        strength = leak_strength(leak, int(counts.documents))
        if threshold is None or strength >= threshold:
            rows.append((leak.words, leak.name, leak.inside, leak.size, leak.outside, 10**-strength))
    if rows:
        sentence = (
            f"{format_count(len(rows), 'token reveals', 'tokens reveal')} the label. Remove those that were "
            "written by the labelling process or that new documents will not contain."
        )
        rows.sort(key=lambda row: -row[2] / row[3])
        names = ("token", "class", "in the class", "of", "outside", "p")
        yield Finding("leaking_tokens", len(rows), sentence, build_table(rows, names))


def leak_strength(leak: Leak, n_documents: int) -> float:
    """Return -log10 of the p-value of Fisher's exact test that token and class are associated."""
    absent = leak.size - leak.inside
    cells = leak.inside, leak.outside, absent, n_documents - leak.inside - leak.outside - absent
    return float(hypergeometric(Cells(*(np.array(float(cell)) for cell in cells))))


def check_label_errors(audited: AuditedDocuments, seed: int) -> tuple[list[Finding], str | None]:
    """Find documents that a classifier assigns to another class, or return why this was not checked."""
    labels = audited.train.labels
    skipped = "Label errors were not checked:"
    if not labels.is_single_label:
        return [], f"{skipped} some documents have several labels or none."
    if np.count_nonzero(np.diff(labels.starts) >= MIN_DOCUMENTS) < 2:
        return [], f"{skipped} fewer than two classes have {MIN_DOCUMENTS} documents."
    decision_values = out_of_fold_decision_values(audited.train, seed)
    if not is_better_than_chance(audited.train, decision_values):
        return [], f"{skipped} a classifier separates these classes no better than chance."
    errors = find_label_errors(audited.train, decision_values)
    if not errors:
        return [], None
    sentence = (
        f"{format_count(len(errors), 'label is', 'labels are')} probably wrong: a classifier trained without "
        "the document predicts another class. Review them, the first ones first."
    )
    rows = [
        (
            error.document,
            str(error.label),
            str(error.predicted),
            " ".join(error.words),
            audited.excerpt(error.document),
        )
        for error in errors
    ]
    table = build_table(rows, ("document", "label", "predicted", "words", "text"))
    return [Finding("label_errors", len(errors), sentence, table)], None


def format_count(n: int, singular: str, plural: str) -> str:
    """Return a number with its noun or clause.

    >>> format_count(1, "label", "labels"), format_count(1200, "label", "labels")
    ('1 label', '1,200 labels')
    """
    return f"{n:,} {singular if n == 1 else plural}"


def quote_if_blank(name: object) -> str:
    """Return the name of a class, in quotes if it is blank or has surrounding whitespace."""
    text = str(name)
    return text if text == text.strip() and text else repr(text)


def build_table(rows: Sequence[Iterable[Any]], names: Sequence[str]) -> Table:
    """Build a table from rows."""
    columns: dict[str, Any] = {}
    for name, values in zip(names, zip(*rows, strict=True), strict=True):
        is_numeric = all(isinstance(value, int | float) for value in values)
        columns[name] = np.array(values) if is_numeric else as_term_array(values)
    return Table(columns)


def byte_range_class(first: int, last: int) -> str:
    """Return a regular expression for the characters of a range of bytes in Windows-1252 or Latin-1."""
    encoded = [bytes([byte]) for byte in range(first, last + 1)]
    windows = {byte.decode("cp1252", "ignore") for byte in encoded}
    return f"[{re.escape(''.join(sorted(windows | {byte.decode('latin-1') for byte in encoded})))}]"


CONTINUATION = byte_range_class(0x80, 0xBF)
UTF_8_SEQUENCES = (
    f"{byte_range_class(0xC2, 0xDF)}{CONTINUATION}",
    f"{byte_range_class(0xE0, 0xEF)}{CONTINUATION}{CONTINUATION}",
    f"{byte_range_class(0xF0, 0xF4)}{CONTINUATION}{CONTINUATION}{CONTINUATION}",
)
MISDECODED_RUN = re.compile(f"(?:{'|'.join(UTF_8_SEQUENCES)})+")
# A single sequence counts only if it stands for a Latin letter, punctuation or an emoji: `ß“` is German, not
# U+07D3.
COMMON_PREFIXES = ("\xc2", "\xc3", "\xe2\u20ac", "\xe2\x80", "\xf0\u0178", "\xf0\x9f")
REPLACEMENT_CHARACTER = "\ufffd"
C1_CONTROL = re.compile("[\x80-\x84\x86-\x9f]")  # U+0085 is a line break on some systems


def find_damaged_texts(texts: Sequence[str]) -> list[tuple[int, str, str, str]]:
    """Return the index and the damage of each text that was decoded with a wrong encoding."""
    return [(i, *damage) for i, text in enumerate(texts) if (damage := describe_damage(text)) is not None]


def describe_damage(text: str) -> tuple[str, str, str] | None:
    """Return the kind of encoding damage, an excerpt, and the original characters; None if there is none.

    >>> describe_damage("cafÃ© au lait")
    ('UTF-8 read as Windows-1252', 'Ã©', 'é')
    >>> describe_damage("café, „Spaß“, São")
    """
    if text.isascii():
        return None
    for match in MISDECODED_RUN.finditer(text):
        try:
            original = b"".join(map(encode_character, match[0])).decode("utf-8")
        except UnicodeDecodeError:
            continue
        if len(original) > 1 or match[0].startswith(COMMON_PREFIXES):
            return "UTF-8 read as Windows-1252", match[0], original
    if REPLACEMENT_CHARACTER in text:
        return "undecodable bytes", context(text, text.index(REPLACEMENT_CHARACTER)), ""
    control = C1_CONTROL.search(text)
    if control is not None:
        original = control[0].encode("latin-1").decode("cp1252", "ignore")
        note = f"{original} in Windows-1252" if original else ""
        return "another encoding read as Latin-1", context(text, control.start()), note
    return None


def encode_character(character: str) -> bytes:
    """Encode a character in Windows-1252, or in Latin-1 if that is not possible."""
    try:
        return character.encode("cp1252")
    except UnicodeEncodeError:
        return character.encode("latin-1")


def context(text: str, position: int) -> str:
    """Return some characters around a position."""
    return " ".join(text[max(position - 12, 0) : position + 13].split())
