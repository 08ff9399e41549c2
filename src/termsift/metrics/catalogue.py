"""Catalogue of metrics, which drives scoring, tests, commands and documentation."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import inf, isfinite
from typing import Any, TypeAlias, overload

import numpy as np

from termsift._internal.errors import InvalidInputError, UnknownNameError, unknown_name_error
from termsift._internal.tables import Table, format_table
from termsift._internal.typing import Array, parse_call
from termsift.metrics import association, effect_sizes, occurrence, separation, strata
from termsift.metrics.separation import check_choice
from termsift.metrics.strata import StratifiedMetric


@dataclass(frozen=True, slots=True)
class Metric:
    """Metric: a function of counts, and its properties.

    To define a custom metric, pass a function of Cells: `Metric("mine", function)`.

    Parameters
    ----------
    name : str
        Name, as shown in tables.
    function : callable
        Function of the 2x2 cells, or of a block of the counts.
    formula : str, default ""
        Formula, as shown by `termsift metrics`.
    sided : {0, 1, 2}, default 2
        1 if the sign of the score shows the direction of association, 2 if not, 0 without direction.
    needs : {"df", "tf", "tf2", "none"}, default "df"
        Counts that the function uses.
    bounds : tuple of (float, float), default (-inf, inf)
        Range of the scores.
    source : str, default ""
        Papers that define the metric, by keyword.
    aliases : tuple of str, default ()
        Other names.
    of_cells : bool, default True
        Whether the function takes Cells; otherwise it takes a Block.
    cellwise : bool, default False
        Whether the scores of a function of a Block still depend only on the cells of a term.
    classless : bool, default False
        Whether it ignores classes, so that two classes are not needed.
    of_all_terms : bool, default False
        Whether scoring one term needs all terms.
    summed : bool, default False
        Whether there is one score per term, the sum over the classes; per_class=True keeps them separate.
    single_label : bool, default False
        Whether it is defined only if each document has one label.
    weight : callable, optional
        Function from scores to weights of TermWeighter, if the paper defines it.
    of : {"", "df", "tf"}, default ""
        For a metric of a 2x2 table of documents or of occurrences, the default of the option `of`; "" if the
        table is always of documents.
    strata : StratifiedMetric, optional
        Same metric within groups, for counts with groups, if it can hold groups fixed.
    squared : bool, default False
        Whether it grows as the square of a difference, so that its root has a constant error.

    Examples
    --------
    >>> Metric("gap", lambda cells: cells.tpr - cells.fpr, sided=1).name
    'gap'

    """

    name: str
    function: Callable[..., Array]
    formula: str = ""
    sided: int = 2
    needs: str = "df"
    bounds: tuple[float, float] = (-inf, inf)
    source: str = ""
    aliases: tuple[str, ...] = ()
    of_cells: bool = True
    cellwise: bool = False
    classless: bool = False
    of_all_terms: bool = False
    summed: bool = False
    single_label: bool = False
    weight: Callable[[Array], Array] | None = None
    of: str = ""
    strata: StratifiedMetric | None = None
    squared: bool = False

    @property
    def is_function_of_cells(self) -> bool:
        """True if a score depends only on the documents with the term, inside and outside the class."""
        return (self.of_cells or self.cellwise) and self.count_type({}) == "df"

    def count_type(self, options: Mapping[str, Any]) -> str:
        """Return whether the metric counts documents or occurrences with these options.

        Parameters
        ----------
        options : mapping of str to object
            Options of the metric.

        Returns
        -------
        str
            "df" for documents, "tf" for occurrences.

        """
        unit = options.get("of", self.of)
        return "tf" if unit == "tf" or (not self.of and self.needs in ("tf", "tf2")) else "df"

    @property
    def scoring_options(self) -> dict[str, Any]:
        """Options that scoring handles, so that the function does not receive them."""
        return ({"of": self.of} if self.of else {}) | ({"per_class": False} if self.summed else {})

    @property
    def options(self) -> dict[str, Any]:
        """Keyword arguments and their defaults."""
        parameters = list(inspect.signature(self.function).parameters.values())[1:]
        return {parameter.name: parameter.default for parameter in parameters} | self.scoring_options

    def as_row(self) -> dict[str, Any]:
        """Return the metric's properties as plain values.

        Returns
        -------
        dict of str to object
            Properties that JSON can represent, by name.

        """
        row = {name: getattr(self, name) for name in ("name", "aliases", "formula", "sided", "needs")}
        # JSON has no infinity
        bounds = [bound if isfinite(bound) else None for bound in self.bounds]
        row |= {"aliases": list(self.aliases), "bounds": bounds, "options": self.options}
        return row | {"source": self.source}


# a name or alias, a metric, or a function of Cells
AnyMetric: TypeAlias = str | Metric | Callable[..., Array]


class Catalogue(Sequence[Metric]):
    """Metrics in order, accessed by position, name or alias.

    metrics : the metrics, in order

    >>> metrics()["ngl"].name, "bns" in metrics()
    ('cc', True)
    """

    def __init__(self, metrics: Sequence[Metric]) -> None:
        self._metrics = tuple(metrics)
        self._by_name = {name: m for m in metrics for name in (m.name, *m.aliases)}

    @property
    def names(self) -> list[str]:
        """Names, without aliases."""
        return [metric.name for metric in self._metrics]

    @overload
    def __getitem__(self, key: str | int) -> Metric: ...
    @overload
    def __getitem__(self, key: slice) -> Sequence[Metric]: ...
    def __getitem__(self, key: str | int | slice) -> Metric | Sequence[Metric]:
        return self.find(key) if isinstance(key, str) else self._metrics[key]

    def find(self, name: object) -> Metric:
        """Return the metric with a name or alias; the error for an unknown name suggests the closest one."""
        if not isinstance(name, str) or name not in self._by_name:
            raise unknown_name_error("metric", name, self._by_name)
        return self._by_name[name]

    def __len__(self) -> int:
        return len(self._metrics)

    def __contains__(self, key: object) -> bool:
        return key in self._by_name if isinstance(key, str) else key in self._metrics

    def table(self) -> Table:
        """Return the catalogue as a table of text."""
        rows = {
            "name": [", ".join((m.name, *m.aliases)) for m in self],
            "sided": [("-", "one", "two")[m.sided] for m in self],
            "needs": [m.needs for m in self],
            "options": [", ".join(f"{k}={v!r}" for k, v in m.options.items()) for m in self],
            "formula": [m.formula for m in self],
            "source": [m.source for m in self],
        }
        return Table({name: np.array(column, dtype=object) for name, column in rows.items()})

    def __repr__(self) -> str:
        return format_table(self.table())


def as_metric(value: AnyMetric) -> Metric:
    """Return the Metric of a name, or of a function of Cells.

    Parameters
    ----------
    value : str, Metric or callable
        Name or alias in the catalogue, a Metric, or a function of Cells.

    Returns
    -------
    Metric
        Metric of this name or function; a Metric is returned unchanged.

    Raises
    ------
    UnknownNameError
        If there is no metric of this name.

    Examples
    --------
    >>> as_metric("ngl").name
    'cc'
    >>> def product(cells): return cells.tp * cells.tn
    >>> as_metric(product).name
    'product'

    """
    if isinstance(value, Metric):
        return value
    if not isinstance(value, str) and callable(value):
        return Metric(getattr(value, "__name__", type(value).__name__), value)
    return metrics().find(value)


def parse_metric(value: AnyMetric) -> tuple[Metric, dict[str, Any]]:
    """Return a metric and the options written with its name.

    >>> metric, options = parse_metric("gu(printed=True)")
    >>> metric.name, options
    ('gu', {'printed': True})
    """
    if not isinstance(value, str):
        return as_metric(value), {}
    try:
        name, arguments, options = parse_call(value)
    except (SyntaxError, ValueError) as error:
        message = f"{value!r} is not a metric; write it as 'bns' or 'gu(printed=True)'"
        raise InvalidInputError(message) from error
    if arguments:
        raise InvalidInputError(f"metric options must be named, as in 'gu(printed=True)', got {value!r}")
    metric = as_metric(name)
    check_metric_options(metric, options)
    return metric, options


def format_metric(metric: Metric, options: Mapping[str, Any]) -> str:
    """Return the metric's name with its options, as `parse_metric` reads it."""
    written_options = ", ".join(f"{name}={value!r}" for name, value in options.items())
    return f"{metric.name}({written_options})" if written_options else metric.name


