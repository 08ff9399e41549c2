"""Detectors of problems in labelled documents: leaking tokens, shortcuts, label errors, encoding damage.

A shortcut is a property other than the words, such as the length, from which the label can be predicted. Each
document is scored by the share of the class among the other documents with about the same value; the area
under the ROC curve (AUC) of these scores needs no model and no assumption about the shape of the relation.

Label errors: a linear SVM, one-vs-rest, is fitted to the other folds. A document is suspected if its decision
value for another class exceeds that of its label by more than `MIN_LEAD`. With 3 % of the labels changed at
random, 88 % of the changed labels were suspected on 20 Newsgroups, 92 % on SMS and 95 % on docstrings; 58 %,
88 % and 88 % of the suspected labels were changed ones. `MIN_LEAD` was chosen on these corpora, with one
random draw.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, reduce
from typing import Any, NamedTuple

import numpy as np

from termsift._internal.ranking import drop_nested_terms, has_char_ngrams
from termsift._internal.typing import Array
from termsift.counts import Counts
from termsift.engines import Documents
from termsift.evaluation import Fold, assign_stratified_folds
from termsift.evaluation.classifiers import SVM
from termsift.selection import parse_method
from termsift.text import load_stop_words

# documents of a class that contain a leaking token; documents of a class in the label-error check
MIN_DOCUMENTS = 10
# a leaking token: share of its documents that are in the class, and share of the class that contains it
TOKEN_PRECISION, TOKEN_RECALL = 0.98, 0.4
# the same for the words of the class name
NAME_PRECISION, NAME_RECALL = 0.9, 0.25
# the same for boilerplate: a token with the same neighbours in most documents of the class that contain it
PHRASE_PRECISION, PHRASE_RECALL, MIN_SAME_PHRASE = 0.9, 0.1, 0.5
PHRASE_WORDS, MAX_PHRASE_TOKENS = 4, 50
MIN_GAIN = 5  # times that errors are rarer among documents with the token than among all

MIN_AUC = 0.8  # of a property that predicts a class
MAX_BINS = 10  # of a numeric property
MAX_CHARACTERS = 20_000  # of a text, for its properties
LANGUAGES = (
    "english", "german", "french", "spanish", "portuguese", "italian", "dutch", "swedish", "danish",
    "norwegian", "finnish", "polish", "czech", "turkish", "indonesian", "romanian", "hungarian", "russian",
)  # fmt: skip
MIN_STOP_WORDS = 3  # of a text whose language is guessed

N_FOLDS = 5
MAX_TERMS = 4000  # best terms of a fold, by information gain
MAX_WORDS = 5  # words shown as evidence of a label error
MIN_LEAD = 1.0  # difference of decision values; 1 is the distance from the decision boundary to the margin
MIN_STANDARD_ERRORS = 3.0  # agreement above chance that a classifier needs


@dataclass(frozen=True, slots=True)
class Leak:
    """Leaking token of a class, with its number of documents inside and outside the class.

    size : number of documents of the class
    """

    words: str
    name: str
    inside: int
    size: int
    outside: int

    def is_leaking(self, n_documents: float, min_precision: float, min_recall: float) -> bool:
        """Return whether recall and precision suffice, the latter also against the share of other classes."""
        precision = self.inside / max(self.inside + self.outside, 1)
        has_recall = self.inside >= max(MIN_DOCUMENTS, min_recall * self.size)
        others = 1 - self.size / n_documents
        return has_recall and 1 - precision <= min(1 - min_precision, others / MIN_GAIN) + 1e-9


def find_class_name_leaks(documents: Documents) -> dict[int, Leak]:
    """Return by class the leak of its name, if all words of the name together predict the class."""
    column = {str(term).lower(): i for i, term in enumerate(documents.terms)}
    leaks = {}
    for c, name in enumerate(documents.labels.classes):
        words = list(dict.fromkeys(re.findall(r"\w\w+", str(name).lower())))
        if not words or any(word not in column for word in words):
            continue
        # documents that contain all words of the name
        terms = documents.columns[:, [column[word] for word in words]]
        containing = reduce(np.intersect1d, np.split(terms.indices, terms.indptr[1:-1]))
        inside = len(np.intersect1d(containing, documents.labels.class_documents(c)))
        size = int(documents.counts.class_sizes[c])
        leak = Leak(" ".join(words), str(name), inside, size, len(containing) - inside)
        if leak.is_leaking(documents.counts.documents, NAME_PRECISION, NAME_RECALL):
            leaks[c] = leak
    return leaks


def find_leaking_tokens(counts: Counts, c: int, max_leaks: int = 1) -> list[Leak]:
    """Return the leaking tokens of a class, most frequent first, without n-grams nested in longer ones."""
    inside = counts.df[:, [c]].toarray().ravel()
    min_inside = max(MIN_DOCUMENTS, TOKEN_RECALL * counts.class_sizes[c])
    tokens = np.flatnonzero((inside >= min_inside) & (inside >= TOKEN_PRECISION * counts.term_df))
    if not len(tokens):
        return []
    is_char = has_char_ngrams(counts.analyzer)
    tokens = tokens[drop_nested_terms(counts.terms[tokens], counts.term_df[tokens], characters=is_char)]
    # most frequent first, then in the order of the terms
    tokens = tokens[np.argsort(-inside[tokens], kind="stable")[:max_leaks]]
    size, name = int(counts.class_sizes[c]), str(counts.classes[c])
    leaks = [
        Leak(str(counts.terms[t]), name, int(inside[t]), size, int(counts.term_df[t] - inside[t]))
        for t in tokens
    ]
    return [leak for leak in leaks if leak.is_leaking(counts.documents, TOKEN_PRECISION, TOKEN_RECALL)]


def find_boilerplate(documents: Documents, c: int, excluded_tokens: Sequence[str] = ()) -> list[Leak]:
    """Return phrases of four words, such as those of mail servers, that nearly only one class contains.

    Words of the content have varying neighbours; those of headers, signatures and templates have the same
    ones. known : tokens that are not looked for
    """
    counts, texts = documents.counts, documents.texts
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts[:1]):
        return []
    inside, size = counts.df[:, [c]].toarray().ravel(), int(counts.class_sizes[c])
    is_frequent = inside >= max(MIN_DOCUMENTS, PHRASE_RECALL * size)
    rows = np.flatnonzero(is_frequent & (inside >= PHRASE_PRECISION * counts.term_df))
    tokens = [str(counts.terms[i]) for i in rows[np.argsort(-inside[rows], kind="stable")]]
    tokens = [t for t in tokens if t not in excluded_tokens and re.fullmatch(r"\w+", t)][:MAX_PHRASE_TOKENS]
    column = {str(term): i for i, term in enumerate(documents.terms)}
    is_inside = documents.truth[:, c]
    leaks: list[Leak] = []
    words: dict[int, list[str]] = {}
    covered: list[set[int]] = []  # documents of the phrases, of which one text may have several
    for token in tokens:
        phrases: tuple[Counter[str], Counter[str]] = Counter(), Counter()
        terms = documents.columns[:, [column[token]]]
        for d in terms.indices.tolist():
            if d not in words:
                words[d] = re.findall(r"\w+", texts[d].lower())
            windows = {
                " ".join(words[d][start : start + PHRASE_WORDS])
                for i, word in enumerate(words[d])
                if word == token
                for start in range(max(i - PHRASE_WORDS + 1, 0), i + 1)
            }
            phrases[int(is_inside[d])].update(windows)
        phrase, n_inside = max(phrases[True].items(), key=lambda item: (item[1], item[0]), default=("", 0))
        leak = Leak(phrase, str(counts.classes[c]), n_inside, size, phrases[False][phrase])
        found = {d for d in terms.indices.tolist() if phrase in " ".join(words[d])}
        is_new = all(len(found & others) < MIN_SAME_PHRASE * len(found) for others in covered)
        is_fixed = n_inside >= MIN_SAME_PHRASE * len(terms.indices)
        if is_new and is_fixed and leak.is_leaking(counts.documents, PHRASE_PRECISION, PHRASE_RECALL / 2):
            leaks.append(leak)
            covered.append(found)
    return leaks


def text_properties(text: str) -> dict[str, Any]:
    """Return properties of a text other than its words.

    >>> text_properties("Win 100 NOW!")
    {'length': 12, 'lines': 1, 'digits': 0.25, 'uppercase': 0.33, 'punctuation': 0.08, 'language': 'LATIN'}
    """
    start = text[:MAX_CHARACTERS]
    characters = Counter(start)
    scripts: Counter[str] = Counter()
    for character, n in characters.items():
        if character.isalpha():
            scripts[unicode_script(character)] += n
    language = max(scripts, key=lambda name: (scripts[name], name), default="no letters")
    found = Counter(name for word in start.lower().split() for name in languages_by_stop_word().get(word, ()))
    if found:
        name = max(found, key=lambda name: (found[name], name))
        language = name if found[name] >= MIN_STOP_WORDS else language

    def share(is_counted: Any) -> float:
        return round(sum(n for c, n in characters.items() if is_counted(c)) / max(len(start), 1), 2)

    return {
        "length": len(text),
        "lines": start.count("\n") + 1,
        "digits": share(str.isdigit),
        "uppercase": share(str.isupper),
        "punctuation": share(lambda c: not (c.isalnum() or c.isspace())),
        "language": language,
    }


@cache
def unicode_script(character: str) -> str:
    """Return the script of a letter, the first word of its Unicode name."""
    return unicodedata.name(character, "OTHER").split()[0]


@cache
def languages_by_stop_word() -> dict[str, list[str]]:
    """Return the languages of which each word is a stop word."""
    languages: dict[str, list[str]] = {}
    for name in LANGUAGES:
        for word in load_stop_words(name):
            languages.setdefault(word, []).append(name)
    return languages


class Shortcut(NamedTuple):
    """Property that predicts a class, with its typical values inside and outside of the class."""

    property: str
    class_name: str
    auc: float
    inside: str
    outside: str


def find_shortcuts(documents: Documents, source: Sequence[Any] | None) -> list[Shortcut]:
    """Return the properties that predict a class, best first."""
    columns: dict[str, Any] = {"length": np.asarray(documents.rows.sum(axis=1)).ravel()}
    if documents.texts is not None and all(isinstance(text, str) for text in documents.texts[:1]):
        properties = [text_properties(text) for text in documents.texts]
        columns = {name: [values[name] for values in properties] for name in properties[0]}
    if source is not None:
        columns["source"] = [str(value) for value in source]
    sizes, truth = documents.counts.class_sizes, documents.truth
    large = np.flatnonzero((sizes >= MIN_DOCUMENTS) & (len(documents) - sizes >= MIN_DOCUMENTS)).tolist()
    if len(large) == 2 and documents.labels.is_single_label and len(sizes) == 2:
        large = [int(np.argmin(sizes))]  # the other class is its complement
    shortcuts: list[Shortcut] = []
    for name, values in columns.items():
        column = np.asarray(values, dtype=object if isinstance(values[0], str) else np.float64)
        if column.dtype != object:
            edges = np.unique(np.quantile(column, np.linspace(0, 1, MAX_BINS + 1)[1:-1]))
            bins = np.searchsorted(edges, column, side="right")
        else:
            bins = np.unique(column, return_inverse=True)[1]
        n_documents = np.bincount(bins)
        for c in large:
            n_inside = np.bincount(bins[truth[:, c]], minlength=len(n_documents))
            auc = binned_auc(n_inside, n_documents - n_inside)
            n = min(sizes[c], len(documents) - sizes[c])
            if auc >= MIN_AUC and auc - MIN_STANDARD_ERRORS * np.sqrt(auc * (1 - auc) / n) > 0.5:
                inside, outside = (format_typical_value(name, column[x]) for x in (truth[:, c], ~truth[:, c]))
                class_name = str(documents.labels.classes[c])
                shortcuts.append(Shortcut(name, class_name, round(auc, 3), inside, outside))
    return sorted(shortcuts, key=lambda shortcut: -shortcut.auc)


def binned_auc(n_inside: Array, n_outside: Array) -> float:
    """Return the AUC of the share of the class in a document's bin, the document itself excluded.

    >>> binned_auc(np.array([10, 0]), np.array([0, 10]))
    1.0
    """
    prior, n = n_inside.sum() / (n_inside.sum() + n_outside.sum()), np.maximum(n_inside + n_outside, 1)
    with_class, without_class = (n_inside - 1 + prior) / n, (n_inside + prior) / n
    wins = np.sign(with_class[:, None] - without_class) / 2 + 0.5
    return float(n_inside @ wins @ n_outside / (n_inside.sum() * n_outside.sum()))


def format_typical_value(property_name: str, values: Array) -> str:
    """Return the median of a property, or its most frequent value with the share."""
    if values.dtype == object:
        value, n = Counter(values.tolist()).most_common(1)[0]
        return f"{value} ({n / len(values):.0%})"
    median = float(np.median(values))
    return f"{median:,.0f}" if property_name in ("length", "lines") else f"{median:.0%}"


def out_of_fold_decision_values(documents: Documents, seed: int) -> Array:
    """Return (documents, classes) decision values of a linear SVM fitted without the document's fold."""
    fold_numbers = assign_stratified_folds(documents.labels, N_FOLDS, seed)
    decision_values = np.full((len(documents), len(documents.labels.classes)), -np.inf)
    method = parse_method("ig")
    for number in range(N_FOLDS):
        test = np.flatnonzero(fold_numbers == number)
        train = np.flatnonzero(fold_numbers != number)
        fold = Fold.from_indices(documents, train, test, seed).with_train_terms()
        k = min(MAX_TERMS, len(fold.train.terms))
        decision_values[test] = SVM.decision_values(
            fold, method.ranking(fold.train.counts, k), np.array([k])
        )[0]
    return decision_values


