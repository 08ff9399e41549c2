"""Bytes, texts and values as a stranger, a bad disk or a careless program would leave them."""

from __future__ import annotations

import bz2
import datetime
import decimal
import fractions
import gzip
import lzma
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from trying import Callers

# pieces that readers trip over
PIECES = [
    b"", b"\0", b"\0" * 9, b'"', b'""', b"'", b",", b";", b"\t", b"\n", b"\r", b"\r\n", b"\n\n\n", b"\\",
    b"{", b"}",
    b"[", b"]", b"[" * 3000, b'{"a":' * 3000, b"<", b">", b"<REUTERS", b"</TEXT>", b"%", b"@data",
    b"@attribute", b"?",
    b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc0\x80", b"\xf5\x80\x80\x80", b"\xe2\x80\xae",
    b"\x1b[31m", b"\x1a",
    b"9" * 5000, b"-1", b"1e309", b"-1e309", b"nan", b"NaN", b"inf", b"Infinity", b"null", b"true", b"None",
    b"1e-400",
    b"2147483647", b"2147483648", b"-2147483649", b"9223372036854775807", b"9223372036854775808",
    b"4294967296",
    b"\\ud800", b"\\u0000", b"=1+1", b"../" * 9, b"/etc/passwd", b"text", b"label", b"x" * 70_000, b":", b"#",
    b"qid:1",
]  # fmt: skip


def altered_bytes(rng: random.Random, content: bytes) -> bytes:
    """The bytes after one to four changes."""
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        content = rng.choice(CHANGES)(rng, content)
    return content


def place(rng: random.Random, content: bytes) -> int:
    """Somewhere in the bytes, rather at the ends than elsewhere, where headers and footers are."""
    size = len(content)
    return rng.choice(
        [rng.randint(0, size), rng.randint(0, min(size, 64)), rng.randint(max(size - 64, 0), size)]
    )


def flipped(rng: random.Random, content: bytes) -> bytes:
    """A bit, or a few, turned over."""
    found = bytearray(content)
    for _ in range(rng.choice([1, 1, 3, 20])):
        if found:
            found[min(place(rng, content), len(found) - 1)] ^= 1 << rng.randrange(8)
    return bytes(found)


def overwritten(rng: random.Random, content: bytes) -> bytes:
    """Some bytes replaced by others, as many."""
    at, size = place(rng, content), rng.choice([1, 2, 4, 8, 40])
    new = rng.choice([rng.randbytes(size), b"\xff" * size, b"\0" * size, b"\x7f" * size, b"\x80" * size])
    return content[:at] + new + content[at + size :]


def cut_off(rng: random.Random, content: bytes) -> bytes:
    """The end, or the beginning, gone."""
    at = place(rng, content)
    return content[:at] if rng.random() < 0.8 else content[at:]


def without_part(rng: random.Random, content: bytes) -> bytes:
    """A part in the middle gone."""
    at = place(rng, content)
    return content[:at] + content[at + rng.choice([1, 2, 7, 100]) :]


def doubled(rng: random.Random, content: bytes) -> bytes:
    """A part there twice, or often."""
    at, size = place(rng, content), rng.choice([1, 8, 100, len(content)])
    return content[:at] + content[at : at + size] * rng.choice([1, 2, 30]) + content[at:]


def with_piece(rng: random.Random, content: bytes) -> bytes:
    """Something put in."""
    at = place(rng, content)
    return content[:at] + rng.choice(PIECES) + content[at:]


def replaced(rng: random.Random, content: bytes) -> bytes:
    """A piece that is there replaced by another."""
    there = [piece for piece in PIECES if piece and piece in content]
    if not there:
        return with_piece(rng, content)
    return content.replace(rng.choice(there), rng.choice(PIECES), rng.choice([1, 1, 5]))


def number_changed(rng: random.Random, content: bytes) -> bytes:
    """A digit replaced by a number that nobody expects."""
    digits = [i for i, byte in enumerate(content) if 48 <= byte <= 57]
    if not digits:
        return with_piece(rng, content)
    at = rng.choice(digits)
    return (
        content[:at]
        + rng.choice([p for p in PIECES if p[-1:].isdigit() or p in (b"nan", b"inf")])
        + content[at + 1 :]
    )


def something_else(rng: random.Random, content: bytes) -> bytes:
    """Nothing of it, or noise."""
    size = rng.choice([0, 1, 3, 200, 5000])
    return rng.choice(
        [
            b"",
            rng.randbytes(size),
            b"PAR1" + rng.randbytes(size) + b"PAR1",
            b"PK\x03\x04" + rng.randbytes(size),
        ]
    )


