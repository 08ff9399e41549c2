"""Metrics of occurrences: frequency, shares of running text, means and variances of counts.

On binary data they treat documents as texts of distinct words.
"""

from __future__ import annotations

import numpy as np
from scipy.special import rel_entr

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array
from termsift.counts import ROUNDING, Block, Cells, ratio
from termsift.metrics.association import bernoulli_kl
from termsift.metrics.separation import check_above_zero, check_choice


def df(block: Block) -> Array:
    """Document frequency: the number of documents that contain the term, in any class. (terms,)

    Forman (2003), table 1: DFreq.
    """
    return np.array(block.term_df[:, 0])


def tf(block: Block) -> Array:
    """Occurrences of the term in the class. (terms, classes)

    Uchyigit and Clark, section 2: word frequency.
    """
    return block.map_chunks(lambda chunk: chunk.zero_undefined(chunk.tf))


def rand(block: Block, *, random_state: int = 0) -> Array:
    """Uniform random number per term, from [0, 1): the baseline. (terms,)

    The same seed gives a term at the same position the same number.
    Forman (2003), table 1.
    """
    try:
        generator = np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        message = f"random_state must be a whole number of at least 0, got {random_state!r}"
        raise InvalidInputError(message) from error
    return generator.random(block.vocabulary)[block.rows]


MODELS = ("multinomial", "bernoulli", "poisson")


def naive_bayes_rates(block: Block, model: str = "multinomial") -> tuple[Array, Array]:
    """Return p_c, the naive Bayes estimate of the term's rate in the class, and q_c, in the other classes.

    multinomial : its share of the class's text, (tf(t,c) + 1) / (l_c + M)
    bernoulli : its share of the class's documents, (df(t,c) + 1) / (pos + 2)
    poisson : its occurrences per document, (tf(t,c) + 1) / (pos + 2)

    q_c is the mean of p_k over k != c, weighted by the class sizes.
    Tang, Kay and He (2016), equations 3, 21 and 22; section 2.2 names the other two models.
    """
    check_choice("model", model, MODELS)
    occurrences = block.df if model == "bernoulli" else block.tf
    trials = block.lengths + block.vocabulary if model == "multinomial" else block.class_sizes + 2
    p = (occurrences + 1) / trials
    outside_sizes = block.class_sizes.sum() - block.class_sizes
    weighted = p * block.class_sizes
    q = np.subtract(weighted.sum(axis=1, keepdims=True), weighted, out=weighted)
    q /= np.where(outside_sizes > 0, outside_sizes, 1)
    return p, q if (outside_sizes > 0).all() else np.where(outside_sizes > 0, q, p)


def md(block: Block, *, model: str = "multinomial") -> Array:
    """Summand of a class in the maximum discrimination: KL of (p, 1 - p) from (q, 1 - q).

    The score is the sum over the classes. Tang, Kay and He (2016), algorithm 3.
    model="bernoulli" computes p and q from documents; model="poisson" compares Poisson distributions with
    means p and q: p log(p/q) + q - p.
    """

    def score_chunk(chunk: Block) -> Array:
        p, q = naive_bayes_rates(chunk, model)
        divergence = rel_entr(p, q) + q - p if model == "poisson" else bernoulli_kl(p, q)
        return chunk.zero_undefined(np.maximum(divergence, 0, out=divergence))

    return block.map_chunks(score_chunk)


def md_chi2(block: Block, *, model: str = "multinomial") -> Array:
    """Summand of a class in the chi-squared form of md, without the common factor l.

    1/2 [(p-q)^2/q + (p-q)^2/(1-q)] + 1/2 [(p-q)^2/p + (p-q)^2/(1-p)]; for Poisson distributions, which have
    no 1 - p, 1/2 [(p-q)^2/q + (p-q)^2/p].
    Tang, Kay and He (2016), equation 38.
    """

    def score_chunk(chunk: Block) -> Array:
        p, q = naive_bayes_rates(chunk, model)
        precision = 1 / q + 1 / p
        if model != "poisson":
            precision = 1 / q + ratio(np.ones_like(q), 1 - q) + 1 / p + ratio(np.ones_like(p), 1 - p)
        return chunk.zero_undefined((p - q) ** 2 * precision / 2)

    return block.map_chunks(score_chunk)


