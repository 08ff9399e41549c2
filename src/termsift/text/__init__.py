"""A document becomes terms."""

from __future__ import annotations

from termsift.text.analyzer import (
    CHAR_ANALYZERS,
    MAX_NGRAM,
    DEFAULT_ANALYZER,
    DEFAULT_TOKEN_PATTERN,
    Analyzer,
    parse_analyzer,
    load_stop_words,
    replace_surrogates,
)
from termsift.text.characters import find_true_runs
from termsift.text.html import plain_text
from termsift.text.lexicon import NEWLINE, Lexicon, RankedTerms, grow_array, map_codes_inplace, map_codes, pack_terms
from termsift.text.scanner import Bags, Scanner, ScannerPool, consume, preprocess_bytes
from termsift.text.word_patterns import is_unspaced, java_word_pattern, pattern_mode, parse_run

__all__ = [
    "CHAR_ANALYZERS",
    "MAX_NGRAM",
    "NEWLINE",
    "DEFAULT_ANALYZER",
    "DEFAULT_TOKEN_PATTERN",
    "Analyzer",
    "Bags",
    "Lexicon",
    "RankedTerms",
    "Scanner",
    "ScannerPool",
    "parse_analyzer",
    "consume",
    "is_unspaced",
    "java_word_pattern",
    "pattern_mode",
    "grow_array",
    "plain_text",
    "map_codes_inplace",
    "map_codes",
    "parse_run",
    "find_true_runs",
    "load_stop_words",
    "pack_terms",
    "preprocess_bytes",
    "replace_surrogates",
]
