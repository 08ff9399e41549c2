"""Stories of Reuters-21578's SGML, which is read as text: no DTD, no entity but single characters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from termsift.errors import UnreadableFile

ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
ENTITY = re.compile(r"&(?:#(\d{1,3})|(lt|gt|amp));")
NAMED = {"lt": "<", "gt": ">", "amp": "&"}


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
        topics = re.findall("<D>(.*?)</D>", element("TOPICS", body) or "")
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
    """What is in the first element of a name, if there is one."""
    found = re.search(rf"<{name}\b[^>]*>(.*?)</{name}>", text, flags=re.DOTALL)
    return found[1] if found else None


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
