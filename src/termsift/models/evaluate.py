"""Evaluation: how well a model does on documents it was not fitted to, and which words mislead it."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from termsift._internal.errors import InvalidInputError, listed, unknown
from termsift._internal.tables import Table, text_table
from termsift._internal.typing import Array, as_terms
from termsift.engines import check_reading, labelled_documents, names_files, warn_of_missing
from termsift.engines.files import MEMORY, SourceRows, found_files, source_of, warn_of_guesses
from termsift.evaluation import Confusion
from termsift.models.explanation import contributions
from termsift.models.prediction import READ
from termsift.report import three_digits

if TYPE_CHECKING:
    from termsift.models.model import Model

# of decisions, which may be drawn anew, and of the decisions as they were
MEASURES: dict[str, Callable[[Confusion, Confusion], Any]] = {
    "accuracy": lambda found, _: found.share_right,
    "macro F1": lambda found, real: present_mean("f1", found, real),
    "micro F1": lambda found, _: found.micro.f1,
    "macro precision": lambda found, real: present_mean("precision", found, real),
    "macro recall": lambda found, real: present_mean("recall", found, real),
}
DRAWS = 1000
LEVEL = 0.95
MOST_CLASSES = 30  # of a confusion in text


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evaluation:
    """What a model decided about labelled documents.

    classes : of the model
    truths, decided : (patterns, classes) the sets of labels that documents had and were given, each pair once
    sizes : (patterns,) how many documents were so
    single : whether each document has one label
    misleading : the words that pushed wrong decisions, the worst first
    expected : what the comparison had found for the model: goal, mean, standard_error
    note : what was not looked at, in a sentence, or nothing
    """

    classes: tuple[Any, ...]
    truths: Array
    decided: Array
    sizes: Array
    single: bool
    misleading: Table
    expected: dict[str, Any]
    note: str = ""

    @property
    def documents(self) -> int:
        """How many documents were decided about."""
        return int(self.sizes.sum())

    @property
    def decisions(self) -> Confusion:
        """What was accepted and what belongs, counted for each class."""
        return pattern_confusion(self, self.sizes)

    @property
    def figures(self) -> Table:
        """Each measure with its interval at 95%, by a bootstrap of the documents."""
        drawn = pattern_confusion(self, drawn_sizes(self.sizes))
        real = self.decisions
        values = [float(measure(real, real)) for measure in MEASURES.values()]
        low, high = intervals(np.array([measure(drawn, real) for measure in MEASURES.values()]))
        return Table({"measure": as_terms(MEASURES), "value": np.array(values), "low": low, "high": high})

    @property
    def by_class(self) -> Table:
        """Each class: documents, precision, recall, F1 with its interval."""
        found, drawn = self.decisions, pattern_confusion(self, drawn_sizes(self.sizes))
        is_drawn = drawn.tp + drawn.fp + drawn.fn > 0
        low, high = intervals(np.where(is_drawn, drawn.f1, found.f1).T)
        return Table(
            {
                "class": as_terms(self.classes),
                "documents": found.sizes,
                "precision": found.precision,
                "recall": found.recall,
                "f1": found.f1,
                "low": low,
                "high": high,
            }
        )

    @property
    def confusion(self) -> Array:
        """(classes, classes) documents by their label and by what was decided, where each has one label.

        Where documents may have several: by a label they have and one that was decided in place of it; the
        diagonal holds those that were found.
        """
        if self.single:
            return np.asarray((self.truths * self.sizes[:, None]).T @ self.decided).astype(np.int64)
        both = self.truths & self.decided
        missed, extra = self.truths & ~self.decided, self.decided & ~self.truths
        swapped = (missed * self.sizes[:, None]).T @ extra.astype(np.int64)
        return np.asarray(swapped + np.diag((both * self.sizes[:, None]).sum(axis=0))).astype(np.int64)

    @property
    def confused(self) -> Table:
        """The pairs of classes that were taken for each other, the most frequent first."""
        table = self.confusion - np.diag(np.diag(self.confusion))
        rows, columns = np.nonzero(table)
        order = np.lexsort((columns, rows, -table[rows, columns]))
        names = as_terms(self.classes)
        return Table(
            {
                "truth": names[rows[order]],
                "decided": names[columns[order]],
                "documents": table[rows[order], columns[order]],
            }
        )

    @property
    def answer(self) -> list[str]:
        """What was found, in sentences."""
        told = {row["measure"]: row for row in self.figures}
        main, right = told["macro F1"], told["accuracy"]
        share = "are right" if self.single else "have all labels right"
        said = [
            f"On {self.documents:,} documents macro-averaged F1 is {main['value']:.3f} "
            f"({main['low']:.3f} to {main['high']:.3f}), and {right['value']:.1%} "
            f"({right['low']:.1%} to {right['high']:.1%}) {share}."
        ]
        mean, error = (self.expected.get(name) for name in ("mean", "standard_error"))
        if isinstance(mean, float) and isinstance(error, float):
            said.append(f"The comparison had found {mean:.3f} ± {error:.3f} in {self.expected.get('goal')}.")
        pairs = list(self.confused.head(1))
        if pairs:
            said.append(
                f"Most often {pairs[0]['truth']} is taken for {pairs[0]['decided']}: "
                f"{pairs[0]['documents']:,} {'document' if pairs[0]['documents'] == 1 else 'documents'}."
            )
        return [*said, *([self.note] if self.note else [])]

    def to_text(self) -> str:
        """As lines for people."""
        parts = [
            "\n".join(self.answer),
            text_table(three_digits(self.figures)),
            text_table(three_digits(self.by_class)),
        ]
        if len(self.confused):
            parts.append("Taken for another:\n" + text_table(self.confused.head(MOST_CLASSES)))
        if len(self.misleading):
            parts.append(
                "Words that pushed wrong decisions:\n" + text_table(three_digits(self.misleading.head(20)))
            )
        return "\n\n".join(parts)

    def to_json(self) -> str:
        """All of it as JSON."""
        tables = {
            name: list(getattr(self, name)) for name in ("figures", "by_class", "confused", "misleading")
        }
        held = {"documents": self.documents, "answer": self.answer, **tables}
        held |= {"classes": list(self.classes), "confusion": self.confusion.tolist()}
        return json.dumps(held, ensure_ascii=False, indent=1, default=str)

    def to_html(self, title: str = "Evaluation") -> str:
        """All of it as one page that needs nothing else."""
        from termsift.models.pages import evaluation_page

        return evaluation_page(self, title)

    def __repr__(self) -> str:
        return self.to_text()


def pattern_confusion(found: Evaluation, sizes: Array) -> Confusion:
    """The decisions about (..., patterns) documents, counted for each class."""
    parts = (found.truths & found.decided, found.decided & ~found.truths, found.truths & ~found.decided)
    tp, fp, fn = (np.asarray(sizes @ part.astype(np.int64)) for part in parts)
    right = sizes @ (found.truths == found.decided).all(axis=1).astype(np.int64)
    return Confusion(found.classes, sizes.sum(axis=-1), tp, fp, fn, right)


def drawn_sizes(sizes: Array) -> Array:
    """(draws, patterns): documents drawn anew, as many as there are; the same every time."""
    lot = np.random.default_rng(0)
    total = int(sizes.sum())
    return np.asarray(lot.multinomial(total, sizes / max(total, 1), size=DRAWS))


def intervals(values: Array) -> tuple[Array, Array]:
    """(measures,) the ends of what lies in the middle of (measures, draws)."""
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=-1)
    return low, high


def present_mean(name: str, found: Confusion, real: Confusion) -> Any:
    """(...,): the mean over the classes that are there or were decided for, as scikit-learn has it.

    A class that was not drawn says nothing new, so it keeps its value.
    """
    drawn, known = (one.tp + one.fp + one.fn > 0 for one in (found, real))
    values = np.where(drawn, getattr(found, name), getattr(real, name))
    return (values * known).sum(axis=-1) / max(int(known.sum()), 1)


MOST_DOCUMENTS = 2000  # wrong decisions that are looked into
MOST_WORDS = 200


class MisleadingWords:
    """What each word gave to wrong decisions: to the class that was decided, less what to the right one.

    Of documents that may have several labels, to a class that was decided wrongly, or against one that was
    missed.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.push: dict[tuple[int, int, int], float] = defaultdict(float)
        self.times: dict[tuple[int, int, int], int] = defaultdict(int)
        self.wrong = self.seen = 0
        self.is_linear = True

    def add(self, texts: list[str], truths: list[tuple[int, ...]], decided: list[tuple[int, ...]]) -> None:
        """Look into the wrong decisions about some documents."""
        for text, truth, given in zip(texts, truths, decided, strict=True):
            if truth == given:
                continue
            self.wrong += 1
            if self.is_linear and self.seen < MOST_DOCUMENTS:
                self.look(text, truth, given)

    def look(self, text: str, truth: tuple[int, ...], given: tuple[int, ...]) -> None:
        """Add what the words of a document gave to what is wrong about it."""
        try:
            rows = self.model.pipeline.steps[0][1].transform([text])
            found = contributions(self.model.classifier, rows, {*truth, *given})
        except InvalidInputError:
            self.is_linear = False
            return
        self.seen += 1
        if not self.model.several_labels:
            self.note_push(
                found.columns, found.given[:, given[0]] - found.given[:, truth[0]], truth[0], given[0]
            )
            return
        for c in set(given) - set(truth):
            self.note_push(found.columns, found.given[:, c], -1, c)
        for c in set(truth) - set(given):
            self.note_push(found.columns, -found.given[:, c], c, -1)

    def note_push(self, columns: Array, push: Array, truth: int, decided: int) -> None:
        """Add what words gave to a wrong decision, where they gave something."""
        for i in np.flatnonzero(push > 0):
            key = int(columns[i]), truth, decided
            self.push[key] += float(push[i])
            self.times[key] += 1

    @property
    def table(self) -> Table:
        """The words that gave most: term, truth, decided, documents, push; an empty name is no class."""
        order = sorted(self.push, key=lambda key: (-self.push[key], key))[:MOST_WORDS]
        terms = self.model.terms
        names = [*map(str, self.model.classes), ""]  # the last is that of -1
        return Table(
            {
                "term": as_terms(terms[term] for term, _, _ in order),
                "truth": as_terms(names[truth] for _, truth, _ in order),
                "decided": as_terms(names[decided] for _, _, decided in order),
                "documents": np.array([self.times[key] for key in order], dtype=np.int64),
                "push": np.array([self.push[key] for key in order], dtype=float),
            }
        )

    @property
    def note(self) -> str:
        """What was not looked at, in a sentence, or nothing."""
        if not self.is_linear:
            return "Its margins are no sums over words, so no word can be blamed."
        if self.seen < self.wrong:
            return f"Misleading words are those of the first {self.seen:,} of {self.wrong:,} wrong decisions."
        return ""


