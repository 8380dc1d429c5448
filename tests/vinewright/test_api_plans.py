"""Plans made by a program: what it gets, the examples in docstrings, and its errors where something is wrong."""

import doctest
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

import environments.environment
import environments.environment_file
import environments.obstacles
import vinewright as vw
import vinewright.api
from dynamics.quasistatic.propagator import QuasiStatic
from tests.planner.plan.known import known_design, written

pytestmark = pytest.mark.usefixtures("small_pictures")

SHORT: dict[str, Any] = {"seed": 1, "batch": 20, "iterations": 2}


@pytest.fixture(scope="module")
def small(small_file: Path) -> vw.Environment:
    return vw.load_environment(small_file)


@pytest.fixture(scope="module")
def result(small: vw.Environment) -> vw.Result:
    """A short plan."""
    return vw.plan(small, **SHORT)


def once(plan: Callable[..., vw.Result]) -> Callable[..., vw.Result]:
    """The function, which returns its first result again where it is asked for the same plan of a shipped environment."""
    made: dict[Any, vw.Result] = {}

    def again(environment: vw.Environment, **options: Any) -> vw.Result:
        key = environment.sha256, *sorted(options.items())
        if key not in made:
            made[key] = plan(environment, **options)
        return made[key]

    return again


@pytest.mark.parametrize(
    "module", [vw, vinewright.api, environments.environment, environments.environment_file, environments.obstacles]
)
def test_examples_in_docstrings_run(module: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They print what they say. Many begin with the same plan, which is made once."""
    monkeypatch.chdir(tmp_path)
    tests = [test for test in doctest.DocTestFinder().find(module) if test.examples]
    assert tests
    monkeypatch.setattr(vw, "plan", once(vw.plan))
    runner = doctest.DocTestRunner()
    for test in tests:
        assert not runner.run(test).failed


def test_a_saved_plan_is_read_and_resumed(result: vw.Result, tmp_path: Path) -> None:
    """The design comes back; a search resumed from the folder ends as one that was never saved."""
    result.save(tmp_path / "run")
    assert result.best
    again = vw.load_design(tmp_path / "run")
    assert [part.side for part in again.sections] == [part.side for part in result.best.sections]
    assert again.centerline == pytest.approx(result.best.centerline, abs=1e-6)
    resumed = vw.resume(tmp_path / "run", iterations=4)
    whole = vw.plan(result.environment, **SHORT | {"iterations": 4})
    assert resumed.best
    assert whole.best
    assert np.array_equal(resumed.best.centerline, whole.best.centerline)
    assert resumed.best.sections == whole.best.sections


def test_a_folder_of_another_origin_is_not_replaced(result: vw.Result, tmp_path: Path) -> None:
    """Files that are no part of a run stay."""
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
    result: vw.Result, small_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A seed gives a file that is equal to the byte."""
    from vinewright.cli import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "sys.argv",
        [
            "vinewright",
            "plan",
            str(small_file),
            "--seed",
            "1",
            "--batch",
            "20",
            "--iterations",
            "2",
            "--out",
            "command",
        ],
    )
    with pytest.raises(SystemExit):
        main()
    result.save("python")
    for name in ("design.json", "solutions.json"):
        assert Path("python", name).read_bytes() == Path("command", name).read_bytes()


def test_a_plan_without_a_solution_says_why(environment: Callable[..., vw.Environment]) -> None:
    """No exception: there is no design, and a reason; what wants a design says where to look."""
    room = environment(boxes=[(1.0, -1.5, 1.1, 1.0)], start=(0.0, 0.0, 0.0))
    far = vw.Environment(bounds=room.bounds, start=room.start, goal=(1.3, 0.0, 0.1), obstacles=room.obstacles)
    found = vw.plan(far, iterations=1, batch=1)
    assert (found.best, found.designs, found.reason) == (None, [], "iterations done")
    with pytest.raises(ValueError, match=r"no design was found \(iterations done\)"):
        found.save("nowhere")
    with pytest.raises(ValueError, match="`reason` of the plan's result"):
        vw.simulate(found.best, far)


