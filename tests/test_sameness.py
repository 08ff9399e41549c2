"""Every command gives the same bytes for any number of threads, hash seed and locale, and twice at once."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

TOPICS = {
    "küche": ["suppe", "brot", "käse", "löffel", "pfanne", "salz", "ofen", "teig", "茶"],
    "motor": ["rad", "öl", "bremse", "kolben", "straße", "diesel", "gang", "reifen", "車"],
    "garten": ["beet", "rose", "erde", "wurzel", "gießen", "hecke", "blüte", "samen", "花"],
}
COMMANDS = [
    "metrics --json",
    "corpora",
    "count mail.csv --csv --jobs {jobs} -o {out}/counts.parquet",
    "score mail.csv --metric bns --metric chi2 --jobs {jobs}",
    "score {out}/counts.parquet --json",
    "select mail.csv -k 12 --jobs {jobs}",
    "select mail.csv --metric bns:round_robin -k 12 --json --jobs {jobs} -o {out}/terms.json",
    "compare mail.csv --metric bns --metric cc:combined -k 4 -k 9 --folds 2 --repeats 1 --csv --jobs {jobs} "
    "--save {out}/model --report {out}/compared.html",
    "predict {out}/model mail.csv --decision-values -o {out}/labels.jsonl",
    "explain {out}/model mail.csv --row 3 --report {out}/why.html",
    "evaluate {out}/model mail.csv --report {out}/judged.html",
    "report mail.csv --jobs {jobs} -o {out}/report.html",
]
# the commands one after the other in one process; batches are small, so that threads have some to share
CHILD = """
import json, os, sys
from pathlib import Path
import termsift._internal.resources as batches
batches.BATCH = batches.STREAM = 1000
from termsift.cli import main
for number, arguments in enumerate(json.loads(sys.argv[2])):
    file = os.open(Path(sys.argv[1], f"stdout-{number}"), os.O_CREAT | os.O_WRONLY)
    os.dup2(file, 1)
    try:
        main(arguments)
    except SystemExit as end:
        sys.stdout.flush()
        assert end.code in (0, None), (arguments, end.code)
"""


def other_locale() -> str:
    """Return a locale of this machine that is not UTF-8, C if it has no other."""
    known = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False).stdout.split()
    return next((name for name in known if re.search(r"iso|euc|koi|125", name, re.IGNORECASE)), "C")


ONE = {"PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"}
# neither UTF-8 nor coerced to it
ANOTHER = {"PYTHONHASHSEED": "1", "LC_ALL": other_locale(), "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.fixture
def folder(tmp_path):
    """A folder with a corpus of three topics."""
    lines = [
        f'"{" ".join(words[i % 7 :] + words[: i % 3])} wort{i % 11}",{topic}\n'
        for i in range(40)
        for topic, words in TOPICS.items()
    ]
    (tmp_path / "mail.csv").write_text("text,label\n" + "".join(lines), encoding="utf-8")
    return tmp_path


def started(folder: Path, out: str, jobs: int, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """A process that runs every command, beside others."""
    (folder / out).mkdir(exist_ok=True)
    commands = [command.format(jobs=jobs, out=out).split() for command in COMMANDS]
    code = [sys.executable, "-c", CHILD, out, json.dumps(commands)]
    known = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG"))}
    return subprocess.Popen(code, cwd=folder, env=known | environment, stderr=subprocess.PIPE)


def bytes_below(folder: Path) -> dict[str, bytes]:
    """What every file below a folder holds, by its name."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path.relative_to(folder)): plain_content(path, folder.name) for path in files}


def plain_content(path: Path, out: str) -> bytes:
    """The bytes of a file, without speeds, which are measured, and without the folder that was asked for."""
    content = path.read_bytes()
    content = re.sub(rb'"digest": "[0-9a-f]{64}"', b"", content)
    if path.suffix == ".parquet":
        return content
    content = re.sub(rb"[\d,.]+( documents per second here )\([^)]*\)", rb"\1", content)
    return content.replace(out.encode(), b"OUT")


def test_every_command_gives_the_same_bytes(folder):
    runs = [started(folder, "first-run", 1, ONE), started(folder, "other-run", 5, ANOTHER)]
    for run in runs:
        _, errors = run.communicate()
        assert run.returncode == 0, errors.decode(errors="replace")[-2000:]
    first, other = (bytes_below(folder / out) for out in ("first-run", "other-run"))
    assert {f"stdout-{number}" for number in range(len(COMMANDS))} <= set(first)
    assert {"counts.parquet", "terms.json", "model", "compared.html"} <= set(first)
    assert "report.html" in first
    assert list(other) == list(first)
    assert [name for name in first if first[name] != other[name]] == []
