"""`plan --from`, as a user meets it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from dynamics.tube import VineParams
from environments import Environment
from environments.environment_file import environment_text
from planner.design.design_file import load_design
from planner.plan.choice.contest import Contest
from tests.planner.plan.known import known_design, written

pytestmark = pytest.mark.usefixtures("small_pictures")

Vinewright = Callable[..., tuple[int, str, str]]
PLAN = "plan", "room.toml", "--iterations", 1, "--batch", 20, "--seed", 1


@pytest.fixture
def place(tmp_path: Path, room: Environment) -> Path:
    """A folder with the room, and with a design for it."""
    (tmp_path / "room.toml").write_text(environment_text(room))
    written(known_design(room), tmp_path)
    return tmp_path


def test_a_plan_says_with_what_it_begins(vinewright: Vinewright, place: Path) -> None:
    """The design comes out of one iteration; a run, too, is begun with; the folder says where the design is from."""
    code, printed, _ = vinewright(*PLAN, "--fast", "--from", "known.json")
    assert code == 0
    assert "begins with known.json: 1 actuator, 872 mm\nplanning room: " in printed
    facts = json.loads((place / "runs/room/run.json").read_text())
    assert (facts["inputs"]["start_from"], facts["known"]["file"]) == ("known.json", "known.json")
    code, printed, _ = vinewright(*PLAN, "--fast", "--from", "runs/room", "--actuator", "pouch", "--json")
    assert code == 0
    assert load_design(place / "runs/room-2").params.kinds == "pouch"
    facts = json.loads((place / "runs/room-2/run.json").read_text())
    assert facts["known"]["changes"][0].startswith("actuator 1 has pouch of ")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--from", "none.json"), "none.json: cannot be read: No such file or directory"),
        (("--from", "room.toml"), "room.toml: is not JSON"),
        (("--from", "known.json", "--planner", "rrt"), "--from needs --planner sst-star; not rrt"),
        (("--from", "known.json", "--steer", 1), "steer = 1 is for the planner sst-star, without"),
        (("--from", "own/known.json", "--out", "own"), "own contains the design that is read; give another --out"),
        (("--from", "folds.json"), "--from folds.json: it has preformed bends; allow them with --preformed"),
    ],
    ids=str,
)
def test_faults_are_told_in_one_line(
    vinewright: Vinewright, place: Path, room: Environment, options: tuple[object, ...], words: str
) -> None:
    sections = json.loads((place / "known.json").read_text())["sections"]
    sections[1] |= {"l0_mm": 0, "pressure_kpa": 0, "preformed": True}
    written(known_design(room), place, "folds.json", sections=sections)
    (place / "own").mkdir()
    written(known_design(room), place / "own")
    code, _, errors = vinewright(*PLAN, *options)
    assert code == 2
    assert errors.startswith("error: ")
    assert words in errors
    assert errors.count("\n") == 1
    assert not (place / "runs").exists() or not [*(place / "runs").iterdir()]


@pytest.mark.usefixtures("place")
def test_several_environments_have_no_known_design(vinewright: Vinewright) -> None:
    code, _, errors = vinewright("plan", "room.toml", "divider", "--same-design", "--from", "known.json")
    assert code == 2
    assert "--from is for one environment; it cannot be given with --same-design" in errors


def test_a_resumed_plan_needs_the_file_no_more(
    vinewright: Vinewright, place: Path, room: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The design is in the checkpoint; a plan that ended in refinement goes on to what one without a pause reaches."""
    assert vinewright(*PLAN, "--from", "known.json", "--out", "whole")[0] in (0, 3)

    class Killed(BaseException):
        pass

    def kill(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Contest, "turn", kill)
        patch.setattr("planner.plan.searching.SAVED_EVERY", 0.0)
        with pytest.raises(Killed):
            vinewright(*PLAN, "--from", "known.json", "--out", "killed")
    (place / "known.json").unlink()
    code, printed, _ = vinewright("plan", "--resume", "killed", "--iterations", 1)
    assert code in (0, 3)
    assert "begins with known.json: 1 actuator, 872 mm\n" in printed
    assert (place / "killed/design.json").read_bytes() == (place / "whole/design.json").read_bytes()
    assert (
        json.loads((place / "killed/run.json").read_text())["known"]
        == json.loads((place / "whole/run.json").read_text())["known"]
    )
    written(known_design(room, VineParams()), place)
    code, _, errors = vinewright("plan", "--resume", "killed", "--from", "known.json")
    assert code == 2
    assert "--from cannot be given with --resume" in errors
