"""The parser: a line per command, and modules that are imported when they are asked for."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys

import pytest

from termsift.cli.parser import COMMANDS, app_for, command_function

HEAVY = {"numpy", "scipy", "sklearn", "numba", "pyarrow", "duckdb", "rich.markdown", "termsift.cli.data"}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_of_a_command_is_the_first_of_its_docstring(name):
    assert (inspect.getdoc(command_function(name)) or "").splitlines()[0] == COMMANDS[name][1]


def test_every_command_is_in_the_help_and_in_the_order_of_names(run):
    listed = [line.split()[1] for line in run("--help")[1].splitlines() if line.startswith("│ ")]
    assert list(COMMANDS) == sorted(COMMANDS)
    assert [name for name in listed if name in COMMANDS] == list(COMMANDS)


def test_of_the_commands_the_one_that_is_asked_for_is_loaded():
    app = app_for(["merge", "--help"])
    assert [name for name in COMMANDS if app[name].default_command is not None] == ["merge"]
    app = app_for(["--help", "merge"])
    assert all(app[name].default_command is not None for name in COMMANDS)


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], [], ["scor"]])
def test_what_needs_no_command_loads_none(arguments):
    code = f"import sys\nfrom termsift.cli import main\ntry:\n    main({arguments!r})\nfinally:\n"
    code += "    import json; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert not HEAVY.intersection(json.loads(done.stdout.splitlines()[-1]))
