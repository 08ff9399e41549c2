"""Folders of classes with entries that no reader expects."""

from __future__ import annotations

import os
import random
import socket
from pathlib import Path

from bad_files import documents, reading
from changes import altered_bytes

import termsift as ts


def a_folder(rng: random.Random, folder: Path) -> None:
    """The attempt at folders of classes."""
    root = folder / "mail"
    root.mkdir()
    for i, (text, label) in enumerate(documents(rng)):
        (root / label).mkdir(exist_ok=True)
        content = text.encode()
        (root / label / f"{i}.txt").write_bytes(
            altered_bytes(rng, content) if rng.random() < 0.2 else content
        )
    for _ in range(rng.choice([0, 1, 3])):
        rng.choice(ODD_ENTRIES)(rng, rng.choice([root, *root.iterdir()]))
    ts.count(root, **reading(rng)) if rng.random() < 0.7 else ts.corpora.read_folder(root)


def odd_name(rng: random.Random) -> bytes:
    """A name of a file as only bytes can be."""
    return rng.choice(
        [
            b"\xff\xfe",
            b"new\nline",
            b"\x1b[31m",
            "\u202e".encode(),
            b" ",
            b"n" * 255,
            b"[1]*?",
            b".hidden",
            b"a.parquet",
        ]
    )


def odd_file(rng: random.Random, folder: Path) -> None:
    """A file of an odd name."""
    made = Path(os.fsdecode(os.path.join(os.fsencode(folder), odd_name(rng))))
    if folder.is_dir() and not made.is_dir():
        made.write_bytes(altered_bytes(rng, b"free prize"))


def odd_folder(rng: random.Random, folder: Path) -> None:
    """A folder of an odd name, with a document or without."""
    made = Path(os.fsdecode(os.path.join(os.fsencode(folder), odd_name(rng))))
    if not folder.is_dir() or made.is_file():
        return
    made.mkdir(exist_ok=True)
    if rng.random() < 0.6:
        (made / "1.txt").write_text("lunch at noon")


def odd_link(rng: random.Random, folder: Path) -> None:
    """A link to nothing, to itself, to the folder above, to a device."""
    place = folder / "link"
    if folder.is_dir() and not place.is_symlink():
        place.symlink_to(rng.choice(["nowhere", "link", "..", "/dev/null", "."]))


def odd_socket(rng: random.Random, folder: Path) -> None:
    """A socket among files."""
    if folder.is_dir() and len(str(folder)) < 90 and not (folder / "socket").exists():
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(folder / "socket"))


ODD_ENTRIES = [odd_file, odd_file, odd_folder, odd_folder, odd_link, odd_socket]
