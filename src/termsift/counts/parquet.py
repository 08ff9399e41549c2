"""Parquet file of counts: writing, loading, and validation of files from any source.

`_internal/saved.py` has the checks that saved counts share with models and selections. pyarrow is imported
only when a file is read or written.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift._internal.errors import InvalidInputError, UnreadableFileError
from termsift._internal.files import atomic_write, require_file
from termsift._internal.saved import (
    check_format_version,
    check_range,
    check_sparse,
    check_terms,
    translate_invalid_data,
)
from termsift._internal.typing import MAX_EXACT, Array, to_exact_dtype, to_exact_number
from termsift.counts.labels import is_collection, is_missing, sort_classes

FORMAT = 1
SUMS = ("df", "tf", "tf2")
DIGEST = "termsift.digest"
MAX_ROWS_PER_BYTE = 100  # rows with distinct terms need more bytes than this; else the file is a bomb
BLOCK = 1 << 13  # terms whose sums are compared at once
TOLERANCE = 1e-6  # rounding error of sums of weights, relative to them


def save_counts(counts: Any, path: str, extra_metadata: Mapping[str, str]) -> None:
    """Write Counts as one Parquet file, atomically."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    def list_array(values: Array) -> Any:
        return pa.LargeListArray.from_arrays(counts.df.indptr.astype(np.int64), pa.array(values))

    metadata = {
        "termsift.counts": str(FORMAT),
        "termsift.classes": encode_values(list(counts.classes)),
        "termsift.class_sizes": encode_values(counts.class_sizes.tolist()),
        "termsift.documents": encode_values([counts.documents]),
        "termsift.analyzer": encode_values([counts.analyzer]),
    } | dict(extra_metadata)
    columns = {"term": counts.terms.tolist()} | {name: getattr(counts, f"term_{name}") for name in SUMS}
    columns["class"] = list_array(counts.df.indices.astype(np.int32))
    columns |= {f"class_{name}": list_array(getattr(counts, name).data) for name in SUMS}
    try:
        table = pa.table(columns).replace_schema_metadata(metadata | {DIGEST: _compute_digest(metadata)})
    except (pa.ArrowException, UnicodeError) as error:
        reason = " ".join(str(error).split())
        raise InvalidInputError(f"these terms cannot be saved to {path}: {reason}") from error
    with atomic_write(path) as temporary:
        pq.write_table(table, temporary, compression="zstd", write_page_checksum=True)


def _compute_digest(metadata: Mapping[str, str]) -> str:
    """Return the SHA-256 of termsift's metadata, which the checksums of pages do not cover."""
    entries = sorted((k, v) for k, v in metadata.items() if k.startswith("termsift.") and k != DIGEST)
    return sha256(json.dumps(entries).encode()).hexdigest()


def encode_values(values: list[Any]) -> str:
    """Return scalars of one type, with their type, as text for a file's metadata."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    try:
        batch = pa.record_batch({"values": pa.array(values)})
    except (pa.ArrowException, OverflowError, UnicodeError) as error:
        raise InvalidInputError(f"class names such as {values[:3]} cannot be saved: {error}") from error
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
        # lists, and values of types that only another library can decode, are not plain scalars
        is_plain = table.column_names == ["values"] and not pa.types.is_nested(table.column(0).type)
        if not is_plain or isinstance(table.column(0).type, pa.BaseExtensionType | pa.DictionaryType):
            raise ValueError("it is not a list of scalars")
        values: list[Any] = table.column(0).to_pylist()
    # an impossible date or time zone raises various errors of Python
    except (pa.ArrowException, OSError, ValueError, LookupError, OverflowError) as error:
        raise InvalidInputError(f"its metadata {key!r} cannot be read") from error
    return values


def decode_optional_text(metadata: Mapping[str, str], key: str) -> str | None:
    """Return the only text, or None, that `encode_values` wrote for a key of a file's metadata."""
    values = decode_values(metadata, key)
    if len(values) != 1 or not (values[0] is None or isinstance(values[0], str)):
        raise InvalidInputError(f"its metadata {key!r} is not a str")
    return values[0]


def parquet_metadata(path: str | Path) -> dict[str, str]:
    """Return the metadata of a Parquet file's schema, without entries that are not UTF-8."""
    source = require_file(path)
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


