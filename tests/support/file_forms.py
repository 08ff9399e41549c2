"""The same mail in every form that files come in: what is typed to read each."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import zipfile

import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.ipc as ipc
import pyarrow.parquet as pq

from mail_files import ROWS

FRAME = pd.DataFrame(ROWS, columns=["text", "label"])
CSV = FRAME.to_csv(index=False).encode()
JSON = FRAME.to_json(orient="records", force_ascii=False).encode()
JSONL = FRAME.to_json(orient="records", lines=True, force_ascii=False).encode()
TEXTS, LABELS = FRAME["text"].tolist(), FRAME["label"].tolist()
NUMBERS = ("--no-header", "--text", "1", "--label", "2")
PACKED = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


def in_file(name, content, *options):
    """A form that is one file of these bytes."""

    def made(folder):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content() if callable(content) else content)
        return [path, *options]

    return made


def in_files(files, *names, options=()):
    """A form that is several files: what is typed are some names, or else the folder."""

    def made(folder):
        for name, content in files.items():
            in_file(name, content)(folder)
        return [*(folder / name for name in names or ("",)), *options]

    return made


def cells(separator, **options):
    """The rows as a file of cells."""
    return FRAME.to_csv(index=False, sep=separator, **options).encode()


def arrow_bytes(writer):
    """The rows as Arrow writes them, in two batches."""
    sink, table = io.BytesIO(), pa.table({"text": TEXTS, "label": LABELS})
    with writer(sink, table.schema) as opened:
        opened.write_table(table, max_chunksize=3)
    return sink.getvalue()


def feather_bytes():
    """The rows as Feather, compressed."""
    sink = io.BytesIO()
    feather.write_feather(pa.table({"text": TEXTS, "label": LABELS}), sink, compression="zstd")
    return sink.getvalue()


def parquet_bytes(label=None):
    """The rows as Parquet; of a label without its column."""
    sink = io.BytesIO()
    own = FRAME if label is None else FRAME[FRAME["label"] == label][["text"]]
    pq.write_table(pa.Table.from_pandas(own, preserve_index=False), sink)
    return sink.getvalue()


def sheet_bytes(**options):
    """The rows as a sheet, after one of other things."""
    sink = io.BytesIO()
    with pd.ExcelWriter(sink, engine="openpyxl") as book:
        pd.DataFrame({"about": ["mail of two kinds"]}).to_excel(book, sheet_name="About", index=False)
        FRAME.to_excel(book, sheet_name="Mail", index=False, **options)
    return sink.getvalue()


def zip_bytes(files):
    """A zip of some files."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return sink.getvalue()


def halves(kind):
    """The rows in two files of a kind."""
    parts = [FRAME.iloc[:2], FRAME.iloc[2:]]
    if kind == "csv":
        return [part.to_csv(index=False).encode() for part in parts]
    return [part.to_json(orient="records", lines=True).encode() for part in parts]


def of_label(label):
    """The texts of a class as JSON lines."""
    own = [{"text": text} for text, name in ROWS if name == label]
    return "".join(json.dumps(row) + "\n" for row in own).encode()


DOCUMENTS = {f"{label}/deep/{i}.txt": text.encode() for i, (text, label) in enumerate(ROWS)}
FIRST, SECOND = halves("csv")
TWO_TEXTS = "\n".join(["title,body,label", *(f'"{t.split()[0]}","{" ".join(t.split()[1:])}",{c}'
                                              for t, c in ROWS if '"' not in t)]).encode()  # fmt: skip