def is_better_than_chance(documents: Documents, decision_values: Array) -> bool:
    """Return whether predictions agree with the labels significantly more often than chance.

    Chance agreement is that of Cohen's kappa.
    """
    labels, is_usable = np.asarray(documents.target), np.diff(documents.labels.starts) >= MIN_DOCUMENTS
    rows = is_usable[labels]
    predicted = np.where(is_usable, decision_values, -np.inf)[rows].argmax(axis=1)
    labels = labels[rows]
    n, n_classes = len(labels), len(is_usable)
    label_sizes = np.bincount(labels, minlength=n_classes)
    chance = float(label_sizes @ np.bincount(predicted, minlength=n_classes)) / n**2
    standard_error = np.sqrt(chance * (1 - chance) / n)
    return bool(np.mean(predicted == labels) - chance > MIN_STANDARD_ERRORS * standard_error)


class LabelError(NamedTuple):
    """Document whose label is probably wrong, and the words that favour the predicted class."""

    document: int
    label: str
    predicted: str
    evidence: str


def find_label_errors(documents: Documents, decision_values: Array) -> list[LabelError]:
    """Return probable label errors, largest lead first.

    Each document has one label. The lead of the predicted class, which has the largest decision value, is the
    difference to the decision value of the label. The evidence is the words of the document that favour the
    predicted class most over the label.
    """
    labels, is_usable = np.asarray(documents.target), np.diff(documents.labels.starts) >= MIN_DOCUMENTS
    label_cells = np.arange(len(labels)), labels
    alternatives = np.where(is_usable, decision_values, -np.inf)
    alternatives[label_cells] = -np.inf  # the label itself is not an alternative
    predicted, lead = alternatives.argmax(axis=1), alternatives.max(axis=1) - decision_values[label_cells]
    suspected = np.flatnonzero((lead > MIN_LEAD) & is_usable[labels])
    order = suspected[np.argsort(-lead[suspected], kind="stable")]
    names = documents.labels.classes
    return [
        LabelError(int(d), str(names[a]), str(names[b]), evidence_words(documents, d, a, b))
        for d, a, b in zip(order, labels[order], predicted[order], strict=True)
    ]


