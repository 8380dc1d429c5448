"""The quasi-static propagator as a piece of software: free growth, batches, threads, steps, symmetries, statuses."""

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dynamics.moment import free_curvature
from dynamics.quasistatic import propagator
from dynamics.quasistatic.propagator import RECORDED_REST, QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, Status, VineState, centerlines, grown_length
from dynamics.world import BuiltWorlds
from environments import Environment
from surrogate.kernels.compiled import Floats

Reference = Callable[[str], dict[str, np.ndarray]]

MakeEnvironment = Callable[..., Environment]

# Steered vines that slide along boxes and round circles; none of them is close to snapping one way or the other.
COURSE: dict[str, Any] = {
    "boxes": [[0.35, 0.1, 0.5, 0.6], [0.2, -0.9, 0.9, -0.35], [1.0, -0.2, 1.1, 0.5]],
    "circles": [[0.8, 0.75, 0.1]],
    "walls": [[-0.3, 0.5, 0.1, 0.9, 0.03]],
}


def same(one: Rollout, other: Rollout) -> bool:
    """Whether two rollouts agree in every byte."""
    pairs = [(getattr(one, name), getattr(other, name)) for name in Rollout.__slots__]
    return all(a is b is None or a.tobytes() == b.tobytes() for a, b in pairs)


def uniform(pressure: float, l_0: float, segments: int) -> Actuation:
    return Actuation(np.full((1, segments), pressure), np.full((1, segments), l_0))


