"""Fixtures of the tests of studies."""

from __future__ import annotations

from collections.abc import Callable

import pytest

# it contains no examples, and other folders have a module of this name
collect_ignore = ["conftest.py"]


@pytest.fixture
def run_studies(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run `termsift-studies`: its exit code, stdout and stderr."""
    from termsift_studies.cli import main

    def run(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return stop.value.code, out, err

    return run
