"""Corpora that can be loaded by name: their readers, and the catalogue."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np

from termsift._internal.errors import UnreadableFileError, check_name, unknown_name_error
from termsift._internal.files import archive_members
from termsift._internal.tables import Table, format_table
from termsift.corpora.corpus import (
    VARIABLE,
    Corpus,
    DataDir,
    Entry,
    data_folder,
    decode_bytes,
    entries_from_table,
)

# Specialized modules first: a text that occurs in two modules belongs to the first.
MODULES = (
    "numpy.linalg", "numpy.fft", "numpy.random", "scipy.cluster.hierarchy", "scipy.fft", "scipy.integrate",
    "scipy.interpolate", "scipy.linalg", "scipy.ndimage", "scipy.optimize", "scipy.signal", "scipy.sparse",
    "scipy.spatial", "scipy.special", "scipy.stats", "sklearn.cluster", "sklearn.datasets",
    "sklearn.ensemble", "sklearn.feature_extraction.text", "sklearn.linear_model", "sklearn.metrics",
    "sklearn.model_selection", "sklearn.preprocessing", "pyarrow.compute", "pyarrow", "numpy", "argparse",
    "asyncio", "datetime", "decimal", "email.message", "logging", "pathlib", "statistics", "unittest",
)  # fmt: skip
MIN_WORDS = 15
MAX_SIMILARITY = 0.8  # Jaccard similarity of the words of two docstrings of a module
# what SciPy writes into docstrings when it is imported: output of random examples, and sets in random order
RANDOM_OUTPUT = re.compile(r"^.*# may vary$\n?", re.MULTILINE)
PRINTED_SET = re.compile(r"\{('\w+'(?:, '\w+')*)\}")


def collect_docstrings() -> Corpus:
    """Collect public docstrings, each in the class of its module, without near-duplicates within a module.

    The corpus needs no file: every document is in the standard library or in a package that termsift depends
    on. So its size changes with their versions, but it is the same in every process.
    """
    modules: dict[str, str] = {}
    for name in MODULES:
        texts = dict.fromkeys(module_docstrings(import_module(name)))
        for text in drop_similar(text for text in texts if text not in modules):
            modules[text] = name
    source = "docstrings of the standard library and of the packages termsift depends on"
    licence = "the licence of each package"
    return Corpus("docstrings", list(modules.values()), source, texts=list(modules), terms_of_use=licence)


def module_docstrings(module: ModuleType) -> Iterator[str]:
    """Yield the docstrings of a module's public functions, classes, methods and properties."""
    public = getattr(module, "__all__", None) or [name for name in dir(module) if not name.startswith("_")]
    for name in sorted(public):
        try:
            member = getattr(module, name, None)
        except ImportError:  # scikit-learn lists experimental names that need an import first
            continue
        members = [member]
        if inspect.isclass(member):
            members += [value for key, value in sorted(vars(member).items()) if not key.startswith("_")]
        for documented in members:
            text = getattr(documented, "__doc__", None)
            is_code = callable(documented) or isinstance(documented, property)
            if is_code and isinstance(text, str) and len(text.split()) >= MIN_WORDS:
                yield remove_random_parts(inspect.cleandoc(text))


def remove_random_parts(text: str) -> str:
    r"""Return a docstring without random output, and with its printed sets in alphabetical order.

    >>> remove_random_parts("by position ``{'y', 'x'}``\n>>> draw()\n4  # may vary\n>>> 1")
    "by position ``{'x', 'y'}``\n>>> draw()\n>>> 1"
    """
    ordered = PRINTED_SET.sub(lambda match: "{" + ", ".join(sorted(match[1].split(", "))) + "}", text)
    return RANDOM_OUTPUT.sub("", ordered)


def drop_similar(texts: Iterable[str]) -> Iterator[str]:
    """Yield the texts that are no near-duplicates of an earlier one.

    >>> list(drop_similar(["The sine of x.", "the sine of y", "a parser"]))
    ['The sine of x.', 'a parser']
    """
    bits: dict[str, int] = {}
    kept: list[int] = []
    for text in texts:
        # as integers with a bit for each word, sets are compared five times as fast
        words = sum(1 << bits.setdefault(word, len(bits)) for word in set(re.findall(r"\w\w+", text.lower())))
        if all((words & other).bit_count() < MAX_SIMILARITY * (words | other).bit_count() for other in kept):
            kept.append(words)
            yield text


def remove_headers(text: str) -> str:
    r"""Return the text after the first blank line.

    >>> remove_headers("From: me\n\nHello")
    'Hello'
    """
    return text.partition("\n\n")[2]


