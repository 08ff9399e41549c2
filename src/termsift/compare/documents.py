"""Times as strangers write them: dates, moments, ISO 8601, numbers; as numbers that can be ordered."""

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
from termsift.counts import as_list, as_scalar, coded_groups, is_missing
from termsift.engines import Documents, LabelledInput, as_weights, check_labels
from termsift.estimators import validate_count_rows, filter_by_df, with_int32_indices, vectorize_texts
from termsift.text import USUAL, WORD, Analyzer

RIGHT = "give numbers, or dates as 2026-11-17 or 2026-11-17T09:30"


def ordered_times(values: Sequence[Any]) -> Array:
    """(documents,) numbers from 0 that order the times, equal for equal ones.

    >>> ordered_times(["2026-01-02", "2025-12-31T23:00", "2026-01-02"])
    array([1, 0, 1])
    >>> ordered_times(["1999", "2001", "2000"])
    array([0, 2, 1])
    """
    found = [as_scalar(value) for value in values]
    for i, value in enumerate(found):
        if is_missing(value) or (isinstance(value, str) and not value.strip()):
            raise InvalidInputError(f"document {i} has no time; drop it or give it one")
    texts = [value for value in found if isinstance(value, str)]
    if texts and len(texts) == len(found) and all(map(is_numeral, texts)):
        moments: list[Any] = [float(text) for text in texts]
    else:
        moments = [moment(i, value) for i, value in enumerate(found)]
    check_one_kind(moments, found)
    keys = sorted(set(moments))
    place = {key: n for n, key in enumerate(keys)}
    return np.array([place[key] for key in moments], dtype=np.intp)


def is_numeral(text: str) -> bool:
    """Whether a text is a number."""
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def moment(i: int, value: Any) -> float | datetime:
    """A time as a number, or as a moment; in no zone if it says none."""
    if isinstance(value, bool):
        raise InvalidInputError(f"the times cannot be ordered: document {i} has {value!r}; {RIGHT}")
    if isinstance(value, int) or (isinstance(value, float) and np.isfinite(value)):
        return value
    if isinstance(value, datetime):
        return value if value.tzinfo is None else value.astimezone(UTC)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)
    try:
        return moment(i, datetime.fromisoformat(value.strip()))
    except (ValueError, AttributeError, OverflowError) as error:
        raise InvalidInputError(
            f"the times cannot be ordered: document {i} has {value!r}; {RIGHT}"
        ) from error


def check_one_kind(moments: list[Any], values: Sequence[Any]) -> None:
    """An error where some are numbers and others moments, or some have a zone and others none."""
    kinds = [one.tzinfo is None if isinstance(one, datetime) else "number" for one in moments]
    other = next((i for i, kind in enumerate(kinds) if kind != kinds[0]), None)
    if other is None:
        return
    why = "one has a zone and the other none" if "number" not in (kinds[0], kinds[other]) else "use one kind"
    raise InvalidInputError(
        f"the times cannot be ordered: document 0 has {values[0]!r}, "
        f"document {other} has {values[other]!r}; {why}"
    )


SIDES = {"train": False, "training": False, "test": True, "testing": True}


def marked(documents: Documents, marks: Mapping[str, Any]) -> Documents:
    """The documents with their groups, times, weights and sides, checked; each may be missing."""
    size = len(documents)
    parts: dict[str, Any] = {}
    if "group" in marks:
        parts["groups"] = coded_groups(marks["group"], size)[1]
    if "time" in marks:
        parts["times"] = ordered_times(one_each("times", marks["time"], size))
    if "weight" in marks:
        parts["weights"] = checked_weights(marks["weight"], size)
    if "split" in marks:
        parts["held"] = sides(one_each("splits", marks["split"], size))
    return replace(documents, **parts)


def one_each(name: str, values: Any, size: int) -> list[Any]:
    """The values, if there is one for each document."""
    found = as_list(values)
    if len(found) != size:
        raise InvalidInputError(f"{size} documents but {len(found)} {name}; there must be one each")
    return found


def checked_weights(values: Any, size: int) -> Array:
    """Weights, of which some are above 0; texts of a file as the numbers that they are."""
    for i, value in enumerate(values if isinstance(values, list) else ()):
        if isinstance(value, str) and not is_numeral(value):
            raise InvalidInputError(
                f"document {i} has the weight {value!r}; a weight is a number of at least 0"
            )
    weights = as_weights(values, size)
    if not weights.any():
        raise InvalidInputError("all weights are 0, so no document counts")
    return weights


def sides(values: Sequence[Any]) -> Array:
    """(documents,) whether each is to be judged, by the words train and test."""
    names = [str(as_scalar(value)).strip().lower() for value in values]
    strange = next((i for i, name in enumerate(names) if name not in SIDES), None)
    if strange is not None:
        raise InvalidInputError(
            f"split must say train or test; of document {strange} it says {values[strange]!r}"
        )
    held = np.array([SIDES[name] for name in names], dtype=bool)
    if held.all() or not held.any():
        raise InvalidInputError(f"split says {names[0]} of all documents; some must be train and some test")
    return held


def compared_documents(
    given: LabelledInput,
    *,
    analyzer: Any = None,
    min_df: float = 1,
    max_df: float = 1.0,
    n_jobs: int | None = None,
) -> Documents:
    """Texts, or a matrix of documents x terms, as rows of counts, checked."""
    if given.texts is None and analyzer is not None:
        raise InvalidInputError("an analyzer is for texts; these are counts already")
    check_labels(given.labels)
    if given.texts is None:
        documents = Documents(with_int32_indices(validate_count_rows(given.matrix)), given.labels, np.asarray(given.terms))
    else:
        rows, names, settings = vectorize_texts(given.texts, analyzer, n_jobs)
        how = USUAL if analyzer is None else analyzer if isinstance(analyzer, Analyzer) else None
        documents = Documents(
            with_int32_indices(rows), given.labels, names, texts=given.texts, settings=settings, analyzer=how
        )
    return filter_by_df(marked(documents, given.marks), min_df, max_df)


