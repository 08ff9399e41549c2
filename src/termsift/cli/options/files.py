"""How files are read, as every command that reads them has it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any

from cyclopts import Parameter

from termsift.machine.capacity import memory_size


@Parameter(name="*")
@dataclass(frozen=True)
class FileOptions:
    """How files are read."""

    text: Annotated[
        list[str],
        Parameter(
            consume_multiple=False, negative=(), help="A column of texts, 'text' if none; several are joined."
        ),
    ] = field(default_factory=list)
    no_header: Annotated[
        bool, Parameter(negative=(), help="The first row is a document too; columns are numbers from 1.")
    ] = False
    delimiter: Annotated[
        str | None,
        Parameter(help="What parts columns, such as '|' or tab, where it is not found by looking."),
    ] = None
    encoding: Annotated[
        str, Parameter(help="Of text files; 'auto' guesses that of each that is not UTF-8.")
    ] = "utf-8"
    encoding_errors: Annotated[
        str, Parameter(help="Bytes that are no text: 'strict', an error, or 'replace'.")
    ] = "strict"
    format: Annotated[
        str | None,
        Parameter(
            help="Where names do not say it: csv, tsv, jsonl, json, parquet, arrow, xlsx, zip; or text, "
            "where each file is a document; with Spark orc and table too. Of standard input csv, if none."
        ),
    ] = None

    @property
    def columns(self) -> str | list[str] | None:
        """The columns of texts, as `ts.count` takes them."""
        return self.text[0] if len(self.text) == 1 else self.text or None

    @property
    def reading(self) -> dict[str, Any]:
        """The other options, as `ts.count` takes them."""
        names = ("delimiter", "encoding", "encoding_errors", "format")
        return {"header": not self.no_header} | {name: getattr(self, name) for name in names}


FILES = FileOptions()
Memory = Annotated[
    str | None,
    Parameter(
        help="Megabytes, or as 500MB or 2GB: sums beyond it go to disk, 1 GB if none; compare takes a sample "
        "that fits, into half of what is free if none."
    ),
]


def memory_bytes(given: str) -> int:
    """Bytes of what is written: of a plain number megabytes."""
    return int(memory_size(f"{given}MB" if given.replace(".", "", 1).isdecimal() else given))