def remove_footer(text: str) -> str:
    r"""Return the text before the last blank line or line of hyphens, which separates a signature.

    >>> remove_footer("Hello\n--\nme")
    'Hello'
    """
    rows = text.strip().split("\n")
    breaks = [i for i, row in enumerate(rows) if not row.strip().strip("-")]
    return "\n".join(rows[: breaks[-1]]) if breaks and breaks[-1] > 0 else text


# Introductions and marks of quotations, as in scikit-learn's fetch_20newsgroups, so that results can be
# compared.
QUOTED = re.compile(r"^In article|^Quoted from|^\||^>|writes in|writes:|wrote:|says:|said:")


def remove_quotes(text: str) -> str:
    r"""Return the text without quoted lines and lines that introduce a quotation.

    >>> remove_quotes("You said:\n> Hello\nBye")
    'Bye'
    """
    return "\n".join(row for row in text.split("\n") if not QUOTED.search(row))


# in the order of application
REMOVALS = {"headers": remove_headers, "footers": remove_footer, "quotes": remove_quotes}
NEWSGROUP_PARTS = ("20news-bydate-train", "20news-bydate-test")


def read_newsgroups(path: Path, *, remove: Collection[str] = ()) -> Corpus:
    """Read the posts of 20 Newsgroups sorted by date, training first, in the order of their paths.

    remove : any of "headers", "footers", "quotes"
    """
    removals = [remove] if isinstance(remove, str) else remove
    for name in removals:
        check_name("removal", name, REMOVALS)
    posts = []
    for name, content in archive_members(path):
        folders = name.split("/")
        if folders[0] not in NEWSGROUP_PARTS or len(folders) != 3:
            message = f"{path} is not 20 Newsgroups sorted by date: unexpected member {name!r}"
            raise UnreadableFileError(message)
        is_test = folders[0] == NEWSGROUP_PARTS[1]
        posts.append((is_test, folders[1], folders[2], content.decode("latin-1")))
    posts.sort()
    texts = [text for *_, text in posts]
    for name, remove_part in REMOVALS.items():
        if name in removals:
            texts = [remove_part(text) for text in texts]
    split = ["test" if is_test else "train" for is_test, *_ in posts]
    return Corpus("20news", [group for _, group, *_ in posts], str(path), texts=texts, split=split)


# The attribute that defines the split, its values for training and test, and the values of TOPICS that are
# included; as defined in section VIII of the README of the distribution.
SPLITS = {
    "modapte": ("LEWISSPLIT", {"TRAIN": "train", "TEST": "test"}, ("YES",)),
    "modlewis": ("LEWISSPLIT", {"TRAIN": "train", "TEST": "test"}, ("YES", "NO")),
    "modhayes": ("CGISPLIT", {"TRAINING-SET": "train", "PUBLISHED-TESTSET": "test"}, ("YES", "NO", "BYPASS")),
}
# the SGML is parsed as text: no DTD, and no entities but single characters
ATTRIBUTE = re.compile(r'\b(\w+)="([^"]*)"')
ENTITY = re.compile(r"&(?:#(\d{1,3})|(lt|gt|amp));")
ENTITY_CHARACTERS = {"lt": "<", "gt": ">", "amp": "&"}


def read_reuters21578(path: Path, *, split: str = "modapte", categories: str = "all") -> Corpus:
    """Read the stories of a split, in the order of the files, with their lists of topics.

    split : "modapte", "modlewis" or "modhayes"; other stories are omitted
    categories : "all", or "both" for the topics of both training and test set, and the stories with them
    """
    check_name("split", split, SPLITS)
    check_name("choice of categories", categories, ("all", "both"))
    files = sorted((name, content) for name, content in archive_members(path) if name.endswith(".sgm"))
    if not files:
        raise UnreadableFileError(f"{path} is not Reuters-21578: it has no .sgm files")
    attribute, split_names, topic_marks = SPLITS[split]
    texts, labels, documents_split = [], [], []
    for name, content in files:
        for story in iter_stories(content.decode("latin-1"), f"{path}: {name}"):
            split_name = split_names.get(story.attributes.get(attribute, ""))
            if split_name and story.attributes.get("TOPICS") in topic_marks:
                texts.append(story.text)
                labels.append(story.topics)
                documents_split.append(split_name)
    corpus = Corpus("reuters21578", labels, str(path), texts=texts, split=documents_split)
    if categories == "all":
        return corpus
    shared = set(corpus.part("train").classes) & set(corpus.part("test").classes)
    labels = [[topic for topic in topics if topic in shared] for topics in labels]
    return replace(corpus, labels=labels).take([i for i, topics in enumerate(labels) if topics])


