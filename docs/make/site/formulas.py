r"""The formulas of the catalogue as mathematics, each beside the words it was set from.

A formula that changes in the catalogue no longer stands here, and a test says so.
"""

from __future__ import annotations

SYMBOLS = r"""$A$ documents of the class and $B$ others contain the term; $C$ documents of the class and $D$ others do not.
$N = A+B+C+D$, $\mathrm{pos} = A+C$, $\mathrm{neg} = B+D$, $\mathrm{tpr} = A/\mathrm{pos}$ and
$\mathrm{fpr} = B/\mathrm{neg}$."""

OCCURRENCES = r"""$\mathrm{tf}(t, c)$ is the number of occurrences of the term in the class, $l_c$ that of all terms,
$M$ the number of terms; $p = (\mathrm{tf}(t, c) + 1) / (l_c + M)$, and $q$ is its mean in the other classes.
In a table of occurrences, the letters below count occurrences instead of documents."""

TOKENS = r"""$A$ occurrences of the term are in the class and $B$ outside; $C$ occurrences of other terms are in the class and
$D$ outside. $N = A+B+C+D$, $\mathrm{pos} = A+C$ and $\mathrm{neg} = B+D$ are the occurrences of all terms together, in the
class and outside. With `of="df"` the letters count documents instead."""

INVERTED = r"A term with $\mathrm{tpr} < \mathrm{fpr}$ is scored at $1-\mathrm{tpr}$ and $1-\mathrm{fpr}$."

# letters that one formula alone has
LETTERS = {
    "bns": r"$\Phi^{-1}$ is the inverse of the normal distribution function.",
    "fisher_score": r"$\mu$ and $s^2$ are the mean and the variance in the documents of the class, and of the others.",
    "bss_wss": r"The groups $g$ are the class and the rest; $x_d$ is the count in document $d$, $\mu_g$ its mean in a group of $n_g$ documents, $\mu$ that in all.",
    "g2": r"$O$ is what a cell of the 2x2 table holds, $E$ what it would hold by chance. With `cells=2` only the cells $A$ and $B$ are summed.",
    "welch_t": r"$m$ and $s^2$ are the mean and the sample variance of the occurrences per document, in the class ($c$) and outside ($\overline{c}$).",
    "gain_ratio": r"$e$ is the entropy of a term in bits.",
    "log_odds_prior": r"$y$ is the number of occurrences of the term, $n$ that of all terms, in the class ($c$) and outside ($\overline{c}$); $a$ is the prior times the term's occurrences in the corpus, $a_0$ the prior times all occurrences.",
    "igm": r"$f_1, f_2, \dots$ are the term's documents in the classes, the most first.",
    "hypergeometric": r"$X$ is the number of documents of the class that contain the term if these are drawn at random.",
    "c_tf_idf": r"$\overline{l}$ is the mean of $l_c$ over the classes, $\mathrm{tf}(t)$ the number of occurrences in the corpus.",
    "lrc": r"$\mathrm{low}$ and $\mathrm{high}$ are the ends of the interval of $\mathrm{log\_ratio}$.",
    "cmh": r"$s$ runs over the strata, such as authors; each has a table of its own.",
    "mh_odds": r"$s$ runs over the strata, such as authors; each has a table of its own.",
    "pow": r"$k$ is an option.",
    "simple_maths": r"$n$ is an option.",
}

TPR, FPR = r"\mathrm{tpr}", r"\mathrm{fpr}"
POS, NEG = r"\mathrm{pos}", r"\mathrm{neg}"
ASSOCIATION = r"(A+B)(C+D)(A+C)(B+D)"

