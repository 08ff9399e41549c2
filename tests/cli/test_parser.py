"""The parser: a line per command, and modules that are imported when they are asked for."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys

import pytest

from termsift.cli import main
from termsift.cli.parser import COMMANDS, app_for

HEAVY = {"numpy", "scipy", "sklearn", "numba", "pyarrow", "duckdb", "rich.markdown", "termsift.cli.inputs"}


@pytest.mark.parametrize("name", COMMANDS)
def test_command_summary_is_the_first_line_of_its_docstring(name):
    assert (inspect.getdoc(app_for([name])[name].default_command) or "").splitlines()[0] == COMMANDS[name][1]


def test_help_lists_every_command_in_order(run):
    listed = [line.split()[1] for line in run("--help")[1].splitlines() if line.startswith("│ ")]
    assert list(COMMANDS) == sorted(COMMANDS)
    assert [name for name in listed if name in COMMANDS] == list(COMMANDS)


def test_only_the_requested_command_is_loaded():
    app = app_for(["merge", "--help"])
    assert [name for name in COMMANDS if app[name].default_command is not None] == ["merge"]
    app = app_for(["--help", "merge"])
    assert all(app[name].default_command is not None for name in COMMANDS)


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], [], ["scor"]])
def test_help_and_version_load_no_command(arguments):
    code = f"import sys\nfrom termsift.cli import main\ntry:\n    main({arguments!r})\nfinally:\n"
    code += "    import json; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert not HEAVY.intersection(json.loads(done.stdout.splitlines()[-1]))


COMPLETE = """
source "$1"
COMP_WORDS=(termsift score --ngr) COMP_CWORD=2
$(complete -p termsift | sed 's/.*-F \\([^ ]*\\).*/\\1/')
echo "${COMPREPLY[@]}"
"""


def test_installed_completion_completes_options_of_commands(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))  # it adds a line to .bashrc
    script = tmp_path / "termsift.bash"
    with pytest.raises(SystemExit, match="0"):
        main(["--install-completion", "--shell", "bash", "--output", str(script)])
    done = subprocess.run(
        ["bash", "-c", COMPLETE, "bash", str(script)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "--ngrams"
