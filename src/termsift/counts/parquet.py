"""Parquet file of counts: writing, loading, and validation of files from any source.

Errors of columns are InvalidInputError without the file's name, which `load_counts_fields` adds. pyarrow is
imported only when a file is read or written.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift._internal.errors import InvalidInputError, UnreadableFileError
from termsift._internal.files import atomic_write, require_file
from termsift._internal.matrices import check_index_bounds
from termsift._internal.typing import MAX_EXACT, Array, as_term_array, to_exact_dtype, to_exact_number
from termsift.counts.labels import is_collection, is_missing, sort_classes

FORMAT = 1
SUMS = ("df", "tf", "tf2")
DIGEST = "termsift.digest"
MAX_ROWS_PER_BYTE = 100  # rows with distinct terms need more bytes than this; else the file is a bomb
TOLERANCE = 1e-6  # rounding error of sums of weights, relative to them


def write_parquet(path: str | Path, columns: Mapping[str, Any], metadata: Mapping[str, str]) -> None:
    """Write columns (anything pyarrow.array takes) as one Parquet file, atomically."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        signed = dict(metadata) | {DIGEST: _compute_digest(metadata)}
        table = pa.table(dict(columns)).replace_schema_metadata(signed)
    except (pa.ArrowException, UnicodeError) as error:
        reason = " ".join(str(error).split())
        raise InvalidInputError(f"{path} cannot hold these terms: {reason}") from error
    with atomic_write(path) as temporary:
        pq.write_table(table, temporary, compression="zstd", write_page_checksum=True)


def parquet_metadata(path: str | Path) -> dict[str, str]:
    """Return the metadata of a Parquet file's schema, without entries that are not UTF-8."""
    source = require_file(path)
    if not _has_parquet_magic(source):
        raise UnreadableFileError(f"{path} is not a Parquet file, or is damaged")
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with source.open("rb") as file:
            metadata = pq.read_schema(file).metadata or {}
    except (pa.ArrowException, OSError, UnicodeError) as error:
        raise UnreadableFileError(f"{path} is not a Parquet file, or is damaged") from error
    texts = {}
    for key, value in metadata.items():
        with suppress(UnicodeDecodeError):
            if not key.startswith(b"ARROW"):
                texts[key.decode()] = value.decode()
    return texts


def _check_digest(metadata: Mapping[str, str]) -> None:
    """Check that the metadata has its digest, or none, as in older files."""
    if metadata.get(DIGEST) not in (None, _compute_digest(metadata)):
        raise InvalidInputError("the digest of its metadata does not match")


def _compute_digest(metadata: Mapping[str, str]) -> str:
    """Return the SHA-256 of termsift's metadata, which the checksums of pages do not cover."""
    entries = sorted(
        pair for pair in metadata.items() if pair[0].startswith("termsift.") and pair[0] != DIGEST
    )
    return sha256(json.dumps(entries).encode()).hexdigest()


def _has_parquet_magic(path: Path) -> bool:
    """Return whether a file begins as Parquet files do, without the import of pyarrow."""
    try:
        with path.open("rb") as file:
            return file.read(4) == b"PAR1"
    except OSError:
        return False