CHANGES: list[Callable[[random.Random, bytes], bytes]] = [
    *[flipped, overwritten, cut_off, without_part, doubled] * 3, *[with_piece, replaced, number_changed] * 5,
    something_else,
]  # fmt: skip


PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "gz": lambda content: gzip.compress(content, 1),
    "bz2": bz2.compress,
    "xz": lambda content: lzma.compress(content, preset=0),
}


def packed_bytes(content: bytes, compression: str) -> bytes:
    """The bytes compressed as the ending of a name says."""
    if compression in PACKINGS:
        return PACKINGS[compression](content)
    if compression == "zst":
        import pyarrow as pa

        return pa.compress(content, codec="zstd", asbytes=True)
    return content


def altered_file(rng: random.Random, path: Path, content: bytes, compression: str = "") -> Path:
    """A file of bytes altered before they are compressed, or after, or not at all."""
    within = rng.random() < 0.6
    content = altered_bytes(rng, content) if within else content
    whole = packed_bytes(content, compression)
    path.write_bytes(whole if within and rng.random() < 0.9 else altered_bytes(rng, whole))
    return path


class Strange:
    """An object that is like nothing."""

    def __repr__(self) -> str:
        return "Strange\n\x1b[31m" + "!" * 3000


def strange_texts() -> list[str]:
    """Texts that names, cells and options are not expected to be."""
    return [
        "", " ", "\0", "a\0b", "\ud800", "a\udcff", "\u202egpj.exe", "\x1b[2J", "\u200b", "\n", "a\nb", "\r",
        "é", "e\u0301",
        "東京", "🙂", "x" * 300, "y" * 100_000, "../..", "/", ".", "~", "*", "?", "[", "[a", "{a,b}", "%s",
        "{}",
        "{0}", "$(id)",
        "`id`", ";", "'", '"', "--", "-1", "0", "nan", "inf", "1e400", "9" * 5000, "None", "True", "null",
        "http://[", "file:///",
        "s3://x/y", "=1+1", "\\", "\\\\x\\y", "a" * 255, "é" * 130, "http:/x", "con", "text", "label",
        "TopK(", "TopK(1)",
        "__import__('os')", "lambda: 0", "(" * 300, "[" * 3000, "utf-8", "utf-16", "utf-7", "idna", "hex",
        "undefined", "latin-1",
    ]  # fmt: skip


def strange_values() -> list[Any]:
    """Values that options are not expected to have."""
    return [
        None, True, False, 0, -1, 1, 2, 3, 1.5, 0.0, -0.0, 0.5, 1e-320, 1e308, -1e308, float("nan"),
        float("inf"), -float("inf"),
        2**31 - 1, 2**31, 2**63 - 1, 2**63, -(2**63) - 1, 10**400, 1j, decimal.Decimal("NaN"),
        decimal.Decimal(3),
        fractions.Fraction(1, 3), b"", b"\xff", bytearray(b"a"), (), [], {}, set(), (1,), (1, 2), [1, 2],
        (2, 1), (1, 128),
        (1, 260), (1, 10**9), (0, 0), (1, 2, 3), ("a", "b"), (1.5, 2), (None, None), [[]], [None], ["a", 1],
        {"a": 1},
        {1, 2}, frozenset(["a"]), range(3), iter([1]), object(), Strange(), len, lambda text: [text],
        lambda text: None, lambda text: [None], lambda text: ["\ud800", "a"], lambda text: [1], np.int64(3),
        np.int8(-1),
        np.float16(2), np.float32("nan"), np.bool_(True), np.array(3), np.array([1, 2]), np.array([]),
        np.zeros((2, 2)), np.str_("max"),
        np.datetime64("NaT"), datetime.date(2024, 1, 1), Path("text"), Ellipsis, NotImplemented, slice(1),
        ValueError("x"),
    ]  # fmt: skip


def strange_names() -> list[str]:
    """Names of files that are strange, but none that would have a machine read from end to end."""
    return [text for text in strange_texts() if text not in ("/", "../..", "~")]


def strange_value(rng: random.Random) -> Any:
    """A value, or a text, that nobody expects."""
    return rng.choice(strange_values() if rng.random() < 0.65 else strange_texts())


def strange_function(rng: random.Random) -> Callable[..., Any]:
    """A caller's function: it takes anything, and returns what nobody expects, or raises."""
    value = strange_value(rng)

    def called(*given: Any, **more: Any) -> Any:
        if isinstance(value, Exception):
            raise Callers(*value.args)
        return value

    return called
