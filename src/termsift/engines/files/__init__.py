"""Local engine: files are read as a stream and counted in batches within a memory limit."""

from __future__ import annotations

from termsift.engines.files.columns import KEEP_PREFIX as KEEP_PREFIX
from termsift.engines.files.columns import ColumnSpec as ColumnSpec
from termsift.engines.files.columns import coalesce_tables as coalesce_tables
from termsift.engines.files.counting import DEFAULT_MEMORY as DEFAULT_MEMORY
from termsift.engines.files.counting import SourceRows as SourceRows
from termsift.engines.files.delimited import detect_csv_layout as detect_csv_layout
from termsift.engines.files.delimited import detect_tsv_layout as detect_tsv_layout
from termsift.engines.files.encodings import detect_encoding as detect_encoding
from termsift.engines.files.opening import SourceFile as SourceFile
from termsift.engines.files.opening import copy_pipe as copy_pipe
from termsift.engines.files.opening import format_extension as format_extension
from termsift.engines.files.opening import is_pipe as is_pipe
from termsift.engines.files.opening import is_url as is_url
from termsift.engines.files.opening import open_input_file as open_input_file
from termsift.engines.files.sources import FORMAT_BY_EXTENSION as FORMAT_BY_EXTENSION
from termsift.engines.files.sources import ZIP as ZIP
from termsift.engines.files.sources import Format as Format
from termsift.engines.files.sources import Source as Source
from termsift.engines.files.sources import check_format as check_format
from termsift.engines.files.sources import infer_common_format as infer_common_format
from termsift.engines.files.sources import iter_file_batches as iter_file_batches
from termsift.engines.files.sources import open_source as open_source
from termsift.engines.files.sources import parse_source as parse_source
from termsift.engines.files.sources import wrap_read_errors as wrap_read_errors