def sections(batch: int, segments: int, seed: int) -> Actuation:
    """Sections of eight segments with random actuators on either side."""
    rng = np.random.default_rng(seed)
    count = -(-segments // 8)
    pressure, l_0 = rng.uniform(-25e3, 25e3, (batch, count)), rng.uniform(0.02, 0.08, (batch, count))
    return Actuation(
        np.repeat(pressure, 8, axis=1)[:, :segments].copy(), np.repeat(l_0, 8, axis=1)[:, :segments].copy()
    )


def last_state(rollout: Rollout) -> VineState:
    return rollout.state(np.arange(len(rollout.records)), rollout.records - 1)


@pytest.fixture(scope="module")
def free(environment: MakeEnvironment, params: VineParams) -> QuasiStatic:
    return QuasiStatic(environment(start=(0.1, -0.3, 0.7)), params)


@pytest.fixture(scope="module")
def course(environment: MakeEnvironment, params: VineParams) -> QuasiStatic:
    return QuasiStatic(environment(**COURSE), params)


def test_free_vine_has_the_designed_curvature(free: QuasiStatic, params: VineParams, reference: Reference) -> None:
    """Free-space curvature equals the designed one within 0.5 %: in fact the reference's to 1e-3, and on both sides."""
    table = reference("free_space_curvature_reference")
    for pressure, l_0, expected in zip(
        table["pressure_kpa"] * 1e3, table["l0_mm"] * 1e-3, table["curvature_per_m"], strict=True
    ):
        for side in (1.0, -1.0):
            rollout = free.grow(free.start(1, 12), uniform(side * pressure, l_0, 12), 0.3, 0.1)
            assert rollout.status[0] == Status.GROWN
            curvature = last_state(rollout).angles[0] / params.segment_length
            np.testing.assert_allclose(curvature, side * expected, rtol=1e-3)
            designed = free_curvature(free.joint, [side * pressure], [l_0])[0]
            np.testing.assert_allclose(curvature, designed, rtol=1e-6)


@pytest.mark.parametrize("pressure", [6e3, -12e3, 30e3])
def test_last_segment_bends_in_proportion_to_its_length(free: QuasiStatic, pressure: float) -> None:
    """The heading turns steadily while segments begin and end: at every 3 mm it is curvature times length."""
    rollout = free.grow(free.start(1, 12), uniform(pressure, 0.05, 12), 0.3, 3e-3)
    length = 3e-3 * np.arange(1, 101)
    assert rollout.records[0] == 100
    curvature = free_curvature(free.joint, [pressure], [0.05])[0]
    np.testing.assert_allclose(rollout.tips[0, :100, 2] - 0.7, curvature * length, atol=1e-6)


def test_the_first_joint_bends_like_the_others(environment: MakeEnvironment) -> None:
    """One metre misses the arc by half a segment's bend about the base, as it would with a clamped joint; its heading does not.

    With links that keep their length, as published, whatever their bend.
    """
    params = VineParams(physics="published")
    straight = QuasiStatic(environment(), params)
    pressure, l_0, segments = 35e3, 0.045, 40
    state = last_state(straight.grow(straight.start(1, segments), uniform(pressure, l_0, segments), 1.0, 0.1))
    curvature = free_curvature(straight.joint, [pressure], [l_0])[0]
    half = curvature * params.segment_length / 2
    arc = np.array([np.sin(curvature), 1 - np.cos(curvature)]) / curvature
    expected = 2 * np.sin(half / 2) * np.hypot(*arc)
    errors, headings = [], []
    for share in (1.0, 0.0, 0.5):
        angles = state.angles.copy()
        angles[0, 0] *= share
        moved = VineState(angles, state.segments, state.last_length)
        errors.append(np.hypot(*(centerlines(moved, np.zeros(3), params)[0, -1] - arc)))
        headings.append(angles.sum() - curvature)
    assert errors == pytest.approx([expected, expected, 0.0], abs=3e-4)
    assert headings == pytest.approx([0.0, -2 * half, -half], abs=1e-6)


def test_sections_bend_each_by_its_own_actuator(free: QuasiStatic, params: VineParams, reference: Reference) -> None:
    """A vine with a left section, a bare one and a right one has in each the reference's curvature, within 1e-3."""
    table = reference("free_space_curvature_reference")
    left = table["curvature_per_m"][(table["pressure_kpa"] == 25) & (table["l0_mm"] == 42)][0]
    right = table["curvature_per_m"][(table["pressure_kpa"] == 10) & (table["l0_mm"] == 60)][0]
    pressure, l_0 = np.repeat([25e3, 0.0, -10e3], 4)[None], np.repeat([0.042, 0.042, 0.06], 4)[None]
    rollout = free.grow(free.start(1, 12), Actuation(pressure, l_0), 0.3, 0.3)
    expected = np.repeat([left, 0.0, -right], 4)
    np.testing.assert_allclose(last_state(rollout).angles[0] / params.segment_length, expected, rtol=1e-3, atol=1e-9)


def test_vine_alone_and_in_a_batch_is_the_same(course: QuasiStatic) -> None:
    """A vine gives the same bytes alone, and at any place of a batch."""
    actuation = sections(11, 40, seed=0)
    together = course.grow(course.start(11, 40), actuation, 1.0, 0.02)
    backwards = course.grow(
        course.start(11, 40), Actuation(actuation.pressure[::-1].copy(), actuation.l_0[::-1].copy()), 1.0, 0.02
    )
    assert (together.contact_force.max(axis=(1, 2)) > 0).sum() >= 5
    for vine in range(11):
        alone = course.grow(
            course.start(1, 40), Actuation(actuation.pressure[[vine]], actuation.l_0[[vine]]), 1.0, 0.02
        )
        for name in (part for part in Rollout.__slots__ if part != "held"):  # growth holds nothing
            assert getattr(alone, name)[0].tobytes() == getattr(together, name)[vine].tobytes()
            assert getattr(alone, name)[0].tobytes() == getattr(backwards, name)[10 - vine].tobytes()


def test_threads_change_nothing(environment: MakeEnvironment, params: VineParams) -> None:
    """One, two and five threads give the same bytes."""
    actuation = sections(23, 40, seed=1)
    rollouts = []
    for threads in (1, 2, 5):
        propagator = QuasiStatic(environment(**COURSE), params, threads=threads)
        rollouts.append(propagator.grow(propagator.start(23, 40), actuation, 1.0, 0.05))
    assert same(rollouts[0], rollouts[1])
    assert same(rollouts[0], rollouts[2])


@pytest.mark.parametrize(
    ("count", "length", "apart"), [(1, 1.0, False), (1, 2.0, True), (3, 0.5, False), (4, 1.0, True), (1, 0.0, True)]
)
def test_this_thread_grows_only_a_little(
    params: VineParams,
    monkeypatch: pytest.MonkeyPatch,
    environment: MakeEnvironment,
    count: int,
    length: float,
    apart: bool,
) -> None:
    """Even if it is the only one: Python notes Ctrl-C on it, not while it runs compiled code."""
    threads, grow = set(), propagator.grow_one

    def growing(*arguments: Any) -> None:
        threads.add(threading.current_thread())
        grow(*arguments)

    monkeypatch.setattr(propagator, "grow_one", growing)
    model = QuasiStatic(environment(bounds=(-0.5, -0.5, 2.5, 0.5)), params, threads=1)
    model.grow(model.start(count, 80), Actuation(np.zeros((count, 80)), np.ones((count, 80))), length, 0.025)
    assert (threading.main_thread() not in threads) == apart
    assert len(threads) == 1


def test_growth_in_two_parts_is_the_same(course: QuasiStatic) -> None:
    """Growing to a segment's end and then on gives the tips of growing at once, within 1e-6 m."""
    actuation = sections(12, 40, seed=2)
    whole = course.grow(course.start(12, 40), actuation, 1.0, 0.025)
    first = course.grow(course.start(12, 40), actuation, 0.5, 0.025)
    through = (whole.status == Status.GROWN) & (first.status == Status.GROWN)
    assert through.sum() >= 6
    second = course.grow(last_state(first), actuation, 0.5, 0.025)
    touched = whole.contact_force[through, 20:].max(axis=(1, 2)) > 0
    assert touched.sum() >= 3
    np.testing.assert_allclose(second.tips[through, :20], whole.tips[through, 20:40], atol=1e-6)


CONVERGING: dict[str, tuple[dict[str, Any], float, float]] = {
    "slides along a wall": ({"boxes": [[-1, 0.3, 3, 0.5]], "start": (0, 0, np.pi / 4)}, 0.0, 1.2),
    "squeezes past two boxes": (
        {"boxes": [[-1, 0.3, 0.9, 0.5], [1.0, -0.5, 1.2, 0.2]], "start": (0, 0, 0.6)},
        0.0,
        1.4,
    ),
    "bends round a circle": ({"circles": [[0.4, 0.03, 0.1]]}, 0.0, 1.2),
    "curls against a circle": ({"circles": [[0.35, 0.12, 0.1], [0.7, -0.25, 0.15]]}, 12e3, 1.2),
    "buckles at a wall": ({"boxes": [[0.25335, -1, 1, 1]], "start": (0, 0, 1e-3)}, 0.0, 1.0),
}


@pytest.mark.parametrize("case", CONVERGING)
@pytest.mark.parametrize("physics", [pytest.param("published", marks=pytest.mark.slow), "corrected"])
def test_halving_the_step_makes_the_tip_converge(environment: MakeEnvironment, physics: str, case: str) -> None:
    """With steps of 4, 2 and 1 mm the tip's path changes by under 0.3 mm, and with one solve a step by half of it the second time."""
    params = VineParams(physics=physics)
    obstacles, pressure, length = CONVERGING[case]
    place = environment(**obstacles)
    paths = []
    for step in (4e-3, 2e-3, 1e-3):
        propagator = QuasiStatic(place, params, step=step)
        rollout = propagator.grow(propagator.start(1, 60), uniform(pressure, 0.04, 60), length, 0.02)
        assert rollout.status[0] == Status.GROWN
        paths.append(rollout.tips[0, : rollout.records[0], :2])
    coarse, fine = (np.hypot(*(paths[k] - paths[k + 1]).T).max() for k in (0, 1))
    assert 1e-6 < coarse < 0.3e-3  # not equal either: the step does something
    assert fine < (0.5 * coarse if physics == "published" else 0.3e-3)


def mirrored(points: Floats) -> Floats:
    return np.asarray(points) * np.array([1.0, -1.0])


@pytest.mark.parametrize(("physics", "tolerance"), [("published", 1e-6), ("corrected", RECORDED_REST)])
def test_mirrored_vine_goes_the_mirrored_way(environment: MakeEnvironment, physics: str, tolerance: float) -> None:
    """Everything turned upside down, actuators on the other side, gives mirrored tips within 1e-6 m; relaxed, as near as at rest."""
    params = VineParams(physics=physics)
    polygon = np.array([[0.2, -0.9], [0.9, -0.9], [0.9, -0.35], [0.6, -0.2], [0.2, -0.35]])
    circles, walls = np.array([[0.8, 0.75, 0.1], [0.45, 0.22, 0.1]]), np.array([[1.0, -0.2, 1.05, 0.5, 0.02]])
    upright = environment(polygons=[polygon], circles=circles, walls=walls, start=(0, 0, 0.05))
    upside_down = environment(
        polygons=[mirrored(polygon)[::-1]],
        circles=np.hstack([mirrored(circles[:, :2]), circles[:, 2:]]),
        walls=np.hstack([mirrored(walls[:, :2]), mirrored(walls[:, 2:4]), walls[:, 4:]]),
        start=(0, 0, -0.05),
    )
    one, other = QuasiStatic(upright, params), QuasiStatic(upside_down, params)
    actuation = sections(16, 40, seed=3)
    rollout = one.grow(one.start(16, 40), actuation, 1.0, 0.02)
    image = other.grow(other.start(16, 40), replace(actuation, pressure=-actuation.pressure), 1.0, 0.02)
    through = rollout.status == Status.GROWN
    assert (rollout.contact_force[through].max(axis=(1, 2)) > 0).sum() >= 5
    np.testing.assert_array_equal(image.status, rollout.status)
    scale = np.array([1, 1, 1 if physics == "published" else params.segment_length])
    for vine in np.flatnonzero(through):
        np.testing.assert_allclose(image.tips[vine] * scale, rollout.tips[vine] * [1, -1, -1] * scale, atol=tolerance)


@pytest.mark.parametrize("turn", [0.4, 2.5])
def test_turned_and_moved_vine_goes_the_turned_way(
    environment: MakeEnvironment, params: VineParams, turn: float
) -> None:
    """The whole place turned and moved gives tips turned and moved, within 1e-6 m: no direction or grid cell is special."""
    shift, heading = np.array([0.713, -0.291]), 0.05
    rotation = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])

    def moved(points: Floats) -> Floats:
        return np.asarray(points) @ rotation + shift

    polygon = np.array([[0.2, -0.9], [0.9, -0.9], [0.9, -0.35], [0.6, -0.2], [0.2, -0.35]])
    circles, walls = np.array([[0.8, 0.75, 0.1], [0.45, 0.22, 0.1]]), np.array([[1.0, -0.2, 1.05, 0.5, 0.02]])
    here = environment(polygons=[polygon], circles=circles, walls=walls, start=(0, 0, heading))
    there = environment(
        polygons=[moved(polygon)],
        circles=np.hstack([moved(circles[:, :2]), circles[:, 2:]]),
        walls=np.hstack([moved(walls[:, :2]), moved(walls[:, 2:4]), walls[:, 4:]]),
        start=(*shift, heading + turn),
        bounds=(-2.5, -2.5, 2.5, 2.5),
    )
    one, other = QuasiStatic(here, params), QuasiStatic(there, params)
    actuation = sections(16, 40, seed=3)
    rollout = one.grow(one.start(16, 40), actuation, 1.0, 0.02)
    image = other.grow(other.start(16, 40), actuation, 1.0, 0.02)
    through = rollout.status == Status.GROWN
    assert (rollout.contact_force[through].max(axis=(1, 2)) > 0).sum() >= 5
    np.testing.assert_array_equal(image.status, rollout.status)
    for vine in np.flatnonzero(through):
        made = slice(rollout.records[vine])
        np.testing.assert_allclose(image.tips[vine, made, :2], moved(rollout.tips[vine, made, :2]), atol=1e-6)
        np.testing.assert_allclose(image.tips[vine, made, 2], rollout.tips[vine, made, 2] + turn, atol=1e-6)


