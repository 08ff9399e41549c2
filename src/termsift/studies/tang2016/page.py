"""The page: printed figures, readings, statements, the greedy search and accuracies, from the tables."""

from __future__ import annotations

from termsift.studies.pages import (
    STATEMENT,
    ResultTables,
    column_table,
    markdown_table,
    picture_section,
    whole_table,
)
from termsift.studies.tang2016.methods import method_name

STUDY = "tang2016"
SIZES = ("10", "20", "50", "100", "200", "500", "1000", "2000", "all")
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
HEAD = """"Toward Optimal Feature Selection in Naive Bayes for Text Categorization", IEEE TKDE 28(9), ranks terms by the divergence between the classes that each term alone makes (MD), and by a chi-squared form of it (MD-chi2).
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
ANSWER = """
No one reading bears out all statements; method by method they need different ones:

- **chi2 weighted by the share of the class.** By its maximum or its sum it is above MD on TDT2 at most sizes (figure 4).
- **CET weighted by the share of the class.** By its maximum it is level with MD on Reuters with the support vector machine (figure 5).
- **GSS by its maximum.** Weighted it stays far below all others, and 2000 terms on TDT2 do not reach what 100 by MD do.

100 terms on TDT2: {hundred}.
So much depends on the reading that chi2 by its maximum is as good a choice as MD there, and a better one on 20 Newsgroups.
No reading bears out figure 1: on 20 Newsgroups CET and chi2 are above MD and MD-chi2 at nearly all sizes, whichever way they are read.
Nor does GSS or chi2 need 1000 terms on TDT2 for what 100 by MD give: in the readings above it is 450.
"""
GREEDY_ANSWER = """
It does not help: on average over sizes it gains in {more} of {cases} cases, from {low:+.2f} to {high:+.2f} points.
It does reach more divergence (figure 6), so the divergence alone does not say which selection classifies better.
"""
READING_TITLES = {
    "max": "CET, chi2 and GSS by their maximum over the classes",
    "weighted": "CET, chi2 and GSS weighted by the shares of the classes",
    "sum": "CET and chi2 by their sum, GSS by its maximum",
    "any": "MD, MD-chi2 and the greedy search alone",
}
CAPTIONS = {
    "figure1": "Figure 1: accuracy on 20-NEWSGROUPS, naive Bayes",
    "figure2": "Figure 2: ALT-COMP, naive Bayes",
    "figure3": "Figure 3: Reuters, naive Bayes",
    "figure4": "Figure 4: TDT2-10, naive Bayes",
    "figure5": "Figure 5: Reuters, support vector machine",
    "figure6": "Figure 6: the JMH divergence of the selections on REUTERS-20",
}


def tang_page(results: ResultTables) -> str:
    """The page below its heading."""
    parts = [HEAD, printed_table(results), SILENT, sets_table(results)]
    parts += [READINGS, whole_table(results.rows(STUDY, "readings")), ABOVE, above_table(results)]
    parts += [ANSWER.format(hundred=hundred_terms(results)), "\n## The statements\n"]
    for reading, title in READING_TITLES.items():
        own = [row for row in results.rows(STUDY, "statements") if row["reading"] == reading]
        parts += [f"\n### {title}\n\n", column_table(STATEMENT, own)]
    parts += [GREEDY, greedy_table(results), greedy_answer(results)]
    parts += ["\n## Accuracy\n\nIn per cent; the last column has all terms.\n", accuracies_by_set(results)]
    return "".join([*parts, picture_section(STUDY, CAPTIONS)])


def printed_table(results: ResultTables) -> str:
    """What the paper prints, and ours."""
    head = ("where", "quantity", "set", "method", "terms", "printed", "ours", "difference")
    lines = []
    for row in results.rows(STUDY, "printed"):
        method = method_name(row["method"]) if row["method"] else ""
        numbers = (row[name].removesuffix(".0") for name in head[-3:])
        lines.append([row["where"], row["quantity"], row["set"], method, row["size"], *numbers])
    return markdown_table(head, lines)


def sets_table(results: ResultTables) -> str:
    """How large the sets are."""
    head = ("set", "documents", "terms", "classes")
    found = {row["set"]: row for row in results.rows(STUDY, "sets")}
    return markdown_table(head, [[SETS[name], *(found[name][what] for what in head[1:])] for name in SETS])


def above_table(results: ResultTables) -> str:
    """At how many sizes MD and MD-chi2 are above each other method with naive Bayes."""
    rows = [row for row in results.rows(STUDY, "above") if row["classifier"] == "NB"]
    both = {(r["set"], r["other"]): f"{float(r['md']):.0%}, {float(r['md_chi2']):.0%}" for r in rows}
    others = list(dict.fromkeys(other for _, other in both))
    shares = [[title, *(both[name, other] for other in others)] for name, title in SETS.items()]
    return markdown_table(("MD, MD-chi2 above", *(method_name(other) for other in others)), shares)


def hundred_terms(results: ResultTables) -> str:
    """What 100 terms give on TDT2 with naive Bayes."""
    accuracies = {
        row["method"]: 100 * float(row["accuracy"])
        for row in results.rows(STUDY, "curves")
        if (row["set"], row["classifier"], row["size"]) == ("tdt2-10", "NB", "100")
    }
    methods = ("md", "chi2 max", "chi2 weighted", "gss max", "gss weighted")
    return ", ".join(f"{method_name(method)} {accuracies[method]:.2f}" for method in methods)


def greedy_table(results: ResultTables) -> str:
    """What the greedy search gains over MD."""
    lines = results.rows(STUDY, "greedy")
    return whole_table([line | {"set": SETS[line["set"]]} for line in lines])


def greedy_answer(results: ResultTables) -> str:
    """Whether it helps."""
    gains = [float(row["mean gain"]) for row in results.rows(STUDY, "greedy")]
    more = sum(gain > 0 for gain in gains)
    return GREEDY_ANSWER.format(more=more, cases=len(gains), low=min(gains), high=max(gains))


def accuracies_by_set(results: ResultTables) -> str:
    """Accuracies by set, classifier, method and size."""
    found = [row for row in results.rows(STUDY, "summary") if row["goal"] == "accuracy"]
    text = ""
    for name, title in SETS.items():
        for classifier in ("NB", "SVM"):
            own = [row for row in found if (row["set"], row["classifier"]) == (name, classifier)]
            lines = [[method_name(row["method"]), *(f"{float(row[s]):.2f}" for s in SIZES)] for row in own]
            text += f"\n### {title}, {classifier}\n\n" + markdown_table(("method", *SIZES), lines)
    return text
