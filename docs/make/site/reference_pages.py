"""The reference: a page per public name and per room, made from signatures and docstrings.

Docstrings are Markdown with items `name : what it is` and examples with prompts.
"""

from __future__ import annotations

import inspect
import re
from types import ModuleType
from typing import Any

import termsift as ts

ITEM = re.compile(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*) : (.*)$")
HEADING = re.compile(r"^(\w[\w ]*)\n-+$")
PARTS = {
    "Counting and scoring": ("count", "Counts", "score", "Scores", "select", "Selection", "Method", "Metric", "Table"),
    "Text": ("Analyzer", "TermVectorizer"),
    "Policies": (
        "TopK", "Percentile", "Threshold", "FalseDiscovery", "Significant", "RoundRobin", "PerClass",
        "PositiveNegative", "RedundancyAware",
    ),
    "Estimators of scikit-learn": (
        "TermSelector", "TermWeighter", "ScoreFunction", "PositiveNegativeSelector", "RedundancyAwareSelector",
        "GreedyDiscriminationSelector", "ClassWeightExtractor", "WordClusterExtractor", "DivisiveClustering",
    ),
    "Saved models": ("load_model", "Model"),
    "Groups and differences": ("GroupedCounts", "Jackknife", "jackknife", "Difference", "diff"),
    "Errors and warnings": (
        "TermsiftError", "InvalidInputError", "UnknownNameError", "UnreadableFileError", "EngineError", "TermsiftWarning",
    ),
}  # fmt: skip
# names of these parts without a page that shows them at work
PAGELESS = {"Analyzer", "DivisiveClustering"}


def reference_pages() -> dict[str, str]:
    """The pages by their places."""
    values = {name: getattr(ts, name) for name in ts.__all__ if not isinstance(getattr(ts, name), str)}
    rooms = {name: value for name, value in values.items() if isinstance(value, ModuleType)}
    own = {name: value for name, value in values.items() if name not in rooms}
    pages = {f"reference/{name}.md": name_page(name, value) for name, value in own.items()}
    pages |= {f"reference/{name}_room.md": room_page(name, room) for name, room in rooms.items()}
    return pages | {"reference/index.md": index_page(own, rooms)}


def index_page(own: dict[str, Any], rooms: dict[str, Any]) -> str:
    """All names, by what they are for."""
    told = {name for names in PARTS.values() for name in names}
    others = tuple(name for name in own if name not in told)
    parts = PARTS | ({"Others": others} if others else {})
    lines = ["# Reference\n\nEvery public name of `termsift`, imported as `ts`.\n"]
    for title, names in parts.items():
        lines.append(
            f"\n## {title}\n\n| name | what it is |\n|---|---|\n" + "".join(map(own_row(own), names))
        )
    lines.append("\n## Modules\n\n| module | what it holds |\n|---|---|\n")
    lines += [f"| [`ts.{name}`]({name}_room.md) | {first_line(room)} |\n" for name, room in rooms.items()]
    order = [name for names in parts.values() for name in names] + [f"{name}_room" for name in rooms]
    return "".join(lines) + "\n```{toctree}\n:hidden:\n\n" + "\n".join(order) + "\n```\n"


def own_row(own: dict[str, Any]) -> Any:
    """A function from a name to its row of the table."""
    return lambda name: f"| [`ts.{name}`]({name}.md) | {first_line(own[name])} |\n"


def first_line(value: Any) -> str:
    """The first sentence of a docstring, for a table."""
    return escaped((inspect.getdoc(value) or "").split("\n\n")[0].replace("\n", " ")).replace("|", "\\|")


def name_page(name: str, value: Any) -> str:
    """The page of one name."""
    return f"# {name}\n\n" + entry(f"termsift.{name}", value) + own_page(name)


def own_page(name: str) -> str:
    """The way to the page that shows a policy or an estimator at work."""
    parts = {"Policies": "policies", "Estimators of scikit-learn": "estimators", "Text": "estimators"}
    places = {
        known: folder for title, folder in parts.items() for known in PARTS[title] if known not in PAGELESS
    }
    return f"\n\n[{name} at work](../{places[name]}/{name}.md)\n" if name in places else ""


def room_page(name: str, room: ModuleType) -> str:
    """The page of a room: what it says of itself, and its names."""
    parts = [f"# ts.{name}\n", told(inspect.getdoc(room) or "")]
    for part in ts.PACKAGE_NAMES[name]:
        value = getattr(room, part)
        at = f"termsift.{name}" if part == name else f"termsift.{name}.{part}"
        if getattr(ts, part, None) is value and part != name and f"termsift.{part}" != at:
            parts.append(f"## {part}\n\n[`ts.{part}`]({part}.md): {first_line(value)}\n")
        else:
            parts.append(f"## {part}\n\n" + entry(at, value))
    return "\n\n".join(parts)


