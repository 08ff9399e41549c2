"""Texts that are cached on disk between processes."""

from __future__ import annotations

import pytest

from termsift._internal import resources
from termsift._internal.resources import load_cached_text


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(resources, "CACHE_FOLDER", tmp_path / "cache")
    return tmp_path / "cache"


def fail():
    raise AssertionError("the text was cached")


def test_a_text_is_built_once(folder):
    assert load_cached_text("a", lambda: "one ä\r\ntwo") == "one ä\r\ntwo"
    assert load_cached_text("a", fail) == "one ä\r\ntwo"
    assert [path.name for path in folder.iterdir()] == ["a"]


def test_texts_of_different_names_are_separate(folder):
    assert [load_cached_text(name, lambda name=name: name) for name in "ab"] == ["a", "b"]


def test_without_a_writable_folder_the_text_is_built_each_time(folder):
    folder.write_text("a file in place of the folder")
    assert [load_cached_text("a", lambda text=text: text) for text in ("one", "two")] == ["one", "two"]
