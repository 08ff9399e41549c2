"""The built-in corpus: public docstrings, each in the class of the module it belongs to.

It needs no file: every document is already on the machine, in the standard library
and in the packages termsift depends on. So its size follows their versions.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from termsift._internal.errors import UnreadableFileError, quote_names, unknown_name_error
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
from termsift.corpora.readers import NEWSGROUPS_ENTRY, REUTERS21578_ENTRY, REUTERS_APTE_ENTRY

# More special modules first: a text found in two modules stays with the first.
MODULES = (
    "numpy.linalg", "numpy.fft", "numpy.random", "scipy.cluster.hierarchy", "scipy.fft", "scipy.integrate",
    "scipy.interpolate", "scipy.linalg", "scipy.ndimage", "scipy.optimize", "scipy.signal", "scipy.sparse",
    "scipy.spatial", "scipy.special", "scipy.stats", "sklearn.cluster", "sklearn.datasets",
    "sklearn.ensemble", "sklearn.feature_extraction.text", "sklearn.linear_model", "sklearn.metrics",
    "sklearn.model_selection", "sklearn.preprocessing", "pyarrow.compute", "pyarrow", "numpy", "argparse",
    "asyncio", "datetime", "decimal", "email.message", "logging", "pathlib", "statistics", "unittest",
)  # fmt: skip
FEWEST_WORDS = 15


def read_docstrings() -> Corpus:
    """Collect the docstrings."""
    found: dict[str, str] = {}
    for name in MODULES:
        for text in docstrings(import_module(name)):
            found.setdefault(text, name)
    return Corpus(
        name="docstrings",
        texts=list(found),
        labels=list(found.values()),
        source="docstrings of the standard library and of the packages termsift depends on",
        terms_of_use="the licence of each package",
    )


def docstrings(module: ModuleType) -> Iterator[str]:
    """The docstrings of a module's public functions, classes, methods and properties."""
    public = getattr(module, "__all__", None) or [name for name in dir(module) if not name.startswith("_")]
    for name in sorted(public):
        thing = member(module, name)
        yield from text_of(thing)
        if inspect.isclass(thing):
            for key, value in sorted(vars(thing).items()):
                if not key.startswith("_"):
                    yield from text_of(value)


def member(module: ModuleType, name: str) -> Any:
    """A module's member; None for one that is listed but cannot be had."""
    try:
        return getattr(module, name, None)
    except ImportError:  # scikit-learn lists experimental names that want an import of their own
        return None


def text_of(thing: Any) -> Iterator[str]:
    """The docstring of something that does something, if it says anything."""
    text = getattr(thing, "__doc__", None)
    does = callable(thing) or isinstance(thing, property)
    if does and isinstance(text, str) and len(text.split()) >= FEWEST_WORDS:
        yield inspect.cleandoc(text)


HAM_OR_SPAM = ("ham", "spam")


def read_sms_spam(path: Path) -> Corpus:
    """The SMS Spam Collection: a line per message, label TAB text."""
    # by "\n" alone: the messages hold characters at which str.splitlines would break
    lines = decode_bytes(path.read_bytes(), "utf-8", path).removesuffix("\n").split("\n")
    pairs = [message(line, i, path) for i, line in enumerate(lines, 1)]
    labels, texts = [label for label, _ in pairs], [text for _, text in pairs]
    return Corpus("sms_spam", labels, str(path), texts=texts)


def message(line: str, number: int, path: Path) -> tuple[str, str]:
    """Label and text of a line."""
    label, tab, text = line.partition("\t")
    if not tab:
        raise UnreadableFileError(f"line {number} of {path} has no tab between label and text")
    if label not in HAM_OR_SPAM:
        raise UnreadableFileError(
            f"line {number} of {path}: class {label!r} is not in the list: {quote_names(HAM_OR_SPAM)}"
        )
    return label, text


ENTRIES: tuple[Entry, ...] = (
    Entry(name="docstrings", reader=read_docstrings),
    REUTERS21578_ENTRY,
    REUTERS_APTE_ENTRY,
    NEWSGROUPS_ENTRY,
    *entries_from_table("sms_spam", read_sms_spam),
)
SHOWN = ("name", "state", "documents", "classes", "file")


def names() -> list[str]:
    """The corpora that can be loaded, in the order of the catalogue.

    >>> names()[0]
    'docstrings'
    """
    return [entry.name for entry in ENTRIES]


def find_entry(name: str) -> Entry:
    """The entry of a corpus."""
    for entry in ENTRIES:
        if entry.name == name:
            return entry
    raise unknown_name_error("corpus", name, names())


def table(data_dir: DataDir = None) -> Table:
    """A row per corpus: its state, its facts, and where its publisher offers it.

    The state is 'built in', 'found', 'missing' or 'wrong size'; file contents are not checked.

    data_dir : the folder of corpora; by default the one in TERMSIFT_DATA

    >>> table()["state"][0]
    'built in'
    """
    folder = data_folder(data_dir)
    columns = {
        "name": [entry.name for entry in ENTRIES],
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
    """The listing for people: a table, files to mend, and where the publishers offer what is missing."""
    corpora, folder = table(data_dir), data_folder(data_dir)
    shown = {
        name: np.array([cell(value, len(name)) for value in corpora[name]], dtype=object) for name in SHOWN
    }
    blocks = [format_table(Table(shown), max_rows=len(ENTRIES))]
    wrong = [entry for entry in ENTRIES if entry.state(folder) == "wrong size"]
    missing = [entry for entry in ENTRIES if entry.state(folder) == "missing"]
    if folder is not None and wrong:
        sizes = [(entry, (folder / entry.file).stat().st_size) for entry in wrong]
        lines = [f"{entry.file} has {size:,} bytes, not {entry.size:,}" for entry, size in sizes]
        blocks.append("\n".join(lines))
    if missing:
        where = folder or f"the folder that {VARIABLE} or --data-dir names"
        blocks.append(
            f"Files are looked for below {where}.\nPublishers offer what is missing:\n{offers(missing)}"
        )
    return "\n\n".join(blocks)


def cell(value: object, width: int) -> str:
    """A value as people read it: numbers to the right, nothing where it is not known."""
    return f"{value:>{width},}" if isinstance(value, int) else str(value or "")


def offers(entries: list[Entry]) -> str:
    """A line per publisher: the address, the first corpus it offers, and how many more."""
    by_home: dict[str, list[str]] = {}
    for entry in entries:
        by_home.setdefault(entry.home, []).append(entry.name)
    width = max(map(len, by_home))
    more = {home: f" and {len(own) - 1} more" if len(own) > 1 else "" for home, own in by_home.items()}
    return "\n".join(f"  {home.ljust(width)}  {own[0]}{more[home]}" for home, own in by_home.items())
