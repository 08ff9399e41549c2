"""Local engine: files are read as a stream and counted in batches within a memory limit."""

from __future__ import annotations

from termsift.engines.files.columns import KEEP_PREFIX, ColumnSpec, coalesce_tables
from termsift.engines.files.counting import DEFAULT_MEMORY, SourceRows
from termsift.engines.files.delimited import detect_csv_layout, detect_tsv_layout
from termsift.engines.files.encodings import detect_encoding
from termsift.engines.files.opening import (
    SourceFile,
    copy_pipe,
    format_extension,
    is_pipe,
    is_url,
    open_input_file,
)
from termsift.engines.files.sources import (
    ZIP,
    Format,
    Source,
    check_format,
    formats_by_extension,
    infer_format,
    iter_file_batches,
    open_source,
    parse_source,
    wrap_read_errors,
)

__all__ = [
    "DEFAULT_MEMORY",
    "KEEP_PREFIX",
    "ZIP",
    "ColumnSpec",
    "Format",
    "Source",
    "SourceFile",
    "SourceRows",
    "check_format",
    "coalesce_tables",
    "copy_pipe",
    "detect_csv_layout",
    "detect_encoding",
    "detect_tsv_layout",
    "format_extension",
    "formats_by_extension",
    "infer_format",
    "is_pipe",
    "is_url",
    "iter_file_batches",
    "open_input_file",
    "open_source",
    "parse_source",
    "wrap_read_errors",
]
