"""Archives are read in memory, and bad ones get one clear line."""

from __future__ import annotations

import gzip
import stat
import struct
import tarfile
import zipfile

import pytest

import termsift as ts
from corpus_files import cut, tarred, zipped
from termsift._internal.files import archive_members, unpack_file

FILES = {"a/one.txt": b"1" * 500, "a/two.txt": b"2" * 500}


def refused(path, match, **options):
    """Reading the archive is one of our errors, one line that names it."""
    with pytest.raises(ts.UnreadableFileError, match=match) as caught:
        list(archive_members(path, **options))
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.zip"])
class TestEveryKind:
    def packed(self, folder, name, files=FILES):
        return (zipped if name.endswith(".zip") else tarred)(folder / name, files)

    def test_names_and_contents_come_in_order(self, tmp_path, name):
        assert list(archive_members(self.packed(tmp_path, name))) == list(FILES.items())

    @pytest.mark.parametrize("member", ["../evil", "a/../../evil", "/etc/evil", "..\\evil", "C:/evil"])
    def test_a_path_out_of_the_archive(self, tmp_path, name, member):
        path = self.packed(tmp_path, name, {"a/one.txt": b"1", member: b"evil"})
        refused(path, "is refused: its member '.*evil' points out of the archive")
        assert [file.name for file in tmp_path.iterdir()] == [name]

    def test_one_that_is_cut(self, tmp_path, name):
        refused(cut(self.packed(tmp_path, name), 0.18), "is damaged or cut")

    def test_one_that_is_empty(self, tmp_path, name):
        (tmp_path / name).write_bytes(b"")
        refused(tmp_path / name, "is damaged or cut")

    def test_something_else(self, tmp_path, name):
        (tmp_path / name).write_bytes(b"<html>not found</html>" * 100)
        refused(tmp_path / name, "is damaged or cut")

    def test_more_than_the_limit(self, tmp_path, name):
        refused(self.packed(tmp_path, name), "it holds more than 900 bytes", limit=900)
        assert len(list(archive_members(self.packed(tmp_path, name), limit=1 << 20))) == 2

    def test_none(self, tmp_path, name):
        refused(tmp_path / name, "there is no file")
        (tmp_path / name).mkdir()
        refused(tmp_path / name, "is a folder, not a file")


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
def test_a_link_in_a_tar(tmp_path, kind):
    refused(tarred(tmp_path / "a.tar.gz", FILES, shadow=kind), "its member 'shadow' is a link")


@pytest.mark.parametrize("kind", [tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.GNUTYPE_SPARSE])
def test_what_is_not_a_plain_file_in_a_tar(tmp_path, kind):
    refused(tarred(tmp_path / "a.tar", FILES, odd=kind), "its member 'odd' is not a plain file")


def test_a_link_in_a_zip(tmp_path):
    path = tmp_path / "a.zip"
    link = zipfile.ZipInfo("shadow")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(link, "/etc/passwd")
    refused(path, "its member 'shadow' is a link")


def test_folders_are_passed_over(tmp_path):
    path = tarred(tmp_path / "a.tar", FILES, folder=tarfile.DIRTYPE)
    assert len(list(archive_members(path))) == 2
    assert len(list(archive_members(zipped(tmp_path / "a.zip", {"a/": b"", **FILES})))) == 2


def test_a_bomb_is_not_unpacked(tmp_path):
    zeros = {"zeros": bytes(20_000_000)}
    for path in (zipped(tmp_path / "a.zip", zeros), tarred(tmp_path / "a.tar.gz", zeros)):
        assert path.stat().st_size < 50_000
        refused(path, "it holds more than 1,000,000 bytes", limit=1_000_000)


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz"])
def test_what_unpacks_to_more_than_a_hundred_times_its_size_is_not_read(tmp_path, monkeypatch, name):
    path = (zipped if name.endswith("zip") else tarred)(tmp_path / name, {"zeros": bytes(40_000_000)})
    read = []
    monkeypatch.setattr(zipfile.ZipExtFile, "read", lambda *_: pytest.fail("it was unpacked"))
    monkeypatch.setattr(gzip.GzipFile, "read", counted_reads(gzip.GzipFile.read, read))
    refused(path, "it holds more than 33,554,432 bytes")
    assert sum(read) <= 34_000_000


def counted_reads(reader, sizes):
    """The reader, which tells how much it gave."""

    def read(file, size):
        content = reader(file, size)
        sizes.append(len(content))
        return content

    return read


def test_a_size_that_is_not_true_is_not_believed(tmp_path):
    path = zipped(tmp_path / "a.zip", {"zeros": bytes(1_000_000)})
    content = bytearray(path.read_bytes())
    place = content.index(b"PK\x01\x02") + 24
    content[place : place + 4] = struct.pack("<I", 1000)
    path.write_bytes(content)
    refused(path, "is damaged or cut: Bad CRC-32")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_member_that_unpacks_to_any_size_at_once(tmp_path, method):
    with zipfile.ZipFile(tmp_path / "a.zip", "w", method) as archive:
        archive.writestr("a.txt", "words")
    refused(tmp_path / "a.zip", "its member 'a.txt' is not deflated")


def test_a_damaged_header_in_a_compressed_tar_is_not_taken_for_its_end(tmp_path):
    path = tarred(tmp_path / "a.tar", FILES)
    content = bytearray(path.read_bytes())
    packed = bytearray(gzip.compress(content, compresslevel=0))
    packed[packed.index(b"a/two.txt")] ^= 1
    (tmp_path / "b.tar.gz").write_bytes(packed)
    refused(tmp_path / "b.tar.gz", "is damaged or cut: CRC check failed")


def test_an_encrypted_zip(tmp_path):
    path = zipped(tmp_path / "a.zip", FILES)
    content = bytearray(path.read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + place] |= 1
    path.write_bytes(content)
    refused(path, "cannot be read: .* is encrypted")


class TestUnpacked:
    def test_a_file_as_it_is_gzipped_or_zipped(self, tmp_path):
        (tmp_path / "a.arff").write_bytes(b"words")
        (tmp_path / "a.arff.gz").write_bytes(gzip.compress(b"words"))
        zipped(tmp_path / "a.arff.zip", {"README": b"", "a.arff": b"words"})
        for name in ("a.arff", "a.arff.gz", "a.arff.zip"):
            assert unpack_file(tmp_path / name, ".arff") == b"words"

    def test_too_few_and_too_many_files_in_a_zip(self, tmp_path):
        for number, names in ((0, ["README"]), (2, ["a.arff", "b.arff"])):
            path = zipped(tmp_path / f"{number}.zip", dict.fromkeys(names, b""))
            with pytest.raises(
                ts.UnreadableFileError, match=f"holds {number} files with the extension .arff; there must be"
            ):
                unpack_file(path, ".arff")

    def test_a_gzipped_file_that_is_cut_or_too_large(self, tmp_path):
        path = tmp_path / "a.arff.gz"
        path.write_bytes(gzip.compress(b"words" * 100))
        with pytest.raises(ts.UnreadableFileError, match="it holds more than 99 bytes"):
            unpack_file(path, ".arff", limit=99)
        with pytest.raises(ts.UnreadableFileError, match="is damaged or cut"):
            unpack_file(cut(path), ".arff")
