"""MATLAB files: what SciPy writes is read as SciPy reads it, and no altered variable crashes."""

from __future__ import annotations

import random
import struct
import zlib

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import loadmat, savemat

import termsift as ts
from termsift_studies.matrices import HEADER, load_variables

CELLS = np.array([["tea", np.array([[1.0]])], ["grüße", np.array([[2.0]])]], dtype=object)
NESTED = np.empty((1, 1), dtype=object)
NESTED[0, 0] = CELLS
VALUES = {
    "fea": sp.csc_matrix(np.array([[1.0, 0, 2], [0, 3, 0], [1, 1, 0.5]])),
    "none": sp.csc_matrix((2, 3)),
    "gnd": np.array([[1.0], [2], [300]]),
    "wide": np.arange(6, dtype=np.int64).reshape(2, 3),
    "narrow": np.array([[1.5, 2.5]], dtype=np.float32),
    "vocab": CELLS,
}


@pytest.fixture
def path(tmp_path):
    """A file with a variable of each kind."""
    savemat(tmp_path / "all.mat", VALUES, do_compression=True)
    return tmp_path / "all.mat"


def test_variables_are_those_that_scipy_reads(path):
    ours, theirs = load_variables(path, tuple(VALUES)), loadmat(path)
    assert list(ours) == list(VALUES)
    for name in ("fea", "none"):
        assert (ours[name] != theirs[name]).nnz == 0
    for name in ("gnd", "wide", "narrow"):
        assert np.array_equal(ours[name], theirs[name])
    found = [[cell.item() for cell in row] for row in ours["vocab"]]
    assert found == [[cell.item() for cell in row] for row in theirs["vocab"]] == [["tea", 1], ["grüße", 2]]
    assert list(load_variables(path, ("gnd",))) == ["gnd"]


def with_altered_variable(content: bytes, random_state: int) -> bytes:
    """The file with some bytes of a variable altered, compressed again: its checksum is right."""
    rng, place, parts = random.Random(random_state), HEADER, []
    while place < len(content):
        (size,) = struct.unpack_from("<I", content, place + 4)
        parts.append(bytearray(zlib.decompress(content[place + 8 : place + 8 + size])))
        place += 8 + size
    part = rng.choice(parts)
    for _ in range(rng.choice((1, 1, 2, 8))):
        start = rng.randrange(len(part))
        new = rng.choice((b"\xff\xff\xff\x7f", b"\xff\xff\xff\xff", bytes(4), rng.randbytes(1)))
        part[start : start + rng.choice((len(new), len(new), 9))] = new
    packed = map(zlib.compress, parts)
    return content[:HEADER] + b"".join(struct.pack("<II", 15, len(one)) + one for one in packed)


def test_an_altered_variable_is_read_or_refused(path):
    content, refused = path.read_bytes(), 0
    for random_state in range(300):
        path.write_bytes(with_altered_variable(content, random_state))
        try:
            found = load_variables(path, tuple(VALUES))
        except ts.UnreadableFileError:
            refused += 1
        else:
            assert all(isinstance(value, np.ndarray | sp.csc_matrix) for value in found.values())
    assert 100 < refused < 300


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (np.array([[1j]]), "a variable is complex, or has no dimensions"),
        ({"a": 1}, "a variable is neither numbers nor texts nor a table of these"),
        (NESTED, "a variable is neither numbers nor texts nor a table of these"),
    ],
)
def test_what_no_corpus_holds(tmp_path, value, reason):
    savemat(tmp_path / "x.mat", {"fea": value}, do_compression=True)
    with pytest.raises(ts.UnreadableFileError, match=reason):
        load_variables(tmp_path / "x.mat", ("fea",))