def load_parquet(path: str | Path) -> Any:
    """Return the file as a validated pyarrow.Table; checksums of its pages are compared."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with Path(path).open("rb") as file:
            parquet = pq.ParquetFile(file, page_checksum_verification=True)
            if parquet.metadata.num_rows > MAX_ROWS_PER_BYTE * Path(path).stat().st_size:
                raise UnreadableFileError(f"{path} is damaged: it has fewer bytes than rows")
            table = parquet.read()
        table.validate(full=True)
    except (pa.ArrowException, OSError, UnicodeError) as error:
        if isinstance(error, UnreadableFileError):
            raise
        raise UnreadableFileError(f"{path} is not a Parquet file, or is damaged") from error
    return table


def text_column(table: Any, name: str) -> list[str]:
    """Return a column of texts as a list."""
    import pyarrow as pa

    column = _find_column(table, name)
    is_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    # a column without terms has no type
    if len(column) and not is_text:
        raise InvalidInputError(f"its column {name!r} holds {column.type}, not texts")
    texts: list[str] = column.to_pylist()
    return texts


def number_column(table: Any, name: str) -> Array:
    """Return a column of numbers as int64 or float64."""
    return _to_numbers(_find_column(table, name), name)


def list_column(table: Any, name: str) -> tuple[Array, Array]:
    """Return the offsets of a column of lists of numbers, and the numbers of all lists."""
    import pyarrow as pa

    column = _find_column(table, name)
    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
        raise InvalidInputError(f"its column {name!r} holds {column.type}, not lists")
    array = column.combine_chunks()
    values, offsets = array.flatten(), array.offsets.to_numpy()
    if values.null_count:
        raise InvalidInputError(f"its column {name!r} has missing values")
    return offsets - offsets[0], _to_numbers(values, name)


def _find_column(table: Any, name: str) -> Any:
    """Return the only column of this name, if it has no missing values."""
    n_columns = table.column_names.count(name)
    if n_columns != 1:
        raise InvalidInputError(f"it has {'several columns' if n_columns else 'no column'} {name!r}")
    column = table[name]
    if column.null_count:
        raise InvalidInputError(f"its column {name!r} has missing values")
    return column


def _to_numbers(values: Any, name: str) -> Array:
    """Return Arrow numbers as int64 or float64."""
    import pyarrow as pa

    if not (pa.types.is_integer(values.type) or pa.types.is_floating(values.type)):
        raise InvalidInputError(f"its column {name!r} holds {values.type}, not numbers")
    try:
        wide = values.cast(pa.int64() if pa.types.is_integer(values.type) else pa.float64())
    except pa.ArrowInvalid as error:
        raise InvalidInputError(f"its column {name!r} has numbers beyond 64 bits") from error
    return np.asarray(
        wide.to_numpy() if isinstance(wide, pa.ChunkedArray) else wide.to_numpy(zero_copy_only=False)
    )


def build_list_array(offsets: Array, values: Array) -> Any:
    """Return an Arrow array of lists: row i holds values[offsets[i]:offsets[i + 1]]."""
    import pyarrow as pa

    return pa.LargeListArray.from_arrays(offsets.astype(np.int64), pa.array(values))


def encode_values(values: list[Any]) -> str:
    """Return scalars of one type, with their type, as text for a file's metadata."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    try:
        batch = pa.record_batch({"values": pa.array(values)})
    except (pa.ArrowException, OverflowError, UnicodeError) as error:
        raise InvalidInputError(f"a file cannot hold the class names {values[:3]}: {error}") from error
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    return base64.b64encode(sink.getvalue().to_pybytes()).decode()


def decode_values(metadata: Mapping[str, str], key: str) -> list[Any]:
    """Return the scalars that `encode_values` wrote for a key of a file's metadata."""
    import pyarrow as pa

    if key not in metadata:
        raise InvalidInputError(f"its metadata has no {key!r}")
    try:
        with pa.ipc.open_stream(base64.b64decode(metadata[key], validate=True)) as stream:
            table = stream.read_all()
        table.validate(full=True)
        column = _only_column(table)
        values: list[Any] = column.to_pylist()
    # an impossible date or time zone raises various errors of Python
    except (pa.ArrowException, OSError, ValueError, LookupError, OverflowError) as error:
        raise InvalidInputError(f"its metadata {key!r} cannot be read") from error
    return values


def _only_column(table: Any) -> Any:
    """Return the only column of a table, if it holds plain scalars."""
    import pyarrow as pa

    if table.column_names != ["values"] or pa.types.is_nested(table.column(0).type):
        raise InvalidInputError("it is not a list of values")
    if isinstance(table.column(0).type, pa.BaseExtensionType | pa.DictionaryType):
        raise InvalidInputError("there are values of an unknown type")
    return table.column(0)


