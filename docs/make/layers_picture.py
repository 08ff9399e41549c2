"""Draw docs/img/layers.svg: the rooms by the layers of the contract, and the walk from text to answer.

The layers are those of pyproject.toml, the walk is that of docs/architecture.md, so neither can be stale.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PICTURE = ROOT / "docs" / "img" / "layers.svg"
WALKS = {"Text to counts": "#1b6ca8", "Compare": "#b5541c"}
LEFT, STEP, LINE, TOP = 330, 34, 30, 48


def layers() -> list[list[str]]:
    """The rooms of each layer, the upper first."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    return [line.split(" | ") for line in contracts[0]["layers"]]


def walk(name: str) -> list[str]:
    """The rooms that a walk passes, each step a room other than the last."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    part = page.split(f"**{name}**", 1)[1].split("```")[1]
    hops = re.findall(r"^([a-z0-9_]+)(?:/|\.py)", part, flags=re.MULTILINE)
    return [hop for i, hop in enumerate(hops) if i == 0 or hop != hops[i - 1]]


def picture() -> str:
    """The SVG: a line per layer, and each walk from room to room, one step to the right at a time."""
    rows = {room: TOP + LINE * i for i, rooms in enumerate(layers()) for room in rooms}
    drawn, steps = [], 0
    for name, colour in WALKS.items():
        rooms = walk(name)
        drawn.append(
            walk_drawing(
                name, colour, [(LEFT + STEP * (steps + i), rows[room], room) for i, room in enumerate(rooms)]
            )
        )
        steps += len(rooms) + 2
    width, height = LEFT + STEP * steps + 40, TOP + LINE * len(layers())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" font-family="system-ui, Segoe UI, Helvetica, Arial, sans-serif" font-size="13">\n'
        "<title>The layers of termsift, and the walks of a document through their rooms</title>\n"
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n'
        + "".join(layer_line(rooms, TOP + LINE * i, width) for i, rooms in enumerate(layers()))
        + "".join(drawn)
        + "</svg>\n"
    )


def layer_line(rooms: list[str], y: int, width: int) -> str:
    """A layer: its rooms, and a line."""
    return (
        f'<text x="{LEFT - 24}" y="{y + 4}" text-anchor="end" font-size="{13 if len(rooms) < 4 else 10.5}" '
        f'fill="#22272e">{"  |  ".join(rooms)}</text>\n'
        f'<line x1="{LEFT - 14}" x2="{width - 10}" y1="{y}" y2="{y}" stroke="#e3e7ed"/>\n'
    )


def walk_drawing(name: str, colour: str, steps: list[tuple[int, int, str]]) -> str:
    """A walk: its name, a line through its rooms, and the name of each."""
    points = " ".join(f"{x},{y}" for x, y, _ in steps)
    dots = "".join(
        f'<circle cx="{x}" cy="{y}" r="4.5" fill="{colour}"/>\n'
        f'<text x="{x + 7}" y="{y - 5}" font-size="11" fill="{colour}" stroke="#ffffff" stroke-width="3" '
        f'paint-order="stroke">{room}</text>\n'
        for x, y, room in steps
    )
    return (
        f'<text x="{steps[0][0]}" y="20" font-weight="600" fill="{colour}">{name}</text>\n'
        f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.6" stroke-opacity="0.6"/>\n{dots}'
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
