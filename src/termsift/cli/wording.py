"""Messages in the words of the command line: the library speaks of names, a command of its options."""

from __future__ import annotations

import re
import tempfile

STREAM = "standard-input"  # what the copy of standard input is called
# what an option is called where it is not the name with a dash for each underscore
OTHERWISE = {
    "n_jobs": "--jobs",
    "random_state": "--seed",
    "token_pattern": "--pattern",
    "ngram_range": "--ngrams",
    "stemmer": "--stem",
    "metrics": "--metric",
    "classifiers": "--classifier",
    "for_class": "--class",
    "groups": "--group",
    "level": "--level",
}
SAME = (
    "text", "label", "separator", "on_missing", "encoding", "encoding_errors", "delimiter", "format",
    "memory", "group", "words", "stop_words", "normalize", "hashtags", "segmenter", "html", "min_length",
    "min_df", "max_df", "keep_parts", "drop_copies", "against", "side", "top", "expected", "goal", "folds",
    "repeats", "budget", "k", "policy", "reduce", "effect", "adjust", "fail_on", "title", "strip_accents",
)  # fmt: skip
OPTIONS = {name: f"--{name.replace('_', '-')}" for name in SAME} | OTHERWISE
# what is written as a flag of its own
FLAGS = {"header=False": "--no-header", "lowercase=False": "--keep-case"}
COMMANDS = ("count", "score", "select", "compare", "report", "audit", "diff", "metrics", "corpora")
LITERAL = r"""'[^']*'|"[^"]*"|\([^()]*\)|-?\d+(?:\.\d+)?|True|False|None"""
NAMES = "|".join(sorted(OPTIONS, key=len, reverse=True))
LONG = "|".join(name for name in OPTIONS if "_" in name)
BEFORE, AFTER = r"(?<![^\s(])", r"(?=[,;:.?)]?(?:\s|$))"
GIVEN = re.compile(rf"{BEFORE}({NAMES})=({LITERAL})?{AFTER}")
BARE = re.compile(rf"{BEFORE}({LONG}){AFTER}|^({NAMES})(?= must )")
CALL = re.compile(rf"\b(?:ts|termsift)\.({'|'.join(COMMANDS)})(?:\(\))?(?![\w(])")


def command_words(message: str) -> str:
    """A message of the library as the command line has it.

    >>> command_words("row 2 has no label; leave such rows out: on_missing='skip'")
    'row 2 has no label; leave such rows out: --on-missing skip'
    >>> command_words("k must be at least 1, got 0"), command_words("a larger min_df; ts.count holds none")
    ('-k must be at least 1, got 0', 'a larger --min-df; termsift count holds none')
    """
    for written, flag in FLAGS.items():
        message = message.replace(written, flag)
    message = GIVEN.sub(lambda found: told_option(found[1], found[2]), message)
    message = BARE.sub(lambda found: told_option(found[1] or found[2], None), message)
    return stream_name().sub("standard input", CALL.sub(r"termsift \1", message))


def told_option(name: str, value: str | None) -> str:
    """An option with its value as it is typed."""
    option = "-k" if name == "k" else OPTIONS[name]
    if value is None or value == "True":
        return option
    if name == "ngram_range":
        value = "-".join(re.findall(r"\d+", value))
    return f"{option} {value.strip(chr(39) + chr(34))}"


def stream_name() -> re.Pattern[str]:
    """Standard input by the names that a library has for it: the device, or the copy of it."""
    folder = re.escape(tempfile.gettempdir())
    return re.compile(rf"{folder}/[^/\s]+/{STREAM}\.\w+(?:\.\w+)?|/dev/stdin\b")
