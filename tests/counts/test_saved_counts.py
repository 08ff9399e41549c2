"""A file of counts is what `Counts.save` wrote, or an UnreadableFileError: nothing in it is trusted."""

from __future__ import annotations

import base64
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given

import termsift as ts
from strategies import samples
from termsift.counts.parquet import DIGEST, check_sums_agree, encode_values

TEXTS = ["free prize prize", "free lunch", "lunch today today", "prize today", "free today"]
LABELS = ["spam", "ham", "ham", "spam", "eggs"]


@pytest.fixture
def path(tmp_path):
    ts.count(TEXTS, LABELS).save(tmp_path / "c.parquet")
    return tmp_path / "c.parquet"


def rewritten(path, *, columns=None, metadata=None, drop=()):
    """The file with some columns and some metadata replaced."""
    table = pq.read_table(path)
    known = {key: value for key, value in table.schema.metadata.items() if key != DIGEST.encode()}
    kept = {name: table[name] for name in table.column_names if name not in drop} | (columns or {})
    altered = {**known, **{key.encode(): value for key, value in (metadata or {}).items()}}
    altered = {key: value for key, value in altered.items() if value is not None and b"ARROW" not in key}
    pq.write_table(pa.table(kept).replace_schema_metadata(altered), path)
    return path


def refused(path, match=None):
    with pytest.raises(ts.UnreadableFileError, match=match) as caught:
        ts.Counts.load(path)
    assert path.name in str(caught.value)
    assert len(str(caught.value)) <= 1000


def lists(path, name):
    return pq.read_table(path)[name].to_pylist()


BAD_CLASSES = {
    "a class too high": lambda rows: [[5, *row[1:]] for row in rows],
    "a class below 0": lambda rows: [[-1, *row[1:]] for row in rows],
    "a class at the end of 32 bits": lambda rows: [[*row[:-1], 2**31 - 1] for row in rows],
    "a class beyond 32 bits": lambda rows: [[*row[:-1], 2**40] for row in rows],
    "a class twice": lambda rows: [[row[0]] * len(row) for row in rows],
    "classes that fall": lambda rows: [row[::-1] for row in rows],
    "a list too short": lambda rows: [row[1:] for row in rows],
    "no list": lambda rows: [None, *rows[1:]],
    "a missing class": lambda rows: [[None, *row[1:]] for row in rows],
    "fractions": lambda rows: [[place + 0.5 for place in row] for row in rows],
    "texts": lambda rows: [[str(place) for place in row] for row in rows],
    "no lists": lambda rows: [row[0] for row in rows],
}


@pytest.mark.parametrize("altered", BAD_CLASSES.values(), ids=BAD_CLASSES)
def test_rejects_invalid_class_indices(path, altered):
    refused(rewritten(path, columns={"class": pa.array(altered(lists(path, "class")))}))


BAD_NUMBERS = {
    "below 0": lambda value: -value,
    "not a number": lambda value: float("nan"),
    "infinite": lambda value: float("inf"),
    "huge": lambda value: 1e300,
    "more than there can be": lambda value: value + 1000,
    "none": lambda value: 0,
    "missing": lambda value: None,
    "a text": str,
    "a truth": bool,
}


@pytest.mark.parametrize("altered", BAD_NUMBERS.values(), ids=BAD_NUMBERS)
@pytest.mark.parametrize("name", ["df", "tf"])
def test_rejects_invalid_sums(path, altered, name):
    totals = [altered(value) for value in lists(path, name)]
    by_class = [[altered(value) for value in row] for row in lists(path, f"class_{name}")]
    before = path.read_bytes()
    refused(rewritten(path, columns={name: pa.array(totals)}))
    path.write_bytes(before)
    refused(rewritten(path, columns={f"class_{name}": pa.array(by_class)}))


