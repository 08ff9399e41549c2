"""Audit of labelled documents: the checks and `audit`.

Texts decoded with a wrong encoding are recognized by their traces. UTF-8 decoded as Windows-1252 or Latin-1
leaves sequences such as `Ã©` for `é`: characters whose bytes in those encodings are UTF-8 again. Bytes that
are not UTF-8 leave U+FFFD. Windows-1252 and other encodings decoded as Latin-1 leave C1 control characters.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple
from unicodedata import normalize

import numpy as np

from termsift._internal.errors import InvalidInputError, TermsiftWarning, format_one_line
from termsift._internal.tables import Table
from termsift._internal.typing import Array, as_term_array
from termsift.analysis.detectors import (
    MIN_DOCUMENTS,
    find_boilerplate,
    find_class_name_leaks,
    find_encoding_damage,
    find_label_errors,
    find_leaking_tokens,
    find_shortcuts,
    is_better_than_chance,
    out_of_fold_decision_values,
)
from termsift.analysis.findings import Audit, Finding
from termsift.counts import Cells, as_list, resolve_df_limits
from termsift.engines import (
    MIN_NEAR_DUPLICATE_TERMS,
    Documents,
    LabelledInput,
    count,
    drop_duplicate_documents,
    find_duplicate_pairs,
    is_path_input,
    jaccard_similarities,
    load_documents,
    validate_read_options,
    warn_numeric_labels,
)
from termsift.estimators import (
    clean_count_rows,
    concatenate_inputs,
    filter_by_df,
    narrow_indices,
    vectorize_texts,
)
from termsift.metrics import EXPECTED, ExactTest, exact_p_values, score

MAX_EXCERPT = 70  # characters of a text in a table
MAX_TOKENS = 5  # leaking tokens of a class
MAX_WORDS = 20  # that go with different labels
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
    drop_duplicates: bool = False,
    source: Any = None,
    label2: Any = None,
    **reading: Any,
) -> Audit:
    """Find problems in labelled documents before training on them.

    The checks cover rows without text or label, labels that differ only in case or whitespace, small classes,
    documents without terms, wrong encodings, duplicates and near-duplicates with the same and with different
    labels, test documents that duplicate training documents, tokens and phrases that reveal the label, simple
    properties that predict it, label errors, and the agreement of two labels.

    Parameters
    ----------
    data : texts, matrix, data frame, path or Corpus
        As for `termsift.compare`: texts, a document-term matrix, a data frame, the path of a file or folder,
        a glob pattern, a list of paths, or a Corpus.
    labels : array-like, optional
        One label per document, a list of labels per document, or an indicator matrix.
    test, test_labels : optional
        Test documents and their labels, in the same form.
    text, label : str, optional
        Columns of the data frame or file.
    analyzer : Analyzer, function or CountVectorizer, optional
        How a text becomes terms.
    min_df, max_df : int or float, default 1 and 1.0
        Omit terms in fewer, or in more, documents, as for `termsift.count`.
    random_state : int, default 0
        Random seed for the folds of the label-error check.
    n_jobs : int, optional
        Number of threads; None means all cores.
    terms : iterable of str, optional
        Names of the matrix columns.
    drop_duplicates : bool, default False
        Leave out training documents that duplicate an earlier one, so that the other checks ignore them.
    source : str or array-like, optional
        Column of a data frame or file, or a value for each document: where it comes from, to check whether
        that predicts the label.
    label2 : str or array-like, optional
        Second label of each document, such as that of a language model: agreement, Cohen's kappa, and the
        words that go with disagreement.
    **reading
        How files are read, as for `termsift.count`: header, delimiter, encoding, encoding_errors, format,
        label_separator.

    Returns
    -------
    Audit
        Problems by check, with the documents, labels or tokens concerned.

    Raises
    ------
    InvalidInputError
        If the data and labels do not fit together, or an option is invalid.
    UnknownNameError
        If an option does not exist.
    UnreadableFileError
        If a file cannot be read.

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
        raise InvalidInputError("on_missing cannot be set: the audit reports incomplete rows")
    options = validate_read_options(audit, reading) | {"text": text, "label": label, "terms": terms}
    roles = {role: value for role, value in {"source": source, "label2": label2}.items() if value is not None}
    columns = {role: value for role, value in roles.items() if isinstance(value, str)}

    def load_complete_rows(
        source: Any, source_labels: Any, metadata: Mapping[str, str] | None = None
    ) -> LabelledInput:
        if not is_path_input(source, source_labels):
            return load_documents(source, source_labels, metadata, **options)
        with warnings.catch_warnings():
            # incomplete rows are reported as a finding instead of a warning
            warnings.filterwarnings("ignore", ".*without a text or a label", TermsiftWarning)
            return load_documents(source, source_labels, metadata, **options, on_missing="skip")

    train = load_complete_rows(data, labels, columns)
    for role, values in roles.items():
        if role not in columns:
            train = replace(train, metadata={**train.metadata, role: as_list(values)})
            if len(train.metadata[role]) != len(train.labels):
                n = len(train.metadata[role])
                raise InvalidInputError(f"{role} has {n:,} values for {len(train.labels):,} documents")
    test = None if test is None else load_complete_rows(test, test_labels)
    return audit_inputs(
        train, test, analyzer=analyzer, min_df=min_df, max_df=max_df, random_state=random_state,
        n_jobs=n_jobs, drop_duplicates=drop_duplicates,
    )  # fmt: skip


