"""Fuzzing that is guided by coverage: atheris changes the bytes of files until new lines of ours are run.

fuzzing.py TARGET SECONDS FOLDER     (needs the dependency group `attack`)
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "inputs"), str(HERE.parent / "support")]
SEEDS = 30
SECONDS = 600  # of all targets together
START = 900  # seconds within which a target is ready, on a machine that others use too


def first_inputs(target: str) -> list[bytes]:
    """Good inputs of a target, which fuzzing begins with."""
    import bad_corpora
    import bad_counts
    import bad_files
    import bad_selections
    import bad_tables

    made: dict[str, Callable[[random.Random], bytes]] = {
        **bad_files.MADE,
        **bad_tables.NEW,
        "counts": lambda rng: bad_counts.whole_bytes(rng.randrange(6)),
        "selection": lambda rng: bad_selections.selection_text(rng.randrange(4)).encode(),
        "arff": lambda rng: bad_corpora.arff_text(rng).encode(),
        "sgml": bad_corpora.sgml_bytes,
    }
    return [made[target](random.Random(seed)) for seed in range(SEEDS)]


TARGETS = ["csv", "tsv", "jsonl", "json", "parquet", "arrow", "xlsx", "counts", "selection", "arff", "sgml"]


def read(target: str, path: Path) -> None:
    """Read a file as what the target says."""
    import termsift as ts

    if target == "counts":
        ts.score(ts.Counts.load(path), "chi2")
    elif target == "selection":
        ts.Selection.from_json(path)
    elif target == "arff":
        from termsift_studies.corpora import load_arff

        load_arff(path)
    elif target == "sgml":
        from termsift.corpora.readers import iter_stories

        list(iter_stories(path.read_bytes().decode("latin-1"), "a file"))
    else:
        ts.count(path, on_missing="skip", n_jobs=1)


def kernels() -> list[str]:
    """The modules that are compiled, in which nothing can be put to watch."""
    import termsift

    root = Path(termsift.__file__).parent
    return [
        ".".join(("termsift", *path.relative_to(root).with_suffix("").parts))
        for path in root.rglob("*_kernel.py")
    ]


def fuzz(target: str, seconds: int, folder: Path) -> None:
    """Fuzz a target for some seconds; libFuzzer ends the process, with 77 where something was found."""
    import atheris

    with atheris.instrument_imports(include=["termsift"], exclude=kernels()):
        pass
    from trying import Judged

    warnings.simplefilter("ignore")
    path = folder / f"input.{target}"
    (folder / "inputs").mkdir()
    for i, content in enumerate(first_inputs(target)):
        (folder / "inputs" / str(i)).write_bytes(content)
        path.write_bytes(content)
        with Judged():
            read(target, path)  # compiled before the clock of a try runs

    def one(content: bytes) -> None:
        path.write_bytes(content)
        with Judged() as judged:
            read(target, path)
        if judged.fault is not None:
            raise AssertionError(judged.fault)

    options = [
        f"-max_total_time={seconds}",
        "-timeout=30",
        "-rss_limit_mb=6000",
        "-print_final_stats=1",
        "-max_len=20000",
    ]
    options += [f"-artifact_prefix={folder}/found-", "-seed=1", "-verbosity=1", str(folder / "inputs")]
    atheris.Setup([sys.argv[0], *options], one)
    atheris.Fuzz()


def fuzzed(target: str, seconds: int) -> tuple[int, list[str], float]:
    """Fuzz in a process of its own: runs, what was found, the seconds of the longest run."""
    with tempfile.TemporaryDirectory(prefix="attack-") as name:
        words = [sys.executable, __file__, target, str(seconds), name]
        more = {"TMPDIR": name, "TERMSIFT_TRACEBACK": "1", "TERMSIFT_COMPILED_FROM": "0"}
        done = subprocess.run(words, capture_output=True, env=os.environ | more, timeout=seconds + START)
        err = done.stderr.decode("utf-8", "replace")
        runs = re.search(r"stat::number_of_executed_units:\s*(\d+)", err)
        slowest = re.search(r"stat::slowest_unit_time_sec:\s*(\d+)", err)
        found = [f"{path.name}: {path.read_bytes()[:200]!a}" for path in Path(name).glob("found-*")]
        if done.returncode and not found:
            found = [f"exit {done.returncode}"]
        why = re.findall(r"(?:AssertionError|ERROR|Exception): .*", err)
        found = [f"{why[0] if why else err[-300:]!a} of {one}" for one in found]
        return int(runs[1]) if runs else 0, found, float(slowest[1]) if slowest else 0.0


if __name__ == "__main__":
    fuzz(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
