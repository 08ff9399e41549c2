"""Texts that were decoded wrongly, by what is left of the bytes.

UTF-8 read as Windows-1252 or Latin-1 leaves sequences such as `Ã©` for `é`: a run of letters whose bytes
there are UTF-8 again. Bytes that are no UTF-8 leave U+FFFD. Windows-1252 and others read as Latin-1 leave C1
controls.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any
from unicodedata import normalize

import numpy as np

from termsift._internal.errors import InvalidInputError, TermsiftWarning
from termsift._internal.tables import Table
from termsift._internal.typing import Array, as_terms
from termsift.analysis.detectors import (
    FEWEST,
    Leak,
    beats_chance,
    find_class_name_leaks,
    out_of_fold_margins,
    suspects,
    find_leaking_tokens,
)
from termsift.analysis.findings import CHECKS, Audit, AuditedDocuments, Finding, audited_documents, counted
from termsift.counts import Cells, Labels
from termsift.engines import LabelledInput, labelled_documents, names_files, reading_options
from termsift.metrics import hypergeometric, score

REPLACED = "\ufffd"
C1 = re.compile("[\x80-\x84\x86-\x9f]")  # U+0085 is a line break of some systems


def byte_of(letter: str) -> int:
    """The byte of a letter in Windows-1252, in Latin-1 where that has none."""
    try:
        return letter.encode("cp1252")[0]
    except UnicodeEncodeError:
        return letter.encode("latin-1")[0]


def letters_of(first: int, last: int) -> str:
    """A class of letters for a pattern: of these bytes in Windows-1252 and in Latin-1."""
    raw = [bytes([byte]) for byte in range(first, last + 1)]
    windows = {byte.decode("cp1252", "ignore") for byte in raw}
    return f"[{re.escape(''.join(sorted(windows | {byte.decode('latin-1') for byte in raw})))}]"


NEXT = letters_of(0x80, 0xBF)
SEQUENCES = (
    f"{letters_of(0xC2, 0xDF)}{NEXT}",
    f"{letters_of(0xE0, 0xEF)}{NEXT}{NEXT}",
    f"{letters_of(0xF0, 0xF4)}{NEXT}{NEXT}{NEXT}",
)
RUN = re.compile(f"(?:{'|'.join(SEQUENCES)})+")
# of one sequence alone, only those of Latin letters, of punctuation and of emoji: `ß“` is German, not U+07D3
USUAL = ("\xc2", "\xc3", "\xe2\u20ac", "\xe2\x80", "\xf0\u0178", "\xf0\x9f")


def mended_runs(text: str) -> Iterator[tuple[str, str]]:
    """The runs of a text that are UTF-8 read as another encoding, and what they were."""
    if text.isascii():
        return
    for found in RUN.finditer(text):
        run = found[0]
        try:
            was = bytes(map(byte_of, run)).decode("utf-8")
        except UnicodeDecodeError:
            continue
        if len(was) > 1 or run.startswith(USUAL):
            yield run, was


def describe_damage(text: str) -> tuple[str, str, str] | None:
    """What is wrong with a text's letters: the kind, what it shows, and what it was; None where nothing is.

    >>> describe_damage("cafÃ© au lait")
    ('UTF-8 read as Windows-1252', 'Ã©', 'é')
    >>> describe_damage("café, „Spaß“, São")
    """
    if text.isascii():
        return None
    run = next(mended_runs(text), None)
    if run is not None:
        return "UTF-8 read as Windows-1252", *run
    if REPLACED in text:
        return "letters lost when bytes were decoded", around(text, text.index(REPLACED)), ""
    control = C1.search(text)
    if control is not None:
        was = control[0].encode("latin-1").decode("cp1252", "ignore")
        in_windows = f"{was} in Windows-1252" if was else ""
        return "another encoding read as Latin-1", around(text, control.start()), in_windows
    return None


def around(text: str, place: int) -> str:
    """A few letters around a place."""
    return " ".join(text[max(place - 12, 0) : place + 13].split())


def find_damaged_texts(texts: Sequence[str]) -> list[tuple[int, str, str, str]]:
    """The documents that are damaged: their numbers, and what `describe_damage` says of them."""
    return [(i, *found) for i, text in enumerate(texts) if (found := describe_damage(text)) is not None]


MOST_TOKENS = 5  # that give a class away, and are shown
UNTOLD = "Wrong labels were not looked for: the words tell these classes apart no better than chance."
CERTAIN = 1e-3  # tokens as telling that chance alone would give, over all terms and classes


def missing_rows(audited: AuditedDocuments) -> Iterator[Finding]:
    """Rows of files that lacked a text or a label."""
    n = audited.missing
    if n:
        rows = counted(n, "row that has", "rows that have")
        sentence = f"Left out: {rows} no text or no label. Fill in what is missing, or drop it."
        yield Finding("missing", n, sentence, Table({"rows": np.array([n])}))


def labels_alike(audited: AuditedDocuments) -> Iterator[Finding]:
    """Labels that are the same but for case, blanks, or how letters are encoded."""
    labels = audited.documents.labels
    by_key: dict[str, list[int]] = {}
    for c, name in enumerate(labels.classes):
        if isinstance(name, str):
            by_key.setdefault(" ".join(normalize("NFKC", name).casefold().split()), []).append(c)
    sizes = np.diff(labels.starts)
    rows = []
    for key, own in by_key.items():
        # of as many documents, the one without blanks to spare
        usual = max(own, key=lambda c: (sizes[c], labels.classes[c] == " ".join(labels.classes[c].split())))
        for c in own if key == "" else [c for c in own if c != usual]:
            like = "" if key == "" else labels.classes[usual]
            rows.append((repr(labels.classes[c]), int(sizes[c]), repr(like) if like else "blank"))
    if rows:
        sentence = (
            f"{counted(len(rows), 'label is blank, or differs', 'labels are blank, or differ')} from another "
            "by case or blanks alone: each is a class of its own. Write them alike."
        )
        yield Finding("labels", len(rows), sentence, columns(rows, ("label", "documents", "meant")))


def small_classes(audited: AuditedDocuments) -> Iterator[Finding]:
    """Classes with too few documents to learn from, the smallest first."""
    labels = audited.train.labels
    sizes = np.diff(labels.starts)
    small = [c for c in np.argsort(sizes, kind="stable") if sizes[c] < FEWEST]
    if small:
        sentence = (
            f"{counted(len(small), 'class has', 'classes have')} fewer than {FEWEST} documents to learn "
            "from: whatever is measured for such a class is mostly luck. Gather more, or merge classes."
        )
        rows = [(shown_name(labels.classes[c]), int(sizes[c])) for c in small]
        yield Finding("small", len(small), sentence, columns(rows, ("class", "documents")))


def empty_documents(audited: AuditedDocuments) -> Iterator[Finding]:
    """Documents in which no term was found."""
    empty = np.flatnonzero(np.diff(audited.documents.rows.indptr) == 0).tolist()
    if empty:
        sentence = (
            f"{counted(len(empty), 'document has', 'documents have')} no term at all; "
            "no classifier of words can place such a document."
        )
        rows = [(d, audited.label(d), audited.text(d)) for d in empty]
        yield Finding("empty", len(empty), sentence, columns(rows, ("document", "label", "text")))


def wrong_letters(audited: AuditedDocuments) -> Iterator[Finding]:
    """Texts that were decoded wrongly."""
    found = find_damaged_texts(audited.documents.texts or ())
    if found:
        sentence = (
            f"{counted(len(found), 'text shows', 'texts show')} damage of encoding. "
            "Decode the bytes again, as what they are."
        )
        rows = [(d, audited.label(d), *rest) for d, *rest in found]
        names = ("document", "label", "damage", "shows", "was")
        yield Finding("encoding", len(found), sentence, columns(rows, names))


def test_copies(audited: AuditedDocuments) -> Iterator[Finding]:
    """Documents to test with that are copies of documents to learn from."""
    rows = []
    for a, b, share in first_copies(audited, audited.is_leak):
        rows.append((b - audited.learned, a, share, audited.label(b), audited.label(a), audited.text(b)))
    if rows:
        share = len(rows) / (len(audited.documents) - audited.learned)
        sentence = (
            f"{counted(len(rows), 'test document is a copy', 'test documents are copies')} or near "
            f"{'copy' if len(rows) == 1 else 'copies'} of training documents ({share:.1%}): what is measured "
            "there is memory, not learning. Drop them from one of the two."
        )
        names = ("test document", "training document", "alike", "label", "training label", "text")
        yield Finding("leakage", len(rows), sentence, columns(rows, names))


def conflicts(audited: AuditedDocuments) -> Iterator[Finding]:
    """Documents that are copies of others which have different labels."""
    rows = [
        (b, audited.label(b), a, audited.label(a), share, audited.text(b))
        for a, b, share in first_copies(audited, audited.is_conflict)
    ]
    if rows:
        sentence = (
            f"{counted(len(rows), 'document is a copy', 'documents are copies')}, or nearly, of another "
            "that has a different label: one of the two is wrong, or the label does not follow from the text."
        )
        titles = ("document", "label", "copy of", "label there", "alike", "text")
        yield Finding("conflicts", len(rows), sentence, columns(rows, titles))


def copies(audited: AuditedDocuments) -> Iterator[Finding]:
    """Documents that are copies of earlier ones with the same labels, and of none with others."""
    told = {b for _, b, _ in first_copies(audited, audited.is_conflict)}
    rows = [
        (b, a, share, audited.label(b), audited.text(b))
        for a, b, share in first_copies(audited, audited.is_repeat)
        if b not in told
    ]
    if rows:
        sentence = (
            f"{counted(len(rows), 'document is a copy', 'documents are copies')} of an earlier one, or "
            f"nearly ({len(rows) / len(audited.documents):.1%} of all): on both sides of a split they make "
            "every figure too good. Keep one of each, as --drop-copies does in termsift compare."
        )
        titles = ("document", "copy of", "alike", "label", "text")
        yield Finding("copies", len(rows), sentence, columns(rows, titles))


def first_copies(
    audited: AuditedDocuments, wanted: Callable[[int, int], bool]
) -> list[tuple[int, int, float]]:
    """For each later document of the wanted pairs its first copy, and how alike they are; in order."""
    pairs, alike = audited.pairs
    found: dict[int, tuple[int, int, float]] = {}
    for (a, b), share in zip(pairs.tolist(), alike.tolist(), strict=True):
        if wanted(a, b):
            found.setdefault(b, (a, b, round(share, 2)))
    return [found[b] for b in sorted(found)]


def give_aways(audited: AuditedDocuments) -> Iterator[Finding]:
    """Tokens that give a class away: nearly alone in it, in much of it, and not by chance."""
    documents = audited.train
    counts, by_name = documents.counts, find_class_name_leaks(documents)
    leaks = [
        leak
        for c in range(len(counts.classes))
        for leak in (*([by_name[c]] if c in by_name else []), *find_leaking_tokens(counts, c, MOST_TOKENS))
    ]
    # the floor over all terms and classes is worked out only where something is to be held against it
    floor = score(counts, "hypergeometric").floor(CERTAIN) if leaks else None
    rows = []
    for leak in leaks:
        strength = leak_strength(leak, int(counts.documents))
        if floor is None or strength >= floor:
            rows.append((leak.words, leak.name, leak.inside, leak.size, leak.outside, 10**-strength))
    if rows:
        sentence = (
            f"{counted(len(rows), 'token gives', 'tokens give')} a label away by being there. If whoever "
            "labels writes them, or the documents to come will lack them, take them out."
        )
        rows.sort(key=lambda row: -row[2] / row[3])
        titles = ("token", "class", "in the class", "of", "outside", "p")
        yield Finding("giveaways", len(rows), sentence, columns(rows, titles))


def leak_strength(leak: Leak, documents: int) -> float:
    """-log10 of the chance that so many of the documents with the token are in the class: Fisher's, exact."""
    lacking = leak.size - leak.inside
    cells = leak.inside, leak.outside, lacking, documents - leak.inside - leak.outside - lacking
    return float(hypergeometric(Cells(*(np.array(float(cell)) for cell in cells))))


