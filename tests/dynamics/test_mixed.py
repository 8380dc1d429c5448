"""Several types of actuators along one tube: each segment behaves as in a tube that has its type alone."""

from dataclasses import replace
from functools import partial
from itertools import permutations

import numpy as np
import pytest

from dynamics.actuation import actuation_along
from dynamics.moment import JointMoments, free_curvature, holding_pressure, joint_moments, total_moment
from dynamics.propagator import CannotRun, Propagator
from dynamics.registry import load_propagator
from dynamics.tube import Physics, VineParams
from dynamics.vine import Actuation
from environments.environment import Environment
from surrogate.cpam import Cpam
from surrogate.force_table import ROWS, TAUT_COLUMNS, ForceTable, cell, stack
from surrogate.fpam import Fpam
from surrogate.kernels.compiled import Floats
from surrogate.pouch import PouchMotor
from surrogate.spam import Spam
from tests.conftest import MakeEnvironment

KINDS = (Spam(), PouchMotor(), Fpam(), Cpam())
CELL, SEGMENTS = 0.04, 16


def mixed(physics: Physics = "corrected") -> VineParams:
    return VineParams(physics=physics, actuator=KINDS[0], others=KINDS[1:])


def alone(kind: int, physics: Physics = "corrected") -> VineParams:
    return VineParams(physics=physics, actuator=KINDS[kind])


def moments(joint: JointMoments, kind: int, bends: Floats, pressure: float, l_0: float) -> Floats:
    of = cell(joint.tables, kind, l_0)
    return np.array([total_moment(joint, bend, pressure, of) for bend in bends])


@pytest.mark.parametrize("kind", range(len(KINDS)))
@pytest.mark.parametrize("physics", ["corrected", "published"])
def test_the_moment_is_that_of_a_tube_with_this_type_alone(kind: int, physics: Physics) -> None:
    """With and against the actuator, taut and slack; a table below zero strain that stands for a straight line is that line."""
    bends = np.linspace(-0.35, 0.35, 281)
    by_itself = joint_moments(alone(kind, physics))
    last = VineParams(physics=physics, actuator=KINDS[-1], others=KINDS[-2::-1])
    for params, number in ((mixed(physics), kind), (last, len(KINDS) - 1 - kind)):
        together = joint_moments(params)
        for pressure, l_0 in ((25e3, CELL), (-25e3, CELL), (30e3, 0.06)):
            expected = moments(by_itself, 0, bends, pressure, l_0)
            found = moments(together, number, bends, pressure, l_0)
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_tables_lie_below_one_another() -> None:
    """The row says which actuator it is, and each table looks up its own cell lengths."""
    tables = stack([one.tabulate() for one in KINDS])
    for kind, one in enumerate(KINDS):
        l_0 = one.limits.longest_cell
        of = cell(tables, kind, l_0)
        assert of.row // (ROWS + 1) == kind
        assert tables.shortest[kind] <= l_0 <= tables.longest[kind]
        assert of[1:] == pytest.approx(cell(stack([one.tabulate()]), 0, l_0)[1:], rel=1e-12)
    assert tables.taut.shape == (len(KINDS) * (ROWS + 1), TAUT_COLUMNS + 1)
    force = ForceTable(KINDS[2].tabulate())(np.linspace(0, -0.08, TAUT_COLUMNS + 1), CELL)[0]
    np.testing.assert_allclose(tables.taut[2 * (ROWS + 1) + 5], force, rtol=1e-12)


def test_curvature_and_pressure_undo_each_other_for_every_type() -> None:
    joint, kinds = joint_moments(mixed()), np.arange(len(KINDS))
    curvature = free_curvature(joint, 20e3, CELL, kinds)
    own = [float(free_curvature(joint_moments(alone(kind)), 20e3, CELL)) for kind in kinds]
    np.testing.assert_allclose(curvature, own, rtol=1e-9)
    assert len({round(one, 3) for one in own}) == len(KINDS)
    np.testing.assert_allclose(holding_pressure(joint, curvature, CELL, kinds), 20e3, rtol=1e-6)


def test_sections_of_two_types_share_a_segment() -> None:
    """It turns by both, with the actuator that bends it more."""
    params = mixed()
    h, joint = params.segment_length, joint_moments(params)
    bends = Actuation(np.array([[20e3, 30e3]]), np.full((1, 2), CELL), kind=np.array([[2, 1]]))
    carried = actuation_along([[0.0, 3.4 * h]], [[3.4 * h, 6 * h]], bends, 6 * h, params, 8)
    assert carried.kind is not None
    one, other = free_curvature(joint, [20e3, 30e3], CELL, [2, 1])
    assert one < other
    assert carried.kind[0, :6].tolist() == [2, 2, 2, 1, 1, 1]
    cells = np.where(carried.pressure, carried.l_0, CELL)
    turn = h * free_curvature(joint, carried.pressure, cells, carried.kind)
    assert turn.sum() == pytest.approx(3.4 * h * one + 2.6 * h * other, rel=1e-6)


