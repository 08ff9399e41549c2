"""Messages of the library, as the command line says them."""

from __future__ import annotations

import ast
import io
import re
import sys
from pathlib import Path

import pytest

import termsift
from termsift.cli.console import OPTION_NAMES, to_command_line_terms
from termsift.cli.parser import full_app

SOURCE = Path(termsift.__file__).parent
# of messages that no command can meet: what they speak of is given in Python alone, or checked before
ELSEWHERE = {"texts", "labels", "scoring", "streaming", "analyzer", "keep_counts"}
FLAGS = {"header", "lowercase"}


def messages():
    """The texts of all errors and warnings of the source, values of f-strings as {}."""
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            if is_call and node.func.id in (
                "InvalidInputError",
                "UnknownNameError",
                "UnreadableFileError",
                "TermsiftWarning",
            ):
                yield from (text_of(one) for one in node.args)


def text_of(node):
    parts = [
        part for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)
    ]
    return "".join(part.value for part in parts)


def test_messages_are_collected_from_the_source():
    found = list(messages())
    assert len(found) > 300
    assert any("on_missing='skip'" in message for message in found)


def test_parameters_in_messages_are_options():
    written = {name for message in messages() for name in re.findall(r"(?<![\w.('])([a-z_]+)=(?!=)", message)}
    assert written - set(OPTION_NAMES) - FLAGS <= ELSEWHERE


def options_of_all_commands():
    app = full_app()
    commands = [app[name] for name in app if not name.startswith("-")]
    return {name for command in commands for a in command.assemble_argument_collection() for name in a.names}


def test_every_option_name_is_an_option_of_a_command():
    assert set(OPTION_NAMES.values()) <= options_of_all_commands()


def test_options_that_messages_name_are_in_option_names():
    parameters = {name.removeprefix("--").replace("-", "_") for name in options_of_all_commands()}
    missing = set()
    for message in messages():
        # as in console.py: a name with an underscore anywhere, a short one at the start of a message
        names = re.findall(r"(?<![^\s(])[a-z]+(?:_[a-z]+)+(?=[,;:.?)]?(?:\s|$))", message)
        names += re.findall(r"^[a-z]+(?= must | is for )", message)
        missing |= parameters & set(names) - set(OPTION_NAMES)
    assert not missing, f"{', '.join(sorted(missing))}: add to OPTION_NAMES in cli/console.py"


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("row 2 has no text: on_missing='skip'", "row 2 has no text: --on-missing skip"),
        ("min_df=9 is more than max_df=0.5: no", "--min-df 9 is more than --max-df 0.5: no"),
        ("name its columns by text= and label=", "name its columns by --text and --label"),
        ("ngram_range=(1, 2) is wrong", "--ngrams 1-2 is wrong"),
        ("token_pattern is not a regular expression", "--token-pattern is not a regular expression"),
        ("top must be at least 1, got 0", "--top must be at least 1, got 0"),
        ("k must be at least 1, got 0", "-k must be at least 1, got 0"),
        ("there, set header=False", "there, set --no-header"),
        ("html=True says so", "--html says so"),
        ("n_jobs must be at least 1", "--jobs must be at least 1"),
        (
            "a larger min_df; ts.count holds no documents",
            "a larger --min-df; termsift count holds no documents",
        ),
        ("/dev/stdin is empty", "standard input is empty"),
        # names of files, columns and metrics stay as they are
        ("there is no file label=2024/x.csv", "there is no file label=2024/x.csv"),
        ("days/label=x/a.csv is empty", "days/label=x/a.csv is empty"),
        ("column 'min_df' is not in a.csv", "column 'min_df' is not in a.csv"),
        ("write it as 'gu(printed=True)'", "write it as 'gu(printed=True)'"),
        ("the text must be short", "the text must be short"),
        ("no metric named 'k'", "no metric named 'k'"),
        (
            "there are no significant terms to draw; use expected=None to draw all terms",
            "there are no significant terms to draw; use --all to draw all terms",
        ),
    ],
)
def test_parameters_in_a_message_become_options(message, told):
    assert to_command_line_terms(message) == told


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "standard input is empty"),
        (b"text,label\n", "standard input has no rows"),
        (b"text,label\na,x\nb,\n", "row 2 of standard input has no label; fix it, or skip such rows"),
        (b"body,label\na,x\n", "column 'text' is not in standard input"),
    ],
)
def test_messages_call_it_standard_input(run, monkeypatch, content, told):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    code, _, err = run("score", "-")
    assert code == 1
    assert told in err
    assert "/" not in err


def test_messages_about_missing_values_name_the_option(run, tmp_path):
    (tmp_path / "mail.csv").write_text("text,label\na,x\nb,\n")
    assert "skip such rows: --on-missing skip" in run("score", tmp_path / "mail.csv")[2]


@pytest.mark.parametrize("command", ["score", "compare", "audit", "count"])
def test_one_column_for_text_and_label_is_a_one_line_error(run, mail, command):
    code, _, err = run(command, mail, "--text", "label")
    assert code == 1
    assert err.count("\n") == 1
    assert "column 'label'" in err
