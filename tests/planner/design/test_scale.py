"""Tubes of other sizes than the prototype plan, simulate, export and are evaluated as it does."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dynamics.registry import load_propagator
from dynamics.tube import RADIUS, VineParams
from dynamics.tube_file import similar
from dynamics.vine import Actuation, Status
from environments import Environment, load_environment
from environments.obstacles import Obstacles
from environments.uncertainty import Uncertainty
from planner.design.design import Design
from planner.design.replay import grow_designs
from planner.fabrication.pack import Pack
from planner.search.run import Budget, Run
from planner.uncertainty.deviations import WorldErrors
from planner.uncertainty.trials import Worlds, grow_trials

ITERATIONS = 12
TENTH = similar(RADIUS / 10)


def scaled(environment: Environment, size: float) -> Environment:
    solids = environment.obstacles
    smaller = Obstacles(
        tuple(size * points for points in solids.polygons), size * solids.circles, size * solids.walls, ends="round"
    )
    lengths = {
        "bounds": size * environment.bounds,
        "start": environment.start * [size, size, 1],
        "goal": size * environment.goal,
    }
    return replace(environment, **lengths, obstacles=smaller)


TUBES = {
    "a tenth": (0.1, TENTH),
    "10 mm": (1.0, VineParams(segment_length=10e-3)),
    "50 mm": (1.0, VineParams(segment_length=50e-3)),
}


@pytest.fixture(
    scope="module",
    params=["a tenth", pytest.param("10 mm", marks=pytest.mark.slow), pytest.param("50 mm", marks=pytest.mark.slow)],
)
def planned(request: pytest.FixtureRequest) -> tuple[float, Environment, Design]:
    """The scale, the environment and the best design that a short search finds there."""
    size, params = TUBES[request.param]
    environment = scaled(load_environment("divider"), size)
    run = Run.prepare(environment, params, seed=3, batch=50)
    for _ in run.run(Budget(120.0, ITERATIONS)):
        pass
    assert run.best
    return size, environment, run.best.design


def test_they_plan(planned: tuple[float, Environment, Design]) -> None:
    """A design of one or two actuators is found, of about the length that the prototype needs, in proportion."""
    size, _, design = planned
    assert design.actuators <= 2
    assert 1.5 < design.length / size < 1.8
    assert all(section.end / design.params.segment_length == pytest.approx(round(section.end / design.params.segment_length))
               for section in design.sections)  # fmt: skip


@pytest.mark.parametrize("name", ["quasistatic", "impulse"])
def test_they_simulate(planned: tuple[float, Environment, Design], name: str) -> None:
    """The design grows to its length, and where the joints' moments are those of the plan it reaches the goal again.

    Impulse has moments per length, the plan moments per joint: with segments of another length these are other tubes.
    """
    size, environment, design = planned
    grown = grow_designs([design], environment, load_propagator(name)(environment, design.params))[0]
    assert grown.status == Status.GROWN
    if name != "impulse":
        assert grown.reached
        assert np.hypot(*(grown.design.tip[:2] - design.tip[:2])) < 0.03 * size


@pytest.mark.slow
def test_they_export(planned: tuple[float, Environment, Design], tmp_path: Path) -> None:
    """In whole cells the design is written in every format that needs no printed bracket."""
    _, environment, design = planned
    pack = Pack.of(design, environment, load_propagator("quasistatic")(environment, design.params), allow_limit=True)
    for form in ("json", "csv", "svg", "pdf"):
        assert pack.write(form, tmp_path)
    assert pack.grown.design.actuators == design.actuators
    assert pack.grown.design.length == pytest.approx(design.length, rel=0.1)


def test_they_are_evaluated(planned: tuple[float, Environment, Design]) -> None:
    """Trials without errors reach the goal; with errors some may not, and none breaks down."""
    size, environment, design = planned
    params = design.params
    assert grow_trials(design, Worlds(environment, params, WorldErrors.none(environment, 2))).reached.all()
    errors = Uncertainty(obstacle_share=0.02, pressure_share=0.05, cell_share=0.02, start_position=2e-3 * size)
    outcome = grow_trials(design, Worlds.draw(environment, params, errors, range(8), 0))
    assert outcome.reached.any()
    assert outcome.counts()["not finite"] == 0


def test_a_tenth_of_everything_grows_a_tenth() -> None:
    """Equal steering in an environment and of a tube a tenth as large ends at a tenth of the way, and touches with a hundredth."""
    environment = load_environment("divider")
    tips, forces = [], []
    for size, params in ((1.0, VineParams()), (0.1, TENTH)):
        model = load_propagator("quasistatic")(scaled(environment, size), params)
        state, carried = model.start(1, 60), _steered(60, size)
        rollout = model.grow(state, carried, 40 * params.segment_length, params.segment_length)
        tips.append(rollout.tips[0, : rollout.records[0], :2] / size)
        forces.append(rollout.contact_force[0, : rollout.records[0]].max() / size**2)
    assert len(tips[0]) == len(tips[1]) > 20
    np.testing.assert_allclose(tips[1], tips[0], atol=2e-3)
    assert forces[0] > 1.0
    assert forces[1] == pytest.approx(forces[0], rel=0.02)


def _steered(count: int, size: float) -> Actuation:
    pressure, cells = np.zeros((1, count)), np.full((1, count), 0.07 * size)
    pressure[0, :20] = -30e3
    return Actuation(pressure, cells)
