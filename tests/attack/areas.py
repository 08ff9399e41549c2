"""The areas of the attack, one table."""

from __future__ import annotations

import bad_arrays
import bad_commands
import bad_corpora
import bad_counts
import bad_files
import bad_folders
import bad_groups
import bad_labels
import bad_meanings
import bad_models
import bad_options
import bad_questions
import bad_selections
import bad_studies
import bad_tables
import bad_word_lists
import disks
import kills
import random_corpora
from trying import Area

SPARK = f"oracle: Spark, {random_corpora.BATCH} corpora each"
PACKINGS = ("", "gz", "zst", "bz2", "xz")
FORMATS = [(kind, packing) for kind in ("csv", "tsv", "jsonl", "json", "parquet") for packing in PACKINGS]
FORMATS += [(kind, "") for kind in bad_tables.NEW if kind != "json"]


def ended_at_any_moment(writer: kills.Writer) -> list[Area]:
    """A writer that is killed, and one that is told to end."""
    return [
        Area(f"{way}: {writer.name}", kills.a_kill(writer, signals), tries, 200, group="kills")
        for way, signals, tries in (("kill -9", [9], 100), ("signals", kills.SOFT, 60))
    ]


def oracles_of_files(kind: str) -> list[Area]:
    """Files of one corpus, and ten times as many corpora in files of several; of no kind, they spill."""
    name, memory, batch = kind or "files that spill", None if kind else 1, random_corpora.FILE_BATCH
    return [
        Area(f"oracle: {name}", random_corpora.by_file(kind, memory), 1000, can_refuse=False),
        Area(
            f"oracle: {name}, {batch} corpora each",
            random_corpora.by_file(kind, memory, batch),
            10_000 // batch,
            can_refuse=False,
        ),
    ]


AREAS = [
    *[Area(f"files: {'.'.join(filter(None, named))}", bad_files.a_file(*named), 600) for named in FORMATS],
    Area("files: csv without a header", bad_tables.rows_without_header, 600),
    Area("files: folders of classes", bad_folders.a_folder, 600),
    Area("files: lists of words", bad_word_lists.a_word_list, 600),
    Area("saved counts", bad_counts.a_counts_file, 3000),
    Area("saved counts by groups", bad_groups.a_grouped_file, 1000),
    Area("saved selections", bad_selections.a_selection, 1500),
    Area("saved models: bytes", bad_models.a_model_file, 1500),
    Area("saved models: meaning", bad_models.a_changed_model, 3000),
    Area("corpora: ARFF", bad_corpora.an_arff, 1000),
    Area("corpora: MATLAB", bad_corpora.a_matlab, 1000),
    Area("corpora: SGML", bad_corpora.a_reuters, 1000),
    Area("corpora: tar", bad_corpora.a_tar, 1000),
    Area("corpora: zip", bad_corpora.a_zip, 1000),
    Area("corpora: SMS", bad_corpora.an_sms_file, 600),
    Area("arrays: matrices", bad_arrays.a_count, 6000),
    Area("arrays: estimators", bad_arrays.an_estimator, 3000, answers=("sklearn",)),
    Area("arrays: labels", bad_labels.a_label, 3000),
    Area("arrays: weights", bad_labels.a_weighted_count, 1000),
    Area("options: count", bad_options.count_options, 3000),
    Area("options: Analyzer", bad_options.analyzer_options, 2000),
    Area("options: score and select", bad_options.score_options, 3000),
    Area("options: estimators", bad_options.selector_options, 2000, answers=("sklearn",)),
    Area("options: TermVectorizer", bad_options.vectorizer_options, 2000),
    Area("options: groups and effects", bad_groups.group_options, 1000),
    Area("options: compare", bad_questions.compare_options, 500),
    Area("options: report", bad_questions.report_options, 500),
    Area("options: audit", bad_questions.audit_options, 500),
    Area("options: diff", bad_questions.diff_options, 1000),
    Area("options: saved models", bad_models.model_options, 1000),
    Area("options: commands", bad_commands.a_command, 2000, 60),
    Area("meaning: hostile corpora", bad_meanings.a_meaning, 3000),
    Area("meaning: many classes", bad_meanings.many_classes, 100),
    Area("meaning: segmenters", bad_meanings.a_segmenter, 600),
    Area("meaning: benchmark", bad_meanings.a_benchmark, 600),
    *[area for writer in kills.WRITERS for area in ended_at_any_moment(writer)],
    Area("kill -9: study", kills.a_study_kill([9]), 100, 200, group="kills"),
    Area("signals: study", kills.a_study_kill(kills.SOFT), 60, 200, group="kills"),
    Area("signals: imports", kills.an_import, 40, 100, group="imports"),
    Area("disks: small files", disks.a_small_limit, 200, 200, group="disks"),
    Area("disks: full", disks.a_full_disk, 200, 200, group="disks"),
    Area("disks: full while spilling", disks.spilling, 60, 200, group="disks"),
    Area("disks: places", disks.a_bad_place, 150, 200, group="disks"),
    Area("memory: short", disks.little_memory, 100, 200, group="disks"),
    Area("streams: closed, full, broken", disks.a_closed_stream, 100, 100, group="streams"),
    Area("oracle: texts", random_corpora.by_texts, 10_000, can_refuse=False),
    Area("oracle: matrices", random_corpora.by_matrix, 10_000, can_refuse=False),
    Area("oracle: csv", random_corpora.by_file("csv"), 10_000, can_refuse=False),
    *[area for kind in ("jsonl", "parquet", "") for area in oracles_of_files(kind)],
    Area("oracle: exact test", random_corpora.by_significance, 3000, can_refuse=False),
    Area("oracle: keyness", random_corpora.by_diff, 3000, can_refuse=False),
    Area("oracle: duplicates", random_corpora.by_duplicates, 3000, can_refuse=False),
    Area("oracle: splits", random_corpora.by_splits, 3000, can_refuse=False),
    Area(
        SPARK, random_corpora.by_spark, 10_000 // random_corpora.BATCH, 200, group="spark", can_refuse=False
    ),
    Area("folders of studies", bad_studies.a_study, 600),
]
