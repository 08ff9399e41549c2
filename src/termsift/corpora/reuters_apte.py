"""ApteMod: the ModApte split of Reuters-21578 as plain text, with the 90 categories found in both parts."""

from __future__ import annotations

from pathlib import Path

from termsift.border.archives import members
from termsift.corpora.corpus import Corpus
from termsift.corpora.entry import DataDir, catalogued
from termsift.errors import UnreadableFile

PARTS = ("training", "test")


def read_reuters_apte(path: Path) -> Corpus:
    """The stories with their lists of categories, the training part first, by number."""
    files = contents(path)
    stories = sorted(story(line, path) for line in files["cats.txt"].splitlines() if line.strip())
    missing = [name for *_, name, _ in stories if name not in files]
    if missing:
        raise UnreadableFile(f"{path} lacks the story {missing[0]!r} that its cats.txt lists")
    return Corpus(
        "reuters_apte",
        [labels for *_, labels in stories],
        str(path),
        texts=[files[name] for *_, name, _ in stories],
        split=["test" if late else "train" for late, *_ in stories],
    )


def stop_words(data_dir: DataDir = None) -> frozenset[str]:
    """The stop list that comes with the corpus."""
    return frozenset(contents(ENTRY.path(data_dir))["stopwords"].split())


def contents(path: Path) -> dict[str, str]:
    """The texts of the archive, by their names below its folder."""
    files = {name.removeprefix("reuters/"): content.decode("latin-1") for name, content in members(path)}
    for name in ("cats.txt", "stopwords"):
        if name not in files:
            raise UnreadableFile(f"{path} is not ApteMod: it has no {name}")
    return files


def story(line: str, path: Path) -> tuple[bool, int, str, list[str]]:
    """Whether a story is of the test part, its number, its file and its categories, each once."""
    name, *labels = line.split()
    part, _, number = name.partition("/")
    if part not in PARTS or not number.isdecimal() or not labels:
        raise UnreadableFile(f"{path}: cats.txt has the line {line!r}, not a story and its categories")
    return part == "test", int(number), name, list(dict.fromkeys(labels))


(ENTRY,) = catalogued("reuters_apte", read_reuters_apte)
