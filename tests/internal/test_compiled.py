"""Cache of compiled kernels: its folder on any machine, and recovery from damage."""

from __future__ import annotations

import importlib.util
import os
import stat
import tempfile

import numpy as np
import pytest
from numba.core import config

from termsift._internal import kernels as compiled
from termsift._internal.errors import EngineError, TermsiftWarning

SOURCE = "def doubled(values):\n    return values * 2\n"


@pytest.fixture
def function(tmp_path, monkeypatch):
    """Function of a module in a writable folder."""
    monkeypatch.setattr(config, "CACHE_DIR", "")
    (tmp_path / "package").mkdir()
    path = tmp_path / "package" / "functions.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("functions", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.doubled


@pytest.fixture
def read_only(function, tmp_path, monkeypatch):
    """Function whose package and home folder are not writable, because files replace them."""
    cached = tmp_path / "package" / "__pycache__"
    for file in cached.iterdir() if cached.exists() else ():
        file.unlink()
    if cached.exists():
        cached.rmdir()
    cached.write_text("")
    (tmp_path / "home").write_text("")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    compiled.create_private_cache_folder.cache_clear()
    yield function
    compiled.create_private_cache_folder.cache_clear()


def works(function) -> bool:
    return compiled.njit(cache=True)(function)(np.arange(3)).tolist() == [0, 2, 4]


def hits(function) -> int:
    kernel = compiled.njit(cache=True)(function)
    kernel(np.arange(3))
    return sum(kernel.stats.cache_hits.values())


def test_without_memory_only_cached_kernels_run(function, monkeypatch):
    monkeypatch.setattr(compiled, "free_address_space", lambda root: iter([10**8]))
    with pytest.raises(EngineError, match=r"needs up to 210 MB of memory; .* leaves 100 MB; raise it$"):
        works(function)
    monkeypatch.undo()
    monkeypatch.setattr(config, "CACHE_DIR", "")
    assert works(function)
    monkeypatch.setattr(compiled, "free_address_space", lambda root: iter([10**8]))
    assert works(function)


def test_a_compiled_kernel_is_cached(function):
    assert hits(function) == 0
    assert hits(function) == 1


DAMAGES = {
    "emptied": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
    "the last byte gone": lambda content: content[:-1],
    "zeros": lambda content: bytes(len(content)),
    "a byte altered": lambda content: content[:-200] + bytes([content[-200] ^ 1]) + content[-199:],
}


@pytest.mark.parametrize("extension", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_cache_is_compiled_again(function, tmp_path, extension, damage):
    assert works(function)
    for file in (tmp_path / "package" / "__pycache__").glob(f"*.{extension}"):
        file.write_bytes(damage(file.read_bytes()))
    assert hits(function) == 0
    assert hits(function) == 1


def test_a_full_disk_only_costs_the_cache(function, monkeypatch):
    def full(self, path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(compiled.CheckedFiles, "_open_for_write", full)
    assert works(function)


def test_a_read_only_machine_caches_in_a_temporary_folder_and_warns_once(read_only, tmp_path):
    with pytest.warns(TermsiftWarning, match=r"kernels are cached in .*; compiling takes about 15 s"):
        assert works(read_only)
    assert works(read_only)
    (folder,) = (tmp_path / "temporary").iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert list(folder.rglob("*.nbc"))
    compiled.create_private_cache_folder.cache_clear()
    assert hits(read_only) == 1


def test_without_a_writable_folder_there_is_no_cache(read_only, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "home"))
    with pytest.warns(TermsiftWarning, match="every run compiles them again; set NUMBA_CACHE_DIR"):
        assert works(read_only)


def test_a_folder_that_others_can_write_to_is_not_used(read_only, tmp_path):
    with pytest.warns(TermsiftWarning, match="compiled kernels are cached in"):
        folder = compiled.create_private_cache_folder()
    compiled.create_private_cache_folder.cache_clear()
    (tmp_path / "temporary" / folder).chmod(0o777)
    with pytest.warns(TermsiftWarning, match="no writable folder"):
        assert works(read_only)
    assert not list((tmp_path / "temporary").rglob("*.nbc"))


def test_a_changed_kernel_module_invalidates_the_cache_of_its_neighbours(function, tmp_path):
    assert hits(function) == 0
    (tmp_path / "package" / "_other_kernel.py").write_text("")
    assert hits(function) == 0
    assert hits(function) == 1


OWNERS = {(0, 0o755): True, (7, 0o700): True, (8, 0o755): False, (7, 0o775): False, (0, 0o757): False}


@pytest.mark.parametrize(("owner", "mode"), OWNERS)
def test_cached_kernels_are_trusted_if_only_root_or_the_user_can_write_them(owner, mode, monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: 7)
    status = os.stat_result((stat.S_IFDIR | mode, 0, 0, 1, owner, 0, 0, 0, 0, 0))
    assert compiled.is_trusted(status) == OWNERS[owner, mode]


def test_a_cache_that_cannot_be_written_is_read_and_new_kernels_go_to_the_next_folder(
    function, tmp_path, monkeypatch
):
    assert hits(function) == 0
    shared = tmp_path / "package" / "__pycache__"
    before = sorted(shared.iterdir())
    create = compiled.TemporaryFile

    def refuse(dir):
        if dir == shared:
            raise PermissionError(13, "Permission denied")
        return create(dir=dir)

    monkeypatch.setattr(compiled, "TemporaryFile", refuse)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "own"))
    compiled.find_cache_folders.cache_clear()
    assert hits(function) == 1
    kernel = compiled.njit(cache=True)(function)
    for hit in (0, 1):
        kernel = compiled.njit(cache=True)(function)
        assert kernel(1.5) == 3
        assert sum(kernel.stats.cache_hits.values()) == hit
    assert list((tmp_path / "own").rglob("*.nbc"))
    assert sorted(shared.iterdir()) == before


@pytest.mark.parametrize("extension", ["nbi", "nbc"])
def test_a_kernel_file_that_others_can_write_is_compiled_again(function, tmp_path, extension):
    assert works(function)
    for file in (tmp_path / "package" / "__pycache__").glob(f"*.{extension}"):
        file.chmod(0o666)
    assert hits(function) == 0
    assert hits(function) == 1


def test_a_shared_folder_that_others_can_write_is_not_used(function, tmp_path, monkeypatch):
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "shared"))
    assert works(function)
    (folder,) = (tmp_path / "shared").iterdir()
    assert list(folder.glob("*.nbc"))
    folder.chmod(0o777)
    compiled.find_cache_folders.cache_clear()
    with pytest.warns(TermsiftWarning, match=r"are not used, because another user .* \(chmod go-w\)$"):
        assert hits(function) == 0


def test_the_cache_does_not_depend_on_times_of_files(function, tmp_path):
    assert works(function)
    os.utime(tmp_path / "package" / "functions.py", (10**9, 10**9))
    assert hits(function) == 1
