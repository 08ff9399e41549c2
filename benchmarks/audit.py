"""The audit of 20 Newsgroups, as a ratio to counting the same texts in one run; and its parts."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

import termsift as ts
from metrics import row, save
from termsift.analysis import checks
from termsift.engines.inputs import load_documents

RESULTS = Path(__file__).parent / "results" / "audit.csv"


def main() -> None:
    corpus = ts.corpora.load("20news")
    ts.audit(corpus.texts[:500], corpus.labels[:500])  # compiled and cached before the clock starts
    given = load_documents(corpus)
    counting = seconds(lambda: ts.count(corpus))
    whole = seconds(lambda: ts.audit(corpus))
    audited = checks.AuditedDocuments.from_inputs(given, None, None, None)
    parts = {
        "duplicates": lambda: audited.duplicate_pairs,
        "leaking_tokens": lambda: list(checks.check_leaking_tokens(audited)),
        "encoding": lambda: list(checks.check_encoding(audited)),
        "label_errors": lambda: checks.check_label_errors(audited, 0),
    }
    rows = [
        row(
            f"audit of {len(corpus):,} texts in {len(set(corpus.labels))} classes",
            f"{whole:.1f} s",
            "below 60 s",
        ),
        row("audit / counting", f"{whole / counting:.1f}"),
        *(row(f"{name} / counting", f"{seconds(job) / counting:.1f}") for name, job in parts.items()),
    ]
    for each in rows:
        print(f"{each['what']:<58} {each['value']:>10}  {each['target']}")
    save(rows, RESULTS)


def seconds(job) -> float:
    """How long a job takes."""
    start = perf_counter()
    job()
    return perf_counter() - start


if __name__ == "__main__":
    main()
