"""A document becomes terms."""

from __future__ import annotations

from termsift.text.analyzer import (
    CHARACTERS,
    LONGEST_RUN,
    USUAL,
    WORD,
    Analyzer,
    analyzer_from,
    stop_words_of,
    without_surrogates,
)
from termsift.text.characters import spans
from termsift.text.html import plain_text
from termsift.text.lexicon import NEW_LINE, Lexicon, Ranked, longer, recode, recoded, terms_of
from termsift.text.scanner import Bags, Scanner, Scanners, drained, with_prepared
from termsift.text.word_patterns import is_run_together, java_words_pattern, known_pattern, run_of

__all__ = [
    "CHARACTERS",
    "LONGEST_RUN",
    "NEW_LINE",
    "USUAL",
    "WORD",
    "Analyzer",
    "Bags",
    "Lexicon",
    "Ranked",
    "Scanner",
    "Scanners",
    "analyzer_from",
    "drained",
    "is_run_together",
    "java_words_pattern",
    "known_pattern",
    "longer",
    "plain_text",
    "recode",
    "recoded",
    "run_of",
    "spans",
    "stop_words_of",
    "terms_of",
    "with_prepared",
    "without_surrogates",
]
