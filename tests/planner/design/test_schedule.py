"""Pressures that change while a tube grows: what a schedule is, and how tubes follow it."""

from dataclasses import replace

import numpy as np
import pytest

from dynamics.jumps import largest_jump
from dynamics.moment import free_curvature, joint_moments
from dynamics.propagator import CannotRun
from dynamics.registry import load_propagator
from dynamics.tube import VineParams
from dynamics.vine import Status, grown_length
from environments import Environment, Obstacles
from planner.design.design import Design, Section
from planner.design.replay import grow_designs, replay
from planner.design.schedule import VENTED, InvalidSchedule, Schedule
from planner.uncertainty.deviations import WorldErrors
from planner.uncertainty.memo import digest
from planner.uncertainty.trials import Worlds, compute_goal_distances, grow_trials
from surrogate.kernels.compiled import Floats

PARAMS = VineParams()
FREE = Environment(bounds=(-3, -3, 3, 3), start=(0, 0, 0), goal=(2, 2, 0.1))
SECTIONS = (
    Section(0.0, 0.2, "none", 0.0, 0.0, 0.0),
    Section(0.2, 0.5, "left", 2.0, 0.04, 30e3),
    Section(0.5, 1.0, "right", 1.5, 0.05, 20e3),
)
STEERED = Schedule(
    [0, 0.4, 0.7, 0.8125, 0.8125, 1.0],
    np.array([[10, 20], [10, 20], [30, 0], [30, 0], [0, 20], [5, 10]]) * 1e3,
)


def design(schedule: Schedule | None = STEERED, environment: Environment = FREE) -> Design:
    plain = Design("x", environment.sha256, PARAMS, SECTIONS, np.zeros(3), np.zeros((1, 2)))
    return plain if schedule is None else plain.scheduled(schedule)


def heading(length: float, pressures: Floats) -> float:
    """Heading of the tip at rest in free space [rad], by the free curvature of the film of each section."""
    signed = np.maximum(pressures, VENTED) * [1, -1]
    curvature = free_curvature(joint_moments(PARAMS), signed, [0.04, 0.05])
    return float(curvature @ [np.clip(length - 0.2, 0, 0.3), np.clip(length - 0.5, 0, 0.5)])


# ---- the schedule ----


def test_pressures_between_and_beyond_the_rows() -> None:
    """Linear between rows, constant outside, and after a step those behind it."""
    found = np.array([STEERED.at(one) for one in (0.2, 0.55, 0.8, 0.8125, 0.90625, 2.0)]) / 1e3
    expected = [[10, 20], [20, 10], [30, 0], [0, 20], [2.5, 15], [5, 10]]
    np.testing.assert_allclose(found, expected, atol=1e-9)
    np.testing.assert_allclose(STEERED.highest, [30e3, 20e3])
    np.testing.assert_allclose(STEERED.steps, [0.8125])
    assert STEERED.changes == 6


@pytest.mark.parametrize("length", [0.3, 0.4, 0.55, 0.8125, 0.9, 1.0, 1.3])
def test_stages_cover_the_length(length: float) -> None:
    """Stages ascend to the full length, none longer than the ramp where a pressure changes; each has the pressures at its end."""
    stages = STEERED.stages(length, ramp=10e-3)
    ends = np.array([until for until, _ in stages])
    assert ends[-1] == length
    assert (np.diff(ends, prepend=0.0) >= 0).all()
    ramps = (ends > 0.4) & (ends <= 0.7) | (ends > 0.8125) & (ends <= 1.0)
    assert np.diff(ends, prepend=0.0)[ramps].max(initial=0.0) <= 10e-3 + 1e-12
    held = np.flatnonzero(np.diff(ends, prepend=-1.0) == 0)
    assert [float(ends[k]) for k in held] == ([0.8125] if length >= 0.8125 else [])
    for k, (until, pressures) in enumerate(stages):
        step = k + 1 < len(stages) and ends[k + 1] == until
        np.testing.assert_allclose(pressures, STEERED.pressures[3] if step else STEERED.at(until), atol=1e-6)


