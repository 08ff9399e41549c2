"""The page: statements by reading, what we find, and measures by metric, from the tables of two studies."""

from __future__ import annotations

from termsift.studies.pages import (
    STATEMENT,
    ResultTables,
    column_table,
    markdown_table,
    picture_section,
    thousandths,
    whole_table,
)
from termsift.studies.uchyigit_clark.outcomes import GOALS
from termsift.studies.uchyigit_clark.statements import GU

STUDY = "uchyigit-clark"
VOCABULARIES = ("selected words", "all words")
SIZES = ("10", "50", "100", "200", "500", "1000")
# ruff: noqa: E501
HEAD = """"GU METRIC: A New Feature Selection Algorithm for Text Categorization", ICEIS 2007, pages 399-402, compares ten metrics on 20 Newsgroups, its own among them.
`termsift study uchyigit-clark` repeats it: one naive Bayes classifier for each newsgroup against the rest, 10 to 1000 words in steps of 10, five splits of the posts, and the means of precision, recall, F1 and F2 over groups and splits.
With two readings of GU and two of naive Bayes that is 220,000 classifiers; the sums of ranked words are prefix sums, so all sizes of a ranking are judged in one pass.

The paper prints no results as numbers.
Its figures 1 to 4 are curves, which cannot be read off its text, so there is nothing to subtract from; what it says of the curves is held against ours.

CHI is chi2, NGL is cc, WF (word frequency) is tf, BSS/WSS is bss_wss; the others have their names in [metrics.md](metrics.md).

## What the paper leaves open

- **GU.** The formula of z is printed with counts of posts, `c_w - not c_w`; the text speaks of two proportions. GU counts is the print (`printed=True`), GU proportions is the text. A word that is in no post outside the group counts as in half a post.
- **The vocabulary of naive Bayes.** The classifier is printed: multinomial, with one added to every count. The sum below the line runs over a vocabulary V. The sentence after it speaks of the distinct words of the training set, which may mean the selected words or all. With the selected words, shares add up to one over them, as when a classifier is fitted to the selected columns. With all words, a selected word that is frequent in the group speaks for it by itself. The two give other winners, so everything is shown for both; the selected words stand first because fewer statements fail with them, which was seen after both were run.
- **Posts.** All 18,846 of the collection by date, headers included; two thirds of each group to learn from, one third to judge, at random.
- **Words.** No stop list, no stems, no cutoff of rare words: the paper mentions none. Words are those of scikit-learn's CountVectorizer.
- **Ties.** Many words tie in MI, which is the same for every word that is in no other group; those in more posts come first.
- **OR** has half a post added to each cell. Without it every word that is in no other group has infinite odds.
- **Averages** are means over groups. Precision of no decision is 0.

"""
RULE = """Figures are means of a curve over its 100 sizes.
A method is best if that mean is, and wholly so if it is also best at more than half of the sizes; curves are alike if they are 0.01 apart on average; F1 and F2 show the same if their best is the same and the rank correlation of the ten means is at least 0.8.
p is that of Wilcoxon's test over the 20 groups.
Each statement is taken apart: it holds if all its parts do, and in part if some do.

With the selected words as the vocabulary, and GU counts:

"""
VERDICTS = """
Verdicts with both vocabularies and both readings of GU (all figures are in `results/uchyigit-clark/statements.csv`):

"""
READINGS = """## Other readings

Of the 16 statements, how many hold, by reading: two splits, one thing changed at a time (`termsift study uchyigit-clark-readings`).
The stop words are scikit-learn's, the stems Porter's; "groups pooled" are measures of the decisions of all groups taken together.

"""
AFTER = """
Ties, rare words, stop words, stems and pooling change little.
Headers matter: without them GU counts needs more words, and is no longer the best on the mean of all sizes.
"""
MEASURES = """
## Measures by metric, vocabulary of {}

Means over sizes, the standard deviation of F1 over splits, and F1 at some sizes.

"""


