"""Analysis of texts into terms: tokenization, n-grams, stop words, stemming and HTML."""

from __future__ import annotations

from termsift.text.analyzer import CHAR_ANALYZERS as CHAR_ANALYZERS
from termsift.text.analyzer import DEFAULT_ANALYZER as DEFAULT_ANALYZER
from termsift.text.analyzer import DEFAULT_TOKEN_PATTERN as DEFAULT_TOKEN_PATTERN
from termsift.text.analyzer import MAX_NGRAM as MAX_NGRAM
from termsift.text.analyzer import TOKEN_SEPARATOR as TOKEN_SEPARATOR
from termsift.text.analyzer import Analyzer as Analyzer
from termsift.text.analyzer import FullForms as FullForms
from termsift.text.analyzer import analyzer_for_joined_tokens as analyzer_for_joined_tokens
from termsift.text.analyzer import build_full_forms as build_full_forms
from termsift.text.analyzer import can_use_default_pattern as can_use_default_pattern
from termsift.text.analyzer import is_joined_token_analyzer as is_joined_token_analyzer
from termsift.text.analyzer import load_stop_words as load_stop_words
from termsift.text.analyzer import parse_analyzer as parse_analyzer
from termsift.text.analyzer import replace_surrogates as replace_surrogates
from termsift.text.characters import find_true_runs as find_true_runs
from termsift.text.characters import is_unspaced as is_unspaced
from termsift.text.characters import java_word_pattern as java_word_pattern
from termsift.text.characters import parse_run as parse_run
from termsift.text.characters import pattern_mode as pattern_mode
from termsift.text.html import plain_text as plain_text
from termsift.text.scanner import NEWLINE as NEWLINE
from termsift.text.scanner import Bags as Bags
from termsift.text.scanner import Lexicon as Lexicon
from termsift.text.scanner import RankedTerms as RankedTerms
from termsift.text.scanner import Scanner as Scanner
from termsift.text.scanner import ScannerPool as ScannerPool
from termsift.text.scanner import consume as consume
from termsift.text.scanner import grow_array as grow_array
from termsift.text.scanner import map_codes as map_codes
from termsift.text.scanner import map_codes_inplace as map_codes_inplace
from termsift.text.scanner import pack_terms as pack_terms
from termsift.text.scanner import preprocess_bytes as preprocess_bytes
