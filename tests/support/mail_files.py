"""A few mails of two classes, and a file of each kind that holds them."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa

ROWS = [
    ("free prize, claim now", "spam"),
    ("free entry to win a prize", "spam"),
    ('lunch at "noon"?', "ham"),
    ("see you at noon; lunch is free", "ham"),
    ("grüße aus 東京 at noon", "ham"),
]


def written(folder, ending):
    """The rows as a file of each kind."""
    frame, path = pd.DataFrame(ROWS, columns=["text", "label"]), folder / f"mail{ending}"
    if ending == ".tsv":
        path.write_text(
            "text\tlabel\n" + "".join(f"{text}\t{label}\n" for text, label in ROWS), encoding="utf-8"
        )
    elif ending.startswith(".csv"):
        frame.to_csv(path, index=False, sep=";" if ending == ".csv" else ",")
    elif ending == ".jsonl.zst":
        with pa.CompressedOutputStream(str(path), "zstd") as stream:
            stream.write(frame.to_json(orient="records", lines=True).encode())
    elif ".jsonl" in ending:
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path)
    return path
