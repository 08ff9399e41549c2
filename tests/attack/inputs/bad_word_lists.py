"""Lists of words with their counts that are damaged, odd or hostile."""

from __future__ import annotations

import random
from pathlib import Path

from bad_options import TEXTS
from changes import altered_file, packed_bytes, strange_texts
from trying import check

import termsift as ts

WORDS = ["free", "prize", "lunch", "noon", "grüße", "東京", "claim", "now", "the", "a"]
COUNTS = ["", " ", "-1", "1.5", "1e9", "0", "nan", "inf", "٣", " 5 ", "1_000", "0x10", "9" * 5000, "9" * 400]
COUNTS += [str(2**53), str(2**53 + 1), str(2**63), "\x1b[31m", "\u202e1", "+3"]


def word_list_bytes(rng: random.Random, delimiter: str) -> bytes:
    """A list of words, often with something odd in its header or rows."""
    header = ["term", "count"]
    if rng.random() < 0.2:
        header = rng.choice([header[::-1], ["id", *header], header * 2, ["term"], ["term", "count", "text"]])
    words = rng.sample(WORDS, rng.randrange(len(WORDS) + 1))
    rows = [[word, str(rng.choice([1, 7, 90, 10**6]))] for word in words]
    if rows and rng.random() < 0.5:
        odd = rng.choice(rows)
        odd[0], odd[1] = rng.choice(
            [(odd[0], rng.choice(COUNTS)), (rng.choice(strange_texts()), odd[1]), (rows[0][0], "3")]
        )
    lines = [delimiter.join(row + [""] * (len(header) - 2)) for row in [header, *rows]]
    return rng.choice(["\n", "\r\n"]).join(lines).encode("utf-8", "surrogatepass")


def a_word_list(rng: random.Random, folder: Path) -> None:
    """The attempt at lists of words, set beside texts, counts or another list."""
    ending, delimiter = rng.choice([("csv", ","), ("csv", ","), ("tsv", "\t")])
    packing = rng.choice(["", "", "gz", "zst"])
    path = folder / ".".join(filter(None, ["words", ending, packing]))
    content = word_list_bytes(rng, delimiter)
    if rng.random() < 0.4:
        path.write_bytes(packed_bytes(content, packing))
    else:
        altered_file(rng, path, content, packing)
    other = rng.choice([TEXTS, ts.count(TEXTS, ["all"] * len(TEXTS)), str(path)])
    pair = rng.choice([(other, path), (path, other)])
    found = ts.diff(*pair, metric=rng.choice([None, None, "log_ratio", "lrc"]))
    check(len(found.table(5)) <= 10, "more rows than were asked for")
    check(all("\n" not in line for line in found.sentences), "a sentence of several lines")
