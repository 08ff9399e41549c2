"""Columns as one Parquet file, and back: the one reader of what `Counts.save` writes, whoever wrote the file.

A column that is missing, or of another type than asked for, or has gaps, is an InvalidInputError without the
file's name, which the reader of the whole file adds. pyarrow is imported when a file is touched.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
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

# rows that each hold a term of their own take more bytes of a file than this part of one
ROWS_PER_BYTE = 100
DIGEST = "termsift.digest"


def write_parquet(path: str | Path, columns: Mapping[str, Any], metadata: Mapping[str, str]) -> None:
    """Write columns (anything pyarrow.array takes) as one Parquet file that appears whole or not at all."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        signed = dict(metadata) | {DIGEST: metadata_digest(metadata)}
        table = pa.table(dict(columns)).replace_schema_metadata(signed)
    except (pa.ArrowException, UnicodeError) as error:
        reason = " ".join(str(error).split())
        raise InvalidInputError(f"{path} cannot hold these terms: {reason}") from error
    with atomic_write(path) as temporary:
        pq.write_table(table, temporary, compression="zstd", write_page_checksum=True)


def parquet_metadata(path: str | Path) -> dict[str, str]:
    """The metadata of a Parquet file's schema, empty where there is none; what is not UTF-8 is left out."""
    source = require_file(path)
    if not has_mark(source):
        raise UnreadableFileError(f"{path} is not a Parquet file, or is damaged")
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with source.open("rb") as file:
            found = pq.read_schema(file).metadata or {}
    except (pa.ArrowException, OSError, UnicodeError) as error:
        raise UnreadableFileError(f"{path} is not a Parquet file, or is damaged") from error
    texts = {decoded(key): decoded(value) for key, value in found.items() if not key.startswith(b"ARROW")}
    return {key: value for key, value in texts.items() if key is not None and value is not None}


def check_metadata(metadata: Mapping[str, str]) -> None:
    """An error where the metadata is not what was written; files of before have no digest."""
    if metadata.get(DIGEST) not in (None, metadata_digest(metadata)):
        raise InvalidInputError("its metadata has another digest than it says")


def metadata_digest(metadata: Mapping[str, str]) -> str:
    """The SHA-256 of what termsift says in a file's metadata, as pages have checksums of their own."""
    own = sorted(pair for pair in metadata.items() if pair[0].startswith("termsift.") and pair[0] != DIGEST)
    return sha256(json.dumps(own).encode()).hexdigest()


def has_mark(path: Path) -> bool:
    """Whether a file begins as every Parquet file does, known without pyarrow, whose reader is large."""
    try:
        with path.open("rb") as file:
            return file.read(4) == b"PAR1"
    except OSError:
        return False


def decoded(raw: bytes) -> str | None:
    """The bytes as text, None where they are not UTF-8."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None


def load_parquet(path: str | Path) -> Any:
    """The file as a pyarrow.Table of valid arrays; the checksums of its pages are compared, if it has any."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with Path(path).open("rb") as file:
            whole = pq.ParquetFile(file, page_checksum_verification=True)
            if whole.metadata.num_rows > ROWS_PER_BYTE * Path(path).stat().st_size:
                raise UnreadableFileError(f"{path} is damaged: it has fewer bytes than rows")
            table = whole.read()
        table.validate(full=True)
    except (pa.ArrowException, OSError, UnicodeError) as error:
        if isinstance(error, UnreadableFileError):
            raise
        raise UnreadableFileError(f"{path} is not a Parquet file, or is damaged") from error
    return table


def text_column(table: Any, name: str) -> list[str]:
    """A column of texts."""
    import pyarrow as pa

    column = column_of(table, name)
    is_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    # of no terms at all Arrow knows no type
    if len(column) and not is_text:
        raise InvalidInputError(f"its column {name!r} holds {column.type}, not texts")
    texts: list[str] = column.to_pylist()
    return texts


def number_column(table: Any, name: str) -> Array:
    """A column of numbers, as int64 or float64."""
    return numbers(column_of(table, name), name)


def list_column(table: Any, name: str) -> tuple[Array, Array]:
    """A column of lists of numbers: where each list begins, and the end; and the numbers of all lists."""
    import pyarrow as pa

    column = column_of(table, name)
    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
        raise InvalidInputError(f"its column {name!r} holds {column.type}, not lists")
    joined = column.combine_chunks()
    values, offsets = joined.flatten(), joined.offsets.to_numpy()
    if values.null_count:
        raise InvalidInputError(f"its column {name!r} has missing values")
    return offsets - offsets[0], numbers(values, name)