def audit_inputs(
    train: LabelledInput,
    test: LabelledInput | None = None,
    *,
    analyzer: Any = None,
    min_df: float = 1,
    max_df: float = 1.0,
    random_state: int = 0,
    n_jobs: int | None = None,
    drop_duplicates: bool = False,
) -> Audit:
    """Audit documents in memory."""
    if drop_duplicates:
        train = drop_duplicate_documents(train, analyzer, n_jobs)
    if isinstance(random_state, bool) or not isinstance(random_state, int | np.integer) or random_state < 0:
        raise InvalidInputError(f"random_state must be a whole number of at least 0, got {random_state!r}")
    warn_numeric_labels(train.labels.classes, len(train.labels))
    bare = [replace(item, metadata={}) for item in (train, test) if item is not None]
    data = concatenate_inputs(bare)
    if data.texts is None:
        if analyzer is not None:
            raise InvalidInputError("analyzer needs texts, but the data are counts; omit it")
        rows, terms = clean_count_rows(data.matrix), np.asarray(data.terms)
    else:
        rows, terms, _ = vectorize_texts(data.texts, analyzer, n_jobs)
    documents = Documents(narrow_indices(rows), data.labels, terms, texts=data.texts)
    resolve_df_limits(len(data.labels), min_df, max_df)  # raises an error for invalid limits
    if (min_df, max_df) != (1, 1.0):
        documents = filter_by_df(documents, min_df, max_df)
    audited = AuditedDocuments(documents, len(train.labels), data.missing, train.metadata)
    findings = [finding for check in DATA_CHECKS for finding in check(audited)]
    label_errors, reason = check_label_errors(audited, random_state)
    n_test, n_classes = len(documents) - audited.n_train, np.count_nonzero(np.diff(data.labels.starts))
    disagreement, note = check_second_labels(audited)
    skipped = tuple(sentence for sentence in (reason, note) if sentence is not None)
    return Audit((*findings, *label_errors, *disagreement), audited.n_train, n_test, int(n_classes), skipped)


class DuplicatePair(NamedTuple):
    """Two documents that are duplicates, and the Jaccard similarity of their terms."""

    earlier: int
    later: int
    similarity: float