def fisher_score(block: Block, *, of: str = "presence") -> Array:
    """Fisher criterion: (mu_c - mu_n)^2 / (s_c^2 + s_n^2), of presence or, with of="tf", of counts.

    Without spread or difference it is 0. Without spread but with a difference, the spread is taken as half a
    document in N, below that of any imperfect term, so a perfect separator by presence scores highest.
    Uchyigit and Clark, section 2.
    """
    check_choice("of", of, ("presence", "tf"))
    presence = of == "presence"
    # unweighted documents have few distinct cells
    if presence and block.has_integer_df:
        return block.map_cells(fisher_score_of_presence)
    x, x_all = (block.df, block.term_df) if presence else (block.tf, block.term_tf)
    xx, xx_all = (block.df, block.term_df) if presence else (block.tf2, block.term_tf2)
    n, n_all = block.class_sizes, np.array(block.documents)
    return block.zero_undefined(fisher_criterion(x, x_all, xx, xx_all, n, n_all))


def fisher_score_of_presence(cells: Cells) -> Array:
    """Fisher criterion of presence, as a function of cells."""
    tp, df = cells.tp, cells.df
    return cells.zero_undefined(fisher_criterion(tp, df, tp, df, cells.pos, cells.documents))


def fisher_criterion(x: Array, x_all: Array, xx: Array, xx_all: Array, n: Array, n_all: Array) -> Array:
    """Fisher criterion from sums, sums of squares and documents, in the class and over all documents."""
    outside = clip_difference(n_all, n)
    mean_c, mean_n = ratio(x, n), ratio(clip_difference(x_all, x), outside)
    # the larger minus the smaller, because `clip_difference` returns 0 for differences below 0
    means = clip_difference(np.maximum(mean_c, mean_n), np.minimum(mean_c, mean_n))
    spread = variance(x, xx, n) + variance(clip_difference(x_all, x), clip_difference(xx_all, xx), outside)
    half = 0.5 / np.maximum(n_all, 1)
    return ratio(means**2, np.where(spread == 0, half * (1 - half), spread))


def bss_wss(block: Block, *, groups: str = "class") -> Array:
    """Between-group over within-group sum of squares of the counts.

    The groups are the class and all other documents; groups="all" takes all classes as groups, with one
    score per term.
    If there is no spread within groups, that of half a document is used.
    Uchyigit and Clark, section 2.
    """
    check_choice("groups", groups, ("class", "all"))
    is_joint = groups == "all"
    if is_joint and not block.single_label:
        raise InvalidInputError("bss_wss with groups='all' needs exactly one label per document")

    def score_chunk(chunk: Block) -> Array:
        within = sum_squared_deviations(chunk.tf, chunk.tf2, chunk.class_sizes)
        total = sum_squared_deviations(chunk.term_tf, chunk.term_tf2, np.array([chunk.documents]))
        if is_joint:
            return variance_ratio(total[:, 0], within.sum(axis=1), chunk.documents)
        x, xx = (
            clip_difference(chunk.term_tf, chunk.tf),
            clip_difference(chunk.term_tf2, chunk.tf2),
        )
        outside = sum_squared_deviations(x, xx, clip_difference(chunk.documents, chunk.class_sizes))
        return chunk.zero_undefined(variance_ratio(total, within + outside, chunk.documents))

    return block.map_chunks(score_chunk)


