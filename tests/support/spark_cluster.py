"""A standalone cluster of Spark on loopback: processes that a test starts, finds and kills."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

READY = 60.0  # seconds for a process to say that it is there
MASTER, WORKER = "org.apache.spark.deploy.master.Master", "org.apache.spark.deploy.worker.Worker"


class Cluster:
    """A master and two workers, each a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.port, self.workers = free_port(), []
        options = ["--host", "127.0.0.1", "--port", str(self.port), "--webui-port", "0"]
        self.master = started(MASTER, *options)
        try:
            heard(self.master, "I have been elected leader")
            options = ["--cores", "1", "--memory", "1g", "--host", "127.0.0.1", "--webui-port", "0"]
            for name in ("worker0", "worker1"):
                place = ["--work-dir", str(folder / name)]
                self.workers.append(started(WORKER, self.url, *options, *place))
            for worker in self.workers:
                heard(worker, "Successfully registered with master")
        except BaseException:
            self.stop()
            raise

    @property
    def url(self) -> str:
        return f"spark://127.0.0.1:{self.port}"

    def worker_of(self, pid: int) -> subprocess.Popen:
        """The worker that is an ancestor of a process."""
        pids = {worker.pid: worker for worker in self.workers}
        while pid not in pids:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        return pids[pid]

    def stop(self) -> None:
        for process in (*self.workers, self.master):
            process.kill()
            process.wait()
            process.stdout.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def started(role: str, *options: str) -> subprocess.Popen:
    """A process of Spark."""
    import pyspark

    command = [str(Path(pyspark.__file__).parent / "bin" / "spark-class"), role, *options]
    environment = os.environ | {
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        # executors have it from their worker: they live for seconds
        "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)


def heard(process: subprocess.Popen, said: str) -> None:
    """Wait until a process has said something."""
    so_far, deadline = b"", time.monotonic() + READY
    while said.encode() not in so_far:
        ready, _, _ = select.select([process.stdout], [], [], max(deadline - time.monotonic(), 0))
        more = os.read(process.stdout.fileno(), 1 << 16) if ready else b""
        if not more:
            raise RuntimeError(f"{process.args[1]} does not start: {so_far[-2000:].decode()}")
        so_far += more


@dataclass(frozen=True)
class Fatal:
    """An analyzer that leaves a note and comes to grief where it first meets the word 'trap'."""

    note: str
    grief: str

    def __call__(self, text: str) -> list[str]:
        if "trap" in text:
            try:
                with open(self.note, "x") as file:
                    file.write(f"{os.getpid()}\n")
            except FileExistsError:
                pass
            else:
                GRIEFS[self.grief]()
        return text.split()


def wait_for_death() -> None:
    """Work until the parent is gone."""
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(0.02)
    os._exit(1)


def exhaust_memory() -> None:
    """Ask for more than Spark lets a worker of Python have."""
    bytearray(1 << 36)


GRIEFS = {"memory": exhaust_memory, "killed": wait_for_death}
