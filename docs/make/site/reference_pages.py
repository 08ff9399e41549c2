"""Make the reference: a page per public name and per package, from signatures and numpydoc docstrings."""

from __future__ import annotations

import inspect
import re
import textwrap
from types import ModuleType
from typing import Any

import termsift as ts

SECTION = re.compile(r"^(\w[\w ]*)\n-{3,} *$", flags=re.MULTILINE)
# sections whose entries are a name or a type, with an indented description
NAME_SECTIONS = ("Parameters", "Other Parameters", "Attributes", "Raises", "Warns")
ENTRY_SECTIONS = (*NAME_SECTIONS, "Returns", "Yields")
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
    """Return the pages by their paths."""
    values = {name: getattr(ts, name) for name in ts.__all__ if not isinstance(getattr(ts, name), str)}
    packages = {name: value for name, value in values.items() if isinstance(value, ModuleType)}
    names = {name: value for name, value in values.items() if name not in packages}
    pages = {f"reference/{name}.md": name_page(name, value) for name, value in names.items()}
    pages |= {f"reference/{name}_package.md": package_page(name, value) for name, value in packages.items()}
    return pages | {"reference/index.md": index_page(names, packages)}


def index_page(values: dict[str, Any], packages: dict[str, Any]) -> str:
    """List all names by topic, and the packages."""
    listed = {name for names in PARTS.values() for name in names}
    others = tuple(name for name in values if name not in listed)
    topics = PARTS | ({"Others": others} if others else {})
    lines = ["# Reference\n\nEvery public name of `termsift`, imported as `ts`.\n"]
    for title, names in topics.items():
        rows = [f"| [`ts.{name}`]({name}.md) | {first_sentence(values[name])} |\n" for name in names]
        lines.append(f"\n## {title}\n\n| name | description |\n|---|---|\n" + "".join(rows))
    lines.append("\n## Modules\n\n| module | description |\n|---|---|\n")
    lines += [
        f"| [`ts.{name}`]({name}_package.md) | {first_sentence(value)} |\n"
        for name, value in packages.items()
    ]
    order = [name for names in topics.values() for name in names] + [f"{name}_package" for name in packages]
    return "".join(lines) + "\n```{toctree}\n:hidden:\n\n" + "\n".join(order) + "\n```\n"


def first_sentence(value: Any) -> str:
    """Return the summary of a docstring, for a table."""
    return escape((inspect.getdoc(value) or "").split("\n\n")[0].replace("\n", " ")).replace("|", "\\|")


def name_page(name: str, value: Any) -> str:
    """Return the page of one name."""
    return f"# {name}\n\n" + entry(f"termsift.{name}", value) + example_link(name)


def example_link(name: str) -> str:
    """Return the link to the page with an example of a policy or an estimator."""
    topics = {"Policies": "policies", "Estimators of scikit-learn": "estimators", "Text": "estimators"}
    folders = {
        member: folder
        for title, folder in topics.items()
        for member in PARTS[title]
        if member not in PAGELESS
    }
    return f"\n\n[{name} at work](../{folders[name]}/{name}.md)\n" if name in folders else ""


def package_page(name: str, package: ModuleType) -> str:
    """Return the page of a package: its docstring and its names."""
    parts = [f"# ts.{name}\n", render_docstring(inspect.getdoc(package) or "")]
    for member in ts.PACKAGE_NAMES[name]:
        value = getattr(package, member)
        full_name = f"termsift.{name}" if member == name else f"termsift.{name}.{member}"
        if getattr(ts, member, None) is value and member != name and f"termsift.{member}" != full_name:
            parts.append(f"## {member}\n\n[`ts.{member}`]({member}.md): {first_sentence(value)}\n")
        else:
            parts.append(f"## {member}\n\n" + entry(full_name, value))
    return "\n\n".join(parts)


def entry(name: str, value: Any) -> str:
    """Return a name with its signature, its docstring and the members of a class."""
    if isinstance(value, ModuleType) or not callable(value):
        text = (inspect.getdoc(value) or "") if isinstance(value, ModuleType) else ""
        if isinstance(value, dict):
            text = f"A {type(value).__name__}: " + ", ".join(map(str, value))
        return f"````{{py:data}} {name}\n\n{render_docstring(text)}\n````\n"
    kind = "class" if inspect.isclass(value) else "function"
    docstring = inspect.getdoc(value) or ""
    body = [f"````{{py:{kind}}} {name}{signature(value)}\n", render_docstring(docstring)]
    if return_type(value) and "Returns" not in SECTION.findall(docstring):
        body.append(f"**Returns** {return_type(value)}")
    body.append("````\n")
    return "\n\n".join(body) + (members(name, value) if kind == "class" else "")