def test_leaving_the_bounds_ends_the_growth(environment: MakeEnvironment, params: VineParams) -> None:
    """A vine that grows out of the bounds ends there, and its status says so; the records stay within."""
    propagator = QuasiStatic(environment(bounds=(-0.1, -0.2, 0.5, 0.2)), params)
    pressure = np.zeros((3, 40))
    pressure[1], pressure[2] = 20e3, -20e3
    rollout = propagator.grow(propagator.start(3, 40), Actuation(pressure, np.full((3, 40), 0.04)), 0.9, 0.02)
    assert (rollout.status == Status.OUT_OF_BOUNDS).all()
    assert "bounds" in Status(rollout.status[0]).advice
    for vine in range(3):
        tips = rollout.tips[vine, : rollout.records[vine]]
        assert (tips[:, 0] <= 0.5).all()
        assert (np.abs(tips[:, 1]) <= 0.2).all()
    assert 0.48 - 1e-9 <= rollout.tips[0, rollout.records[0] - 1, 0] <= 0.5


def test_every_status_says_what_to_do() -> None:
    """Each status has an advice of its own."""
    assert len({status.advice for status in Status}) == len(Status)


def test_fine_records_do_not_end_the_growth(free: QuasiStatic, params: VineParams) -> None:
    """Records much closer than a step cost time, not length."""
    rollout = free.grow(free.start(1, 8), uniform(10e3, 0.05, 8), 0.2, 0.1e-3)
    assert rollout.status[0] == Status.GROWN
    assert rollout.records[0] == 2000
    np.testing.assert_allclose(grown_length(last_state(rollout), params), 0.2, atol=4e-9)


def test_another_start_in_the_same_scene(
    shipped: dict[str, Environment], quasistatic: Callable[[str], QuasiStatic]
) -> None:
    """A model that starts elsewhere grows as one that was made for that start, and leaves the first as it was."""
    first, pose = quasistatic("divider"), np.array([0.25, 0.21, 1.2])
    moved = first.in_worlds(BuiltWorlds.starting(first.scene, pose[None]))
    made = QuasiStatic(replace(shipped["divider"], start=pose), first.params)
    bare = Actuation(np.zeros((1, 40)), np.zeros((1, 40)))
    there = first.grow_in(moved, np.zeros(1, np.int64), first.start(1, 40), bare, 1.0, 0.025)
    grown = [there, *(model.grow(model.start(1, 40), bare, 1.0, 0.025) for model in (made, first))]
    assert grown[0].tips == pytest.approx(grown[1].tips, abs=0)
    assert grown[2].tips[0, 0, :2] == pytest.approx(shipped["divider"].start[:2], abs=0.03)