def load_counts_fields(path: str) -> tuple[Any, ...]:
    """Return the fields of the Counts in a file, in their order.

    Lengths, types, indices, order, ranges and the relations between sums are validated.
    """
    metadata = parquet_metadata(path)
    _check_version(path, metadata.get("termsift.counts"))
    try:
        _check_digest(metadata)
        return _parse_fields(metadata, load_parquet(path))
    except InvalidInputError as error:
        raise UnreadableFileError(f"{path} is damaged, or not written by termsift: {error}") from error


def _check_version(path: str, version: str | None) -> None:
    """Check that the file holds counts, in a format that this version reads."""
    if version is None:
        raise UnreadableFileError(f"{path} is a Parquet file, but not one of termsift's counts")
    if not (version.isascii() and version.isdigit()) or len(version) > 9 or version == "0":
        raise UnreadableFileError(f"{path} is damaged: its format is {version!r}, not a number")
    if int(version) > FORMAT:
        raise UnreadableFileError(
            f"{path} has format {version} and this termsift reads up to {FORMAT}; upgrade termsift"
        )


def _parse_fields(metadata: Mapping[str, str], table: Any) -> tuple[Any, ...]:
    """Return the fields of Counts from a file's metadata and columns."""
    terms = as_term_array(text_column(table, "term"))
    if len(set(terms)) < len(terms):
        raise InvalidInputError("it has a term twice")
    classes = _validate_classes(decode_values(metadata, "termsift.classes"))
    documents, sizes = _parse_sizes(metadata, len(classes))
    tables = _parse_class_tables(table, (len(terms), len(classes)))
    totals = [_validate_sums(name, number_column(table, name)) for name in SUMS]
    check_agreement(documents, sizes, tables, totals)
    return terms, classes, documents, sizes, *tables, *totals, _parse_analyzer(metadata)


def _validate_classes(names: list[Any]) -> tuple[Any, ...]:
    """Return the class names, if they are distinct scalars of one kind; in any order."""
    if any(is_missing(name) or is_collection(name) for name in names):
        raise InvalidInputError("a class has no name")
    if len(sort_classes(names)) < len(names):
        raise InvalidInputError("it has a class twice")
    return tuple(names)


def _parse_sizes(metadata: Mapping[str, str], n_classes: int) -> tuple[float, Array]:
    """Return the number of documents, and that of each class, which may not be larger."""
    sizes = _parse_sums("termsift.class_sizes", metadata)
    documents = _parse_sums("termsift.documents", metadata)
    if documents.shape != (1,) or sizes.shape != (n_classes,):
        raise InvalidInputError(f"it has {n_classes} classes, but {len(sizes)} class sizes")
    if bool((sizes > documents[0] * (1 + TOLERANCE)).any()):
        raise InvalidInputError(f"a class has more than all {documents[0]} documents")
    return to_exact_number(documents[0]), sizes


def _parse_sums(key: str, metadata: Mapping[str, str]) -> Array:
    """Return a list of numbers in the metadata."""
    values = decode_values(metadata, key)
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        raise InvalidInputError(f"{key!r} are not numbers")
    if any(abs(value) > MAX_EXACT for value in values):
        raise InvalidInputError(f"{key!r} are beyond 2**53")
    return _validate_sums(key, np.array(values, dtype=np.float64))


def _validate_sums(name: str, values: Array) -> Array:
    """Return sums with their exact dtype, if they are from 0 to 2**53, or to its square for tf2."""
    limit = MAX_EXACT**2 if name.endswith("tf2") else MAX_EXACT
    if not (values.min(initial=0) >= 0 and values.max(initial=0) <= limit):
        raise InvalidInputError(f"{name!r} has numbers below 0, above 2**53 or not finite")
    return to_exact_dtype(values)


