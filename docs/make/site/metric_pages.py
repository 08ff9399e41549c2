"""A page per metric, made from the catalogue, and the table of all of them."""

from __future__ import annotations

import csv
import inspect
import json
import re
import runpy
from functools import cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from vl_convert import vegalite_to_png

import termsift as ts
from formulas import FORMULAS, INVERTED, LETTERS, OCCURRENCES, SYMBOLS, TOKENS
from staging import FOR_EDITORS
from termsift.report.charts import roc_space, unpadded_landscape

ROOT = Path(__file__).parents[3]
CLASS, TERMS = "scipy.stats", 100
SIDE = 300  # of each of the two views of a picture: together they are as wide as a page
# what belongs to a whole chart, not to one of its views
SHARED = ("$schema", "config", "padding", "params")
SIDES = {
    0: "The score has no direction: it does not depend on a class.",
    1: "One-sided: scores of positive terms are above 0, those of negative terms below, "
    "so `PositiveNegative` can select each separately.",
    2: "Two-sided: positive and negative terms both have high scores; the column `sign` distinguishes them.",
}
NEEDS = {
    "df": "documents per term and class (`df`)",
    "tf": "occurrences per term and class (`tf`)",
    "tf2": "squared occurrences per term and class (`tf2`)",
    "none": "only the terms",
}


def metric_pages(pictures: Path) -> dict[str, str]:
    """Return the pages of all metrics by their paths, and the table of them; pictures go to a folder."""
    pages = {f"metrics/{metric.name}.md": metric_page(metric, pictures) for metric in ts.metrics()}
    return pages | {"metrics.md": table_page()}


def table_page() -> str:
    """Return the table of `docs/metrics.md`, each name a link to its page."""
    page = runpy.run_path(str(ROOT / "docs" / "make" / "metrics_table.py"))["page"]()
    linked = FOR_EDITORS.sub("", re.sub(r"^\| `(\w+)`", r"| [`\1`](metrics/\1.md)", page, flags=re.MULTILINE))
    names = "\n".join(f"metrics/{name}" for name in ts.metrics().names)
    return f"{linked}\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"


def metric_page(metric: Any, pictures: Path) -> str:
    """Return the page of a metric: formula, preferred terms, properties, options, evidence, source."""
    summary, rest, options = told(metric)
    parts = [
        f"# {metric.name}",
        summary,
        f"```{{math}}\n{FORMULAS[metric.name][1]}\n```",
        symbols(metric),
        rest,
    ]
    parts += [section("Preferred terms", picture_words(metric, pictures))]
    parts += [
        section("Properties", facts(metric)),
        section("Options", option_list(metric, options)),
    ]
    parts += [section("When to use it", evidence(metric.name)), section("Example", use(metric))]
    parts += [section("Source", f"```bibtex\n{ts.metrics.bibtex(metric)}\n```")]
    return "\n\n".join(part for part in parts if part) + "\n"


def symbols(metric: Any) -> str:
    """Explain the letters of a formula, which differ between occurrences and documents."""
    of_documents = SYMBOLS if metric.needs == "df" else OCCURRENCES + " " + SYMBOLS
    words = TOKENS if metric.of == "tf" else of_documents
    own = f"{LETTERS[metric.name]} " if metric.name in LETTERS else ""
    return own + words + (" " + INVERTED if "inverted" in metric.formula else "")


def section(title: str, body: str) -> str:
    """Return a section, or an empty string if it has no text."""
    return f"## {title}\n\n{body}" if body else ""


def told(metric: Any) -> tuple[str, str, dict[str, str]]:
    """Split the docstring of a metric into its first line, the rest, and its options."""
    words = (inspect.getdoc(metric.function) or "").split(">>>")[0].strip()
    options = {
        name: " ".join(text.split())
        for name, text in re.findall(r"^(\w+) : ((?:.+\n?(?:    .+\n?)*))", words, flags=re.M)
    }
    words = re.sub(r"^\w+ : .+\n?(?:    .+\n?)*", "", words, flags=re.M)
    summary, _, rest = words.partition("\n\n")
    return plain(summary), plain(rest.strip()), options


def plain(words: str) -> str:
    """Words as Markdown: what it would take for marks is as it is written."""
    return re.sub(r"(?<!`)([*_|<])(?!`)", r"\\\1", words)


def facts(metric: Any) -> str:
    """Sides, needs, bounds."""
    lines = [
        SIDES[metric.sided],
        f"It needs {NEEDS[metric.count_type({}) if metric.needs == 'df' else metric.needs]}.",
        bounds_words(*metric.bounds),
    ]
    if metric.aliases:
        lines.append("Also called " + ", ".join(f"`{alias}`" for alias in metric.aliases) + ".")
    if metric.summed:
        lines.append(
            "It has one score per term, the sum over the classes; `per_class=True` gives a score per class."
        )
    lines.append("[Edge cases](../guide/selection.md#edge-cases): empty cells, empty classes and ties.")
    return "\n".join(f"- {line}" for line in lines)


