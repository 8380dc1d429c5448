"""A small environment in the empty folder of a test."""

from pathlib import Path

import pytest


@pytest.fixture
def place(small_file: Path, tmp_path: Path) -> Path:
    """An empty folder with a small environment, `small.toml`."""
    (tmp_path / "small.toml").write_bytes(small_file.read_bytes())
    return tmp_path