@pytest.mark.parametrize("name", ["term", "df", "tf", "tf2", "class", "class_df", "class_tf", "class_tf2"])
def test_rejects_missing_and_mistyped_columns(path, name):
    before = path.read_bytes()
    refused(rewritten(path, drop=[name]), f"no column '{name}'")
    path.write_bytes(before)
    n = pq.read_table(path).num_rows
    for strange in (pa.nulls(n), pa.array([b"x"] * n), pa.array([{"a": 1}] * n), pa.array([["x"]] * n)):
        refused(rewritten(path, columns={name: strange}))
        path.write_bytes(before)
    table = pq.read_table(path)
    pq.write_table(table.append_column(name, table[name]), path)
    refused(path)


def test_rejects_repeated_and_missing_terms(path):
    refused(rewritten(path, columns={"term": pa.array(["free"] * 4)}), "a term is repeated")
    refused(rewritten(path, columns={"term": pa.array(["free", "lunch", "prize", None])}), "missing values")


def test_rejects_terms_that_are_not_utf_8(path):
    raw = pa.array([b"free", b"lunch", b"prize", b"\xff\xfe"]).view(pa.string())
    refused(rewritten(path, columns={"term": raw}))


STRANGE = [
    b"\xff\xfe", b"", b"no base 64!", b"AAAA", base64.b64encode(b"no arrow"),
    encode_values([]).encode(), encode_values([None]).encode(), encode_values([[1], [2], [3]]).encode(),
    encode_values([{"a": 1}] * 3).encode(), encode_values(["x", "x", "y"]).encode(),
    encode_values([0.5, float("nan"), 1.5]).encode(),
    encode_values([1, 2]).encode(), encode_values([-1, 1, 1]).encode(), encode_values([1e300, 1, 1]).encode(),
    encode_values([9, 9, 9]).encode(), encode_values([True, False, True]).encode(), None,
]  # fmt: skip


@pytest.mark.parametrize("strange", STRANGE)
@pytest.mark.parametrize("key", ["classes", "class_sizes", "documents", "analyzer"])
def test_rejects_invalid_metadata(path, key, strange):
    rewritten(path, metadata={f"termsift.{key}": strange})
    if (key, strange) == ("analyzer", encode_values([None]).encode()):
        assert ts.Counts.load(path).analyzer is None
    else:
        refused(path)


@pytest.mark.parametrize(
    "version", [b"", b"one", b"-1", b"0", b"1.5", "\u0661".encode(), b"9" * 5000, b"\xff"]
)
def test_rejects_versions_that_are_not_numbers(path, version):
    refused(rewritten(path, metadata={"termsift.counts": version}))


def test_flipped_bit_is_detected_or_changes_nothing(path):
    counts, content = ts.Counts.load(path), path.read_bytes()
    rng = np.random.default_rng(0)
    found = []
    for at, bit in zip(rng.integers(len(content), size=300), rng.integers(8, size=300), strict=True):
        altered = bytearray(content)
        altered[at] ^= 1 << bit
        path.write_bytes(altered)
        try:
            found.append(ts.Counts.load(path) == counts)
        except ts.UnreadableFileError:
            found.append(None)
    assert False not in found
    assert found.count(None) > 100


def test_loads_files_without_a_digest(path):
    counts = ts.Counts.load(path)
    assert DIGEST.encode() in pq.read_schema(path).metadata
    assert DIGEST.encode() not in pq.read_schema(rewritten(path)).metadata
    assert ts.Counts.load(path) == counts


def test_foreign_metadata_may_be_any_bytes(path):
    counts = ts.Counts.load(path)
    assert ts.Counts.load(rewritten(path, metadata={"other": b"\xff\xfe"})) == counts


def test_chunked_columns_of_other_widths_give_equal_counts(path):
    counts = ts.Counts.load(path)
    table = pq.read_table(path)
    widths = {
        "df": pa.int32(),
        "class_tf": pa.list_(pa.float64()),
        "class": pa.list_(pa.int8()),
        "term": pa.large_string(),
    }
    for name, kind in widths.items():
        table = table.set_column(table.column_names.index(name), name, table[name].cast(kind))
    pq.write_table(table, path, row_group_size=1)
    assert ts.Counts.load(path) == counts


