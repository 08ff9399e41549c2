"""Zheng, Wu and Srihari (2004), "Feature selection for text categorization on imbalanced data".

Open questions of the paper are decided in `trials.py`; docs/zheng2004.md gives the reasons.
"""

from __future__ import annotations

from termsift_studies.study import Study

STUDIES = (
    Study(
        "zheng2004",
        repeats="positive and negative terms apart, 90 categories, NB and LR",
        takes="8 minutes",
        quick="ten categories at three sizes, NB alone",
        plan="plan:zheng_plan",
        title="Positive and negative terms: Zheng, Wu and Srihari (2004)",
        figures="tables:zheng_charts",
        page="tables:ZHENG_FILTERS",
    ),
    Study(
        "zheng2004-interpretations",
        repeats="which interpretation of that paper comes nearest to its tables",
        takes="6 minutes",
        quick="three categories, five interpretations",
        plan="plan:zheng_interpretations_plan",
        part_of="zheng2004",
    ),
    Study(
        "zheng2004-ties",
        repeats="what comes first of terms and documents that tie, and of equal ratios; NB alone",
        takes="2 minutes",
        quick="three categories, two interpretations",
        plan="plan:zheng_ties_plan",
        part_of="zheng2004",
    ),
    Study(
        "zheng2004-select",
        repeats="the ratios that termsift select chooses on the paper's training documents",
        takes="20 seconds",
        quick="termsift's naive Bayes alone",
        plan="selecting:zheng_select_plan",
        part_of="zheng2004",
    ),
)
