"""JSON that `to_json` did not write is an UnreadableFileError, and nothing in it is executed."""

from __future__ import annotations

import json

import pytest

import termsift as ts

COUNTS = ts.count(["free prize", "free lunch", "lunch today"], ["spam", "ham", "ham"])
CHOSEN = ts.select(COUNTS, "cc", ts.RoundRobin(2))
GOOD = json.loads(CHOSEN.to_json())
CODE = "__import__('pathlib').Path('ran').touch()"

BAD = {
    "nested": '{"termsift.selection": ' + "[" * 100_000,
    "nested in a list": json.dumps(GOOD)[:-1] + ', "more": ' + "[" * 20_000 + "]" * 20_000 + "}",
    "a number of 5,000 digits": '{"termsift.selection": ' + "1" * 5000 + "}",
    **{
        f"no {name}": json.dumps({key: value for key, value in GOOD.items() if key != name})
        for name in GOOD
        if name != "class"
    },
    **{
        f"{name}: {value!r}"[:60]: json.dumps(GOOD | {name: value})
        for name, values in {
            "termsift.selection": ["1", None, 0, -1, 1.5, [1], {}, 10**30],
            "index": [None, "01", {}, [0], [0, 0], [-1, 0], [0.5, 1], ["0", "1"], [10**30, 1], [True, 0],
                      [[0], [1]]],
            "term": [None, "ab", ["a"], [1, 2], ["a", None], ["a", "a"], [["a"], ["b"]]],
            "df": [None, [1], ["1", "2"], [-1, 1], [float("nan"), 1], [1e300, 1], [10**400, 1], [True, 1]],
            "score": [None, [1], ["1", "2"], [float("nan"), 1], [[1], [2]], [10**400, 1], [None, 1]],
            "class": [None, ["a"], [["a"], ["b"]], [{}, {}], [None, "a"]],
            "metric": [None, 5, ["cc"]],
            "policy": [None, 5, "", "Foo(1)", "TopK(", "TopK(k=-1)", "TopK(k=open)", "\0", "\ud800(",
                       "TopK(" + "-" * 100_000 + "1)", "TopK(" + "[" * 10_000 + "]" * 10_000 + ")",
                       "TopK({[]: 1})", "TopK(**{})", "TopK(*[1])", CODE, f"TopK({CODE})",
                       f"TopK(1) if {CODE} else TopK(2)", "TopK(1)\n" + CODE],
            "analyzer": [5, ["Analyzer()"]],
        }.items()
        for value in values
    },
}  # fmt: skip


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_rejects_other_json_in_one_line(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ts.UnreadableFileError, match=r"^the text ") as caught:
        ts.Selection.from_json(text)
    assert len(str(caught.value)) <= 1000
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"[]", b"1", b"null", b'"a"', b"\xff\xfe{}", b"{", b"\x00" * 100])
def test_rejects_other_files_with_their_name(content, tmp_path):
    path = tmp_path / "selection.json"
    path.write_bytes(content)
    with pytest.raises(ts.UnreadableFileError, match=r"selection\.json is not a selection"):
        ts.Selection.from_json(path)


@pytest.mark.parametrize(
    "name",
    [f"Analyzer({CODE})", f"Analyzer(token_pattern={CODE})", "Analyzer(foo=1)", "Analyzer(stop_words=5)",
     "Analyzer(", "Analyzer(ngram_range=(1, 10**9))", "Analyzer(ngram_range=(1, 1000000000))",
     "Analyzer(token_pattern='a{99999999999999}')", "Analyzer(stemmer='../../x')", CODE],
)  # fmt: skip
def test_an_invalid_analyzer_stays_a_name(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    chosen = ts.Selection.from_json(json.dumps(GOOD | {"analyzer": name}))
    assert chosen.analyzer == name
    with pytest.raises(ts.InvalidInputError, match="CountVectorizer cannot reproduce the analyzer"):
        chosen.to_vectorizer()
    assert list(tmp_path.iterdir()) == []