def entry(name: str, value: Any) -> str:
    """A name with its signature, what its docstring says, and of a class its members."""
    if isinstance(value, ModuleType) or not callable(value):
        kind = type(value).__name__
        words = (
            inspect.getdoc(value)
            if isinstance(value, ModuleType)
            else f"A {kind}: " + ", ".join(map(str, value))
            if isinstance(value, dict)
            else ""
        )
        return f"````{{py:data}} {name}\n\n{told(words or '')}\n````\n"
    kind = "class" if inspect.isclass(value) else "function"
    body = [f"````{{py:{kind}}} {name}{signature(value)}\n", told(inspect.getdoc(value) or "")]
    if returns(value):
        body.append(f"**Returns** {returns(value)}")
    body.append("````\n")
    return "\n\n".join(body) + (members(name, value) if kind == "class" else "")


def signature(value: Any) -> str:
    """What it takes, with defaults; types are told in words."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return "()"
    plain = [
        one.replace(annotation=inspect.Parameter.empty, default=short(one.default))
        for one in found.parameters.values()
    ]
    return str(found.replace(parameters=plain, return_annotation=inspect.Signature.empty))


class Shown:
    """A default whose own words are too long for a signature."""

    def __init__(self, words: str) -> None:
        self.words = words

    def __repr__(self) -> str:
        return self.words


def short(default: Any) -> Any:
    """A default as a signature shows it."""
    words = getattr(default, "__name__", repr(default))
    return (
        default
        if default is inspect.Parameter.empty
        else Shown(words if re.fullmatch(r"[\w'\".()=, \[\]{}-]{1,40}", words) else "...")
    )


def returns(value: Any) -> str:
    """The type that a function returns, as it is annotated."""
    annotation = (
        getattr(inspect.unwrap(value), "__annotations__", {}).get("return")
        if not inspect.isclass(value)
        else None
    )
    return (
        f"`{annotation if isinstance(annotation, str) else getattr(annotation, '__name__', annotation)}`"
        if annotation
        else ""
    )


def members(name: str, value: type) -> str:
    """The public methods and properties that termsift gives a class."""
    lines = []
    for part in sorted(vars_of(value)):
        member = inspect.getattr_static(value, part)
        function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        words = inspect.getdoc(function) or ""
        if isinstance(member, property) or not callable(function):
            lines.append(f"````{{py:property}} {name}.{part}\n\n{told(words)}\n````\n")
        elif words:
            head = signature(
                getattr(value, part)
                if isinstance(member, classmethod | staticmethod)
                else without_self(function)
            )
            lines.append(f"````{{py:method}} {name}.{part}{head}\n\n{told(words)}\n````\n")
    return "\n\n".join(["", *lines])


def without_self(function: Any) -> Any:
    """A method as one calls it."""
    return function.__get__(object())


def vars_of(value: type) -> set[str]:
    """The names of the members that a class of termsift defines."""
    homes = [home for home in value.__mro__ if home.__module__.startswith("termsift")]
    return {
        name
        for home in homes
        for name, member in vars(home).items()
        if not name.startswith("_")
        and (isinstance(member, property | classmethod | staticmethod) or inspect.isfunction(member))
    }


def told(words: str) -> str:
    """A docstring as Markdown: items become lists, examples code."""
    parts, heading = [], ""
    for block in re.split(r"\n\s*\n", words.strip()):
        found = HEADING.match("\n".join(block.split("\n")[:2]))
        if found:
            heading, block = found[1], "\n".join(block.split("\n")[2:])
            parts.append(f"**{heading}**")
        if block.lstrip().startswith(">>>"):
            parts.append(f"```python\n{block}\n```")
        elif block.strip():
            parts.append(block_text(block))
    return "\n\n".join(parts)


def block_text(block: str) -> str:
    """A paragraph, in which lines `name : words` are a list; examples may follow without a blank line."""
    text, sign, code = block.partition("\n>>>")
    lines: list[str] = []
    for line in text.split("\n"):
        item = ITEM.match(line)
        if item:
            names = ", ".join(f"`{one}`" for one in item[1].split(", "))
            lines.append(f"- {names}: {escaped(item[2])}")
        elif lines and lines[-1].startswith("- ") and line.startswith("    "):
            lines[-1] += " " + escaped(line.strip())
        else:
            lines.append(("\n" if lines and lines[-1].startswith("- ") else "") + escaped(line.strip()))
    shown = (
        re.sub(r"([^\n])\n- ", r"\1\n\n- ", "\n".join(lines), count=1)
        if not lines[0].startswith("- ")
        else "\n".join(lines)
    )
    return shown + (f"\n\n```python\n>>>{code}\n```" if sign else "")


def escaped(words: str) -> str:
    """Words as Markdown shows them: marks outside of code are as they are written."""
    pieces = re.split(r"(`[^`]*`)", words)
    return "".join(
        piece if i % 2 else re.sub(r"([*_<\[\]$\\])", r"\\\1", piece) for i, piece in enumerate(pieces)
    )
