"""Folders of classes on Spark: each file is a document, and the folder it is in its class."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa

from termsift.engines.files.input_files import FoundFile, InputFile
from termsift.engines.files.readers.class_texts import class_name, content_of, texts_of
from termsift.engines.files.readers.columns import WantedColumns
from termsift.engines.spark.columns import quoted
from termsift.engines.spark.faults import quiet
from termsift.engines.spark.paths import is_address
from termsift.engines.spark.readers.decoding import Encoding, united
from termsift.errors import UnreadableFile

PART = 256  # documents that are read at a time
NAMES = ("text", "label")


@dataclass(frozen=True, slots=True)
class ClassTexts:
    """From names of files to texts and classes; a value that travels to the workers.

    folder : what holds a folder for each class
    """

    folder: str
    encoding: Encoding

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """The documents of a partition: of names that workers open, or with what Spark has read of each."""
        for batch in batches:
            for start in range(0, len(batch), PART):
                yield self.documents(batch.slice(start, PART))

    def documents(self, batch: Any) -> Any:
        """The texts and classes of some files."""
        names, contents = self.read(batch) if "content" in batch.schema.names else self.opened(batch)
        file = InputFile(self.folder, self.folder, encoding=self.encoding.name, errors=self.encoding.errors)
        labels = [class_name(name, self.folder) for name in names]
        return pa.record_batch([texts_of(names, contents, file), pa.array(labels, pa.string())], names=NAMES)

    def opened(self, batch: Any) -> tuple[list[str], list[bytes]]:
        """Names below the folder, and the contents of the files."""
        names = batch.column("name").to_pylist()
        return names, [content_of(self.folder, name) for name in names]

    def read(self, batch: Any) -> tuple[list[str], list[bytes]]:
        """The same of whole paths and contents; what lies in the folder itself is of no class."""
        parts = urlsplit(self.folder)
        root = f"{parts.netloc}{parts.path}".rstrip("/") + "/"
        found = zip(batch.column("path").to_pylist(), batch.column("content").to_pylist(), strict=True)
        named = [(path.partition(root)[2], content) for path, content in found]
        inside = [(name, content) for name, content in named if "/" in name]
        return [name for name, _ in inside], [content for _, content in inside]


def class_frame(spark: Any, folders: Sequence[FoundFile], wanted: WantedColumns) -> Any:
    """The documents of folders of classes."""
    if wanted.group is not None:
        raise UnreadableFile(f"{folders[0].told} is a folder for each class, which has no column of groups")
    encoding = Encoding(wanted.encoding, wanted.errors)
    frame = united(
        documents_at(spark, folder.path, encoding)
        if is_address(folder.path)
        else documents_in(spark, folder, encoding)
        for folder in folders
    )
    text, label = (quoted(str(wanted.columns[role])) for role in NAMES)
    return frame.selectExpr(f"text AS {text}", f"label AS {label}")


def documents_in(spark: Any, folder: FoundFile, encoding: Encoding) -> Any:
    """The documents of a folder of this machine: workers open what the engine of files would."""
    if not folder.documents:
        raise UnreadableFile(f"{folder.told} is a folder without folders of files for each class")
    with quiet():
        names = spark.createDataFrame(pa.table({"name": list(folder.documents)}))
        return names.mapInArrow(ClassTexts(folder.path, encoding), "text STRING, label STRING")


def documents_at(spark: Any, address: str, encoding: Encoding) -> Any:
    """The documents of a folder at an address, which Spark reads."""
    files = spark.read.format("binaryFile").option("recursiveFileLookup", True).load(address)
    with quiet():
        return files.select("path", "content").mapInArrow(
            ClassTexts(address, encoding), "text STRING, label STRING"
        )