FORMULAS: dict[str, tuple[str, str]] = {
    "df": ("A + B", "A + B"),
    "tf": ("tf(t,c)", r"\mathrm{tf}(t, c)"),
    "rand": ("uniform in [0, 1), one per term", r"u \sim \mathcal{U}[0, 1)"),
    "acc": ("tp - fp, inverted", r"A - B"),
    "acc2": ("|tpr - fpr|", rf"\left| {TPR} - {FPR} \right|"),
    "bns": (
        "|F(tpr) - F(fpr)|, F the inverse normal cdf, rates within [0.0005, 0.9995]",
        rf"\left| \Phi^{{-1}}({TPR}) - \Phi^{{-1}}({FPR}) \right|",
    ),
    "chi2": ("N (AD - BC)^2 / ((A+B)(C+D)(A+C)(B+D))", rf"\frac{{N (AD - BC)^2}}{{{ASSOCIATION}}}"),
    "chi2_joint": ("(AD - BC)^2 / (ABCD), 0 for an empty cell", r"\frac{(AD - BC)^2}{A B C D}"),
    "chi2_all": (
        "(1 - P(c)) chi2 summed over the classes: of all classes at once",
        r"\sum_{c} \left(1 - P(c)\right) \chi^2(t, c)",
    ),
    "f1": ("2 tp / (pos + tp + fp), inverted", rf"\frac{{2 A}}{{{POS} + A + B}}"),
    "ig": (
        "e(pos,neg) - [P(t) e(tp,fp) + P(not t) e(fn,tn)], e the entropy in bits",
        rf"e({POS}, {NEG}) - \left[ P(t)\, e(A, B) + P(\overline{{t}})\, e(C, D) \right], \quad "
        r"e(x, y) = -\frac{x}{x+y} \log_2 \frac{x}{x+y} - \frac{y}{x+y} \log_2 \frac{y}{x+y}",
    ),
    "oddn": ("tpr (1 - fpr), inverted", rf"{TPR} \, (1 - {FPR})"),
    "odds": ("tp tn / (fp fn), inverted", r"\frac{A D}{B C}"),
    "pow": ("(1 - fpr)^k - (1 - tpr)^k, inverted", rf"(1 - {FPR})^k - (1 - {TPR})^k"),
    "pr": ("tpr / fpr, inverted", rf"\frac{{{TPR}}}{{{FPR}}}"),
    "sig": (
        "sign(AD - BC) ig, smoothed",
        r"\mathrm{sign}(AD - BC) \; \mathrm{ig}(t, c)",
    ),
    "cc": (
        "sqrt(N) (AD - BC) / sqrt((A+B)(C+D)(A+C)(B+D))",
        rf"\frac{{\sqrt{{N}} \, (AD - BC)}}{{\sqrt{{{ASSOCIATION}}}}}",
    ),
    "or": (
        "log [P(t|c) (1 - P(t|not c))] / [(1 - P(t|c)) P(t|not c)], smoothed",
        r"\log \frac{P(t \mid c) \left(1 - P(t \mid \overline{c})\right)}"
        r"{\left(1 - P(t \mid c)\right) P(t \mid \overline{c})}",
    ),
    "ors": ("or^2", r"\mathrm{or}(t, c)^2"),
    "gss": ("(AD - BC) / N^2", r"\frac{AD - BC}{N^2}"),
    "mi": ("log P(t,c) / (P(t) P(c))", r"\log \frac{P(t, c)}{P(t) \, P(c)}"),
    "cet": ("P(t,c) log P(t,c) / (P(t) P(c))", r"P(t, c) \log \frac{P(t, c)}{P(t) \, P(c)}"),
    "ig_member": (
        "P(t,c) log2 P(t,c)/(P(t)P(c)) + P(not t,c) log2 P(not t,c)/(P(not t)P(c))",
        r"P(t, c) \log_2 \frac{P(t, c)}{P(t) P(c)} + "
        r"P(\overline{t}, c) \log_2 \frac{P(\overline{t}, c)}{P(\overline{t}) P(c)}",
    ),
    "ig_all": ("ig_member summed over the classes, in bits", r"\sum_{c} \mathrm{ig\_member}(t, c)"),
    "fisher_score": (
        "(mu_c - mu_n)^2 / (s_c^2 + s_n^2)",
        r"\frac{(\mu_c - \mu_{\overline{c}})^2}{s_c^2 + s_{\overline{c}}^2}",
    ),
    "bss_wss": (
        "between / within sum of squares of the counts",
        r"\frac{\sum_g n_g (\mu_g - \mu)^2}{\sum_g \sum_{d \in g} (x_d - \mu_g)^2}",
    ),
    "gu": (
        "|z| A neg / (pos B), z of two proportions",
        rf"|z| \, \frac{{A \cdot {NEG}}}{{{POS} \cdot B}}, \quad "
        rf"z = \frac{{{TPR} - {FPR}}}{{\sqrt{{p (1 - p) \left(1/{POS} + 1/{NEG}\right)}}}}, \quad "
        r"p = \frac{A + B}{N}",
    ),
    "md": (
        "sum over c of p log(p/q) + (1-p) log((1-p)/(1-q)), p, q of naive Bayes",
        r"\sum_{c} \left[ p \log \frac{p}{q} + (1 - p) \log \frac{1 - p}{1 - q} \right]",
    ),
    "md_chi2": (
        "sum over c of (p-q)^2 (1/q + 1/(1-q) + 1/p + 1/(1-p)) / 2",
        r"\sum_{c} \frac{(p - q)^2}{2} \left( \frac{1}{q} + \frac{1}{1-q} + \frac{1}{p} + \frac{1}{1-p} \right)",
    ),
    "dfs": (
        "sum over c of P(c|t) / (P(not t|c) + P(t|not c) + 1)",
        r"\sum_{c} \frac{P(c \mid t)}{P(\overline{t} \mid c) + P(t \mid \overline{c}) + 1}",
    ),
    "ndm": (
        "|tpr - fpr| / min(tpr, fpr)",
        rf"\frac{{\left| {TPR} - {FPR} \right|}}{{\min({TPR}, {FPR})}}",
    ),
    "mmr": (
        "max(tpr, fpr) |tpr - fpr| / min(tpr, fpr)",
        rf"\max({TPR}, {FPR}) \, \frac{{\left| {TPR} - {FPR} \right|}}{{\min({TPR}, {FPR})}}",
    ),
    "g2": ("2 sum over cells of O ln(O/E)", r"2 \sum_{\mathrm{cells}} O \ln \frac{O}{E}"),
    "gini": ("sum over c of tpr^2 P(c|t)^2", rf"\sum_{{c}} {TPR}^2 \, P(c \mid t)^2"),
    "gain_ratio": (
        "ig / entropy of (P(t), P(not t))",
        r"\frac{\mathrm{ig}(t, c)}{e(t)}, \quad "
        r"e(t) = -P(t) \log_2 P(t) - P(\overline{t}) \log_2 P(\overline{t})",
    ),
    "cpd": ("(A - B) / (A + B)", r"\frac{A - B}{A + B}"),
    "log_odds_prior": (
        "z-score of the difference of log odds of occurrences, with the corpus as prior",
        r"\frac{\ln \frac{y_c + a}{n_c + a_0 - y_c - a} - "
        r"\ln \frac{y_{\overline{c}} + a}{n_{\overline{c}} + a_0 - y_{\overline{c}} - a}}"
        r"{\sqrt{\frac{1}{y_c + a} + \frac{1}{y_{\overline{c}} + a}}}",
    ),
    "rf": ("log2(2 + A / max(1, B))", r"\log_2 \left( 2 + \frac{A}{\max(1, B)} \right)"),
    "igm": (
        "f_1 / sum of r f_r, class frequencies descending",
        r"\frac{f_1}{\sum_{r} r \, f_r}, \quad f_1 \ge f_2 \ge \dots",
    ),
    "hypergeometric": (
        "-log10 P(X >= A; N, A+B, pos)",
        rf"-\log_{{10}} P(X \ge A; \; N, \, A+B, \, {POS})",
    ),
    "c_tf_idf": (
        "tf(t,c)/l_c ln(1 + mean l / tf(t))",
        r"\frac{\mathrm{tf}(t, c)}{l_c} \, \ln \left( 1 + \frac{\overline{l}}{\mathrm{tf}(t)} \right)",
    ),
    "log_ratio": (
        "log2 (A/pos) / (B/neg), a zero counts as one half",
        rf"\log_2 \frac{{A / {POS}}}{{B / {NEG}}}",
    ),
    "lrc": (
        "the limit of log_ratio's interval nearer to 0; 0 if it contains 0",
        r"\begin{cases} \mathrm{low} & \mathrm{low} > 0 \\ \mathrm{high} & \mathrm{high} < 0 \\ "
        r"0 & \mathrm{otherwise} \end{cases}",
    ),
    "percent_diff": (
        "100 (A/pos - B/neg) / (B/neg), B = 0 counts as one half",
        rf"100 \, \frac{{A / {POS} - B / {NEG}}}{{B / {NEG}}}",
    ),
    "welch_t": (
        "(m_c - m_n) / sqrt(s_c^2/pos + s_n^2/neg) of occurrences per document",
        rf"\frac{{m_c - m_{{\overline{{c}}}}}}{{\sqrt{{s_c^2 / {POS} + s_{{\overline{{c}}}}^2 / {NEG}}}}}",
    ),
    "rate_difference": ("tpr - fpr", rf"{TPR} - {FPR}"),
    "bic": ("g2 - ln N", r"g_2(t, c) - \ln N"),
    "simple_maths": (
        "(A per million + n) / (B per million + n)",
        rf"\frac{{10^6 A / {POS} + n}}{{10^6 B / {NEG} + n}}",
    ),
    "cmh": (
        "sum of (A - E) / sqrt(sum of V) over strata",
        rf"\frac{{\sum_s (A_s - E_s)}}{{\sqrt{{\sum_s V_s}}}}, \quad E = \frac{{{POS} (A+B)}}{{N}}, \quad "
        rf"V = \frac{{{POS} \, {NEG} \, (A+B)(C+D)}}{{N^2 (N - 1)}}",
    ),
    "mh_odds": (
        "log of sum of AD/N / sum of BC/N over strata",
        r"\log \frac{\sum_s A_s D_s / N_s}{\sum_s B_s C_s / N_s}",
    ),
}
