"""Documents of a comparison: validated metadata, removal of duplicates, and n-gram representations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import numpy as np

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array
from termsift.analysis import NEAR_DUPLICATE_SIMILARITY, find_duplicate_pairs
from termsift.counts import as_list, as_scalar, encode_groups, is_missing
from termsift.engines import Documents, LabelledInput, as_weights, check_labels
from termsift.estimators import filter_by_df, validate_count_rows, vectorize_texts, with_int32_indices
from termsift.text import DEFAULT_ANALYZER, DEFAULT_TOKEN_PATTERN, Analyzer

TIME_FORMATS = "use numbers, or dates like 2026-11-17 or 2026-11-17T09:30"
SPLIT_NAMES = {"train": False, "training": False, "test": True, "testing": True}
MAX_CLASSES_LISTED = 10
REPRESENTATION = re.compile(r"(?P<chars>chars)?(?P<low>\d+)(-(?P<high>\d+))?")


def prepare_documents(
    labelled: LabelledInput,
    *,
    analyzer: Any = None,
    min_df: float = 1,
    max_df: float = 1.0,
    n_jobs: int | None = None,
) -> Documents:
    """Return texts, or a document-term matrix, as validated rows of counts with their metadata."""
    if labelled.texts is None and analyzer is not None:
        raise InvalidInputError("analyzer applies to texts, but the data are counts; leave analyzer out")
    check_labels(labelled.labels)
    if labelled.texts is None:
        rows = with_int32_indices(validate_count_rows(labelled.matrix))
        documents = Documents(rows, labelled.labels, np.asarray(labelled.terms))
    else:
        rows, names, settings = vectorize_texts(labelled.texts, analyzer, n_jobs)
        if analyzer is None:
            analyzer = DEFAULT_ANALYZER
        documents = Documents(
            with_int32_indices(rows),
            labelled.labels,
            names,
            texts=labelled.texts,
            settings=settings,
            analyzer=analyzer if isinstance(analyzer, Analyzer) else None,
        )
    return filter_by_df(add_metadata(documents, labelled.metadata), min_df, max_df)


def add_metadata(documents: Documents, values: Mapping[str, Any]) -> Documents:
    """Return the documents with validated groups, times, weights and train/test assignment.

    values : any of "group", "time", "weight" and "split", with a value per document
    """
    size = len(documents)
    fields: dict[str, Any] = {}
    if "group" in values:
        fields["groups"] = encode_groups(values["group"], size)[1]
    if "time" in values:
        fields["times"] = order_times(_check_length("times", values["time"], size))
    if "weight" in values:
        fields["weights"] = _validate_weights(values["weight"], size)
    if "split" in values:
        fields["is_test"] = _parse_split(_check_length("splits", values["split"], size))
    return replace(documents, **fields)


def _check_length(name: str, values: Any, size: int) -> list[Any]:
    items = as_list(values)
    if len(items) != size:
        raise InvalidInputError(f"{size} documents but {len(items)} {name}; give one per document")
    return items


def _validate_weights(values: Any, size: int) -> Array:
    for i, value in enumerate(values if isinstance(values, list) else ()):
        if isinstance(value, str) and not _is_number(value):
            raise InvalidInputError(f"document {i} has weight {value!r}; weights are numbers of at least 0")
    weights = as_weights(values, size)
    if not weights.any():
        raise InvalidInputError("all weights are 0; at least one document needs a positive weight")
    return weights


def _parse_split(values: Sequence[Any]) -> Array:
    """Return a mask of the test documents (documents,)."""
    names = [str(as_scalar(value)).strip().lower() for value in values]
    for i, name in enumerate(names):
        if name not in SPLIT_NAMES:
            raise InvalidInputError(f"split must be train or test; document {i} has {values[i]!r}")
    is_test = np.array([SPLIT_NAMES[name] for name in names], dtype=bool)
    if is_test.all() or not is_test.any():
        raise InvalidInputError(f"split is {names[0]} for all documents; both train and test are needed")
    return is_test


def order_times(values: Sequence[Any]) -> Array:
    """Return the rank of each time (documents,), from 0 and equal for equal times.

    >>> order_times(["2026-01-02", "2025-12-31T23:00", "2026-01-02"])
    array([1, 0, 1])
    >>> order_times(["1999", "2001", "2000"])
    array([0, 2, 1])
    """
    raw = [as_scalar(value) for value in values]
    for i, value in enumerate(raw):
        if is_missing(value) or (isinstance(value, str) and not value.strip()):
            raise InvalidInputError(f"document {i} has no time; drop it or add one")
    # texts that are all numbers, such as years, are numbers; otherwise they must be dates
    if all(isinstance(value, str) and _is_number(value) for value in raw):
        times: list[Any] = [float(value) for value in raw]
    else:
        times = [_parse_time(i, value) for i, value in enumerate(raw)]
    kinds = [time.tzinfo is None if isinstance(time, datetime) else "number" for time in times]
    for i, kind in enumerate(kinds):
        if kind != kinds[0]:
            mixed_zones = "number" not in (kinds[0], kind)
            reason = "only one of them has a time zone" if mixed_zones else "use one kind"
            raise InvalidInputError(
                f"the times cannot be ordered: document 0 has {raw[0]!r}, document {i} has {raw[i]!r}; "
                f"{reason}"
            )
    rank = {time: n for n, time in enumerate(sorted(set(times)))}
    return np.array([rank[time] for time in times], dtype=np.intp)


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def _parse_time(i: int, value: Any) -> float | datetime:
    """Return a number, or a datetime: in UTC if it has a time zone, otherwise without one."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and np.isfinite(value):
        return value
    try:
        if isinstance(value, str):
            value = datetime.fromisoformat(value.strip())
        if isinstance(value, datetime):
            return value if value.tzinfo is None else value.astimezone(UTC)
        if isinstance(value, date):
            return datetime(value.year, value.month, value.day)
    except (ValueError, OverflowError):
        pass
    raise InvalidInputError(f"the times cannot be ordered: document {i} has {value!r}; {TIME_FORMATS}")


