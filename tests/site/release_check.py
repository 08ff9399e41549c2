"""Build wheel and sdist, check their metadata, and run the demo from each in a clean environment."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
DIST = ROOT / "dist"
# what only tests and the site need; none of it may be there
FOREIGN = ("pytest", "hypothesis", "pandas", "polars", "pyspark", "sphinx", "selenium", "ruff", "mypy")

# a part of the comparison of `make demo`, since the whole takes minutes
QUICK = ("--metric", "ig", "-k", "500", "--classifier", "multinomial_nb", "--repeats", "1")


def main() -> None:
    """All of it, with what was found."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", str(DIST), str(ROOT))
    wheel, sdist = next(DIST.glob("*.whl")), next(DIST.glob("*.tar.gz"))
    run(sys.executable, "-m", "twine", "check", "--strict", str(wheel), str(sdist))
    for path in (wheel, sdist):
        print(f"{path.name}: {path.stat().st_size:,} bytes, {len(members(path)):,} files")
        print("\n".join(tried(path)))


def members(path: Path) -> list[str]:
    """The names of the files in a wheel or an sdist."""
    if path.suffix == ".whl":
        return zipfile.ZipFile(path).namelist()
    with tarfile.open(path) as archive:
        return archive.getnames()


def tried(path: Path) -> list[str]:
    """What the demo says, installed from a file into an environment of its own, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, "-m", "venv", f"{folder}/clean")
        python = f"{folder}/clean/bin/python"
        run(python, "-m", "pip", "install", "--quiet", str(path))
        there = run(python, "-c", f"import importlib.util as u; print(*filter(u.find_spec, {FOREIGN}))")
        if there.strip():
            raise SystemExit(f"the environment of {path.name} has {there.strip()}")
        command = f"{folder}/clean/bin/termsift"
        version = run(command, "--version", cwd=folder).strip()
        demo = run(command, "compare", "docstrings", *QUICK, "--report", "report.html", cwd=folder)
        size = (Path(folder) / "report.html").stat().st_size
        answer = next(line for line in demo.splitlines() if line.startswith("Use "))
        return [f"  termsift {version}: {answer}", f"  report.html: {size:,} bytes"]


def run(*command: str, cwd: str | None = None) -> str:
    """What a command prints; the end, with all it said, where it fails."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
