"""OMPL's planners by name."""

from pathlib import Path

import pytest

pytest.importorskip("ompl")
from ompl import base, control

from dynamics.tube import VineParams
from environments import Environment
from planner.design.design_file import load_design
from planner.search.ompl.planners import NoPlanner, available_planners, check_planner, make_planner, planner_names
from planner.search.ompl.setup import space
from planner.search.planners import SST_STAR, search_of
from tests.conftest import Vinewright


def test_every_control_planner_has_a_name() -> None:
    """Words with hyphens, without numbers; the classes are those of the installed package."""
    names = planner_names()
    assert {"rrt": "RRT", "kpiece": "KPIECE1", "syclop-rrt": "SyclopRRT"}.items() <= names.items()
    classes = {
        name
        for name in dir(control)
        if isinstance(kind := getattr(control, name), type) and issubclass(kind, base.Planner)
    }
    assert set(names.values()) == classes


def test_available_planners_can_be_made(shipped: dict[str, Environment], params: VineParams) -> None:
    """Each of them, for the space of vines; the others are refused by name."""
    information = space(shipped["divider"], params).getSpaceInformation()
    available = available_planners()
    assert {"rrt", "est", "kpiece"} <= set(available)
    for name in available:
        assert type(make_planner(name, information)).__name__ == planner_names()[name]
    refused = set(planner_names()) - set(available)
    assert refused
    for name in refused:
        with pytest.raises(NoPlanner, match=f"'{name}': {planner_names()[name]} of ompl .* available: .*rrt"):
            make_planner(name, information)


def test_unknown_planners_are_refused() -> None:
    """The message names those that there are."""
    with pytest.raises(NoPlanner, match="unknown planner 'prm'; available: est, kpiece, rrt"):
        check_planner("prm")
    with pytest.raises(NoPlanner, match="'RRT'"):
        search_of("RRT")


OWN = """
from ompl import base


class First(base.Planner):
    def __init__(self, information):
        super().__init__(information, "first")

    def solve(self, until):
        space = self.getSpaceInformation()
        sampler, steer, after = space.allocControlSampler(), space.allocControl(), space.allocState()
        start = space.cloneState(self.getPlannerInputStates().nextStart()) if not hasattr(self, "start") else self.start
        self.start = start
        while not until():
            sampler.sample(steer)
            space.propagateWhileValid(start, steer, 1, after)
            if self.getProblemDefinition().getGoal().isSatisfied(after):
                return base.PlannerStatus(True, False)
        return base.PlannerStatus(False, False)


def nothing(information):
    return None


number = 7
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A file with a planner that extends the vine of zero length only."""
    path = tmp_path / "own planner.py"
    path.write_text(OWN)
    return path


def test_a_planner_of_the_callers_plans(own: Path, small_file: Path, tmp_path: Path, vinewright: Vinewright) -> None:
    """It searches by its file and class, its design has the one section that it can have, and a resumed plan loads it again."""
    out, asked = tmp_path / "run", ("--fast", "--seed", "1", "--planner", f"{own}:First")
    code, printed, error = vinewright("plan", str(small_file), "--out", str(out), "--iterations", "4", *asked)
    assert (code, error) == (0, "")
    assert f"{own}:First" in printed
    design = load_design(out)
    assert design.actuators <= 1
    assert len(design.sections) == 1
    assert vinewright("plan", "--resume", str(out), "--iterations", "5")[0] == 0


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no such file.py:First", "there is no file no such file.py; give FILE.py:CLASS or MODULE:CLASS"),
        ("{own}:Second", "has no attribute 'Second'; give FILE.py:CLASS"),
        ("{own}:number", "number is not a class or function that makes a planner of OMPL"),
        ("{own}:nothing", "it makes a NoneType, which is not a planner of OMPL"),
        ("json:dumps", "it cannot be made: TypeError"),
        ("no_such_module:First", "No module named 'no_such_module'"),
        (":First", "give FILE.py:CLASS or MODULE:CLASS"),
    ],
)
def test_what_is_no_planner_is_refused(
    name: str, said: str, own: Path, small_file: Path, tmp_path: Path, vinewright: Vinewright
) -> None:
    """One line says what is wrong; no folder is left."""
    out = tmp_path / "run"
    code, _, error = vinewright("plan", str(small_file), "--out", str(out), "--planner", name.format(own=own))
    assert code == 2
    assert said in error
    assert len(error.strip().splitlines()) == 1
    assert not out.exists()


def test_ours_needs_no_ompl(monkeypatch: pytest.MonkeyPatch) -> None:
    """SST* searches where OMPL is not installed."""
    monkeypatch.setitem(__import__("sys").modules, "planner.search.ompl.planners", None)
    assert search_of(SST_STAR) is None
    with pytest.raises(ModuleNotFoundError):
        search_of("rrt")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--planner", "pdst"], "PDST of ompl"),
        (["--planner", "prm"], "unknown planner 'prm'"),
        (["--planner", "rrt", "--heuristic"], "--heuristic needs --planner sst-star; not rrt"),
        (["--planner", "est", "--particles", "4"], "--particles needs --planner sst-star; not est"),
        (["--planner", "rrt", "--same-design"], "--same-design needs two or more ENV"),
    ],
)
def test_bad_choices_end_with_one_line(
    arguments: list[str], said: str, small_file: Path, tmp_path: Path, vinewright: Vinewright
) -> None:
    """Exit code 2, one line, no folder."""
    out = tmp_path / "run"
    code, _, error = vinewright("plan", str(small_file), "--out", str(out), *arguments)
    assert code == 2
    assert said in error
    assert len(error.strip().splitlines()) == 1
    assert not out.exists()
