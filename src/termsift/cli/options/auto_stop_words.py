"""Stop words that nobody has to name: words of most documents that no class uses differently."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import numpy as np

from termsift.cli.ending import say
from termsift.cli.options.texts import AUTO, TextOptions
from termsift.counts import Counts
from termsift.errors import listed
from termsift.groups import GroupedCounts
from termsift.scores.words import FOR_READING
from termsift.scoring import score
from termsift.text import Analyzer

MOST = 0.5  # of the documents: in more than so many is a word of most
Counted = TypeVar("Counted", bound=Counts | GroupedCounts)


def counted_with(options: TextOptions, count: Callable[[Analyzer | None], Counted]) -> Counted:
    """The counts by the analyzer that the options make.

    count : from an analyzer to counts
    """
    return count(chosen_analyzer(options, count))


def chosen_analyzer(
    options: TextOptions, count: Callable[[Analyzer | None], Counts | GroupedCounts]
) -> Analyzer | None:
    """The analyzer that the options make; where stop words are to be chosen, words are counted for it first.

    They are chosen among words as they are, and left out before words become stems and n-grams.
    """
    if options.stop_words != AUTO:
        return options.analyzer
    whole = options.analyzer_with(())
    counts = count(replace(whole, ngram_range=(1, 1), stemmer=None))
    words = common_words(counts if isinstance(counts, Counts) else counts.counts)
    say(told_words(words))
    return replace(whole, stop_words=words)


def common_words(counts: Counts) -> tuple[str, ...]:
    """Terms of more than half of the documents whose ig is above chance for no class."""
    common = np.flatnonzero(counts.term_df > MOST * counts.documents)
    if not len(common):
        return ()
    scores = score(counts, FOR_READING)
    floors = [scores.floor(1, name) for name in scores.classes]
    believed = [float("inf") if floor is None else floor for floor in floors]
    alike = (scores.values[common] < np.array(believed)).all(axis=1)
    return tuple(str(term) for term in counts.terms[common[alike]])


def told_words(words: tuple[str, ...]) -> str:
    """What is left out, in a line."""
    if not words:
        return "termsift: --stop-words auto: no word of most documents is used alike by all classes"
    return f"termsift: --stop-words auto leaves out {len(words):,}: {listed(words)}"
