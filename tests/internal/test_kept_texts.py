"""Texts that are kept from one process to the next."""

from __future__ import annotations

import pytest

from termsift._internal import resources as kept_texts
from termsift._internal.resources import kept_text


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setattr(kept_texts, "HOME", tmp_path / "package")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def never():
    raise AssertionError("it was kept")


def test_a_text_is_made_once(home):
    assert kept_text("a", lambda: "one ä\r\ntwo") == "one ä\r\ntwo"
    assert kept_text("a", never) == "one ä\r\ntwo"
    assert [path.name for path in (home / "package").iterdir()] == ["a"]


def test_names_are_apart(home):
    assert [kept_text(name, lambda name=name: name) for name in "ab"] == ["a", "b"]


@pytest.mark.parametrize("damage", [lambda old: old[:-1], lambda old: b"", lambda old: old + b"x"])
def test_what_is_not_whole_is_made_anew(home, damage):
    kept_text("a", lambda: "text")
    path = home / "package" / "a"
    path.write_bytes(damage(path.read_bytes()))
    assert kept_text("a", lambda: "again") == "again"
    assert kept_text("a", never) == "again"


def test_the_user_cache_comes_next(home):
    (home / "package").write_text("a file where the folder would be")
    assert kept_text("a", lambda: "text") == "text"
    assert (home / "cache" / "termsift" / "a").exists()
    assert kept_text("a", never) == "text"


def test_where_nothing_may_be_written_the_text_is_made_each_time(home):
    (home / "package").write_text("")
    (home / "cache").write_text("")
    assert [kept_text("a", lambda made=made: made) for made in ("one", "two")] == ["one", "two"]


def test_what_cannot_be_written_leaves_nothing(home, monkeypatch):
    monkeypatch.setattr(kept_texts.os, "replace", lambda *_: never())
    with pytest.raises(AssertionError):
        kept_text("a", lambda: "text")
    assert list((home / "package").iterdir()) == []