@dataclass(frozen=True, eq=False)
class AuditedDocuments:
    """Training documents followed by test documents.

    n_train : number of training documents
    missing : number of rows without a text or a label
    metadata : source and second label of the training documents, if given
    """

    documents: Documents
    n_train: int
    missing: int
    metadata: Mapping[str, Sequence[Any]]

    @cached_property
    def train(self) -> Documents:
        """Training documents."""
        if self.n_train == len(self.documents):
            return self.documents
        return self.documents.take(np.arange(self.n_train))

    @cached_property
    def labels_per_document(self) -> list[list[Any]]:
        """Labels of each document."""
        return self.documents.labels.labels_per_document

    def format_label(self, document: int) -> str:
        """Return the labels of a document as text."""
        return ", ".join(map(str, self.labels_per_document[document]))

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
        pairs, n_terms = find_duplicate_pairs(rows), np.diff(rows.indptr)
        if texts is not None:
            is_short = n_terms < MIN_NEAR_DUPLICATE_TERMS
            first: dict[str, int] = {}
            short = np.flatnonzero(is_short & (n_terms > 0)).tolist()
            # not from the pairs: of documents with the same terms, these have only the first with each other
            same_text = [(first.setdefault(" ".join(texts[i].casefold().split()), i), i) for i in short]
            pairs = np.array(
                [*pairs[~is_short[pairs[:, 0]]], *(pair for pair in same_text if len({*pair}) > 1)]
            )
            pairs = np.unique(pairs.reshape(-1, 2).astype(np.intp), axis=0)
        return pairs, jaccard_similarities(rows, pairs)

    def first_duplicates(self, check: str) -> list[DuplicatePair]:
        """Return the first duplicate of each later document for a check.

        check : "leakage" for pairs of a training and a test document; for pairs of the same set,
            "duplicates" if their labels are equal, "label_conflicts" otherwise
        """
        pairs, similarities = self.duplicate_pairs
        first: dict[int, DuplicatePair] = {}
        labels = self.labels_per_document
        for (a, b), similarity in zip(pairs.tolist(), similarities.tolist(), strict=True):
            pair_check = "duplicates" if labels[a] == labels[b] else "label_conflicts"
            if a < self.n_train <= b:
                pair_check = "leakage"
            if pair_check == check:
                first.setdefault(b, DuplicatePair(a, b, round(similarity, 2)))
        return [first[b] for b in sorted(first)]


def check_missing(audited: AuditedDocuments) -> list[Finding]:
    """Find rows of files without a text or a label."""
    n = audited.missing
    clause = f"{n:,} {'row has' if n == 1 else 'rows have'}"
    sentence = f"{clause} no text or no label (skipped). Fill in the missing values or drop the rows."
    return [Finding("missing", n, sentence, Table({"rows": np.array([n])}))] if n else []


def check_label_variants(audited: AuditedDocuments) -> list[Finding]:
    """Find labels that are blank, or equal except for case, whitespace or Unicode normalization."""
    classes, sizes = audited.documents.labels.classes, np.diff(audited.documents.labels.starts)
    by_key: dict[str, list[int]] = {}
    for c, name in enumerate(classes):
        if isinstance(name, str):
            by_key.setdefault(" ".join(normalize("NFKC", name).casefold().split()), []).append(c)
    rows = []
    for key, variants in by_key.items():
        # the most frequent variant; if several are, preferably one without surplus whitespace
        usual = max(variants, key=lambda c: (sizes[c], classes[c] == " ".join(classes[c].split())))
        meant = repr(classes[usual]) if key else "blank"
        rows += [(repr(classes[c]), int(sizes[c]), meant) for c in variants if c != usual or not key]
    remedy = "from another only in case or whitespace; each is a separate class. Unify them."
    clauses = "label is blank or differs", "labels are blank or differ"
    return build_finding("label_variants", rows, ("label", "documents", "meant"), clauses, remedy)


