"""The command line, run in this process."""

from pathlib import Path

import pytest

from vinewright.cli import main


def vinewright(patch: pytest.MonkeyPatch, *arguments: object) -> int:
    """Run a command; returns its exit code."""
    patch.setattr("sys.argv", ["vinewright", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code is None or isinstance(ended.value.code, int)
    return ended.value.code or 0


def vinewright_in(folder: Path, patch: pytest.MonkeyPatch, *arguments: object) -> int:
    """Run a command in a folder; returns its exit code."""
    patch.chdir(folder)
    return vinewright(patch, *arguments)