def bounds_words(low: float, high: float) -> str:
    """Between which values scores lie."""
    if np.isinf(low) and np.isinf(high):
        return "Scores have no bounds."
    if np.isinf(high):
        return f"Scores are {low:g} or more."
    return f"Scores are {high:g} or less." if np.isinf(low) else f"Scores lie between {low:g} and {high:g}."


def option_list(metric: Any, told_options: dict[str, str]) -> str:
    """Describe the options with their defaults, as the docstring does."""
    lines = []
    for name, value in metric.options.items():
        words = told_options.get(name) or COMMON.get(name, "")
        lines.append(f"- `{name}={value!r}`" + (f": {plain(words)}" if words else ""))
    return "\n".join(lines) if lines else "None."


COMMON = {
    "of": '"df" counts documents, "tf" occurrences',
    "per_class": "a score for each class instead of their sum",
    "signed": "with `True`, negative terms have scores below 0",
    "smoothing": "the number added to each cell before probabilities are estimated",
    "random_state": "the seed",
    "k": "the exponent",
    "level": "the level of the interval",
    "cells": "4 for the whole 2x2 table, 2 for the cells of the term alone",
    "n": "the number added to both rates",
    "prior": "weight of the whole corpus as a prior",
    "printed": "with `True`, the formula as the paper prints it",
    "model": "naive Bayes model of the shares: multinomial, bernoulli or poisson",
    "groups": '"class" compares the class with the rest, "all" takes all classes at once',
}


def use(metric: Any) -> str:
    """How it is asked for."""
    command = (
        f"termsift score docstrings --metric {metric.name} --class {CLASS}"
        if not metric.summed
        else (f"termsift score docstrings --metric {metric.name}")
    )
    return f"```sh\n{command}\ntermsift metrics --cite {metric.name}\n```"


@cache
def real_counts() -> Any:
    """Count a corpus that is always there."""
    return ts.count(ts.corpora.load("docstrings"))


def picture_words(metric: Any, pictures: Path) -> str:
    """Draw the landscape and the isocline of the best terms of a real class; explain if there is none."""
    if metric.of == "tf":
        return (
            f"It counts occurrences by default; `termsift landscape {metric.name} -o {metric.name}.svg` draws its "
            "contours. " + best_words(metric)
        )
    if not metric.is_function_of_cells or metric.summed:
        return (
            "Its scores do not follow from the documents of a term inside and outside one class alone, "
            "so it has no landscape. " + best_words(metric)
        )
    place = picture_file(drawing(metric), pictures)
    return (
        f"![The contours of {metric.name} over fpr and tpr, and its cut among the terms of {CLASS}]"
        f"(../pictures/{place}){{.wide}}\n\n"
        "Left: lines of equal score for a class of 50 of 1,800 documents, yellow is high. "
        "A term near the upper left corner is in most documents of the class and in few others. "
        f"Right: the terms of {CLASS} in the corpus `docstrings`; larger points are several terms, and the best {TERMS} "
        "lie beyond the line.\n\n" + best_words(metric)
    )


def drawing(metric: Any) -> dict[str, Any]:
    """Return the landscape and the terms of a real class, as one chart of Vega-Lite."""
    left = unpadded_landscape(metric.name, 50, 1750, 10).to_dict()
    right = roc_space(real_counts(), CLASS, [metric.name], k=TERMS).to_dict()
    left["width"] = left["height"] = SIDE
    for layer in right["layer"]:
        layer["width"] = layer["height"] = SIDE
        layer.pop("name", None)
    for view, title in ((left, f"{metric.name}, any corpus"), (right, f"the terms of {CLASS}")):
        view["title"] = {"text": title, "anchor": "start"}
        for layer in view.get("layer", [view]):
            without_legends(layer["encoding"])
    views = [{part: view[part] for part in view if part not in SHARED} for view in (left, right)]
    common = {part: left[part] for part in ("$schema", "config")}
    return common | {"hconcat": views, "spacing": 50, "resolve": {"scale": {"color": "independent"}}}


def without_legends(encoding: dict[str, Any]) -> None:
    """Remove the legends of a layer's colours and sizes: the caption explains them."""
    for channel in ("color", "size", "opacity", "strokeDash"):
        if isinstance(encoding.get(channel), dict) and "field" in encoding[channel]:
            encoding[channel]["legend"] = None


