"""Actuator synthesis: from curvature to cell length and pressure."""

from collections.abc import Callable

import numpy as np
import pytest

from dynamics.actuation import TOGETHER, actuation_along
from dynamics.moment import free_curvature, joint_moments
from dynamics.registry import load_propagator
from dynamics.tube import Physics, VineParams
from dynamics.vine import Actuation, centerlines
from environments import Environment, Obstacles
from planner.design.catalogue import Catalogue
from surrogate.actuators import Limits
from surrogate.registry import actuators
from surrogate.spam import Spam

PARAMS = VineParams()


PARAMS_OF = {kind: VineParams(actuator=actuator()) for kind, actuator in actuators().items()}


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return Catalogue.of(PARAMS)


@pytest.mark.parametrize(("physics", "inset"), [("corrected", PARAMS.radius), ("published", 0.0)])
def test_catalogue_contains_the_reference_curvatures(
    reference: Callable[[str], dict[str, np.ndarray]], physics: Physics, inset: float
) -> None:
    """Every reference actuator is in the catalogue, to 1e-3, with the curvature k of its film, or of a centreline of radius 1 / k - R."""
    catalogue = Catalogue.of(VineParams(physics=physics, actuator=Spam(limits=Limits(most_pressure=36e3))))
    table = reference("free_space_curvature_reference")
    for l0, pressure, curvature in zip(table["l0_mm"], table["pressure_kpa"], table["curvature_per_m"], strict=True):
        entry = np.isclose(catalogue.l_0, l0 * 1e-3) & np.isclose(catalogue.pressure, pressure * 1e3)
        assert catalogue.curvature[entry] == pytest.approx([1 / (1 / curvature - inset)], rel=1e-3)


def test_catalogue_is_the_whole_grid_with_head_room(catalogue: Catalogue) -> None:
    """61 cell lengths times 12 pressures, each once: 35 kPa, the highest that regulators supply, leaves no head room."""
    pairs = {(round(l_0 * 1e3), round(p)) for l_0, p in zip(catalogue.l_0, catalogue.pressure, strict=True)}
    assert pairs == {(l_0, p) for l_0 in range(20, 81) for p in range(5000, 32501, 2500)}


def test_synthesis_takes_the_highest_feasible_pressure(catalogue: Catalogue) -> None:
    """Pressure, cell length and error agree with a brute-force search over the whole grid."""
    rng = np.random.default_rng(3)
    wanted = rng.uniform(*catalogue.reachable, 200)
    entry, error = catalogue.synthesise(wanted)
    for k, target in enumerate(wanted):
        feasible = [
            p
            for p in np.unique(catalogue.pressure)
            if catalogue.curvature[catalogue.pressure == p].min()
            <= target
            <= catalogue.curvature[catalogue.pressure == p].max()
        ]
        assert catalogue.pressure[entry[k]] == max(feasible)
        same = catalogue.curvature[catalogue.pressure == max(feasible)]
        assert abs(error[k]) == pytest.approx(np.abs(same - target).min(), abs=1e-12)
        assert error[k] == pytest.approx(catalogue.curvature[entry[k]] - target, abs=1e-12)


def test_unreachable_curvature_names_the_reachable_range(catalogue: Catalogue) -> None:
    """An unreachable curvature is refused, and the message gives the range."""
    low, high = catalogue.reachable
    for wanted in (0.1, high + 0.1, [1.0, 9.0]):
        with pytest.raises(ValueError, match=rf"reach {low:.3g} to {high:.3g} 1/m"):
            catalogue.synthesise(wanted)


def test_grid_is_a_parameter() -> None:
    """A coarser grid gives a smaller catalogue with the same curvatures."""
    coarse = Catalogue.of(VineParams(actuator=Spam(limits=Limits(0.03, 0.03, 1e-3, 10e3, 12e3))))
    assert coarse.curvature == pytest.approx([1 / (1 / 1.585387671 - PARAMS.radius)], rel=1e-3)


@pytest.mark.parametrize("params", PARAMS_OF.values(), ids=PARAMS_OF)
def test_catalogue_takes_the_grid_of_its_actuator(params: VineParams) -> None:
    """The grid is that of the actuator without its highest pressure, which leaves no head room; no film bends beyond full contraction."""
    grid, catalogue = params.actuator.grid, Catalogue.of(params)
    assert np.array_equal(np.unique(catalogue.l_0), grid.l_0)
    assert np.array_equal(np.unique(catalogue.pressure), grid.pressure[:-1])
    film = 1 / (1 / catalogue.curvature + params.radius)
    assert np.all(film < params.actuator.full_contraction(catalogue.l_0) / params.arm())


