"""The page: averages, statements, chances, side studies and choices, from the tables of three studies."""

from __future__ import annotations

from termsift.studies.forman2003.outcomes import GOALS
from termsift.studies.forman2003.statements import NAMES
from termsift.studies.pages import (
    STATEMENT,
    ResultTables,
    column_table,
    markdown_table,
    picture_section,
    thousandths,
)

STUDY = "forman2003"
SIZES = ("10", "20", "50", "100", "200", "500", "1000", "2000")
# ruff: noqa: E501
HEAD = """"An Extensive Empirical Study of Feature Selection Metrics for Text Classification", JMLR 3, compares twelve metrics on 229 problems: each class of 19 sets of documents against the rest.
18 of the sets can be had and give 193 problems; the Cora abstracts (36 problems) cannot, so every figure here is of the 193.
Two of the sets, la1s and la2s, have a reduced vocabulary (13,195 and 12,432 words; the paper's had 31,472).

`termsift study forman2003` follows appendix B: five trials of stratified four-fold cross-validation, features 0 or 1, terms chosen from the training part alone, 10 to 2000 of them and all, a linear support vector machine with hinge loss and C = 1.
That is 374,420 trainings. One path of eight sizes is one fit: each selection contains the smaller one, and starts from its dual variables.

Where the paper is silent: folds are stratified by all classes of a set; decisions are pooled over the four folds of a trial, as WEKA does, so that every class counts, also those too small to be in every fold (one class of tr31 has two documents); precision of no decision is 0; tolerances are points of the measure, not shares of the best; terms that tie are taken by document frequency, then in the order of the file.

## Macro-averaged F by metric and number of terms

"""
SIDES = """
## Side studies

The paper weighs positive terms by alpha and negative ones by 1 - alpha on Cora (figure 22), and raises the cutoff of rare words there (figure 11).
Here both are on the 18 sets, one trial (`termsift study forman2003-sides`).

"""
CHOICES = """
## Which metric to choose

Every metric of the catalogue, one-sided ones also with as many positive as negative terms (+/-), and BNS with the two classes in turns: the three best macro-averages, one trial (`termsift study forman2003 --all`; all sizes are in `results/forman2003-all/summary.csv`).
High skew is more than 67 documents outside the class for each inside.

"""
CAPTIONS = {
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


def forman_page(results: ResultTables) -> str:
    """The page below its heading."""
    parts = [HEAD, f1_by_size(results), with_all_terms_line(results)]
    parts += ["\n## The statements of sections 4 and 5\n\n"]
    parts += [column_table(STATEMENT, results.rows(STUDY, "statements"))]
    parts += ["\n## Chances: the share of problems within 1 % of the best (accuracy: 0.1 %)\n\n"]
    parts += [
        shares_by_goal(results),
        "\nThe best pair of metrics for each goal:\n\n",
        pairs_by_goal(results),
    ]
    parts += [SIDES, side_studies(results), CHOICES, metric_choices(results)]
    return "".join([*parts, picture_section(STUDY, CAPTIONS)])


def f1_by_size(results: ResultTables) -> str:
    """Macro-averages of F by metric and size, the best first."""
    averages = results.rows(STUDY, "averages")
    found = [row for row in averages if row["goal"] == "f1" and row["problems"] == "all"]
    values = {(row["metric"], row["size"]): row["value"] for row in found}
    order = sorted(NAMES, key=lambda metric: -max(float(values[metric, size]) for size in SIZES))
    lines = [[NAMES[m], *(thousandths(values[m, s]) for s in SIZES)] for m in order]
    return markdown_table(("metric", *SIZES), lines)


def with_all_terms_line(results: ResultTables) -> str:
    """What all terms give."""
    averages = results.rows(STUDY, "averages")
    found = [row for row in averages if row["metric"] == "all" and row["problems"] == "all"]
    return (
        "\nWith all terms: "
        + ", ".join(f"{row['goal']} {thousandths(row['value'])}" for row in found)
        + ".\n"
    )


def shares_by_goal(results: ResultTables) -> str:
    """The share of problems that each metric wins within the least tolerance."""
    least = {"accuracy": "0.001"}
    found = {
        (row["method"], row["goal"]): float(row["share"])
        for row in results.rows(STUDY, "chances")
        if row["tolerance"] == least.get(row["goal"], "0.01")
    }
    order = sorted(NAMES, key=lambda metric: -found[metric, "f1"])
    return markdown_table(
        ("metric", *GOALS), [[NAMES[m], *(f"{found[m, g]:.0%}" for g in GOALS)] for m in order]
    )


def pairs_by_goal(results: ResultTables) -> str:
    """The best pair of metrics for each goal."""
    lines = [
        [row["goal"], f"{NAMES[row['method']]} and {NAMES[row['other']]}", f"{float(row['share']):.0%}"]
        for row in results.rows(STUDY, "pairs")
    ]
    return markdown_table(("goal", "pair", "problems on which one of them is within the tolerance"), lines)


def side_studies(results: ResultTables) -> str:
    """Weights of positive terms, cutoffs of rare words, and what the paper says of them."""
    sides = "forman2003-sides"
    found = {(row["alpha"], row["goal"], row["size"]): row["value"] for row in results.rows(sides, "alpha")}
    alphas = list(dict.fromkeys(alpha for alpha, *_ in found))
    columns = [(goal, size) for goal in ("f1", "precision", "recall") for size in ("50", "200", "1000")]
    lines = [[alpha, *(thousandths(found[alpha, *column]) for column in columns)] for alpha in alphas]
    head = ("alpha", *(f"{goal}, {size} terms" for goal, size in columns))
    cutoffs = [
        [row["cutoff"], *(thousandths(row[goal]) for goal in GOALS)] for row in results.rows(sides, "cutoffs")
    ]
    rare = "\nBNS with 1000 terms, words of fewer occurrences left out:\n\n"
    tables = markdown_table(head, lines) + rare + markdown_table(("occurrences", *GOALS), cutoffs)
    return tables + "\n" + column_table(STATEMENT, results.rows(sides, "summary"))


def metric_choices(results: ResultTables) -> str:
    """The three best methods by classifier, goal, skew and size."""
    head = ("classifier", "goal", "problems", "size", "first", "second", "third", "all terms")
    sizes, goals = ("20", "100", "1000"), ("f1", "precision", "recall")
    rows = results.rows("forman2003-all", "summary")
    return column_table(head, [row for row in rows if row["size"] in sizes and row["goal"] in goals])
