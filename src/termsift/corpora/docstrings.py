"""The built-in corpus: public docstrings, each in the class of the module it belongs to.

It needs no file: every document is already on the machine, in the standard library
and in the packages termsift depends on. So its size follows their versions.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

from termsift.corpora.corpus import Corpus
from termsift.corpora.entry import Entry

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


ENTRY = Entry(name="docstrings", reader=read_docstrings)