def uchyigit_page(results: ResultTables) -> str:
    """The page below its heading."""
    said = results.rows(STUDY, "statements")
    first = [row for row in said if (row["vocabulary"], row["gu"]) == (VOCABULARIES[0], GU[0])]
    verdicts = results.rows(STUDY, "verdicts")
    parts = [HEAD, "## Statements of sections 4 and 5\n\n", RULE, column_table(STATEMENT, first), VERDICTS]
    parts += [column_table([name for name in verdicts[0] if name != "where"], verdicts)]
    parts += ["\n## What we find\n\n", findings(results), "\n\n", READINGS]
    parts += [whole_table(results.rows("uchyigit-clark-readings", "summary")), AFTER]
    for vocabulary, title in zip(VOCABULARIES, ("the selected words", "all words"), strict=True):
        parts += [MEASURES.format(title), measures_table(results, vocabulary)]
    goals = ("precision", "recall", "F1", "F2")
    captions = {f"figure{n}": f"Figure {n}: {goal}" for n, goal in enumerate(goals, 1)}
    return "".join([*parts, picture_section(STUDY, captions)])


def findings(results: ResultTables) -> str:
    """Which of the paper's claims hold with which reading."""
    selected, every = VOCABULARIES
    counts, proportions = GU
    levels = {(row["vocabulary"], row["metric"]): row for row in results.rows(STUDY, "summary")}
    curves = {(r["vocabulary"], r["metric"], r["size"]): r for r in results.rows(STUDY, "averages")}

    def level(vocabulary: str, metric: str, goal: str) -> str:
        return thousandths(levels[vocabulary, metric][goal])

    def at(vocabulary: str, metric: str, size: str, goal: str) -> str:
        return thousandths(curves[vocabulary, metric, size][goal])

    def several(vocabulary: str, goal: str, metrics: tuple[str, ...]) -> str:
        return ", ".join(f"{name} {level(vocabulary, name, goal)}" for name in metrics)

    return "\n".join([
        f"The main claim, that GU has the best F1, needs the formula as it is printed and the selected words as the vocabulary: {several(selected, 'f1', (counts, 'BSS/WSS', 'CHI', 'NGL'))}, which are the paper's four best, and MI is last ({level(selected, 'MI', 'f1')}).",
        f"GU of proportions reaches {level(selected, proportions, 'f1')} there.",
        f"The claim does not extend to F2, where IG ({level(selected, 'IG', 'f2')}) and Fisher ({level(selected, 'Fisher', 'f2')}) are above GU counts ({level(selected, counts, 'f2')}), nor to few words: with 50 GU counts has an F1 of {at(selected, counts, '50', 'f1')} and IG {at(selected, 'IG', '50', 'f1')}.",
        f"No reading gives the order in precision that the paper reports: with the selected words MI and OR are the most precise ({level(selected, 'MI', 'precision')} and {level(selected, 'OR', 'precision')}) and have the least recall ({level(selected, 'MI', 'recall')} and {level(selected, 'OR', 'recall')}).",
        f"CHI ranks as NGL does, but for the words that speak against the group, which CHI takes and NGL leaves: CHI has the recall ({level(selected, 'CHI', 'recall')} against {level(selected, 'NGL', 'recall')}), NGL the precision.",
        f"With all words as the vocabulary OR has the best F1 ({level(every, 'OR', 'f1')}), as the paper says of OR against IG and MI, but CHI, NGL and BSS/WSS accept too much: their F1 is {several(every, 'f1', ('CHI', 'NGL', 'BSS/WSS'))}, their precision {several(every, 'precision', ('CHI', 'NGL', 'BSS/WSS'))}.",
    ])  # fmt: skip


def measures_table(results: ResultTables, vocabulary: str) -> str:
    """Means over sizes, the best in F1 first, and F1 at some sizes."""
    averages = {
        (row["metric"], row["size"]): row["f1"]
        for row in results.rows(STUDY, "averages")
        if row["vocabulary"] == vocabulary
    }
    lines = [
        [
            row["metric"],
            *(thousandths(row[name]) for name in (*GOALS, "deviation of f1")),
            *(thousandths(averages[row["metric"], size]) for size in SIZES),
        ]
        for row in results.rows(STUDY, "summary")
        if row["vocabulary"] == vocabulary
    ]
    head = ("metric", *GOALS, "deviation of f1", *(f"f1, {size} words" for size in SIZES))
    return markdown_table(head, lines)
