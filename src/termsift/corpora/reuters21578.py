"""Reuters-21578: the newswire stories of 1987 with their topics, and three ways to split them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from termsift.border.archives import members
from termsift.corpora.corpus import Corpus
from termsift.corpora.entry import catalogued
from termsift.errors import UnreadableFile, unknown

# The attribute that says the part, its values for training and test, and which TOPICS count;
# as the README of the distribution defines them, section VIII.
SPLITS = {
    "modapte": ("LEWISSPLIT", {"TRAIN": "train", "TEST": "test"}, ("YES",)),
    "modlewis": ("LEWISSPLIT", {"TRAIN": "train", "TEST": "test"}, ("YES", "NO")),
    "modhayes": ("CGISPLIT", {"TRAINING-SET": "train", "PUBLISHED-TESTSET": "test"}, ("YES", "NO", "BYPASS")),
}
CATEGORIES = ("all", "both")

# the SGML is read as text: no DTD, no entity but single characters
ATTRIBUTE = re.compile(r'\b(\w+)="([^"]*)"')
ENTITY = re.compile(r"&(?:#(\d{1,3})|(lt|gt|amp));")
NAMED = {"lt": "<", "gt": ">", "amp": "&"}


def read_reuters21578(path: Path, *, split: str = "modapte", categories: str = "all") -> Corpus:
    """The stories of a split, in the order of the files, with their lists of topics.

    split : "modapte", "modlewis" or "modhayes"; stories outside it are left out
    categories : "all", or "both" for the topics that training and test part have, and the stories with them
    """
    if split not in SPLITS:
        raise unknown("split", split, SPLITS)
    if categories not in CATEGORIES:
        raise unknown("choice of categories", categories, CATEGORIES)
    found = [(part, story) for story in all_stories(path) if (part := part_of(story, split))]
    corpus = Corpus(
        "reuters21578",
        [story.topics for _, story in found],
        str(path),
        texts=[story.text for _, story in found],
        split=[part for part, _ in found],
    )
    return corpus if categories == "all" else in_both(corpus)


def all_stories(path: Path) -> list[Story]:
    """The stories of every SGML file of the archive."""
    files = sorted((name, content) for name, content in members(path) if name.endswith(".sgm"))
    if not files:
        raise UnreadableFile(f"{path} is not Reuters-21578: it has no .sgm files")
    read = (stories(content.decode("latin-1"), f"{path}: {name}") for name, content in files)
    return list(chain.from_iterable(read))


def part_of(story: Story, split: str) -> str | None:
    """The part a story belongs to, if any."""
    attribute, parts, topics = SPLITS[split]
    if story.attributes.get("TOPICS") not in topics:
        return None
    return parts.get(story.attributes.get(attribute, ""))


def in_both(corpus: Corpus) -> Corpus:
    """The topics that both parts have, and the stories with any of them."""
    both = set(corpus.part("train").classes) & set(corpus.part("test").classes)
    kept = [[topic for topic in topics if topic in both] for topics in corpus.labels]
    return replace(corpus, labels=kept).take([i for i, topics in enumerate(kept) if topics])


@dataclass(frozen=True, slots=True)
class Story:
    """A story: its attributes, such as LEWISSPLIT, its topics, each once, and its text."""

    attributes: dict[str, str]
    topics: list[str]
    text: str


def stories(text: str, name: str) -> Iterator[Story]:
    """The stories of one SGML file.

    name : how the file is called in errors

    >>> page = "<REUTERS><TOPICS><D>tea</D></TOPICS><TEXT><TITLE>Tea &lt;T></TITLE></TEXT></REUTERS>"
    >>> next(stories(page, "reut.sgm"))
    Story(attributes={}, topics=['tea'], text='Tea <T>')
    """
    # a "<" inside a story is written "&lt;", so each "<REUTERS" begins one
    for number, piece in enumerate(text.split("<REUTERS")[1:], 1):
        head, tag_end, rest = piece.partition(">")
        body, end, _ = rest.partition("</REUTERS>")
        attributes = dict(ATTRIBUTE.findall(head))
        which = f"story {attributes['NEWID']}" if "NEWID" in attributes else f"its story no. {number}"
        if not tag_end or not end:
            raise UnreadableFile(f"{name} is cut: {which} has no end")
        content = element("TEXT", body)
        if content is None:
            raise UnreadableFile(f"{name}: {which} has no <TEXT>")
        # each topic ends by "</D>"
        closed = (element("TOPICS", body) or "").split("</D>")[:-1]
        topics = [topic for _, tag, topic in (piece.partition("<D>") for piece in closed) if tag]
        yield Story(attributes, list(dict.fromkeys(topics)), story_text(content))


def story_text(content: str) -> str:
    """Title, blank line and body; of a brief story the title, of an unprocessed one all there is.

    What follows the title of a brief story is filler: "Blah blah blah."
    """
    title, body = element("TITLE", content), element("BODY", content)
    if title is None and body is None:
        return plain_text(content)
    return "\n\n".join(plain_text(part) for part in (title, body) if part is not None)


def element(name: str, text: str) -> str | None:
    """What is in the first element of a name, if there is one that ends.

    The text is walked through once: what does not end after the first tag ends after none of the others.
    """
    tag = re.search(rf"<{name}\b", text)
    start = text.find(">", tag.end()) + 1 if tag else 0
    end = text.find(f"</{name}>", start) if start else -1
    return None if end < 0 else text[start:end]


def plain_text(text: str) -> str:
    """Text with its entities as the characters they stand for.

    >>> plain_text("&#2;AT&amp;T &lt;T> &copy;&#3;")
    'AT&T <T> &copy;'
    """
    return ENTITY.sub(character, text).strip()


def character(found: re.Match[str]) -> str:
    """The character of an entity; none for the control codes of the newswire."""
    number, name = found.groups()
    if name:
        return NAMED[name]
    return "" if int(number) < 32 or int(number) == 127 else chr(int(number))


(ENTRY,) = catalogued("reuters21578", read_reuters21578)