def drop_duplicates(documents: Documents) -> tuple[Documents, list[str]]:
    """Remove documents that duplicate an earlier one, exactly or nearly.

    Returns
    -------
    documents : the remaining documents, without terms that only duplicates had
    notes : a sentence about the removed documents, if there are any

    """
    pairs = find_duplicate_pairs(documents.rows)
    if not len(pairs):
        return documents, []
    labels, rows = documents.labels, documents.rows
    duplicates = np.unique(pairs[:, 1])
    remaining = documents.take(np.setdiff1d(np.arange(len(documents)), duplicates))
    check_labels(remaining.labels)

    differences = abs(rows[pairs[:, 0]] - rows[pairs[:, 1]]).sum(axis=1)
    n_exact = len(np.unique(pairs[differences == 0, 1]))
    sizes = {
        name: int(np.isin(labels.class_documents(c), duplicates).sum())
        for c, name in enumerate(labels.classes)
    }
    largest = sorted((name for name in sizes if sizes[name]), key=lambda name: -sizes[name])
    listed = ", ".join(f"{name} {sizes[name]:,}" for name in largest[:MAX_CLASSES_LISTED])
    if len(largest) > MAX_CLASSES_LISTED:
        listed += f" and {len(largest) - MAX_CLASSES_LISTED} more classes"
    note = (
        f"Removed {len(duplicates):,} of {len(documents):,} documents as duplicates of earlier ones: "
        f"{n_exact:,} exact, {len(duplicates) - n_exact:,} near (at least {NEAR_DUPLICATE_SIMILARITY:.0%} of "
        f"terms in common). By class: {listed}."
    )
    return filter_by_df(remaining), [note]


def split_representation(text: str) -> tuple[str, str]:
    """Split a candidate's name into the method and the representation after the @.

    >>> split_representation("bns:round_robin@1-2"), split_representation("bns")
    (('bns:round_robin', '1-2'), ('bns', ''))
    """
    method, at_sign, representation = text.rpartition("@")
    if not at_sign:
        return text, ""
    parse_representation(representation)
    return method, representation


def parse_representation(text: str) -> tuple[bool, int, int]:
    """Return whether the n-grams are of characters, and their shortest and longest length.

    >>> parse_representation("chars3-5"), parse_representation("2")
    ((True, 3, 5), (False, 2, 2))
    """
    match = REPRESENTATION.fullmatch(text)
    if match is None:
        raise InvalidInputError(
            f"after the @ of a method, write 1-2 for word n-grams or chars3-5 for character n-grams; got "
            f"{text!r}"
        )
    return match["chars"] is not None, int(match["low"]), int(match["high"] or match["low"])


def describe_representation(text: str) -> str:
    """Return the representation in words.

    >>> describe_representation("1-2"), describe_representation("chars4")
    ('word 1- to 2-grams', 'character 4-grams')
    """
    of_characters, low, high = parse_representation(text)
    lengths = f"{low}-grams" if low == high else f"{low}- to {high}-grams"
    return f"{'character' if of_characters else 'word'} {lengths}"


def represent_documents(
    documents: Documents,
    representations: Iterable[str],
    *,
    n_jobs: int | None,
    min_df: float = 1,
    max_df: float = 1.0,
) -> dict[str, Documents]:
    """Return the documents by representation: as they are under "", and in each kind of n-grams."""
    by_representation = {"": documents}
    for text in representations:
        if text in by_representation:
            continue
        if documents.texts is None:
            raise InvalidInputError(f"@{text} needs texts, but the data are counts")
        analyzer = ngram_analyzer(documents.analyzer, text)
        rows, terms, settings = vectorize_texts(documents.texts, analyzer, n_jobs)
        represented = replace(
            documents, rows=with_int32_indices(rows), terms=terms, settings=settings, analyzer=analyzer
        )
        by_representation[text] = filter_by_df(represented, min_df, max_df)
    return by_representation


def ngram_analyzer(analyzer: Analyzer | None, representation: str) -> Analyzer:
    """Return the analyzer changed to the n-grams of a representation."""
    if not isinstance(analyzer, Analyzer) or callable(analyzer.analyzer):
        raise InvalidInputError(
            f"@{representation} needs the default analyzer or a termsift.Analyzer, not a function or a "
            "vectorizer"
        )
    of_characters, low, high = parse_representation(representation)
    if not of_characters:
        return replace(analyzer, analyzer="word", ngram_range=(low, high))
    # options of words do not apply to characters
    return replace(
        analyzer,
        analyzer="char_wb",
        ngram_range=(low, high),
        stop_words=(),
        stemmer=None,
        token_pattern=DEFAULT_TOKEN_PATTERN,
        words="sklearn",
        segmenter=None,
        hashtags=False,
        min_length=1,
    )
