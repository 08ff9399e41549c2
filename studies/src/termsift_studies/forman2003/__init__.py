"""Forman (2003), "An extensive empirical study of feature selection metrics for text classification".

The 18 sets of Han and Karypis give 193 of its 229 problems; the Cora abstracts cannot be had.
"""

from __future__ import annotations

from termsift_studies.study import Study

STUDIES = (
    Study(
        "forman2003",
        repeats="twelve metrics, 193 problems, 374,420 support vector machines",
        takes="8 minutes",
        quick="three small sets, one trial",
        plan="plan:forman_plan",
        title="Twelve metrics on 193 problems: Forman (2003)",
        figures="results:forman_charts",
        page="results:FORMAN_FILTERS",
    ),
    Study(
        "forman2003-all",
        repeats="every metric of the catalogue, two policies, SVM, NB and LR",
        takes="over 12 minutes",
        quick="one small set",
        plan="plan:wider_plan",
        part_of="forman2003",
    ),
    Study(
        "forman2003-section5",
        repeats="the weight of positive terms, the cutoff of rare words",
        takes="3 minutes",
        quick="one small set",
        plan="plan:section5_plan",
        part_of="forman2003",
    ),
    Study(
        "forman2003-pilot",
        repeats="SVM, naive Bayes, logistic regression and a decision tree on the 11 small sets",
        takes="3 minutes",
        quick="one small set",
        plan="plan:pilot_plan",
        part_of="forman2003",
    ),
    Study(
        "forman2003-interpretations",
        repeats="what the paper leaves open: folds, rates of zero, tolerances, the words of la1 and la2",
        takes="4 minutes",
        quick="one small set",
        plan="plan:interpretations_plan",
        part_of="forman2003",
    ),
)