@pytest.mark.parametrize("params", PARAMS_OF.values(), ids=PARAMS_OF)
def test_grown_curvature_is_the_requested_one(params: VineParams) -> None:
    """The loop curvature -> actuator -> grown vine -> curvature of its joints in space closes within 0.5 % and the stated error."""
    catalogue = Catalogue.of(params)
    wanted = np.linspace(*catalogue.reachable, 12)
    entry, error = catalogue.synthesise(wanted)
    free = Environment("free", "", np.array([-9.0, -9, 9, 9]), np.zeros(3), np.array([8, 8, 0.1]), Obstacles())
    model = load_propagator("quasistatic")(free, params)
    segments = 40
    pressure, l_0 = (np.repeat(part[entry][:, None], segments, axis=1) for part in (catalogue.pressure, catalogue.l_0))
    rollout = model.grow(model.start(len(wanted), segments), Actuation(pressure, l_0), 1.0, 1.0)
    joints = centerlines(rollout.state(np.arange(len(wanted)), np.zeros(len(wanted), int)), free.start, params)
    grown = rollout.tips[:, 0, 2] / np.hypot(*np.diff(joints, axis=1).T).sum(axis=0)
    assert grown - error == pytest.approx(wanted, rel=5e-3)


def turn_of(carried: Actuation, segment: float) -> float:
    """Sum of the bends of one vine's segments in free space [rad]."""
    joint = joint_moments(PARAMS)
    lengths = np.where(carried.pressure, carried.l_0, 0.02)
    return float(free_curvature(joint, carried.pressure, lengths).sum() * segment)


@pytest.mark.parametrize(("start", "end"), [(0.1, 0.3), (0.1013, 0.3), (0.1, 0.2871), (0.111, 0.114), (0.0249, 0.9)])
def test_a_partly_covered_segment_bends_in_proportion(start: float, end: float) -> None:
    """In free space an actuator bends the tube by its curvature times its length, wherever it starts and ends."""
    carried = actuation_along([[start]], [[end]], Actuation(np.array([[-20e3]]), np.array([[0.04]])), 1.0, PARAMS, 40)
    curvature = float(free_curvature(joint_moments(PARAMS), -20e3, 0.04))
    assert turn_of(carried, PARAMS.segment_length) == pytest.approx(curvature * (end - start), rel=1e-9)


def test_two_actuators_share_a_segment() -> None:
    """If one ends and an opposite one starts within a segment, the segment bends by the sum of both parts."""
    carried = actuation_along(
        [[0.1, 0.31]], [[0.31, 0.5]], Actuation(np.array([[20e3, -30e3]]), np.array([[0.04, 0.05]])), 0.75, PARAMS, 30
    )
    one, other = free_curvature(joint_moments(PARAMS), [20e3, -30e3], [0.04, 0.05])
    assert turn_of(carried, PARAMS.segment_length) == pytest.approx(0.21 * one + 0.19 * other, rel=1e-9)


def test_actuators_that_overlap_do_not_add_up() -> None:
    """Two overlapping actuators on one side bend the tube like the stronger one, because cells cannot overlap."""
    twice = actuation_along(
        [[0.1, 0.1]], [[0.5, 0.5]], Actuation(np.array([[20e3, 30e3]]), np.array([[0.04, 0.04]])), 0.75, PARAMS, 30
    )
    alone = actuation_along([[0.1]], [[0.5]], Actuation(np.array([[30e3]]), np.array([[0.04]])), 0.75, PARAMS, 30)
    assert twice.pressure == pytest.approx(alone.pressure)


def test_whole_segments_carry_the_pressure_itself() -> None:
    """A completely covered segment has exactly the actuator's pressure, bit for bit."""
    carried = actuation_along(
        [[0.1 + 1e-13]], [[0.3]], Actuation(np.array([[20e3]]), np.array([[0.04]])), 0.75, PARAMS, 30
    )
    assert carried.pressure[0].tolist() == [0.0] * 4 + [20e3] * 8 + [0.0] * 18


@pytest.mark.parametrize(("end", "part"), [(0.51, 1.0), (0.509, 0.9), (0.502, 0.2), (0.7, 1.0)])
def test_a_shorter_last_segment_is_covered_in_proportion_to_its_length(end: float, part: float) -> None:
    """The last 10 mm of a tube of 510 mm bend in proportion to their covered part."""
    carried = actuation_along([[0.2]], [[end]], Actuation(np.array([[35e3]]), np.array([[0.04]])), 0.51, PARAMS, 24)
    joint = joint_moments(PARAMS)
    curvature = free_curvature(joint, carried.pressure[0, 20], 0.04)
    assert curvature == pytest.approx(part * free_curvature(joint, 35e3, 0.04), rel=1e-9)
    assert not carried.pressure[0, 21:].any()


def test_batched_actuation_agrees_with_single_vines() -> None:
    """Computing in chunks, which saves memory, and one by one gives the same."""
    rng = np.random.default_rng(0)
    start = rng.uniform(0, 0.8, (7, 3))
    parts = [start, start + 0.1, rng.uniform(-30e3, 30e3, (7, 3)), np.full((7, 3), 0.04)]
    ends, bends = parts[:2], Actuation(*parts[2:])
    alone = [actuation_along(*(part[[k]] for part in ends), bends.of([k]), 1.0, PARAMS, 40) for k in range(7)]
    count = 2 * TOGETHER // (3 * 40)
    every = np.arange(count) % 7
    together = actuation_along(*(part[every] for part in ends), bends.of(every), 1.0, PARAMS, 40)
    np.testing.assert_array_equal(together.pressure, np.concatenate([one.pressure for one in alone])[every])
    np.testing.assert_array_equal(together.l_0, np.concatenate([one.l_0 for one in alone])[every])
