"""A vine in space that follows a reference: closely, within its limits, and telling what kept it from following."""

import numpy as np
import pytest

from dynamics.euler_lagrange.control import Controller, Reference, Saturation, SaturationEvent, track
from dynamics.euler_lagrange.kinematics import COIL, PLANES, actuator_jacobian
from dynamics.euler_lagrange.model import Robot


def still(s: float, theta: float, phi: float) -> Reference:
    return lambda _time: ((s, theta, phi), (0.0, 0.0, 0.0))


def waves(time: float) -> tuple[list[float], list[float]]:
    """A length that only grows, a bend that waves, a plane that turns."""
    return (
        [1.0 + 0.8 * time, 1.0 + 0.8 * np.sin(2 * time), 1.5 * np.sin(1.3 * time)],
        [0.8, 1.6 * np.cos(2 * time), 1.95 * np.cos(1.3 * time)],
    )


def test_tensions_make_the_force_asked_for_and_never_push() -> None:
    """Within the limits the inputs have the requested generalised force exactly, at most two actuators pulling."""
    robot, controller = Robot(), Controller()
    for force in np.random.default_rng(2).uniform(-5, 5, (500, 3)) + np.array([200.0, 0, 0]):
        inputs, met = controller.inputs(robot, force)
        np.testing.assert_allclose(robot.actuation(inputs), force, rtol=1e-9, atol=1e-9)
        assert (inputs >= 0).all()
        assert (inputs[1:] > 0).sum() <= 2
        assert met == []


def test_least_tensions_are_taken() -> None:
    """A bend in an actuator's plane is that actuator's alone; between two it is shared; the core never sucks."""
    robot = Robot()
    for i, beta in enumerate(PLANES):
        inputs, _ = Controller().inputs(robot, np.array([0.0, np.cos(beta), np.sin(beta)]))
        np.testing.assert_allclose(inputs[1:], np.eye(3)[i] / robot.arm, atol=1e-9)
        assert inputs[0] == pytest.approx(robot.yield_force + 1 / robot.arm)
    opposite, met = Controller().inputs(robot, np.array([-500.0, -1.0, 0.0]))
    assert met == [Saturation.EMPTY]
    np.testing.assert_allclose(opposite, [0.0, 0.0, 1 / robot.arm, 1 / robot.arm], atol=1e-9)


def test_limits_keep_the_direction_of_the_bend() -> None:
    """At a limit all tensions are lessened alike, and what is at its limit is reported."""
    robot, limited = Robot(), Controller(most_tension=10.0, most_core=15.0)
    inputs, met = limited.inputs(robot, np.array([0.0, 2.0, 1.0]))
    assert met == [Saturation.TENSION, Saturation.CORE]
    assert inputs[0] == 15.0
    assert inputs[1:].max() == pytest.approx(10.0)
    moment = -actuator_jacobian(robot.arm)[1:, 1:].T @ inputs[1:]
    assert moment[1] / moment[0] == pytest.approx(0.5)


def test_follows_a_reference_that_grows() -> None:
    """Where nothing is at its limit, errors stay within 0.01 m and 0.01 rad in all three, from rest on."""
    found = track(Robot(), Controller(), waves, (1.0, 1.0, 0.0), 5.0)
    moving = found.times > 0.3  # the reference sets out at full speed
    assert np.abs(found.errors[moving]).max() < 0.01
    assert found.events == ()
    assert not found.coiled
    assert (found.inputs >= 0).all()
    np.testing.assert_allclose(found.times[[0, -1]], [1e-3, 5.0])


def test_steps_half_as_long_track_alike() -> None:
    """The controller is as stable in long steps as in short ones, also for a short tube, whose inertia is next to none."""
    ends = [
        track(Robot(), Controller(), still(0.3, 1.2, 1.0), (0.02, 0.1, 0.0), 1.0, h).polar[-1] for h in (4e-3, 1e-3)
    ]
    np.testing.assert_allclose(ends[0], [0.3, 1.2, 1.0], atol=1e-3)
    np.testing.assert_allclose(ends[1], [0.3, 1.2, 1.0], atol=1e-3)


def test_bends_through_straight_to_the_other_side() -> None:
    """A reference may swing through straight, as a bend that becomes negative in a plane that stays."""

    def swinging(time: float) -> tuple[list[float], list[float]]:
        return [1.0, 0.5 * np.cos(4 * time), 0.7], [0.0, -2.0 * np.sin(4 * time), 0.0]

    found = track(Robot(), Controller(), swinging, (1.0, 0.5, 0.7), 2.0)
    assert np.abs(found.errors[:, :2]).max() < 0.01
    bent = found.polar[:, 1] > 0.1
    assert np.abs(found.errors[bent, 2]).max() < 0.01
    assert found.polar[np.argmin(np.abs(found.times - np.pi / 4)), 2] == pytest.approx(0.7 - np.pi, abs=1e-2)


