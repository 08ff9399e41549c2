"""Ways to read the paper, each with what of it speaks for it, judged by the statements that it lets hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product

from termsift._internal.tables import Table
from termsift_studies.study import Line, Lines, Row, failing_lines, line_tables, verdict_counts
from termsift_studies.uchyigit_clark.results import (
    AVERAGES,
    TenMethods,
    UchyigitOutcomes,
    uchyigit_outcomes,
    uchyigit_statements,
)
from termsift_studies.uchyigit_clark.trials import UchyigitReading, Words

MAIN = UchyigitReading()
MAIN_LINE = "main line"
# what decisions come from; what is made of them is a reading's own
RUNS = {
    MAIN_LINE: MAIN,
    "selected words": replace(MAIN, vocabulary="chosen"),
    "all words": replace(MAIN, vocabulary="all"),
    "balanced training": replace(MAIN, balanced="training"),
    "both balanced": replace(MAIN, balanced="both"),
    "rarest first": replace(MAIN, ties="rare"),
    "alphabet": replace(MAIN, ties="alphabet"),
    "three posts": replace(MAIN, fewest=3),
    "stop words": replace(MAIN, words=Words(stop_words=False)),
    "stems": replace(MAIN, words=Words(stop_words=False, stems=True)),
    "headers": replace(MAIN, words=Words(without=("headers",))),
    "presence": replace(MAIN, occurrences=False),
}
# the scores that may stand for a method
SCORES = {
    "GU": ("GU proportions", "GU counts"),
    "NGL": ("NGL", "NGL with its sign"),
    "GSS": ("GSS", "GSS without its sign"),
    "MI": ("MI", "MI without its sign"),
    "OR": ("OR", "OR without its sign"),
}
GU_COUNTS = {"GU": "GU counts"}
SIGNED_NGL = {"NGL": "NGL with its sign"}


@dataclass(frozen=True, slots=True)
class JudgedReading:
    """A way to read the paper.

    support : the words of the paper for it, with their section; "silent" where it says nothing of the choice,
        and nothing where it says something else
    run : the name of its decisions
    read_as : which scores stand for a method of the paper
    averaging : how measures of groups become one
    """

    support: str
    run: str = MAIN_LINE
    read_as: Mapping[str, str] = field(default_factory=dict)
    averaging: str = "groups"

    @property
    def scores(self) -> dict[str, str]:
        """Which scores stand for which method, GU included."""
        return {"GU": "GU proportions", **self.read_as}


DISTINCT = '3: "K is the total number of distinct words in the training set"'
PROPORTIONS = '2: "measures the differences between two proportions"'
SQUARE = '2: "where CC^2 = χ2"; 5: "we do not report a difference"'
CHOSEN = "3: the product of the classifier is over n words"
ONE_V = "3: the formula has one V in both places"
PRINTED_Z = '2: "z is computed as follows", of counts'
TRIED = {
    MAIN_LINE: JudgedReading(f"{DISTINCT}; {PROPORTIONS}; {SQUARE}"),
    # the vocabulary of naive Bayes
    "vocabulary of the selected words": JudgedReading(CHOSEN, "selected words"),
    "vocabulary of all words": JudgedReading(ONE_V, "all words"),
    # what a score is
    "GU of counts": JudgedReading(PRINTED_Z, read_as=GU_COUNTS),
    "GU of counts, selected words": JudgedReading(f"{PRINTED_Z}; {CHOSEN}", "selected words", GU_COUNTS),
    "GU of counts, all words": JudgedReading(f"{PRINTED_Z}; {ONE_V}", "all words", GU_COUNTS),
    "NGL with its sign": JudgedReading("2: the formula of NGL has a sign", read_as=SIGNED_NGL),
    "as first read": JudgedReading(
        f"{PRINTED_Z}; 2: the formula of NGL has a sign; {CHOSEN}", "selected words", GU_COUNTS | SIGNED_NGL
    ),
    "GSS by absolute value": JudgedReading(
        '2: "a simplified χ2 statistic"', read_as={"GSS": "GSS without its sign"}
    ),
    "MI by absolute value": JudgedReading("", read_as={"MI": "MI without its sign"}),
    "OR by absolute value": JudgedReading(
        '2: "close to zero or infinity means a large difference"', read_as={"OR": "OR without its sign"}
    ),
    # what an average is
    "precision where posts are accepted": JudgedReading(
        '4: "report the average precision"', averaging="where defined"
    ),
    "F of mean precision and recall": JudgedReading("", averaging="of means"),
    "groups pooled": JudgedReading("", averaging="pooled"),
    # which posts there are
    "balanced training sets": JudgedReading(
        f"{PROPORTIONS}, which z of counts does if classes are alike", "balanced training"
    ),
    "balanced training and test sets": JudgedReading(
        'the same; 4: "using a different training and test set each time"', "both balanced"
    ),
    # where the paper is silent
    "ties by the alphabet": JudgedReading("silent", "alphabet"),
    "the rarest of tied words first": JudgedReading("silent", "rarest first"),
    "words in three posts": JudgedReading("silent", "three posts"),
    "without stop words": JudgedReading("silent", "stop words"),
    "stems, without stop words": JudgedReading("silent", "stems"),
    "without headers": JudgedReading("silent", "headers"),
    # what it speaks against
    "a word counts once in a post": JudgedReading("", "presence"),
}


def verdict_tables(rows: list[Row]) -> dict[str, Table]:
    """What holds in each reading of which there are decisions."""
    found = uchyigit_outcomes(rows)
    tried = {name: reading for name, reading in TRIED.items() if reading.run in found}
    said = [{"reading": name} | line for name, one in tried.items() for line in said_in(found[one.run], one)]
    return line_tables({
        "summary": [summary_line(name, one, found[one.run], said) for name, one in tried.items()],
        "statements": said,
        "failing": failing_lines(said, MAIN_LINE),
        "combinations": [combination_line(run, own) for run, own in found.items()],
    })  # fmt: skip


def said_in(found: UchyigitOutcomes, reading: JudgedReading) -> Lines:
    """The statements as a reading has them."""
    return uchyigit_statements(found.averaged(reading.averaging), reading.scores)


def summary_line(name: str, reading: JudgedReading, found: UchyigitOutcomes, said: Lines) -> Line:
    """How many statements hold in a reading, where in the paper it stands, the best in F1 and the worst."""
    contest = TenMethods(found.averaged(reading.averaging), reading.scores)
    counted = verdict_counts(line for line in said if line["reading"] == name)
    order = {"best in f1": contest.shown("f1", 3), "worst": contest.order("f1")[-1]}
    return {"reading": name, "support": reading.support} | counted | order


def combination_line(run: str, found: UchyigitOutcomes) -> Line:
    """Of all ways to read scores and averages, the one in which most statements hold."""
    counted = [(verdict_counts(said_in(found, reading)), reading) for reading in combined_readings()]
    most, best = max(counted, key=lambda pair: (pair[0]["holds"], pair[0]["holds in part"]))
    ways = [*best.scores.values(), f"averages: {best.averaging}"]
    return {"decisions": run, "combinations": len(counted)} | most | {"in": "; ".join(ways)}


def combined_readings() -> Iterator[JudgedReading]:
    """Every combination of scores and averages, the main line's first."""
    for averaging, *chosen in product(AVERAGES, *SCORES.values()):
        yield JudgedReading("", read_as=dict(zip(SCORES, chosen, strict=True)), averaging=averaging)
