"""Which files a path names, and their format: a file, a pattern, a folder of Parquet files or of classes."""

from __future__ import annotations

import glob
import os
from pathlib import Path

from termsift.errors import UnreadableFile

FORMATS = {
    ".csv": "CSV",
    ".tsv": "TSV",
    ".tab": "TSV",
    ".jsonl": "JSONL",
    ".ndjson": "JSONL",
    ".parquet": "Parquet",
}
COMPRESSIONS = (".gz", ".zst")


def has_classes(path: str) -> bool:
    """Whether the path is a folder, and not one of Parquet files."""
    return os.path.isdir(path) and not parquet_files(path)


def parquet_files(folder: str) -> list[str]:
    """The Parquet files of a folder, in order; like Spark, which writes such folders, without marked ones."""
    files = glob.glob(os.path.join(glob.escape(folder), "*.parquet"))
    return sorted(name for name in files if not os.path.basename(name).startswith(("_", ".")))


def folder_files(path: str) -> list[str]:
    """The files of a folder of folders, in order."""
    return sorted(
        str(file) for file in Path(path).glob("*/**/*") if file.is_file() and not file.name.startswith(".")
    )


def matching(path: str) -> list[str]:
    """The file of that name, or the files that match the pattern, in order."""
    if has_classes(path):
        raise UnreadableFile(
            f"{path} is a folder; give a file, or a pattern such as {path.rstrip('/')}/*.csv"
        )
    files = parquet_files(path) if os.path.isdir(path) else [path] if os.path.exists(path) else []
    files = files or sorted(glob.glob(path, recursive=True))
    if not files:
        raise UnreadableFile(f"there is no file {path}")
    for name in files:
        if os.path.getsize(name) == 0:
            raise UnreadableFile(f"{name} is empty")
    return files


def file_format(files: list[str]) -> str:
    """The format the files' names say, one for all."""
    kinds = {FORMATS.get(suffix(name)) for name in files}
    unknown_name = next((name for name in files if suffix(name) not in FORMATS), None)
    if unknown_name is not None:
        raise UnreadableFile(
            f"cannot tell the format of {unknown_name}; its name must end in {', '.join(FORMATS)}"
        )
    if len(kinds) > 1:
        raise UnreadableFile(f"the files are of different formats: {', '.join(sorted(map(str, kinds)))}")
    return str(kinds.pop())


def suffix(name: str) -> str:
    """The ending that names the format, that of the compression left off."""
    path = Path(name.lower())
    return Path(path.stem).suffix if path.suffix in COMPRESSIONS else path.suffix
