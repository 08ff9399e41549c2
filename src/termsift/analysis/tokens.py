"""Keyness of tokens: frequencies, rates, log-likelihood, effect sizes and dispersion of two corpora."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift._internal.errors import InvalidInputError, check_flags, check_name
from termsift._internal.tables import Table
from termsift._internal.typing import Array, as_term_array, check_positive_integer
from termsift.analysis.contexts import load_unlabelled_documents
from termsift.analysis.differences import check_corpus_names, count_texts, find_saved_analyzer, load_word_list
from termsift.counts import Cells, Counts, GroupedCounts, encode_groups, is_counts_file
from termsift.engines import LabelledInput, drop_duplicate_documents, vectorize_documents
from termsift.metrics import dispersion, metrics

SORTS = ("ll", "log_ratio", "percent_diff", "frequency", "term")
DISPERSION = ("range", "dp", "dp_norm", "juilland_d")
DIRECTIONS = ("positive", "negative", "both")


def keyness(
    target: Any,
    reference: Any,
    *,
    n: int | None = None,
    sort: str = "ll",
    direction: str = "both",
    min_frequency: int = 1,
    cells: int = 4,
    dispersed: bool = True,
    group: str | None = None,
    names: Sequence[Any] = ("target", "reference"),
    analyzer: Any = None,
    drop_duplicates: bool = False,
    **reading: Any,
) -> Table:
    """Compare the word frequencies of two corpora, as concordancers do: a keyness list of tokens.

    Parameters
    ----------
    target, reference : texts, path, Counts, data frame, Corpus or word list
        As for `termsift.diff`.
    n : int, optional
        Maximum number of terms in each direction; all by default.
    sort : {"ll", "log_ratio", "percent_diff", "frequency", "term"}, default "ll"
        Order of the terms: the strongest first, by the size of the measure; or by the frequency in the corpus
        where the term is over-represented; or in alphabetical order.
    direction : {"both", "positive", "negative"}, default "both"
        Terms over-represented in the target, in the reference, or both.
    min_frequency : int, default 1
        Leave out terms with fewer occurrences in both corpora together.
    cells : {4, 2}, default 4
        Cells of the log-likelihood: 4 as in AntConc and quanteda, 2 as in Wmatrix (Rayson and Garside).
    dispersed : bool, default True
        Add measures of dispersion if the corpora are documents, which must then fit into memory.
    group : str, optional
        Column of a file or data frame; dispersion is over its groups, such as authors, not over documents.
    names : sequence of two names, default ("target", "reference")
        Names of the two corpora in the column `more_in`.
    analyzer : Analyzer or function, optional
        How a text becomes terms.
    drop_duplicates : bool, default False
        Leave out duplicates within each corpus, as for `ts.count`.
    **reading
        As for `termsift.diff`.

    Returns
    -------
    Table
        more_in : corpus in which the term is over-represented.
        term, target, reference : occurrences.
        target_per_million, reference_per_million : rates.
        ll : log-likelihood ratio; above 3.84, 6.63, 10.83 and 15.13 for p < .05, .01, .001 and .0001, if
            occurrences were independent.
        log_ratio : log2 of the ratio of the rates; a zero counts as one half.
        percent_diff : %DIFF, the difference in percent of the reference's rate.
        welch_t : Welch's t of the relative frequencies per document, or per group; null unless both corpora
            have several documents.
        range, dp, dp_norm, juilland_d : dispersion in the corpus in which the term is over-represented, as
            described in `termsift.dispersion`; null for a corpus without documents.

    Raises
    ------
    InvalidInputError
        If an option or a corpus cannot be used, or no term is frequent enough.
    UnknownNameError
        If an order, direction, column or option does not exist.

    Examples
    --------
    >>> table = keyness(["win a prize now", "win now"], ["see you at lunch", "lunch now"], n=1)
    >>> table["term"]
    array(['win', 'lunch'], dtype=object)
    >>> table["ll"].round(2)
    array([3.7 , 2.79])

    """
    target_name, reference_name = check_corpus_names(names)
    check_name("order", sort, SORTS)
    check_name("direction", direction, DIRECTIONS)
    check_flags(dispersed=dispersed, drop_duplicates=drop_duplicates)
    check_positive_integer(min_frequency, "min_frequency")
    if n is not None:
        check_positive_integer(n, "n")
    if analyzer is None:
        analyzer = find_saved_analyzer((target, reference))
    options = reading | {"drop_duplicates": drop_duplicates}
    sides = [_count_corpus(data, analyzer, options, dispersed, group) for data in (target, reference)]
    terms = np.unique(np.concatenate([side_terms.astype(str) for side_terms, *_ in sides]))
    index = {term: i for i, term in enumerate(terms.tolist())}
    frequencies, moments, measures = np.zeros((2, len(terms))), np.full((2, 2, len(terms)), np.nan), []
    for side, (side_terms, counts, parts) in enumerate(sides):
        positions = np.array([index[term] for term in side_terms.tolist()], dtype=np.intp)
        frequencies[side, positions] = counts
        spread = {name: np.full(len(terms), np.nan) for name in DISPERSION}
        if parts is not None:
            moments[side] = _mean_rates_and_squared_errors(parts, positions, len(terms))
            for name, values in dispersion(parts).items():
                spread[name][positions] = values
        measures.append(spread)
    a, b = frequencies
    sizes = frequencies.sum(axis=1)
    if not sizes.all():
        empty = (target_name, reference_name)[int(np.argmin(sizes))]
        raise InvalidInputError(f"the corpus {empty} has no occurrences of any term; is it empty?")
    table = Cells(a, b, sizes[0] - a, sizes[1] - b)
    is_positive = a * sizes[1] >= b * sizes[0]
    columns: dict[str, Array] = {
        "more_in": np.where(is_positive, target_name, reference_name).astype(object),
        "term": as_term_array(terms.tolist()),
        "target": _as_integers(a),
        "reference": _as_integers(b),
        "target_per_million": 1e6 * a / sizes[0],
        "reference_per_million": 1e6 * b / sizes[1],
        "ll": metrics()["g2"].function(table, cells=cells),
        "log_ratio": metrics()["log_ratio"].function(table),
        "percent_diff": metrics()["percent_diff"].function(table),
    }
    if any(parts is not None for *_, parts in sides):
        error, t = np.sqrt(moments[:, 1].sum(axis=0)), np.full(len(terms), np.nan)
        columns["welch_t"] = np.divide(moments[0, 0] - moments[1, 0], error, out=t, where=error > 0)
        columns |= {name: np.where(is_positive, measures[0][name], measures[1][name]) for name in DISPERSION}
        columns["range"] = _as_integers(columns["range"])
    chosen = []
    is_frequent = a + b >= min_frequency
    if not is_frequent.any():
        raise InvalidInputError(
            f"no term has {min_frequency:,} occurrences; the most frequent has {(a + b).max():,.0f}"
        )
    keys = {name: -np.abs(columns[name]) for name in ("ll", "log_ratio", "percent_diff")}
    keys |= {"frequency": -np.maximum(a * is_positive, b * ~is_positive), "term": np.arange(len(terms))}
    for side, name in ((is_positive, "positive"), (~is_positive, "negative")):
        if direction in (name, "both"):
            rows = np.flatnonzero(side & is_frequent)
            # ties in the order of frequency, then of the terms
            order = np.lexsort((rows, -(a + b)[rows], keys[sort][rows]))
            chosen.append(rows[order][:n])
    return Table(columns)[np.concatenate(chosen)]


def _count_corpus(
    data: Any, analyzer: Any, options: Mapping[str, Any], with_parts: bool, group: str | None
) -> tuple[Array, Array, Any]:
    """Return the terms of a corpus, their occurrences, and those by part if it has documents."""
    reading = {name: value for name, value in options.items() if name != "drop_duplicates"}
    if isinstance(data, str | os.PathLike) and is_counts_file(data):
        data = Counts.load(data)
    counts = load_word_list(data, reading)
    if counts is None and isinstance(data, Counts | GroupedCounts):
        counts = data if isinstance(data, Counts) else data.counts
    if counts is None and not with_parts:
        counts = count_texts(data, analyzer, options if options["drop_duplicates"] else reading)
    if counts is not None:
        return counts.terms, counts.term_tf, None
    n_jobs = reading.pop("n_jobs", None)
    documents: LabelledInput = load_unlabelled_documents(data, reading, {"group": group})
    if options["drop_duplicates"]:
        documents = drop_duplicate_documents(documents, analyzer, n_jobs)
    rows, terms = vectorize_documents(documents, analyzer, n_jobs)
    parts = rows
    if "group" in documents.metadata:
        groups, numbers = encode_groups(documents.metadata["group"], rows.shape[0])
        ones = np.ones(rows.shape[0])
        parts = csr_array((ones, (numbers, np.arange(rows.shape[0]))), shape=(len(groups), len(ones))) @ rows
    return as_term_array(terms), np.asarray(rows.sum(axis=0)).ravel(), parts


def _mean_rates_and_squared_errors(parts: Any, term_positions: Array, n_terms: int) -> Array:
    """Return mean and squared standard error of the relative frequencies of all terms in the parts."""
    lengths = np.asarray(parts.sum(axis=1)).ravel()
    rates = csr_array(parts)[lengths > 0].multiply(1 / lengths[lengths > 0, None])
    n, sums = rates.shape[0], np.zeros((2, n_terms))
    sums[:, term_positions] = rates.sum(axis=0), rates.power(2).sum(axis=0)
    squares = np.maximum(sums[1] - sums[0] ** 2 / max(n, 1), 0)
    return np.stack([sums[0] / max(n, 1), squares / (n * (n - 1)) if n > 1 else squares * np.nan])


def _as_integers(values: Array) -> Array:
    """Return whole numbers as integers."""
    # NaN, for a corpus without documents, is not equal to itself
    return values.astype(np.int64) if np.array_equal(values, np.floor(values)) else values
