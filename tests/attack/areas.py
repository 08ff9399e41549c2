"""The areas of the attack, one table."""

from __future__ import annotations

import bad_arrays
import bad_corpora
import bad_counts
import bad_files
import bad_options
from trying import Area

FORMATS = [(kind, packing) for kind in bad_files.MADE for packing in ("", "gz", "zst")]

AREAS = [
    *[Area(f"files: {'.'.join(filter(None, named))}", bad_files.a_file(*named), 600) for named in FORMATS],
    Area("files: folders of classes", bad_files.a_folder, 600),
    Area("saved counts", bad_counts.a_counts_file, 3000),
    Area("saved selections", bad_counts.a_selection, 1500),
    Area("corpora: ARFF", bad_corpora.an_arff, 1000),
    Area("corpora: svmlight", bad_corpora.an_svmlight, 1000),
    Area("corpora: MATLAB", bad_corpora.a_matlab, 1000),
    Area("corpora: SGML", bad_corpora.a_reuters, 1000),
    Area("corpora: tar", bad_corpora.a_tar, 1000),
    Area("corpora: zip", bad_corpora.a_zip, 1000),
    Area("corpora: SMS", bad_corpora.an_sms_file, 600),
    Area("arrays: matrices", bad_arrays.a_count, 6000),
    Area("arrays: estimators", bad_arrays.an_estimator, 3000, answers=("sklearn",)),
    Area("arrays: labels", bad_arrays.a_label, 3000),
    Area("arrays: weights", bad_arrays.a_weighted_count, 1000),
    Area("options: count", bad_options.count_options, 3000),
    Area("options: Analyzer", bad_options.analyzer_options, 2000),
    Area("options: score and select", bad_options.score_options, 3000),
    Area("options: estimators", bad_options.selector_options, 2000, answers=("sklearn",)),
    Area("options: TermVectorizer", bad_options.vectorizer_options, 2000),
    Area("options: commands", bad_options.a_command, 2000, 60),
    Area("folders of studies", bad_corpora.a_study, 600),
]
