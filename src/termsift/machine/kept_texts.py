"""A text that takes long to make, and is always the same: it is kept on disk from one process to the next.

It is kept as compiled Python is, beside the package, else in the user's cache, else not at all. A file begins
with the digest of the rest, and what is not whole is made anew.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

HOME = Path(__file__).parent / "__pycache__"


def kept_text(name: str, make: Callable[[], str]) -> str:
    """The text that was kept under a name; else it is made, and kept where that can be.

    name : a plain file name, which says all that the text depends on
    """
    known = next((text for folder in folders() if (text := whole_text(folder / name)) is not None), None)
    if known is not None:
        return known
    text = make()
    any(was_kept(text, folder / name) for folder in folders())
    return text


def folders() -> Iterator[Path]:
    """Where texts are kept, the first choice first."""
    yield HOME
    with suppress(RuntimeError):  # of a user without a home
        given = os.environ.get("XDG_CACHE_HOME")
        yield (Path(given) if given else Path.home() / ".cache") / "termsift"


def whole_text(path: Path) -> str | None:
    """The text of a file that is there as it was written."""
    with suppress(OSError):
        digest, _, content = path.read_bytes().partition(b"\n")
        if sha256(content).hexdigest().encode() == digest:
            return content.decode()
    return None


def was_kept(text: str, path: Path) -> bool:
    """Write the file, whole or not at all, and say whether that could be done."""
    content = text.encode()
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, made = tempfile.mkstemp(dir=path.parent, prefix=path.name)
        try:
            with open(handle, "wb") as file:
                file.write(sha256(content).hexdigest().encode() + b"\n" + content)
            os.replace(made, path)
        except BaseException:
            os.unlink(made)
            raise
        return True
    return False