def documents_without(documents: Documents, dropped: Array) -> Documents:
    """The documents without some; terms that only they had are gone."""
    kept = documents.take(np.setdiff1d(np.arange(len(documents)), dropped))
    check_labels(kept.labels)
    return filter_by_df(kept)


MOST_NAMED = 10  # classes, in a sentence


def without_copies(documents: Documents) -> tuple[Documents, list[str]]:
    """The first of documents that are copies, and what was dropped, in a sentence."""
    pairs = find_duplicate_pairs(documents.rows)
    if not len(pairs):
        return documents, []
    return documents_without(documents, pairs[:, 1]), [told_copies(documents, pairs)]


def told_copies(documents: Documents, pairs: Array) -> str:
    """How many documents are copies of earlier ones, exact or near, and of which classes."""
    rows = documents.rows
    dropped = np.unique(pairs[:, 1])
    differing = abs(rows[pairs[:, 0]] - rows[pairs[:, 1]]).sum(axis=1)
    exact = len(np.unique(pairs[differing == 0, 1]))
    sizes = [
        int(np.isin(documents.labels.of(c), dropped).sum()) for c in range(len(documents.labels.classes))
    ]
    order = sorted((c for c in range(len(sizes)) if sizes[c]), key=lambda c: -sizes[c])
    more = f" and {len(order) - MOST_NAMED} more classes" if len(order) > MOST_NAMED else ""
    named = ", ".join(f"{documents.labels.classes[c]} {sizes[c]:,}" for c in order[:MOST_NAMED]) + more
    return (
        f"Of {len(documents):,} documents {len(dropped):,} were dropped as copies of earlier ones, "
        f"{exact:,} exact and {len(dropped) - exact:,} near (at least {NEAR_DUPLICATE_SIMILARITY:.0%} of the terms in common): "
        f"{named}."
    )


READING = re.compile(r"(?P<chars>chars)?(?P<least>\d+)(-(?P<most>\d+))?")


def split_reading(text: str) -> tuple[str, str]:
    """A method, and what is written behind the @; empty where there is none.

    >>> split_reading("bns:round_robin@1-2"), split_reading("bns")
    (('bns:round_robin', '1-2'), ('bns', ''))
    """
    method, at, mark = text.rpartition("@")
    if not at:
        return text, ""
    run_lengths(mark)
    return method, mark


def run_lengths(mark: str) -> tuple[bool, int, int]:
    """Whether runs are of characters, and the shortest and the longest.

    >>> run_lengths("chars3-5"), run_lengths("2")
    ((True, 3, 5), (False, 2, 2))
    """
    found = READING.fullmatch(mark)
    if found is None:
        raise InvalidInputError(
            f"behind the @ of a method is which terms texts are read as, such as 1-2 for runs of words, "
            f"chars3-5 for runs of characters; got {mark!r}"
        )
    least = int(found["least"])
    return found["chars"] is not None, least, int(found["most"] or least)


def reading_words(mark: str) -> str:
    """The reading, as a sentence names it.

    >>> reading_words("1-2"), reading_words("chars4")
    ('of runs of 1 to 2 words', 'of runs of 4 characters')
    """
    of_characters, least, most = run_lengths(mark)
    lengths = str(least) if least == most else f"{least} to {most}"
    return f"of runs of {lengths} {'characters' if of_characters else 'words'}"


def readings_of(
    documents: Documents, marks: Iterable[str], *, n_jobs: int | None, **limits: float
) -> dict[str, Documents]:
    """The documents by which terms their texts are read as: as usual, and as each mark says.

    limits : min_df and max_df
    """
    found = {"": documents}
    for mark in marks:
        if mark not in found:
            found[mark] = documents_read_as(documents, mark, n_jobs, **limits)
    return found


def documents_read_as(
    documents: Documents, mark: str, n_jobs: int | None, min_df: float = 1, max_df: float = 1.0
) -> Documents:
    """The same documents in other terms of their texts."""
    if documents.texts is None:
        raise InvalidInputError(f"@{mark} reads texts in another way; these are counts already")
    analyzer = analyzer_reading(documents.analyzer, mark)
    rows, names, settings = vectorize_texts(documents.texts, analyzer, n_jobs)
    other = replace(documents, rows=with_int32_indices(rows), terms=names, settings=settings, analyzer=analyzer)
    return filter_by_df(other, min_df, max_df)


def analyzer_reading(analyzer: Analyzer | None, mark: str) -> Analyzer:
    """The Analyzer that reads texts otherwise than one does, its runs aside."""
    if not isinstance(analyzer, Analyzer) or callable(analyzer.analyzer):
        raise InvalidInputError(
            f"@{mark} reads texts otherwise than the usual Analyzer, or one that is given; not otherwise "
            "than a function or a vectorizer of one's own"
        )
    of_characters, least, most = run_lengths(mark)
    if not of_characters:
        return replace(analyzer, analyzer="word", ngram_range=(least, most))
    plain: dict[str, Any] = {"stop_words": (), "stemmer": None, "token_pattern": WORD, "words": "sklearn"}
    plain |= {"segmenter": None, "hashtags": False, "min_length": 1}
    return replace(analyzer, analyzer="char_wb", ngram_range=(least, most), **plain)