def test_bad_input_is_reported_in_one_line(small: vw.Environment, result: vw.Result) -> None:
    """The message says what is wrong and what is allowed; a closed room has no way to the goal."""
    with pytest.raises(vw.InvalidEnvironment, match=r"dividr: not found \(did you mean divider\?\)"):
        vw.load_environment("dividr")
    with pytest.raises(ValueError, match="unknown propagator 'magic'; known: quasistatic, penalty"):
        vw.simulate(result.best, small, propagator="magic")
    with pytest.raises(ValueError, match="unknown propagator 'magic'"):
        vw.plan(small, propagator="magic")
    with pytest.raises(ValueError, match="--qp osqp is for --propagator impulse"):
        vw.simulate(result.best, small, qp="osqp")
    with pytest.raises(ValueError, match=r"^seconds = nan: Input should be a finite number$"):
        vw.plan(small, seconds=float("nan"))
    with pytest.raises(ValueError, match=r"^bacth = 3: Extra inputs are not permitted$"):
        vw.plan(small, bacth=3)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="trials = 0 must be at least 1"):
        vw.robustness(result.best, small, trials=0)
    with pytest.raises(ValueError, match="unknown format 'docx'; known: json"):
        vw.export(result.best, small, "pack", ["docx"])
    with pytest.raises(ValueError, match="give seconds or iterations"):
        vw.resume("run")
    closed = vw.Obstacles(walls=[(0.5, -1, 0.5, 1, 0.01)])
    room = vw.Environment(bounds=(-1, -1, 1, 1), start=(0, 0, 0), goal=(0.8, 0, 0.1), obstacles=closed)
    with pytest.raises(vw.WalledIn, match="the goal is walled in"):
        vw.plan(room)


def test_a_propagator_may_be_a_class(small: vw.Environment, result: vw.Result) -> None:
    """One that is not in the registry grows a design, is refused what it does not support, and has no setting of another."""

    class Stiff(QuasiStatic):
        """The default model of a tube whose moments are those of twice the growth pressure."""

        def __init__(self, environment: vw.Environment, params: vw.VineParams) -> None:
            super().__init__(environment, replace(params, growth_pressure=2 * params.growth_pressure))

    class OneArc(Stiff):
        capabilities = replace(QuasiStatic.capabilities, sections=False)

    class Smooth(Stiff):
        capabilities = replace(QuasiStatic.capabilities, friction=False)

    assert result.best is not None
    bent = vw.Section(0.0, 0.2, "left", 1.0, 0.04, 2e4)
    design = replace(result.best, sections=(bent, vw.Section(0.2, 0.3, "none", 0.0, 0.0, 0.0)))
    own = vw.simulate(design, small, propagator=Stiff)
    assert not np.allclose(own.tip, vw.simulate(design, small).tip)
    stiff = replace(design, params=replace(design.params, growth_pressure=2 * design.params.growth_pressure))
    np.testing.assert_array_equal(own.tip, vw.simulate(stiff, small).tip)
    with pytest.raises(ValueError, match=r"^propagator = functools.partial.* must be a name or a class"):
        vw.simulate(design, small, propagator=partial(Stiff))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^OneArc models a tube as one arc .* this design has 2 sections"):
        vw.simulate(design, small, propagator=OneArc)
    with pytest.raises(ValueError, match=r"^--qp osqp is for --propagator impulse; Stiff does not have this option$"):
        vw.simulate(design, small, propagator=Stiff, qp="osqp")
    with pytest.raises(ValueError, match=r"Smooth has no friction$"):
        vw.simulate(design, small, propagator=Smooth, friction=0.1)


