"""How often a term occurs, and chance; a term's share of a class's running text, its mean and spread.

On binary data, where every count is 0 or 1, they are defined and see documents as texts of distinct words.
"""

from __future__ import annotations

import numpy as np
from scipy.special import rel_entr

from termsift._internal.errors import InvalidInputError
from termsift._internal.typing import Array
from termsift.counts import ROUNDING, Block, Cells, ratio
from termsift.metrics.information import bernoulli_kl
from termsift.metrics.separation import check_above_zero, one_of


def df(block: Block) -> Array:
    """Document frequency: the number of documents that contain the term, in any class. (terms,)

    Forman (2003), table 1: DFreq.
    """
    return block.term_df[:, 0].copy()


def tf(block: Block) -> Array:
    """Occurrences of the term in the class. (terms, classes)

    Uchyigit and Clark, section 2: word frequency.
    """
    return block.map_chunks(lambda run: run.zero_undefined(run.tf))


def rand(block: Block, *, random_state: int = 0) -> Array:
    """A uniform random number per term, from [0, 1): the baseline. (terms,)

    The same seed gives a term at the same position the same number.
    Forman (2003), table 1.
    """
    try:
        generator = np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        what = f"random_state must be a whole number of at least 0, got {random_state!r}"
        raise InvalidInputError(what) from error
    return generator.random(block.vocabulary)[block.rows]


MODELS = ("multinomial", "bernoulli", "poisson")


def naive_bayes_rates(block: Block, model: str = "multinomial") -> tuple[Array, Array]:
    """p_c, what naive Bayes estimates of the term in the class, and q_c, the same in the other classes.

    multinomial : its share of the class's text, (tf(t,c) + 1) / (l_c + M)
    bernoulli : its share of the class's documents, (df(t,c) + 1) / (pos + 2)
    poisson : its occurrences per document, (tf(t,c) + 1) / (pos + 2)

    q_c is the mean of p_k over k != c, weighted by the class sizes.
    Tang, Kay and He (2016), equations 3, 21 and 22; section 2.2 names the other two models.
    """
    seen = block.df if one_of("model", model, MODELS) == "bernoulli" else block.tf
    trials = block.lengths + block.vocabulary if model == "multinomial" else block.class_sizes + 2
    p = (seen + 1) / trials
    others = block.class_sizes.sum() - block.class_sizes
    weighted = p * block.class_sizes
    q = np.subtract(weighted.sum(axis=1, keepdims=True), weighted, out=weighted)
    q /= np.where(others > 0, others, 1)
    return p, q if (others > 0).all() else np.where(others > 0, q, p)


def md(block: Block, *, model: str = "multinomial") -> Array:
    """A class's part of the maximum discrimination: KL of (p, 1 - p) from (q, 1 - q).

    The score is the sum over the classes. Tang, Kay and He (2016), algorithm 3.
    model="bernoulli" computes p and q from documents; model="poisson" compares Poisson distributions with
    means p and q: p log(p/q) + q - p.
    """

    def of_run(run: Block) -> Array:
        p, q = naive_bayes_rates(run, model)
        divergence = rel_entr(p, q) + q - p if model == "poisson" else bernoulli_kl(p, q)
        return run.zero_undefined(np.maximum(divergence, 0, out=divergence))

    return block.map_chunks(of_run)


def md_chi2(block: Block, *, model: str = "multinomial") -> Array:
    """A class's part of the chi-squared form of md, without the common factor l.

    1/2 [(p-q)^2/q + (p-q)^2/(1-q)] + 1/2 [(p-q)^2/p + (p-q)^2/(1-p)]; for Poisson distributions, which have
    no 1 - p, 1/2 [(p-q)^2/q + (p-q)^2/p].
    Tang, Kay and He (2016), equation 38.
    """

    def of_run(run: Block) -> Array:
        p, q = naive_bayes_rates(run, model)
        precision = 1 / q + 1 / p
        if model != "poisson":
            precision = 1 / q + ratio(np.ones_like(q), 1 - q) + 1 / p + ratio(np.ones_like(p), 1 - p)
        return run.zero_undefined((p - q) ** 2 * precision / 2)

    return block.map_chunks(of_run)


def fisher(block: Block, *, of: str = "presence") -> Array:
    """The Fisher criterion: (mu_c - mu_n)^2 / (s_c^2 + s_n^2), of presence or, with of="tf", of counts.

    Without spread or difference it is 0. Without spread but with a difference, the spread is taken as half a
    document in N, below that of any imperfect term, so a perfect separator by presence scores highest.
    Uchyigit and Clark, section 2.
    """
    presence = one_of("of", of, ("presence", "tf")) == "presence"
    if presence and block.has_integer_df:
        return block.map_cells(fisher_of_presence)
    x, x_all = (block.df, block.term_df) if presence else (block.tf, block.term_tf)
    xx, xx_all = (block.df, block.term_df) if presence else (block.tf2, block.term_tf2)
    return block.zero_undefined(criterion(x, x_all, xx, xx_all, block.class_sizes, np.array(block.documents)))


def fisher_of_presence(cells: Cells) -> Array:
    """The Fisher criterion of presence, of the cells alone."""
    tp, df = cells.tp, cells.df
    return cells.zero_undefined(criterion(tp, df, tp, df, cells.pos, cells.documents))


