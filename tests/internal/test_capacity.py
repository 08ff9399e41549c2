"""What memory is free, from the files of a system made for the test; work that does not fit is refused."""

from __future__ import annotations

import resource

import pytest

import termsift as ts
from compared_texts import topical
from termsift._internal import resources as capacity
from termsift._internal.resources import check_memory, free_memory

GIB = 1 << 30


def write(root, **files):
    for name, content in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


@pytest.fixture
def system(tmp_path):
    """A system with 8 GiB free, and a process without a control group."""
    write(tmp_path, proc__meminfo=f"MemTotal: {16 << 20} kB\nMemAvailable: {8 << 20} kB\n")
    return tmp_path


def place(root, top, group, limit, used, limits):
    folder = root / top / group
    folder.mkdir(parents=True, exist_ok=True)
    (folder / limits[0]).write_text(f"{limit}\n")
    (folder / limits[1]).write_text(f"{used}\n")


NEW = ("memory.max", "memory.current")
OLD = ("memory.limit_in_bytes", "memory.usage_in_bytes")


def test_of_the_machine(system):
    assert free_memory(system) == 8 * GIB


def test_of_a_system_that_does_not_say(tmp_path):
    assert free_memory(tmp_path) is None


@pytest.mark.parametrize(
    ("line", "top", "names"),
    [("0::/a/b", "sys/fs/cgroup", NEW), ("4:cpu,memory:/a/b", "sys/fs/cgroup/memory", OLD)],
    ids=["new", "old"],
)
class TestControlGroups:
    def test_the_tightest_of_them_counts(self, system, line, top, names):
        write(system, proc__self__cgroup=f"7:pids:/x\n{line}\n")
        place(system, top, "a/b", 6 * GIB, GIB, names)
        assert free_memory(system) == 5 * GIB
        place(system, top, "a", 3 * GIB, 2 * GIB, names)
        assert free_memory(system) == GIB

    def test_cached_files_can_be_had_back(self, system, line, top, names):
        write(system, proc__self__cgroup=line)
        place(system, top, "a/b", 6 * GIB, 5 * GIB, names)
        own = "inactive_file" if names is NEW else "total_inactive_file"
        (system / top / "a/b/memory.stat").write_text(f"anon 5\n{own} {2 * GIB}\n")
        assert free_memory(system) == 3 * GIB

    def test_without_a_limit_the_machine_counts(self, system, line, top, names):
        write(system, proc__self__cgroup=line)
        place(system, top, "a/b", "max" if names is NEW else 2**63 - 4096, GIB, names)
        assert free_memory(system) == 8 * GIB

    def test_a_group_that_a_container_does_not_show_is_that_at_the_top(self, system, line, top, names):
        write(system, proc__self__cgroup=line)
        place(system, top, "", 2 * GIB, GIB, names)
        assert free_memory(system) == GIB


def test_of_the_limit_of_the_process(system, monkeypatch):
    write(system, proc__self__status=f"Name: x\nVmSize: {1 << 20} kB\n")
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (4 * GIB, resource.RLIM_INFINITY))
    assert free_memory(system) == 3 * GIB


@pytest.mark.parametrize(("peak", "limit"), [(2 << 20, None), (7 << 19, 4 * GIB)])
def test_limit_is_nearly_exhausted_if_peak_is_close(system, monkeypatch, peak, limit):
    write(system, proc__self__status=f"Name: x\nVmPeak: {peak} kB\n")
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (4 * GIB, resource.RLIM_INFINITY))
    assert capacity.nearly_exhausted_limit(system) == limit


def test_a_limit_below_what_libraries_reserve_is_exhausted(system, monkeypatch):
    write(system, proc__self__status="Name: x\nVmPeak: 1000 kB\n")
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (GIB, resource.RLIM_INFINITY))
    assert capacity.nearly_exhausted_limit(system) == GIB


def test_no_process_limit_is_never_exhausted(system, monkeypatch):
    write(system, proc__self__status="Name: x\nVmPeak: 1000 kB\n")
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert capacity.nearly_exhausted_limit(system) is None


def test_the_error_has_both_numbers():
    check_memory(0, "nothing", "Go on")
    with pytest.raises(
        ts.InvalidInputError,
        match=r"^all of it would take about 1,000,000.0 GB of memory, but only .* is free. Less",
    ):
        check_memory(1e15, "all of it", "Less")


class TestWork:
    """Where 20 kB are free."""

    @pytest.fixture(autouse=True)
    def full(self, monkeypatch):
        monkeypatch.setattr(capacity, "free_memory", lambda: 20_000)

    def test_a_comparison_is_refused_before_it_begins(self):
        with pytest.raises(ts.InvalidInputError, match="to compare 90 documents in 5 folds would take about"):
            ts.compare(*topical(30))

    def test_files_are_not_held(self, mail, run, tmp_path):
        rows = mail.read_text(encoding="utf-8").splitlines(keepends=True)
        mail.write_text("".join([rows[0], *rows[1:] * 100]), encoding="utf-8")
        code, out, err = run("report", mail, "-o", tmp_path / "r.html")
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert "of text) would take about" in err
        assert "termsift count" in err
        code, out, err = run("compare", mail)
        assert (code, err.count("\n")) == (1, 1)
        assert "Ranked by ig." in out  # term tables need only counts
        assert "Use " not in out
        assert "to compare 500 documents in 5 folds would take about" in err
        assert run("count", mail)[0] == 0
        assert run("report", mail, "--no-texts", "-o", tmp_path / "r.html")[0] == 0
