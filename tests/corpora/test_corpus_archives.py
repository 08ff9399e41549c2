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

    def test_names_and_contents_are_in_order(self, tmp_path, name):
        assert list(archive_members(self.packed(tmp_path, name))) == list(FILES.items())

    @pytest.mark.parametrize("member", ["../evil", "a/../../evil", "/etc/evil", "..\\evil", "C:/evil"])
    def test_rejects_paths_outside_the_archive(self, tmp_path, name, member):
        path = self.packed(tmp_path, name, {"a/one.txt": b"1", member: b"evil"})
        refused(path, "is refused: its member '.*evil' has a path outside the archive")
        assert [file.name for file in tmp_path.iterdir()] == [name]

    def test_rejects_truncated_archives(self, tmp_path, name):
        refused(cut(self.packed(tmp_path, name), 0.18), "is damaged or truncated")

    def test_rejects_empty_files(self, tmp_path, name):
        (tmp_path / name).write_bytes(b"")
        refused(tmp_path / name, "is damaged or truncated")

    def test_rejects_other_files(self, tmp_path, name):
        (tmp_path / name).write_bytes(b"<html>not found</html>" * 100)
        refused(tmp_path / name, "is damaged or truncated")

    def test_rejects_archives_above_the_limit(self, tmp_path, name):
        refused(self.packed(tmp_path, name), "it unpacks to more than 900 bytes", limit=900)
        assert len(list(archive_members(self.packed(tmp_path, name), limit=1 << 20))) == 2

    def test_rejects_missing_files(self, tmp_path, name):
        refused(tmp_path / name, "there is no file")
        (tmp_path / name).mkdir()
        refused(tmp_path / name, "is a folder, not a file")


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
def test_rejects_links_in_a_tar(tmp_path, kind):
    refused(tarred(tmp_path / "a.tar.gz", FILES, shadow=kind), "its member 'shadow' is a link")


@pytest.mark.parametrize("kind", [tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.GNUTYPE_SPARSE])
def test_rejects_special_files_in_a_tar(tmp_path, kind):
    refused(tarred(tmp_path / "a.tar", FILES, odd=kind), "its member 'odd' is not a plain file")


def test_rejects_links_in_a_zip(tmp_path):
    path = tmp_path / "a.zip"
    link = zipfile.ZipInfo("shadow")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(link, "/etc/passwd")
    refused(path, "its member 'shadow' is a link")


def test_folders_are_skipped(tmp_path):
    path = tarred(tmp_path / "a.tar", FILES, folder=tarfile.DIRTYPE)
    assert len(list(archive_members(path))) == 2
    assert len(list(archive_members(zipped(tmp_path / "a.zip", {"a/": b"", **FILES})))) == 2


def test_a_bomb_is_not_unpacked(tmp_path):
    zeros = {"zeros": bytes(20_000_000)}
    for path in (zipped(tmp_path / "a.zip", zeros), tarred(tmp_path / "a.tar.gz", zeros)):
        assert path.stat().st_size < 50_000
        refused(path, "it unpacks to more than 1,000,000 bytes", limit=1_000_000)


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz"])
def test_rejects_archives_that_unpack_to_over_a_hundred_times_their_size(tmp_path, monkeypatch, name):
    path = (zipped if name.endswith("zip") else tarred)(tmp_path / name, {"zeros": bytes(40_000_000)})
    read = []
    monkeypatch.setattr(zipfile.ZipExtFile, "read", lambda *_: pytest.fail("it was unpacked"))
    monkeypatch.setattr(gzip.GzipFile, "read", counted_reads(gzip.GzipFile.read, read))
    refused(path, "it unpacks to more than 33,554,432 bytes")
    assert sum(read) <= 34_000_000


def counted_reads(reader, sizes):
    """The reader, which tells how much it gave."""

    def read(file, size):
        content = reader(file, size)
        sizes.append(len(content))
        return content

    return read


def test_rejects_a_false_member_size(tmp_path):
    path = zipped(tmp_path / "a.zip", {"zeros": bytes(1_000_000)})
    content = bytearray(path.read_bytes())
    place = content.index(b"PK\x01\x02") + 24
    content[place : place + 4] = struct.pack("<I", 1000)
    path.write_bytes(content)
    refused(path, "is damaged or truncated: Bad CRC-32")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_rejects_unsupported_compression(tmp_path, method):
    with zipfile.ZipFile(tmp_path / "a.zip", "w", method) as archive:
        archive.writestr("a.txt", "words")
    refused(tmp_path / "a.zip", "unsupported compression of 'a.txt'")


def test_a_damaged_tar_header_is_not_the_end_of_the_archive(tmp_path):
    path = tarred(tmp_path / "a.tar", FILES)
    content = bytearray(path.read_bytes())
    packed = bytearray(gzip.compress(content, compresslevel=0))
    packed[packed.index(b"a/two.txt")] ^= 1
    (tmp_path / "b.tar.gz").write_bytes(packed)
    refused(tmp_path / "b.tar.gz", "is damaged or truncated: CRC check failed")


def test_rejects_encrypted_zips(tmp_path):
    path = zipped(tmp_path / "a.zip", FILES)
    content = bytearray(path.read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + place] |= 1
    path.write_bytes(content)
    refused(path, "cannot be read: .* is encrypted")


class TestUnpacked:
    def test_plain_gzipped_and_zipped_files_have_equal_contents(self, tmp_path):
        (tmp_path / "a.arff").write_bytes(b"words")
        (tmp_path / "a.arff.gz").write_bytes(gzip.compress(b"words"))
        zipped(tmp_path / "a.arff.zip", {"README": b"", "a.arff": b"words"})
        for name in ("a.arff", "a.arff.gz", "a.arff.zip"):
            assert unpack_file(tmp_path / name, ".arff") == b"words"

    def test_rejects_zips_with_no_or_several_files(self, tmp_path):
        for number, names in ((0, ["README"]), (2, ["a.arff", "b.arff"])):
            path = zipped(tmp_path / f"{number}.zip", dict.fromkeys(names, b""))
            with pytest.raises(
                ts.UnreadableFileError, match=f"contains {number} files with the extension .arff, expected"
            ):
                unpack_file(path, ".arff")

    def test_rejects_truncated_and_too_large_gzip_files(self, tmp_path):
        path = tmp_path / "a.arff.gz"
        path.write_bytes(gzip.compress(b"words" * 100))
        with pytest.raises(ts.UnreadableFileError, match="it unpacks to more than 99 bytes"):
            unpack_file(path, ".arff", limit=99)
        with pytest.raises(ts.UnreadableFileError, match="is damaged or truncated"):
            unpack_file(cut(path), ".arff")
