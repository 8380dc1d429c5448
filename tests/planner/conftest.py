"""What the tests of commands share."""

from collections.abc import Callable
from pathlib import Path

import pytest

from planner.cli import main

Vinewright = Callable[..., tuple[int, str, str]]


@pytest.fixture
def vinewright(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Vinewright:
    """The command line, run in an empty folder; exit code, output and errors."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["vinewright", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return int(ended.value.code or 0), printed.out, printed.err

    return run
