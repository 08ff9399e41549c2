"""The readings of the paper that were tried, each with the section that speaks for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from termsift.studies.zheng2004.problems import NEAREST, ZhengReading


@dataclass(frozen=True, slots=True)
class TriedReading:
    """A reading, and what of the paper speaks for it.

    support : a section or table; empty where nothing does
    classifiers : those it is tried with
    ties : how documents stand that tie at the break-even point
    """

    reading: ZhengReading
    support: str
    classifiers: tuple[str, ...] = ("NB",)
    ties: Literal["shared", "together"] = "shared"


FIRST = ZhengReading(
    text="apte",
    stop_stems=False,
    least="3 occurrences",
    smoothing=0.5,
    bias="free",
    one_term=False,
    rounding="half up",
)
BOTH = ("NB", "LR")
READINGS = {
    "nearest": TriedReading(NEAREST, "all of what follows", BOTH),
    # what a term is
    "ApteMod's text alone": TriedReading(
        replace(NEAREST, text="apte"), "5.1: the number of training documents"
    ),
    "the distribution's text": TriedReading(
        replace(NEAREST, text="distribution"), "5.1: the name of the collection"
    ),
    "words, not stems": TriedReading(replace(NEAREST, stems=False), "5.1: says words, nothing of stems"),
    "stop words as they are written": TriedReading(replace(NEAREST, stop_stems=False), "5.1"),
    "references are words": TriedReading(replace(NEAREST, references=True), ""),
    "three occurrences": TriedReading(replace(NEAREST, least="3 occurrences"), "5.1: the words of it"),
    "three occurrences in both parts": TriedReading(
        replace(NEAREST, least="3 occurrences, whole"), "5.1: the words of it"
    ),
    "three documents": TriedReading(replace(NEAREST, least="3 documents"), ""),
    # what a score, a ratio and a break-even point are
    "SIG of smoothed cells": TriedReading(replace(NEAREST, smoothing=0.5), "2: names the estimate"),
    "difference of log posteriors": TriedReading(replace(NEAREST, quotient=False), ""),
    "a ratio of 0 takes no positive term": TriedReading(replace(NEAREST, one_term=False), "5.4: from 0"),
    "shares rounded, a half up": TriedReading(replace(NEAREST, rounding="half up"), "silent"),
    "the largest of equal ratios": TriedReading(replace(NEAREST, equal="largest"), "silent"),
    "documents that tie stand in the order of the corpus": TriedReading(
        replace(NEAREST, file_order=True), "silent", BOTH
    ),
    "documents that tie stand together": TriedReading(NEAREST, "5.3: the least difference", ties="together"),
    # what logistic regression is
    "the bias is free": TriedReading(replace(NEAREST, bias="free"), "", ("LR",)),
    "no bias": TriedReading(replace(NEAREST, bias="none"), "5.2: as it is printed", ("LR",)),
    "as first read": TriedReading(FIRST, "", BOTH),
}
