"""Files of bad names, in bad folders and on bad disks: read as they are, or one clear line."""

from __future__ import annotations

import os
import resource
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import termsift as ts
from termsift.engines.files import columnar as database
from termsift.engines.files import columns as arrow_texts
from termsift.engines.files import counting as spill
from two_rows import ENDINGS, JSONL, LABELS, TEXTS, fails, written_rows

EXPECTED = ts.count(TEXTS, LABELS)


class TestNames:
    @pytest.mark.parametrize("ending", ENDINGS)
    @pytest.mark.parametrize(
        "name", ["a[1]", "a{b,c}", "a?*", "a\\b", "it's", "a%20b", "label=2024", "a\nb", "n" * 240]
    )
    def test_existing_name_is_neither_pattern_nor_column(self, tmp_path, name, ending):
        folder = tmp_path / name
        folder.mkdir()
        assert ts.count(written_rows(folder / f"{name}{ending}", ending)) == EXPECTED

    @pytest.mark.parametrize("ending", ENDINGS)
    def test_a_name_that_is_not_utf_8(self, tmp_path, ending):
        path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe" + ending.encode()))
        assert ts.count(written_rows(path, ending)) == EXPECTED
        assert ts.count(str(path)) == EXPECTED
        fails(r"column 'body' is not in .*\\udcff\\udcfe", path, text="body")

    @pytest.mark.parametrize("ending", [".parquet", ".jsonl", ".csv"])
    @pytest.mark.parametrize("scheme", ["http:", "s3:", "file:"])
    def test_folder_named_like_a_url_is_read_as_folder(self, tmp_path, monkeypatch, scheme, ending):
        monkeypatch.chdir(tmp_path)
        Path(scheme).mkdir()
        written_rows(Path(scheme) / f"mail{ending}", ending)
        assert ts.count(f"{scheme}//mail{ending}") == EXPECTED

    def test_temporary_folder_may_be_named_like_a_column(self, tmp_path, monkeypatch):
        folder = tmp_path / "term=1" / "json=2" / "[text]=3"
        folder.mkdir(parents=True)
        monkeypatch.setattr("tempfile.tempdir", str(folder))
        monkeypatch.setattr(arrow_texts, "BATCH_BYTES", 1)
        for ending in ENDINGS:
            path = written_rows(tmp_path / f"mail{ending}", ending)
            assert ts.count(path, memory=1) == EXPECTED
        assert list(folder.iterdir()) == []

    def test_a_class_that_is_not_utf_8(self, tmp_path):
        (tmp_path / os.fsdecode(b"\xff")).mkdir()
        (tmp_path / os.fsdecode(b"\xff") / "1.txt").write_text("aa")
        fails(r"the folder \\udcff in .* has a name that is not UTF-8; rename it", tmp_path)

    def test_a_link_to_nothing(self, tmp_path):
        (tmp_path / "a.csv").symlink_to(tmp_path / "nothing.csv")
        fails(r"a\.csv cannot be read: No such file", str(tmp_path / "*.csv"))


class TestDatabase:
    def test_duckdb_opens_only_allowed_files_and_no_extensions(self, tmp_path):
        known, other = (
            written_rows(tmp_path / "a.parquet", ".parquet"),
            written_rows(tmp_path / "b.parquet", ".parquet"),
        )
        with database.open_database([str(known)]) as connection:
            settings = dict(connection.execute("SELECT name, value FROM duckdb_settings()").fetchall())
            for name in (
                "autoinstall_known_extensions",
                "autoload_known_extensions",
                "enable_external_access",
            ):
                assert settings[name] == "false"
            assert connection.execute("FROM read_parquet($f)", {"f": str(known)}).fetchall()
            for strange in (str(other), "http://localhost/a.parquet"):
                with pytest.raises(database.database_and_arrow_errors()):
                    connection.execute("FROM read_parquet($f)", {"f": strange})
            for statement in ("SET enable_external_access = true", "INSTALL httpfs", "LOAD httpfs"):
                with pytest.raises(database.database_and_arrow_errors()):
                    connection.execute(statement)


@contextmanager
def without_rights():
    """The superuser may read everything; for a while we are nobody."""
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


