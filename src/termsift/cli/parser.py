"""The parser of the command line. A command's module is imported when the command is asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from importlib import import_module

import cyclopts

import termsift as ts

# a line per command: the module that has a function of its name, and how the docstring of that begins
COMMANDS = {
    "audit": ("analysis", "Say what is wrong with labelled data before anybody trains on it."),
    "compare": ("compare", "Show the words of each class; say which metric to trust, and how many terms to keep."),
    "corpora": ("commands", "List the corpora that can be named in place of a file: which are there, and where to get the rest."),
    "count": ("commands", "Count the terms of each class, once; every metric can then be tried on the saved counts."),
    "diff": ("analysis", "Show what a corpus says more than another, and what it says less."),
    "evaluate": ("models", "Say how well a saved model does on labelled documents it was not fitted to, and which words mislead it."),
    "explain": ("models", "Say which words decided, for a class and against it, and by how much: they add up to the margin."),
    "landscape": ("commands", "Draw the contours of a metric over the rates of a term inside and outside a class."),
    "merge": ("analysis", "Add saved counts: of parts of a corpus, of days, of machines; the same as counting all at once."),
    "metrics": ("commands", "List the metrics: name, sides, what they need, options, formula, source."),
    "predict": ("models", "Label documents by a saved model: a row for each, with its number, what is kept of it, and its label."),
    "report": ("compare", "Write a page to look at: the words of each class, a map of terms, words in context, metrics, corpus."),
    "score": ("commands", "Show the terms that tell a class from the rest, best first, and where chance begins."),
    "select": ("commands", "Choose terms, best first, one a line: a vocabulary for scikit-learn's CountVectorizer."),
    "warm": ("commands", "Compile all loops now, so that nobody waits for it: for images, and machines of many users."),
}  # fmt: skip


def app_for(arguments: Sequence[str]) -> cyclopts.App:
    """The parser for some arguments, with their command alone; where they have none, with no more than names."""
    if arguments and arguments[0] in COMMANDS:
        return app_with(arguments[:1])
    if COMMANDS.keys().isdisjoint(arguments):
        return app_with(())
    return app_with(COMMANDS)


def app_with(loaded: Collection[str]) -> cyclopts.App:
    """The parser with some commands as they are, the others as a line of its help."""
    # what reads Markdown takes a third of the time of the shortest help, which has none
    app = cyclopts.App(
        name="termsift",
        help="Find the terms that tell classes of text apart.",
        version=ts.__version__,
        help_format="markdown" if loaded else "plaintext",
        result_action="return_value",
    )
    for name, (_, summary) in COMMANDS.items():
        if name in loaded:
            app.command(command_function(name), name=name)
        else:
            app.command(cyclopts.App(name=name, help=summary))
    return app


def full_app() -> cyclopts.App:
    """The parser with all commands."""
    return app_with(COMMANDS)


def command_function(name: str) -> Callable[..., None]:
    """The function of a command."""
    function: Callable[..., None] = getattr(import_module(f"termsift.cli.{COMMANDS[name][0]}"), name)
    return function
