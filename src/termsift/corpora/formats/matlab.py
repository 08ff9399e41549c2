"""Variables of a MATLAB 5 file, read by SciPy after its frame has been checked.

SciPy trusts the lengths inside a variable and may crash the interpreter where they are damaged.
So only files of compressed variables are read, as publishers' are: zlib's checksum vouches for each.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from termsift.corpora.formats.archives import LIMIT, TooLarge, spoken_damage
from termsift.errors import UnreadableFile
from termsift.output import existing

HEADER, COMPRESSED = 128, 15


def variables(path: Path, names: tuple[str, ...], *, limit: int = LIMIT) -> dict[str, Any]:
    """Those of the variables named that the file has."""
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    with spoken_damage(path):
        check_frame(path, limit)
    try:
        found = loadmat(path, variable_names=names)
    # SciPy meets what is wrong where it happens to fail
    except (MatReadError, ValueError, TypeError, KeyError, IndexError, OSError, NotImplementedError) as error:
        reason = " ".join(str(error).split())
        raise UnreadableFile(f"{path} is damaged or cut: {reason}") from error
    return {name: found[name] for name in names if name in found}


def check_frame(path: Path, limit: int) -> None:
    """An error unless every variable is compressed, whole, and all are within the limit."""
    content = existing(path).read_bytes()
    if not content.startswith(b"MATLAB 5.0"):
        raise UnreadableFile(f"{path} is not a MATLAB 5 file")
    for kind, packed in elements(content):
        if kind != COMPRESSED:
            raise UnreadableFile(f"{path} is refused: its variables are not compressed")
        limit -= unpacked_size(packed, path, limit)


def elements(content: bytes) -> Iterator[tuple[int, bytes]]:
    """The type and the bytes of each variable."""
    order = "<" if content[HEADER - 2 : HEADER] == b"IM" else ">"
    place = HEADER
    while place < len(content):
        if place + 8 > len(content):
            raise EOFError("a variable has no end")
        kind, size = struct.unpack_from(f"{order}II", content, place)
        place += 8 + size
        if place > len(content):
            raise EOFError("a variable has no end")
        yield kind, content[place - size : place]


def unpacked_size(packed: bytes, path: Path, limit: int) -> int:
    """The size of a variable when it is unpacked, which also compares its checksum."""
    stream, size, piece = zlib.decompressobj(), 0, packed
    while not stream.eof:
        found = len(stream.decompress(piece, 1 << 20))
        if not found and not stream.unconsumed_tail and not stream.eof:
            raise EOFError("a variable has no end")
        size, piece = size + found, stream.unconsumed_tail
        if size > limit:
            raise TooLarge(path, limit)
    return size