def picture_file(chart: dict[str, Any], pictures: Path) -> str:
    """Return the name of the chart's picture, which is drawn unless this very chart was drawn before."""
    from PIL import Image  # tests of pages draw nothing, and have no Pillow

    text = json.dumps(chart, sort_keys=True)
    # Altair names its views anew each time
    same = re.sub(r"view_[0-9a-f_]+", "view", text)
    path = pictures / f"{sha256(same.encode()).hexdigest()[:16]}.png"
    if not path.exists():
        pictures.mkdir(parents=True, exist_ok=True)
        drawn = Image.open(BytesIO(vegalite_to_png(text, scale=1.6)))
        # few colours are drawn, and a palette of them takes a fifth of the bytes
        drawn.convert("RGB").quantize(96, dither=Image.Dither.NONE).save(path, optimize=True)
    return path.name


def best_words(metric: Any) -> str:
    """List the ten best words of the class."""
    options = {"per_class": True} if metric.summed else {}
    scores = ts.score(real_counts(), metric.name, **options)
    of_class = scores.values.ndim == 2
    values = scores.values[:, scores.classes.index(CLASS)] if of_class else scores.values
    words = scores.terms[np.argsort(-values, kind="stable")[:10]]
    whom = f"of {CLASS}" if of_class else "of all docstrings"
    return f"The ten best terms {whom}: " + ", ".join(f"`{word}`" for word in words) + "."


@cache
def averages() -> list[dict[str, str]]:
    """Read the averages over the 193 problems of Forman (2003)."""
    path = ROOT / "studies" / "results" / "forman2003" / "averages.csv"
    return list(csv.DictReader(path.open(encoding="utf-8")))


@cache
def first_places() -> list[dict[str, str]]:
    """Return the three best of all metrics, by classifier, goal, skew and number of terms."""
    path = ROOT / "studies" / "results" / "forman2003-all" / "summary.csv"
    return list(csv.DictReader(path.open(encoding="utf-8")))


def evidence(name: str) -> str:
    """Report Forman (2003) for a metric: F1 by number of terms, and how often it is among the best."""
    return "\n\n".join(part for part in (f1_table(name), places_words(name)) if part)


def f1_table(name: str) -> str:
    """Its macro-averaged F1 on 193 problems beside the best metric; nothing for metrics the paper lacks."""
    found = {
        (row["metric"], row["size"]): float(row["value"])
        for row in averages()
        if row["problems"] == "all" and row["goal"] == "f1"
    }
    if (name, "100") not in found:
        return ""
    sizes = [size for metric, size in found if metric == name]
    rivals = {metric for metric, size in found if size == "100"}
    ranked = {size: sorted(rivals, key=lambda metric: -found[metric, size]) for size in sizes}
    lines = ["| terms | F1 | place | best |", "|---|---|---|---|"]
    for size in sizes:
        best, place = ranked[size][0], ranked[size].index(name) + 1
        lines.append(
            f"| {int(size):,} | {found[name, size]:.3f} | {place} of {len(rivals)} | {best} {found[best, size]:.3f} |"
        )
    head = (
        "Macro-averaged F1 of a linear support vector machine on the 193 problems of "
        "[Forman (2003)](../studies/forman2003.md), one class against the rest; "
        f"all terms reach {found['all', 'all']:.3f}."
    )
    return head + "\n\n" + "\n".join(lines)


def places_words(name: str) -> str:
    """In how many settings it is among the three best of all metrics."""
    rows = first_places()
    held = {
        way: [
            row
            for row in rows
            if way in (row[place].rsplit(" ", 1)[0] for place in ("first", "second", "third"))
        ]
        for way in (name, f"{name} +/-")
    }
    total = (
        "All metrics of the catalogue at that time were compared on the 193 problems of [Forman (2003)](../studies/forman2003.md) in "
        f"{len(rows)} settings: three classifiers, four goals, three groups of problems, eight numbers of terms"
    )
    parts = [
        f"{len(found)} {'by itself' if way == name else 'with as many negative as positive terms'}"
        for way, found in held.items()
        if found
    ]
    if not parts:
        return f"{total}. `{name}` is among the three best in none of them, or was added later."
    return (
        f"{total}. `{name}` is among the three best in " + ", and in ".join(parts) + f". {best_setting(held)}"
    )


def best_setting(held: dict[str, list[dict[str, str]]]) -> str:
    """For which goals that is."""
    goals = [row["goal"] for found in held.values() for row in found]
    counted = sorted(set(goals), key=lambda goal: (-goals.count(goal), goal))
    return "By goal: " + ", ".join(f"{goal} {goals.count(goal)}" for goal in counted) + "."