def test_rejects_pages_with_altered_bytes(path):
    raw = bytearray(path.read_bytes())
    accepted = 0
    counts = ts.Counts.load(path)
    for place in range(4, len(raw) - 8, 7):
        raw[place] ^= 0x55
        path.write_bytes(raw)
        raw[place] ^= 0x55
        with suppress(ts.UnreadableFileError):
            accepted += ts.Counts.load(path) != counts
    assert accepted == 0


def test_random_alterations_are_rejected_or_valid(path):
    rng = np.random.default_rng(14)
    before = path.read_bytes()
    tried = 0
    for _ in range(120):
        path.write_bytes(before)
        name = rng.choice(["df", "tf", "tf2", "class", "class_df", "class_tf", "class_tf2"])
        rows = lists(path, name)
        place = rng.integers(len(rows))
        value = int(rng.choice([-(2**63), -1, 0, 1, 2, 3, 4, 7, 2**31 - 1, 2**31, 2**62]))
        rows[place] = value if not isinstance(rows[place], list) else [value, *rows[place][1:]]
        rewritten(path, columns={name: pa.array(rows)})
        try:
            counts = ts.Counts.load(path)
        except ts.UnreadableFileError:
            tried += 1
            continue
        for metric in ("bns", "chi2", "ig", "bss_wss", "md", "fisher_score"):
            assert np.isfinite(ts.score(counts, metric).values).all()
    assert tried > 60


@given(samples())
def test_sums_of_any_documents_pass_validation(sample):
    counts = sample.counts()
    tables, totals = [counts.df, counts.tf, counts.tf2], [counts.term_df, counts.term_tf, counts.term_tf2]
    check_sums_agree(counts.documents, counts.class_sizes, tables, totals)
    for name in counts.classes:
        one = counts.of_class(name)
        check_sums_agree(one.documents, one.class_sizes, [one.df, one.tf, one.tf2], totals)


def test_weighted_counts_survive_a_file(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.random((30, 8)) * (rng.random((30, 8)) < 0.5) * 1e-3
    counts = ts.count(X, rng.integers(0, 3, 30), sample_weight=rng.random(30) * 1e-6)
    counts.save(tmp_path / "w.parquet")
    assert ts.Counts.load(tmp_path / "w.parquet") == counts


class TestByHand:
    counts = ts.count(TEXTS, LABELS)

    def parts(self, **other):
        names = [name for name in self.counts.__dataclass_fields__ if name != "_memo"]
        return {name: getattr(self.counts, name) for name in names} | other

    @pytest.mark.parametrize(
        ("other", "message"),
        [
            ({"terms": np.array(["a"], dtype=object)}, "df must be a CSR table of 1 terms and 3 classes"),
            ({"classes": ("ham",)}, "df must be a CSR table of 4 terms and 1 classes"),
            ({"tf": np.ones((4, 3))}, "tf must be a CSR table"),
            ({"term_df": np.ones(3)}, "term_df must have 4 numbers, got 3"),
            ({"class_sizes": np.ones(4)}, "class_sizes must have 3 numbers, got 4"),
            ({"documents": 2.0**54}, r"must not exceed 2\*\*53, got"),
            ({"documents": float("nan")}, r"must not exceed 2\*\*53, got nan"),
        ],
    )
    def test_rejects_fields_of_different_shapes(self, other, message):
        with pytest.raises(ts.InvalidInputError, match=message):
            ts.Counts(**self.parts(**other))

    def test_rejects_indices_out_of_range(self):
        df = self.counts.df.copy()
        df.indices[0] = 7
        with pytest.raises(ts.InvalidInputError, match="is damaged: index 7 is out of range"):
            ts.Counts(**self.parts(df=df))

    def test_sums_beyond_2_53_cannot_be_added(self):
        half = ts.count(np.eye(2), [0, 1], sample_weight=[2.0**52, 1])
        with pytest.raises(ts.InvalidInputError, match=r"must not exceed 2\*\*53"):
            half + half