def check_small_classes(audited: AuditedDocuments) -> list[Finding]:
    """Find classes with too few training documents, smallest first."""
    labels = audited.train.labels
    sizes = np.diff(labels.starts)
    rows = []
    for c in np.argsort(sizes, kind="stable"):
        name = str(labels.classes[c])
        if sizes[c] < MIN_DOCUMENTS:
            # quotes show whitespace
            rows.append((name if name and name == name.strip() else repr(name), int(sizes[c])))
    remedy = (
        f"fewer than {MIN_DOCUMENTS} training documents, too few for reliable scores. "
        "Collect more documents, or merge classes."
    )
    clauses = "class has", "classes have"
    return build_finding("small_classes", rows, ("class", "documents"), clauses, remedy)


def check_empty_documents(audited: AuditedDocuments) -> list[Finding]:
    """Find documents without terms."""
    empty = np.flatnonzero(np.diff(audited.documents.rows.indptr) == 0).tolist()
    rows = [(d, audited.format_label(d), audited.excerpt(d)) for d in empty]
    remedy = "no terms and cannot be classified by words. Drop or repair them."
    clauses = "document has", "documents have"
    return build_finding("empty_documents", rows, ("document", "label", "text"), clauses, remedy)


def check_encoding(audited: AuditedDocuments) -> list[Finding]:
    """Find texts that were decoded with a wrong encoding."""
    rows = []
    for d, text in enumerate(audited.documents.texts or ()):
        damage = find_encoding_damage(text)
        if damage is not None:
            rows.append((d, audited.format_label(d), *damage))
    remedy = "decoded with a wrong encoding. Re-decode the files with the correct encoding."
    names = ("document", "label", "damage", "shows", "was")
    return build_finding("encoding", rows, names, ("text was", "texts were"), remedy)


def check_leakage(audited: AuditedDocuments) -> list[Finding]:
    """Find test documents that duplicate training documents."""
    rows = []
    for a, b, similarity in audited.first_duplicates("leakage"):
        labels = audited.format_label(b), audited.format_label(a)
        rows.append((b - audited.n_train, a, similarity, *labels, audited.excerpt(b)))
    share = len(rows) / max(len(audited.documents) - audited.n_train, 1)
    remedy = (
        f"training documents ({share:.1%}), so test scores on them measure memorization. "
        "Drop them from one set."
    )
    names = ("test document", "training document", "similarity", "label", "training label", "text")
    clauses = "test document duplicates", "test documents duplicate"
    return build_finding("leakage", rows, names, clauses, remedy)


def check_label_conflicts(audited: AuditedDocuments) -> list[Finding]:
    """Find duplicates with different labels."""
    rows = [
        (b, audited.format_label(b), a, audited.format_label(a), similarity, audited.excerpt(b))
        for a, b, similarity in audited.first_duplicates("label_conflicts")
    ]
    remedy = (
        "a document with a different label: one of the labels is wrong, "
        "or the text does not determine the label."
    )
    names = ("document", "label", "duplicate of", "label of duplicate", "similarity", "text")
    clauses = "document duplicates", "documents duplicate"
    return build_finding("label_conflicts", rows, names, clauses, remedy)


def check_duplicates(audited: AuditedDocuments) -> list[Finding]:
    """Find duplicates of earlier documents with the same labels, except documents with a label conflict."""
    # a conflict is the more serious finding, so its documents are not reported twice
    conflicting = {b for _, b, _ in audited.first_duplicates("label_conflicts")}
    rows = [
        (b, a, similarity, audited.format_label(b), audited.excerpt(b))
        for a, b, similarity in audited.first_duplicates("duplicates")
        if b not in conflicting
    ]
    share = len(rows) / max(len(audited.documents), 1)
    remedy = (
        f"an earlier document ({share:.1%} of all). If a split separates "
        "duplicates, scores are too high. Keep one of each, for example with termsift compare "
        "--drop-duplicates."
    )
    names = ("document", "duplicate of", "similarity", "label", "text")
    clauses = "document duplicates", "documents duplicate"
    return build_finding("duplicates", rows, names, clauses, remedy)


