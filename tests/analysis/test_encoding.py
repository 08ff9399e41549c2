"""Texts decoded with a wrong encoding are found with their original, and other texts are not."""

from __future__ import annotations

import pytest

import termsift as ts
from termsift.analysis.detectors import find_encoding_damage

WHOLE = [
    "café",
    "naïve façade",
    "œuvre – “fin” … €5",
    "Привет, мир",
    "日本語",
    "Ünïcödé ß",
    "مرحبا",
    "🙂 ok",
    "½ cup",
]
# texts of many languages with letters side by side that might be taken for bytes
CLEAN = [
    *WHOLE,
    "„Spaß“ und „Größe“",
    "NÃO, IRMÃ, SÃO PAULO",
    "«Être» — déjà vu",
    "Ångström, Øresund, Þór",
    "plain ascii",
    "",
    "5° à l’ombre",
    "Zürich…",
    "a\u00a0b",
]


@pytest.mark.parametrize("text", WHOLE)
@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
def test_utf_8_read_as_another_encoding_is_found(text, encoding):
    wrong = "".join(bytes([byte]).decode(encoding, "ignore") or chr(byte) for byte in text.encode())
    kind, shows, was = find_encoding_damage(wrong)
    assert kind == "UTF-8 read as Windows-1252"
    assert shows in wrong
    assert was in text
    assert len(was) < len(shows)


@pytest.mark.parametrize("text", CLEAN)
def test_correctly_decoded_text_has_no_damage(text):
    assert find_encoding_damage(text) is None


def test_replacement_and_control_characters_are_found():
    assert find_encoding_damage("caf\ufffd")[0] == "undecodable bytes"
    kind, _, was = find_encoding_damage("it\x92s".encode("latin-1").decode("latin-1"))
    assert (kind, was) == ("another encoding read as Latin-1", "’ in Windows-1252")


def test_damaged_texts_are_listed_by_index():
    result = ts.audit(["all is ok", "cafÃ© now", "café now", "bad \ufffd"], ["a", "b", "a", "b"])
    assert result["encoding"]["document"].tolist() == [1, 3]
