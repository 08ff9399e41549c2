"""20 Newsgroups as word counts, under the interpretations of the paper."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

import numpy as np
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from sklearn.model_selection import StratifiedShuffleSplit

from termsift._internal.ranking import Ranking, rank_terms
from termsift._internal.typing import Array, as_term_array
from termsift.counts import as_labels
from termsift.engines import Documents
from termsift.estimators import TermVectorizer
from termsift.evaluation import Confusion, Fold
from termsift.evaluation.classifiers import MultinomialNaiveBayes
from termsift.metrics import Metric, association
from termsift.selection import Method, PerClass, parse_method
from termsift.text import Analyzer
from termsift_studies import corpora
from termsift_studies.study import Row

TRAINING = 2 / 3
# the vocabularies by their names in termsift
DENOMINATORS = {"chosen": "", "all": "all_terms", "room": "smooth_all"}


@dataclass(frozen=True, slots=True)
class Words:
    """Conversion of posts into words. The paper mentions no step, so the default is none.

    without : parts of a post that are left out: "headers", "footers", "quotes"
    stop_words : whether the stop words of scikit-learn are words
    stems : words are reduced to their stems, by Porter's algorithm
    matrix : the posts and words are those of Deng Cai's matrix
    """

    without: tuple[str, ...] = ()
    stop_words: bool = True
    stems: bool = False
    matrix: bool = False


@dataclass(frozen=True, slots=True)
class UchyigitInterpretation:
    """Interpretation of open questions in the paper.

    vocabulary : of naive Bayes: a word's share is of the occurrences of the "chosen" words, of those of "all"
        words, or of those of the chosen words with "room" for all, so that smoothing is added for each
    fewest : training posts that a word must be in
    ties : which of words that tie comes first: the most "frequent", the most "rare", or the first of the
        "alphabet"
    occurrences : whether a word counts as often as it occurs in a post, else once
    balanced : the parts in which a group has as many posts as all others: none, "training", or "both"
    """

    words: Words = field(default_factory=Words)
    vocabulary: Literal["chosen", "all", "room"] = "room"
    fewest: int = 1
    ties: Literal["frequent", "rare", "alphabet"] = "frequent"
    occurrences: bool = True
    balanced: Literal["", "training", "both"] = ""


@lru_cache(maxsize=2)
def load_posts(words: Words, data_dir: Path | None = None) -> tuple[Documents, str]:
    """Load the posts of both subsets by date with alphabetically sorted words, and the checksum.

    Posts are cached for each conversion into words.
    """
    if words.matrix:
        corpus = corpora.load("cdcai/20newsgroups", data_dir=data_dir)
        matrix = csr_array(corpus.matrix)
        terms = as_term_array(f"{i:06}" for i in range(matrix.shape[1]))
        return Documents(matrix, as_labels(corpus.labels), terms), corpus.checksum or ""
    corpus = corpora.load("20news", data_dir=data_dir, remove=words.without)
    rows = csr_array(post_vectorizer(words).fit_transform(corpus.texts or []))
    return Documents(rows, as_labels(corpus.labels), np.arange(rows.shape[1])), corpus.checksum or ""


def interpretation_folds(
    posts: Documents, number: int, case: UchyigitInterpretation, groups: Collection[str] | None = None
) -> Iterator[Fold]:
    """Yield one fold for all groups, or one per group if groups are balanced."""
    if not case.occurrences:
        posts = replace(posts, rows=posts.rows.sign())
    if not case.balanced:
        yield split_fold(posts, number, case.fewest, groups)
        return
    for group in posts.labels.classes if groups is None else groups:
        yield balance_fold(split_fold(posts, number, 1, [group]), number, case)


def balance_fold(fold: Fold, number: int, case: UchyigitInterpretation) -> Fold:
    """Balance the fold of one group by drawing an equal number of other posts at random."""
    generator = np.random.default_rng(number)
    # training and test posts are drawn with one generator, in this order
    train = fold.train.take(balance_posts(fold.train.truth[:, 0], generator))
    test, truth = fold.test, fold.truth
    if case.balanced == "both":
        test_posts = balance_posts(truth[:, 0], generator)
        test, truth = test[test_posts], truth[test_posts]
    return keep_frequent_words(Fold(train, test, truth), case.fewest)


def balance_posts(inside: Array, generator: np.random.Generator) -> Array:
    """Return the indices of the posts of a group and of an equal number of others."""
    members, outsiders = np.flatnonzero(inside), np.flatnonzero(~inside)
    return np.sort(np.concatenate([members, generator.choice(outsiders, len(members), replace=False)]))


def split_fold(posts: Documents, number: int, fewest: int, groups: Collection[str] | None = None) -> Fold:
    """Split each group at random into two thirds for training and one third for testing.

    fewest : minimum number of training posts with a word
    groups : groups to distinguish from the rest (default: all); posts of other groups have no label
    """
    halves = StratifiedShuffleSplit(1, train_size=TRAINING, random_state=number)
    train, test = next(halves.split(posts.rows, posts.target))
    if groups is not None:
        labels = [[name for name in names if name in groups] for names in posts.labels.labels_per_document]
        posts = replace(posts, labels=as_labels(labels))
    return keep_frequent_words(Fold.from_indices(posts, train, test), fewest)


def keep_frequent_words(fold: Fold, fewest: int) -> Fold:
    """Keep the words in at least this many training posts."""
    # a stored entry is a post that has the word, so counting indices gives document frequencies
    posts_with_word = np.bincount(fold.train.rows.indices, minlength=len(fold.train.terms))
    return fold.keep(np.flatnonzero(posts_with_word >= fewest))


def post_vectorizer(words: Words) -> TermVectorizer:
    """Return the vectorizer of posts. Plain words use the compiled scanner; stems cannot."""
    stop_words = None if words.stop_words else sorted(ENGLISH_STOP_WORDS)
    if words.stems:
        return TermVectorizer(analyzer=Analyzer(stop_words=stop_words or (), stemmer="porter"))
    return TermVectorizer(stop_words=stop_words, n_jobs=-1)


COLUMNS = ("interpretation", "split", "group", "metric", "size", "tp", "fp", "fn")
SIZES = np.arange(10, 1001, 10)
# the paper's ten, GU in two interpretations: z of proportions, as in the text, and of counts, as printed;
# NGL without its sign is the root of CHI
METHODS = {
    name: parse_method(f"{metric}:per_class")
    for name, metric in {
        "CHI": "chi2", "NGL": "chi2", "GSS": "gss", "MI": "mi", "IG": "ig", "OR": "or", "WF": "tf",
        "Fisher": "fisher_score", "BSS/WSS": "bss_wss", "GU proportions": "gu",
        "GU counts": "gu(printed=True)",
    }.items()
}  # fmt: skip


# other interpretations of three of the ten, and of NGL
OTHERS = {
    "NGL with its sign": parse_method("cc:per_class"),
    "GSS without its sign": Method(
        Metric("gss_without_sign", lambda cells: np.abs(association.gss(cells))), PerClass()
    ),
    "MI without its sign": Method(
        Metric("mi_without_sign", lambda cells: np.abs(association.mi(cells))), PerClass()
    ),
    "OR without its sign": parse_method("ors:per_class"),
}


def split_rows(
    name: str,
    case: UchyigitInterpretation,
    number: int,
    data_dir: Path | None,
    groups: Collection[str] | None = None,
    methods: Mapping[str, Method] = METHODS,
) -> list[Row]:
    """Return the rows of a split: decisions for each group, method and size."""
    posts = load_posts(case.words, data_dir)[0]
    common = {"interpretation": name, "split": number}
    return [
        common | row
        for fold in interpretation_folds(posts, number, case, groups)
        for row in fold_rows(fold, case, methods)
    ]


def fold_rows(fold: Fold, case: UchyigitInterpretation, methods: Mapping[str, Method]) -> Iterator[Row]:
    """Yield the rows of the groups of a fold."""
    confusions = {name: fold_decisions(fold, method, case) for name, method in methods.items()}
    for c, group in enumerate(fold.train.counts.classes):
        for name, confusion in confusions.items():
            counted = (
                values.tolist()
                for values in (SIZES, confusion.tp[:, c], confusion.fp[:, c], confusion.fn[:, c])
            )
            for size, tp, fp, fn in zip(*counted, strict=True):
                yield {"group": group, "metric": name, "size": size, "tp": tp, "fp": fp, "fn": fn}


def fold_decisions(fold: Fold, method: Method, case: UchyigitInterpretation) -> Confusion:
    """Return the decisions of naive Bayes about each group with its terms, (sizes, groups)."""
    ranking = group_ranking(fold, method, case.ties)
    bayes = MultinomialNaiveBayes(representation=DENOMINATORS[case.vocabulary])
    values = bayes.decision_values(fold, ranking, SIZES)
    return Confusion.from_decision_values(
        values, fold.truth, single_label=False, classes=fold.train.counts.classes
    )


def group_ranking(fold: Fold, method: Method, ties: str) -> Ranking:
    """Return the best words for each group, up to the largest size."""
    counts = fold.train.counts
    # the sign of the document frequency decides which of tied words comes first
    first = {"frequent": 1, "rare": -1, "alphabet": 0}[ties]
    values = method.scores(counts).values
    df = first * counts.term_df
    order = [rank_terms(column, df, counts.terms, int(SIZES[-1])) for column in values.T]
    return Ranking(tuple(order), local=True)
