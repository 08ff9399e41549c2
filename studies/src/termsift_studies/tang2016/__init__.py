"""Tang, Kay and He (2016), "Toward optimal feature selection in naive Bayes for text categorization".

The interpretation of the paper where it is silent is in `trials.py` (sets, ties between decision values, and
the reduction of class scores to one score); docs/tang2016.md lists the interpretations.
"""

from __future__ import annotations

from termsift_studies.study import Study

STUDIES = (
    Study(
        "tang2016",
        repeats="maximum discrimination against four metrics on 20 Newsgroups, Reuters and TDT2, NB and SVM",
        takes="4 minutes",
        quick="two of the six sets",
        plan="plan:tang_plan",
        title="Maximum discrimination: Tang, Kay and He (2016)",
        figures="tables:tang_charts",
        page="tables:TANG_FILTERS",
    ),
    Study(
        "tang2016-interpretations",
        repeats="which interpretation of that paper lets its statements hold",
        takes="6 minutes",
        quick="one set, naive Bayes alone",
        plan="plan:tang_interpretations_plan",
        part_of="tang2016",
    ),
    Study(
        "tang2016-synthetic",
        repeats="what that paper says of its statistics, where the truth is known",
        takes="20 seconds",
        quick="the shortest text",
        plan="plan:tang_synthetic_plan",
        part_of="tang2016",
    ),
    Study(
        "tang2016-length",
        repeats="MD and MD-chi2 of documents scaled to the same length",
        takes="20 seconds",
        quick="one set",
        plan="plan:tang_length_plan",
        part_of="tang2016",
    ),
)
