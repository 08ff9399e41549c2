"""Uchyigit and Clark (2007), "GU metric: a new feature selection algorithm for text categorization".

Open questions of the paper are decided in `trials.py`; docs/uchyigit-clark.md gives the reasons.
"""

from __future__ import annotations

from termsift_studies.study import Study

STUDIES = (
    Study(
        "uchyigit-clark",
        repeats="the GU metric and nine others, 20 newsgroups, 100 sizes, 330,000 naive Bayes classifiers",
        takes="3 minutes",
        quick="three groups, one split",
        plan="plan:uchyigit_plan",
        title="The GU metric: Uchyigit and Clark (2007)",
        figures="results:uchyigit_charts",
        page="results:UCHYIGIT_FILTERS",
    ),
    Study(
        "uchyigit-clark-interpretations",
        repeats="under which interpretation of that paper its statements hold",
        takes="5 minutes",
        quick="two interpretations, three groups, one split",
        plan="plan:uchyigit_interpretations_plan",
        part_of="uchyigit-clark",
    ),
    Study(
        "uchyigit-clark-matrix",
        repeats="Deng Cai's matrix of 20 Newsgroups, three vocabularies of naive Bayes",
        takes="1 minute",
        quick="three groups, one split",
        plan="plan:uchyigit_matrix_plan",
        part_of="uchyigit-clark",
    ),
)