def criterion(x: Array, x_all: Array, xx: Array, xx_all: Array, inside: Array, documents: Array) -> Array:
    """The Fisher criterion of sums and sums of squares, in the class and in all documents."""
    outside = rest(documents, inside)
    mean_c, mean_n = ratio(x, inside), ratio(rest(x_all, x), outside)
    means = rest(np.maximum(mean_c, mean_n), np.minimum(mean_c, mean_n))
    spread = variance(x, xx, inside) + variance(rest(x_all, x), rest(xx_all, xx), outside)
    half = 0.5 / np.maximum(documents, 1)
    return ratio(means**2, np.where(spread == 0, half * (1 - half), spread))


def bss_wss(block: Block, *, groups: str = "class") -> Array:
    """Between-group over within-group sum of squares of the counts.

    The groups are the class and the rest; groups="all" takes all classes at once, with one score per term.
    If there is no spread within groups, that of half a document is used.
    Uchyigit and Clark, section 2.
    """
    if one_of("groups", groups, ("class", "all")) == "class":
        return block.map_chunks(bss_wss_of_classes)
    if not block.single_label:
        raise InvalidInputError("bss_wss with groups='all' needs exactly one label per document")
    return block.map_chunks(bss_wss_of_all)


def bss_wss_of_all(block: Block) -> Array:
    """The ratio with all classes as groups. (terms,)"""
    within = squares(block.tf, block.tf2, block.class_sizes).sum(axis=1)
    total = squares(block.term_tf, block.term_tf2, np.array([block.documents]))[:, 0]
    return between_over_within(total, within, block.documents)


def bss_wss_of_classes(block: Block) -> Array:
    """The ratio with the class and the rest as groups. (terms, classes)"""
    inside, outside = block.class_sizes, rest(block.documents, block.class_sizes)
    within = squares(block.tf, block.tf2, inside)
    within = within + squares(rest(block.term_tf, block.tf), rest(block.term_tf2, block.tf2), outside)
    total = squares(block.term_tf, block.term_tf2, np.array([block.documents]))
    return block.zero_undefined(between_over_within(total, within, block.documents))


def log_odds_prior(block: Block, *, prior: float = 1.0) -> Array:
    """The z-score of the log odds of a term inside against outside the class, with an informative prior.

    The prior is the corpus itself: each term's occurrences times `prior`.
    Monroe, Colaresi and Quinn (2008), equations 15, 16, 20 and 22.
    """
    check_above_zero("prior", prior)
    if block.has_integer_tf:
        return block.zero_undefined(block.map_token_cells(log_odds_of_cells, prior=prior))
    return block.zero_undefined(log_odds_of(block.term_tf, block.length, block.tf, block.lengths, prior))


def log_odds_of_cells(cells: Cells, *, prior: float) -> Array:
    """The z-scores of cells of whole occurrences."""
    return log_odds_of(cells.df, cells.documents, cells.tp, cells.pos, prior)


def log_odds_of(total: Array, length: Array | float, y1: Array, n1: Array, prior: float) -> Array:
    """The z-scores of a term's occurrences, of all, of the term's in the class, and of all in the class."""
    a, a0 = prior * total, prior * length
    y2, n2 = rest(total, y1), rest(length, n1)
    # a vocabulary of one term leaves no others: half an occurrence stands for them
    odds1 = (y1 + a) / np.maximum(n1 + a0 - y1 - a, 0.5)
    odds2 = (y2 + a) / np.maximum(n2 + a0 - y2 - a, 0.5)
    seen = total > 0
    difference = np.log(np.where(seen, odds1, 1)) - np.log(np.where(seen, odds2, 1))
    deviation = np.sqrt(ratio(np.ones_like(y1), y1 + a) + ratio(np.ones_like(y2), y2 + a))
    return ratio(difference, deviation)


def c_tf_idf(block: Block) -> Array:
    """Class tf-idf: tf(t,c) / l_c times ln(1 + mean l / tf(t)), the mean over the classes with documents."""
    filled = block.lengths[block.class_sizes > 0]
    mean_length = filled.mean() if filled.size else 0.0

    def of_run(run: Block) -> Array:
        rarity = np.log1p(ratio(np.full_like(run.term_tf, mean_length), run.term_tf))
        return run.zero_undefined(ratio(run.tf, run.lengths) * rarity)

    return block.map_chunks(of_run)


def rest(whole: Array | float, part: Array) -> Array:
    """Whole - part, and 0 where rounding alone keeps them apart."""
    difference = np.asarray(whole - part)
    np.copyto(difference, 0.0, where=difference <= ROUNDING * np.abs(whole))
    return difference


def squares(x: Array, xx: Array, n: Array) -> Array:
    """The sum of squares about the mean, from a sum, a sum of squares and a number of documents."""
    return ratio(rest(n * xx, x * x), n)


def variance(x: Array, xx: Array, n: Array) -> Array:
    """The mean square about the mean."""
    return ratio(squares(x, xx, n), n)


def between_over_within(total: Array, within: Array, documents: float) -> Array:
    """(total - within) / within, with half a document's spread where there is none within."""
    between = rest(total, within)
    floor = 0.5 * (1 - 0.5 / max(documents, 1))
    return np.asarray(between / np.where(within == 0, floor, within))
