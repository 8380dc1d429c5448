"""What tests of the planner share: the command line, and a room with a design in it."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dynamics.tube import VineParams
from environments import Environment, Obstacles
from environments.obstacles import box_corners
from planner.cli import main
from planner.design.design import Design, Section

Vinewright = Callable[..., tuple[int, str, str]]
SECTIONS = (
    Section(0.0, 0.2, "none", 0.0, 0.0, 0.0),
    Section(0.2, 0.6, "left", 2.0, 0.04, 25e3),
    Section(0.6, 0.7, "none", 0.0, 0.0, 0.0),
    Section(0.7, 1.0, "right", 1.5, 0.03, 20e3),
)


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


@pytest.fixture(scope="session")
def room() -> Environment:
    """A wide room with a block and a disc beside the way, and a thin wall; three objects."""
    obstacles = Obstacles(
        (box_corners(0.3, -0.4, 0.4, -0.2),), [[0.6, 0.6, 0.2]], [[1.2, -1.0, 1.2, -0.5, 0.01]], ends="round"
    )
    bounds, goal = np.array([-1.0, -1.5, 2.0, 1.5]), np.array([0.8, 0.3, 0.1])
    return Environment("room", "", bounds, np.zeros(3), goal, obstacles)


@pytest.fixture(scope="session")
def design(room: Environment) -> Design:
    """A tube with one actuator on each side."""
    return Design("room", room.sha256, VineParams(), SECTIONS, np.zeros(3), np.zeros((1, 2)))