def test_plot_leaves_the_figure_alone(small: vw.Environment, result: vw.Result) -> None:
    """It draws in metres into the axes given, which lie where they lay; its neighbour stays empty."""
    assert result.best
    figure = Figure(figsize=(8, 4))
    left, right = figure.subplots(1, 2)
    bounds = left.get_position().bounds
    assert vw.plot(small, result.best, ax=left) is left
    assert tuple(figure.get_size_inches()) == (8, 4)
    assert left.get_position(original=True).bounds == pytest.approx(bounds)
    assert not right.patches
    assert not figure.texts
    figure.draw_without_rendering()
    (tip,) = [patch for patch in left.patches if patch.get_gid() == "tip"]
    shown = tip.get_window_extent()
    middle = [(shown.x0 + shown.x1) / 2, (shown.y0 + shown.y1) / 2]
    assert left.transData.inverted().transform(middle) == pytest.approx(result.best.tip[:2], abs=1e-6)
    assert left.get_xlim()[1] == pytest.approx(small.bounds[2], rel=0.02)
    assert left.dataLim.x1 < 2 * small.bounds[2]


def test_progress_is_shown_where_it_is_asked_for(small: vw.Environment, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is printed otherwise."""
    vw.plan(small, seed=1, iterations=2)
    assert capsys.readouterr().out == ""
    vw.plan(small, seed=1, iterations=2, progress=True)
    assert "planning small: spam, quasistatic, seed 1" in capsys.readouterr().out


def test_robustness_is_that_of_the_command(small: vw.Environment, result: vw.Result) -> None:
    """Trials are those of the survey of an uncertainty, by name or by value; without errors all succeed."""
    from environments.uncertainty import WORKSHOP
    from planner.uncertainty.survey import ALL, Survey

    assert result.best
    estimate = vw.robustness(result.best, small, trials=40, seed=3)
    survey = Survey.of(result.best, small, WORKSHOP, 40, 3, alone=False)
    for _ in survey.run():
        pass
    assert survey.counts[ALL]["reached"] == estimate.reached
    percent = vw.Uncertainty.of_levels(0.1, 0.1)
    estimates = [vw.robustness(result.best, small, trials=40, uncertainty=one, seed=3) for one in ("paper", percent)]
    assert estimates[0] == estimates[1]
    assert vw.robustness(result.best, small, trials=40, uncertainty="none").rate == 1.0
    with pytest.raises(ValueError, match="uncertainty 'lab' must be one of workshop, "):
        vw.robustness(result.best, small, uncertainty="lab")


def test_a_plan_is_not_verified_by_the_propagator_that_plans(small: vw.Environment) -> None:
    """One line names it, as on the command line."""
    with pytest.raises(ValueError, match="quasistatic is the propagator that plans; give a different one"):
        vw.plan(small, verify="quasistatic", iterations=1)


def test_ways_around_a_box_are_counted(environment: Callable[..., vw.Environment]) -> None:
    """A box in the middle of a room is passed above and below: of the designs that were kept some have it on either side."""
    box = (0.5, -0.15, 0.7, 0.15)
    room = replace(environment(bounds=(-0.2, -0.8, 1.6, 0.8), boxes=(box,)), goal=np.array([1.3, 0.0, 0.15]))
    found = vw.plan(room, seed=1, iterations=25, batch=60, fast=True, solutions=20)
    heights = [float(np.interp(0.6, *design.centerline.T)) for design in found.designs]
    assert found.ways == len({height > 0 for height in heights}) == 2
    graph = found.solution_graph()
    assert sum("solution" in node for _, node in graph.nodes(data=True)) == len(found.designs)
    assert len(found.search_graph()) == len(found.run.search.tree)


def test_a_plan_begins_with_a_known_design(room: vw.Environment, tmp_path: Path) -> None:
    """The path of the design is a keyword; a design that cannot be used is a ValueError."""
    path = written(known_design(room), tmp_path)
    result = vw.plan(room, seed=1, iterations=1, fast=True, start_from=path)
    assert result.best
    assert result.best.actuators == 1
    assert vw.plan(room, seed=1, iterations=1, fast=True).best is None
    result.save(tmp_path / "run")
    Path(path).unlink()
    assert vw.resume(tmp_path / "run", iterations=2).problem.known
    with pytest.raises(vw.InvalidDesign, match="cannot be read"):
        vw.plan(room, iterations=1, start_from=path)
