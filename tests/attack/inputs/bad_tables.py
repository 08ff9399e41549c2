"""JSON arrays, Arrow files, sheets and zips that are damaged, odd or hostile; rows without a header."""

from __future__ import annotations

import io
import json
import random
import zipfile
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pyarrow as pa
import pyarrow.ipc as ipc
from bad_files import MADE, documents, json_value, odd_column, quoted, reading, used
from changes import altered_bytes, altered_file, strange_names, strange_texts

import termsift as ts


def json_bytes(rng: random.Random) -> bytes:
    """An array of objects, often with something odd in it, or something else than an array."""
    rows: list[Any] = [{"text": json_value(rng, t), "label": json_value(rng, c)} for t, c in documents(rng)]
    if rng.random() < 0.3:
        odd = [1, None, [], {}, "a", [rows[:1]], {"text": "a"}, {"text": ["a"], "label": {"b": 1}}]
        rows.insert(rng.randrange(len(rows) + 1), rng.choice(odd))
    written = json.dumps(rows, indent=rng.choice([None, None, 1]))
    if rng.random() < 0.25:
        whole = [
            written[:-1],
            written + written,
            written[1:-1],
            "[" * 5000,
            json.dumps({"data": rows}),
            "[]",
            "{}",
        ]
        whole += [
            written + ",",
            written[:-1] + ",",
            "\n".join(map(json.dumps, rows)),
            '"text"',
            "1",
            "null",
            " ",
        ]
        written = rng.choice(whole)
    return written.encode("utf-8", "surrogatepass")


def arrow_bytes(rng: random.Random) -> bytes:
    """An Arrow file or stream, often with columns of other types, twice, or missing."""
    rows = documents(rng)
    columns = [pa.array([row[i] for row in rows], pa.string()) for i in range(2)]
    if rng.random() < 0.4:
        i = rng.randrange(2)
        columns[i] = odd_column(rng, [row[i] for row in rows])
    names = ["text", "label"]
    if rng.random() < 0.15:
        names = rng.choice([["text", "text"], ["TEXT", "Label"], ["text", "a\0b"], ["text", ""]])
    table = pa.Table.from_arrays(columns, names=names)
    sink = io.BytesIO()
    options = ipc.IpcWriteOptions(compression=rng.choice([None, None, "zstd", "lz4"]))
    with rng.choice([ipc.new_file, ipc.new_stream])(sink, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=rng.choice([1, 5, 100]))
    return sink.getvalue()


SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
NUMBERS = ["0", "1", "-1.5", "1e308", "1e400", "nan", "", "9" * 400, "45000.5", "TRUE", "#REF!"]


def sheet_cell(rng: random.Random, place: str, text: str) -> str:
    """A cell of a sheet, mostly a text."""
    if rng.random() < 0.05:
        kind = rng.choice(["n", "b", "e", "d", "s", "str", "odd"])
        return f'<c r="{place}" t="{kind}"><v>{rng.choice(NUMBERS)}</v></c>'
    shown = escape("".join(sign for sign in text if sign >= " " and not "\ud800" <= sign <= "\udfff"))
    return f'<c r="{place}" t="inlineStr"><is><t>{shown}</t></is></c>'


def sheet_parts(rng: random.Random) -> dict[str, str]:
    """The parts of a workbook by name."""
    rows = [("text", "label"), *documents(rng)]
    places = [
        rng.choice(["ZZZZ9", "A0", "", "A99999999999", "XFD1048576"]) if rng.random() < 0.01 else ""
        for _ in rows
    ]
    cells = [
        "".join(sheet_cell(rng, odd or f"{'AB'[j]}{i}", cell) for j, cell in enumerate(row))
        for i, (row, odd) in enumerate(zip(rows, places, strict=True), 1)
    ]
    body = "".join(f'<row r="{i}">{row}</row>' for i, row in enumerate(cells, 1))
    size = rng.choice(["A1:B9", "A1:B9", "A1", "A1:XFD1048576", "B9:A1", ""])
    return {
        "[Content_Types].xml": f'<Types xmlns="{TYPES}">'
        + f'<Override PartName="/xl/workbook.xml" ContentType="{SHEET_TYPE}.sheet.main+xml"/>'
        + f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{SHEET_TYPE}.worksheet+xml"/>'
        + "</Types>",
        "_rels/.rels": f'<Relationships xmlns="{LINKS}"><Relationship Id="r1" Type="{OFFICE}/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{SHEET}" xmlns:r="{OFFICE}"><sheets><sheet name="Mail" '
        'sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{LINKS}"><Relationship Id="r1" '
        f'Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{SHEET}"><dimension ref="{size}"/><sheetData>{body}'
        "</sheetData></worksheet>",
    }


