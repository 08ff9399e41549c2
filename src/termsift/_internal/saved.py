"""Saved data: models, selections and counts; everything that is read is untrusted.

The checks are shared by all three. A selection is JSON, counts are Parquet, and a model is an archive.

An archive is an uncompressed zip file of `data.json` and of arrays as .npy files: one file is written at once
or not at all, other programs can open it, its checksums reveal damage, and nothing in it can unpack to more
than the size of the file.
"""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from math import prod
from operator import lt
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from termsift._internal.errors import InvalidInputError, TermsiftError, UnreadableFileError
from termsift._internal.files import atomic_write, require_file, translate_read_errors
from termsift._internal.resources import check_memory
from termsift._internal.typing import Array, as_term_array

DOCUMENT = "data.json"
MAX_FILE_BYTES = 1 << 31
MAX_JSON_BYTES = 8 << 20  # values of Python take up to 20 times as much memory
MAX_MEMBERS, MAX_DIRECTORY_BYTES = 32, 1 << 13
MAX_DIMENSIONS = 2
MAX_MAGNITUDE = 1e50  # products of a few values, and their squares, do not overflow
END_OF_DIRECTORY = struct.Struct("<4s4H2LH")
# the header that NumPy writes; nothing in it is evaluated
NPY_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00(?P<length>..)\{'descr': '(?P<dtype><f8|<i8|<i4|\|u1)', 'fortran_order': False, "
    rb"'shape': \((?P<shape>[0-9, ]{0,40})\), \} *\n",
    re.DOTALL,
)
FIRST_DATE = (1980, 1, 1, 0, 0, 0)  # the same content gives the same bytes at any time


def parse_json(content: str | bytes, failure: str, *, allow_non_finite: bool = False) -> dict[str, Any]:
    """Return the object that JSON contains; `failure` begins the message of an error.

    has_infinity : whether Infinity and NaN, which are not JSON, are numbers
    """
    try:
        # int refuses NaN and infinity
        values = json.loads(content, parse_constant=float if allow_non_finite else int)
    except UnicodeDecodeError as error:
        raise UnreadableFileError(f"{failure}: it is not UTF-8") from error
    # Python's parser gives up on deep nesting and on numbers with thousands of digits
    except (ValueError, RecursionError) as error:
        raise UnreadableFileError(f"{failure}: it is not JSON") from error
    if not isinstance(values, dict):
        raise UnreadableFileError(failure)
    return values


@contextmanager
def translate_invalid_data(failure: str, remedy: str = "") -> Iterator[None]:
    """Raise errors of the checks as UnreadableFileError; `failure` begins the message, `remedy` ends it."""
    try:
        yield
    except TermsiftError as error:
        raise UnreadableFileError(f"{failure}: {error}{remedy}") from error


def check_format_version(version: Any, supported: int, name: str, failure: str, remedy: str) -> None:
    """Check the version number of a format; `remedy` is for a format that is no longer read."""
    if type(version) is not int or version < 1:
        raise UnreadableFileError(failure)
    if version != supported:
        remedy = "upgrade termsift" if version > supported else remedy
        message = f"{name} has format {version} and this version of termsift supports {supported}; {remedy}"
        raise UnreadableFileError(message)


def check_list(values: Any, name: str, is_valid: Callable[[Any], bool], size: int | None = None) -> list[Any]:
    """Return a list whose values, and number, are valid."""
    if not isinstance(values, list) or (size is not None and len(values) != size):
        raise InvalidInputError(f"{name!r} must be a list with a value for each term")
    invalid = [value for value in values if not is_valid(value)]
    if invalid:
        raise InvalidInputError(f"{name!r} has the invalid value {str(invalid[0])[:100]!r}")
    return values


def check_choice(values: Mapping[str, Any], name: str, choices: tuple[Any, ...]) -> Any:
    """Return the value of a name if it is one of the choices."""
    value = values.get(name)
    # True == 1, so types are compared too
    if not any(type(value) is type(choice) and value == choice for choice in choices):
        listed = ", ".join(map(str, choices))
        raise InvalidInputError(f"{name!r} must be one of {listed}, got {str(value)[:100]!r}")
    return value


def check_array(arrays: Mapping[str, Array], name: str, dtype: str, shape: tuple[int | None, ...]) -> Array:
    """Return the array of a name if it has this type and shape, and finite values; None is any length."""
    array = arrays.get(name)
    if array is None:
        raise InvalidInputError(f"its array {name!r} is missing")
    fits = array.ndim == len(shape) and all(
        length in (None, actual) for length, actual in zip(shape, array.shape, strict=True)
    )
    if array.dtype != np.dtype(dtype) or not fits:
        expected = " x ".join("any" if length is None else str(length) for length in shape)
        raise InvalidInputError(
            f"its array {name!r} is {array.dtype} of shape {array.shape}, not {dtype} of shape {expected}"
        )
    return check_range(array, name, -MAX_MAGNITUDE, MAX_MAGNITUDE) if array.dtype.kind == "f" else array


def check_range(values: Array, name: str, low: float, high: float) -> Array:
    """Return numbers if all are finite and within limits."""
    if values.dtype.kind not in "iuf":
        raise InvalidInputError(f"{name!r} are not numbers")
    # written so that NaN, for which every comparison is false, is an error
    if values.size and not (values.min() >= low and values.max() <= high):
        raise InvalidInputError(f"{name!r} has numbers that are not finite, or not from {low} to {high}")
    return values