def column_of(table: Any, name: str) -> Any:
    """The one column of that name, without missing values."""
    times = table.column_names.count(name)
    if times != 1:
        raise InvalidInputError(f"it has {'several columns' if times else 'no column'} {name!r}")
    column = table[name]
    if column.null_count:
        raise InvalidInputError(f"its column {name!r} has missing values")
    return column


def numbers(values: Any, name: str) -> Array:
    """Arrow numbers without missing ones as int64 or float64."""
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
    """An Arrow column of lists: row i holds values[offsets[i]:offsets[i + 1]]."""
    import pyarrow as pa

    return pa.LargeListArray.from_arrays(offsets.astype(np.int64), pa.array(values))


def encode_values(values: list[Any]) -> str:
    """Scalars of one type, with their type, as text that fits a file's metadata."""
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
    """The scalars that `encode_values` wrote, of a key of a file's metadata."""
    import pyarrow as pa

    if key not in metadata:
        raise InvalidInputError(f"it says nothing of {key!r}")
    try:
        with pa.ipc.open_stream(base64.b64decode(metadata[key], validate=True)) as stream:
            table = stream.read_all()
        table.validate(full=True)
        column = column_or_nulls(table)
        values: list[Any] = column.to_pylist()
    # of what lies behind a date or a zone that cannot be, Python says it in its own ways
    except (pa.ArrowException, OSError, ValueError, LookupError, OverflowError) as error:
        raise InvalidInputError(f"what it says of {key!r} cannot be read") from error
    return values


def column_or_nulls(table: Any) -> Any:
    """The only column of a table, of plain scalars."""
    import pyarrow as pa

    if table.column_names != ["values"] or pa.types.is_nested(table.column(0).type):
        raise InvalidInputError("there is more than a list of values")
    if isinstance(table.column(0).type, pa.BaseExtensionType | pa.DictionaryType):
        raise InvalidInputError("there are values of an unknown type")
    return table.column(0)


FORMAT = 1
SUMS = ("df", "tf", "tf2")
SLACK = 1e-6  # what rounding can make of sums of weights, as a share of them


def load_counts_fields(path: str) -> tuple[Any, ...]:
    """The fields of the Counts that a file holds, in their order; an error that names the file for any other.

    Lengths, types, indices, order, range, and what sums of documents must have in common are checked.
    """
    metadata = parquet_metadata(path)
    check_version(path, metadata.get("termsift.counts"))
    try:
        check_metadata(metadata)
        return counts_fields(metadata, load_parquet(path))
    except InvalidInputError as error:
        raise UnreadableFileError(f"{path} is damaged, or not what termsift wrote: {error}") from error


def check_version(path: str, version: str | None) -> None:
    """An error unless the file is of counts, in a format that is known."""
    if version is None:
        raise UnreadableFileError(f"{path} is a Parquet file, but not one of termsift's counts")
    if not (version.isascii() and version.isdigit()) or len(version) > 9 or version == "0":
        raise UnreadableFileError(f"{path} is damaged: its format is {version!r}, which is no number")
    if int(version) > FORMAT:
        raise UnreadableFileError(
            f"{path} has format {version} and this termsift reads up to {FORMAT}; upgrade termsift"
        )


def counts_fields(metadata: Mapping[str, str], table: Any) -> tuple[Any, ...]:
    """The fields of Counts from a file's metadata and its columns."""
    terms = as_term_array(text_column(table, "term"))
    if len(set(terms)) < len(terms):
        raise InvalidInputError("it has a term twice")
    classes = checked_classes(decode_values(metadata, "termsift.classes"))
    documents, sizes = checked_sizes(metadata, len(classes))
    tables = tables_by_class(table, (len(terms), len(classes)))
    totals = [checked_sums(name, number_column(table, name)) for name in SUMS]
    check_agreement(documents, sizes, tables, totals)
    return terms, classes, documents, sizes, *tables, *totals, checked_analyzer(metadata)


def checked_classes(names: list[Any]) -> tuple[Any, ...]:
    """The names of classes: scalars of one kind, each once, in any order."""
    if any(is_missing(name) or is_collection(name) for name in names):
        raise InvalidInputError("a class has no name")
    if len(sort_classes(names)) < len(names):
        raise InvalidInputError("it has a class twice")
    return tuple(names)


def checked_sizes(metadata: Mapping[str, str], n_classes: int) -> tuple[float, Array]:
    """The number of documents, and of those of each class, which are not more."""
    sizes = sums_of("termsift.class_sizes", metadata)
    documents = sums_of("termsift.documents", metadata)
    if documents.shape != (1,) or sizes.shape != (n_classes,):
        raise InvalidInputError(f"it has {n_classes} classes, and the sizes of {len(sizes)}")
    if bool((sizes > documents[0] * (1 + SLACK)).any()):
        raise InvalidInputError(f"a class has more documents than the {documents[0]} there are")
    return to_exact_number(documents[0]), sizes


