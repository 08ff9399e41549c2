"""The SMS Spam Collection: a line a message, label TAB text."""

from __future__ import annotations

from pathlib import Path

from termsift.corpora.corpus import Corpus
from termsift.corpora.entry import catalogued
from termsift.corpora.files import decoded
from termsift.errors import UnreadableFile, listed

CLASSES = ("ham", "spam")


def read_sms_spam(path: Path) -> Corpus:
    """The messages."""
    # by "\n" alone: the messages hold characters at which str.splitlines would break
    lines = decoded(path.read_bytes(), "utf-8", path).removesuffix("\n").split("\n")
    pairs = [message(line, i, path) for i, line in enumerate(lines, 1)]
    labels, texts = [label for label, _ in pairs], [text for _, text in pairs]
    return Corpus("sms_spam", labels, str(path), texts=texts)


def message(line: str, number: int, path: Path) -> tuple[str, str]:
    """Label and text of a line."""
    label, tab, text = line.partition("\t")
    if not tab:
        raise UnreadableFile(f"line {number} of {path} has no tab between label and text")
    if label not in CLASSES:
        raise UnreadableFile(
            f"line {number} of {path}: class {label!r} is not in the list: {listed(CLASSES)}"
        )
    return label, text


(ENTRY,) = catalogued("sms_spam", read_sms_spam)
