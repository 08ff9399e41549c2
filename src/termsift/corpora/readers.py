"""20 Newsgroups, sorted by date: the texts of two folders, a folder a group."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from termsift._internal.errors import UnreadableFileError, unknown_name_error
from termsift._internal.files import archive_members
from termsift.corpora.corpus import Corpus, DataDir, entries_from_table

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
            raise unknown_name_error("removal", name, REMOVALS)
    posts = sorted(post(name, content, path) for name, content in archive_members(path))
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
        raise UnreadableFileError(
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

(NEWSGROUPS_ENTRY,) = entries_from_table("20news", read_newsgroups)

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
        raise unknown_name_error("split", split, SPLITS)
    if categories not in CATEGORIES:
        raise unknown_name_error("choice of categories", categories, CATEGORIES)
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
    files = sorted((name, content) for name, content in archive_members(path) if name.endswith(".sgm"))
    if not files:
        raise UnreadableFileError(f"{path} is not Reuters-21578: it has no .sgm files")
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
            raise UnreadableFileError(f"{name} is cut: {which} has no end")
        content = element("TEXT", body)
        if content is None:
            raise UnreadableFileError(f"{name}: {which} has no <TEXT>")
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


(REUTERS21578_ENTRY,) = entries_from_table("reuters21578", read_reuters21578)

REUTERS_APTE_PARTS = ("training", "test")


def read_reuters_apte(path: Path) -> Corpus:
    """The stories with their lists of categories, the training part first, by number."""
    files = contents(path)
    stories = sorted(story(line, path) for line in files["cats.txt"].splitlines() if line.strip())
    missing = [name for *_, name, _ in stories if name not in files]
    if missing:
        raise UnreadableFileError(f"{path} lacks the story {missing[0]!r} that its cats.txt lists")
    return Corpus(
        "reuters_apte",
        [labels for *_, labels in stories],
        str(path),
        texts=[files[name] for *_, name, _ in stories],
        split=["test" if late else "train" for late, *_ in stories],
    )


def reuters_stop_words(data_dir: DataDir = None) -> frozenset[str]:
    """The stop list that comes with the corpus."""
    return frozenset(contents(REUTERS_APTE_ENTRY.path(data_dir))["stopwords"].split())


def contents(path: Path) -> dict[str, str]:
    """The texts of the archive, by their names below its folder."""
    files = {
        name.removeprefix("reuters/"): content.decode("latin-1") for name, content in archive_members(path)
    }
    for name in ("cats.txt", "stopwords"):
        if name not in files:
            raise UnreadableFileError(f"{path} is not ApteMod: it has no {name}")
    return files


def story(line: str, path: Path) -> tuple[bool, int, str, list[str]]:
    """Whether a story is of the test part, its number, its file and its categories, each once."""
    name, *labels = line.split()
    part, _, number = name.partition("/")
    if part not in REUTERS_APTE_PARTS or not number.isdecimal() or not labels:
        raise UnreadableFileError(f"{path}: cats.txt has the line {line!r}, not a story and its categories")
    return part == "test", int(number), name, list(dict.fromkeys(labels))


(REUTERS_APTE_ENTRY,) = entries_from_table("reuters_apte", read_reuters_apte)
