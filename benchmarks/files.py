"""Counting files larger than memory: time and memory against size, under one bound.

The corpus is 20 Newsgroups drawn again and again, with a new word in every thousand, so that the vocabulary
keeps growing as in real text. `python benchmarks/files.py 0.1 1 3 10` takes the sizes in GB.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
from pathlib import Path
from subprocess import PIPE
from time import perf_counter

import numpy as np

import metrics
import newsgroups
import termsift as ts
from metrics import row, status

RESULTS = Path(__file__).parent / "results" / "files.csv"
PICTURE = Path(__file__).parent.parent / "docs" / "img" / "files.svg"
SUMS = 400 << 20  # what sums may take; with the reader and the result the process stays below the bound
BOUND = 1500


def main(sizes: list[float]) -> None:
    rows = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "corpus.csv"
            write(path, size * 1e9)
            seconds, peak, terms = measured(path)
            speed = path.stat().st_size / seconds / 1e6
        rows.append({"GB": size, "seconds": seconds, "MB/s": speed, "peak MB": peak, "terms": terms})
        print({key: round(value, 1) for key, value in rows[-1].items()}, flush=True)
    lines = [
        row(
            f"{r['GB']:g} GB: s, MB/s, peak MB, terms",
            f"{r['seconds']:.1f}, {r['MB/s']:.0f}, {r['peak MB']:.0f}, {r['terms']:.0f}",
            f"110 MB/s, {BOUND} MB",
        )
        for r in rows
    ]
    metrics.save(lines, RESULTS)
    draw()


def write(path: Path, size: float, seed: int = 0) -> None:
    """Write a CSV file of about this many bytes."""
    texts, labels = newsgroups.texts_and_labels()
    quoted = ['"' + text.replace("\0", " ").replace('"', '""') for text in texts]
    words = np.array([len(text) // 7 for text in texts])
    rng = np.random.default_rng(seed)
    written, new = 0, seed << 20
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write("text,label\n")
        while written < size:
            drawn = rng.integers(0, len(texts), 2000)
            fresh = rng.poisson(words[drawn] / 1000)
            for i, n in zip(drawn.tolist(), fresh.tolist(), strict=True):
                extra = " ".join(f"w{new + j:x}" for j in range(n))
                written += file.write(f'{quoted[i]} {extra}",{labels[i]}\n')
                new += n


def measured(path: Path) -> tuple[float, float, float]:
    """Seconds, megabytes and terms of a count in a fresh process."""
    code = f"import files; files.measure({str(path)!r})"
    here = Path(__file__).parent
    done = subprocess.run([sys.executable, "-c", code], check=True, stdout=PIPE, text=True, cwd=here)
    seconds, peak, terms = map(float, done.stdout.split())
    return seconds, peak, terms


def measure(path: str) -> None:
    ts.count(["some text"], ["x"])  # compiled before the clock starts
    start = perf_counter()
    counts = ts.count(path, memory=SUMS)
    print(perf_counter() - start, status("VmHWM"), len(counts.terms))


def draw() -> None:
    """Draw the results: time and memory against size, each on its own scale."""
    with RESULTS.open(encoding="utf-8") as file:
        kept = [line for line in csv.DictReader(file) if " GB: " in line["what"]]
    sizes = [float(line["what"].split()[0]) for line in kept]
    values = [[float(v.replace(" ", "")) for v in line["value"].split(", ")[:3]] for line in kept]
    panels = [("seconds", [v[0] for v in values], None), ("peak memory, MB", [v[2] for v in values], BOUND)]
    body = "".join(
        panel(40 + 360 * i, title, sizes, ys, limit) for i, (title, ys, limit) in enumerate(panels)
    )
    style = "font-family:sans-serif;font-size:12px"
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="740" height="300" style="{style}">{body}</svg>\n'
    PICTURE.write_text(svg, encoding="utf-8")


def panel(left: float, title: str, xs: list[float], ys: list[float], limit: float | None) -> str:
    """One curve with its axes."""
    width, height, top = 280, 200, 40
    most_x, most_y = max(xs) * 1.05, max([*ys, limit or 0]) * 1.1

    def at(x: float, y: float) -> tuple[float, float]:
        return left + 30 + width * x / most_x, top + height * (1 - y / most_y)

    points = [at(x, y) for x, y in zip(xs, ys, strict=True)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    marks = "".join(
        f'<circle cx="{px:.1f}" cy="{py:.1f}" r="3" fill="#1f5fa8"/>'
        f'<text x="{px:.1f}" y="{py - 8:.1f}" text-anchor="middle">{y:,.0f}</text>'
        for (px, py), y in zip(points, ys, strict=True)
    )
    ticks = "".join(
        f'<text x="{at(x, 0)[0]:.1f}" y="{top + height + 18}" text-anchor="middle">{x:g}</text>'
        for x in xs
        if x >= 1
    )
    bound = ""
    if limit is not None:
        y = at(0, limit)[1]
        across = f'x1="{left + 30}" x2="{left + 30 + width}" y1="{y:.1f}" y2="{y:.1f}"'
        bound = f'<line {across} stroke="#b00" stroke-dasharray="4"/>'
        bound += f'<text x="{left + 36}" y="{y - 5:.1f}" fill="#b00">the bound, {limit:,.0f} MB</text>'
    x0, y0 = at(0, 0)
    axes = f'<path d="M{x0:.1f},{top} V{y0:.1f} H{x0 + width:.1f}" fill="none" stroke="#444"/>'
    heading = f'<text x="{left + 30}" y="{top - 16}" font-weight="bold">{title}</text>'
    below = f'<text x="{x0 + width / 2:.1f}" y="{top + height + 38}" text-anchor="middle">GB of CSV</text>'
    curve = f'<polyline points="{line}" fill="none" stroke="#1f5fa8" stroke-width="2"/>'
    return heading + axes + bound + curve + marks + ticks + below


if __name__ == "__main__":
    main([float(size) for size in sys.argv[1:]] or [0.1, 1])