def load_counts_fields(path: str) -> tuple[Any, ...]:
    """Return the fields of the Counts in a file, in their order.

    Lengths, types, indices, order, ranges and the relations between sums are validated.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    metadata = parquet_metadata(path)
    version = metadata.get("termsift.counts")
    if version is None:
        raise UnreadableFileError(f"{path} is a Parquet file, but does not contain termsift counts")
    number = int(version) if re.fullmatch("[0-9]{1,9}", version) else version
    check_format_version(number, FORMAT, path, f"{path} is damaged: its format is {version!r}", "count again")
    try:
        with (
            translate_invalid_data(f"{path} is damaged, or not written by termsift", "; count again"),
            Path(path).open("rb") as file,
        ):
            # older files have no digest
            if metadata.get(DIGEST) not in (None, _compute_digest(metadata)):
                raise InvalidInputError("the digest of its metadata does not match")
            parquet = pq.ParquetFile(file, page_checksum_verification=True)
            if parquet.metadata.num_rows > MAX_ROWS_PER_BYTE * Path(path).stat().st_size:
                raise InvalidInputError("it has too many rows for its size")
            return _parse_fields(metadata, parquet)
    except UnreadableFileError:
        raise
    except (pa.ArrowException, OSError, UnicodeError) as error:
        raise UnreadableFileError(f"{path} is not a Parquet file, or is damaged") from error


def _parse_fields(metadata: Mapping[str, str], parquet: Any) -> tuple[Any, ...]:
    """Return the fields of Counts from a file's metadata and columns."""
    import pyarrow as pa

    column = _read_column(parquet, "term")
    # a column without terms has no type
    if len(column) and not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        raise InvalidInputError(f"its column 'term' holds {column.type}, not str")
    terms = check_terms(column.to_pylist())
    # in any order, because classes of counts that were not added need not be sorted
    classes = tuple(decode_values(metadata, "termsift.classes"))
    if any(is_missing(name) or is_collection(name) for name in classes):
        raise InvalidInputError("a class has no name")
    if len(sort_classes(classes)) < len(classes):
        raise InvalidInputError("two of its classes have the same name")
    sizes = _validate_sums("class_sizes", np.array(decode_values(metadata, "termsift.class_sizes")))
    documents = _validate_sums("documents", np.array(decode_values(metadata, "termsift.documents")))
    if documents.shape != (1,) or sizes.shape != (len(classes),):
        raise InvalidInputError(f"it has {len(classes)} classes, but {len(sizes)} class sizes")
    _check_upper_bounds(f"a class has more documents than the total of {documents[0]}", sizes, documents)
    tables = _parse_class_tables(parquet, (len(terms), len(classes)))
    totals = [_validate_sums(name, _to_numbers(_read_column(parquet, name), name)) for name in SUMS]
    n_documents = to_exact_number(documents[0])
    for start in range(0, max(len(terms), 1), BLOCK):
        rows = slice(start, start + BLOCK)
        check_sums_agree(n_documents, sizes, [t[rows] for t in tables], [t[rows] for t in totals])
    analyzer = decode_optional_text(metadata, "termsift.analyzer")
    return terms, classes, n_documents, sizes, *tables, *totals, analyzer


def _read_column(parquet: Any, name: str) -> Any:
    """Return the only column of this name, if it has no missing values."""
    import pyarrow as pa

    n_columns = parquet.schema_arrow.names.count(name)
    if n_columns != 1:
        raise InvalidInputError(f"it has {'several columns' if n_columns else 'no column'} {name!r}")
    # one column at a time, so that the whole file is never in memory beside its counts
    column = parquet.read(columns=[name])[name]
    column.validate(full=True)
    # pyarrow 17 reads a damaged page as an empty one
    if column.null_count or len(column) != parquet.metadata.num_rows:
        raise InvalidInputError(f"its column {name!r} has missing values")
    pa.default_memory_pool().release_unused()  # of the column before
    return column.combine_chunks()


def _to_numbers(values: Any, name: str) -> Array:
    """Return Arrow numbers as int64 or float64."""
    import pyarrow as pa

    if not (pa.types.is_integer(values.type) or pa.types.is_floating(values.type)):
        raise InvalidInputError(f"its column {name!r} holds {values.type}, not numbers")
    try:
        wide = values.cast(pa.int64() if pa.types.is_integer(values.type) else pa.float64())
    except pa.ArrowInvalid as error:
        raise InvalidInputError(f"its column {name!r} has numbers beyond 64 bits") from error
    return _as_array(wide)