def evidence_words(documents: Documents, document: int, label: int, predicted: int) -> str:
    """Return the words of a document that favour the predicted class most over its label."""
    rows, counts = documents.rows, documents.counts
    terms = rows.indices[rows.indptr[document] : rows.indptr[document + 1]]

    def rates(c: int, excluded: int) -> Array:
        df = counts.df[terms][:, [c]].toarray().ravel() - excluded
        smoothed: Array = (np.maximum(df, 0) + 0.5) / (counts.class_sizes[c] - excluded + 1)
        return smoothed

    # the document itself is excluded from the rates of its label
    predicted_rate, label_rate = rates(predicted, 0), rates(label, 1)
    evidence = (predicted_rate - label_rate) * np.log(predicted_rate / label_rate)
    evidence = np.where(predicted_rate > label_rate, evidence, 0.0)
    strongest = np.argsort(-evidence, kind="stable")[:MAX_WORDS]
    return " ".join(str(documents.terms[terms[i]]) for i in strongest if evidence[i] > 0)


@cache
def misdecoded_pattern() -> re.Pattern[str]:
    """Compile the pattern of UTF-8 sequences whose bytes were decoded as Windows-1252 or Latin-1."""
    # lead byte, last lead byte, and number of continuation bytes of UTF-8 sequences of two to four bytes
    sequences = []
    for first, last, length in ((0xC2, 0xDF, 1), (0xE0, 0xEF, 2), (0xF0, 0xF4, 3)):
        lead, continuation = byte_range_class(first, last), byte_range_class(0x80, 0xBF)
        sequences.append(lead + continuation * length)
    return re.compile(f"(?:{'|'.join(sequences)})+")