def test_a_step_before_constant_pressures_is_a_stage_of_its_own() -> None:
    """The tube is held there, and the record after it says so; without a change there is no step."""
    step = Schedule([0.5, 0.5], [[30e3, 20e3], [30e3, 0.0]])
    assert [(until, float(one[1])) for until, one in step.stages(1.0, 5e-3)] == [(0.5, 20e3), (0.5, 0.0), (1.0, 0.0)]
    for name in ("quasistatic", "impulse"):
        rollout = replay(design(step), load_propagator(name)(FREE, PARAMS))
        assert rollout.held is not None
        assert np.flatnonzero(rollout.held[0]).tolist() == [20]
    none = Schedule([0.5, 0.5], [[30e3, 20e3], [30e3, 20e3]])
    assert len(none.stages(1.0, 5e-3)) == 1


def test_a_step_at_the_base_or_beyond_the_tube_is_no_stage() -> None:
    """A tube of no length is at rest, and what comes after its full length does not happen."""
    early = Schedule([0.0, 0.0, 2.0, 2.0], [[1e3], [2e3], [2e3], [3e3]])
    assert [(until, float(one[0])) for until, one in early.stages(1.0, 5e-3)] == [(1.0, 2e3)]
    late = Schedule([1.0, 1.0], [[1e3], [2e3]])
    assert [(until, float(one[0])) for until, one in late.stages(1.0, 5e-3)] == [(1.0, 1e3), (1.0, 2e3)]


@pytest.mark.parametrize(
    ("lengths", "pressures", "message"),
    [
        ([0, 1], [[1]], "one length and one row"),
        ([], np.zeros((0, 1)), "from 1 to 1000"),
        ([1, 0.5], [[1], [1]], "row 2 of the schedule, at 500 mm, must not be before row 1, at 1000 mm"),
        ([0, 1, 1, 1], [[1], [1], [1], [1]], "rows 2 to 4 of the schedule have the same length"),
        ([0, 1], [[1], [-1]], "row 2 of the schedule: every pressure"),
        ([0, np.inf], [[1], [1]], "row 2 of the schedule: every length"),
    ],
)
def test_what_is_no_schedule(lengths: list[float], pressures: list[list[float]], message: str) -> None:
    """Each is refused, with the row."""
    with pytest.raises(InvalidSchedule, match=message):
        Schedule(lengths, pressures)


def test_a_schedule_must_fit_the_design() -> None:
    """Another number of actuators, and one that never pulls, are refused; the sections get the highest pressures and their curvature."""
    with pytest.raises(InvalidSchedule, match="of 1 actuators does not fit a design with 2"):
        design(Schedule([0.0], [[1e3]]))
    with pytest.raises(InvalidSchedule, match="actuator 2 never has pressure"):
        design(Schedule([0.0], [[1e3, 0.0]]))
    steered = design()
    assert [one.pressure for one in steered.actuated] == [30e3, 20e3]
    constant = replace(steered, schedule=None)
    assert steered.actuated[0].curvature == pytest.approx(
        heading(0.5, np.array([30e3, 0.0])) / 0.3 / (1 - PARAMS.pivot * heading(0.5, np.array([30e3, 0.0])) / 0.3),
        rel=1e-6,
    )
    assert constant.stages() == [(1.0, constant)]


# ---- growth ----


@pytest.mark.parametrize(("name", "tolerance"), [("quasistatic", 1e-6), ("impulse", 0.03)])
@pytest.mark.parametrize("step", [0.8125, 0.8])
def test_a_free_tube_has_the_shape_of_its_present_pressures(name: str, tolerance: float, step: float) -> None:
    """At the end of every segment the tip has the heading of the closed form, before a step there; with inertia it still swings."""
    schedule = Schedule(np.where(STEERED.lengths == 0.8125, step, STEERED.lengths), STEERED.pressures)
    rollout = replay(design(schedule), load_propagator(name)(FREE, PARAMS))
    assert rollout.status[0] == Status.GROWN
    assert rollout.held is not None
    lengths = grown_length(rollout, PARAMS)[0]
    np.testing.assert_allclose(lengths, 0.025 * np.arange(1, 41), atol=1e-9)
    np.testing.assert_allclose(lengths[rollout.held[0]], [0.825])
    for k, length in enumerate(lengths):
        pressures = STEERED.pressures[3] if abs(length - step) < 1e-9 else schedule.at(length)
        assert rollout.tips[0, k, 2] == pytest.approx(heading(length, pressures), abs=tolerance)


