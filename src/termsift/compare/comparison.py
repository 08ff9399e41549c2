"""Comparison: its results as tables, sentences, a report and a model."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from termsift._internal.tables import Table
from termsift._internal.typing import Array, as_term_array
from termsift.compare import results as advice
from termsift.compare.candidates import RacingCandidate
from termsift.compare.final_model import FittedCandidate
from termsift.compare.results import SIGNIFICANCE, CandidateResults, standard_errors
from termsift.counts import Counts
from termsift.engines import Documents
from termsift.evaluation import best_pairs, holm, parse_goals, win_rates
from termsift.metrics import score
from termsift.models import Model
from termsift.report import DEFAULT_METRIC, ClassKeywords, class_keywords, format_keywords

if TYPE_CHECKING:
    from termsift.report import Findings

FURTHER_GOALS = ("f1_macro", "f1_micro", "accuracy", "precision_macro", "recall_macro")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison:
    """Results of `compare`: advice in sentences, tables, a report, and the recommended model.

    Attributes
    ----------
    results : CandidateResults
        Result of every candidate on every fold.
    documents : Documents
        The training documents.
    models : sequence of FittedCandidate
        The recommended candidate, all terms with the usual classifier, and the best candidate, without
        repetitions; fitted to all documents.
    throughput : sequence of float
        Documents that each model labels per CPU second.
    warnings : sequence of str
        Sentences about problems of the data that may mislead.
    dropped_candidates : sequence of str
        Sentences about removed duplicates, and about candidates without time.
    sampled : str
        Sentence shown first if the documents are a sample; otherwise empty.
    source : str
        Name of the data.

    Examples
    --------
    >>> from termsift import compare
    >>> spam, ham = ["win a prize now", "free prize"] * 6, ["lunch at noon", "see you at lunch"] * 6
    >>> comparison = compare(spam + ham, ["spam"] * 12 + ["ham"] * 12, metrics=["ig"], k=[3], repeats=1)
    >>> comparison.recommended["terms"] <= comparison.best["terms"]
    True

    """

    results: CandidateResults
    documents: Documents
    models: Sequence[FittedCandidate]
    throughput: Sequence[float]
    warnings: Sequence[str]
    dropped_candidates: Sequence[str]
    sampled: str = ""
    source: str = ""

    @property
    def goal_description(self) -> str:
        """Description of the goal."""
        return self.results.goal.description

    @property
    def counts(self) -> Counts:
        """Counts of all documents."""
        return self.documents.counts

    @property
    def summary(self) -> Table:
        """The best and the recommended candidate, all terms with the usual classifier, and guessing.

        difference, p : from the best; p is NaN for the best itself, and if there is only one fold
        further columns : the other goals; NaN for guessing
        """
        r = self.results
        usual = r.candidates[0]
        roles = {r.best: ["best"]}
        if r.beats_guessing:
            roles.setdefault(r.recommended, []).append("recommended")
        if usual.ranker.uses_all_terms:
            roles.setdefault(0, []).append(f"all terms, {usual.classifier.description.removeprefix('a ')}")
        order = np.array(list(roles))
        guess = r.guess_values[[r.best_guess]]
        values = np.concatenate([r.values[order], guess])
        means = values.mean(axis=1)
        p_values = [r.difference_p_value(r.values[r.best] - row) for row in values]
        is_tested = (np.arange(len(values)) > 0) & (len(r.test_ratios) > 1)
        columns = self._candidate_columns(order)
        further = zip(r.goals[1:], r.further_values, strict=True)
        goals = {goal.name: np.append(values[order].mean(axis=1), np.nan) for goal, values in further}
        fitted = zip(self.models, self.throughput, strict=True)
        by_model = {id(model.candidate): speed for model, speed in fitted}
        speeds = [by_model.get(id(r.candidates[i]), np.nan) for i in order]
        return Table(
            {
                "candidate": as_term_array([*(" = ".join(names) for names in roles.values()), "guessing"]),
                "features": as_term_array([*columns["method"], advice.describe_best_guess(self)]),
                "classifier": as_term_array([*columns["classifier"], ""]),
                "terms": np.append(columns["terms"], 0),
                "mean": means,
                "error": np.append(columns["error"], standard_errors(guess, r.test_ratios)),
                **goals,
                "difference": means - r.means[r.best],
                "p": np.where(is_tested, p_values, np.nan),
                "documents_per_second": np.array([*speeds, np.nan]),
            }
        )

    @property
    def table(self) -> Table:
        """All candidates, best first: the goal with its standard error, and other goals."""
        r = self.results
        order = np.lexsort((np.arange(len(r.candidates)), r.sizes, -np.round(r.means, 12)))
        goals = {goal.name: r.further_values[i].mean(axis=1) for i, goal in enumerate(r.goals[1:])}
        if not r.goal.at_break_even:
            names = [name for name in FURTHER_GOALS if name not in {r.goal.name, *goals}]
            for goal in parse_goals(names):
                # blocks are too small for a mean over them; their decisions are pooled
                if r.is_holdout:
                    goals[goal.name] = goal.evaluate(r.confusion.pool(axis=1))
                else:
                    goals[goal.name] = goal.evaluate(r.confusion).mean(axis=1)
        return Table(self._candidate_columns(order) | {name: column[order] for name, column in goals.items()})

    @property
    def methods(self) -> Table:
        """Best candidate of each method against the best overall: difference, Holm-adjusted p, verdict.

        p is from the corrected resampled t test. "tie" means that the difference is not significant,
        "untried" that there was no time to try the method with the classifier of the best; its difference
        then uses classifiers that both were tried with. "dropped" methods have the scores of the folds they
        were tried on.
        """
        r = self.results
        best = r.candidates[r.best_of_grid]
        winner, classifier = best.ranker.name, best.classifier
        pairs = {name: r.comparison_pair(name) for name in r.remaining_methods}
        # a test with other classifiers would not be one of the method
        rivals = [n for n in pairs if n != winner and classifier in r.method_classifiers(n)]
        adjusted = holm([r.p_value(*pairs[name][::-1]) for name in rivals])
        p_by_name = {winner: 1.0, **dict(zip(rivals, adjusted.tolist(), strict=True))}
        p_values = np.array([p_by_name.get(name, np.nan) for name in pairs])
        order = np.array([r.best_of_method(name) for name in pairs])
        verdicts = np.where(p_values < SIGNIFICANCE, "worse", "tie")
        verdicts = np.where(np.isnan(p_values), "untried", verdicts)
        verdicts = np.where(order == r.best_of_grid, "best", verdicts)
        columns = self._candidate_columns(order) | {
            "difference": np.array([r.means[first] - r.means[second] for first, second in pairs.values()]),
            "p": p_values,
            "verdict": as_term_array(verdicts.tolist()),
        }
        names = dict.fromkeys(d.candidate.ranker.name for d in r.dropped if not d.candidate.is_extra)
        racers = [racer for name in names if (racer := r.best_if_dropped(name)) is not None]
        racers.sort(key=lambda racer: -r.lead_over_best(racer))
        dropped = self._racer_columns(racers) | {"verdict": as_term_array(["dropped"] * len(racers))}
        return Table({name: np.concatenate([columns[name], dropped[name]]) for name in columns})

    @property
    def dropped(self) -> Table:
        """Candidates dropped by racing, last dropped first: when, and their result until then.

        difference : from the best of all, on the folds before it was dropped
        behind : the better candidate with at most as many terms; p : p-value, corrected for all tests
        """
        r = self.results
        racers = sorted(r.dropped, key=lambda racer: (-len(racer.values), -r.lead_over_best(racer)))
        winners = [racer.beaten_by for racer in racers if racer.beaten_by is not None]
        behind = [
            f"{w.candidate.ranker.name} {w.candidate.classifier.name} {np.mean(w.terms):.0f}" for w in winners
        ]
        n_folds = np.array([len(racer.values) for racer in racers], dtype=np.int64)
        return Table(self._racer_columns(racers) | {"folds": n_folds, "behind": as_term_array(behind)})

    @property
    def trade_off(self) -> Table:
        """Size against score: candidates that no smaller one beats, and those that a rule recommends.

        answer : "best", "one standard error", "within 0.01", "at most 500 terms", or empty
        """
        rules: dict[int, list[str]] = {}
        for name, index in advice.candidates_by_rule(self.results).items():
            rules.setdefault(index, []).append(name)
        indices = {*advice.pareto_candidates(self.results), *rules}
        order = sorted(indices, key=lambda i: self.results.sizes[i])
        names = as_term_array([", ".join(rules.get(index, [])) for index in order])
        return Table(self._candidate_columns(np.array(order)) | {"answer": names})

    @property
    def best(self) -> dict[str, Any]:
        """Candidate with the best mean."""
        return next(iter(Table(self._candidate_columns(np.array([self.results.best])))))

    @property
    def recommended(self) -> dict[str, Any]:
        """Recommended candidate: fewest terms within one standard error of the best, or as requested."""
        return next(iter(Table(self._candidate_columns(np.array([self.results.recommended])))))

    @property
    def by_class_and_method(self) -> Table:
        """Best candidate for each class and method: class, method, classifier, terms, mean, error.

        Only classifiers that all methods were tried with are used, so that methods are comparable.
        """
        r = self.results
        means, errors = np.stack([r.class_scores(i) for i in range(len(r.candidates))], axis=1)
        # a budget may leave no classifier that every method was tried with; then all are used
        methods = r.remaining_methods
        classifiers = dict.fromkeys(candidate.classifier for candidate in r.candidates)
        common = [c for c in classifiers if all(c in r.method_classifiers(name) for name in methods)]
        groups = [r.grid_candidates(name, common) for name in methods]
        if not all(groups):
            groups = [r.grid_candidates(name) for name in methods]
        cells = [
            (c, group[int(np.argmax(np.round(means[group, c], 12)))])
            for c in range(len(r.classes))
            for group in groups
        ]
        classes, order = np.array(cells).T
        names = as_term_array([r.classes[c] for c in classes])
        scores = {"mean": means[order, classes], "error": errors[order, classes]}
        return Table({"class": names} | self._candidate_columns(order) | scores)

    @property
    def class_summary(self) -> Table:
        """For each class: its documents, the score of the recommended candidate, and the best method."""
        by_class, r = self.by_class_and_method, self.results
        n_methods = len(r.remaining_methods)
        best = by_class["mean"].reshape(-1, n_methods).argmax(axis=1) + np.arange(len(r.classes)) * n_methods
        return Table(
            {
                "class": as_term_array(r.classes),
                "documents": self.counts.class_sizes,
                "chosen": r.class_scores(r.recommended)[0],
                "best": by_class["mean"][best],
                "by": by_class["method"][best],
            }
        )

    @property
    def win_shares(self) -> Table:
        """Share of classes in which each method is within 0.01 of the best method."""
        wins = win_rates(self.by_class_and_method, [advice.WIN_TOLERANCE], problem="class", value="mean")
        return Table({"method": wins["method"], "chance": wins["share"].astype(float)})

    @property
    def best_pair(self) -> Table:
        """Pair of methods of which one is within 0.01 of the best in most classes; empty for one method."""
        by_class = self.by_class_and_method
        if len(set(by_class["method"].tolist())) < 2:
            return Table({})
        return best_pairs(by_class, advice.WIN_TOLERANCE, problem="class", value="mean")

    @property
    def costs(self) -> Table:
        """Number of terms and features of each candidate, and seconds per fold.

        features : terms, or what replaces them (class_weights, divisive)
        seconds : for ranking, fitting and evaluating, divided by the number of sizes that are fitted together
        """
        r = self.results
        columns = self._candidate_columns(np.arange(len(r.candidates)))
        names = {name: columns[name] for name in ("method", "classifier", "terms")}
        return Table({**names, "features": np.round(r.features).astype(np.int64), "seconds": r.seconds})

    @property
    def keywords(self) -> list[ClassKeywords]:
        """Ten best words of each class, and how many of them are significant."""
        counts = self.documents.readable_counts
        return class_keywords(score(counts, DEFAULT_METRIC), counts.classes)

    @property
    def answer(self) -> list[str]:
        """What to use and why, and its score on new data; for a sample, preceded by a description of it."""
        return [*filter(None, [self.sampled]), *advice.answer_sentences(self)]

    @property
    def details(self) -> list[str]:
        """Further findings, in sentences."""
        return advice.detail_sentences(self)

    def findings(self) -> Findings:
        """Return the findings in the form that a report shows.

        Returns
        -------
        Findings
            Input of `termsift.report`.

        """
        from termsift.report import Findings

        table = self.table
        curve = Table({name: table[name] for name in ("method", "classifier", "terms", "mean", "error")})
        sentences = [*self.answer, *self.details, *self.dropped_candidates]
        scores = self.best, self.recommended, self.by_class_and_method, self.win_shares
        return Findings(self.goal_description, curve, *scores, sentences, self.warnings, self.trade_off)

    def to_html(self, *, title: str | None = None, with_texts: bool = True) -> str:
        """Return the report as one HTML page that opens offline.

        Parameters
        ----------
        title : str, optional
            Heading of the page.
        with_texts : bool, default True
            Include the texts, for words in context; False shows only terms and figures.

        Returns
        -------
        str
            The page.

        """
        from termsift.report import report_html, strip_markup

        return report_html(
            self.documents.readable_counts,
            title="Which terms distinguish the classes" if title is None else title,
            texts=strip_markup(self.documents.texts, self.documents.analyzer) if with_texts else None,
            labels=self.documents.labels.labels_per_document,
            findings=self.findings(),
            k=max(1, round(self.recommended["terms"] / len(self.results.classes))),
        )

    def plot(self) -> Any:
        """Draw the goal by number of terms, a line per method; see `termsift.report.plot_curve`."""
        from termsift.report import plot_curve

        return plot_curve(self.findings())

    def _repr_html_(self) -> str:
        from termsift.report import notebook_html

        return notebook_html(self.to_html())

    def to_json(self) -> str:
        """Return all results as one JSON object.

        Returns
        -------
        str
            JSON with the answer, words, warnings, and every table.

        """
        values = {
            "goal": self.results.goal.name,
            "split": self.results.split,
            "folds": self.results.folds,
            "repeats": self.results.repeats,
            "chosen": self.recommended,
            "best": self.best,
            "expected": self.results.nested_score(),
            "better_than_guessing": self.results.beats_guessing,
            "answer": self.answer,
            "details": self.details,
            "dropped_candidates": list(self.dropped_candidates),
            "warnings": list(self.warnings),
            "words": {str(keywords.name): keywords.terms for keywords in self.keywords},
        }
        tables = {
            "summary": self.summary, "methods": self.methods, "trade_off": self.trade_off,
            "classes": self.class_summary, "by_class": self.by_class_and_method, "chances": self.win_shares,
            "pairs": self.best_pair, "costs": self.costs, "dropped": self.dropped, "candidates": self.table,
        }  # fmt: skip
        # tables are written by themselves, because JSON has no NaN
        texts = {name: json.dumps(value, ensure_ascii=False, default=str) for name, value in values.items()}
        texts |= {name: table.to_json() for name, table in tables.items()}
        return "{\n" + ",\n".join(f"{json.dumps(name)}: {text}" for name, text in texts.items()) + "\n}"

    @property
    def model(self) -> Model:
        """Recommended model, fitted to all documents; an error for a classifier that is not termsift's."""
        counts = self.models[0].documents.counts
        return self.models[0].build_model(
            {
                "data": self.source,
                "documents": int(counts.documents),
                "terms": int(self.recommended["terms"]),
                "split": self.results.split,
                "goal": self.goal_description,
                "mean": float(self.recommended["mean"]),
                "standard_error": float(self.recommended["error"]),
            }
        )

    @property
    def pipeline(self) -> Any:
        """Recommended model as a scikit-learn pipeline, also for a classifier that is not termsift's."""
        return self.models[0].build_pipeline()

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Save the recommended model as a file of JSON and arrays, for `termsift.load_model`.

        Parameters
        ----------
        path : str or path
            File to write, or a folder, which gets the file `model.termsift`.
        overwrite : bool, default False
            Replace an existing file; otherwise it is an error.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        UnreadableFileError
            If the file exists, or cannot be written.
        InvalidInputError
            If the analyzer is a function, or the classifier is not one of termsift.

        """
        return self.model.save(path, overwrite=overwrite)

    def __repr__(self) -> str:
        summary = advice.format_summary(self)
        return f"{format_keywords(self.keywords, DEFAULT_METRIC)}\n\n{summary}"

    def _candidate_columns(self, indices: Array) -> dict[str, Array]:
        r = self.results
        candidates = [r.candidates[i] for i in indices]
        return {
            "method": as_term_array([candidate.ranker.name for candidate in candidates]),
            "classifier": as_term_array([candidate.classifier.name for candidate in candidates]),
            "terms": np.round(r.sizes[indices]).astype(np.int64),
            "mean": r.means[indices],
            "error": r.errors[indices],
        }

    def _racer_columns(self, racers: Sequence[RacingCandidate]) -> dict[str, Array]:
        """Return dropped candidates as columns of the table of methods, without the verdict."""
        ratios = self.results.test_ratios
        errors = [
            standard_errors(np.array([racer.values]), ratios[: len(racer.values)])[0] for racer in racers
        ]
        # explicit types, because there may be no rows
        return {
            "method": as_term_array([racer.candidate.ranker.name for racer in racers]),
            "classifier": as_term_array([racer.candidate.classifier.name for racer in racers]),
            "terms": np.array([round(np.mean(racer.terms)) for racer in racers], dtype=np.int64),
            "mean": np.array([racer.mean for racer in racers], dtype=np.float64),
            "error": np.array(errors, dtype=np.float64),
            "difference": np.array(
                [self.results.lead_over_best(racer) for racer in racers], dtype=np.float64
            ),
            "p": np.array([racer.p for racer in racers], dtype=np.float64),
        }
