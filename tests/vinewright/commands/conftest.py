"""A small environment and a run in it, for tests of commands that read both."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import vinewright as vw


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory, small_environment: Callable[[str], str]) -> Path:
    """A folder with a small environment, and a run in the folder `made`."""
    folder = tmp_path_factory.mktemp("folders")
    (folder / "small.toml").write_text(small_environment("[[250, 300, 300, 500]]"))
    vw.plan(vw.load_environment(folder / "small.toml"), iterations=2, batch=20, fast=True).save(folder / "made")
    return folder


@pytest.fixture
def small(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Copy the files into the empty folder of a test; pictures show few trials."""
    monkeypatch.setattr("vinewright.commands.robustness.DRAWN", 2)
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path