def grown(propagator: Propagator, carried: Actuation, segments: int = SEGMENTS) -> Floats:
    """Recorded tips, shape (batch, records, 3), up to the last record of the longest."""
    length = segments * propagator.params.segment_length
    rollout = propagator.grow(propagator.start(len(carried.pressure), segments), carried, length, 0.1)
    assert rollout.records.min() > 1
    return np.asarray(rollout.tips[:, : rollout.records.max()])


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        *((name, (1, 2, 3)) for name in ("quasistatic", "impulse", "geometric")),
        ("penalty", (2,)),
        pytest.param("penalty", (1, 3), marks=pytest.mark.slow),
    ],
)
def test_every_propagator_grows_a_type_among_others_as_alone(
    name: str, kinds: tuple[int, ...], environment: MakeEnvironment
) -> None:
    """Against a wall, to which all types bend, and in free space."""
    scene: Environment = environment(boxes=[(0.12, 0.09, 0.6, 0.3)], start=(0.0, 0.0, 0.0), bounds=(-2, -2, 2, 2))
    make = load_propagator(name)
    if name == "penalty":  # PyTorch is slow: in few, long steps, which are the same for both
        make = partial(make, step=25e-3 / 2, inner_steps=4)
    side = np.array([[1.0], [-1.0]])
    pressure, cells = side * np.full((2, SEGMENTS), 25e3), np.full((2, SEGMENTS), CELL)
    together = make(scene, mixed())
    for kind in kinds:
        carried = Actuation(pressure, cells, kind=np.full(pressure.shape, kind))
        expected = grown(make(scene, alone(kind)), Actuation(pressure, cells))
        np.testing.assert_allclose(grown(together, carried), expected, atol=1e-6)


@pytest.mark.parametrize("name", ["quasistatic", "geometric", pytest.param("penalty", marks=pytest.mark.slow)])
def test_types_along_a_tube_bend_each_their_part(name: str, environment: MakeEnvironment) -> None:
    """In free space the heading turns by the sum of the parts, whatever the order of the types in the tube."""
    free = environment(bounds=(-3, -3, 3, 3))
    kinds = np.repeat([[0, 1, 2, 3]], 4, axis=1)
    pressure, cells = np.full((1, SEGMENTS), 20e3), np.full((1, SEGMENTS), CELL)
    found = []
    for order in list(permutations(range(4)))[::7]:
        params = VineParams(actuator=KINDS[order[0]], others=tuple(KINDS[k] for k in order[1:]))
        number = np.argsort(order)[kinds]
        found.append(grown(load_propagator(name)(free, params), Actuation(pressure, cells, kind=number))[0, -1])
    each = [float(free_curvature(joint_moments(alone(kind)), 20e3, CELL)) for kind in range(4)]
    turn = sum(each) * 4 * VineParams().segment_length
    for tip in found:
        assert tip[2] - free.start[2] == pytest.approx(turn, abs=2e-3)
        np.testing.assert_allclose(tip, found[0], atol=1e-6)


def test_an_arc_has_one_type(environment: MakeEnvironment) -> None:
    """The Euler-Lagrange model bends a tube as one arc: by any type, but not by two."""
    model = load_propagator("euler-lagrange")(environment(bounds=(-3, -3, 3, 3)), mixed())
    pressure, cells = np.full((1, SEGMENTS), 20e3), np.full((1, SEGMENTS), CELL)
    tip = grown(model, Actuation(pressure, cells, kind=np.full((1, SEGMENTS), 1)))[0, -1]
    by_itself = load_propagator("euler-lagrange")(environment(bounds=(-3, -3, 3, 3)), alone(1))
    np.testing.assert_allclose(tip, grown(by_itself, Actuation(pressure, cells))[0, -1], atol=1e-6)
    two = np.repeat([[0, 1]], SEGMENTS // 2, axis=1)
    with pytest.raises(CannotRun, match="varies along it"):
        grown(model, Actuation(pressure, cells, kind=two))


def test_batches_with_and_without_types_join() -> None:
    ones = np.ones((1, 2))
    joined = Actuation.joined([Actuation(ones, ones), Actuation(ones, ones, kind=np.array([[1, 2]]))])
    assert joined.kind is not None
    assert joined.kind.tolist() == [[0, 0], [1, 2]]
    assert joined.rest is None
    later = joined.of([1]).padded(3)
    assert later.kind is not None
    assert later.kind.tolist() == [[1, 2, 0]]


def test_a_tube_has_each_type_once() -> None:
    with pytest.raises(ValueError, match="actuators of a tube must be of different kinds, not spam, spam"):
        VineParams(others=(Spam(4e-3, 15e-3),))
    assert mixed().kinds == "spam,pouch,fpam,cpam"


def test_numbers_of_types_are_checked(environment: MakeEnvironment) -> None:
    """An unknown type and a cell that a type does not have are refused; each type has the cells of its own table."""
    model = load_propagator("quasistatic")(environment(), replace(alone(0), others=(KINDS[2],)))
    pressure, cells = np.full((1, SEGMENTS), 20e3), np.full((1, SEGMENTS), CELL)
    with pytest.raises(ValueError, match=r"actuation\.kind must be from 0 to 1"):
        grown(model, Actuation(pressure, cells, kind=np.full((1, SEGMENTS), 2)))
    with pytest.raises(ValueError, match=r"actuation\.l_0 must be from 30 to 200 mm"):
        grown(model, Actuation(pressure, 0.6 * cells, kind=np.ones((1, SEGMENTS), np.int64)))
    with pytest.raises(ValueError, match=r"actuation\.kind has the shape \(1, 3\)"):
        grown(model, Actuation(pressure, cells, kind=np.ones((1, 3), np.int64)))
    half = np.arange(SEGMENTS) < SEGMENTS // 2
    short = Actuation(pressure, np.where(half, 0.02, 0.15)[None], kind=np.where(half, 0, 1)[None])
    assert len(grown(model, short)) == 1
