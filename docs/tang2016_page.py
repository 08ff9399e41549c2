"""Write docs/tang2016.md from the results that come with the package."""

from __future__ import annotations

from pathlib import Path

from markdown_tables import markdown, pictures, rows

PAGE = Path(__file__).parent / "tang2016.md"
STUDY = "tang2016"
SIZES = ("10", "20", "50", "100", "200", "500", "1000", "2000", "all")
NAMES = {"df": "DF", "cet": "CET", "chi2": "chi2", "gss": "GSS", "md": "MD", "md_chi2": "MD-chi2"}
SETS = {
    "20-newsgroups": "20-NEWSGROUPS",
    "alt-comp": "ALT-COMP, alt.* against comp.*",
    "alt-comp-6": "ALT-COMP, six classes",
    "reuters-10": "REUTERS-10",
    "reuters-20": "REUTERS-20",
    "reuters-30": "REUTERS-30",
    "tdt2-10": "TDT2-10",
}
# ruff: noqa: E501
HEAD = """# Maximum discrimination: Tang, Kay and He (2016)

Written by `make docs` from the results in `studies/results/tang2016`; do not edit.

"Toward Optimal Feature Selection in Naive Bayes for Text Categorization", IEEE TKDE 28(9), ranks terms by the divergence between the classes that each term alone makes (MD), and by a chi-squared form of it (MD-chi2).
It compares them with document frequency (DF), expected cross entropy (CET), chi2 and GSS on 20 Newsgroups, Reuters and TDT2, with multinomial naive Bayes and a support vector machine.
`termsift study tang2016` repeats it on the same three matrices of Deng Cai, 10 to 2000 terms and all, and adds the greedy search (algorithm 1), which the paper describes as too heavy for many terms.

The paper has no tables: its results are curves without numbers, so only the figures of its text can be compared.

## Printed and ours

Accuracy in per cent.

"""
SILENT = """
The matrix of 20 Newsgroups is the version by date without duplicates; that of TDT2 holds the 30 largest topics of 11,201 stories.

## What the paper does not say, and how it was read

- **From the scores of the classes to one.** CET, chi2 and GSS score a term for each class. The paper does not say how these become one, and it matters. Here each is read as the maximum, and weighted by the share of the class (P(c)); CET and chi2 also as the sum. The sum of GSS over the classes is 0 for every term where a document has one class, so it is no reading.
- **ALT-COMP** is said to be the groups alt.* and comp.* alone. Whether it has two classes or six it does not say. Only two classes give more than 80 % with few terms, as the text states; both are here.
- **Words** that only one document of a set has are left out. Stop words are not in the matrices.
- **Naive Bayes** is multinomial with one added to every count; the chosen terms are its whole vocabulary.
- **The support vector machine** is linear with hinge loss and C = 1, each class against the rest, on features 0 or 1. The paper names neither features nor settings. With few terms up to half of the documents have none of them, and all their margins are the same; ties within the exactness of the fit go to the largest class.
- **F1** is that of each class, weighted by its share of the documents judged.
- **Ten folds** of TDT2 are stratified, shuffled with seed 0. Other sets have their official split.
- **Terms that tie** are taken by document frequency, then in the order of columns.

"""
READINGS = """
## Which reading the statements need

Statements of section 5.3 that compare MD and MD-chi2 with the other four, by how those are read; "any" are those of MD, MD-chi2 and the greedy search alone.
ALT-COMP is counted with two classes.
"Above" means at more than half of the sizes; the numbers that other words are taken to mean stand in the statements.

"""
ABOVE = """
The share of sizes at which MD, and MD-chi2, have the higher accuracy with naive Bayes:

"""
GREEDY = """
## Greedy against MD: does the exact ranking help?

The greedy search takes in each step the term that adds most to the divergence of those taken.
Its gain over MD in points of accuracy:

"""


def page() -> str:
    """The whole page."""
    parts = [HEAD, printed(), SILENT, sets(), READINGS, readings(), ABOVE, above(), answer()]
    parts += ["\n## The statements\n", statements(), GREEDY, greedy(), greedy_answer()]
    parts += ["\n## Accuracy\n\nIn per cent; the last column has all terms.\n", accuracies(), figures()]
    return "".join(parts)


def named(method: str) -> str:
    metric, *reading = method.split()
    return " ".join([NAMES.get(metric, metric), *reading])


def printed() -> str:
    head = ("where", "quantity", "set", "method", "terms", "printed", "ours", "difference")
    lines = [
        [row["where"], row["quantity"], row["set"], named(row["method"]) if row["method"] else "", row["size"],
         *(row[name].removesuffix(".0") for name in ("printed", "ours", "difference"))]
        for row in rows(STUDY, "printed")
    ]  # fmt: skip
    return markdown(head, lines)


