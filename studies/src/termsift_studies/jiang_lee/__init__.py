"""Jiang and Lee, "A weight-based feature extraction approach for text classification".

Open questions of the paper are decided in `trials.py`; `plan.py` has all interpretations that were tried.
"""

from __future__ import annotations

from termsift_studies.study import Study

STUDIES = (
    Study(
        "jiang-lee",
        repeats="class weights, word clusters and information gain, naive Bayes on 20 Newsgroups and Reuters",
        takes="2 minutes",
        quick="one split of every tenth post, four numbers of features",
        plan="plan:jiang_plan",
        title="Class weights and word clusters: Jiang and Lee",
        figures="results:jiang_charts",
        page="results:JIANG_FILTERS",
    ),
    Study(
        "jiang-lee-interpretations",
        repeats="all interpretations of that paper that were tried",
        takes="6 minutes",
        quick="two interpretations of Reuters",
        plan="plan:jiang_interpretations_plan",
        part_of="jiang-lee",
    ),
    Study(
        "jiang-lee-matrix",
        repeats="Deng Cai's matrix of 20 Newsgroups, and at most ten occurrences of a word in a document",
        takes="1 minute",
        quick="four numbers of features",
        plan="plan:jiang_matrix_plan",
        part_of="jiang-lee",
    ),
)