def doubts(audited: AuditedDocuments, seed: int) -> tuple[list[Finding], str | None]:
    """The labels that are doubted, or why none can be."""
    reason = why_no_doubts(audited.train.labels)
    if reason is not None:
        return [], reason
    margins = out_of_fold_margins(audited.train, seed)
    if not beats_chance(audited.train, margins):
        return [], UNTOLD
    return list(doubted_labels(audited, margins)), None


def doubted_labels(audited: AuditedDocuments, margins: Array) -> Iterator[Finding]:
    """Documents whose words speak for another class."""
    found = suspects(audited.train, margins)
    if found:
        sentence = (
            f"{counted(len(found), 'label is', 'labels are')} doubted: a classifier that had not seen the "
            "document is sure of another class. Read them, the first ones first."
        )
        rows = [
            (one.document, str(one.label), str(one.said), " ".join(one.words), audited.text(one.document))
            for one in found
        ]
        titles = ("document", "label", "words say", "because of", "text")
        yield Finding("suspects", len(found), sentence, columns(rows, titles))


def why_no_doubts(labels: Labels) -> str | None:
    """Why labels cannot be doubted, if so."""
    if not labels.single:
        return "Wrong labels were not looked for: documents have several labels, or none."
    if np.count_nonzero(np.diff(labels.starts) >= FEWEST) < 2:
        return f"Wrong labels were not looked for: fewer than two classes have {FEWEST} documents."
    return None


