"""Write docs/forman2003.md from the results that come with the package."""

from __future__ import annotations

from pathlib import Path

from markdown_tables import markdown, pictures, rows, short

PAGE = Path(__file__).parent / "forman2003.md"
STUDY = "forman2003"
PRINTED = {
    "acc": "Acc", "acc2": "Acc2", "bns": "BNS", "chi2": "Chi", "df": "DFreq", "f1": "F1", "ig": "IG", "odds": "Odds",
    "oddn": "OddN", "pow": "Pow", "pr": "PR", "rand": "Rand",
}  # fmt: skip
SIZES = ("10", "20", "50", "100", "200", "500", "1000", "2000")
GOALS = ("f1", "precision", "recall", "accuracy")
# ruff: noqa: E501
HEAD = """# Twelve metrics on 193 problems: Forman (2003)

Written by `make docs` from the results in `studies/results/forman2003`; do not edit.

"An Extensive Empirical Study of Feature Selection Metrics for Text Classification", JMLR 3, compares twelve metrics on 229 problems: each class of 19 sets of documents against the rest.
18 of the sets can be had and give 193 problems; the Cora abstracts (36 problems) cannot, so every figure here is of the 193.
Two of the sets, la1s and la2s, have a reduced vocabulary (13,195 and 12,432 words; the paper's had 31,472).

`termsift study forman2003` follows appendix B: five trials of stratified four-fold cross-validation, features 0 or 1, terms chosen from the training part alone, 10 to 2000 of them and all, a linear support vector machine with hinge loss and C = 1.
That is 374,420 trainings. One path of eight sizes is one fit: each selection contains the smaller one, and starts from its dual variables.

Where the paper is silent: folds are stratified by all classes of a set; decisions are pooled over the four folds of a trial, as WEKA does, so that every class counts, also those too small to be in every fold (one class of tr31 has two documents); precision of no decision is 0; tolerances are points of the measure, not shares of the best; terms that tie are taken by document frequency, then in the order of the file.

## Macro-averaged F by metric and number of terms

"""


def page() -> str:
    """The whole page."""
    parts = [HEAD, averages("f1"), everything(), "\n## The statements of sections 4 and 5\n\n", statements()]
    parts += ["\n## Chances: the share of problems within 1 % of the best (accuracy: 0.1 %)\n\n", chances()]
    parts += ["\nThe best pair of metrics for each goal:\n\n", pairs(), sides(), choices(), figures()]
    return "".join(parts)


def averages(goal: str) -> str:
    found = [row for row in rows(STUDY, "averages") if row["goal"] == goal and row["problems"] == "all"]
    values = {(row["metric"], row["size"]): row["value"] for row in found}
    order = sorted(PRINTED, key=lambda metric: -max(float(values[metric, size]) for size in SIZES))
    return markdown(("metric", *SIZES), [[PRINTED[m], *(short(values[m, s]) for s in SIZES)] for m in order])


def everything() -> str:
    found = [row for row in rows(STUDY, "averages") if row["metric"] == "all" and row["problems"] == "all"]
    return "\nWith all terms: " + ", ".join(f"{row['goal']} {short(row['value'])}" for row in found) + ".\n"


def statements() -> str:
    head = ("where", "statement", "ours", "verdict")
    return markdown(head, [[row[name] for name in head] for row in rows(STUDY, "statements")])


def chances() -> str:
    least = {"accuracy": "0.001"}
    found = {
        (row["method"], row["goal"]): row["share"]
        for row in rows(STUDY, "chances")
        if row["tolerance"] == least.get(row["goal"], "0.01")
    }
    order = sorted(PRINTED, key=lambda metric: -float(found[metric, "f1"]))
    return markdown(
        ("metric", *GOALS), [[PRINTED[m], *(f"{float(found[m, g]):.0%}" for g in GOALS)] for m in order]
    )


def pairs() -> str:
    lines = [
        [row["goal"], f"{PRINTED[row['method']]} and {PRINTED[row['other']]}", f"{float(row['share']):.0%}"]
        for row in rows(STUDY, "pairs")
    ]
    return markdown(("goal", "pair", "problems on which one of them is within the tolerance"), lines)


def sides() -> str:
    text = """
## Side studies

The paper weighs positive terms by alpha and negative ones by 1 - alpha on Cora (figure 22), and raises the cutoff of rare words there (figure 11).
Here both are on the 18 sets, one trial (`termsift study forman2003-sides`).

"""
    found = {
        (row["alpha"], row["goal"], row["size"]): row["value"] for row in rows("forman2003-sides", "alpha")
    }
    alphas = list(dict.fromkeys(alpha for alpha, *_ in found))
    columns = [(goal, size) for goal in ("f1", "precision", "recall") for size in ("50", "200", "1000")]
    lines = [[alpha, *(short(found[alpha, *column]) for column in columns)] for alpha in alphas]
    head = ("alpha", *(f"{goal}, {size} terms" for goal, size in columns))
    cutoffs = [
        [row["cutoff"], *(short(row[goal]) for goal in GOALS)] for row in rows("forman2003-sides", "cutoffs")
    ]
    rare = "\nBNS with 1000 terms, words of fewer occurrences left out:\n\n"
    said = ("where", "statement", "ours", "verdict")
    statements = markdown(said, [[row[name] for name in said] for row in rows("forman2003-sides", "summary")])
    tables = markdown(head, lines) + rare + markdown(("occurrences", *GOALS), cutoffs)
    return text + tables + "\n" + statements


def choices() -> str:
    text = """
## Which metric to choose

Every metric of the catalogue, one-sided ones also with as many positive as negative terms (+/-), and BNS with the two classes in turns: the three best macro-averages, one trial (`termsift study forman2003 --all`; all sizes are in `studies/results/forman2003-all/summary.csv`).
High skew is more than 67 documents outside the class for each inside.

"""
    head = ("classifier", "goal", "problems", "size", "first", "second", "third", "all terms")
    lines = [
        [row[name] for name in head]
        for row in rows("forman2003-all", "summary")
        if row["size"] in ("20", "100", "1000") and row["goal"] in ("f1", "precision", "recall")
    ]
    return text + markdown(head, lines)


def figures() -> str:
    captions = {
        "figure4": "Figure 4: F by number of terms",
        "figure5": "Figure 5: precision against recall at 1000 terms",
        "figure6": "Figure 6: F against skew, BNS at 1000 terms",
        "figure7": "Figure 7: F at low and high skew",
        "figure8": "Figure 8: precision at low and high skew",
        "figure9a": "Figure 9a: problems within a tolerance of the best F",
        "figure9b": "Figure 9b: problems within the tolerance, by goal",
        "figure10a": "Figure 10a: problems within a tolerance of the best precision",
        "figure10b": "Figure 10b: IG or another metric",
        "figure14": "Figure 14: F, the better metrics",
        "figure15": "Figure 15: recall",
        "figure16": "Figure 16: precision",
        "figure17": "Figure 17: accuracy",
        "figure18": "Figure 18: problems within a tolerance of the best F",
        "figure19": "Figure 19: recall",
        "figure20": "Figure 20: precision",
        "figure21": "Figure 21: accuracy",
    }
    return pictures("forman2003", captions)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