def byte_range_class(first: int, last: int) -> str:
    """Return a regular expression for the characters of a range of bytes in Windows-1252 or Latin-1."""
    encoded = [bytes([byte]) for byte in range(first, last + 1)]
    windows = {byte.decode("cp1252", "ignore") for byte in encoded}
    return f"[{re.escape(''.join(sorted(windows | {byte.decode('latin-1') for byte in encoded})))}]"


# A single sequence counts only if it stands for a Latin letter, punctuation or an emoji: `ß“` is German, not
# U+07D3.
COMMON_PREFIXES = ("\xc2", "\xc3", "\xe2\u20ac", "\xe2\x80", "\xf0\u0178", "\xf0\x9f")
REPLACEMENT_CHARACTER = "\ufffd"
C1_CONTROL = re.compile("[\x80-\x84\x86-\x9f]")  # U+0085 is a line break on some systems


class EncodingDamage(NamedTuple):
    """Kind of encoding damage, an excerpt with it, and the original characters."""

    kind: str
    excerpt: str
    original: str


def find_encoding_damage(text: str) -> EncodingDamage | None:
    """Return the first encoding damage; None if there is none.

    >>> find_encoding_damage("cafÃ© au lait")
    EncodingDamage(kind='UTF-8 read as Windows-1252', excerpt='Ã©', original='é')
    >>> find_encoding_damage("café, „Spaß“, São")
    """
    if text.isascii():
        return None
    for match in misdecoded_pattern().finditer(text):
        # in Windows-1252, or in Latin-1 for the bytes that Windows-1252 does not define
        encoded = (c.encode("cp1252", "ignore") or c.encode("latin-1") for c in match[0])
        try:
            original = b"".join(encoded).decode("utf-8")
        except UnicodeDecodeError:
            continue
        if len(original) > 1 or match[0].startswith(COMMON_PREFIXES):
            return EncodingDamage("UTF-8 read as Windows-1252", match[0], original)
    if REPLACEMENT_CHARACTER in text:
        excerpt = excerpt_around(text, text.index(REPLACEMENT_CHARACTER))
        return EncodingDamage("undecodable bytes", excerpt, "")
    control = C1_CONTROL.search(text)
    if control is not None:
        original = control[0].encode("latin-1").decode("cp1252", "ignore")
        note = f"{original} in Windows-1252" if original else ""
        return EncodingDamage("another encoding read as Latin-1", excerpt_around(text, control.start()), note)
    return None


def excerpt_around(text: str, position: int) -> str:
    """Return some characters around a position."""
    return " ".join(text[max(position - 12, 0) : position + 13].split())