def check_metric_options(metric: Metric, options: dict[str, Any]) -> None:
    """Check that the metric takes these options."""
    unknown = next((name for name in options if name not in metric.options), None)
    if unknown is not None and not metric.options:
        raise UnknownNameError(f"{metric.name} takes no options, got {unknown!r}")
    if unknown is not None:
        raise unknown_name_error(f"option of {metric.name}", unknown, metric.options)
    if metric.of and "of" in options:
        check_choice("of", options["of"], ("df", "tf"))


@cache
def metrics() -> Catalogue:
    """Return the catalogue of all metrics in termsift.

    Returns
    -------
    Catalogue
        Sequence of metrics, which also finds them by name or alias.

    Examples
    --------
    >>> len(metrics()) > 40
    True

    """
    a, e, o, s, t = association, effect_sizes, occurrence, separation, strata
    # fmt: off
    # positional fields: name, function, formula, sided, needs, bounds, source, aliases
    table = [
        # the five papers
        Metric("df", o.df, "A + B", 2, "df", (0, inf), "forman2003, tang2016", ("dfreq",),
               of_cells=False, cellwise=True, classless=True),
        Metric("tf", o.tf, "tf(t,c)", 2, "tf", (0, inf), "uchyigit-clark", ("word_frequency",),
               of_cells=False),
        Metric("rand", o.rand, "uniform in [0, 1), one per term", 0, "none", (0, 1), "forman2003",
               of_cells=False, classless=True, of_all_terms=True),
        Metric("acc", s.acc, "tp - fp, inverted", 2, "df", (-inf, inf), "forman2003"),
        Metric("acc2", s.acc2, "|tpr - fpr|", 2, "df", (-1, 1), "forman2003"),
        Metric("bns", s.bns, "|F(tpr) - F(fpr)|, F the inverse normal cdf, rates within [0.0005, 0.9995]",
               2, "df", (-6.6, 6.6), "forman2003"),
        Metric("chi2", a.chi2, "N (AD - BC)^2 / ((A+B)(C+D)(A+C)(B+D))", 2, "df", (0, inf),
               "forman2003, zheng2004, uchyigit-clark", of="df", squared=True),
        Metric("chi2_joint", a.chi2_joint, "(AD - BC)^2 / (ABCD), 0 for an empty cell", 2, "df", (0, inf),
               "tang2016", squared=True),
        Metric("chi2_all", a.chi2_member, "(1 - P(c)) chi2 summed over the classes: of all classes at once",
               2, "df", (0, inf), "forman2003", summed=True, single_label=True, squared=True),
        Metric("f1", s.f1, "2 tp / (pos + tp + fp), inverted", 2, "df", (0, 1), "forman2003"),
        Metric("ig", a.ig, "e(pos,neg) - [P(t) e(tp,fp) + P(not t) e(fn,tn)], e the entropy in bits",
               2, "df", (0, 1), "forman2003, zheng2004, uchyigit-clark", of="df", squared=True),
        Metric("oddn", s.oddn, "tpr (1 - fpr), inverted", 2, "df", (0, 1), "forman2003"),
        Metric("odds", s.odds, "tp tn / (fp fn), inverted", 2, "df", (0, inf), "forman2003"),
        Metric("pow", s.power, "(1 - fpr)^k - (1 - tpr)^k, inverted", 2, "df", (0, 1), "forman2003"),
        Metric("pr", s.pr, "tpr / fpr, inverted", 2, "df", (0, inf), "forman2003"),
        Metric("sig", a.sig, "sign(AD - BC) ig, smoothed", 1, "df", (-1, 1), "zheng2004", squared=True),
        Metric("cc", a.cc, "sqrt(N) (AD - BC) / sqrt((A+B)(C+D)(A+C)(B+D))", 1, "df", (-inf, inf),
               "zheng2004, uchyigit-clark", ("ngl",)),
        Metric("or", s.log_odds, "log [P(t|c) (1 - P(t|not c))] / [(1 - P(t|c)) P(t|not c)], smoothed",
               1, "df", (-inf, inf), "zheng2004, uchyigit-clark", ("log_odds_ratio",)),
        Metric("ors", s.log_odds_squared, "or^2", 2, "df", (0, inf), "zheng2004", squared=True),
        Metric("gss", a.gss, "(AD - BC) / N^2", 1, "df", (-0.25, 0.25), "tang2016, uchyigit-clark"),
        Metric("mi", a.mi, "log P(t,c) / (P(t) P(c))", 1, "df", (-inf, inf), "tang2016, uchyigit-clark",
               ("pmi",)),
        Metric("cet", a.cet, "P(t,c) log P(t,c) / (P(t) P(c))", 1, "df", (-1, 1), "tang2016"),
        Metric("ig_member", a.ig_member,
               "P(t,c) log2 P(t,c)/(P(t)P(c)) + P(not t,c) log2 P(not t,c)/(P(not t)P(c))",
               2, "df", (0, 1), "tang2016", squared=True),
        Metric("ig_all", a.ig_member, "ig_member summed over the classes, in bits", 2, "df", (0, inf),
               "jiang-lee", ("mutual_info",), summed=True, single_label=True, squared=True),
        Metric("fisher_score", o.fisher_score, "(mu_c - mu_n)^2 / (s_c^2 + s_n^2)", 2, "df", (0, inf),
               "uchyigit-clark", of_cells=False, cellwise=True,
               squared=True),
        Metric("bss_wss", o.bss_wss, "between / within sum of squares of the counts", 2, "tf2", (0, inf),
               "uchyigit-clark", of_cells=False, squared=True),
        Metric("gu", a.gu, "|z| A neg / (pos B), z of two proportions", 2, "df", (0, inf), "uchyigit-clark"),
        Metric("md", o.md, "sum over c of p log(p/q) + (1-p) log((1-p)/(1-q)), p, q of naive Bayes",
               2, "tf", (0, inf), "tang2016", of_cells=False, summed=True, squared=True),
        Metric("md_chi2", o.md_chi2, "sum over c of (p-q)^2 (1/q + 1/(1-q) + 1/p + 1/(1-p)) / 2", 2, "tf",
               (0, inf), "tang2016", of_cells=False, summed=True, squared=True),
        # from other papers
        Metric("dfs", s.dfs, "sum over c of P(c|t) / (P(not t|c) + P(t|not c) + 1)", 2, "df", (0, inf),
               "Uysal and Gunal 2012", summed=True),
        Metric("ndm", s.ndm, "|tpr - fpr| / min(tpr, fpr)", 2, "df", (0, inf), "Rehman et al. 2017"),
        Metric("mmr", s.mmr, "max(tpr, fpr) |tpr - fpr| / min(tpr, fpr)", 2, "df", (0, inf),
               "Rehman et al. 2018"),
        Metric("g2", a.g2, "2 sum over cells of O ln(O/E)", 2, "df", (0, inf),
               "Dunning 1993, Rayson and Garside 2000", ("ll", "log_likelihood"), of="df", squared=True),
        Metric("gini", s.gini, "sum over c of tpr^2 P(c|t)^2", 2, "df", (0, inf), "Shang et al. 2007",
               summed=True),
        Metric("gain_ratio", a.gain_ratio, "ig / entropy of (P(t), P(not t))", 2, "df", (0, 1),
               "Quinlan 1986", squared=True),
        Metric("cpd", s.cpd, "(A - B) / (A + B)", 1, "df", (-1, 1), "Simeon and Hilderman 2008"),
        Metric("log_odds_prior", o.log_odds_prior,
               "z-score of the difference of log odds of occurrences, with the corpus as prior",
               1, "tf", (-inf, inf), "Monroe, Colaresi and Quinn 2008", ("fightin_words",),
               of_cells=False),
        Metric("rf", s.rf, "log2(2 + A / max(1, B))", 2, "df", (0, inf), "Lan et al. 2009"),
        Metric("igm", s.igm, "f_1 / sum of r f_r, class frequencies descending", 2, "df", (0, 1),
               "Chen et al. 2016", of_cells=False, weight=s.igm_weight),
        Metric("hypergeometric", a.hypergeometric, "-log10 P(X >= A; N, A+B, pos)", 2, "df", (0, inf),
               "enrichment test"),
        Metric("c_tf_idf", o.c_tf_idf, "tf(t,c)/l_c ln(1 + mean l / tf(t))", 2, "tf", (0, inf),
               "class tf-idf", of_cells=False),
        # effect sizes and keyness metrics; A, B, C, D count occurrences with of="tf"
        Metric("log_ratio", e.log_ratio, "log2 (A/pos) / (B/neg), a zero counts as one half", 1, "tf",
               (-inf, inf), "Hardie 2014", of="tf"),
        Metric("lrc", s.lrc, "the limit of log_ratio's interval nearer to 0; 0 if it contains 0", 1, "tf",
               (-inf, inf), "Evert 2022", of_cells=False, cellwise=True, of="tf"),
        Metric("percent_diff", s.percent_diff, "100 (A/pos - B/neg) / (B/neg), B = 0 counts as one half",
               1, "tf", (-100, inf), "Gabrielatos and Marchi 2011", of="tf"),
        Metric("rate_difference", e.rate_difference, "tpr - fpr", 1, "df", (-1, 1), "Newcombe 1998",
               ("zeta",)),
        Metric("welch_t", o.welch_t, "(m_c - m_n) / sqrt(s_c^2/pos + s_n^2/neg) of occurrences per document",
               1, "tf2", (-inf, inf), "Welch 1947", of_cells=False),
        Metric("bic", a.bic, "g2 - ln N", 2, "df", (-inf, inf), "Wilson 2013", of="df"),
        Metric("simple_maths", s.simple_maths, "(A per million + n) / (B per million + n)", 2, "tf",
               (0, inf), "Kilgarriff 2009", of="tf"),
        Metric("cmh", t.cmh, "sum of (A - E) / sqrt(sum of V) over strata", 1, "df", (-inf, inf),
               "Mantel and Haenszel 1959", strata=t.CMH),
        Metric("mh_odds", t.mh_odds, "log of sum of AD/N / sum of BC/N over strata", 1, "df",
               (-inf, inf), "Mantel and Haenszel 1959", strata=t.MH_ODDS),
    ]
    # fmt: on
    return Catalogue(table)


KEYWORDS = re.compile(r"\n  keywords = \{(.*?)\},")


def bibtex(metric: str | Metric) -> str:
    """Return the sources of a metric as BibTeX.

    Parameters
    ----------
    metric : str or Metric
        Name or alias in the catalogue, or a Metric.

    Returns
    -------
    str
        BibTeX entries, separated by blank lines; empty for a custom metric.

    Raises
    ------
    UnknownNameError
        If there is no metric of this name.

    Examples
    --------
    >>> print(bibtex("ndm").splitlines()[0])
    @article{rehman2017,

    """
    source = as_metric(metric).source
    return "\n\n".join(entry for keyword, entry in bibtex_entries() if source and keyword in source)


@cache
def bibtex_entries() -> tuple[tuple[str, str], ...]:
    """Return (keyword, entry) for each work; the catalogue names its sources by keywords."""
    text = files("termsift.metrics").joinpath("sources.bib").read_text(encoding="utf-8")
    matches = [(KEYWORDS.search(entry), entry.strip()) for entry in text.split("\n\n")]
    return tuple((keywords[1], KEYWORDS.sub("", entry)) for keywords, entry in matches if keywords)
