"""The SMS Spam Collection: a line a message, label TAB text."""

from __future__ import annotations

from pathlib import Path

from termsift.corpora.corpus import Corpus
from termsift.corpora.entry import Entry
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


ENTRY = Entry(
    name="sms_spam",
    reader=read_sms_spam,
    file="sms_spam/SMSSpamCollection",
    size=477_907,
    sha256="7d039a24a6083ed9ef0f806ebad56bbb976e3aeb8de05669173bfdc4996c239d",
    documents=5574,
    classes=2,
    home="https://archive.ics.uci.edu/dataset/228",
    citation="Almeida, Gomez Hidalgo and Yamakami (2011), Contributions to the study of SMS spam filtering",
    terms_of_use="public research data without a stated licence",
)