def test_reference_that_falls_from_afar_is_no_brake() -> None:
    """A length that is longer than the tube, but shrinks fast, asks for no growth: the core waits, and need not suck."""
    found = track(Robot(), Controller(), lambda t: ((3.0 - t, 1.0, 0.0), (-500.0, 0.0, 0.0)), (1.0, 1.0, 0.0), 0.5)
    np.testing.assert_allclose(found.q[:, 0], 1.0, atol=1e-9)
    assert found.events == ()
    assert np.abs(found.errors[:, 1:]).max() < 0.01


def test_bend_at_its_limit_beside_a_core_at_its() -> None:
    """Where both are at their limit, both are reported, and neither is reported where it is not."""
    found = track(Robot(), Controller(most_core=40.0, most_tension=30.0), still(2, 1.0, 1), (1.0, 0.0, 0.0), 1.0)
    for what, largest, limit in (
        (Saturation.CORE, found.inputs[:, 0], 40.0),
        (Saturation.TENSION, found.inputs[:, 1:].max(axis=1), 30.0),
    ):
        assert found.during(what).any()
        np.testing.assert_array_equal(found.during(what), np.isclose(largest, limit))


def test_gravity_is_compensated() -> None:
    """Across its axis too, a heavy tip is held where it should be, without an error that stays."""
    heavy = Robot(mass=2.0, gravity=(5.0, 3.0, -6.0))
    found = track(heavy, Controller(100, 60, 200, 60), still(1.0, 0.8, 2.0), (1.0, 0.5, 1.0), 8.0)
    np.testing.assert_allclose(found.polar[-1, 1:], [0.8, 2.0], atol=1e-3)
    assert 1.0 <= found.q[-1, 0] < 1.01  # what it overshoots, it keeps


def test_reference_shorter_than_grown_is_an_event() -> None:
    """A vine cannot shrink: it keeps its length, goes on following the bend, and says from when to when."""

    def shrinking(time: float) -> tuple[list[float], list[float]]:
        return [2.0 - 0.5 * time if time < 2 else 1.0 + (time - 2), 0.8, 0.5], [-0.5 if time < 2 else 1.0, 0.0, 0.0]

    found = track(Robot(), Controller(), shrinking, (2.0, 0.8, 0.5), 4.0)
    assert [event.what for event in found.events] == [Saturation.SHORTER]
    event = found.events[0]
    assert isinstance(event, SaturationEvent)
    assert event.begin == pytest.approx(0.002, abs=2e-3)
    assert event.end == pytest.approx(3.0, abs=5e-3)
    during = found.during(Saturation.SHORTER)
    assert during.sum() == pytest.approx((event.end - event.begin) / 1e-3, abs=1)
    np.testing.assert_allclose(found.q[during, 0], 2.0, atol=2e-3)
    assert np.abs(found.errors[:, 1:]).max() < 0.01
    assert np.abs(found.errors[found.times > 3.2, 0]).max() < 0.01
    assert "cannot shrink" in event.what


def test_actuators_at_their_limit_are_reported_while_the_growth_waits() -> None:
    """A core at its limit is no event meanwhile: it is not to push."""
    found = track(Robot(), Controller(most_tension=30.0, most_core=1.0), still(0.5, 1.5, 1), (1.0, 0.1, 0.0), 0.5)
    assert {event.what for event in found.events} == {Saturation.SHORTER, Saturation.TENSION}


@pytest.mark.parametrize(
    ("limits", "what"),
    [({"most_tension": 30.0}, Saturation.TENSION), ({"most_core": 20.0}, Saturation.CORE)],
)
def test_limits_are_events(limits: dict[str, float], what: Saturation) -> None:
    """Where more is requested than they can give, actuators and core stay at their limit, and the event is recorded."""
    found = track(Robot(), Controller(**limits), still(1.5, 1.5, 1.0), (1.0, 0.1, 0.0), 2.0)
    assert what in [event.what for event in found.events]
    largest = found.inputs[:, 1:] if what == Saturation.TENSION else found.inputs[:, 0]
    assert largest.max() == pytest.approx(next(iter(limits.values())))
    assert found.polar[-1, 2] == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize(
    ("robot", "most", "reference", "start", "seconds", "end"),
    [
        (Robot(), 500.0, waves, (0.5, 1.0, 0.0), 3.0, waves(3.0)[0]),
        (Robot(levers=2.0), 300.0, still(3, 1, 0), (1.0, 0.5, 0.0), 2.0, [3.0, 1.0, 0.0]),
        (Robot(), 60.0, still(3, 0.02, 0), (1.0, 0.02, 0.0), 1.0, [3.0, 0.02, 0.0]),
    ],
)
def test_core_at_its_limit_pushes_with_it(
    robot: Robot, most: float, reference: Reference, start: tuple[float, ...], seconds: float, end: list[float]
) -> None:
    """While the event lasts the core gives all it may; the tube grows on to its goal, and the bend is not upset."""
    found = track(robot, Controller(most_core=most), reference, start, seconds)
    limited = found.during(Saturation.CORE)
    assert limited.any()
    np.testing.assert_allclose(found.inputs[limited, 0], most)
    assert (found.inputs[:, 0] <= most).all()
    assert found.q[-1, 0] == pytest.approx(end[0], abs=0.2)
    np.testing.assert_allclose(found.polar[-1, 1:], end[1:], atol=0.05)
    np.testing.assert_allclose(found.errors[found.times > 0.3, 1:], 0.0, atol=0.05)


