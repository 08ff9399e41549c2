"""Write docs/promises.md: what is promised, and the figures of the last attack, which `make attack` writes."""

from __future__ import annotations

import csv
from pathlib import Path

from termsift.studies.pages import table_block

DOCS = Path(__file__).parent.parent
PAGE, TABLE = DOCS / "promises.md", DOCS / "attack.csv"
WORDS = """# What termsift promises

Written by `make docs`; the figures at the end are those of the last attack on each area. Do not edit.

termsift reads files of strangers, and runs where disks fill up and processes are killed.
This page says what then holds.

## What is read

CSV, TSV, JSON, JSON lines, plain or by gzip, zstd, bzip2 or xz; Parquet, Arrow, sheets of Excel; zips and folders of these; folders of classes; pipes; counts and selections that termsift saved; ARFF, svmlight, MATLAB 5, tar and the SGML of Reuters.
A name that exists is that file, whatever signs of a pattern it holds.
An address is fetched where a user typed it, by fsspec; no address that is read in a file is.
DuckDB opens the files it is told of and no others, and neither fetches nor loads extensions.
Archives are read in memory, or a member at a time in a folder that goes: a member that points out of its archive, a link, a device or an archive within is refused, and so is what would unpack to far more than it is.
A file that is no text is refused where text is read, with what it seems to be.

## What is never run

Nothing that is read is run as code.
Counts are Parquet and selections JSON; a policy or an analyzer in them is a name with plain values, looked up in a list.
There is no pickle. A saved pipeline is scikit-learn's, by skops.
Texts and labels reach a page escaped, and its policy allows its own two scripts and no network.
Cells leave in CSV as they are, also those that begin with `=`, `+`, `-` or `@`, so that what is written is what was read; a spreadsheet may take them for formulas: import such columns as text.

## What is checked

Everything from outside passes a checked constructor once; inside, values are trusted.
Of a matrix: types, shape, and every index before a compiled loop follows it.
Of saved counts: keys, types, lengths, the range and the order of indices, distinct terms and classes, finite and not negative values, sums that agree; pages and metadata carry checksums, so that a flipped bit is found.
Of labels, weights and options: kind, size and range.
What cannot be used is a `TermsiftError`: one printable line of at most 1,000 characters that says what is wrong and what would be right.
Estimators of scikit-learn answer as scikit-learn does where its own checks come first.

## The range of numbers

Counts and weights are 0 or from 2**-53 to 2**53, documents and occurrences at most 2**53 in all.
Within it every score of every metric is finite; beyond it is an error with the number.

## What survives

A file appears whole or not at all: it is written beside its place, brought to the disk, and moved.
Links are followed, modes kept, read-only files left alone, and an output that is also an input is refused.
Killed, interrupted, or out of disk or memory, a command leaves the old file as it was.
Interrupted or told to end, it leaves no temporaries; what a kill leaves is removed by the next command that writes there.
An interrupted study goes on, and gives the same bytes; a unit's file that was cut or altered is worked out again.

## What reaches a terminal

Tables for people and all errors are printable: control characters, marks that turn a line around and half surrogates are written out.
Data goes to stdout as UTF-8, talk to stderr.
A command ends with 0, with 1 and a line, with 128 and the number of a signal, or, by a fault of termsift's own, with 70 and a line that says how to see the traceback (`TERMSIFT_TRACEBACK=1`).

## The attack

`make attack` tries to break this: seeded generators of bad files, arrays, options and moments, random corpora beside an oracle of plain loops, and fuzzing that is guided by coverage.
A try passes when it works or gets such a line; a crash of the interpreter and a hang are failures.
A short run of the same is in the tests.
`make bounds`, a part of `make test`, compiles the loops with a check of every index and runs the tests that draw their input.

{figures}
"""
NONE = "This version has not been attacked in full yet."
LAST = (
    "The last attack on each area, {tries} tries in {areas} areas; failures: {failures}.\n"
    "An area of 0 tries has not been attacked in full since it was last changed.\n\n{table}"
)


def page() -> str:
    """The whole page."""
    return WORDS.format(figures=figures(attack_rows()))


def attack_rows() -> list[dict[str, str]]:
    """The lines of the last attack's table, if there was one."""
    if not TABLE.exists():
        return []
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def figures(rows: list[dict[str, str]]) -> str:
    """The last attack as a sentence and a table."""
    if not rows:
        return NONE
    tries, failures = (sum(int(row[name]) for row in rows) for name in ("tries", "failures"))
    shown = [{**row, "tries": f"{int(row['tries']):,}"} for row in rows]
    return LAST.format(
        tries=f"{tries:,}",
        areas=sum(row["tries"] != "0" for row in rows),
        failures=failures or "none",
        table=table_block(shown),
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
