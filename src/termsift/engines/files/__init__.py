"""The engine of files: read as a stream, counted in batches, within a bound of memory."""

from __future__ import annotations

from termsift.engines.arrow import gathered
from termsift.engines.files.columns import KEPT, WantedColumns
from termsift.engines.files.counting import MEMORY, SourceRows
from termsift.engines.files.delimited import csv_layout, tsv_layout
from termsift.engines.files.encodings import file_encoding, warn_of_guesses
from termsift.engines.files.formats import Format, known_endings, told_faults
from termsift.engines.files.opening import FoundFile, copy_pipe, ending, input_file, is_address, is_pipe
from termsift.engines.files.sources import (
    ZIP,
    Source,
    check_format,
    file_batches,
    file_format,
    found_files,
    source_of,
)

__all__ = [
    "KEPT",
    "MEMORY",
    "ZIP",
    "Format",
    "FoundFile",
    "Source",
    "SourceRows",
    "WantedColumns",
    "check_format",
    "copy_pipe",
    "csv_layout",
    "ending",
    "file_batches",
    "file_encoding",
    "file_format",
    "found_files",
    "gathered",
    "input_file",
    "is_address",
    "is_pipe",
    "known_endings",
    "source_of",
    "told_faults",
    "tsv_layout",
    "warn_of_guesses",
]