@pytest.mark.parametrize(("name", "tolerance"), [("quasistatic", 1e-5), ("impulse", 5e-3)])
def test_a_tube_is_held_at_its_end(name: str, tolerance: float) -> None:
    """A step at the full length is recorded after it, at rest, and its motion is no jump; only where it ends counts for the goal."""
    schedule = Schedule([1.0, 1.0], [[30e3, 20e3], [0.0, 20e3]])
    rollout = replay(design(schedule), load_propagator(name)(FREE, PARAMS))
    assert rollout.records[0] == 41
    assert rollout.held is not None
    assert np.flatnonzero(rollout.held[0]).tolist() == [40]
    assert rollout.tips[0, 39, 2] == pytest.approx(heading(1.0, schedule.pressures[0]), abs=tolerance)
    assert rollout.tips[0, 40, 2] == pytest.approx(heading(1.0, schedule.pressures[1]), abs=tolerance)
    assert largest_jump(rollout, 0, PARAMS) is None
    before, after = rollout.tips[0, 39:, :2]
    between = np.array([*(before + after) / 2, 0.02])
    assert np.hypot(*(after - before)) > 0.2
    assert not rollout.enters(between)[0]
    assert rollout.enters(np.array([*after, 0.02]))[0]


def test_a_schedule_without_change_is_a_constant_design() -> None:
    """The records are those of the design without a schedule, although the growth is cut into stages."""
    constant = design(None)
    same = constant.scheduled(Schedule([0.0, 0.3, 0.61], [[30e3, 20e3]] * 3))
    assert len(same.stages()) == 1
    cut = constant.scheduled(Schedule([0.0, 0.61, 0.62], [[30e3, 20e3], [30e3, 20e3], [30e3, 20e3 * (1 - 1e-9)]]))
    assert len(cut.stages()) > 2
    model = load_propagator("quasistatic")(FREE, PARAMS)
    plain, staged = replay(constant, model), replay(cut, model)
    assert staged.records[0] == plain.records[0] == 40
    np.testing.assert_allclose(staged.tips[0], plain.tips[0, :40], atol=1e-6)
    np.testing.assert_allclose(staged.angles[0], plain.angles[0, :40], atol=1e-6)


def test_mirrored_pressures_mirror_the_growth_in_contact() -> None:
    """Left and right exchanged in the design and in its environment give the mirror image."""
    wall = Obstacles(boxes=[(0.35, 0.12, 0.45, 0.5)])
    above = Environment(bounds=(-1, -1, 2, 1), start=(0, 0, 0), goal=(1.5, 0.5, 0.1), obstacles=wall)
    below = replace(above, obstacles=Obstacles(boxes=[(0.35, -0.5, 0.45, -0.12)]))
    steered = design(environment=above)
    swapped = tuple(
        replace(one, side={"left": "right", "right": "left"}.get(one.side, "none")) for one in steered.sections
    )
    first, second = (
        replay(one, load_propagator("quasistatic")(there, PARAMS))
        for one, there in ((steered, above), (replace(steered, sections=swapped), below))
    )
    assert np.abs(first.contact_force).max() > 0.1
    np.testing.assert_allclose(first.tips[0], second.tips[0] * [1, -1, -1], atol=1e-6)


def test_propagators_agree_on_what_a_wall_keeps() -> None:
    """A tube that is steered over a block and then vented lies against it: both models end in the same place, not in the constant one."""
    block = Obstacles(boxes=[(0.45, -0.3, 0.55, 0.03)])
    environment = Environment(bounds=(-1, -1, 2, 1), start=(0, 0, 0), goal=(1.5, 0.5, 0.1), obstacles=block)
    one = (
        Section(0.0, 0.15, "none", 0, 0, 0),
        Section(0.15, 0.4, "left", 1, 0.04, 30e3),
        Section(0.4, 1.0, "none", 0, 0, 0),
    )
    plain = Design("x", "", PARAMS, one, np.zeros(3), np.zeros((1, 2)))
    vented = plain.scheduled(Schedule([0.7, 0.7], [[30e3], [0.0]]))
    tips = []
    for name in ("quasistatic", "impulse"):
        model = load_propagator(name)(environment, PARAMS)
        constant, steered = grow_designs([plain, vented], environment, model)
        assert constant.status == steered.status == Status.GROWN
        tips.append((constant.tip, steered.tip))
        # It rests on the block, above the straight tube, and far below the tube that stays bent.
        assert 0.03 < steered.tip[1] < constant.tip[1] - 0.1
    assert np.hypot(*(tips[0][1] - tips[1][1])[:2]) < 10e-3


