"""Comparison: what was found, as tables, as sentences, as a page and as a model."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from termsift._internal.tables import Table, text_table
from termsift._internal.typing import Array, as_terms
from termsift.compare import recommendation
from termsift.compare.final_model import Model, check_folder, saved_model
from termsift.compare.racing import dropped_candidates, with_dropped
from termsift.compare.recommendation import answers, worthwhile
from termsift.compare.results import CandidateResults, asked_size
from termsift.counts import Counts
from termsift.engines import Documents
from termsift.evaluation import GOALS, best_pairs, win_rates, residual_wins
from termsift.metrics import score
from termsift.report import FOR_READING, ClassWords, class_words, told_words

if TYPE_CHECKING:
    from termsift.report import Findings

TOLERANCE = 0.01  # a method wins a class within so much of the best
SIGNIFICANT = 0.05
ALSO = ("f1_macro", "f1_micro", "accuracy", "precision", "recall")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison:
    """The results of a comparison.

    results : the result of every candidate on every fold
    documents : the documents
    models : the recommended model, and the same classifier with all terms, both fitted to all documents
    speeds : documents per second of each model, if measured
    warnings : sentences about what may mislead
    left_out : sentences about copies that were dropped, and what there was no time for
    sampled : a sentence shown first if the documents are a sample; otherwise empty

    >>> from termsift import compare
    >>> spam, ham = ["win a prize now", "free prize"] * 6, ["lunch at noon", "see you at lunch"] * 6
    >>> found = compare(spam + ham, ["spam"] * 12 + ["ham"] * 12, metrics=["ig"], k=[3], repeats=1)
    >>> found.chosen["terms"] <= found.best["terms"]
    True
    """

    results: CandidateResults
    documents: Documents
    models: Sequence[Model]
    speeds: Sequence[float]
    warnings: Sequence[str]
    left_out: Sequence[str]
    sampled: str = ""

    @property
    def goal(self) -> str:
        """The goal, in words."""
        return self.results.goal.words

    @property
    def counts(self) -> Counts:
        """The counts of all documents."""
        return self.documents.counts

    @property
    def table(self) -> Table:
        """All candidates, best first: the goal with its standard error, and other measures."""
        r = self.results
        order = np.lexsort((np.arange(len(r.lines)), r.sizes, -np.round(r.means, 12)))
        others = {goal.name: r.others[i].mean(axis=1) for i, goal in enumerate(r.goals[1:])}
        also = [] if r.goal.at_break_even else [name for name in ALSO if name not in {r.goal.name, *others}]
        others |= {name: r.also(GOALS[name]) for name in also}
        return Table(self._lines(order) | {name: column[order] for name, column in others.items()})

    @property
    def methods(self) -> Table:
        """The best candidate of each method against the best overall: difference, Holm-adjusted p, verdict.

        p is from the corrected resampled t test. "tie" means that the difference may be chance, "untried"
        that there was no time to try the method with the classifier of the best; its difference then uses
        classifiers that both were tried with. If it was "dropped", figures are for the folds it was tried on.
        """
        r = self.results
        order = np.array([r.best_of(name) for name in r.methods])
        p = {r.lines[r.best].ranker.name: 1.0} | r.p_values()
        values = np.array([p.get(name, np.nan) for name in r.methods])
        verdicts = [
            "best" if i == r.best else "untried" if np.isnan(q) else "worse" if q < SIGNIFICANT else "tie"
            for i, q in zip(order, values, strict=True)
        ]
        own, others = (np.array(part) for part in zip(*map(r.rivals, r.methods), strict=True))
        differences = r.means[own] - r.means[others]
        told = {"difference": differences, "p": values, "verdict": as_terms(verdicts)}
        return with_dropped(self._lines(order) | told, r)

    @property
    def dropped(self) -> Table:
        """The candidates dropped early: when, their result until then, and the candidate that beat them."""
        return dropped_candidates(self.results)

    @property
    def by_size(self) -> Table:
        """The best candidate for each requested number of terms, for methods that set their own, and for all.

        asked : the number, "own" if the method itself sets the number of terms, or "all"
        """
        r = self.results
        asked: dict[str, list[int]] = {}
        for i, line in enumerate(r.lines):
            asked.setdefault(asked_size(line, r.sizes[i]), []).append(i)
        best = {max(own, key=lambda i: (r.means[i], -r.sizes[i])): name for name, own in asked.items()}
        order = sorted(best, key=lambda i: (best[i] == "all", best[i] == "own", r.lines[i].k))
        return Table({"asked": as_terms([best[i] for i in order])} | self._lines(np.array(order)))

    @property
    def trade_off(self) -> Table:
        """What more terms gain: candidates that no smaller one beats, and those that meet a given criterion.

        answer : "best", "one standard error", "within 0.01", "at most 500 terms", or empty
        """
        named: dict[int, list[str]] = {}
        for words, line in answers(self.results).items():
            named.setdefault(line, []).append(words)
        order = sorted({*worthwhile(self.results), *named}, key=lambda i: self.results.sizes[i])
        marks = as_terms([", ".join(named.get(line, [])) for line in order])
        return Table(self._lines(np.array(order)) | {"answer": marks})

    @property
    def best(self) -> dict[str, Any]:
        """The candidate with the best mean."""
        return next(iter(Table(self._lines(np.array([self.results.best])))))

    @property
    def chosen(self) -> dict[str, Any]:
        """The recommended candidate: fewest terms within one standard error of the best, or as requested."""
        return next(iter(Table(self._lines(np.array([self.results.chosen])))))

    @property
    def by_class(self) -> Table:
        """The best candidate for each class and method: class, method, classifier, terms, mean, error.

        Only classifiers that all methods were tried with are used, to compare like with like.
        """
        r = self.results
        figures = [r.by_class(line) for line in range(len(r.lines))]
        means, errors = (np.stack(part) for part in zip(*figures, strict=True))
        own = {name: r.lines_of(name, r.judges_of_all) for name in r.methods}
        keys = [
            (c, lines[int(np.argmax(np.round(means[lines, c], 12)))])
            for c in range(len(r.classes))
            for lines in own.values()
        ]
        columns, order = (np.array(part) for part in zip(*keys, strict=True))
        names = as_terms([r.classes[c] for c in columns])
        own_figures = {"mean": means[order, columns], "error": errors[order, columns]}
        return Table({"class": names} | self._lines(order) | own_figures)

    @property
    def classes(self) -> Table:
        """For each class: its documents, the figure of the recommended candidate, and the best method."""
        by_class, r = self.by_class, self.results
        each = len(r.methods)
        best = np.arange(len(r.classes)) * each + by_class["mean"].reshape(-1, each).argmax(axis=1)
        return Table(
            {
                "class": as_terms(r.classes),
                "documents": self.counts.class_sizes,
                "chosen": r.by_class(r.chosen)[0],
                "best": by_class["mean"][best],
                "by": by_class["method"][best],
            }
        )

    @property
    def chances(self) -> Table:
        """The share of classes in which each method is within 0.01 of the best method."""
        found = win_rates(self.by_class, [TOLERANCE], problem="class", value="mean")
        return Table({"method": found["method"], "chance": found["share"].astype(float)})

    @property
    def pair(self) -> dict[str, Any] | None:
        """The pair of methods that together win most classes; what the second wins where the first fails."""
        runs = self.by_class
        if len(self.results.classes) < 3 or len(self.results.methods) < 2:
            return None
        found = next(iter(best_pairs(runs, TOLERANCE, problem="class", value="mean")))
        first, second = found["method"], found["other"]
        share = dict(zip(self.chances["method"], self.chances["chance"], strict=True))
        if share[second] > share[first]:
            first, second = second, first
        rest = residual_wins(runs, first, TOLERANCE, problem="class", value="mean")
        row = next(row for row in rest if row["method"] == second)
        return {"first": first, "second": second, **{k: row[k] for k in ("failures", "wins", "together")}}

    @property
    def sizes(self) -> Table:
        """The recommended model and the one with all terms: terms, bytes, documents per second."""
        columns = {
            "model": as_terms([model.line.ranker.name for model in self.models]),
            "terms": np.array([len(model.columns) for model in self.models]),
            "bytes": np.array([model.bytes(model.documents) for model in self.models]),
        }
        if self.speeds:
            columns["documents_per_second"] = np.array(self.speeds)
        return Table(columns)

    @property
    def words(self) -> list[ClassWords]:
        """The ten best words of each class, and how many of them are above chance."""
        return class_words(score(self.counts, FOR_READING), self.counts.classes)

    @property
    def answer(self) -> list[str]:
        """The advice, in at most five sentences; for a sample, preceded by a description of the sample."""
        return [*filter(None, [self.sampled]), *recommendation.answer(self)]

    @property
    def details(self) -> list[str]:
        """Further findings, in sentences."""
        return recommendation.details(self)

    def findings(self) -> Findings:
        """The findings in the form that a report shows."""
        from termsift.report import Findings

        table = self.table
        curve = Table({name: table[name] for name in ("method", "classifier", "terms", "mean", "error")})
        figures = curve, self.best, self.chosen, self.by_class, self.chances
        told = [*self.answer, *self.details, *self.left_out]
        return Findings(self.goal, *figures, told, self.warnings, self.trade_off)

    def to_html(self, *, title: str | None = None, with_texts: bool = True) -> str:
        """The report as one HTML page that opens offline; without texts it has only terms and figures."""
        from termsift.report import report_html, seen_texts

        return report_html(
            self.counts,
            title="Which terms tell the classes apart" if title is None else title,
            texts=seen_texts(self.documents.texts, self.documents.analyzer) if with_texts else None,
            labels=self.documents.labels.names,
            findings=self.findings(),
            k=max(1, round(self.chosen["terms"] / len(self.results.classes))),
        )

    def _repr_html_(self) -> str:
        from termsift.report import notebook_html

        return notebook_html(self.to_html())

    def to_json(self) -> str:
        """All results as one JSON object: the answer, words, warnings, and every table."""
        tables = {"methods": self.methods, "by_size": self.by_size, "trade_off": self.trade_off}
        tables |= {"classes": self.classes, "dropped": self.dropped}
        rows = {name: table.to_json() for name, table in {**tables, "candidates": self.table}.items()}
        told = {
            "goal": self.results.goal.name,
            "split": self.results.split,
            "folds": self.results.folds,
            "repeats": self.results.repeats,
            "chosen": self.chosen,
            "best": self.best,
            "expected": self.results.expected,
            **{name: list(getattr(self, name)) for name in ("answer", "details", "left_out", "warnings")},
            "words": {str(own.name): own.terms for own in self.words},
        }
        parts = {name: json.dumps(value, ensure_ascii=False, default=str) for name, value in told.items()}
        told_parts = ",\n".join(f"{json.dumps(name)}: {part}" for name, part in (parts | rows).items())
        return "{\n" + told_parts + "\n}"

    def save(self, folder: str | os.PathLike[str], *, overwrite: bool = False) -> list[Path]:
        """Write the recommended model: vocabulary.txt, selection.json, pipeline.skops. Returns the files.

        The pipeline is plain scikit-learn in a safe format. It loads without termsift, unless its terms need
        it: stems, text of HTML, Unicode normalization. `selection.json` lists what is needed.
        Another model in the folder is an error, unless `overwrite` is set.
        """
        check_folder(Path(folder), overwrite)
        model = self.models[0]
        return saved_model(Path(folder), model, model.documents, self.chosen, self.goal)

    def __repr__(self) -> str:
        return "\n".join(
            [told_words(self.words, FOR_READING), "", *self.answer, "", text_table(self.methods)]
        )

    def _lines(self, order: Array) -> dict[str, Array]:
        r = self.results
        lines = [r.lines[i] for i in order]
        return {
            "method": as_terms([line.ranker.name for line in lines]),
            "classifier": as_terms([line.classifier.name for line in lines]),
            "terms": np.round(r.sizes[order]).astype(np.int64),
            "mean": r.means[order],
            "error": r.errors[order],
        }
