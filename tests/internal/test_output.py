"""Files appear whole or not at all; their links, modes and nodes stay; what a kill left is removed."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import threading
import tty
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pytest

import termsift as ts
from termsift._internal.files import locked_file, remove_left, atomic_write, scratch_folder, check_output_path
from termsift.cli.console import command_words

CONTENT = b"whole\n" * 20_000  # more than a pipe holds


def interrupted_once(call):
    """The call, after which a signal raises; the next ones do as it does."""
    calls = []

    def done(*given, **more):
        found = call(*given, **more)
        calls.append(call)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return found

    return done


def no_folder():
    raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")


def write(path, content=CONTENT):
    with atomic_write(path) as temporary:
        temporary.write_bytes(content)


def half_written(path):
    with atomic_write(path) as temporary:
        temporary.write_bytes(b"half")
        raise KeyError


def fail(path):
    with pytest.raises(KeyError):
        half_written(path)


class Reader(threading.Thread):
    """What comes out of an open file, or of one that is opened here."""

    def __init__(self, opened):
        super().__init__(daemon=True)
        self.opened, self.content = opened, b""
        self.start()

    def run(self):
        handle = self.opened if isinstance(self.opened, int) else os.open(self.opened, os.O_RDONLY)
        while part := os.read(handle, 1 << 16):
            self.content += part
        os.close(handle)

    def read(self):
        self.join(30)
        return self.content


class TestPlaces:
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
            ("zero\0", "a name cannot hold a zero byte"),
        ],
    )
    def test_what_cannot_be_written_is_told_before_the_work(self, tmp_path, name, message):
        (tmp_path / "loop").symlink_to("loop")
        with pytest.raises(ts.UnreadableFileError, match=message):
            check_output_path(f"{tmp_path}/{name}")

    def test_a_block_that_fails_leaves_the_old_file_and_nothing_else(self, tmp_path):
        (tmp_path / "old").write_text("mine")
        fail(tmp_path / "old")
        assert (tmp_path / "old").read_text() == "mine"
        assert os.listdir(tmp_path) == ["old"]

    @pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS])
    def test_a_disk_that_fails_is_told_with_the_file(self, tmp_path, code):
        with (
            pytest.raises(ts.UnreadableFileError, match=f"cannot write .*new: {os.strerror(code)}"),
            atomic_write(tmp_path / "new"),
        ):
            raise OSError(code, os.strerror(code))
        assert os.listdir(tmp_path) == []


class TestNodes:
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

    def test_counts_of_which_the_writer_must_seek(self, pipe):
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


class TestLeftovers:
    @pytest.fixture(autouse=True)
    def unseen(self):
        remove_left.cache_clear()

    def test_what_a_killed_process_left_goes_when_the_next_file_is_written(self, tmp_path):
        (tmp_path / ".termsift-left").write_bytes(b"half")
        (tmp_path / ".other").write_bytes(b"mine")
        write(tmp_path / "new")
        assert sorted(os.listdir(tmp_path)) == [".other", "new"]

    def test_what_is_in_use_stays(self, tmp_path):
        with (tmp_path / ".termsift-used").open("wb") as used:
            fcntl.flock(used, fcntl.LOCK_EX)
            write(tmp_path / "new")
        assert sorted(os.listdir(tmp_path)) == [".termsift-used", "new"]

    def test_folders_to_work_in(self, tmp_path, monkeypatch):
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        for name in ("termsift-left", "termsift-another", "termsift-empty"):
            (tmp_path / name).mkdir()
        (tmp_path / "termsift-left" / "lock").touch()
        (tmp_path / "termsift-another" / "file").touch()
        with scratch_folder() as folder, scratch_folder() as other:
            (folder / "spilled").touch()
            assert folder != other
            remove_left.cache_clear()
            with scratch_folder():
                assert (folder / "spilled").exists()
        assert os.listdir(tmp_path) == ["termsift-another"]

    def test_where_no_temporary_may_be_written_what_needs_none_goes_on(self, monkeypatch):
        monkeypatch.setattr("tempfile.gettempdir", no_folder)
        with scratch_folder() as folder:
            assert not folder.exists()
        assert command_words("no label in /dev/stdin") == "no label in standard input"
        line = (
            "needs files of its own, and no folder for temporaries may be written; set TMPDIR to one that may"
        )
        for written in (lambda path: path.write_text("x"), lambda path: pa.OSFile(str(path), "w")):
            with pytest.raises(ts.UnreadableFileError, match=line), scratch_folder() as folder:
                written(folder / "spilled")
        with pytest.raises(FileNotFoundError, match="elsewhere"), scratch_folder():
            Path("elsewhere").read_text()

    def test_a_folder_that_is_taken_for_left_before_its_lock_is_there_is_made_again(
        self, tmp_path, monkeypatch
    ):
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        made, real = [], Path.mkdir

        def one_that_goes(folder, mode):
            real(folder, mode)
            made.append(folder)
            if len(made) == 1:
                folder.rmdir()

        monkeypatch.setattr(Path, "mkdir", one_that_goes)
        with scratch_folder() as folder:
            assert [folder] == made[1:]
        assert os.listdir(tmp_path) == []

    @pytest.mark.parametrize("moment", ["os.mkdir", "os.open", "os.unlink", "os.rmdir"])
    def test_a_signal_at_any_moment_leaves_nothing(self, tmp_path, monkeypatch, moment):
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        remove_left(str(tmp_path))
        for work in (scratch_folder, lambda: locked_file(tmp_path)):
            with monkeypatch.context() as patched:
                patched.setattr(moment, interrupted_once(getattr(os, moment.removeprefix("os."))))
                with suppress(KeyboardInterrupt), work():
                    pass
            assert os.listdir(tmp_path) == []

    def test_the_lock_of_a_folder_goes_last(self, tmp_path, monkeypatch):
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        seen = []
        real = shutil.rmtree

        def watched(path, **given):
            seen.append(sorted(os.listdir(path)))
            real(path, **given)

        with scratch_folder() as folder:
            (folder / "inner").mkdir()
            (folder / "spilled").touch()
            monkeypatch.setattr(shutil, "rmtree", watched)
        assert seen == [[], ["lock"]]
