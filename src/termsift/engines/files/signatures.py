"""What a file seems to be by its first bytes, where it is no text."""

from __future__ import annotations

from termsift.errors import UnreadableFile

HEAD = 8192  # bytes that are looked at
# how files begin that are no texts; none that a text could begin with as well
SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF87a", "a GIF picture"),
    (b"GIF89a", "a GIF picture"),
    (b"II*\0", "a TIFF picture"),
    (b"MM\0*", "a TIFF picture"),
    (b"%PDF-", "a PDF document"),
    (b"PAR1", "a Parquet file"),
    (b"ARROW1\0\0", "an Arrow file"),
    (b"PK\x03\x04", "a zip archive, as .docx and .xlsx are too"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\x1f\x8b\x08", "compressed by gzip"),
    (b"BZh91AY&SY", "compressed by bzip2"),
    (b"\xfd7zXZ\0", "compressed by xz"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Word or Excel file"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"Obj\x01", "an Avro file"),
    (b"\x80\x04\x95", "a Python pickle"),
    (b"\x80\x05\x95", "a Python pickle"),
    (b"\x7fELF", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"OggS\0", "an Ogg recording"),
    (b"fLaC\0", "a FLAC recording"),
    (b"ID3\x03", "an MP3 recording"),
    (b"ID3\x04", "an MP3 recording"),
    (b"\x1aE\xdf\xa3", "a Matroska film"),
)
# the same for signs that stand further on: where, the sign, and what it is of
FURTHER = (
    (4, b"ftyp", "an MP4 film"),
    (8, b"WEBP", "a WebP picture"),
    (8, b"WAVEfmt", "a WAV recording"),
    (257, b"ustar", "a tar archive"),
)
BEGINNINGS = tuple(sign for sign, _ in SIGNATURES)
# how texts in encodings of two or four bytes begin, in which zero bytes are right
MARKS = (
    (b"\xff\xfe\0\0", "utf-32"),
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
WIDE = tuple(mark for mark, _ in MARKS)


def seeming(head: bytes) -> str | None:
    """What a file is that begins so; None of what may be text.

    >>> seeming(b"PAR1...")
    'a Parquet file'
    """
    if head.startswith(BEGINNINGS):
        return next(what for sign, what in SIGNATURES if head.startswith(sign))
    # a text may well have such a sign at its place, but no zero byte beside it
    if b"\0" not in head[:512]:
        return None
    return next((what for at, sign, what in FURTHER if head[at : at + len(sign)] == sign), None)


def marked_encoding(head: bytes) -> str | None:
    """The encoding that a byte order mark says, that of UTF-8 aside."""
    if not head.startswith(WIDE):
        return None
    return next(encoding for mark, encoding in MARKS if head.startswith(mark))


def check_text(name: str, head: bytes, kind: str) -> None:
    """An error for a file that begins as no text does, with what it seems to be."""
    what = seeming(head)
    if what is not None:
        raise UnreadableFile(f"{name} is not {kind}: it seems to be {what}")


def check_document(name: str, content: bytes, encoding: str) -> None:
    """The same for a whole document, in which a zero byte is no letter either, but in wide encodings."""
    check_text(name, content[:HEAD], "text")
    zero = content.find(b"\0", 0, HEAD)
    if zero >= 0 and not encoding.lower().startswith(("utf-16", "utf-32", "utf_16", "utf_32")):
        raise UnreadableFile(f"{name} is not text: it has a zero byte at {zero:,}")
