"""Documents of a comparison: metadata, removal of duplicates, n-gram representations, splits, pitfalls."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import numpy as np

from termsift import evaluation
from termsift._internal.errors import InvalidInputError, quote_names
from termsift._internal.typing import Array
from termsift.analysis import find_class_name_leaks, find_leaking_tokens
from termsift.counts import as_list, as_scalar, encode_groups, is_missing
from termsift.engines import (
    NEAR_DUPLICATE_SIMILARITY,
    Documents,
    LabelledInput,
    check_class_sizes,
    find_duplicate_pairs,
    resolve_analyzer,
    weights_or_empty,
)
from termsift.estimators import clean_count_rows, filter_by_df, narrow_indices, vectorize_texts
from termsift.evaluation import Division, Split
from termsift.text import DEFAULT_ANALYZER, Analyzer

TIME_FORMATS = "use numbers, or dates like 2026-11-17 or 2026-11-17T09:30"
SPLIT_NAMES = {"train": False, "training": False, "test": True, "testing": True}
MAX_CLASSES_LISTED = 10
CHARACTER_OPTIONS = ("lowercase", "strip_accents", "normalize", "html")  # of an Analyzer
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
        raise InvalidInputError("analyzer needs texts, but the data are counts; omit it")
    check_class_sizes(labelled.labels)
    if labelled.texts is None:
        rows = narrow_indices(clean_count_rows(labelled.matrix))
        documents = Documents(rows, labelled.labels, np.asarray(labelled.terms))
    else:
        analyzer = resolve_analyzer(labelled.texts, analyzer)
        rows, names, settings = vectorize_texts(labelled.texts, analyzer, n_jobs)
        analyzer = DEFAULT_ANALYZER if analyzer is None else analyzer
        text_analyzer = analyzer if isinstance(analyzer, Analyzer) else None
        documents = Documents(narrow_indices(rows), labelled.labels, names)
        documents = replace(documents, texts=labelled.texts, settings=settings, analyzer=text_analyzer)
    if labelled.metadata:
        documents = replace(documents, **_metadata_fields(labelled.metadata, len(documents)))
    return filter_by_df(documents, min_df, max_df)


def _metadata_fields(metadata: Mapping[str, Any], n_documents: int) -> dict[str, Any]:
    """Return groups, times, weights and train/test assignment (documents,) as fields of the documents.

    metadata : any of "group", "time", "weight" and "split", with a value per document
    """
    fields: dict[str, Any] = {}
    if "group" in metadata:
        fields["groups"] = encode_groups(metadata["group"], n_documents)[1]
    if "time" in metadata:
        fields["times"] = rank_times(_check_length("times", metadata["time"], n_documents))
    if "weight" in metadata:
        weights = metadata["weight"]
        # cells of a file are texts; NumPy's error would not say which of them is wrong
        for i, value in enumerate(weights if isinstance(weights, list) else ()):
            if isinstance(value, str) and not _is_finite_number(value):
                message = f"document {i} has weight {value!r}; a weight must be a number of at least 0"
                raise InvalidInputError(message)
        fields["weights"] = weights_or_empty(weights, n_documents)
        if not fields["weights"].any():
            raise InvalidInputError("all weights are 0; at least one document needs a positive weight")
    if "split" in metadata:
        values = _check_length("splits", metadata["split"], n_documents)
        names = [str(as_scalar(value)).strip().lower() for value in values]
        for i, name in enumerate(names):
            if name not in SPLIT_NAMES:
                raise InvalidInputError(f"split must be train or test, got {values[i]!r} for document {i}")
        fields["is_test"] = is_test = np.array([SPLIT_NAMES[name] for name in names], dtype=bool)
        if is_test.all() or not is_test.any():
            raise InvalidInputError(f"split is {names[0]} for all documents; both train and test are needed")
    return fields


def _check_length(name: str, values: Any, size: int) -> list[Any]:
    items = as_list(values)
    if len(items) != size:
        raise InvalidInputError(f"{size} documents but {len(items)} {name}; give one per document")
    return items


def rank_times(values: Sequence[Any]) -> Array:
    """Return the rank of each time (documents,), from 0 and equal for equal times.

    >>> rank_times(["2026-01-02", "2025-12-31T23:00", "2026-01-02"])
    array([1, 0, 1])
    >>> rank_times(["1999", "2001", "2000"])
    array([0, 2, 1])
    """
    raw = [as_scalar(value) for value in values]
    for i, value in enumerate(raw):
        if is_missing(value) or (isinstance(value, str) and not value.strip()):
            raise InvalidInputError(f"document {i} has no time; add one or remove the document")
    # texts that are all numbers, such as years, are numbers; otherwise they must be dates
    if all(isinstance(value, str) and _is_finite_number(value) for value in raw):
        times: list[Any] = [float(value) for value in raw]
    else:
        times = [_parse_time(i, value) for i, value in enumerate(raw)]
    kinds = [time.tzinfo is None if isinstance(time, datetime) else "number" for time in times]
    for i, kind in enumerate(kinds):
        if kind != kinds[0]:
            mixed = f"document 0 has {raw[0]!r}, document {i} has {raw[i]!r}"
            reason = "use only numbers or only dates"
            if "number" not in (kinds[0], kind):
                reason = "give all of them a time zone, or none"
            raise InvalidInputError(f"the times cannot be ordered: {mixed}; {reason}")
    rank = {time: n for n, time in enumerate(sorted(set(times)))}
    return np.array([rank[time] for time in times], dtype=np.intp)


def _is_finite_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def _parse_time(i: int, value: Any) -> float | datetime:
    """Return a number, or a datetime: in UTC if it has a time zone, otherwise without one."""
    # integers may be too large for np.isfinite
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    if is_integer or (isinstance(value, float) and np.isfinite(value)):
        return value  # type: ignore[no-any-return]
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
    # duplicates may have been all documents of a class but one
    check_class_sizes(remaining.labels)

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


def parse_representation(text: str) -> tuple[bool, int, int]:
    """Return whether the n-grams are of characters, and their shortest and longest length.

    >>> parse_representation("chars3-5"), parse_representation("2")
    ((True, 3, 5), (False, 2, 2))
    """
    match = REPRESENTATION.fullmatch(text)
    if match is None:
        raise InvalidInputError(
            "after the @ of a method, write 1-2 for word n-grams or chars3-5 for character n-grams; "
            f"got {text!r}"
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
    for text in filter(None, dict.fromkeys(representations)):
        if documents.texts is None:
            raise InvalidInputError(f"@{text} needs texts, but the data are counts")
        analyzer = ngram_analyzer(documents.analyzer, text)
        rows, terms, settings = vectorize_texts(documents.texts, analyzer, n_jobs)
        represented = replace(
            documents, rows=narrow_indices(rows), terms=terms, settings=settings, analyzer=analyzer
        )
        by_representation[text] = filter_by_df(represented, min_df, max_df)
    return by_representation


def ngram_analyzer(analyzer: Analyzer | None, representation: str) -> Analyzer:
    """Return the analyzer changed to the n-grams of a representation."""
    if not isinstance(analyzer, Analyzer) or callable(analyzer.analyzer):
        raise InvalidInputError(
            f"@{representation} needs the default analyzer or a termsift.Analyzer, "
            "not a function or a vectorizer"
        )
    of_characters, low, high = parse_representation(representation)
    if not of_characters:
        return replace(analyzer, analyzer="word", ngram_range=(low, high))
    # options of words do not apply to characters
    options = {name: getattr(analyzer, name) for name in CHARACTER_OPTIONS}
    return Analyzer(analyzer="char_wb", ngram_range=(low, high), **options)


MAX_SPLITS = 1000  # folds, and repeats


def make_split(documents: Documents, folds: int, repeats: int, seed: int, cv: Any = None) -> Split:
    """Return the requested split of the documents, checked.

    cv : scikit-learn splitter, pairs of indices, or None
    """
    if cv is not None:
        split = _split_by_cv(documents, cv, seed)
    elif documents.is_test.size:
        _check_test_set(documents)
        split = evaluation.holdout_split(documents, seed)
    elif folds > len(documents):
        raise InvalidInputError(f"folds is {folds} but there are only {len(documents)} documents; use fewer")
    elif documents.times.size:
        split = evaluation.time_window_split(documents, folds, seed)
    else:
        n_groups = len(np.unique(documents.groups))
        if documents.groups.size and n_groups < folds:
            raise InvalidInputError(f"folds is {folds} but there are only {n_groups} groups; use fewer folds")
        split = evaluation.k_fold_split(documents, folds, repeats, seed)
    # stratified folds are valid by construction
    if cv is not None or documents.is_test.size or documents.times.size:
        for number, division in enumerate(split.divisions(0), 1):
            _check_division(documents, division, number)
    if not documents.weights.size:
        return split
    return replace(split, description=f"{split.description}, weighted documents")


def _check_test_set(documents: Documents) -> None:
    """Check that at least 2 documents are for testing, and that their classes are in the training set."""
    n_test = int(documents.is_test.sum())
    if n_test < 2:
        raise InvalidInputError(f"the test set needs at least 2 documents, got {n_test}")
    in_test = documents.truth[documents.is_test].any(axis=0)
    untrained = np.flatnonzero(in_test & ~documents.truth[~documents.is_test].any(axis=0))
    if len(untrained):
        noun = "a class" if len(untrained) == 1 else f"{len(untrained)} classes"
        raise InvalidInputError(
            f"the training set lacks {noun} of the test set: "
            f"{quote_names([documents.labels.classes[c] for c in untrained], 5)}; "
            "add training documents, or remove these test documents"
        )


def _check_division(documents: Documents, division: Division, number: int) -> None:
    """Check that training and test documents are disjoint, not empty, and have two classes."""
    train, test, groups = division.train, division.test, documents.groups
    if not len(train) or not len(test):
        raise InvalidInputError(f"split {number} has no {'test' if len(train) else 'training'} documents")
    shared = np.intersect1d(train, test)
    if len(shared):
        raise InvalidInputError(f"split {number} has document {shared[0]} in both training and test set")
    n_shared = len(np.intersect1d(groups[test], groups[train])) if groups.size else 0
    if n_shared:
        raise InvalidInputError(
            f"split {number} has {n_shared} {'group' if n_shared == 1 else 'groups'} in both training and "
            "test set; split by groups, or omit the groups"
        )
    in_train = documents.truth[train].any(axis=0)
    if documents.labels.is_single_label and in_train.sum() < 2:
        name = documents.labels.classes[int(np.argmax(in_train))]
        raise InvalidInputError(f"split {number} has only one class in the training set, {name!r}")


def _split_by_cv(documents: Documents, cv: Any, seed: int) -> Split:
    """Return the split of a scikit-learn splitter, or of pairs of indices."""
    # str and bytes have a method `split`, too
    if hasattr(cv, "split") and not isinstance(cv, str | bytes):
        name = type(cv).__name__
        target = documents.target if documents.labels.is_single_label else documents.truth * 1
        groups = documents.groups if documents.groups.size else None
        try:
            pairs = list(cv.split(np.zeros((len(documents), 1)), target, groups))
        except (ValueError, TypeError) as error:
            raise InvalidInputError(f"{name} cannot split these documents: {error}") from error
    elif isinstance(cv, Iterable) and not isinstance(cv, str):
        name, pairs = "cv", list(cv)
    else:
        raise InvalidInputError(f"cv must be a scikit-learn splitter or pairs of indices, got {cv!r}")
    if not pairs or len(pairs) > MAX_SPLITS:
        raise InvalidInputError(f"cv must give 1 to {MAX_SPLITS:,} pairs of indices, got {len(pairs):,}")

    rows, divisions = np.arange(len(documents)), []
    for number, pair in enumerate(pairs, 1):
        try:
            train, test = pair
        except (TypeError, ValueError) as error:
            message = f"pair {number} of cv must be training and test indices, got {pair!r}"
            raise InvalidInputError(message) from error
        train, test = (evaluation.select_rows(rows, indices) for indices in (train, test))
        if any(len(np.unique(indices)) < len(indices) for indices in (train, test)):
            raise InvalidInputError(f"pair {number} of cv repeats a document index")
        divisions.append(Division(train, test, seed))

    divisions = evaluation.add_jackknife_blocks(documents, divisions, seed)
    runs, n = _splits_per_round(divisions), len(divisions)
    description = f"{runs} {'split' if runs == 1 else 'splits'} of {name}"
    if n == 1:
        n_blocks, n_test = int(divisions[0].blocks.max()) + 1, len(divisions[0].test)
        description += f", ± by the jackknife over {n_blocks} blocks of {n_test:,} test documents"
    return Split(description, n // runs, runs, lambda number: divisions[number * runs : (number + 1) * runs])


def _splits_per_round(divisions: Sequence[Division]) -> int:
    """Return how many consecutive splits test no document twice, if always equal; otherwise all."""
    starts, tested = [0], set[int]()
    for number, division in enumerate(divisions):
        test = set(division.test.tolist())
        if tested & test:
            starts.append(number)
            tested = set()
        tested |= test
    lengths = np.diff([*starts, len(divisions)])
    return int(lengths[0]) if len(set(lengths.tolist())) == 1 else len(divisions)


TOLERATED_DUPLICATES = 0.01  # share of the test documents
MAX_LEAKS_LISTED = 4


def find_pitfalls(documents: Documents, split: Split) -> Iterator[str]:
    """Yield a sentence per problem, with its size and its remedy."""
    yield from _warn_of_small_classes(documents, split)
    yield from warn_of_duplicates(documents, split)
    yield from _warn_of_leaks(documents)
    n_empty = int(np.count_nonzero(np.diff(documents.rows.indptr) == 0))
    if n_empty:
        yield f"{n_empty:,} {'document has' if n_empty == 1 else 'documents have'} no terms."


def _warn_of_small_classes(documents: Documents, split: Split) -> Iterator[str]:
    """Warn of classes that are missing in the training or test set of some fold."""
    labels = documents.labels
    if split.is_stratified:
        sizes = np.diff(labels.starts)
        incomplete = (sizes > 0) & (sizes < split.runs)
        reason, remedy = f"fewer documents than folds ({split.runs})", "use fewer folds"
    else:
        complete = np.ones(len(labels.classes), dtype=bool)
        for division in split.divisions(0):
            for indices in (division.train, division.test):
                complete &= documents.truth[indices].any(axis=0)
        incomplete = documents.truth.any(axis=0) & ~complete
        reason, remedy = "no documents in some training or test set", "change the split"
    small = [labels.classes[c] for c in np.flatnonzero(incomplete)]
    if small:
        have = "class has" if len(small) == 1 else "classes have"
        yield (
            f"{len(small)} {have} {reason}: {quote_names(small, 5)}. Scores of such classes are unreliable; "
            f"collect more documents, merge classes, or {remedy}."
        )


def warn_of_duplicates(documents: Documents, split: Split) -> Iterator[str]:
    """Warn if test documents have duplicates in the training set of their fold, in the first round."""
    pairs = find_duplicate_pairs(documents.rows)
    across = np.zeros(len(pairs), dtype=bool)
    agree = (documents.truth[pairs[:, 0]] == documents.truth[pairs[:, 1]]).all(axis=1)
    is_duplicate, is_contradicted, is_tested = np.zeros((3, len(documents)), dtype=bool)
    for division in split.divisions(0):
        in_train, in_test = np.zeros((2, len(documents)), dtype=bool)
        in_train[division.train] = in_test[division.test] = True
        is_tested |= in_test
        # either document of a pair may be the one in the test set
        for first, second in (pairs.T, pairs.T[::-1]):
            leaks = in_train[first] & in_test[second]
            across |= leaks
            is_duplicate[second[leaks & agree]] = True
            is_contradicted[second[leaks & ~agree]] = True
    # no classifier labels identical texts with different labels well, so those do not raise scores
    is_duplicate[pairs[~agree]] = False
    n_tested = int(is_tested.sum())
    remedy = "so scores are too high; --drop-duplicates (drop_duplicates=True) removes them"
    limit = "so no classifier can label all of them; check the labels"
    for marked, alike, kind, consequence in (
        (is_duplicate, agree, "", remedy),
        (is_contradicted, ~agree, " with a different label", limit),
    ):
        count = int(marked.sum())
        if count > TOLERATED_DUPLICATES * n_tested:
            is_example = across & alike & marked[pairs].any(axis=1)
            example = "{} and {}".format(*(pairs[is_example][0] + 1).tolist())
            yield (
                f"{count / n_tested:.0%} of the documents ({count:,} of {n_tested:,}) have a duplicate or "
                f"near-duplicate {split.duplicate_location}{kind}, such as documents {example} (counted from "
                f"1), {consequence}."
            )


def _warn_of_leaks(documents: Documents) -> Iterator[str]:
    """Warn of tokens that reveal the label, those that cover most of a class first."""
    counts, by_class = documents.counts, find_class_name_leaks(documents)
    leaks = []
    for c in range(len(counts.classes)):
        leaks += [by_class[c]] if c in by_class else find_leaking_tokens(counts, c)
    if not leaks:
        return
    leaks.sort(key=lambda leak: -leak.inside / leak.size)
    examples = [
        f"{leak.words!r} is in {leak.inside:,} of {leak.size:,} documents of {leak.name!r} and in "
        f"{leak.outside:,} {'other' if leak.outside == 1 else 'others'}"
        for leak in leaks[:MAX_LEAKS_LISTED]
    ]
    if len(leaks) > MAX_LEAKS_LISTED:
        examples.append(f"{len(leaks) - MAX_LEAKS_LISTED} more")
    yield (f"Single tokens reveal labels: {'; '.join(examples)}. Remove them if new documents lack them.")