class TestClasses:
    @pytest.fixture
    def folder(self):
        """A folder of two classes that everybody may read, and whose folders above as well."""
        with tempfile.TemporaryDirectory() as name:
            for c in ("x", "y"):
                Path(name, c).mkdir()
                Path(name, c, "1.txt").write_text(f"some {c}{c}")
            for path in (Path(name), *Path(name).rglob("*")):
                path.chmod(0o755)
            yield Path(name)
            Path(name, "y").chmod(0o755)

    @pytest.mark.parametrize(
        ("hidden", "mode", "message"),
        [
            ("y", 0o000, r"/y cannot be read: Permission denied"),
            ("y", 0o444, r"/y/1\.txt cannot be read: Permission denied"),
            ("y/1.txt", 0o000, r"/y/1\.txt cannot be read: Permission denied"),
        ],
    )
    def test_unreadable_files_raise_errors(self, folder, hidden, mode, message):
        (folder / hidden).chmod(mode)
        with without_rights():
            fails(message, folder)

    def test_hidden_files_and_files_outside_classes_are_ignored(self, folder):
        (folder / "readme.txt").write_text("about")
        (folder / "x" / ".hidden").write_text("hidden")
        (folder / "y" / "deep").mkdir()
        (folder / "y" / "deep" / "2.txt").write_text("deep")
        (folder / "z").symlink_to(folder / "x")
        counts = ts.count(folder)
        assert (counts.classes, counts.class_sizes.tolist()) == (("x", "y", "z"), [1, 2, 1])


@contextmanager
def files_of_at_most(size):
    """As on a full disk, no file grows beyond so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


class TestDisks:
    @pytest.fixture
    def many(self, tmp_path):
        """A file of many different words."""
        texts = [" ".join(f"w{i * 300 + j}" for j in range(300)) for i in range(100)]
        pq.write_table(pa.table({"text": texts, "label": ["x", "y"] * 50}), tmp_path / "many.parquet")
        return tmp_path / "many.parquet"

    @pytest.fixture
    def temporary(self, tmp_path, monkeypatch):
        """The folder of temporary files."""
        (tmp_path / "temporary").mkdir()
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
        return tmp_path / "temporary"

    def test_a_disk_that_is_full_when_sums_go_there(self, many, temporary, monkeypatch):
        monkeypatch.setenv("TERMSIFT_COMPILED_FROM", "0")
        monkeypatch.setattr(arrow_texts, "BATCH_BYTES", 1 << 14)
        fault = pytest.raises(ts.UnreadableFileError, match=r"cannot write .*/0\.parquet: File too large")
        with fault, files_of_at_most(1000):
            ts.count(many, memory=1 << 14)
        assert list(temporary.iterdir()) == []

    def test_full_disk_during_copy_raises_error(self, tmp_path, temporary):
        (tmp_path / "m.jsonl").write_bytes((JSONL * 100).encode("utf-16"))
        fault = pytest.raises(ts.UnreadableFileError, match=r"cannot write .*/copy\.jsonl: File too large")
        with fault, files_of_at_most(1000):
            ts.count(tmp_path / "m.jsonl", encoding="utf-16")
        assert list(temporary.iterdir()) == []

    def test_disk_error_of_duckdb_is_one_line(self, many, temporary, monkeypatch):
        monkeypatch.setenv("TERMSIFT_COMPILED_FROM", "0")
        monkeypatch.setattr(arrow_texts, "BATCH_BYTES", 1 << 14)
        query = spill.Spill.write

        def damaged(self, accumulator):
            query(self, accumulator)
            Path(self.files[0]).write_bytes(b"PAR1" * 100)

        monkeypatch.setattr(spill.Spill, "write", damaged)
        message = "the sums spilled to .* cannot be added up: .*; set TMPDIR to a folder with more space, or"
        with pytest.raises(ts.EngineError, match=message) as caught:
            ts.count(many, memory=1 << 14)
        assert "\n" not in str(caught.value)
        assert list(temporary.iterdir()) == []

    def test_nothing_is_left_when_counting_stops_halfway(self, many, temporary):
        with pytest.raises(ZeroDivisionError):
            ts.count(many, analyzer=lambda text: 1 // 0)
        assert list(temporary.iterdir()) == []
