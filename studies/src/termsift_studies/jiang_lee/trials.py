"""Interpretations, documents, and trials of three methods with naive Bayes."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from time import thread_time
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import csr_array, eye_array
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from termsift._internal.typing import Array
from termsift.corpora import DataDir
from termsift.counts import Block, as_labels, ratio
from termsift.engines import Documents
from termsift.estimators import ClassWeightExtractor, TermSelector, TermVectorizer, WordClusterExtractor
from termsift.evaluation import Fold
from termsift.metrics import Metric
from termsift.selection import DivisiveClustering
from termsift.text import Analyzer
from termsift_studies import corpora
from termsift_studies.study import Row, load_published

# what Pr(w), Pr(c | w) and Pr(c | not w) are shares of
GainBasis: TypeAlias = tuple[str, str, str]
OCCURRENCES, DOCUMENTS = "occurrences", "documents"
BY_OCCURRENCES: GainBasis = (OCCURRENCES, OCCURRENCES, OCCURRENCES)
BY_DOCUMENTS: GainBasis = (DOCUMENTS, DOCUMENTS, DOCUMENTS)


def gain_metric(basis: GainBasis) -> Metric:
    """Return the metric of equation 1."""
    function = partial(class_gain, basis=basis)
    return Metric("gain", function, needs="tf", of_cells=False, summed=True, single_label=True)


def class_gain(block: Block, basis: GainBasis = BY_OCCURRENCES) -> Array:
    """Return the contribution of each class to the sums of equation 1, (terms, classes)."""
    # each of the three probabilities may be over documents or over occurrences
    _, term_totals, _, every = seen(block, basis[0])
    has = ratio(term_totals, np.full_like(term_totals, every))
    cells, term_totals, _, _ = seen(block, basis[1])
    conditional = ratio(cells, term_totals)
    cells, term_totals, sizes, every = seen(block, basis[2])
    absent = ratio(sizes - cells, every - term_totals)
    # class priors are always shares of documents
    prior = block.class_sizes / block.documents
    gain = has * plog(conditional) + (1 - has) * plog(absent) - plog(prior)
    return block.zero_undefined(gain)


def seen(block: Block, of: str) -> tuple[Array, Array, Array, float]:
    """Return the documents or the occurrences of terms in classes, of terms, of classes and of all."""
    if of == DOCUMENTS:
        return block.df, block.term_df, block.class_sizes, block.documents
    return block.tf, block.term_tf, block.lengths, block.length


def plog(p: Array) -> Array:
    """Return p log p, with 0 log 0 = 0."""
    products: Array = p * np.log(p, out=np.zeros_like(p), where=p > 0)
    return products


TOP = 10
SPLITS = 5
FEWEST = 3


@dataclass(frozen=True, slots=True)
class JiangInterpretation:
    """Interpretation of the paper. The default follows its sentences, else the plainest choice.

    headers : the headers of posts are text
    stems : words are reduced to their stems, by Porter's algorithm
    stop_words : scikit-learn's stop words are left out
    numbered : the words of most training documents, as many as the paper has; else those in at least three
    several : what a story of several of the ten classes is: "each", one document of each of them, in training
        and test; "any", the same in training, and right in the test with any of them; "none", left out
    once : a word counts once in a document, however often it occurs
    gain : what the probabilities of equation 1 are shares of
    laplace : what Laplace's smoothing adds one to: "features", each feature of the classifier; "all words",
        the same, with the number of all words in the denominator; "their words", each word of all, and
        features are made of the smoothed shares of words as they are of words
    equal_classes : classes are taken to be equally likely
    rounds : in how many rounds words move between clusters, at most
    matrix : 20 Newsgroups is Deng Cai's matrix, of stems without stop words; headers are text
    most : the largest number of occurrences of a word that counts in a document; 0: no limit
    """

    headers: bool = True
    stems: bool = False
    stop_words: bool = False
    numbered: bool = True
    several: str = "each"
    once: bool = False
    gain: GainBasis = BY_OCCURRENCES
    laplace: str = "features"
    equal_classes: bool = False
    rounds: int = 300
    matrix: bool = False
    most: int = 0


def newsgroups(data_dir: DataDir, case: JiangInterpretation, every: int = 1) -> tuple[Documents, Array]:
    """Load every n-th post of 20 Newsgroups and the test mask of the first random split."""
    if case.matrix:
        corpus = corpora.load("cdcai/20newsgroups", data_dir=data_dir)
        words = np.arange(corpus.matrix.shape[1])
        documents = Documents(corpus.matrix, as_labels(corpus.labels), words)
        return documents, random_third(len(documents), 0)
    corpus = corpora.load("20news", data_dir=data_dir, remove=() if case.headers else ("headers",))
    posts = corpus.take(list(range(0, len(corpus), every)))
    return word_documents(posts.texts or [], posts.labels, case), random_third(len(posts), 0)


def reuters(data_dir: DataDir, case: JiangInterpretation) -> tuple[Documents, Array]:
    """Load the stories of the ten largest classes of the ModApte split and their test mask."""
    corpus = corpora.load("reuters21578", data_dir=data_dir, split="modapte")
    # the ten largest classes by training stories
    names = largest_classes(corpus.part("train").labels, TOP)
    stories = corpus.take([i for i, topics in enumerate(corpus.labels) if set(names) & set(topics)])
    texts = [html.unescape(text) for text in stories.texts or []]
    labels = [[name for name in topics if name in names] for topics in stories.labels]
    return word_documents(texts, labels, case), np.array(stories.split) == "test"


def published_vocabulary(corpus: str) -> int:
    """Return the number of words of a corpus in the paper."""
    figures = load_published("jiang-lee", "figures")
    return next(int(row["value"]) for row in figures if (row["quantity"], row["of"]) == ("words", corpus))


def largest_classes(labels: list[list[str]], n: int) -> list[str]:
    """Return the n classes with most documents (ties by name), in the order of their names."""
    every = [name for topics in labels for name in topics]
    by_size = sorted(set(every), key=lambda name: (-every.count(name), name))
    return sorted(by_size[:n])


def word_documents(texts: list[str], labels: list[Any], case: JiangInterpretation) -> Documents:
    """Count the lowercase words of at least two letters, digits or underscores in texts."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    analyzer = Analyzer(
        stop_words=ENGLISH_STOP_WORDS if case.stop_words else (),
        stemmer="porter" if case.stems else None,
    )
    vectorizer = TermVectorizer(analyzer=analyzer)
    rows = csr_array(vectorizer.fit_transform(texts))
    if case.once:
        rows.data[:] = 1
    if case.most:
        rows.data = np.minimum(rows.data, case.most)
    return Documents(rows, as_labels(labels), vectorizer.get_feature_names_out())


