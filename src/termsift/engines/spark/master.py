"""Whether a master of Spark answers: a question, before Java starts and waits a minute for nothing."""

from __future__ import annotations

import socket
import struct

from termsift.errors import EngineFailure, InvalidInput

PATIENCE = 10.0  # seconds for an answer
PORTS = {"spark": 7077, "sc": 15002}
# Spark's own frames: length, type, and for a request the name of a stream; nobody has one of this name
REQUEST, FAILURES = 6, (5, 8)
STREAM = b"/files/termsift"
QUESTION = struct.pack(">qBi", 13 + len(STREAM), REQUEST, len(STREAM)) + STREAM


def check_master(master: str) -> None:
    """An error unless one of the hosts of a master's address answers."""
    kind, _, rest = master.partition("://")
    if kind not in PORTS or not rest:
        if not master.startswith(("local", "yarn", "k8s://")):
            raise InvalidInput(
                f"no master like {master!r}; use local[*], spark://host:port, yarn or k8s://..."
            )
        return
    hosts = [host.partition("/")[0] for host in rest.split(",")]
    faults = [silence(host, kind) for host in hosts]
    if all(faults):
        raise EngineFailure(f"the master {master} does not answer: {faults[0]}")


def silence(host: str, kind: str) -> str | None:
    """Why a host does not answer as a master does, or None if it does."""
    name, _, port = host.partition(":")
    if port and not port.isdigit():
        raise InvalidInput(f"{port!r} is not the number of a port")
    try:
        with socket.create_connection((name, int(port or PORTS[kind])), timeout=PATIENCE) as connection:
            return None if kind == "sc" else strange_answer(connection)
    except TimeoutError:
        return f"no word within {PATIENCE:.0f} seconds"
    except (OSError, OverflowError) as error:
        return str(getattr(error, "strerror", None) or error)


def strange_answer(connection: socket.socket) -> str | None:
    """What is wrong with the answer to a request for a stream that is not there; None for Spark's own."""
    connection.sendall(QUESTION)
    answer = b""
    while len(answer) < 9:
        more = connection.recv(64)
        if not more:
            return "what listens there is no master of Spark"
        answer += more
    return None if answer[8] in FAILURES else "what listens there is no master of Spark"
