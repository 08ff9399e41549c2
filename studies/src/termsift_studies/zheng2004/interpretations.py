"""Interpretations of the paper, with its words in support of each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from termsift_studies.zheng2004.trials import NEAREST, ZhengInterpretation


@dataclass(frozen=True, slots=True)
class ZhengAttempt:
    """Interpretation with its support in the paper.

    support : the section and its words; "silent" where it leaves a choice, empty where nothing speaks for it
    classifiers : those it is tried with
    ties : how documents stand that tie at the break-even point
    """

    interpretation: ZhengInterpretation
    support: str
    classifiers: tuple[str, ...] = ("NB",)
    ties: Literal["shared", "together"] = "shared"


FIRST = ZhengInterpretation(
    text="apte",
    stop_stems=False,
    min_frequency="3 occurrences",
    smoothing=0.5,
    bias="free",
    one_term=False,
    rounding="half up",
)
FROM_THE_END = replace(NEAREST, tied_terms="alphabet's end")
BOTH = ("NB", "LR")
LEAST = '5.1: "words occurring less than 3 times"'
INTERPRETATIONS = {
    "nearest": ZhengAttempt(
        NEAREST,
        '5.1: "9484 indexing words"; 2: "estimating those probabilities"; 4.1: "is a natural number"; '
        "5.2: its quotient, and w'w without a bias; table 7",
        BOTH,
    ),
    # what a term is
    "ApteMod's text alone": ZhengAttempt(
        replace(NEAREST, text="apte"), '5.1: "7769 training documents and 3019 test documents"'
    ),
    "the distribution's text": ZhengAttempt(
        replace(NEAREST, text="distribution"), '5.1: "Reuters-21578 (ModApte split) is used"'
    ),
    "words, not stems": ZhengAttempt(
        replace(NEAREST, stems=False), '5.1: "9484 indexing words"; nothing of stems'
    ),
    "stop words as they are written": ZhengAttempt(
        replace(NEAREST, stop_stems=False), '5.1: "filtering out all numbers, stop-words"'
    ),
    "references are words": ZhengAttempt(replace(NEAREST, references=True), ""),
    "three occurrences": ZhengAttempt(replace(NEAREST, min_frequency="3 occurrences"), LEAST),
    "three occurrences in both parts": ZhengAttempt(
        replace(NEAREST, min_frequency="3 occurrences, whole"), LEAST
    ),
    "three documents": ZhengAttempt(replace(NEAREST, min_frequency="3 documents"), ""),
    # what a score, a ratio and a break-even point are
    "SIG of smoothed cells": ZhengAttempt(
        replace(NEAREST, smoothing=0.5), '2: "Expected Likelihood Estimation (ELE) smoothing"'
    ),
    "difference of log posteriors": ZhengAttempt(replace(NEAREST, quotient=False), ""),
    "a ratio of 0 takes no positive term": ZhengAttempt(
        replace(NEAREST, one_term=False), '5.4: "ranging from 0 to 1: 0, .05, ..., .95, 1"'
    ),
    "shares rounded, a half up": ZhengAttempt(replace(NEAREST, rounding="half up"), "silent"),
    "the largest of equal ratios": ZhengAttempt(replace(NEAREST, equal="largest"), "silent"),
    "documents that tie stand in the order of the corpus": ZhengAttempt(
        replace(NEAREST, file_order=True), "silent", BOTH
    ),
    "documents that tie stand together": ZhengAttempt(
        NEAREST, '5.3: "the point where precision equals recall"', ties="together"
    ),
    # what logistic regression is
    "the bias is free": ZhengAttempt(replace(NEAREST, bias="free"), "", ("LR",)),
    "no bias": ZhengAttempt(
        replace(NEAREST, bias="none"), "5.2: as it is printed, w'd and the penalty w'w", ("LR",)
    ),
    "as first read": ZhengAttempt(FIRST, "", BOTH),
}
# what comes first of what ties, and which of equal ratios is taken, with naive Bayes
TIES = {
    "nearest": replace(INTERPRETATIONS["nearest"], classifiers=("NB",)),
    "the largest of equal ratios": INTERPRETATIONS["the largest of equal ratios"],
    "the middle of equal ratios": ZhengAttempt(replace(NEAREST, equal="middle"), "silent"),
    "of terms that tie the rarest first": ZhengAttempt(replace(NEAREST, tied_terms="rare"), "silent"),
    "terms that tie by the alphabet": ZhengAttempt(replace(NEAREST, tied_terms="alphabet"), "silent"),
    "terms that tie from the alphabet's end": ZhengAttempt(FROM_THE_END, "silent"),
    "terms that tie in the order of the corpus": ZhengAttempt(
        replace(NEAREST, tied_terms="corpus"), "silent"
    ),
    "terms that tie from the alphabet's end, documents in the order of the corpus": ZhengAttempt(
        replace(FROM_THE_END, file_order=True), "silent"
    ),
    "documents that tie stand in the order of the corpus": ZhengAttempt(
        replace(NEAREST, file_order=True), "silent"
    ),
    "documents that tie stand together": INTERPRETATIONS["documents that tie stand together"],
}
