"""Compiled loops find a place for their cache on any machine, and are compiled anew where it is damaged."""

from __future__ import annotations

import importlib.util
import tempfile

import numpy as np
import pytest
from numba.core import config

from termsift._internal import kernels as compiled
from termsift._internal.errors import EngineError, TermsiftWarning

SOURCE = "def doubled(values):\n    return values * 2\n"


@pytest.fixture
def function(tmp_path, monkeypatch):
    """A function of a module that lies where a cache may be written."""
    monkeypatch.setattr(config, "CACHE_DIR", "")
    (tmp_path / "package").mkdir()
    path = tmp_path / "package" / "loops.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("loops", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.doubled


@pytest.fixture
def read_only(function, tmp_path, monkeypatch):
    """The same where neither the package nor the home folder may be written: files are in their way."""
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
    compiled.private_cache_folder.cache_clear()
    yield function
    compiled.private_cache_folder.cache_clear()


def works(function) -> bool:
    return compiled.njit(cache=True)(function)(np.arange(3)).tolist() == [0, 2, 4]


def hits(function) -> int:
    loop = compiled.njit(cache=True)(function)
    loop(np.arange(3))
    return sum(loop.stats.cache_hits.values())


def test_without_memory_for_it_nothing_is_compiled_and_what_was_is_used(function, monkeypatch):
    monkeypatch.setattr(compiled, "free_of_process", lambda root: iter([10**8]))
    with pytest.raises(EngineError, match=r"takes up to 210 MB of memory; .* leaves 100 MB$"):
        works(function)
    monkeypatch.undo()
    monkeypatch.setattr(config, "CACHE_DIR", "")
    assert works(function)
    monkeypatch.setattr(compiled, "free_of_process", lambda root: iter([10**8]))
    assert works(function)


def test_what_was_compiled_is_kept(function):
    assert hits(function) == 0
    assert hits(function) == 1


DAMAGES = {
    "emptied": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
    "the last byte gone": lambda content: content[:-1],
    "zeros": lambda content: bytes(len(content)),
    "a byte altered": lambda content: content[:-200] + bytes([content[-200] ^ 1]) + content[-199:],
}


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_cache_is_made_anew(function, tmp_path, ending, damage):
    assert works(function)
    for file in (tmp_path / "package" / "__pycache__").glob(f"*.{ending}"):
        file.write_bytes(damage(file.read_bytes()))
    assert hits(function) == 0
    assert hits(function) == 1


def test_a_disk_that_is_full_costs_the_cache_alone(function, monkeypatch):
    def full(self, path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(compiled.ChecksummedFiles, "_open_for_write", full)
    assert works(function)


def test_a_read_only_machine_keeps_loops_in_a_temporary_folder_and_says_so_once(read_only, tmp_path):
    with pytest.warns(TermsiftWarning, match=r"compiled loops are kept in .*; they take some 15 s"):
        assert works(read_only)
    assert works(read_only)
    (folder,) = (tmp_path / "temporary").iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert list(folder.rglob("*.nbc"))
    compiled.private_cache_folder.cache_clear()
    assert hits(read_only) == 1


def test_without_any_folder_there_is_no_cache(read_only, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "home"))
    with pytest.warns(TermsiftWarning, match="every run spends some 15 s on them; set NUMBA_CACHE_DIR"):
        assert works(read_only)


def test_a_folder_that_others_may_write_to_holds_no_code(read_only, tmp_path):
    with pytest.warns(TermsiftWarning, match="compiled loops are kept in"):
        folder = compiled.private_cache_folder()
    compiled.private_cache_folder.cache_clear()
    (tmp_path / "temporary" / folder).chmod(0o777)
    with pytest.warns(TermsiftWarning, match="no folder may be written"):
        assert works(read_only)
    assert not list((tmp_path / "temporary").rglob("*.nbc"))


def test_a_change_of_a_kernel_beside_it_compiles_a_loop_anew(function, tmp_path):
    assert hits(function) == 0
    (tmp_path / "package" / "_other_kernel.py").write_text("")
    assert hits(function) == 0
    assert hits(function) == 1
