"""The command that looks for what is wrong with labelled data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from termsift.cli.commands import AsJson, Data
from termsift.cli.data import DEFAULT, Reading, data_name, documents_of
from termsift.cli.ending import say
from termsift.cli.outputs import check_outputs, write_text
from termsift.cli.talk import put, put_for_people, working
from termsift.errors import InvalidInput, one_line

FOUND = 3  # the exit code where something was found that --fail-on asks for


def audit(
    data: Data,
    *,
    test: Annotated[str | None, Parameter(help="Documents to test with: are any of them in DATA?")] = None,
    fail_on: Annotated[
        str,
        Parameter(help="Checks, such as copies,labels, or any: exit with code 3 where one found something."),
    ] = "",
    report: Annotated[Path | None, Parameter(help="Write a page with all of it to this HTML file.")] = None,
    top: Annotated[int, Parameter(help="How many cases of each check are shown.")] = 5,
    seed: Annotated[int, Parameter(help="What folds are drawn by, to doubt labels.")] = 0,
    reading: Reading = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Say what is wrong with labelled data before anybody trains on it.

    Looked for are rows without text or label (missing), labels that differ by case or blanks (labels), small
    classes (small), documents without terms (empty), damage of encoding (encoding), test documents that are
    copies of training documents (leakage), copies with different labels (conflicts) and with the same
    (copies), tokens that give a label away (giveaways), and labels that the words speak against (suspects).
    """
    from termsift.audit.auditing import audit_of
    from termsift.audit.findings import checks_from

    if top < 0:
        raise InvalidInput(f"top must be at least 0, got {top}")
    wanted = [name.strip() for name in fail_on.split(",") if name.strip()]
    if wanted:
        checks_from(wanted)
    check_outputs([*data, *([] if test is None else [test])], reading, report)
    reading = replace(reading, on_missing="skip")
    analysis = reading.terms.analysis
    train = documents_of(data, reading)
    held = None if test is None else documents_of([test], reading)
    with working(f"looking at {len(train.labels):,} documents"):
        found = audit_of(train, held, random_state=seed, n_jobs=reading.jobs, **analysis)
    if as_json:
        put(found.to_json() + "\n")
    else:
        put_for_people(found.text(top))
    if report is not None:
        write_text(report, found.to_html(f"Audit of {one_line(data_name(data))}"))
        say(f"the report is {report}")
    failed = found.found(wanted) if wanted else []
    if failed:
        say(f"termsift: found what --fail-on asks for: {', '.join(failed)}")
        raise SystemExit(FOUND)
