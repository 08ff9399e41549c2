"""Maps of terms in ROC space for each class of a report, and counts of further terms to look up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TypeAlias

import numpy as np

from termsift._internal.ranking import round_robin
from termsift._internal.typing import Array, to_exact_dtype
from termsift.counts import ROUNDING, Cells, Counts, select_cells
from termsift.metrics import Effect, Metric, q_values
from termsift.report.formatting import MAX_NAME_BYTES
from termsift.report.plane import Plane, page_isoclines
from termsift.report.rankings import LIST_LENGTH, ClassRanking, Rankings, score_by_metric

# terms drawn in all maps together, and in one map
MAX_ALL_DRAWN, MAX_DRAWN, MIN_DRAWN = 14_000, 800, 320
MAX_EFFECT = 99.0  # infinite limits of intervals are clipped to it
MAX_LOOKUP_BYTES = 700_000  # of a page, for counts of terms that are not drawn
NUMBER_BYTES, QUOTE_BYTES = 4, 3  # of a number with its comma, and around a term
# lines as u, v, u, v, ... (see `page_isoclines`)
Paths: TypeAlias = list[list[int]]


@dataclass(frozen=True, slots=True, eq=False)
class TermMap:
    """Drawn terms of a class.

    Parameters
    ----------
    column : index of the class
    pos, neg : number of documents inside and outside the class
    rows : (drawn,), rows of the terms in the counts, ascending
    tp, fp : (drawn,), documents inside and outside the class that contain the term
    scores : (metrics, drawn), four significant digits
    rates : (2, drawn), occurrences per million of all terms inside and outside the class
    effects : (3, drawn), log odds ratio and its 95% interval
    p, q : (drawn,), of the exact test; empty for weighted documents
    alpha : terms with p <= alpha are significant; None for weighted documents
    rankings : ranking by each metric, as indices of drawn terms (-1: not drawn)
    isoclines : for each metric and number of terms the isoclines; empty if the metric has none

    """

    column: int
    pos: float
    neg: float
    rows: Array
    tp: Array
    fp: Array
    scores: Array
    rates: Array
    effects: Array
    p: Array
    q: Array
    alpha: float | None
    rankings: tuple[ClassRanking, ...]
    isoclines: tuple[list[Paths], ...]


def build_term_maps(
    counts: Counts, columns: list[int], metrics: Sequence[Metric], rankings: Rankings, ks: Sequence[int]
) -> tuple[TermMap, ...]:
    """Build the maps of some classes.

    Parameters
    ----------
    counts : counts of terms that occur
    columns : classes to draw
    metrics : metrics of the report
    rankings : rankings of these classes by these metrics
    ks : numbers of terms at which isoclines are drawn

    """
    max_drawn = max(MIN_DRAWN, min(MAX_DRAWN, MAX_ALL_DRAWN // len(columns)))
    by_class = list(zip(*rankings.by_metric, strict=True))
    drawn = [select_drawn_rows(class_rankings, counts.term_df, max_drawn) for class_rankings in by_class]
    scores = [np.empty((len(metrics), len(rows))) for rows in drawn]
    kth_scores = [np.empty((len(metrics), len(ks))) for _ in columns]
    last = np.array(ks) - 1
    for m, (_, values) in enumerate(score_by_metric(counts, columns, metrics)):
        for i, rows in enumerate(drawn):
            scores[i][m] = [float(f"{value:.4g}") for value in values[rows, i].tolist()]
            kth_scores[i][m] = values[by_class[i][m].best[last], i]
    maps = []
    for i, (column, rows) in enumerate(zip(columns, drawn, strict=True)):
        plane = Plane.from_counts(counts, counts.classes[column], 0)
        tp, fp = plane.tp[rows], plane.fp[rows]
        # log odds ratios (0.5 added to each cell) with Woolf's interval
        effects = np.stack(Effect().estimate(Cells(tp, fp, plane.pos - tp, plane.neg - fp)))
        tokens = select_cells(counts, rows, [column], "tf")
        p, alpha = rankings.tests[i]
        drawn_rankings = tuple(
            ClassRanking(
                find_drawn(rows, ranking.best),
                find_drawn(rows, ranking.positive),
                find_drawn(rows, ranking.negative),
                ranking.n_omitted,
            )
            for ranking in by_class[i]
        )
        term_map = TermMap(
            column=column,
            pos=plane.pos,
            neg=plane.neg,
            rows=rows,
            tp=tp,
            fp=fp,
            scores=scores[i],
            rates=(1e6 * np.stack([tokens.tpr[:, 0], tokens.fpr[:, 0]])).round(1),
            effects=effects.clip(-MAX_EFFECT, MAX_EFFECT).round(2),
            p=np.zeros(0) if p is None else p[rows],
            q=np.zeros(0) if p is None else q_values(p)[rows],
            alpha=alpha,
            rankings=drawn_rankings,
            isoclines=compute_isoclines(plane, metrics, kth_scores[i]),
        )
        maps.append(term_map)
    return tuple(maps)


def select_drawn_rows(rankings: Sequence[ClassRanking], df: Array, max_drawn: int) -> Array:
    """Return the rows to draw: listed terms, the first metric's best, the other metrics', frequent terms."""
    by_metric = [(ranking.positive, ranking.negative, ranking.best) for ranking in rankings]
    listed = [rows[:LIST_LENGTH] for lists in by_metric for rows in lists[:2]]
    first = round_robin(list(by_metric[0]), max_drawn)
    all_metrics = round_robin([rows for lists in by_metric for rows in lists], max_drawn)
    frequent = np.argsort(-df, kind="stable")[:max_drawn]
    # the first candidates have priority
    candidates = np.concatenate([*listed, first, all_metrics, frequent]).tolist()
    return np.sort(np.array(list(dict.fromkeys(candidates))[:max_drawn], dtype=np.intp))


def compute_isoclines(plane: Plane, metrics: Sequence[Metric], kth_scores: Array) -> tuple[list[Paths], ...]:
    """Return the isoclines of each metric at `kth_scores` (metrics, ks)."""
    isoclines: list[list[Paths]] = [[] for _ in metrics]
    for m, metric in enumerate(metrics):
        if metric.is_function_of_cells and plane.pos and plane.neg:
            # scores that differ only by rounding lie beyond the line
            kth = [value - ROUNDING * abs(value) for value in kth_scores[m].tolist()]
            isoclines[m] = page_isoclines(plane, metric, kth)
    return tuple(isoclines)


def find_drawn(drawn_rows: Array, rows: Array) -> Array:
    """Return the indices of rows among the drawn rows, -1 for rows that are not drawn."""
    indices = np.minimum(np.searchsorted(drawn_rows, rows), len(drawn_rows) - 1)
    return np.where(drawn_rows[indices] == rows, indices, -1)


@dataclass(frozen=True, slots=True, eq=False)
class Lookup:
    """Terms whose counts a page contains.

    Parameters
    ----------
    rows : rows of the terms in the counts, ascending
    counts : flat list: for each term its document frequency, the number of shown classes that contain it,
        then index and documents of each of them
    min_df : all terms with at least this document frequency are included; 0 if all terms are

    """

    rows: Array
    counts: list[float]
    min_df: float


def select_searchable_terms(counts: Counts, maps: Sequence[TermMap]) -> Lookup:
    """Select as many frequent terms as fit on a page, and all drawn terms."""
    table, df = counts.df[:, [term_map.column for term_map in maps]].tocsr(), counts.term_df
    names = (str(term).encode("utf-8", "replace") for term in counts.terms.tolist())
    name_bytes = np.minimum(np.fromiter(map(len, names), np.int64, len(df)), MAX_NAME_BYTES)
    sizes = name_bytes + QUOTE_BYTES + NUMBER_BYTES * (2 + 2 * np.diff(table.indptr))
    order = np.argsort(-df, kind="stable")
    n_fitting = int(np.searchsorted(np.cumsum(sizes[order]), MAX_LOOKUP_BYTES, side="right"))
    frequent, min_df = np.arange(len(df)), 0.0
    if n_fitting < len(df):
        # terms with the same document frequency are included together or not at all
        frequent = np.flatnonzero(df > df[order[n_fitting]])
        min_df = float(df[frequent].min()) if len(frequent) else np.inf
    rows = np.unique(np.concatenate([frequent, *(term_map.rows for term_map in maps)]))
    selected = table[rows]
    pairs = list(zip(selected.indices.tolist(), selected.data.tolist(), strict=True))
    flat: list[float] = []
    edges = pairwise(selected.indptr.tolist())
    for term_df, (start, end) in zip(to_exact_dtype(df[rows]).tolist(), edges, strict=True):
        flat += [term_df, end - start, *chain.from_iterable(pairs[start:end])]
    return Lookup(rows, flat, min_df)