def sums_of(key: str, metadata: Mapping[str, str]) -> Array:
    """A list of numbers of the metadata."""
    values = decode_values(metadata, key)
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        raise InvalidInputError(f"{key!r} are not numbers")
    if any(abs(value) > MAX_EXACT for value in values):
        raise InvalidInputError(f"{key!r} are beyond 2**53")
    return checked_sums(key, np.array(values, dtype=np.float64))


def checked_sums(name: str, values: Array) -> Array:
    """Sums in their one form, if they are numbers from 0 to 2**53; squares may be as large as its square."""
    most = MAX_EXACT**2 if name.endswith("tf2") else MAX_EXACT
    if not (values.min(initial=0) >= 0 and values.max(initial=0) <= most):
        raise InvalidInputError(f"{name!r} has numbers below 0, above 2**53 or not finite")
    return to_exact_dtype(values)


def tables_by_class(table: Any, shape: tuple[int, int]) -> list[csr_array[Any]]:
    """df, tf and tf2 by term and class, with one pattern: in each row the classes rise."""
    starts, places = list_column(table, "class")
    if places.dtype.kind != "i":
        raise InvalidInputError("its column 'class' holds fractions")
    rising = np.concatenate([[True], places[1:] > places[:-1], [True]])
    rising[starts] = True  # whatever the row before ends with
    if not rising[: len(places)].all():
        raise InvalidInputError("the classes of a term do not rise")
    tables = []
    for name in SUMS:
        own_starts, values = list_column(table, f"class_{name}")
        if not np.array_equal(own_starts, starts):
            raise InvalidInputError(f"its column 'class_{name}' has lists of other lengths than 'class'")
        data = checked_sums(f"class_{name}", values)
        tables.append(csr_array((data, places, starts), shape=shape))
    check_index_bounds(tables[0], tables[0].indices, shape[1])
    return tables


def checked_analyzer(metadata: Mapping[str, str]) -> str | None:
    """How texts became terms, where the file says so."""
    named = decode_values(metadata, "termsift.analyzer")
    if len(named) != 1 or not (named[0] is None or isinstance(named[0], str)):
        raise InvalidInputError("its analyzer is no text")
    return named[0]


def check_agreement(
    documents: float, sizes: Array, tables: list[csr_array[Any]], totals: list[Array]
) -> None:
    """An error unless there can be documents, with weights and several labels or none, of these sums."""
    df, rows = tables[0], np.repeat(np.arange(len(totals[0])), np.diff(tables[0].indptr))
    for name, table, total in zip(SUMS, tables, totals, strict=True):
        check_at_most(f"a {name} of a class is above that of all", table.data, total[rows])
    check_at_most("a class has more documents with a term than documents", df.data, sizes[df.indices])
    check_at_most("a term is in more documents than there are", totals[0], np.array(documents, dtype=float))
    check_squares([table.data for table in tables])
    check_squares(totals)
    check_outside(documents, sizes, df, rows, totals[0])


def check_squares(sums: list[Array]) -> None:
    """An error unless the sums can be of counts: none or all are 0, and (sum w x)^2 <= sum w sum w x^2."""
    df, tf, tf2 = (part.astype(np.float64) for part in sums)
    if not (np.array_equal(df > 0, tf > 0) and np.array_equal(df > 0, tf2 > 0)):
        raise InvalidInputError("a term has documents without occurrences, or occurrences without documents")
    check_at_most("the squares of a term's counts are less than its counts allow", tf * tf, df * tf2)


def check_outside(documents: float, sizes: Array, df: csr_array[Any], rows: Array, term_df: Array) -> None:
    """An error unless there is room for the documents that neither are in a class nor hold a term.

    df(t) - df(t, c) documents outside a class hold the term, of N - N(c); where a class lacks the term that
    is df(t) of them. So each class with less room than df(t) must be among those that have the term.
    """
    room = documents * (1 + SLACK) - sizes
    what = "a term is in more documents outside a class than there are"
    check_at_most(what, term_df[rows] - df.data, room[df.indices])
    cramped = np.searchsorted(np.sort(room), term_df)
    having = np.bincount(rows, room[df.indices] < term_df[rows], len(term_df))
    if not np.array_equal(having, cramped):
        raise InvalidInputError(what)


def check_at_most(what: str, values: Array, limits: Array) -> None:
    """An error unless no value is above its limit, rounding aside."""
    if bool((values > limits * (1 + SLACK)).any()):
        raise InvalidInputError(what)
