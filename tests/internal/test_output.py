"""Atomic output files that retain links, modes and streams, and scratch folders."""

from __future__ import annotations

import errno
import os
import threading
import tty
from contextlib import suppress

import pytest

import termsift as ts
from termsift._internal.files import atomic_write, remove_temporaries, scratch_folder, validate_output_path
from termsift.cli.console import to_command_line_terms

CONTENT = b"whole\n" * 20_000  # more than a pipe holds


def no_folder():
    raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")


def write(path, content=CONTENT):
    with atomic_write(path) as temporary:
        temporary.write_bytes(content)


def write_half(path):
    with atomic_write(path) as temporary:
        temporary.write_bytes(b"half")
        raise KeyError


def fail(path):
    with pytest.raises(KeyError):
        write_half(path)


class Reader(threading.Thread):
    """Reader of an open file descriptor or of a path that it opens."""

    def __init__(self, source):
        super().__init__(daemon=True)
        self.source, self.content = source, b""
        self.start()

    def run(self):
        handle = self.source if isinstance(self.source, int) else os.open(self.source, os.O_RDONLY)
        while chunk := os.read(handle, 1 << 16):
            self.content += chunk
        os.close(handle)

    def read(self):
        self.join(30)
        return self.content


class TestAtomicWrite:
    def test_a_new_file_has_the_mode_of_any_new_file(self, tmp_path):
        write(tmp_path / "new")
        (tmp_path / "plain").touch()
        assert (tmp_path / "new").read_bytes() == CONTENT
        assert (tmp_path / "new").stat().st_mode == (tmp_path / "plain").stat().st_mode

    @pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
    def test_an_old_file_keeps_its_mode(self, tmp_path, mode):
        (tmp_path / "old").touch()
        (tmp_path / "old").chmod(mode)
        write(tmp_path / "old")
        assert (tmp_path / "old").stat().st_mode & 0o777 == mode

    def test_a_read_only_file_is_refused(self, tmp_path):
        (tmp_path / "old").write_text("mine")
        (tmp_path / "old").chmod(0o444)
        with pytest.raises(ts.UnreadableFileError, match="old: it is read-only"):
            write(tmp_path / "old")
        assert (tmp_path / "old").read_text() == "mine"

    def test_a_link_stays_and_its_target_is_written(self, tmp_path):
        (tmp_path / "target").write_text("old")
        (tmp_path / "link").symlink_to("target")
        (tmp_path / "to nothing").symlink_to("new")
        for link, target in (("link", "target"), ("to nothing", "new")):
            write(tmp_path / link)
            assert (tmp_path / link).is_symlink()
            assert not (tmp_path / target).is_symlink()
            assert (tmp_path / target).read_bytes() == CONTENT

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("", "is a folder; give the name of a file to write"),
            ("no/file", "the folder .* does not exist"),
            ("loop", "it is a link to itself"),
            ("zero\0", "a file name cannot contain a zero byte"),
        ],
    )
    def test_an_unwritable_path_is_refused_before_the_work(self, tmp_path, name, message):
        (tmp_path / "loop").symlink_to("loop")
        with pytest.raises(ts.UnreadableFileError, match=message):
            validate_output_path(f"{tmp_path}/{name}")

    def test_a_block_that_fails_leaves_the_old_file_and_nothing_else(self, tmp_path):
        (tmp_path / "old").write_text("mine")
        fail(tmp_path / "old")
        assert (tmp_path / "old").read_text() == "mine"
        assert os.listdir(tmp_path) == ["old"]

    @pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS])
    def test_a_disk_error_names_the_file(self, tmp_path, code):
        with (
            pytest.raises(ts.UnreadableFileError, match=f"cannot write .*new: {os.strerror(code)}"),
            atomic_write(tmp_path / "new"),
        ):
            raise OSError(code, os.strerror(code))
        assert os.listdir(tmp_path) == []


class TestStreams:
    """Pipes, terminals and streams get the bytes at the end, and are never removed."""

    @pytest.fixture(params=["pipe", "link"])
    def pipe(self, request, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        (tmp_path / "link").symlink_to("pipe")
        return tmp_path / request.param

    def test_a_named_pipe(self, pipe):
        reader = Reader(pipe)
        write(pipe)
        assert reader.read() == CONTENT
        assert pipe.is_fifo()

    def test_counts_written_by_a_seeking_writer(self, pipe):
        reader = Reader(pipe)
        counts = ts.count(["a bad day", "good luck"], ["sad", "glad"])
        counts.save(pipe)
        (pipe.parent / "read").write_bytes(reader.read())
        assert ts.Counts.load(pipe.parent / "read") == counts
        assert pipe.is_fifo()

    def test_a_block_that_fails_writes_nothing_and_the_pipe_stays(self, pipe):
        fail(pipe)
        assert pipe.is_fifo()

    def test_a_device_stays_when_writing_to_it_fails(self):
        leader, follower = os.openpty()
        tty.setraw(follower)
        name = os.ttyname(follower)
        write(name, b"short")
        assert os.read(leader, 5) == b"short"
        fail(name)
        assert os.stat(name).st_rdev == os.fstat(follower).st_rdev
        os.close(leader)
        os.close(follower)

    @pytest.mark.parametrize("linked", [False, True], ids=["by its number", "by a link"])
    def test_an_open_stream(self, tmp_path, linked):
        out, into = os.pipe()
        path = f"/proc/self/fd/{into}"
        if linked:
            (tmp_path / "link").symlink_to(path)
            path = tmp_path / "link"
        reader = Reader(out)
        write(path)
        os.close(into)
        assert reader.read() == CONTENT
        assert (tmp_path / "link").is_symlink() == linked


class TestScratchFolders:
    def test_a_folder_is_removed_with_its_files(self, tmp_path, monkeypatch):
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        with scratch_folder() as folder, scratch_folder() as second:
            (folder / "spilled").touch()
            assert folder != second
        assert os.listdir(tmp_path) == []

    def test_a_folder_is_removed_after_an_error(self, tmp_path):
        with suppress(KeyboardInterrupt), scratch_folder(tmp_path) as folder:
            assert folder.parent == tmp_path
            raise KeyboardInterrupt
        assert os.listdir(tmp_path) == []

    def test_without_a_writable_folder_the_error_names_the_remedy(self, monkeypatch):
        monkeypatch.setattr("tempfile.gettempdir", no_folder)
        assert to_command_line_terms("no label in /dev/stdin") == "no label in standard input"
        with pytest.raises(ts.UnreadableFileError, match="set TMPDIR to a writable folder"), scratch_folder():
            pass


def test_a_signal_while_a_block_is_entered_leaves_no_temporary(tmp_path):
    managers = [atomic_write(tmp_path / "result.csv"), scratch_folder(tmp_path)]
    for manager in managers:
        manager.__enter__()  # a signal now skips __exit__
    assert len(list(tmp_path.iterdir())) == 2
    remove_temporaries()
    assert list(tmp_path.iterdir()) == []