def sets() -> str:
    head = ("set", "documents", "terms", "classes")
    found = {row["set"]: row for row in rows(STUDY, "sets")}
    return markdown(head, [[SETS[name], *(found[name][what] for what in head[1:])] for name in SETS])


def readings() -> str:
    lines = rows(STUDY, "readings")
    return markdown(list(lines[0]), [list(line.values()) for line in lines])


def above() -> str:
    cells = {(row["set"], row["other"]): row for row in rows(STUDY, "above") if row["classifier"] == "NB"}
    others = list(dict.fromkeys(other for _, other in cells))
    shares = [
        [title, *(both(cells[name, other]) for other in others)] for name, title in SETS.items()
    ]  # fmt: skip
    return markdown(("MD, MD-chi2 above", *(named(other) for other in others)), shares)


def both(cell: dict[str, str]) -> str:
    return f"{float(cell['md']):.0%}, {float(cell['md_chi2']):.0%}"


def answer() -> str:
    curves = {
        (row["method"], row["size"]): 100 * float(row["accuracy"])
        for row in rows(STUDY, "curves")
        if (row["set"], row["classifier"]) == ("tdt2-10", "NB")
    }
    at = {m: curves[m, "100"] for m in ("md", "chi2 max", "chi2 weighted", "gss max", "gss weighted")}
    hundred = ", ".join(f"{named(method)} {value:.2f}" for method, value in at.items())
    return f"""
No one reading bears out all statements; method by method they need different ones:

- **chi2 weighted by the share of the class.** By its maximum or its sum it is above MD on TDT2 at most sizes (figure 4).
- **CET weighted by the share of the class.** By its maximum it is level with MD on Reuters with the support vector machine (figure 5).
- **GSS by its maximum.** Weighted it stays far below all others, and 2000 terms on TDT2 do not reach what 100 by MD do.

100 terms on TDT2: {hundred}.
So much depends on the reading that chi2 by its maximum is as good a choice as MD there, and a better one on 20 Newsgroups.
No reading bears out figure 1: on 20 Newsgroups CET and chi2 are above MD and MD-chi2 at nearly all sizes, whichever way they are read.
Nor does GSS or chi2 need 1000 terms on TDT2 for what 100 by MD give: in the readings above it is 450.
"""


def statements() -> str:
    head = ("where", "statement", "ours", "verdict")
    titles = {
        "max": "CET, chi2 and GSS by their maximum over the classes",
        "weighted": "CET, chi2 and GSS weighted by the shares of the classes",
        "sum": "CET and chi2 by their sum, GSS by its maximum",
        "any": "MD, MD-chi2 and the greedy search alone",
    }
    text = ""
    for reading, title in titles.items():
        own = [row for row in rows(STUDY, "statements") if row["reading"] == reading]
        text += f"\n### {title}\n\n" + markdown(head, [[row[name] for name in head] for row in own])
    return text


def greedy() -> str:
    lines = rows(STUDY, "greedy")
    head = list(lines[0])
    return markdown(head, [[SETS[line["set"]], *(line[name] for name in head[1:])] for line in lines])


def greedy_answer() -> str:
    gains = [float(row["mean gain"]) for row in rows(STUDY, "greedy")]
    more = sum(gain > 0 for gain in gains)
    return f"""
It does not help: on average over sizes it gains in {more} of {len(gains)} cases, from {min(gains):+.2f} to {max(gains):+.2f} points.
It does reach more divergence (figure 6), so the divergence alone does not say which selection classifies better.
"""


def accuracies() -> str:
    found = [row for row in rows(STUDY, "summary") if row["goal"] == "accuracy"]
    text = ""
    for name, title in SETS.items():
        for classifier in ("NB", "SVM"):
            own = [row for row in found if (row["set"], row["classifier"]) == (name, classifier)]
            lines = [[named(row["method"]), *(f"{float(row[s]):.2f}" for s in SIZES)] for row in own]
            text += f"\n### {title}, {classifier}\n\n" + markdown(("method", *SIZES), lines)
    return text


def figures() -> str:
    captions = {
        "figure1": "Figure 1: accuracy on 20-NEWSGROUPS, naive Bayes",
        "figure2": "Figure 2: ALT-COMP, naive Bayes",
        "figure3": "Figure 3: Reuters, naive Bayes",
        "figure4": "Figure 4: TDT2-10, naive Bayes",
        "figure5": "Figure 5: Reuters, support vector machine",
        "figure6": "Figure 6: the JMH divergence of the selections on REUTERS-20",
    }
    return pictures(STUDY, captions)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
