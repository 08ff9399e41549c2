"""Dispersion: how evenly a term is spread over the parts of a corpus, such as its documents or authors."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift._internal.typing import Array
from termsift.counts import ratio


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
