"""Contest: ratios of positive to negative terms compete, on the documents fitted or on others held out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from termsift._typing import Array
from termsift.experiment.documents import Documents
from termsift.experiment.judges import Judge
from termsift.metrics import AnyMetric
from termsift.nested.paths import Path
from termsift.ranking import code_point_rank
from termsift.scores import Scores
from termsift.scoring import score


@dataclass(frozen=True, slots=True, eq=False)
class Contest:
    """What competes, for which classes, and who judges.

    ratios : (ratios,) shares of positive terms among k, ascending
    classes : the places of the classes, each held against the rest
    metric, options : what ranks the terms
    """

    k: int
    ratios: Array
    classes: range
    metric: AnyMetric
    options: dict[str, Any]
    judge: Judge

    def paths(self, scores: Scores) -> list[Path]:
        """For each class its terms, ranked once for all ratios."""
        df, terms = scores.counts.term_df, code_point_rank(scores.terms)
        return [Path.of(scores.values[:, c], df, terms, self.k, self.ratios) for c in self.classes]

    def results(self, paths: list[Path], fitted: Documents, judged: Documents) -> Array:
        """(classes, ratios): the scores of some documents, of classifiers fitted to others."""
        here, there = fitted.rows.tocsc(), None if judged is fitted else judged.rows.tocsc()
        results = []
        for c, path in zip(self.classes, paths, strict=True):
            terms = path.terms
            sample = fitted.sample(c, here[:, terms])
            others = sample if there is None else judged.sample(c, there[:, terms])
            results.append(self.judge.scores(path.within(terms), sample, others))
        return np.array(results)

    def held_out_results(self, documents: Documents, cv: Any) -> Array:
        """(classes, ratios): the mean over the folds."""
        target = documents.target
        folds = check_cv(cv, target, classifier=True).split(documents.rows, target)
        results = [self.fold_results(documents.take(train), documents.take(test)) for train, test in folds]
        mean: Array = np.mean(results, axis=0)
        return mean

    def fold_results(self, train: Documents, test: Documents) -> Array:
        """(classes, ratios): terms ranked by the training part alone; 0 where it has one class only."""
        counts = train.counts
        if not np.any((counts.class_sizes > 0) & (counts.class_sizes < counts.documents)):
            return np.zeros((len(self.classes), len(self.ratios)))
        return self.results(self.paths(score(counts, self.metric, **self.options)), train, test)