FORMS = {
    "csv": in_file("m.csv", CSV),
    "csv, semicolons": in_file("m.csv", cells(";")),
    "csv, tabs": in_file("m.csv", cells("\t")),
    "csv, bars": in_file("m.csv", cells("|"), "--delimiter", "|"),
    "csv, tabs by name": in_file("m.csv", cells("\t"), "--delimiter", "tab"),
    "csv, no header": in_file("m.csv", cells(",", header=False), *NUMBERS),
    "csv, no header, semicolons": in_file("m.csv", cells(";", header=False), *NUMBERS),
    "csv, blank lines first": in_file("m.csv", b"\n\r\n" + CSV),
    "csv, utf-16": in_file("m.csv", CSV.decode().encode("utf-16")),
    "csv, utf-32": in_file("m.csv", CSV.decode().encode("utf-32")),
    "csv, mark of utf-8": in_file("m.csv", b"\xef\xbb\xbf" + CSV),
    "csv, gb18030": in_file("m.csv", CSV.decode().encode("gb18030"), "--encoding", "gb18030"),
    **{f"csv.{ending}": in_file(f"m.csv.{ending}", pack(CSV)) for ending, pack in PACKED.items()},
    "csv.bz2 of two streams": in_file("m.csv.bz2", bz2.compress(CSV[:50]) + bz2.compress(CSV[50:])),
    "tsv": in_file("m.tsv", "".join(f"{t}\t{c}\n" for t, c in [("text", "label"), *ROWS]).encode()),
    "tsv, quoted": in_file("m.tsv", cells("\t", quoting=1)),
    "tsv, quoted where need be": in_file("m.tsv", cells("\t")),
    "tsv, no header": in_file("m.tsv", cells("\t", quoting=1, header=False), *NUMBERS),
    "jsonl": in_file("m.jsonl", JSONL),
    **{f"jsonl.{ending}": in_file(f"m.jsonl.{ending}", pack(JSONL)) for ending, pack in PACKED.items()},
    "json": in_file("m.json", JSON),
    "json, indented": in_file("m.json", FRAME.to_json(orient="records", indent=2).encode()),
    "json, lines": in_file("m.json", JSONL),
    "json, utf-16": in_file("m.json", JSON.decode().encode("utf-16")),
    **{f"json.{ending}": in_file(f"m.json.{ending}", pack(JSON)) for ending, pack in PACKED.items()},
    "parquet": in_file("m.parquet", parquet_bytes),
    "arrow": in_file("m.arrow", lambda: arrow_bytes(ipc.new_file)),
    "arrow, stream": in_file("m.arrow", lambda: arrow_bytes(ipc.new_stream)),
    "feather": in_file("m.feather", feather_bytes),
    "xlsx": in_file("m.xlsx", sheet_bytes),
    "xlsx, no header": in_file("m.xlsx", lambda: sheet_bytes(header=False), *NUMBERS),
    "zip": in_file("m.zip", lambda: zip_bytes({"m.csv": CSV})),
    "zip of two": in_file("m.zip", lambda: zip_bytes({"a/1.csv": FIRST, "b/2.csv": SECOND})),
    "zip of gz": in_file("m.zip", lambda: zip_bytes({"m.jsonl.gz": gzip.compress(JSONL)})),
    "zip of a Mac": in_file("m.zip", lambda: zip_bytes({"m.json": JSON, "__MACOSX/._m.json": b"\0"})),
    "zip of classes": in_file("m.zip", lambda: zip_bytes(DOCUMENTS)),
    "zip of a folder of classes": in_file(
        "m.zip", lambda: zip_bytes({f"mail/{name}": text for name, text in DOCUMENTS.items()})
    ),
    "named otherwise": in_file("m.txt", JSONL, "--format", "jsonl"),
    "two files": in_files({"1.csv": FIRST, "2.csv.gz": gzip.compress(SECOND)}, "1.csv", "2.csv.gz"),
    "pattern": in_files({"1.csv": FIRST, "2.csv.gz": gzip.compress(SECOND)}, "*.csv*"),
    "folder": in_files({"1.csv": FIRST, "2.csv.gz": gzip.compress(SECOND), "_SUCCESS": b""}),
    "folder, nested": in_files({"2024/1.csv": FIRST, "2025/2.csv": SECOND}),
    "folder, nested, of classes": in_files({f"{c}/m.jsonl": of_label(c) for c in ("ham", "spam")}),
    "folder of partitions": in_files(
        {f"label={c}/year=2024/m.parquet": parquet_bytes(c) for c in ("ham", "spam")}
    ),
    "folder of partitions, jsonl": in_files({f"label={c}/m.jsonl": of_label(c) for c in ("ham", "spam")}),
    "folder of partitions, of which the file knows better": in_files(
        {"label=eggs/m.parquet": parquet_bytes()}
    ),
    "folder of texts": in_files(DOCUMENTS),
    "folder of texts, utf-16": in_files(
        {name: text.decode().encode("utf-16") for name, text in DOCUMENTS.items()}
    ),
    "folder of texts that end in .csv": in_files(
        {name.replace(".txt", ".csv"): text for name, text in DOCUMENTS.items()}, options=("--format", "text")
    ),
}
