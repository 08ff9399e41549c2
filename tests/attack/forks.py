"""Commands in forks of a process that has imported everything and started no thread of ours."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn

from trying import MEMORY

LONGEST = 90.0
UNCAUGHT = 99  # the code of a fork that an exception has left
SOFT = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@dataclass(frozen=True)
class Ended:
    """How a forked command ended: its code, minus the signal where one ended it, its talk, its seconds.

    begun : whether it had taken signals over when one was sent; before and after, they meet nothing of ours
    """

    code: int
    err: str
    seconds: float
    begun: bool = True


@lru_cache(maxsize=1)
def imported() -> None:
    """Import all that commands import, and load the loops of counting, so that forks need not."""
    import altair  # noqa: F401
    import duckdb  # noqa: F401
    import numba  # noqa: F401

    import termsift as ts
    import termsift.analysis
    import termsift.cli.parser
    import termsift.compare
    import termsift.engines.files.counting
    import termsift.report.charts
    import termsift.report.page

    keep_vega_script()
    # on this thread alone: a lock that another held when a fork was made would stay locked there
    counts = ts.count(["free prize", "lunch now"], ["spam", "ham"], n_jobs=1)
    for metric in ("bns", "chi2", "ig", "g2"):
        ts.score(counts, metric)


def keep_vega_script() -> None:
    """Have the script of pages made once, by another process: its engine starts threads."""
    import vl_convert

    from termsift.report.charts import vega_script

    code = "from termsift.report.charts import vega_script as made; print(made(), end='')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, encoding="utf-8")
    real = vl_convert.javascript_bundle
    try:
        vl_convert.javascript_bundle = lambda *given, **more: done.stdout
        vega_script()
    finally:
        vl_convert.javascript_bundle = real


def forked(
    call: Callable[[], Any],
    kill: int | None = None,
    after: float = 0.0,
    before: Callable[[], None] | None = None,
) -> Ended:
    """Run a call in a fork of this process, and send it a signal after some seconds."""
    imported()
    # a pipe, which grows where files may not
    source, talk = os.pipe()
    os.set_blocking(source, False)
    signal.pthread_sigmask(signal.SIG_BLOCK, SOFT)
    begin = time.monotonic()
    pid = os.fork()
    if pid == 0:
        run_fork(call, talk, before)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SOFT)
    os.close(talk)
    begun = True
    if kill is not None:
        while time.monotonic() - begin < after and not ended_at_once(pid):
            time.sleep(min(0.002, after))
        begun = catches(pid, signal.SIGTERM)
        os.kill(pid, kill)
    code = os.waitstatus_to_exitcode(waited(pid))
    with open(source, "rb") as told:
        err = (told.read() or b"").decode("utf-8", "replace")
    return Ended(code, err, time.monotonic() - begin, begun)


def ended_at_once(pid: int) -> bool:
    """Whether a process has ended; it stays to be waited for."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def catches(pid: int, number: int) -> bool:
    """Whether a process has a handler of its own for a signal."""
    status = Path(f"/proc/{pid}/status").read_text()
    mask = int(status.split("SigCgt:")[1].split()[0], 16)
    return bool(mask >> (number - 1) & 1)


def waited(pid: int) -> int:
    """The status of a process, which is killed when it takes too long."""
    begin = time.monotonic()
    while not ended_at_once(pid):
        if time.monotonic() - begin > LONGEST:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.002)
    return os.waitpid(pid, 0)[1]


def run_fork(call: Callable[[], Any], talk: int, before: Callable[[], None] | None) -> NoReturn:
    """The fork's part: it ends with the code of the command, and never returns, whatever is raised."""
    code = UNCAUGHT
    try:
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, SOFT)
            code = exit_code(call, talk, before)
        finally:
            signal.pthread_sigmask(signal.SIG_BLOCK, SOFT)
            if code == UNCAUGHT:
                os.write(talk, traceback.format_exc().encode("utf-8", "replace")[-4000:])
    finally:
        os._exit(code)


def exit_code(call: Callable[[], Any], talk: int, before: Callable[[], None] | None) -> int:
    """The exit code of a command that talks to a pipe."""
    os.dup2(talk, 2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
    # the engine of pictures reserves far more addresses than it uses: what is written to is bounded
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    if before is not None:
        before()
    try:
        call()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 1
    finally:
        sys.stderr.flush()
    return 0


def command(*words: object) -> Callable[[], Any]:
    """A call of a command."""
    from termsift.cli import main

    return lambda: main([str(word) for word in words])
