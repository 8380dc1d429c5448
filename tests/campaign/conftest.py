"""A small environment in the empty folder of a test, and the design of a plan in it."""

import shutil
from pathlib import Path

import pytest

from tests.campaign.runs import PLAN, command, ran


@pytest.fixture
def place(small_file: Path, tmp_path: Path) -> Path:
    """An empty folder with a small environment, `small.toml`."""
    (tmp_path / "small.toml").write_bytes(small_file.read_bytes())
    return tmp_path


@pytest.fixture(scope="session")
def usual(small_file: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The design of the plan in usual surroundings."""
    folder = tmp_path_factory.mktemp("usual")
    shutil.copy(small_file, folder / "small.toml")
    assert ran(folder, command(*PLAN))[0] == 0
    return (folder / "run" / "design.json").read_bytes()
