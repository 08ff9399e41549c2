"""N-grams that say the same: of a run and its parts, in nearly the same documents, the longest stands.

Who holds a run of words holds its parts: "new york city" is in a document only with "new york" and "york".
So the documents of the longer are among those of the shorter, and the Jaccard index of the two follows from
counts alone: the smaller document frequency over the larger. It is exact for n-grams of words and of
characters; for terms of a function of one's own, which promises nothing, it is the most the index can be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from termsift._typing import Array

# the Jaccard index of their documents from which on two terms say the same
SAME = 0.8


def without_parts(terms: Array, df: Array, *, characters: bool = False) -> Array:
    """The places of the terms that stand for themselves, ascending.

    Left out is each that is a run within a longer one that stays, where their documents are nearly the same.

    terms, df : (terms,) a list of distinct terms, and the documents that hold each
    characters : whether terms are runs of characters rather than of words

    >>> terms = np.array(["york", "new york city", "new york", "new"], dtype=object)
    >>> without_parts(terms, np.array([100, 85, 98, 400]))
    array([1, 3])
    """
    sequences = [sequence(term, characters) for term in terms.tolist()]
    numbers = df.tolist()
    containing: dict[tuple[str, ...] | str, list[float]] = {}
    stays = np.ones(len(sequences), dtype=bool)
    for i in sorted(range(len(sequences)), key=lambda i: -len(sequences[i])):
        stays[i] = not any(same(numbers[i], longer) for longer in containing.get(sequences[i], ()))
        if stays[i]:
            for part in parts(sequences[i]):
                containing.setdefault(part, []).append(numbers[i])
    return np.flatnonzero(stays)


def first_lines(
    ranking: Callable[[int], Array], n: int, terms: Array, df: Array, *, characters: bool = False
) -> Array:
    """The rows of the first `n` terms of a ranking, without parts: it is read on until there are so many.

    ranking : gives the rows of its first terms, as many as asked for where there are so many
    """
    asked = n
    while True:
        rows = ranking(asked)
        lines: Array = rows[without_parts(terms[rows], df[rows], characters=characters)]
        if len(lines) >= n or len(rows) < asked:
            return lines[:n]
        asked += n - len(lines)


def of_characters(analyzer: str | None) -> bool:
    """Whether an analyzer, as counts name it, finds runs of characters.

    >>> of_characters("Analyzer(ngram_range=(2, 4), analyzer='char_wb')"), of_characters(None)
    (True, False)
    """
    return analyzer is not None and "analyzer='char" in analyzer


def sequence(term: object, characters: bool) -> tuple[str, ...] | str:
    """What a term is a run of."""
    return str(term) if characters else tuple(str(term).split(" "))


def parts(run: tuple[str, ...] | str) -> Iterator[tuple[str, ...] | str]:
    """Every shorter run within a run, some of them twice."""
    for length in range(1, len(run)):
        for start in range(len(run) - length + 1):
            yield run[start : start + length]


def same(df: float, other: float) -> bool:
    """Whether two terms, one within the other, are in nearly the same documents."""
    return min(df, other) >= SAME * max(df, other)
