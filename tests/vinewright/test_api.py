"""The public names, and environments built in code."""

import inspect
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import vinewright as vw

pytestmark = pytest.mark.usefixtures("small_pictures")


def test_importing_it_loads_nothing_heavy() -> None:
    """Only what is used is imported; a misspelt name is an AttributeError, as of any module."""
    program = (
        "import sys, vinewright as vw\n"
        "assert not hasattr(vw, 'plann') and 'plan' in dir(vw)\n"
        "heavy = {'numpy', 'numba', 'scipy', 'torch', 'matplotlib', 'shapely', 'pydantic', 'rich', 'typer'}\n"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_planning_needs_no_console(tmp_path: Path) -> None:
    """The core of planning brings in neither rich nor typer."""
    program = (
        "import sys, planner.plan.plan\n"
        "print(sorted(name for name in sys.modules if name.split('.')[0] in ('rich', 'typer') or 'console' in name))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ompl", r"vinewright.ompl needs OMPL: (pip install .*ompl|OMPL is not published)"),
        ("torch", r"vinewright.torch needs PyTorch: pip install .*torch"),
    ],
)
def test_a_module_is_there_if_its_extra_is(name: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it the name is missing, with a message that says what to install; nothing else is."""
    assert name in dir(vw)
    monkeypatch.delitem(vars(vw), name, raising=False)
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(AttributeError, match=message):
        getattr(vw, name)
    exec("from vinewright import *", {})


def test_all_names_are_listed() -> None:
    """The names of the package are those that it says it has."""
    assert dict(inspect.getmembers(vw)).keys() >= set(vw.__all__)


@pytest.mark.parametrize("name", dir(vw))
def test_every_public_name_is_there_and_documented(name: str) -> None:
    """Functions say what they return in a runnable example."""
    if name in ("ompl", "torch"):
        pytest.importorskip(name)
    thing = getattr(vw, name)
    assert inspect.getdoc(thing)
    assert vars(vw)[name] is thing
    if inspect.isfunction(thing) and thing.__module__ == "vinewright.api":
        assert ">>> " in str(thing.__doc__)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"goal": (1, 2)}, r"goal = \(1, 2\) must be 3 numbers: x, y, radius"),
        ({"start": None}, "start = None must be 3 numbers: x, y, heading"),
        ({"bounds": (2, 0, 0, 1)}, "must have each minimum below its maximum"),
        ({"goal": (np.nan, 0, 0.1)}, "must be finite"),
        ({"start": (5, 0.5, 0)}, "start.position = .* must lie within the bounds"),
        ({"goal": (9, 9, 0.1)}, "must reach into the bounds"),
        ({"goal": (1.8, 0.5, 0)}, "goal.radius = 0 must be at least"),
        ({"obstacles": vw.Obstacles(circles=[(0.1, 0.5, 0.2)])}, "is inside circle 1"),
    ],
)
def test_an_environment_built_in_code_is_checked(changes: dict[str, object], message: str) -> None:
    """The messages are those for one that is read from a file."""
    parts = {"bounds": (0, 0, 2, 1), "start": (0.1, 0.5, 0), "goal": (1.8, 0.5, 0.1)} | changes
    with pytest.raises(vw.InvalidEnvironment, match=message):
        vw.plan(vw.Environment(**parts), iterations=1)  # type: ignore[arg-type]


def test_an_environment_built_in_code_is_that_of_the_file(tmp_path: Path) -> None:
    """Boxes, polygons, circles and walls in metres: written and read they are the same."""
    obstacles = vw.Obstacles(
        boxes=[(0.5, 0, 0.6, 0.4)],
        polygons=[[(1, 0), (1.2, 0), (1.1, 0.3)]],
        circles=[(1.2, 0.8, 0.1)],
        walls=[(0.3, 1, 0.3, 0.8, 0.01)],
    )
    room = vw.Environment(
        name="room", bounds=(0, 0, 2, 1), start=(0.1, 0.5, 0), goal=(1.8, 0.5, 0.1), obstacles=obstacles
    )
    vw.write_environment(room, tmp_path / "room.toml")
    again = vw.load_environment(tmp_path / "room.toml")
    assert again.sha256 == room.sha256
    assert len(again.obstacles) == 4