def evaluation_of(model: Model, data: Any, labels: Any, reading: Mapping[str, Any]) -> Evaluation:
    """What a model decides about labelled documents."""
    if not model.of_texts:
        raise InvalidInputError("this model is of counts, not of texts; use its pipeline in Python")
    patterns: Counter[tuple[tuple[int, ...], tuple[int, ...]]] = Counter()
    words = MisleadingWords(model)
    for texts, truths in labelled_texts(data, labels, dict(reading)):
        own = [class_numbers(model, names) for names in truths]
        decided = [class_numbers(model, names) for names in decided_names(model, texts)]
        patterns.update(zip(own, decided, strict=True))
        words.add(texts, own, decided)
    pairs = sorted(patterns)
    return Evaluation(
        model.classes,
        indicator([truth for truth, _ in pairs], len(model.classes)),
        indicator([given for _, given in pairs], len(model.classes)),
        np.array([patterns[pair] for pair in pairs], dtype=np.int64),
        not model.several_labels,
        words.table,
        {name: model.selection.get(name) for name in ("goal", "mean", "standard_error")},
        words.note,
    )


def decided_names(model: Model, texts: list[str]) -> list[list[Any]]:
    """The labels that a model gives to each text."""
    found = model.predict(texts)
    return found if model.several_labels else [[name] for name in found]