def check_leaking_tokens(audited: AuditedDocuments) -> list[Finding]:
    """Find tokens, and class names, that reveal the label and are significant."""
    counts, name_leaks = audited.train.counts, find_class_name_leaks(audited.train)
    leaks = []
    for c in range(len(counts.classes)):
        tokens = find_leaking_tokens(counts, c, MAX_TOKENS)
        leaks += [name_leaks[c]] if c in name_leaks else []
        leaks += [*tokens, *find_boilerplate(audited.train, c, [leak.words for leak in tokens])]
    test, expected = ExactTest(counts), EXPECTED_FALSE_LEAKS / max(len(counts.classes), 1)
    # a threshold takes time, so only those of classes with leaking tokens are computed
    leaking = {leak.name for leak in leaks}
    alphas = {str(name): test.alpha(name, expected) for name in counts.classes if str(name) in leaking}
    rows = []
    for leak in leaks:
        absent = leak.size - leak.inside
        cells = leak.inside, leak.outside, absent, int(counts.documents) - leak.inside - leak.outside - absent
        p = float(exact_p_values(Cells(*(np.array(float(cell)) for cell in cells))))
        alpha = alphas[leak.name]
        if alpha is None or p <= alpha:
            rows.append((leak.words, leak.name, leak.inside, leak.size, leak.outside, p))
    rows.sort(key=lambda row: -row[2] / row[3])
    remedy = (
        "the label. Remove those that were written by the labelling process or that new documents will not "
        "contain."
    )
    names = ("token", "class", "in the class", "of", "outside", "p")
    return build_finding(
        "leaking_tokens", rows, names, ("token or phrase reveals", "tokens or phrases reveal"), remedy
    )


def check_shortcuts(audited: AuditedDocuments) -> list[Finding]:
    """Find classes that can be predicted from a property other than the words."""
    rows = find_shortcuts(audited.train, audited.metadata.get("source"))
    remedy = (
        "a class without the words. If this follows from how the data were collected, balance or normalize "
        "the property; otherwise classifiers learn it instead of the content."
    )
    names = ("property", "class", "AUC", "in the class", "outside")
    return build_finding("shortcuts", rows, names, ("property predicts", "properties predict"), remedy)


class CheckResult(NamedTuple):
    """Findings of a check, and a note: why it was not made, or that there is nothing to find."""

    findings: list[Finding]
    note: str | None


def check_second_labels(audited: AuditedDocuments) -> CheckResult:
    """Compare the labels with second ones: agreement, pairs, words; a sentence if all of them agree."""
    second = [format_second_label(value) for value in audited.metadata.get("label2", ())]
    rows = np.array([d for d, name in enumerate(second) if name is not None], dtype=np.intp)
    if not len(rows):
        return CheckResult([], None)
    first = [audited.format_label(d) for d in rows.tolist()]
    other = [str(second[d]) for d in rows.tolist()]
    n, sizes, other_sizes = len(rows), Counter(first), Counter(other)
    is_same = np.array(first, dtype=object) == np.array(other, dtype=object)
    observed, chance = is_same.mean(), sum(sizes[name] * other_sizes[name] for name in sizes) / n**2
    if is_same.all():
        return CheckResult([], f"The two labels of all {n:,} documents agree.")
    kappa, error = (observed - chance) / (1 - chance), np.sqrt(observed * (1 - observed) / n) / (1 - chance)
    examples: dict[tuple[str, str], list[int]] = {}
    for d, name, other_name in zip(rows.tolist(), first, other, strict=True):
        if name != other_name:
            examples.setdefault((name, other_name), []).append(d)
    pairs = [
        (*pair, len(found), round(len(found) / sizes[pair[0]], 3), found[0], audited.excerpt(found[0]))
        for pair, found in sorted(examples.items(), key=lambda item: -len(item[1]))
    ]
    left_out = f" ({len(second) - n:,} without a second label are left out)" if n < len(second) else ""
    remedy = (
        f"in {n - is_same.sum():,} of {n:,} documents{left_out}. Agreement {observed:.1%}, Cohen's kappa "
        f"{kappa:.3f} (95% interval {kappa - 1.96 * error:.3f} to {min(kappa + 1.96 * error, 1):.3f})."
    )
    columns = ("label", "second label", "documents", "share of the label", "example", "text")
    clauses = "pair of labels differs", "pairs of labels differ"
    findings = build_finding("label_disagreement", pairs, columns, clauses, remedy)
    # with the first label held fixed, so that the words of its class do not count
    verdicts = np.where(is_same, "same", "different").tolist()
    documents = audited.train.take(rows)
    grouped = count(documents.rows, verdicts, groups=first, terms=documents.terms)
    words = score(grouped, "cmh").top("different", MAX_WORDS, direction="positive", expected=EXPECTED)
    shares = words["tp"] / (words["tp"] + words["fn"]), words["fp"] / (words["fp"] + words["tn"])
    word_rows = zip(words["term"], words["tp"], *(x.round(4) for x in shares), words["p"], strict=True)
    remedy = "different labels, with the first label held fixed. The labelling guidelines may need a rule."
    names = ("word", "documents", "share if different", "share if same", "p")
    clauses = "word goes with", "words go with"
    findings += build_finding("disagreement_words", list(word_rows), names, clauses, remedy)
    return CheckResult(findings, None)


