"""The public names: what a program gets that imports them, and its errors where something is wrong."""

import doctest
import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

import environments.environment
import environments.environment_file
import environments.obstacles
import vinewright as vw


@pytest.fixture(scope="module")
def divider() -> vw.Environment:
    return vw.load_environment("divider")


@pytest.fixture(scope="module")
def result(divider: vw.Environment) -> vw.Result:
    """A short plan."""
    return vw.plan(divider, seed=1, iterations=10)


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
        "import sys, planner.plan\n"
        "print(sorted(name for name in sys.modules if name.split('.')[0] in ('rich', 'typer') or 'console' in name))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("name", vw.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    """Functions say what they return in a runnable example."""
    thing = getattr(vw, name)
    assert inspect.getdoc(thing)
    assert vars(vw)[name] is thing
    if inspect.isfunction(thing) and thing.__module__ == "vinewright":
        assert ">>> " in str(thing.__doc__)


@pytest.mark.parametrize(
    "module", [vw, environments.environment, environments.environment_file, environments.obstacles]
)
def test_examples_in_docstrings_run(module: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They print what they say."""
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testmod(module)  # type: ignore[arg-type]
    assert tried
    assert not failed


def test_a_saved_plan_is_read_and_resumed(result: vw.Result, tmp_path: Path) -> None:
    """The design comes back; a search resumed from the folder ends as one that was never saved."""
    result.save(tmp_path / "run")
    assert result.best
    again = vw.load_design(tmp_path / "run")
    assert [part.side for part in again.sections] == [part.side for part in result.best.sections]
    assert again.centerline == pytest.approx(result.best.centerline, abs=1e-6)
    resumed = vw.resume(tmp_path / "run", iterations=14)
    whole = vw.plan(result.environment, seed=1, iterations=14)
    assert resumed.best
    assert whole.best
    assert np.array_equal(resumed.best.centerline, whole.best.centerline)
    assert resumed.best.sections == whole.best.sections


def test_a_folder_of_another_origin_is_not_replaced(result: vw.Result, tmp_path: Path) -> None:
    """What is no part of a run stays."""
    (tmp_path / "thesis.tex").write_text("all of it")
    with pytest.raises(vw.UnwritableFolder, match=r"contains thesis\.tex, which is not part of a run"):
        result.save(tmp_path)
    result.save(tmp_path / "run")
    with pytest.raises(
        vw.UnwritableFolder, match=r"contains a plan; give another folder, or force=True to replace it$"
    ):
        vw.export(result.best, result.environment, tmp_path / "run", ["csv"])
    assert (tmp_path / "thesis.tex").read_text() == "all of it"