def _as_array(numbers: Any) -> Array:
    """Return Arrow numbers of 64 bits without missing values as an array; `to_numpy` would import pandas."""
    dtype = np.dtype(str(numbers.type).replace("double", "float64"))
    if not len(numbers):
        return np.zeros(0, dtype)
    # a copy, because pyarrow keeps the memory of its arrays
    return np.frombuffer(numbers.buffers()[1], dtype, len(numbers), 8 * numbers.offset).copy()


def _validate_sums(name: str, values: Array) -> Array:
    """Return sums with their exact dtype, if they are from 0 to 2**53, or to its square for tf2."""
    return to_exact_dtype(check_range(values, name, 0, MAX_EXACT**2 if name.endswith("tf2") else MAX_EXACT))


def _parse_class_tables(parquet: Any, shape: tuple[int, int]) -> list[csr_array[Any]]:
    """Return df, tf and tf2 by term and class, with one sparsity pattern and ascending classes."""
    starts, columns = _read_offsets_and_values(parquet, "class")
    is_ascending = np.concatenate([[True], columns[1:] > columns[:-1], [True]])
    is_ascending[starts] = True  # the first class of a row need not follow the row before
    if not is_ascending[: len(columns)].all():
        raise InvalidInputError("the class indices of a term are not ascending")
    tables = []
    for name in SUMS:
        sum_starts, values = _read_offsets_and_values(parquet, f"class_{name}")
        if not np.array_equal(sum_starts, starts):
            raise InvalidInputError(f"lists in its columns 'class_{name}' and 'class' differ in length")
        data = _validate_sums(f"class_{name}", values)
        tables.append(check_sparse(starts, columns, data, shape, "class"))
    return tables


def _read_offsets_and_values(parquet: Any, name: str) -> tuple[Array, Array]:
    """Return the offsets of a column of lists of numbers, and the numbers of all lists."""
    import pyarrow as pa

    column = _read_column(parquet, name)
    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
        raise InvalidInputError(f"its column {name!r} holds {column.type}, not lists")
    values, offsets = column.flatten(), _as_array(column.offsets.cast(pa.int64()))
    if values.null_count:
        raise InvalidInputError(f"its column {name!r} has missing values")
    return offsets - offsets[0], _to_numbers(values, name)


def check_sums_agree(
    n_documents: float, class_sizes: Array, tables: list[csr_array[Any]], term_totals: list[Array]
) -> None:
    """Check that some documents, with any weights and labels, can have these sums."""
    df, term_df = tables[0], term_totals[0]
    rows = np.repeat(np.arange(len(term_df)), np.diff(df.indptr))
    for name, table, total in zip(SUMS, tables, term_totals, strict=True):
        _check_upper_bounds(f"a {name} of a class exceeds the total {name}", table.data, total[rows])
    _check_upper_bounds("a class has fewer documents than contain a term", df.data, class_sizes[df.indices])
    _check_upper_bounds("a term is in more than all documents", term_df, np.array(float(n_documents)))
    for sums in ([table.data for table in tables], term_totals):
        n, x, xx = (values.astype(np.float64) for values in sums)
        if not (np.array_equal(n > 0, x > 0) and np.array_equal(n > 0, xx > 0)):
            raise InvalidInputError("a term has documents without occurrences, or vice versa")
        # Cauchy-Schwarz: (sum w x)^2 <= sum w sum w x^2
        _check_upper_bounds("the sum of a term's squared counts is too small for its counts", x * x, n * xx)
    # df(t) - df(t, c) of the N - N(c) documents outside a class contain the term; all df(t) if the class
    # lacks it. So every class with N - N(c) < df(t) must be among those that contain the term.
    n_outside = n_documents * (1 + TOLERANCE) - class_sizes
    message = "a term is in more documents outside a class than the corpus has there"
    _check_upper_bounds(message, term_df[rows] - df.data, n_outside[df.indices])
    n_required = np.searchsorted(np.sort(n_outside), term_df)
    n_containing = np.bincount(rows, n_outside[df.indices] < term_df[rows], len(term_df))
    if not np.array_equal(n_containing, n_required):
        raise InvalidInputError(message)


def _check_upper_bounds(message: str, values: Array, limits: Array) -> None:
    """Check that no value is above its limit, with tolerance for rounding."""
    if bool((values > limits * (1 + TOLERANCE)).any()):
        raise InvalidInputError(message)