def test_a_vine_that_ends_stays_where_it_ended() -> None:
    """A tube that stalls at a wall is in no later stage, and keeps its last record."""
    environment = Environment(
        bounds=(-1, -1, 2, 1), start=(0, 0, 0), goal=(1.5, 0.5, 0.1), obstacles=Obstacles(boxes=[(0.3, -0.3, 0.4, 0.3)])
    )
    sections = (Section(0.0, 0.5, "none", 0, 0, 0), Section(0.5, 1.0, "left", 1, 0.04, 30e3))
    late = Design("x", "", PARAMS, sections, np.zeros(3), np.zeros((1, 2)))
    steered = late.scheduled(Schedule([0.2, 0.4, 0.4], [[30e3], [20e3], [10e3]]))
    rollout = replay(steered, load_propagator("quasistatic")(environment, PARAMS))
    assert rollout.status[0] == Status.STALLED
    assert rollout.tips[0, rollout.records[0] - 1, 0] == pytest.approx(0.3 - PARAMS.radius, abs=2e-3)
    assert grown_length(rollout, PARAMS)[0, rollout.records[0] - 1] < 0.4


def test_a_propagator_without_sections_refuses() -> None:
    """The Euler-Lagrange model has one arc; it says so."""
    with pytest.raises(CannotRun, match="one arc"):
        replay(design(), load_propagator("euler-lagrange")(FREE, PARAMS))


# ---- trials ----


def test_a_trial_without_errors_is_the_plan() -> None:
    """In a world as planned the steered tube ends where the replay ends; a pressure error moves it, but not of a vented actuator."""
    steered = design()
    planned = grow_designs([steered], FREE, load_propagator("quasistatic")(FREE, PARAMS))[0]
    worlds = Worlds(FREE, PARAMS, WorldErrors.none(FREE, 2))
    errors = worlds.sections(steered)
    end = planned.centerline[-1]
    found = grow_trials(steered, worlds)
    np.testing.assert_allclose(found.joints[:, -1], [end, end], atol=1e-6)
    errors.pressure[1] = 500.0
    moved = grow_trials(steered, worlds, errors)
    np.testing.assert_allclose(moved.joints[0, -1], end, atol=1e-6)
    assert 1e-3 < np.hypot(*(moved.joints[1, -1] - end)) < 0.1
    vented = steered.scheduled(Schedule([0.9, 0.9], [[30e3, 20e3], [0.0, 0.0]]))
    straight = grow_trials(vented, worlds, errors)
    np.testing.assert_allclose(straight.joints[:, -1], [[1.0, 0.0]] * 2, atol=2e-3)


def test_constant_and_steered_designs_are_tried_side_by_side() -> None:
    """Each has the distance that it has alone, in the order in which they were given."""
    worlds = Worlds(FREE, PARAMS, WorldErrors.none(FREE, 3))
    designs = [design(), design(None), design(Schedule([0.5, 0.5], [[30e3, 20e3], [5e3, 20e3]])), design(None)]
    nearest, last = compute_goal_distances(designs, worlds, np.arange(3))
    for k, one in enumerate(designs):
        alone = grow_trials(one, worlds)
        np.testing.assert_allclose(nearest[k], alone.nearest, atol=1e-9)
    np.testing.assert_allclose(last[1], last[3])
    assert abs(nearest[0, 0] - nearest[1, 0]) > 1e-2


def test_a_steered_design_is_not_known_as_the_constant_one() -> None:
    """Known trials are kept by a digest; it differs between schedules, and from that of the constant design."""
    steered = design()
    other = replace(steered, schedule=Schedule([0.5, 0.5], [[30e3, 20e3], [5e3, 20e3]]))
    constant = replace(steered, schedule=None)
    assert len({digest(one) for one in (steered, other, constant)}) == 3
    assert digest(steered) == digest(design())
