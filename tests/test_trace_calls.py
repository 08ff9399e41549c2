"""The tool that counts the functions a command enters."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import termsift as ts

TOOL = Path(__file__).parent.parent / "tools" / "trace_calls.py"


def load_tool():
    spec = importlib.util.spec_from_file_location("trace_calls", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_trace_has_functions_and_methods_but_neither_comprehensions_nor_generated_code():
    entered = load_tool().trace(lambda: [ts.TopK(k) for k in (1, 2)])
    assert ("selection/policy_base.py", "PolicyBase.__post_init__") in entered
    assert not [name for _, name in entered if "<" in name.replace(".<locals>", "")]
    assert {file for file, _ in entered} <= {
        "selection/policy_base.py",
        "_internal/typing.py",
        "__init__.py",
        "_internal/errors.py",
        "metrics/scoring.py",
        "metrics/scores.py",
    }


def test_threads_are_traced_too():
    def work():
        texts = ["a word", "two words"] * 3
        ts.count(texts, ["x", "y"] * 3, n_jobs=2)

    assert ("engines/texts.py", "count_texts") in load_tool().trace(work)


def test_the_rows_are_three_hundred(tmp_path):
    tool = load_tool()
    tool.write_rows(tmp_path / "rows.csv")
    assert len((tmp_path / "rows.csv").read_text(encoding="utf-8").splitlines()) == tool.ROWS + 1