def interpretation_fold(documents: Documents, is_test: Array, words: int, case: JiangInterpretation) -> Fold:
    """Return training and test documents under an interpretation, with the paper's number of words."""
    vocabulary = frequent_words(documents.rows[~is_test], words if case.numbered else None)
    train, test = (documents.take(np.flatnonzero(mask)).keep(vocabulary) for mask in (~is_test, is_test))
    if case.several != "any":
        test = duplicate_per_class(test, case.several)
    return Fold(duplicate_per_class(train, case.several), test.rows, test.truth)


def duplicate_per_class(documents: Documents, several: str) -> Documents:
    """Repeat a document for each of its classes, or drop it if it has several."""
    belongs = documents.truth
    is_used = belongs.sum(axis=1, keepdims=True) == 1 if several == "none" else True
    indices, classes = np.nonzero(belongs & is_used)
    # each copy of a document has one label
    labels = as_labels(classes[:, None] == np.arange(belongs.shape[1]))
    return replace(documents, rows=documents.rows[indices], labels=labels)


def random_third(n: int, split: int) -> Array:
    """Return a mask of the third of the documents that is tested, with the split as seed."""
    is_test = np.zeros(n, dtype=bool)
    # two thirds for training, one third for testing, as in section 4
    is_test[np.random.default_rng(split).permutation(n)[2 * n // 3 :]] = True
    return is_test


def frequent_words(rows: csr_array[Any], n: int | None) -> Array:
    """Return the n words in most documents (first among ties), or those in at least three."""
    df = np.bincount(rows.indices, minlength=rows.shape[1])
    if n is None:
        return np.flatnonzero(df >= FEWEST)
    # the paper gives only the size of its vocabulary: the most frequent words are taken
    in_order = np.argsort(-df, kind="stable")[:n]
    return np.sort(in_order[df[in_order] > 0])


def predict_naive_bayes(fold: Fold, step: Any, case: JiangInterpretation) -> Array:
    """Return the predicted class of each test document, from the features that a step makes."""
    model = make_pipeline(step, MultinomialNB(fit_prior=not case.equal_classes))
    model.fit(fold.train.rows, fold.train.target)
    if case.laplace == "all words":
        model[-1].feature_log_prob_ = log_shares_among_words(model[-1], len(fold.train.terms))
    # smooth the words first, then turn the smoothed shares into features
    elif case.laplace == "their words":
        model[-1].feature_log_prob_ = log_shares_of_words(fold, model[:-1])
    answers: Array = model.predict(fold.test)
    return answers


def log_shares_among_words(bayes: MultinomialNB, words: int) -> Array:
    """Return log((n + 1) / (sum of n + words)), (classes, features)."""
    n = bayes.feature_count_
    logs: Array = np.log((n + 1) / (n.sum(axis=1, keepdims=True) + words))
    return logs


def log_shares_of_words(fold: Fold, feature_step: Any) -> Array:
    """Return log(P(w | c) T), the smoothed shares of words turned into features, (classes, features).

    A step that turns documents D into D T turns single words, the identity matrix, into T.
    """
    words = MultinomialNB().fit(fold.train.rows, fold.train.target)
    features = feature_step.transform(eye_array(len(fold.train.terms), format="csr", dtype=np.float64))
    logs: Array = np.log(np.exp(words.feature_log_prob_) @ features)
    return logs


COLUMNS = ("corpus", "split", "method", "features", "words", "right", "judged", "seconds")
SIZES = (2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000)
WEIGHTS, ALL = "class weights", "all words"


@cache
def compile_once() -> None:
    """Run every method on a few words, so that compilation is not measured."""
    rows = csr_array(np.array([[2, 1, 0], [0, 1, 2], [0, 0, 1]]))
    train = Documents(rows, as_labels([0, 1, 2]), np.array(["a", "b", "c"], dtype=object))
    list(method_rows(Fold(train, rows, train.truth), [2], JiangInterpretation()))


def split_rows(
    corpus: str, split: int, fold: Fold, sizes: Sequence[int], case: JiangInterpretation
) -> list[Row]:
    """Return the rows of all methods on a split of a corpus."""
    compile_once()
    words = len(fold.train.terms)
    labels = {"corpus": corpus, "split": split, "words": words}
    return [labels | row for row in method_rows(fold, [size for size in sizes if size < words], case)]


def method_rows(fold: Fold, sizes: Sequence[int], case: JiangInterpretation) -> Iterator[Row]:
    """Yield the rows of class weights, of DC and IG of each size, and of all words."""
    how, gain = DivisiveClustering(case.rounds), gain_metric(case.gain)
    yield evaluate_features(fold, case, WEIGHTS, fold.n_classes, ClassWeightExtractor())
    for size in sizes:
        yield evaluate_features(fold, case, "DC", size, WordClusterExtractor(size, how, n_jobs=1))
        yield evaluate_features(fold, case, "IG", size, TermSelector(gain, k=size))
    yield evaluate_features(fold, case, ALL, "all", "passthrough")


def evaluate_features(fold: Fold, case: JiangInterpretation, method: str, features: object, step: Any) -> Row:
    """Return the row of multinomial naive Bayes with the features that a step makes.

    Seconds are processor time from word counts to predictions: fitting the step, transforming all documents,
    fitting the classifier and predicting.
    """
    # processor time of this thread: other threads of the run do not disturb it
    start = thread_time()
    answers = predict_naive_bayes(fold, step, case)
    seconds = thread_time() - start
    right = int(fold.truth[range(len(answers)), answers].sum())
    counts = {"right": right, "judged": len(answers), "seconds": f"{seconds:.3f}"}
    return {"method": method, "features": features} | counts
