"""Commands with options of strange values: exit 0 or 1, few short lines, nothing harmed."""

from __future__ import annotations

import contextlib
import io
import random
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from bad_models import model_file
from bad_options import LABELS, TEXTS
from changes import strange_names, strange_texts
from trying import Wrong, check, fault_of_line

import termsift as ts

MOST_LINES, LONGEST_LINE = 6, 1100


# how often a command is tried, of those that are tried more often than once
OFTEN = {"count": 6, "score": 6, "select": 6, "diff": 2, "merge": 2}
POSITIONAL = {"metrics": 0, "corpora": 0, "diff": 2, "merge": 2}
OF_MODELS = ("predict", "explain", "evaluate")
OUTPUTS = ("-o", "--output", "--save", "--report", "--publish")
NEEDED = {"report": ".html", "merge": ".parquet", "landscape": ".svg"}  # the ending of what must be named


@lru_cache(maxsize=1)
def flags() -> dict[str, list[str]]:
    """The options of each command, as the parser has them; one that takes a value ends in an equals sign."""
    from termsift.cli.parser import full_app

    app, found = full_app(), {}
    for name in (name for name in app if not name.startswith("-")):
        arguments = [
            one for one in app[name].assemble_argument_collection() if one.parameter.parse is not False
        ]
        found[name] = [
            flag + "=" * (argument.hint is not bool)
            for argument in arguments
            for flag in argument.names
            if flag.startswith("-")
        ]
    return found


def to_command_line_terms(rng: random.Random, folder: Path) -> list[str]:
    """A command with options of strange values."""
    known = flags()
    name = rng.choices(list(known), [OFTEN.get(name, 1) for name in known])[0]
    words = [strange_data(rng, folder, name) for _ in range(POSITIONAL.get(name, 1))]
    if name in OF_MODELS:
        words.insert(0, str(folder / "model") if rng.random() < 0.8 else strange_data(rng, folder, name))
    for flag in rng.sample(known[name], min(rng.choice([1, 1, 2, 3]), len(known[name]))):
        words += [flag] if not flag.endswith("=") else [flag[:-1], strange_word(rng, folder, flag)]
    if name in NEEDED and not {"-o", "--output"} & {*words}:
        words += ["-o", str(folder / f"result{NEEDED[name]}")]
    if name == "compare":
        words += (
            ["--folds", "2", "--classifier", "multinomial_nb", "--metric", "chi2"]
            if rng.random() < 0.7
            else ["--budget", "1"]
        )
    rest = words[:1] + rng.choice([[], [], [], ["strange"], ["--"], ["--strange"], ["-"]])[:1] + words[1:]
    return [name, *rest]


def strange_data(rng: random.Random, folder: Path, name: str) -> str:
    """Mostly a file to read."""
    if name == "landscape":
        return rng.choice([*strange_texts(), "bns", "ig", "chi2", "bns(zero='replace')", "chi"])
    if rng.random() < 0.75:
        return str(folder / rng.choice(["mail.csv", "mail.csv", "counts.parquet"]))
    return rng.choice(
        [
            *strange_names(),
            str(folder),
            str(folder / "*.csv"),
            "/dev/null",
            "docstring",
            str(folder / "missing.csv"),
        ]
    )


def strange_word(rng: random.Random, folder: Path, flag: str) -> str:
    """A value of an option: of outputs a path, of inputs data, of others a number or a text."""
    if flag == "--test=":
        return strange_data(rng, folder, "audit")
    if flag.rstrip("=") in OUTPUTS:
        paths = [
            "out",
            "missing/out",
            "mail.csv",
            "folder",
            "n" * 255,
            "n" * 300,
            "loop",
            "readonly",
            "\udcff",
            "a\nb",
            "\u202e",
            "a\0b",
            "",
        ]
        return str(folder / rng.choice(paths))
    return rng.choice(
        [
            *strange_texts(),
            *[
                "0",
                "-1",
                "1",
                "2",
                "1.5",
                "1e9",
                "1000000",
                "99999999999999999999",
                "chi2",
                "bns:round_robin",
                "spam",
                "csv",
                "skip",
                "spark",
            ],
        ]
    )


def prepare(folder: Path) -> None:
    """Files for commands: a corpus, its counts, a folder, a link to itself, a read-only file."""
    rows = "".join(f'"{t}",{c}\n' for t, c in zip(TEXTS * 4, LABELS * 4, strict=True))
    (folder / "mail.csv").write_text("text,label\n" + rows)
    ts.count(TEXTS, LABELS).save(folder / "counts.parquet")
    (folder / "folder").mkdir()
    (folder / "model").write_bytes(model_file(0))
    (folder / "loop").symlink_to("loop")
    (folder / "readonly").write_text("old")
    (folder / "readonly").chmod(0o444)


def a_command(rng: random.Random, folder: Path) -> None:
    """The attempt at commands: exit 0 or 1, few short lines, the files that were there unharmed."""
    prepare(folder)
    words = to_command_line_terms(rng, folder)
    if "spark" in words or any(word.startswith(("spark://", "sc://")) for word in words):
        words = [word for word in words if word not in ("spark",)]
    before = {name: (folder / name).read_bytes() for name in ("mail.csv", "counts.parquet", "readonly")}
    with contextlib.chdir(folder / "folder"):
        code, _, err = run(words)
    after = {name: (folder / name).read_bytes() for name in before}
    fault = fault_of_talk(code, err)
    check(fault is None, f"{fault} of {' '.join(words)!a}"[:600])
    changed = [name for name in before if before[name] != after[name] and not asked_for(words, folder / name)]
    check(not changed, f"{changed} changed by {' '.join(words)!a}")
    left = [path.name for path in folder.rglob(".termsift-*")]
    check(not left, f"left behind by {' '.join(words)!a}: {left}")


def asked_for(words: list[str], path: Path) -> bool:
    """Whether a file that may be written is the output and, by no name, an input: then it may be replaced."""
    output = next((after for flag, after in pairwise(words) if flag in OUTPUTS and after == str(path)), None)
    others = [word for word in words if word != output]
    read = [str(path.parent), str(path.parent / "*.csv")]
    return output is not None and len(words) - len(others) == 1 and not {*read} & {*others} and writable(path)


def writable(path: Path) -> bool:
    """Whether the mode of a file lets its owner write."""
    return bool(path.stat().st_mode & 0o200)


def fault_of_talk(code: Any, err: str, codes: tuple[int, ...] = (0, 1)) -> str | None:
    """What is wrong with how a command ended: its code, and what it said on stderr."""
    lines = err.splitlines()
    if code not in codes:
        return f"exit {code}: {err[-200:]!a}"
    if "Traceback" in err or len(lines) > MOST_LINES:
        return f"{len(lines)} lines: {err[-200:]!a}"
    if code and not lines:
        return f"exit {code} without a word"
    return next((fault for line in lines if line and (fault := fault_of_line(line, LONGEST_LINE))), None)


def run(words: list[str]) -> tuple[Any, bytes, str]:
    """A command within this process: its exit code, and what it wrote."""
    from termsift.cli import main

    out, err = (
        io.TextIOWrapper(io.BytesIO(), "utf-8", "surrogatepass", write_through=True) for _ in range(2)
    )
    code: Any = None
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main(words)
    except SystemExit as stop:
        code = stop.code
    except OSError as error:
        raise Wrong(f"{type(error).__name__}: {error} of {' '.join(words)!a}"[:600]) from error
    return code, out.buffer.getvalue(), err.buffer.getvalue().decode("utf-8", "surrogatepass")