def class_numbers(model: Model, names: list[Any]) -> tuple[int, ...]:
    """The columns of the classes of a document; an error for one that the model does not know."""
    try:
        numbers = tuple(sorted(model.class_index(name) for name in names))
    except LookupError as error:
        strange = next(name for name in names if str(name) not in map(str, model.classes))
        raise InvalidInputError(
            f"the model knows no class {strange!r}; it was fitted to: {listed(model.classes)}"
        ) from error
    if not model.several_labels and len(numbers) != 1:
        raise InvalidInputError(
            f"the model gives one label to each document, and one here has {len(numbers)}"
        )
    return numbers


def indicator(rows: list[tuple[int, ...]], classes: int) -> Array:
    """(rows, classes) whether each row has each class."""
    found = np.zeros((len(rows), classes), dtype=bool)
    for i, row in enumerate(rows):
        found[i, list(row)] = True
    return found


def labelled_texts(
    data: Any, labels: Any, reading: dict[str, Any]
) -> Iterator[tuple[list[str], list[list[Any]]]]:
    """Texts and the labels of each, some at a time."""
    for name in reading:
        if name not in (*READ, "label", "separator"):
            raise unknown("option", name, (*READ, "label", "separator"))
    if not names_files(data, labels, "text" in reading or "label" in reading):
        given = labelled_documents(data, labels, **reading)
        if given.texts is None:
            raise InvalidInputError("these documents are counts, and the model is of texts")
        yield given.texts, given.labels.names
        return
    separator, on_missing = reading.pop("separator", None), reading.pop("on_missing", "error")
    check_reading(MEMORY, on_missing, separator)
    source = source_of(data, **reading)
    with found_files(source) as found:
        rows = SourceRows(source, found, on_missing, separator, None)
        with closing(rows.batches()) as batches:
            for texts, known, _ in batches:
                yield texts.to_pylist(), known.names
    warn_of_missing(rows.missing, rows.seen)
    warn_of_guesses(rows.guessed)