@dataclass(frozen=True, slots=True)
class Story:
    """Story with its attributes, such as LEWISSPLIT, its distinct topics, and its text."""

    attributes: dict[str, str]
    topics: list[str]
    text: str


def iter_stories(text: str, name: str) -> Iterator[Story]:
    """Yield the stories of one SGML file.

    name : name of the file in errors

    >>> page = "<REUTERS><TOPICS><D>tea</D></TOPICS><TEXT><TITLE>Tea &lt;T></TITLE></TEXT></REUTERS>"
    >>> next(iter_stories(page, "reut.sgm"))
    Story(attributes={}, topics=['tea'], text='Tea <T>')
    """
    # a "<" inside a story is written "&lt;", so each "<REUTERS" starts one
    for number, piece in enumerate(text.split("<REUTERS")[1:], 1):
        head, tag_end, remainder = piece.partition(">")
        body, end, _ = remainder.partition("</REUTERS>")
        attributes = dict(ATTRIBUTE.findall(head))
        title = f"story {attributes['NEWID']}" if "NEWID" in attributes else f"story number {number}"
        if not tag_end or not end:
            raise UnreadableFileError(f"{name} is truncated: {title} has no end tag")
        content = find_element("TEXT", body)
        if content is None:
            raise UnreadableFileError(f"{name}: {title} has no <TEXT>")
        # each topic ends with "</D>"
        items = [item.partition("<D>") for item in (find_element("TOPICS", body) or "").split("</D>")[:-1]]
        topics = list(dict.fromkeys(topic for _, tag, topic in items if tag))
        # the text of a brief story is its title, followed by filler: "Blah blah blah."
        # that of an unprocessed story has neither title nor body, and is used completely
        elements = [find_element("TITLE", content), find_element("BODY", content)]
        sections = [element for element in elements if element is not None] or [content]
        yield Story(attributes, topics, "\n\n".join(map(unescape_text, sections)))


def find_element(name: str, text: str) -> str | None:
    """Return the content of the first element with a name, if it has an end tag.

    The search takes linear time: without an end tag after the first start tag there is none after later ones.
    """
    tag = re.search(rf"<{name}\b", text)
    start = text.find(">", tag.end()) + 1 if tag else 0
    end = text.find(f"</{name}>", start) if start else -1
    return None if end < 0 else text[start:end]


def unescape_text(text: str) -> str:
    """Replace entities by their characters, and remove the control codes of the newswire.

    >>> unescape_text("&#2;AT&amp;T &lt;T> &copy;&#3;")
    'AT&T <T> &copy;'
    """

    def replace_entity(match: re.Match[str]) -> str:
        number, name = match.groups()
        if name:
            return ENTITY_CHARACTERS[name]
        return "" if int(number) < 32 or int(number) == 127 else chr(int(number))

    return ENTITY.sub(replace_entity, text).strip()


def read_reuters_apte(path: Path) -> Corpus:
    """Read the stories of ApteMod with their lists of categories, training first, by number."""
    files = read_apte_archive(path)
    listing = []
    for row in filter(str.strip, files["cats.txt"].splitlines()):
        name, *labels = row.split()
        folder, _, number = name.partition("/")
        if folder not in ("training", "test") or not number.isdecimal() or not labels:
            message = f"{path}: cats.txt has the invalid line {row!r}; expected a story and its categories"
            raise UnreadableFileError(message)
        if name not in files:
            raise UnreadableFileError(f"{path}: cats.txt lists {name!r}, which is not in the archive")
        listing.append((folder == "test", int(number), name, list(dict.fromkeys(labels))))
    listing.sort()
    texts = [files[name] for *_, name, _ in listing]
    split = ["test" if is_test else "train" for is_test, *_ in listing]
    return Corpus("reuters_apte", [topics for *_, topics in listing], str(path), texts=texts, split=split)


def read_apte_archive(path: Path) -> dict[str, str]:
    """Return the texts of the archive of ApteMod, by their paths below its folder."""
    files = {name.removeprefix("reuters/"): data.decode("latin-1") for name, data in archive_members(path)}
    for name in ("cats.txt", "stopwords"):
        if name not in files:
            raise UnreadableFileError(f"{path} is not ApteMod: it has no {name}")
    return files


