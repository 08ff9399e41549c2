"""Several readings of the same texts in one comparison: words, runs of words, runs of characters.

What is written behind the @ of a method says which: bns@1-2 is bns of words and pairs of words, all@chars3-5
all runs of three to five characters within words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from termsift.compare.reading import limited_terms, narrow, text_rows
from termsift.errors import InvalidInput
from termsift.experiment.documents import Documents
from termsift.text import Analyzer
from termsift.text.analyzer import WORD

READING = re.compile(r"(?P<chars>chars)?(?P<least>\d+)(-(?P<most>\d+))?")


def split_reading(text: str) -> tuple[str, str]:
    """A method, and what is written behind the @; empty where there is none.

    >>> split_reading("bns:turns@1-2"), split_reading("bns")
    (('bns:turns', '1-2'), ('bns', ''))
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
        raise InvalidInput(
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
        raise InvalidInput(f"@{mark} reads texts in another way; these are counts already")
    analyzer = analyzer_reading(documents.analyzer, mark)
    rows, names, settings = text_rows(documents.texts, analyzer, n_jobs)
    other = replace(documents, rows=narrow(rows), terms=names, settings=settings, analyzer=analyzer)
    return limited_terms(other, min_df, max_df)


def analyzer_reading(analyzer: Analyzer | None, mark: str) -> Analyzer:
    """The Analyzer that reads texts otherwise than one does, its runs aside."""
    if not isinstance(analyzer, Analyzer) or callable(analyzer.analyzer):
        raise InvalidInput(
            f"@{mark} reads texts otherwise than the usual Analyzer, or one that is given; not otherwise "
            "than a function or a vectorizer of one's own"
        )
    of_characters, least, most = run_lengths(mark)
    if not of_characters:
        return replace(analyzer, analyzer="word", ngram_range=(least, most))
    plain: dict[str, Any] = {"stop_words": (), "stemmer": None, "token_pattern": WORD, "words": "sklearn"}
    plain |= {"segmenter": None, "hashtags": False, "min_length": 1}
    return replace(analyzer, analyzer="char_wb", ngram_range=(least, most), **plain)