def welch_t(block: Block) -> Array:
    """Welch's t of the occurrences per document, in the class against all others.

    (m_c - m_n) / sqrt(s_c^2 / pos + s_n^2 / neg), s^2 the sample variance. Counts do not hold the lengths of
    documents; for relative frequencies, as in keyness, count a matrix whose rows sum to 1, such as
    `sklearn.preprocessing.normalize(X, "l1")`.
    Without spread but with a difference, the spread is taken as that of half a document in N. Welch (1947).
    """

    def sample_variance(x: Array, xx: Array, n: Array) -> Array:
        # sums of weights may be below 1, where n - 1 is not a number of degrees of freedom
        return ratio(sum_squared_deviations(x, xx, n), np.where(n > 1, n - 1, n))

    def score_chunk(chunk: Block) -> Array:
        n, total = chunk.class_sizes, np.array(chunk.documents)
        outside = clip_difference(total, n)
        x, xx = (
            clip_difference(chunk.term_tf, chunk.tf),
            clip_difference(chunk.term_tf2, chunk.tf2),
        )
        mean_c, mean_n = ratio(chunk.tf, n), ratio(x, outside)
        sign = np.where(mean_c < mean_n, -1.0, 1.0)
        difference = clip_difference(np.maximum(mean_c, mean_n), np.minimum(mean_c, mean_n))
        error = ratio(sample_variance(chunk.tf, chunk.tf2, n), n)
        error = error + ratio(sample_variance(x, xx, outside), outside)
        half = 0.5 / np.maximum(total, 1)
        constant = half * (1 - half) * (ratio(np.ones_like(n), n) + ratio(np.ones_like(outside), outside))
        deviation = np.sqrt(np.where(error == 0, constant, error))
        return chunk.zero_undefined(sign * ratio(difference, deviation))

    return block.map_chunks(score_chunk)


def log_odds_prior(block: Block, *, prior: float = 1.0) -> Array:
    """Z-score of the log odds of a term inside against outside the class, with an informative prior.

    The prior is the corpus itself: each term's occurrences times `prior`.
    Monroe, Colaresi and Quinn (2008), equations 15, 16, 20 and 22.
    """
    check_above_zero("prior", prior)
    # unweighted occurrences have few distinct cells
    if block.has_integer_tf:
        scores = block.map_cells(lambda c: log_odds_z(c.df, c.documents, c.tp, c.pos, prior), "tf")
        return block.zero_undefined(scores)
    return block.zero_undefined(log_odds_z(block.term_tf, block.length, block.tf, block.lengths, prior))


def log_odds_z(total: Array, length: Array | float, y1: Array, n1: Array, prior: float) -> Array:
    """Z-scores from occurrences of the term and of all terms, overall and in the class (y1, n1)."""
    a, a0 = prior * total, prior * length
    y2, n2 = clip_difference(total, y1), clip_difference(length, n1)
    # a vocabulary of one term has no other occurrences: they count as one half
    odds1 = (y1 + a) / np.maximum(n1 + a0 - y1 - a, 0.5)
    odds2 = (y2 + a) / np.maximum(n2 + a0 - y2 - a, 0.5)
    has_term = total > 0
    difference = np.log(np.where(has_term, odds1, 1)) - np.log(np.where(has_term, odds2, 1))
    deviation = np.sqrt(ratio(np.ones_like(y1), y1 + a) + ratio(np.ones_like(y2), y2 + a))
    return ratio(difference, deviation)


def c_tf_idf(block: Block) -> Array:
    """Class tf-idf: tf(t,c) / l_c times ln(1 + mean l / tf(t)), the mean over the classes with documents."""
    filled = block.lengths[block.class_sizes > 0]
    mean_length = filled.mean() if filled.size else 0.0

    def score_chunk(chunk: Block) -> Array:
        rarity = np.log1p(ratio(np.full_like(chunk.term_tf, mean_length), chunk.term_tf))
        return chunk.zero_undefined(ratio(chunk.tf, chunk.lengths) * rarity)

    return block.map_chunks(score_chunk)


def clip_difference(minuend: Array | float, subtrahend: Array) -> Array:
    """Return the difference, and 0 if it is a rounding error."""
    difference = np.asarray(minuend - subtrahend)
    np.copyto(difference, 0.0, where=difference <= ROUNDING * np.abs(minuend))
    return difference


def sum_squared_deviations(x: Array, xx: Array, n: Array) -> Array:
    """Return the sum of squares about the mean, from a sum, a sum of squares and a number of documents."""
    return ratio(clip_difference(n * xx, x * x), n)


def variance(x: Array, xx: Array, n: Array) -> Array:
    """Return the mean square about the mean."""
    return ratio(sum_squared_deviations(x, xx, n), n)


def variance_ratio(total: Array, within: Array, documents: float) -> Array:
    """Return (total - within) / within; without spread within groups, that of half a document is used."""
    between = clip_difference(total, within)
    half_document = 0.5 * (1 - 0.5 / max(documents, 1))
    return np.asarray(between / np.where(within == 0, half_document, within))
