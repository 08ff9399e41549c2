"""Write docs/promises.md: the promises, and the figures of the last attack, which `make attack` writes."""

from __future__ import annotations

import csv
from pathlib import Path

from termsift_studies.publishing import table_block

DOCS = Path(__file__).parent.parent
PAGE, TABLE = DOCS / "promises.md", DOCS / "attack.csv"
WORDS = """# What termsift promises

Written by `make docs` from `docs/make/promises_page.py` and the figures of the last attack on each area; do not edit.

This page lists the guarantees for untrusted files, full disks and killed processes.

## Input

termsift reads CSV, TSV, JSON and JSON lines, plain or compressed with gzip, zstd, bzip2 or xz; Parquet, Arrow and Excel sheets; zip files and folders of these; folders of classes; pipes; counts, selections and models saved by termsift; ARFF, svmlight, MATLAB 5, tar and the SGML of Reuters.
If a file of the given name exists, it is read, even if the name contains pattern characters.
A URL is fetched, by fsspec, only if the user typed it; one found in a file never is.
A download ends with an error above 10 GB (`--max-download`), and a redirect to another host is refused (`--follow-redirects` allows it).
Archives are read in memory, or one member at a time in a temporary folder: members that point outside the archive, links, devices and nested archives are refused, and so is anything that would unpack to far more than its size.
If a file is not text, it is refused, and the message names its likely type.

## No code from input

No input is run as code.
Counts are Parquet and selections are JSON; a policy or an analyzer in them is a name with plain values, looked up in a list.
Neither is a pickle.
The cache of compiled kernels consists of pickles with machine code: a folder or file of it is used only if its owner is root or the user and nobody else can write to it.
A saved model is JSON and plain arrays; its analyzer is rebuilt from options, and a regular expression of a user is compiled only with `trust_pattern=True`.
An exported pipeline (skops) is written, never loaded.
Texts and labels are escaped on pages, and the Content Security Policy of a page allows only the scripts of the page and no network.
CSV cells are written unchanged, so in a spreadsheet import them as text.

## Validation

All input passes through a checked constructor once; inside, values are trusted.
For a matrix: types, shape, and every index before a compiled kernel uses it.
For saved counts: keys, types, lengths, the range and order of indices, distinct terms and classes, finite and non-negative values, sums that agree; pages and metadata carry checksums, so a flipped bit is detected.
For saved models: keys, types, shapes and lengths, the range and order of indices, finite numbers, distinct terms and classes, options of the analyzer; a file must be as large as its arrays state, and checksums reveal damage.
For labels, weights and options: kind, size and range.
Unusable input raises a `TermsiftError`: one printable line of at most 1,000 characters with the problem and the remedy.

## The range of numbers

Counts and weights are 0 or between 2**-53 and 2**53; documents and occurrences are at most 2**53 in total.
Within this range every score of every metric is finite; a number outside it is an error that names the number.

## Interruptions

A file appears whole or not at all: it is written next to its destination, flushed to disk, and moved into place.
Links are followed, modes are kept, read-only files are left alone, and an output that is also an input is refused.
If a command is killed or interrupted, or runs out of disk or memory, the old file stays as it was.
If it is interrupted or terminated, it removes its temporary files; a kill (`kill -9`) may leave hidden files named `.termsift-*`, which can be deleted.

## Output

Tables for people and all errors are printable: control characters, marks that reverse a line and lone surrogates are escaped.
[Commands](guide/commands.md#output) lists the exit codes.

## The attack

`make attack` tries to break these promises: with seeded generators of bad files, arrays, options and moments, with random corpora compared with a plain Python oracle, and with coverage-guided fuzzing.
A try passes if it works or gets such a line; a crash of the interpreter and a hang are failures.
The inputs of an oracle are good, so there a refusal is a failure too.
`refused` counts the tries that got a line, and `worst MB` is the peak memory of the process; both are empty where the last attack did not record them.
`make bounds` runs tests with random input on kernels that check every index.

{figures}
"""
NONE = "This version has not been attacked in full yet."
LAST = (
    "The last attack on each area made {tries} tries in {areas} areas; failures: {failures}.\n"
    "`docs/attack.csv` has each kind; 0 tries means not attacked in full since its last change.\n\n{table}"
)


def page() -> str:
    """Return the whole page."""
    return WORDS.format(figures=figures(attack_rows()))


def attack_rows() -> list[dict[str, str]]:
    """Return the rows of the last attack's table, if there was one."""
    if not TABLE.exists():
        return []
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def figures(rows: list[dict[str, str]]) -> str:
    """Return the last attack as a sentence and a table."""
    if not rows:
        return NONE
    tries, failures = (sum(int(row[name]) for row in rows) for name in ("tries", "failures"))
    return LAST.format(
        tries=f"{tries:,}",
        areas=sum(row["tries"] != "0" for row in rows),
        failures=failures or "none",
        table=table_block(area_totals(rows)),
    )


def area_totals(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return the rows of areas such as `files: csv` and `files: tsv` as one row each."""
    totals: dict[str, tuple[int, int, int]] = {}
    for row in rows:
        area = row["area"].split(":")[0]
        parts, tries, failures = totals.get(area, (0, 0, 0))
        totals[area] = parts + 1, tries + int(row["tries"]), failures + int(row["failures"])
    return [
        {"area": area, "kinds": str(kinds), "tries": f"{tries:,}", "failures": str(failures)}
        for area, (kinds, tries, failures) in totals.items()
    ]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