def test_core_that_would_have_to_suck_is_an_event() -> None:
    """Bent all at once, a tube is pulled longer than asked by its own tip; the core can only let go, and says so."""
    found = track(Robot(levers=2.0), Controller(), still(1.5, 0, 1), (1.0, 2.0, 0.0), 3.0)
    empty = found.during(Saturation.EMPTY)
    assert empty.any()
    np.testing.assert_array_equal(found.inputs[empty, 0], 0.0)


def test_waiting_for_a_reference_the_tube_stands_still() -> None:
    """While the reference is shorter, the length does not creep, however the bend moves."""

    def moving(time: float) -> tuple[list[float], list[float]]:
        return [2.0, 1.75 - 0.75 * np.cos(4 * time), 0.5 * time], [0.0, 3.0 * np.sin(4 * time), 0.5]

    found = track(Robot(), Controller(), moving, (3.0, 1.0, 0.0), 2.0)
    np.testing.assert_allclose(found.q[:, 0], 3.0, atol=1e-9)
    assert np.abs(found.errors[found.times > 0.1, 1:]).max() < 0.01


def test_tracking_ends_at_a_full_circle() -> None:
    """A reference beyond a full circle is followed to it; there the tracking ends, and it says so."""
    found = track(Robot(), Controller(), still(1.0, 6.5, 0.0), (1.0, 5.0, 0.0), 2.0)
    assert found.coiled
    assert len(found.times) == len(found.q) == len(found.inputs) == len(found.reference) < 2_000
    assert 6.0 < found.polar[-1, 1] < COIL


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"growth_gain": -1.0}, "controller.growth_gain = -1 must be at least 0"),
        ({"bend_damping": np.inf}, "controller.bend_damping"),
        ({"most_core": 0.0}, "controller.most_core = 0 N must be greater than 0"),
        ({"most_tension": np.nan}, "controller.most_tension"),
    ],
)
def test_refuses_controllers_that_cannot_be(change: dict[str, float], words: str) -> None:
    """Gains and limits out of range are named."""
    with pytest.raises(ValueError, match=words):
        Controller(**change)


@pytest.mark.parametrize(
    ("reference", "step_time", "words"),
    [
        (still(np.nan, 1, 1), 1e-3, "the reference at 0.001 s is not three finite numbers"),
        (lambda _: ((1.0, 1.0), (0.0, 0.0)), 1e-3, "the reference"),
        (still(1, 1, 1), 0.0, "step_time = 0 s"),
        (still(1, 1, 1), 3.0, "step_time = 3 s"),
    ],
)
def test_refuses_references_that_are_none(reference: Reference, step_time: float, words: str) -> None:
    """References that are no numbers, and steps that are none, are named."""
    with pytest.raises(ValueError, match=words):
        track(Robot(), Controller(), reference, (1.0, 0.1, 0.0), 2.0, step_time)


def test_errors_count_where_the_tube_can_follow() -> None:
    """Length missing while the reference is shorter is no error; nor is the plane of a bend that is hardly there."""

    def shrinking(time: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
        return (1.0 if time < 0.5 else 0.5, 0.3, 0.0), (0.0, 0.0, 0.0)

    found = track(Robot(), Controller(), shrinking, (1.0, 0.3, 0.0), 1.0)
    assert np.abs(found.errors[:, 0]).max() > 0.4
    assert (found.greatest_errors < 0.01).all()
    np.testing.assert_array_equal(found.able, found.times < 0.5)
    assert found.tip_errors[found.able].max() < 0.01
    assert found.tip_errors[-1] == pytest.approx(0.5 * np.linalg.norm(found.tips[-1]), rel=0.01)
    straight = track(Robot(), Controller(), still(1.0, 0.0, 0.0), (1.0, 0.0, 0.0), 0.1)
    assert np.isnan(straight.greatest_errors[2])
    longer = track(Robot(), Controller(), still(0.5, 0.3, 0.0), (1.0, 0.3, 0.0), 0.1)
    assert np.isnan(longer.greatest_errors).all()


def test_a_watch_ends_it_and_keeps_the_steps_so_far() -> None:
    """It gets the time after each step; the steps are those of the whole."""
    whole = track(Robot(), Controller(), waves, (1.0, 1.0, 0.0), 0.1)
    part = track(Robot(), Controller(), waves, (1.0, 1.0, 0.0), 0.1, watch=lambda time: time > 0.0495)
    assert part.stopped
    assert not whole.stopped
    assert part.times[-1] == pytest.approx(0.05)
    np.testing.assert_array_equal(part.q, whole.q[:50])
