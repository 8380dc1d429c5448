"""A vine that goes wrong is reported with step and segment, and spoils nothing: every propagator promises so."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from dynamics.impulse.propagator import Impulse
from dynamics.propagator import Propagator
from dynamics.registry import load_propagator, propagators
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, Status, VineState
from environments import Environment, Obstacles

MakeEnvironment = Callable[..., Environment]
BATCH, SEGMENTS, GROWN = 6, 16, 8
POISON = {1: ("angle", np.nan), 2: ("angle", np.inf), 3: ("length", np.nan), 4: ("length", -np.inf)}
JOINT = 5
"""Number of the angle that is poisoned."""


@pytest.fixture(scope="module")
def workspace(environment: MakeEnvironment) -> Environment:
    """A wall, at which the vines bend as they grow on."""
    return environment(start=(0.3, -0.2, 2.0), boxes=[[-1.0, 0.05, 1.0, 0.1]])


def propagator_of(name: str, workspace: Environment, params: VineParams) -> Propagator:
    """On the CPU, without obstacles where it knows no contact; PyTorch is slow: in few, long steps."""
    model: Callable[..., Propagator] = load_propagator(name)
    if name == "penalty":
        model = partial(model, device="cpu", step=25e-3 / 2, inner_steps=4)
    contact = load_propagator(name).capabilities.contact
    return model(workspace if contact else replace(workspace, obstacles=Obstacles()), params)


EveryPropagator = pytest.mark.parametrize("name", propagators())


def steered(pressure: float = 12e3) -> Actuation:
    return Actuation(np.full((BATCH, SEGMENTS), pressure), np.full((BATCH, SEGMENTS), 0.05))


def straight() -> VineState:
    """Vines of 8 segments, the last of which is not whole."""
    return VineState(np.zeros((BATCH, SEGMENTS)), np.full(BATCH, GROWN), np.full(BATCH, 0.015))


def alike(one: Rollout, other: Rollout, vines: list[int]) -> bool:
    """Whether some vines of two rollouts agree in every byte."""
    pairs = [(getattr(one, name), getattr(other, name)) for name in Rollout.__slots__]
    assert all((a is None) == (b is None) for a, b in pairs)
    return all(a is None or a[vines].tobytes() == b[vines].tobytes() for a, b in pairs)


def tried(rollout: Rollout, vine: int) -> int:
    """Number of steps of a vine, those at constant length among them."""
    return int(rollout.steps[vine] + (0 if rollout.relaxations is None else rollout.relaxations[vine]))


def tells_the_truth(rollout: Rollout) -> bool:
    """Whether all that is recorded is finite, and just those that came to be something else, or still move, have a segment for it."""
    written = np.arange(rollout.tips.shape[1]) < rollout.records[:, None]
    arrays = rollout.angles, rollout.last_length, rollout.tips, rollout.contact_force
    finite = all(np.isfinite(array[written]).all() for array in arrays)
    return finite and np.array_equal(
        np.isin(rollout.status, [Status.NOT_FINITE, Status.UNSETTLED]), rollout.broken >= 0
    )


@EveryPropagator
def test_poisoned_vines_are_named_and_spoil_nothing(name: str, workspace: Environment, params: VineParams) -> None:
    """They take no step and have no record, their segment is reported; a vine grown and one held beside them end as ever."""
    propagator, state, lengths = propagator_of(name, workspace, params), straight(), np.array([0.05] * 5 + [0.0])
    healthy = propagator.grow(state, steered(), lengths, 0.05)
    assert (healthy.broken == -1).all()
    angles, last_length = state.angles.copy(), state.last_length.copy()
    for vine, (where, value) in POISON.items():
        if where == "angle":
            angles[vine, JOINT] = value
        else:
            last_length[vine] = value
    rollout = propagator.grow(VineState(angles, state.segments, last_length), steered(), lengths, 0.05)
    assert alike(rollout, healthy, [0, 5])
    for vine, (where, _) in POISON.items():
        segment = JOINT if where == "angle" else GROWN - 1
        assert rollout.status[vine] == Status.NOT_FINITE
        assert (rollout.records[vine], tried(rollout, vine), rollout.broken[vine]) == (0, 0, segment)
        assert rollout.ending(vine).startswith(f"not finite at step 0, segment {segment}: ")
    assert tells_the_truth(rollout)


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=pytest.mark.slow if name == "penalty" else ()) for name in propagators() if name != "geometric"
])  # fmt: skip
def test_a_vine_that_breaks_down_ends_at_that_step(name: str, workspace: Environment, params: VineParams) -> None:
    """A joint bent the wrong way until its actuator's force overflows breaks in the first step; the others do not mind.

    So does that of a held vine. Not geometric, for which the bends so far do not matter.
    """
    propagator, state, lengths = propagator_of(name, workspace, params), straight(), np.array([0.05] * 4 + [0.0] * 2)
    healthy = propagator.grow(state, steered(), lengths, 0.05)
    angles = state.angles.copy()
    angles[[1, 4], JOINT] = -1e308
    with np.errstate(all="ignore"):
        rollout = propagator.grow(VineState(angles, state.segments, state.last_length), steered(), lengths, 0.05)
    assert alike(rollout, healthy, [0, 2, 3, 5])
    for vine in (1, 4):
        assert (rollout.status[vine], rollout.records[vine]) == (Status.NOT_FINITE, 0)
        # A step at constant length that would move it infinitely far leaves it where it is; the next step breaks.
        assert 1 <= tried(rollout, vine) <= (2 if name == "quasistatic" else 1)
        assert rollout.broken[vine] in range(
            JOINT + 1
        )  # joints before it are drawn in where all are solved for at once
        assert rollout.broken[vine] == JOINT or name != "quasistatic"
        assert rollout.ending(vine).startswith(f"not finite at step {rollout.steps[vine]}, segment ")
    assert tells_the_truth(rollout)


def test_a_step_that_osqp_cannot_take_up_ends_its_vine_alone(workspace: Environment, params: VineParams) -> None:
    """The others go on too where OSQP solves the steps of impulse, which refuses numbers that are not finite."""
    propagator, state = Impulse(workspace, params, qp="osqp"), straight()
    state.angles[1, JOINT] = -1e308
    rollout = propagator.grow(state, steered(), 1e-3, 1e-3)
    assert (rollout.status[1], rollout.steps[1]) == (Status.NOT_FINITE, 1)
    assert (np.delete(rollout.status, 1) == Status.GROWN).all()
    assert tells_the_truth(rollout)


@EveryPropagator
def test_absurd_pressures_end_in_something_finite(name: str, workspace: Environment, params: VineParams) -> None:
    """With the largest pressure that there is nothing hangs, nothing recorded overflows, and the others do not mind."""
    propagator, carried = propagator_of(name, workspace, params), steered()
    start = propagator.start(BATCH, SEGMENTS)
    healthy = propagator.grow(start, steered(), 0.1, 0.025)
    carried.pressure[1] = np.finfo(float).max
    rollout = propagator.grow(start, carried, 0.1, 0.025)
    assert alike(rollout, healthy, [0, 2, 3, 4, 5])
    assert tells_the_truth(rollout)


@EveryPropagator
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("parameter", "value"),
    [("growth_pressure", 1e200), ("growth_share", 1e-300), ("bending_viscosity", 1e308)],
)
def test_absurd_tubes_end_in_something_finite(
    name: str, workspace: Environment, params: VineParams, parameter: str, value: float
) -> None:
    """Where a tube's moments, forces or damping overflow or vanish, nothing hangs and nothing recorded overflows."""
    propagator = propagator_of(name, workspace, replace(params, **{parameter: value}))
    rollout = propagator.grow(propagator.start(BATCH, SEGMENTS), steered(), 0.05, 0.025)
    assert tells_the_truth(rollout)
    if parameter == "growth_pressure" and name != "geometric":  # that knows no stiffness
        assert (rollout.status == Status.NOT_FINITE).all()
