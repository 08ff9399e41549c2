"""Whether a Spark master answers: asked before a session, which would wait a minute for nothing."""

from __future__ import annotations

import socket
from typing import Any

from termsift.errors import EngineFailure, InvalidInput

PATIENCE = 6.0  # seconds for a connection, and again for an answer
PORTS = {"spark": 7077, "sc": 15002}


def master_hosts(master: str) -> list[tuple[str, int]]:
    """The hosts and ports of a master's address; none of one that Spark finds by itself, such as yarn."""
    kind, _, rest = master.partition("://")
    if kind in PORTS and rest:
        return [host_and_port(host.partition("/")[0], PORTS[kind]) for host in rest.split(",")]
    if not master.startswith(("local", "yarn", "k8s://")):
        raise InvalidInput(f"no master like {master!r}; use local[*], spark://host:port, yarn or k8s://...")
    return []


def host_and_port(host: str, usual: int) -> tuple[str, int]:
    """A host's name and its port, or the usual one."""
    name, _, port = host.partition(":")
    if port and not port.isdigit():
        raise InvalidInput(f"{port!r} is not the number of a port")
    return name, int(port or usual)


def check_reachable(master: str) -> None:
    """An error unless something listens at one of the hosts of a master's address."""
    faults = [unreachable(*host) for host in master_hosts(master)]
    if faults and all(faults):
        raise EngineFailure(f"the master {master} does not answer: {faults[0]}")


def unreachable(host: str, port: int) -> str | None:
    """Why no connection can be had, or None where one can."""
    try:
        with socket.create_connection((host, port), timeout=PATIENCE):
            return None
    except TimeoutError:
        return f"no word within {PATIENCE:.0f} seconds"
    except (OSError, OverflowError) as error:
        return str(getattr(error, "strerror", None) or error)


def check_master(master: str, jvm: Any) -> None:
    """An error unless one of the hosts of spark://... answers Spark's own question for its master."""
    hosts = master_hosts(master) if master.startswith("spark://") else []
    if hosts and not any(answers(jvm, host, port) for host, port in hosts):
        raise EngineFailure(
            f"the master {master} does not answer within {PATIENCE:.0f} seconds as a Spark master does"
        )


def answers(jvm: Any, host: str, port: int) -> bool:
    """Whether Spark finds a master there, by the settings and secrets that its session will have."""
    from py4j.protocol import Py4JJavaError

    environment = rpc_environment(jvm)
    try:
        environment.setupEndpointRef(jvm.org.apache.spark.rpc.RpcAddress(host, port), "Master")
    except Py4JJavaError:
        return False
    else:
        return True
    finally:
        environment.shutdown()


def rpc_environment(jvm: Any) -> Any:
    """What Spark asks others through, with our patience."""
    spark = jvm.org.apache.spark
    conf = spark.SparkConf()
    for name in ("spark.rpc.lookupTimeout", "spark.rpc.askTimeout"):
        conf.set(name, f"{PATIENCE * 1000:.0f}ms")
    secret = getattr(getattr(spark.internal.config, "package$"), "MODULE$").AUTH_SECRET_FILE()
    security = spark.SecurityManager(conf, jvm.scala.Option.empty(), secret)
    own_name = spark.util.Utils.localHostName()
    return spark.rpc.RpcEnv.create("termsift", own_name, 0, conf, security, True)
