"""Parser of the command line. The module of a command is imported only when the command is used."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from importlib import import_module

import cyclopts

import termsift as ts

# each command: the module with the function of its name, and the first sentence of its docstring
COMMANDS = {
    "audit": ("analysis", "Check labelled data for duplicates, leakage, label errors and other problems."),
    "benchmark": ("compare", "Compare methods on every class of several corpora, each against the rest."),
    "compare": ("compare", "Find out which metric, number of terms and classifier suit your data; save the best model."),
    "concordance": ("analysis", "Show every occurrence of a term in its context (keyword in context)."),
    "corpora": ("commands", "List the corpora that can be named instead of a file, and where to get them."),
    "count": ("commands", "Count the terms of each class and save the counts for other commands."),
    "diff": ("analysis", "List the terms that are over- and under-represented in one corpus against another (keyness)."),
    "evaluate": ("models", "Evaluate a saved model on labelled documents, and list the words that mislead it."),
    "explain": ("models", "Show each word's contribution to the decision value of a prediction."),
    "export": ("models", "Export a saved model as a scikit-learn pipeline, for use without termsift."),
    "keyness": ("analysis", "List words more frequent in one corpus than another, with log-likelihood, effect sizes, dispersion."),
    "landscape": ("commands", "Draw the isoclines of a metric in ROC space."),
    "merge": ("commands", "Add saved counts, e.g. of days or machines; the result equals counting everything at once."),
    "metrics": ("commands", "List the metrics: name, direction, required counts, options, formula, source."),
    "predict": ("models", "Label documents with a saved model: one row per document with its number and label."),
    "report": ("compare", "Write an HTML page: the words of each class, a map of terms, words in context, metrics, corpus."),
    "score": ("commands", "List the terms that distinguish each class, best first, with significance."),
    "select": ("commands", "Select terms and print them one per line, best first: a vocabulary for CountVectorizer."),
    "warm": ("commands", "Precompile all kernels, for container images and shared machines."),
}  # fmt: skip

INSTALL_COMPLETION = "--install-completion"
INSTALL_SUMMARY = "Install completion of commands and options for bash, zsh or fish."

# Flags have no --no-FLAG, options are repeated for several values, and defaults that say nothing are hidden.
# The help of a parameter is in the docstring of its command or of its class of options.
PARAMETER_DEFAULTS = cyclopts.Parameter(
    negative=(),
    consume_multiple=False,
    show_default=lambda value: None if value is False or value == [] else value,
)


def app_for(arguments: Sequence[str]) -> cyclopts.App:
    """Return the parser for some arguments; only the command that they name is loaded."""
    if arguments and arguments[0] in COMMANDS:
        return build_app(arguments[:1])
    if arguments and arguments[0] == INSTALL_COMPLETION:
        app = full_app()
        app.register_install_completion_command(INSTALL_COMPLETION)
        return app
    # no command is named: help, version or a mistake
    if COMMANDS.keys().isdisjoint(arguments):
        return build_app(())
    return build_app(COMMANDS)


def full_app() -> cyclopts.App:
    """Return the parser with all commands loaded."""
    return build_app(COMMANDS)


def build_app(commands: Collection[str]) -> cyclopts.App:
    """Build the parser with some commands loaded, and the others as a line of its help."""
    # importing a Markdown parser takes a third of the time of the shortest help, which has no Markdown
    app = cyclopts.App(
        name="termsift",
        help="Find the terms that distinguish classes of text. With --quiet, a command prints only errors on stderr.",
        version=ts.__version__,
        help_format="markdown" if commands else "plaintext",
        result_action="return_value",
        default_parameter=PARAMETER_DEFAULTS,
    )
    for name, (module, summary) in COMMANDS.items():
        if name in commands:
            app.command(getattr(import_module(f"termsift.cli.{module}"), name), name=name)
        else:
            app.command(cyclopts.App(name=name, help=summary))
    if not commands:  # it completes the options of every command, so it loads all of them when it is run
        app.command(cyclopts.App(name=INSTALL_COMPLETION, help=INSTALL_SUMMARY))
    return app