def read_sms_spam(path: Path) -> Corpus:
    """Read the SMS Spam Collection: a line per message, label TAB text."""
    labels, texts, classes = [], [], ("ham", "spam")
    # split at "\n" alone: the messages contain characters at which str.splitlines would break
    rows = decode_bytes(path.read_bytes(), "utf-8", path).removesuffix("\n").split("\n")
    for number, row in enumerate(rows, 1):
        label, tab, text = row.partition("\t")
        if not tab:
            raise UnreadableFileError(f"line {number} of {path} has no tab between label and text")
        if label not in classes:
            message = f"line {number} of {path}: unknown class {label!r}; expected 'ham' or 'spam'"
            raise UnreadableFileError(message)
        labels.append(label)
        texts.append(text)
    return Corpus("sms_spam", labels, str(path), texts=texts)


# readers of corpora.csv by folder, in the order of the listing
READERS = {
    "reuters21578": read_reuters21578,
    "reuters_apte": read_reuters_apte,
    "20news": read_newsgroups,
    "sms_spam": read_sms_spam,
}
ENTRIES: tuple[Entry, ...] = (
    Entry(name="docstrings", reader=collect_docstrings),
    *(entry for folder, reader in READERS.items() for entry in entries_from_table(folder, reader)),
)
LISTED_COLUMNS = ("name", "state", "documents", "classes", "file")


def names() -> list[str]:
    """List the corpora that can be loaded.

    Returns
    -------
    list of str
        Names, in the order of the catalogue.

    Examples
    --------
    >>> names()[0]
    'docstrings'

    """
    return [entry.name for entry in ENTRIES]


def find_entry(name: str) -> Entry:
    """Return the catalogue entry of a corpus."""
    if name not in names():
        raise unknown_name_error("corpus", name, names())
    return ENTRIES[names().index(name)]


def reuters_stop_words(data_dir: DataDir = None) -> frozenset[str]:
    """Return the stop list that is part of the corpus reuters_apte."""
    return frozenset(
        read_apte_archive(find_entry("reuters_apte").require_path(data_dir))["stopwords"].split()
    )


def table(data_dir: DataDir = None) -> Table:
    """Return a row per corpus: its state, its facts, and the URL of its publisher.

    Parameters
    ----------
    data_dir : str or path, optional
        Folder of corpora (default: the environment variable TERMSIFT_DATA).

    Returns
    -------
    Table
        Columns name, state, documents, classes, file, bytes, sha256, where, citation and terms_of_use. The
        state is 'built in', 'found', 'missing' or 'wrong size'; file contents are not checked.

    Examples
    --------
    >>> table()["state"][0]
    'built in'

    """
    folder = data_folder(data_dir)
    columns = {
        "name": names(),
        "state": [entry.state(folder) for entry in ENTRIES],
        "documents": [entry.documents for entry in ENTRIES],
        "classes": [entry.classes for entry in ENTRIES],
        "file": [entry.file for entry in ENTRIES],
        "bytes": [entry.size or None for entry in ENTRIES],
        "sha256": [entry.sha256 for entry in ENTRIES],
        "where": [entry.home for entry in ENTRIES],
        "citation": [entry.citation for entry in ENTRIES],
        "terms_of_use": [entry.terms_of_use for entry in ENTRIES],
    }
    return Table({name: np.array(column, dtype=object) for name, column in columns.items()})


def format_listing(data_dir: DataDir = None) -> str:
    """Format the table for the terminal, with files of the wrong size and URLs of missing corpora."""
    corpora, folder = table(data_dir), data_folder(data_dir)
    columns = {}
    for name in LISTED_COLUMNS:
        # numbers are aligned to the right of their heading, and unknown ones are blank
        cells = [f"{v:>{len(name)},}" if isinstance(v, int) else str(v or "") for v in corpora[name]]
        columns[name] = np.array(cells, dtype=object)
    blocks = [format_table(Table(columns), max_rows=len(ENTRIES))]
    wrong = [entry for entry in ENTRIES if entry.state(folder) == "wrong size"]
    if folder is not None and wrong:
        sizes = [(entry, (folder / entry.file).stat().st_size) for entry in wrong]
        messages = [f"{entry.file} has {size:,} bytes, expected {entry.size:,}" for entry, size in sizes]
        blocks.append("\n".join(messages))
    missing: dict[str, list[str]] = {}
    for entry in ENTRIES:
        if entry.state(folder) == "missing":
            missing.setdefault(entry.home, []).append(entry.name)
    if missing:
        location = folder or f"not set; use {VARIABLE} or --data-dir"
        blocks.append(f"Data folder: {location}\nMissing files are available from their publishers:")
        width = max(map(len, missing))
        for home, titles in missing.items():
            remainder = f" and {len(titles) - 1} more" if len(titles) > 1 else ""
            blocks[-1] += f"\n  {home.ljust(width)}  {titles[0]}{remainder}"
    return "\n\n".join(blocks)
