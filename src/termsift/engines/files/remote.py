"""Files at an address, by fsspec: fetched when the user names the address, and for no other reason."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from termsift.errors import EngineFailure, UnreadableFile
from termsift.output import told_disk_faults

# what reads addresses of each kind
LIBRARIES = {
    **dict.fromkeys(("http", "https"), "fsspec[http]"),
    "s3": "s3fs",
    **dict.fromkeys(("gs", "gcs"), "gcsfs"),
    **dict.fromkeys(("abfs", "abfss", "az"), "adlfs"),
    "hf": "huggingface_hub",
}
ADDRESS = re.compile(rf"({'|'.join(LIBRARIES)})://.+", flags=re.DOTALL | re.IGNORECASE)
# what the libraries raise beside the errors of Python: the module, once it is loaded, and the class
FOREIGN = (
    ("aiohttp", "ClientError"),
    ("botocore.exceptions", "BotoCoreError"),
    ("google.auth.exceptions", "GoogleAuthError"),
    ("azure.core.exceptions", "AzureError"),
    ("huggingface_hub.errors", "HfHubHTTPError"),
)
SILENCE = 60.0  # seconds in which nothing comes


def is_address(name: str) -> bool:
    """Whether the name is an address, and not a file that is there."""
    return ADDRESS.fullmatch(name) is not None and not os.path.exists(name)


def address_path(address: str) -> str:
    """The path of an address, whose ending says the format."""
    with told_failures(address):
        return urlsplit(address).path


def remote_names(address: str) -> dict[str, str] | None:
    """The files below an address, or that match it as a pattern: names and addresses; None of a file's own.

    On the web a question mark begins a query, and there are no folders: an address is a file.
    """
    if address.lower().startswith("http"):
        return None
    with told_failures(address):
        system, path = opened_system(address)
        is_pattern = any(mark in path for mark in "*?[")
        if not is_pattern and not system.isdir(path):
            return None
        found = sorted(system.glob(path) if is_pattern else system.find(path))
        start = 0 if is_pattern else len(path.rstrip("/")) + 1
        return {name[start:]: str(system.unstrip_protocol(name)) for name in found}


def fetch(address: str, target: Path) -> None:
    """Write what is at an address to a file."""
    with told_failures(address), told_disk_faults(target):
        system, path = opened_system(address)
        system.get_file(path, str(target))


def opened_system(address: str) -> tuple[Any, str]:
    """The file system of an address, and the path in it."""
    kind = address.split(":", 1)[0].lower()
    try:
        from fsspec.core import url_to_fs

        options: dict[str, Any] = {"client_kwargs": patience()} if kind.startswith("http") else {}
        system, path = url_to_fs(address, skip_instance_cache=True, **options)
    except ImportError as error:
        raise EngineFailure(
            f"to read {kind}:// termsift needs {LIBRARIES[kind]}: pip install '{LIBRARIES[kind]}'"
        ) from error
    return system, str(path)


def patience() -> dict[str, Any]:
    """A large file takes its time, as long as something comes."""
    from aiohttp import ClientTimeout

    return {"timeout": ClientTimeout(total=None, sock_connect=SILENCE, sock_read=SILENCE)}


@contextmanager
def told_failures(address: str) -> Iterator[None]:
    """What the libraries raise of an address, as one line that names it."""
    try:
        yield
    except (UnreadableFile, EngineFailure):
        raise
    except FileNotFoundError as error:
        raise UnreadableFile(f"there is no file {address}") from error
    except (OSError, ValueError, LookupError, RuntimeError, TypeError) as error:
        raise unreachable(address, error) from error
    except foreign_faults() as error:
        raise unreachable(address, error) from error


def unreachable(address: str, error: BaseException) -> UnreadableFile:
    """The error for an address that cannot be read."""
    return UnreadableFile(f"{address} cannot be read: {str(error)[:300] or type(error).__name__}")


def foreign_faults() -> tuple[type[BaseException], ...]:
    """The errors of those libraries that are loaded."""
    found = (getattr(sys.modules.get(module), name, None) for module, name in FOREIGN)
    return tuple(kind for kind in found if kind is not None)
