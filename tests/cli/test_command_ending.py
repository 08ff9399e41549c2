"""How a command ends, whatever happens: one line at most, an exit code, nothing left."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import textwrap

import pytest

import termsift as ts
from termsift._internal.files import atomic_write, scratch_folder
from termsift.cli import main
from termsift.cli.console import TRACEBACK_VARIABLE, ExitHandler

COMMAND = [sys.executable, "-c", "from termsift.cli import main; main()"]


def ended(work, *given):
    """The exit code of a command that does some work."""
    with pytest.raises(SystemExit) as stop, ExitHandler():
        work(*given)
    return stop.value.code


def fail(error):
    if error is not None:
        raise error


def end_twice():
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    finally:
        os.kill(os.getpid(), signal.SIGHUP)
        raise ImportError("cannot import name")


class TestCodes:
    @pytest.mark.parametrize(
        ("error", "code", "line"),
        [
            (None, 0, ""),
            (BrokenPipeError(32, "Broken pipe"), 0, ""),
            (KeyboardInterrupt(), 130, ""),
            (SystemExit(3), 3, ""),
            (
                ts.InvalidInputError("k must be at least 1,\n\x1b got 0"),
                1,
                "termsift: -k must be at least 1, \\x1b got 0",
            ),
            (
                PermissionError(13, "Permission denied", "a.csv"),
                1,
                "termsift: [Errno 13] Permission denied: 'a.csv'",
            ),
            (MemoryError(), 1, "termsift: not enough memory; use fewer documents"),
        ],
        ids=repr,
    )
    def test_expected_errors_have_a_code_and_at_most_one_line(self, capsys, error, code, line):
        assert ended(fail, error) == code
        err = capsys.readouterr().err
        assert err.startswith(line)
        assert err.count("\n") == bool(line)

    def test_internal_errors_explain_how_to_get_the_traceback(self, capsys, monkeypatch):
        monkeypatch.delenv(TRACEBACK_VARIABLE)
        assert ended(fail, KeyError("place\n" * 900)) == 70
        err = capsys.readouterr().err
        assert err.startswith("termsift: KeyError: ")
        assert "Run again with TERMSIFT_TRACEBACK=1 for the traceback and report it" in err
        assert err.count("\n") == 1
        assert len(err) < 1010

    def test_errors_near_the_memory_limit_are_reported_as_such(self, capsys, monkeypatch):
        monkeypatch.delenv(TRACEBACK_VARIABLE)
        monkeypatch.setattr("termsift._internal.resources.nearly_exhausted_limit", lambda: 800 << 20)
        assert ended(fail, RuntimeError("can't start new thread")) == 1
        err = capsys.readouterr().err
        assert err == (
            "termsift: not enough memory: the process is limited to 839 MB (ulimit -v); "
            "libraries reserve up to 2.0 GB of it, so allow that more than --memory\n"
        )

    def test_libraries_that_cannot_be_loaded_under_a_limit_are_reported_as_memory(self, capsys, monkeypatch):
        monkeypatch.setattr("termsift._internal.resources.nearly_exhausted_limit", lambda: 700 << 20)
        assert ended(fail, OSError("Could not find/load shared object file 'libllvmlite.so'")) == 1
        assert capsys.readouterr().err.startswith(
            "termsift: not enough memory: the process is limited to 734 MB"
        )
        assert ended(fail, FileNotFoundError(2, "No such file", "a.csv")) == 1
        assert capsys.readouterr().err == "termsift: [Errno 2] No such file: 'a.csv'\n"

    def test_internal_errors_are_raised_with_the_traceback_variable(self):
        with pytest.raises(KeyError), ExitHandler():
            raise KeyError


class TestSignals:
    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    def test_signals_remove_temporary_files_and_set_the_exit_code(self, tmp_path, monkeypatch, number):
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        # whoever started the tests may have had it ignored
        before = signal.signal(number, signal.SIG_DFL)
        try:
            with (
                pytest.raises(SystemExit) as stop,
                ExitHandler(),
                scratch_folder(),
                atomic_write(tmp_path / "new"),
            ):
                os.kill(os.getpid(), number)
            assert signal.getsignal(number) == signal.SIG_DFL
        finally:
            signal.signal(number, before)
        assert stop.value.code == 128 + number
        assert os.listdir(tmp_path) == []

    def test_the_first_signal_determines_the_exit_code(self):
        assert ended(end_twice) == 143

    def test_a_signal_in_a_finalizer_is_silent_and_sets_the_exit_code(self, capfd):
        class Finalized:
            def __del__(self):
                os.kill(os.getpid(), signal.SIGTERM)

        assert ended(Finalized) == 143
        assert capfd.readouterr().err == ""

    def test_ignored_signals_stay_ignored(self, monkeypatch):
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        try:
            assert ended(os.kill, os.getpid(), signal.SIGHUP) == 0
        finally:
            signal.signal(signal.SIGHUP, before)

    def test_ctrl_c_during_imports_exits_quietly(self):
        code = """
            import os, signal, sys
            signal.signal(signal.SIGINT, signal.default_int_handler)
            class Interrupting:
                def find_spec(self, name, *rest):
                    if name == "numpy":
                        os.kill(os.getpid(), signal.SIGINT)
            sys.meta_path.insert(0, Interrupting())
            from termsift.cli import main
            main(["metrics"])
        """
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


class TestClosedStreams:
    def test_closed_stdin_is_an_error(self, run, monkeypatch):
        monkeypatch.setattr(sys, "stdin", None)
        assert run("count", "-") == (1, "", "termsift: standard input is closed; give a file instead\n")

    @pytest.mark.parametrize("arguments", [["metrics"], ["metrics", "--json"], ["select", "MAIL", "-k", "2"]])
    def test_closed_stdout_is_an_error(self, capsys, monkeypatch, mail, arguments):
        monkeypatch.setattr(sys, "stdout", None)
        with pytest.raises(SystemExit) as stop:
            main([argument.replace("MAIL", str(mail)) for argument in arguments])
        assert stop.value.code == 1
        assert (
            capsys.readouterr().err
            == "termsift: standard output is closed; open it, or write to a file with -o\n"
        )

    @pytest.mark.parametrize("closed", ["2>&-", "<&- >&- 2>&-"])
    def test_messages_are_not_written_to_an_output_file(self, mail, tmp_path, closed):
        terms = tmp_path / "terms"
        line = f"{shlex.join([*COMMAND, 'select', str(mail), '-k', '3', '-o', str(terms)])} {closed}"
        done = subprocess.run(line, shell=True, capture_output=True, check=False)
        assert (done.returncode, done.stdout) == (0, b"")
        assert terms.read_text(encoding="utf-8").split() == ts.select(ts.count(mail), "bns", ts.TopK(3))

    def test_a_full_stdout_is_an_error(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([*COMMAND, "metrics"], stdout=full, stderr=subprocess.PIPE, check=False)
        assert done.returncode == 1
        assert done.stderr == b"termsift: [Errno 28] No space left on device\n"


def test_a_report_needs_docstrings(mail, tmp_path):
    command = [sys.executable, "-OO", *COMMAND[1:], "report", str(mail), "-o", str(tmp_path / "r.html")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    message = "charts need Altair, which requires docstrings; run Python without -OO"
    assert done.stderr == f"termsift: {message}\n"
