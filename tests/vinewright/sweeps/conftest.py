"""Fixtures of tests of sweeps: a folder with a small environment, and commands that keep the threads of this process."""

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def threads_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process of its own a command sets the number of threads; here, other tests follow."""
    monkeypatch.setattr("vinewright.commands.sweep.use_one_thread", lambda: None)


@pytest.fixture
def place(tmp_path: Path, small_environment: Callable[[str], str]) -> Path:
    """The folder of a test, with the environment `small.toml`."""
    (tmp_path / "small.toml").write_text(small_environment("[[250, 300, 300, 500]]"))
    return tmp_path
