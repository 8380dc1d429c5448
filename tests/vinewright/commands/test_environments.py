"""`vinewright environments show`, and the hints that commands print about an environment."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from environments import load_environment
from vinewright.cli import main

SLIPS = """schema = 2
unit = "m"
bounds = { min = [0, 0], max = [1200, 800] }
start = { position = [200, 100], heading_deg = 1.5708 }
goal = { position = [1000, 600], radius = 100 }
obstacles = { walls = [[600, -1, 600, 900, 5]] }
"""
DOORWAYS = """schema = 2
unit = "cm"
bounds = { min = [0, 0], max = [100, 60] }
start = { position = [15, 30], heading_deg = 0 }
goal = { position = [85, 30], radius = 5 }
obstacles = { walls = [[40, 0, 40, 26, 1.8], [40, 34, 40, 60, 1.8], [60, 0, 60, 24, 1.8], [60, 36, 60, 60, 1.8]] }
"""
Run = Callable[..., tuple[int, list[str]]]


@pytest.fixture
def vinewright(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Exit code and printed lines of a command that runs in an empty folder."""

    def run(*arguments: object) -> tuple[int, list[str]]:
        monkeypatch.setattr("sys.argv", ["vinewright", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0), capsys.readouterr().out.splitlines()

    monkeypatch.chdir(tmp_path)
    return run


def test_show_gives_the_narrowest_passages(vinewright: Run) -> None:
    """In millimetres, narrowest first, with where they are and the tube to compare; a picture shows them."""
    Path("room.toml").write_text(DOORWAYS)
    code, lines = vinewright("environments", "show", "room.toml", "--picture", "room.png")
    assert code == 0
    assert "bounds     (0, 0) to (1000, 600) mm" in lines
    assert "obstacles  boxes: 0; polygons: 0; circles: 0; walls: 4" in lines
    gaps = "80 mm at (400, 300) mm; 120 mm at (600, 300) mm; 182 mm at (500, 120) mm"
    assert f"passages   {gaps} (the narrowest gaps between obstacles)" in lines
    assert "tube       66.7 mm wide" in lines
    assert not [line for line in lines if line.startswith("hint")]
    with Image.open("room.png") as picture:
        assert picture.width > 1000


def test_show_without_passages(vinewright: Run) -> None:
    """An environment without gaps between obstacles has none, however near an obstacle is to the bounds."""
    Path("room.toml").write_text(DOORWAYS.partition("obstacles")[0] + "obstacles = { boxes = [[40, 0, 60, 59]] }\n")
    code, lines = vinewright("environments", "show", "room.toml")
    assert code == 0
    assert "passages   none" in lines


def test_commands_print_hints(vinewright: Run) -> None:
    """`environments show` and `plan` print each hint in a line of its own, `plan` before anything else."""
    Path("room.toml").write_text(SLIPS)
    hints = [
        'hint: the environment is 1200 m wide: are its lengths in mm? unit = "mm"',
        "hint: start.heading_deg = 1.5708 looks like radians: 90 degrees is meant?",
    ]
    code, lines = vinewright("environments", "show", "room.toml")
    assert (code, lines[-2:]) == (0, hints)
    # The wall ends this command before the search.
    code, lines = vinewright("plan", "room.toml", "--out", "run")
    assert (code, lines[:2]) == (3, hints)
    assert lines[2].startswith("not met: no solution: room: the goal is walled in")


def test_commands_say_how_many_tubes_begin_outside(vinewright: Run) -> None:
    """The share is that of the errors that each command tries designs with: of the file, the default, or the option."""
    text = DOORWAYS.replace("[15, 30]", "[0.16, 30]").replace("26, 1.8], [40, 34", "26.9, 1.8], [40, 33.1")
    told = "hint: the start is 1.6 mm from the left bound, and its error is {}: about {} % of the tubes begin outside"
    for errors, words in (("", ("4 mm", 34)), ("[uncertainty]\nstart_position_mm = 1\n", ("1 mm", 5))):
        Path("room.toml").write_text(text + errors)
        start = told.format(*words)
        code, lines = vinewright("environments", "show", "room.toml")
        assert (code, lines[-1].partition(";")[0]) == (0, start)
        code, lines = vinewright("plan", "room.toml", "--out", "run")
        assert (code, lines[0].partition(";")[0]) == (3, start)
    Path("room.toml").write_text(text)
    for name, hint in (("field", told.format("10 mm", 44)), ("none", "not met: no solution: room")):
        code, lines = vinewright("plan", "room.toml", "--out", "run", "--uncertainty", name)
        assert code == 3
        assert lines[0].startswith(hint)
    Path("other.toml").write_text(text)
    code, lines = vinewright(
        "plan", "room.toml", "other.toml", "--same-design", "--out", "run", "--uncertainty", "field"
    )
    assert (code, [line.partition(";")[0] for line in lines[:2]]) == (3, [told.format("10 mm", 44)] * 2)


def test_a_walled_in_goal_is_one_message(vinewright: Run) -> None:
    """It names the widest way in, where it is, and the tube, and what to do; one line, exit code 3."""
    Path("room.toml").write_text(DOORWAYS.replace("26, 1.8], [40, 34", "26.9, 1.8], [40, 33.1"))
    assert vinewright("plan", "room.toml", "--out", "run") == (
        3,
        [
            "not met: no solution: room: the goal is walled in: no path as wide as the tube leads from the start to it; the widest way in "
            "is 62 mm wide at (400, 300) mm, the tube is 66.7 mm wide: widen it, take a thinner tube, or move the start or the goal"
        ],
    )


def test_a_hall_can_be_made(vinewright: Run, tmp_path: Path) -> None:
    """`environments new --hall` writes a hall of the default size, and of another, with about so many corners."""
    assert vinewright("environments", "new", "hall.toml", "--hall", "tracks", "--corners", 600)[0] == 0
    hall = load_environment(tmp_path / "hall.toml")
    assert hall.bounds.tolist() == [0, 0, 20, 15]
    assert sum(map(len, hall.obstacles.polygons)) == pytest.approx(600, rel=1 / 3)
    assert vinewright("environments", "new", "b.toml", "--hall", "caves", "--width", 9, "--height", 8)[0] == 0
    assert load_environment(tmp_path / "b.toml").bounds.tolist() == [0, 0, 9, 8]