def check_terms(terms: Sequence[str]) -> Array:
    """Return terms as an array if none is repeated."""
    # sorted terms, as in most files, are compared without a set
    if not all(map(lt, terms, islice(terms, 1, None))) and len(set(terms)) < len(terms):
        raise InvalidInputError("a term is repeated")
    return as_term_array(terms)


def check_sparse(
    starts: Array, columns: Array, values: Array, shape: tuple[int, int], name: str
) -> csr_array[Any]:
    """Return the sparse matrix of three arrays of equal lengths, whose rows and indices are checked."""
    if columns.dtype.kind != "i":
        raise InvalidInputError(f"{name!r} has indices that are not integers")
    check_starts(starts, name, len(columns))
    check_range(columns, name, 0, shape[1] - 1)
    return csr_array((values, columns, starts), shape=shape)


def check_starts(starts: Array, name: str, end: int) -> Array:
    """Return an array of row starts if it ascends from 0 to `end`."""
    # compared, because differences of numbers with 64 bits can overflow
    is_ascending = len(starts) and starts[0] == 0 and bool((starts[1:] >= starts[:-1]).all())
    if not is_ascending or starts[-1] != end:
        raise InvalidInputError(f"{name!r} has row starts that do not ascend from 0 to {end}")
    return starts


def write_archive(path: Path, values: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    """Write JSON values and arrays of numbers as one file, atomically."""
    text = json.dumps(values, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    with (
        atomic_write(path) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_STORED) as archive,
    ):
        archive.writestr(zipfile.ZipInfo(DOCUMENT, FIRST_DATE), text.encode("utf-8", "backslashreplace"))
        for name, array in arrays.items():
            buffer = io.BytesIO()
            little_endian = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
            np.lib.format.write_array(buffer, little_endian, version=(1, 0), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", FIRST_DATE), buffer.getbuffer())


def read_archive(path: Path) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return the values and the arrays of a file of `write_archive`; the arrays cannot be changed.

    Raises
    ------
    UnreadableFileError : the file is missing, damaged, or not of this form

    """
    failure = f"{path} is not a file saved by termsift, or is damaged"
    if not require_file(path).is_file():
        raise UnreadableFileError(failure)
    size = path.stat().st_size
    if size > MAX_FILE_BYTES:
        raise UnreadableFileError(f"{path} has {size:,} bytes; the maximum is {MAX_FILE_BYTES:,}")
    check_memory(2 * size, f"{path}", "Load it on a machine with more memory")
    with translate_read_errors(path):
        _check_zip_directory(path, size, failure)
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            repeated = max(Counter(info.filename for info in members).values(), default=0) > 1
            is_stored = all(
                info.compress_type == zipfile.ZIP_STORED and info.file_size == info.compress_size
                for info in members
            )
            # members may not share bytes of the file
            if repeated or not is_stored or sum(info.file_size for info in members) > size:
                raise UnreadableFileError(failure)
            contents = {info.filename: archive.read(info) for info in members}
    document = contents.pop(DOCUMENT, b"")
    if len(document) > MAX_JSON_BYTES:
        raise UnreadableFileError(f"{failure}: its {DOCUMENT} has more than {MAX_JSON_BYTES:,} bytes")
    values = parse_json(document, failure)
    arrays = {n.removesuffix(".npy"): _parse_array(n, data, failure) for n, data in contents.items()}
    return values, arrays


def _check_zip_directory(path: Path, file_size: int, failure: str) -> None:
    """Check the number of members, because the entry of each takes more memory than space in the file."""
    with path.open("rb") as file:
        file.seek(max(file_size - END_OF_DIRECTORY.size, 0))
        end = file.read(END_OF_DIRECTORY.size)
    if len(end) < END_OF_DIRECTORY.size:
        raise UnreadableFileError(failure)
    signature, _, _, _, n_members, directory_bytes, _, comment = END_OF_DIRECTORY.unpack(end)
    is_small = n_members <= MAX_MEMBERS and directory_bytes <= MAX_DIRECTORY_BYTES
    if signature != b"PK\5\6" or comment or not is_small:
        raise UnreadableFileError(failure)


def _parse_array(name: str, content: bytes, failure: str) -> Array:
    """Return the array of an .npy file, as a view of its bytes."""
    header = NPY_HEADER.match(content[:256])
    if header is None or int.from_bytes(header["length"], "little") != header.end() - 10:
        raise UnreadableFileError(
            f"{failure}: {name[:80]} should be an array of numbers; save the file again"
        )
    dtype = np.dtype(header["dtype"].decode())
    shape = [int(length) for length in header["shape"].split(b",") if length.strip()]
    # NumPy has no arrays with a length above 64 bits, even if they are empty
    is_possible = len(shape) <= MAX_DIMENSIONS and all(length <= MAX_FILE_BYTES for length in shape)
    if not is_possible or prod(shape) * dtype.itemsize != len(content) - header.end():
        raise UnreadableFileError(f"{failure}: {name[:80]} does not have the size that its header states")
    return np.frombuffer(content, dtype, offset=header.end()).reshape(shape)
