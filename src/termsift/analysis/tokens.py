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
from termsift.counts import Cells, Counts, GroupedCounts, encode_groups, is_counts_file, ratio
from termsift.engines import LabelledInput, count_document_rows, drop_duplicate_documents
from termsift.metrics import metrics

SORTS = ("ll", "log_ratio", "percent_diff", "frequency", "term")
DIRECTIONS = ("positive", "negative", "both")
DISPERSION = ("range", "dp", "dp_norm", "juilland_d")


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
    sides = [_count_side(data, analyzer, options, dispersed, group) for data in (target, reference)]
    terms = np.unique(np.concatenate([side_terms.astype(str) for side_terms, *_ in sides]))
    index = {term: i for i, term in enumerate(terms.tolist())}
    frequencies, measures = np.zeros((2, len(terms))), []
    for side, (side_terms, counts, parts) in enumerate(sides):
        positions = np.array([index[term] for term in side_terms.tolist()], dtype=np.intp)
        frequencies[side, positions] = counts
        spread = {name: np.full(len(terms), np.nan) for name in DISPERSION}
        if parts is not None:
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
        columns |= {name: np.where(is_positive, measures[0][name], measures[1][name]) for name in DISPERSION}
        columns["range"] = _as_integers(columns["range"])
    chosen = []
    is_frequent = a + b >= min_frequency
    if not is_frequent.any():
        raise InvalidInputError(
            f"no term has {min_frequency:,} occurrences; the most frequent has {(a + b).max():,.0f}"
        )
    keys = {name: -np.abs(columns[name]) for name in ("ll", "log_ratio", "percent_diff")}
    keys |= {"frequency": -np.maximum(a * is_positive, b * ~is_positive), "term": np.zeros(len(terms))}
    for side, name in ((is_positive, "positive"), (~is_positive, "negative")):
        if direction in (name, "both"):
            rows = np.flatnonzero(side & is_frequent)
            # ties in the order of frequency, then of the terms
            order = np.lexsort((rows, -(a + b)[rows], keys[sort][rows]))
            order = np.arange(len(rows)) if sort == "term" else order
            chosen.append(rows[order][:n])
    return Table(columns)[np.concatenate(chosen)]


def _count_side(
    data: Any, analyzer: Any, options: Mapping[str, Any], dispersed: bool, group: str | None
) -> tuple[Array, Array, Any]:
    """Return the terms of a corpus, their occurrences, and those by part if it has documents."""
    reading = {name: value for name, value in options.items() if name != "drop_duplicates"}
    if isinstance(data, str | os.PathLike) and is_counts_file(data):
        data = Counts.load(data)
    counts = load_word_list(data, reading)
    if counts is None and isinstance(data, Counts | GroupedCounts):
        counts = data if isinstance(data, Counts) else data.counts
    if counts is None and not dispersed:
        counts = count_texts(data, analyzer, options if options["drop_duplicates"] else reading)
    if counts is not None:
        return counts.terms, counts.term_tf, None
    n_jobs = reading.pop("n_jobs", None)
    documents: LabelledInput = load_unlabelled_documents(data, reading, {"group": group})
    if options["drop_duplicates"]:
        documents = drop_duplicate_documents(documents, analyzer, n_jobs)
    rows, terms = count_document_rows(documents, analyzer, n_jobs)
    parts = rows
    if "group" in documents.metadata:
        groups, numbers = encode_groups(documents.metadata["group"], rows.shape[0])
        ones = np.ones(rows.shape[0])
        parts = csr_array((ones, (numbers, np.arange(rows.shape[0]))), shape=(len(groups), len(ones))) @ rows
    return as_term_array(terms), np.asarray(rows.sum(axis=0)).ravel(), parts


def _as_integers(values: Array) -> Array:
    """Return whole numbers as integers."""
    # NaN, for a corpus without documents, is not equal to itself
    return values.astype(np.int64) if np.array_equal(values, np.floor(values)) else values


def dispersion(parts: Any) -> dict[str, Array]:
    """Return measures of dispersion of each term.

    Parameters
    ----------
    parts : matrix
        Occurrences (parts, terms). Parts without occurrences are left out.

    Returns
    -------
    dict of str to array
        range : number of parts that contain the term.
        dp : Gries' deviation of proportions, half the sum of abs(share of the term's occurrences - share of
            all occurrences) over the parts: 0 for a term spread like the corpus, near 1 for a term of one
            small part.
        dp_norm : dp divided by its maximum, 1 - the smallest share.
        juilland_d : 1 - V / sqrt(parts - 1), V the coefficient of variation of the relative frequencies: 1
            for an even term, 0 for a term of a single part.

        The last three are NaN for a term that does not occur, and juilland_d if there is a single part.

    Notes
    -----
    Gries (2008); Lijffijt and Gries (2012) for dp_norm; Juilland and Chang-Rodriguez (1964), with relative
    frequencies because parts differ in length.

    Examples
    --------
    >>> dispersion(np.array([[2, 4, 14], [2, 0, 18]]))["dp"].round(4)
    array([0.    , 0.5   , 0.0625])

    """
    rows = csr_array(parts).astype(np.float64)
    lengths = np.asarray(rows.sum(axis=1)).ravel()
    rows, lengths = rows[lengths > 0], lengths[lengths > 0]
    n_parts, shares = len(lengths), ratio(lengths, lengths.sum())
    totals = np.asarray(rows.sum(axis=0)).ravel()
    entry_rows = np.repeat(np.arange(n_parts), np.diff(rows.indptr))
    occurs = rows.data > 0
    terms, entry_rows, values = rows.indices[occurs], entry_rows[occurs], rows.data[occurs]

    def sum_by_term(entries: Array) -> Array:
        return np.bincount(terms, weights=entries, minlength=rows.shape[1])

    # a part without the term contributes its share of the corpus, and all shares add up to 1
    expected = shares[entry_rows]
    deviations = 1 + sum_by_term(np.abs(values / totals[terms] - expected) - expected)
    rates = values / lengths[entry_rows]
    means = sum_by_term(rates) / max(n_parts, 1)
    variances = np.maximum(sum_by_term(rates**2) / max(n_parts, 1) - means**2, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        variation = np.sqrt(variances) / means
        juilland = 1 - variation / np.sqrt(n_parts - 1) if n_parts > 1 else np.full(len(totals), np.nan)
    dp = np.where(totals > 0, np.maximum(deviations / 2, 0), np.nan)
    largest = 1 - shares.min(initial=1)
    return {
        "range": np.bincount(terms, minlength=rows.shape[1]),
        "dp": dp,
        "dp_norm": dp / largest if largest > 0 else dp,
        "juilland_d": np.where(totals > 0, np.clip(juilland, 0, 1), np.nan),
    }