def xlsx_bytes(rng: random.Random) -> bytes:
    """A workbook, one of whose parts is often damaged or gone."""
    parts = {name: part.encode() for name, part in sheet_parts(rng).items()}
    if rng.random() < 0.5:
        name = rng.choice(list(parts))
        parts[name] = altered_bytes(rng, parts[name])
    if rng.random() < 0.1:
        parts.pop(rng.choice(list(parts)))
    return packed_members(rng, parts)


def packed_members(rng: random.Random, members: dict[str, bytes]) -> bytes:
    """A zip of some members."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return sink.getvalue()


def zip_bytes(rng: random.Random) -> bytes:
    """A zip of files of documents or of classes, often with odd members: out of it, far too large."""
    kinds = ["csv", "tsv", "jsonl", "parquet", "json", "arrow"]
    kind = rng.choice(kinds)
    members = {
        f"{rng.choice(['', 'a/', 'label=x/'])}{i}.{kind}": MADE[kind](rng)
        for i in range(rng.choice([1, 1, 3]))
    }
    if rng.random() < 0.3:
        members = {f"{label}/{i}.txt": text.encode() for i, (text, label) in enumerate(documents(rng))}
    if rng.random() < 0.4:
        name = rng.choice(
            [
                "../out.csv",
                "/out.csv",
                "C:/out.csv",
                "a\\..\\..\\out.csv",
                "in.zip",
                "big.csv",
                "readme.md",
                ".hidden",
                "p.png",
            ]
            + [
                name
                for name in strange_names()
                if name and "\0" not in name and name.isprintable() and len(name) < 300
            ]
        )
        contents = [bytes(1 << 25) if name == "big.csv" else b"a", b"PK\x03\x04", b"\x89PNG\r\n\x1a\n", b""]
        members[name] = rng.choice(contents)
    return packed_members(rng, members)


NEW = {"json": json_bytes, "arrow": arrow_bytes, "xlsx": xlsx_bytes, "zip": zip_bytes}
MADE |= NEW


def rows_without_header(rng: random.Random, folder: Path) -> None:
    """The attempt at CSV and TSV without a header, whose columns are numbers."""
    ending = rng.choice(["csv", "csv", "tsv", "csv.gz", "csv.xz"])
    mark = "\t" if ending == "tsv" else rng.choice([",", ",", ";", "|", "\t"])
    rows = [[text, label, "x"][: rng.choice([2, 2, 2, 3])] for text, label in documents(rng)]
    if rng.random() < 0.3:
        rng.choice(rows)[0] = rng.choice(strange_texts())
    lines = [mark.join(map(quoted, row)) for row in rows]
    content = "\n".join(lines).encode("utf-8", "surrogatepass")
    path = altered_file(rng, folder / f"mail.{ending}", content, ending.partition(".")[2])
    columns = {
        "text": rng.choice([1, 1, [1, 2], "1", 9, 0, [1, 1]]),
        "label": rng.choice([2, 2, 2, "2", 3, "", -1, True]),
    }
    options = reading(rng) | columns | {"header": False}
    if rng.random() < 0.4:
        options["delimiter"] = rng.choice([",", ";", "|", "\t", "tab", "||", "", "a", "\n", 5, "\0"])
    used(ts.count(path, **options))
