"""The options of a comparison: what is tried, how it is judged, where results go."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from termsift.cli.commands import Many

Title = Annotated[str | None, Parameter(help="The heading of the page; the name of what is read, if none.")]


@Parameter(name="*")
@dataclass(frozen=True)
class CandidateOptions:
    """What is tried."""

    metric: Annotated[
        Many,
        Parameter(
            help="What to choose terms by: a metric such as bns, bns:turns, cc:sides, ig:cmim; greedy, l1, "
            "all; class_weights, divisive(200) for features made of terms; bns@1-2, all@chars3-5 for runs of "
            "words or characters as terms. A good set if none."
        ),
    ] = field(default_factory=list)
    k: Annotated[
        list[int],
        Parameter(name=["-k", "--k"], consume_multiple=False, negative=(), help="A number of terms to try."),
    ] = field(default_factory=list)
    classifier: Annotated[
        Many,
        Parameter(
            help="bayes, complement, svm or logistic; with :binary on 0/1 features; svm:bns or svm:igm on "
            "terms weighted by a metric; svm_tuned with thresholds tuned for a goal of F. A good set if none."
        ),
    ] = field(default_factory=list)
    thorough: Annotated[
        bool, Parameter(negative=(), help="Try all to the end, also what cannot win any more.")
    ] = False

    @property
    def given(self) -> dict[str, Any]:
        """What was given, as `ts.compare` takes it."""
        known: dict[str, Any] = {"metrics": self.metric, "k": self.k, "classifiers": self.classifier}
        known["thorough"] = self.thorough
        return {name: value for name, value in known.items() if value}


@Parameter(name="*")
@dataclass(frozen=True)
class JudgingOptions:
    """How it is judged."""

    goal: Annotated[
        Many,
        Parameter(
            help="f1_macro, f1_micro, f2_macro and the like, accuracy, balanced_accuracy, precision, recall, "
            "mcc, average_precision, 'precision_at_recall(0.9)', break_even; of several the first decides. "
            "f1_macro if none."
        ),
    ] = field(default_factory=list)
    folds: Annotated[int, Parameter(help="Folds of the cross-validation, or windows of time.")] = 5
    repeats: Annotated[
        int | None, Parameter(help="How often it is repeated; more for smaller corpora where not given.")
    ] = None
    seed: Annotated[int, Parameter(help="What the folds are drawn by.")] = 0
    group: Annotated[
        str | None, Parameter(help="A column, such as the author: none of its values is on both sides.")
    ] = None
    time: Annotated[
        str | None, Parameter(help="A column of dates or numbers: learn from the past, judge what came next.")
    ] = None
    split: Annotated[str | None, Parameter(help="A column that says train or test.")] = None
    test: Annotated[
        str | None, Parameter(help="Documents to judge by, with the same columns; DATA is learned from.")
    ] = None
    weight: Annotated[
        str | None, Parameter(help="A column of numbers: what a document counts for in all that is done.")
    ] = None
    within: Annotated[
        float | None, Parameter(help="Recommend the fewest terms that give up at most this, such as 0.01.")
    ] = None
    terms: Annotated[int | None, Parameter(help="Recommend the best of at most so many terms.")] = None
    latency: Annotated[
        float | None, Parameter(help="Recommend the best that labels a document in so many milliseconds.")
    ] = None
    drop_copies: Annotated[
        bool, Parameter(negative=(), help="Of documents that are copies, or nearly, keep the first.")
    ] = False

    @property
    def given(self) -> dict[str, Any]:
        """The options, as `ts.compare` takes them."""
        names = ("folds", "repeats", "drop_copies", "within", "latency")
        goal = {"goal": self.goal} if self.goal else {}
        return (
            goal
            | {name: getattr(self, name) for name in names}
            | {
                "random_state": self.seed,
                "at_most": self.terms,
            }
        )

    @property
    def marks(self) -> dict[str, str | None]:
        """The columns beside texts and labels, by their use."""
        return {name: getattr(self, name) for name in ("group", "time", "split", "weight")}


@Parameter(name="*")
@dataclass(frozen=True)
class ResultFiles:
    """Where results go."""

    save: Annotated[
        Path | None, Parameter(help="Write vocabulary, selection and a scikit-learn pipeline to this folder.")
    ] = None
    overwrite: Annotated[
        bool, Parameter(negative=(), help="Let --save write over the model that the folder holds.")
    ] = False
    calibrate: Annotated[
        bool, Parameter(negative=(), help="Save what turns margins into probabilities, found out of fold.")
    ] = False
    report: Annotated[Path | None, Parameter(help="Write a page with all of it to this HTML file.")] = None
    title: Title = None
    no_texts: Annotated[
        bool, Parameter(negative=(), help="Leave the texts out of the page: no words in context.")
    ] = False


CANDIDATES, JUDGING, NOWHERE = CandidateOptions(), JudgingOptions(), ResultFiles()
