"""The engine of files: read as a stream, counted in batches, within a bound of memory."""

from __future__ import annotations

from termsift.engines.arrow import coalesce_tables
from termsift.engines.files.columns import KEEP_PREFIX, ColumnSpec
from termsift.engines.files.counting import DEFAULT_MEMORY, SourceRows
from termsift.engines.files.delimited import detect_csv_layout, detect_tsv_layout
from termsift.engines.files.encodings import detect_encoding, warn_guessed_encodings
from termsift.engines.files.formats import Format, formats_by_extension, wrap_read_errors
from termsift.engines.files.opening import SourceFile, copy_pipe, format_extension, open_input_file, is_url, is_pipe
from termsift.engines.files.sources import (
    ZIP,
    Source,
    check_format,
    iter_file_batches,
    infer_format,
    open_source,
    parse_source,
)

__all__ = [
    "KEEP_PREFIX",
    "DEFAULT_MEMORY",
    "ZIP",
    "Format",
    "SourceFile",
    "Source",
    "SourceRows",
    "ColumnSpec",
    "check_format",
    "copy_pipe",
    "detect_csv_layout",
    "format_extension",
    "iter_file_batches",
    "detect_encoding",
    "infer_format",
    "open_source",
    "coalesce_tables",
    "open_input_file",
    "is_url",
    "is_pipe",
    "formats_by_extension",
    "parse_source",
    "wrap_read_errors",
    "detect_tsv_layout",
    "warn_guessed_encodings",
]