def test_the_design_is_what_the_command_finds(
    result: vw.Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same seed gives the same file, to the byte."""
    from planner.cli import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "sys.argv", ["vinewright", "plan", "divider", "--seed", "1", "--iterations", "10", "--out", "command"]
    )
    with pytest.raises(SystemExit):
        main()
    result.save("python")
    for name in ("design.json", "solutions.json"):
        assert Path("python", name).read_bytes() == Path("command", name).read_bytes()


def test_a_plan_without_a_solution_says_why(environment: Callable[..., vw.Environment]) -> None:
    """No exception: there is no design, and a reason; what wants a design says where to look."""
    room = environment(boxes=[(1.0, -4.0, 1.1, 3.0)], start=(0.0, 0.0, 0.0))
    far = vw.Environment(bounds=room.bounds, start=room.start, goal=(3.5, 0.0, 0.1), obstacles=room.obstacles)
    found = vw.plan(far, iterations=1, batch=1)
    assert (found.best, found.designs, found.reason) == (None, [], "iterations done")
    with pytest.raises(ValueError, match=r"no design was found \(iterations done\)"):
        found.save("nowhere")
    with pytest.raises(ValueError, match="`reason` of the plan's result"):
        vw.simulate(found.best, far)


def test_bad_input_is_reported_in_one_line(divider: vw.Environment, result: vw.Result) -> None:
    """What is wrong and what is allowed; a closed room has no way to the goal."""
    with pytest.raises(vw.InvalidEnvironment, match=r"dividr: not found \(did you mean divider\?\)"):
        vw.load_environment("dividr")
    with pytest.raises(ValueError, match="unknown propagator 'magic'; known: quasistatic, penalty"):
        vw.simulate(result.best, divider, propagator="magic")
    with pytest.raises(ValueError, match="unknown propagator 'magic'"):
        vw.plan(divider, propagator="magic")
    with pytest.raises(ValueError, match="--qp osqp is for --propagator impulse"):
        vw.simulate(result.best, divider, qp="osqp")
    with pytest.raises(ValueError, match=r"^seconds = nan: Input should be a finite number$"):
        vw.plan(divider, seconds=float("nan"))
    with pytest.raises(ValueError, match=r"^bacth = 3: Extra inputs are not permitted$"):
        vw.plan(divider, bacth=3)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="trials = 0 must be at least 1"):
        vw.robustness(result.best, divider, trials=0)
    with pytest.raises(ValueError, match="unknown format 'docx'; known: json"):
        vw.export(result.best, divider, "pack", ["docx"])
    with pytest.raises(ValueError, match="give seconds or iterations"):
        vw.resume("run")
    closed = vw.Obstacles(walls=[(0.5, -1, 0.5, 1, 0.01)])
    room = vw.Environment(bounds=(-1, -1, 1, 1), start=(0, 0, 0), goal=(0.8, 0, 0.1), obstacles=closed)
    with pytest.raises(vw.WalledIn, match="the goal is walled in"):
        vw.plan(room)


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
        ({"obstacles": vw.Obstacles(circles=[(0.1, 0.5, 0.2)])}, "is inside an obstacle"),
    ],
)
def test_an_environment_built_in_code_is_checked(changes: dict[str, object], message: str) -> None:
    """As one that is read from a file."""
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


def test_plot_leaves_the_figure_alone(divider: vw.Environment, result: vw.Result) -> None:
    """It draws in metres into the axes given, which lie where they lay; its neighbour stays empty."""
    assert result.best
    figure = Figure(figsize=(8, 4))
    left, right = figure.subplots(1, 2)
    bounds = left.get_position().bounds
    assert vw.plot(divider, result.best, ax=left) is left
    assert tuple(figure.get_size_inches()) == (8, 4)
    assert left.get_position(original=True).bounds == pytest.approx(bounds)
    assert not right.patches
    assert not figure.texts
    figure.draw_without_rendering()
    (tip,) = [patch for patch in left.patches if patch.get_gid() == "tip"]
    shown = tip.get_window_extent()
    middle = [(shown.x0 + shown.x1) / 2, (shown.y0 + shown.y1) / 2]
    assert left.transData.inverted().transform(middle) == pytest.approx(result.best.tip[:2], abs=1e-6)
    assert left.get_xlim()[1] == pytest.approx(divider.bounds[2], rel=0.02)
    assert left.dataLim.x1 < 2 * divider.bounds[2]


def test_progress_is_shown_where_it_is_asked_for(divider: vw.Environment, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is printed otherwise."""
    vw.plan(divider, seed=1, iterations=2)
    assert capsys.readouterr().out == ""
    vw.plan(divider, seed=1, iterations=2, progress=True)
    assert "planning divider: spam, quasistatic, seed 1" in capsys.readouterr().out


def test_robustness_is_that_of_the_command(divider: vw.Environment, result: vw.Result) -> None:
    """The same trials as the survey of an uncertainty, by name or by value; without errors all succeed."""
    from environments.uncertainty import WORKSHOP
    from planner.robustness.survey import ALL, Survey

    assert result.best
    estimate = vw.robustness(result.best, divider, trials=40, seed=3)
    survey = Survey.of(result.best, divider, WORKSHOP, 40, 3, alone=False)
    for _ in survey.run():
        pass
    assert survey.counts[ALL]["reached"] == estimate.reached
    percent = vw.Uncertainty.of_levels(0.1, 0.1)
    estimates = [vw.robustness(result.best, divider, trials=40, uncertainty=one, seed=3) for one in ("paper", percent)]
    assert estimates[0] == estimates[1]
    assert vw.robustness(result.best, divider, trials=40, uncertainty="none").rate == 1.0
    with pytest.raises(ValueError, match="uncertainty 'lab' must be one of workshop, "):
        vw.robustness(result.best, divider, uncertainty="lab")


def test_a_plan_is_not_verified_by_the_propagator_that_plans(divider: vw.Environment) -> None:
    """As on the command line: one line that names it."""
    with pytest.raises(ValueError, match="quasistatic is the propagator that plans; give a different one"):
        vw.plan(divider, verify="quasistatic", iterations=1)
