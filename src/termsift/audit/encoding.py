"""Texts that were decoded wrongly, by what is left of the bytes.

UTF-8 read as Windows-1252 or Latin-1 leaves sequences such as `Ã©` for `é`: a run of letters whose bytes
there are UTF-8 again. Bytes that are no UTF-8 leave U+FFFD. Windows-1252 and others read as Latin-1 leave C1
controls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

REPLACED = "\ufffd"
C1 = re.compile("[\x80-\x84\x86-\x9f]")  # U+0085 is a line break of some systems


def byte_of(letter: str) -> int:
    """The byte of a letter in Windows-1252, in Latin-1 where that has none."""
    try:
        return letter.encode("cp1252")[0]
    except UnicodeEncodeError:
        return letter.encode("latin-1")[0]


def letters_of(first: int, last: int) -> str:
    """A class of letters for a pattern: of these bytes in Windows-1252 and in Latin-1."""
    raw = [bytes([byte]) for byte in range(first, last + 1)]
    windows = {byte.decode("cp1252", "ignore") for byte in raw}
    return f"[{re.escape(''.join(sorted(windows | {byte.decode('latin-1') for byte in raw})))}]"


NEXT = letters_of(0x80, 0xBF)
SEQUENCES = (
    f"{letters_of(0xC2, 0xDF)}{NEXT}",
    f"{letters_of(0xE0, 0xEF)}{NEXT}{NEXT}",
    f"{letters_of(0xF0, 0xF4)}{NEXT}{NEXT}{NEXT}",
)
RUN = re.compile(f"(?:{'|'.join(SEQUENCES)})+")
# of one sequence alone, only those of Latin letters, of punctuation and of emoji: `ß“` is German, not U+07D3
USUAL = ("\xc2", "\xc3", "\xe2\u20ac", "\xe2\x80", "\xf0\u0178", "\xf0\x9f")


def mended_runs(text: str) -> Iterator[tuple[str, str]]:
    """The runs of a text that are UTF-8 read as another encoding, and what they were."""
    if text.isascii():
        return
    for found in RUN.finditer(text):
        run = found[0]
        try:
            was = bytes(map(byte_of, run)).decode("utf-8")
        except UnicodeDecodeError:
            continue
        if len(was) > 1 or run.startswith(USUAL):
            yield run, was


def damage(text: str) -> tuple[str, str, str] | None:
    """What is wrong with a text's letters: the kind, what it shows, and what it was; None where nothing is.

    >>> damage("cafÃ© au lait")
    ('UTF-8 read as Windows-1252', 'Ã©', 'é')
    >>> damage("café, „Spaß“, São")
    """
    if text.isascii():
        return None
    run = next(mended_runs(text), None)
    if run is not None:
        return "UTF-8 read as Windows-1252", *run
    if REPLACED in text:
        return "letters lost when bytes were decoded", around(text, text.index(REPLACED)), ""
    control = C1.search(text)
    if control is not None:
        was = control[0].encode("latin-1").decode("cp1252", "ignore")
        in_windows = f"{was} in Windows-1252" if was else ""
        return "another encoding read as Latin-1", around(text, control.start()), in_windows
    return None


def around(text: str, place: int) -> str:
    """A few letters around a place."""
    return " ".join(text[max(place - 12, 0) : place + 13].split())


def damaged(texts: Sequence[str]) -> list[tuple[int, str, str, str]]:
    """The documents that are damaged: their numbers, and what `damage` says of them."""
    return [(i, *found) for i, text in enumerate(texts) if (found := damage(text)) is not None]