def _parse_class_tables(table: Any, shape: tuple[int, int]) -> list[csr_array[Any]]:
    """Return df, tf and tf2 by term and class, with one sparsity pattern and ascending classes."""
    starts, columns = list_column(table, "class")
    if columns.dtype.kind != "i":
        raise InvalidInputError("its column 'class' holds fractions")
    is_ascending = np.concatenate([[True], columns[1:] > columns[:-1], [True]])
    is_ascending[starts] = True  # the first class of a row need not follow the row before
    if not is_ascending[: len(columns)].all():
        raise InvalidInputError("the classes of a term are not ascending")
    tables = []
    for name in SUMS:
        sum_starts, values = list_column(table, f"class_{name}")
        if not np.array_equal(sum_starts, starts):
            raise InvalidInputError(f"its column 'class_{name}' has lists of other lengths than 'class'")
        data = _validate_sums(f"class_{name}", values)
        tables.append(csr_array((data, columns, starts), shape=shape))
    check_index_bounds(tables[0], tables[0].indices, shape[1])
    return tables


def _parse_analyzer(metadata: Mapping[str, str]) -> str | None:
    """Return the analyzer's name, or None."""
    values = decode_values(metadata, "termsift.analyzer")
    if len(values) != 1 or not (values[0] is None or isinstance(values[0], str)):
        raise InvalidInputError("its analyzer is not a text")
    return values[0]


def check_agreement(
    documents: float, sizes: Array, tables: list[csr_array[Any]], totals: list[Array]
) -> None:
    """Check that some documents, with any weights and labels, can have these sums."""
    df, rows = tables[0], np.repeat(np.arange(len(totals[0])), np.diff(tables[0].indptr))
    for name, table, total in zip(SUMS, tables, totals, strict=True):
        _check_upper_bounds(f"a {name} of a class is above that of all", table.data, total[rows])
    _check_upper_bounds("a class has more documents with a term than documents", df.data, sizes[df.indices])
    _check_upper_bounds(
        "a term is in more documents than there are", totals[0], np.array(documents, dtype=float)
    )
    _check_squares([table.data for table in tables])
    _check_squares(totals)
    _check_outside(documents, sizes, df, rows, totals[0])


def _check_squares(sums: list[Array]) -> None:
    """Check that none or all sums of a term are 0, and Cauchy-Schwarz: (sum w x)^2 <= sum w sum w x^2."""
    df, tf, tf2 = (values.astype(np.float64) for values in sums)
    if not (np.array_equal(df > 0, tf > 0) and np.array_equal(df > 0, tf2 > 0)):
        raise InvalidInputError("a term has documents without occurrences, or occurrences without documents")
    _check_upper_bounds("the squares of a term's counts are less than its counts allow", tf * tf, df * tf2)


def _check_outside(documents: float, sizes: Array, df: csr_array[Any], rows: Array, term_df: Array) -> None:
    """Check that enough documents are outside a class for those with a term outside it.

    df(t) - df(t, c) of the N - N(c) documents outside a class contain the term; all df(t) if the class lacks
    it. So every class with N - N(c) < df(t) must be among those that contain the term.
    """
    n_outside = documents * (1 + TOLERANCE) - sizes
    message = "a term is in more documents outside a class than there are"
    _check_upper_bounds(message, term_df[rows] - df.data, n_outside[df.indices])
    n_required = np.searchsorted(np.sort(n_outside), term_df)
    n_containing = np.bincount(rows, n_outside[df.indices] < term_df[rows], len(term_df))
    if not np.array_equal(n_containing, n_required):
        raise InvalidInputError(message)


def _check_upper_bounds(message: str, values: Array, limits: Array) -> None:
    """Check that no value is above its limit, with tolerance for rounding."""
    if bool((values > limits * (1 + TOLERANCE)).any()):
        raise InvalidInputError(message)