def shown_name(name: object) -> str:
    """A class as a table shows it: in quotes where blanks at its ends could not be seen."""
    text = str(name)
    return text if text == text.strip() and text else repr(text)


def columns(rows: Sequence[Iterable[Any]], names: Sequence[str]) -> Table:
    """A table of rows."""
    held: dict[str, Any] = {}
    for name, values in zip(names, zip(*rows, strict=True), strict=True):
        is_number = all(isinstance(value, int | float) for value in values)
        held[name] = np.array(values) if is_number else as_terms(values)
    return Table(held)


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
        raise InvalidInputError("rows that lack something are a finding of the audit; leave on_missing= out")
    reading = reading_options(audit, reading) | {"text": text, "label": label, "terms": terms}
    train = whole_rows(data, labels, reading)
    held = None if test is None else whole_rows(test, test_labels, reading)
    how: dict[str, Any] = {"analyzer": analyzer, "min_df": min_df, "max_df": max_df}
    return audit_inputs(train, held, **how, random_state=random_state, n_jobs=n_jobs)


def whole_rows(data: Any, labels: Any, reading: dict[str, Any]) -> LabelledInput:
    """The documents; rows of files that lack something are left out, which is a finding and no warning."""
    if not names_files(data, labels):
        return labelled_documents(data, labels, **reading)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* rows had no text or no label", TermsiftWarning)
        return labelled_documents(data, labels, **reading, on_missing="skip")


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
    """The audit of documents in memory."""
    if isinstance(random_state, bool) or not isinstance(random_state, int | np.integer) or random_state < 0:
        raise InvalidInputError(f"random_state must be a whole number of at least 0, got {random_state!r}")
    audited = audited_documents(train, test, analyzer, n_jobs, min_df=min_df, max_df=max_df)
    doubted, reason = doubts(audited, random_state)
    found = [
        *missing_rows(audited),
        *labels_alike(audited),
        *small_classes(audited),
        *empty_documents(audited),
        *wrong_letters(audited),
        *test_copies(audited),
        *conflicts(audited),
        *copies(audited),
        *give_aways(audited),
        *doubted,
    ]
    order = list(CHECKS)
    found.sort(key=lambda one: order.index(one.check))
    sizes = audited.learned, len(audited.documents) - audited.learned
    filled = np.count_nonzero(np.diff(audited.documents.labels.starts))
    return Audit(tuple(found), *sizes, int(filled), () if reason is None else (reason,))
