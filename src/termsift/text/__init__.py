"""Analysis of texts into terms: tokenization, n-grams, stop words, stemming and HTML."""

from __future__ import annotations

from termsift.text.analyzer import (
    CHAR_ANALYZERS,
    DEFAULT_ANALYZER,
    DEFAULT_TOKEN_PATTERN,
    MAX_NGRAM,
    TOKEN_SEPARATOR,
    Analyzer,
    FullForms,
    find_complex_texts,
    has_token_pattern,
    load_stop_words,
    parse_analyzer,
    replace_surrogates,
    restore_full_forms,
    token_analyzer,
)
from termsift.text.characters import find_true_runs, is_unspaced, java_word_pattern, parse_run, pattern_mode
from termsift.text.html import plain_text
from termsift.text.lexicon import (
    NEWLINE,
    Lexicon,
    RankedTerms,
    grow_array,
    map_codes,
    map_codes_inplace,
    pack_terms,
)
from termsift.text.scanner import Bags, Scanner, ScannerPool, consume, preprocess_bytes

__all__ = [
    "CHAR_ANALYZERS",
    "DEFAULT_ANALYZER",
    "DEFAULT_TOKEN_PATTERN",
    "MAX_NGRAM",
    "NEWLINE",
    "TOKEN_SEPARATOR",
    "Analyzer",
    "Bags",
    "FullForms",
    "Lexicon",
    "RankedTerms",
    "Scanner",
    "ScannerPool",
    "consume",
    "find_complex_texts",
    "find_true_runs",
    "grow_array",
    "has_token_pattern",
    "is_unspaced",
    "java_word_pattern",
    "load_stop_words",
    "map_codes",
    "map_codes_inplace",
    "pack_terms",
    "parse_analyzer",
    "parse_run",
    "pattern_mode",
    "plain_text",
    "preprocess_bytes",
    "replace_surrogates",
    "restore_full_forms",
    "token_analyzer",
]