def signature(value: Any) -> str:
    """Return the parameters with their defaults; their types are in the docstring."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return "()"
    plain = [
        parameter.replace(annotation=inspect.Parameter.empty, default=shorten_default(parameter.default))
        for parameter in found.parameters.values()
    ]
    return str(found.replace(parameters=plain, return_annotation=inspect.Signature.empty))


class ShortDefault:
    """Default value of a parameter as the signature shows it."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def shorten_default(default: Any) -> Any:
    """Return a default as a signature shows it, `...` if it is too long."""
    if default is inspect.Parameter.empty:
        return default
    text = getattr(default, "__name__", repr(default))
    return ShortDefault(text if re.fullmatch(r"[\w'\".()=, \[\]{}-]{1,40}", text) else "...")


def return_type(value: Any) -> str:
    """Return the annotated return type of a function, an empty string for a class."""
    if inspect.isclass(value):
        return ""
    annotation = getattr(inspect.unwrap(value), "__annotations__", {}).get("return")
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", annotation)
    return f"`{text}`" if annotation else ""


def members(name: str, value: type) -> str:
    """Return the entries of the public methods and properties that termsift defines."""
    lines = []
    for member_name in sorted(member_names(value)):
        member = inspect.getattr_static(value, member_name)
        function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        text = render_docstring(inspect.getdoc(function) or "")
        if isinstance(member, property) or not callable(function):
            lines.append(f"````{{py:property}} {name}.{member_name}\n\n{text}\n````\n")
        elif text:
            is_bound = isinstance(member, classmethod | staticmethod)
            head = signature(getattr(value, member_name) if is_bound else function.__get__(object()))
            lines.append(f"````{{py:method}} {name}.{member_name}{head}\n\n{text}\n````\n")
    return "\n\n".join(["", *lines])


def member_names(value: type) -> set[str]:
    """Return the names of the public members that a class of termsift defines."""
    homes = [home for home in value.__mro__ if home.__module__.startswith("termsift")]
    return {
        name
        for home in homes
        for name, member in vars(home).items()
        if not name.startswith("_")
        and (isinstance(member, property | classmethod | staticmethod) or inspect.isfunction(member))
    }


def render_docstring(docstring: str, without: tuple[str, ...] = ()) -> str:
    """Return a numpydoc docstring as Markdown, without some of its sections."""
    text, *sections = SECTION.split(docstring.strip())
    parts = [render_text(text)]
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        if title not in without:
            rendered = render_entries(body, title) if title in ENTRY_SECTIONS else render_text(body)
            parts += [f"**{title}**", rendered]
    return "\n\n".join(part for part in parts if part)


def section_entries(body: str) -> list[tuple[str, str]]:
    """Split a section into its entries: lines without indentation, each with its indented description."""
    heads_and_bodies = re.split(r"^(?=\S)", body.strip("\n"), flags=re.MULTILINE)
    pairs = (entry.partition("\n") for entry in heads_and_bodies if entry)
    return [(head, textwrap.dedent(description).strip()) for head, _, description in pairs]


def render_entries(body: str, section: str) -> str:
    """Return the entries of a section, `name : type` or a type alone, as a definition list."""
    shown = []
    for head, description in section_entries(body):
        names, separator, kind = head.partition(" : ")
        term = escape(head)
        if separator or section in NAME_SECTIONS:
            term = ", ".join(f"`{name}`" for name in names.split(", ")) + (
                f" ({escape(kind)})" if kind else ""
            )
        text = textwrap.indent(render_text(description), "  ").lstrip()
        # a type without a description is a paragraph
        shown.append(f"{term}\n: {text}" if text else term)
    return "\n\n".join(shown)


def render_text(text: str) -> str:
    """Return paragraphs and examples as Markdown; an example may follow a paragraph directly."""
    parts = []
    for block in re.split(r"\n\s*\n", textwrap.dedent(text).strip("\n")):
        prose, prompt, code = block.partition(">>>")
        if prose.strip():
            parts.append("\n".join(escape(line.strip()) for line in prose.strip().split("\n")))
        if prompt:
            parts.append(f"```python\n{prompt}{code}\n```")
    return "\n\n".join(parts)


def escape(text: str) -> str:
    """Escape the characters that Markdown would interpret, outside of code."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(
        piece if i % 2 else re.sub(r"([*_<\[\]$\\])", r"\\\1", piece) for i, piece in enumerate(pieces)
    )