def format_second_label(value: Any) -> str | None:
    """Return a second label as text; None if it is missing."""
    return None if value is None or value != value or not str(value).strip() else str(value)


# in the order of CHECKS; the checks of label errors and second labels follow
DATA_CHECKS = (
    check_missing, check_label_variants, check_small_classes, check_empty_documents, check_encoding,
    check_leakage, check_label_conflicts, check_duplicates, check_leaking_tokens, check_shortcuts,
)  # fmt: skip


def check_label_errors(audited: AuditedDocuments, seed: int) -> CheckResult:
    """Find documents that a classifier assigns to another class, or return why this was not checked."""
    labels = audited.train.labels
    skipped = "Label errors were not checked:"
    if not labels.is_single_label:
        return CheckResult([], f"{skipped} some documents have several labels or none.")
    if np.count_nonzero(np.diff(labels.starts) >= MIN_DOCUMENTS) < 2:
        return CheckResult([], f"{skipped} fewer than two classes have {MIN_DOCUMENTS} documents.")
    decision_values = out_of_fold_decision_values(audited.train, seed)
    if not is_better_than_chance(audited.train, decision_values):
        return CheckResult([], f"{skipped} a classifier separates these classes no better than chance.")
    errors = find_label_errors(audited.train, decision_values)
    rows = [(*error, audited.excerpt(error[0])) for error in errors]
    remedy = (
        "probably wrong: a classifier trained without the document predicts another class. "
        "Review them, the first ones first."
    )
    names = ("document", "label", "predicted", "words", "text")
    findings = build_finding("label_errors", rows, names, ("label is", "labels are"), remedy)
    return CheckResult(findings, None)


def build_finding(
    check: str,
    rows: Sequence[Iterable[Any]],
    column_names: Sequence[str],
    clauses: tuple[str, str],
    remedy: str,
) -> list[Finding]:
    """Build the finding of a check from its rows; none if there are no rows.

    names : columns of the table
    clauses : beginning of the sentence after the number of rows, singular and plural
    remedy : remainder of the sentence, and how to solve the problem
    """
    if not rows:
        return []
    columns: dict[str, Any] = {}
    for name, values in zip(column_names, zip(*rows, strict=True), strict=True):
        is_numeric = all(isinstance(value, int | float) for value in values)
        columns[name] = np.array(values) if is_numeric else as_term_array(values)
    sentence = f"{len(rows):,} {clauses[len(rows) > 1]} {remedy}"
    return [Finding(check, len(rows), sentence, Table(columns))]
