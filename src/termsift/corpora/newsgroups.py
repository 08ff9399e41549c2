"""20 Newsgroups, sorted by date: the texts of two folders, a folder a group."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from pathlib import Path

from termsift.border.archives import members
from termsift.corpora.corpus import Corpus
from termsift.corpora.entry import catalogued
from termsift.errors import UnreadableFile, unknown

PARTS = {"20news-bydate-train": "train", "20news-bydate-test": "test"}

# what introduces a quotation, or marks its lines; the words are those of scikit-learn's fetch_20newsgroups,
# so that results can be compared
QUOTED = re.compile(r"^In article|^Quoted from|^\||^>|writes in|writes:|wrote:|says:|said:")


def read_newsgroups(path: Path, *, remove: Collection[str] = ()) -> Corpus:
    """The posts, the training part first, each part in the order of its paths.

    remove : any of "headers", "footers", "quotes"
    """
    removed = [remove] if isinstance(remove, str) else remove
    for name in removed:
        if name not in REMOVALS:
            raise unknown("removal", name, REMOVALS)
    posts = sorted(post(name, content, path) for name, content in members(path))
    texts = [text for *_, text in posts]
    for name, without in REMOVALS.items():
        if name in removed:
            texts = [without(text) for text in texts]
    split = ["test" if late else "train" for late, *_ in posts]
    labels = [group for _, group, *_ in posts]
    return Corpus("20news", labels, str(path), texts=texts, split=split)


def post(name: str, content: bytes, path: Path) -> tuple[bool, str, str, str]:
    """Whether a post is of the test part, its group, its number and its text."""
    part, *rest = name.split("/")
    if part not in PARTS or len(rest) != 2:
        raise UnreadableFile(
            f"{path} is not 20 Newsgroups by date: its member {name!r} is not part/group/post"
        )
    return PARTS[part] == "test", *rest, content.decode("latin-1")  # type: ignore[return-value]


def without_headers(text: str) -> str:
    r"""What follows the first blank line.

    >>> without_headers("From: me\n\nHello")
    'Hello'
    """
    return text.partition("\n\n")[2]


def without_footer(text: str) -> str:
    r"""What precedes the last blank line or line of hyphens, which sets a signature apart.

    >>> without_footer("Hello\n--\nme")
    'Hello'
    """
    lines = text.strip().split("\n")
    breaks = [i for i, line in enumerate(lines) if not line.strip().strip("-")]
    return "\n".join(lines[: breaks[-1]]) if breaks and breaks[-1] > 0 else text


def without_quotes(text: str) -> str:
    r"""The lines that neither are quoted nor introduce a quotation.

    >>> without_quotes("You said:\n> Hello\nBye")
    'Bye'
    """
    return "\n".join(line for line in text.split("\n") if not QUOTED.search(line))


# in the order in which they are done
REMOVALS: dict[str, Callable[[str], str]] = {
    "headers": without_headers,
    "footers": without_footer,
    "quotes": without_quotes,
}

(ENTRY,) = catalogued("20news", read_newsgroups)
