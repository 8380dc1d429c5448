"""Sensing by deformation, against readings made here by elementary geometry: a point that moves on a line, and triangles."""

import numpy as np
import pytest

from dynamics.geometric.kinematics import Behaviour
from planner.mapping.sensing import Readings, Sensed, sense
from surrogate.kernels.compiled import Floats

START = np.array([0.2, -0.1, 0.4])
BASE = START[:2]
FREE = np.nan


def unit(angle: float) -> Floats:
    return np.array([np.cos(angle), np.sin(angle)])


def bearing(vector: Floats) -> Floats:
    return np.arctan2(vector[..., 1], vector[..., 0])


def contact_angles(headings: Floats, wall: float) -> Floats:
    return (wall - headings) % np.pi


def recovered(result: Sensed, tips: Floats, wall: float, contact: slice) -> None:
    np.testing.assert_allclose(result.tips[contact], tips, atol=1e-9)
    np.testing.assert_allclose(np.sin(result.walls[contact] - wall), 0, atol=1e-8)


@pytest.mark.parametrize("angle", [0.5, 1.2, 2.2, 2.8])
def test_a_straight_tube_slides_on_a_flat_wall(angle: float) -> None:
    """First contact, the wall's angle and every point on it, to either side; free before and after, in its last heading."""
    wall, met = START[2] + angle, BASE + 0.7 * unit(START[2])
    way = np.linspace(0, 0.4, 30)[:, None] * unit(wall) * np.sign(np.cos(angle))
    tips = met + way
    lengths, headings = np.hypot(*(tips - BASE).T), bearing(tips - BASE)
    sensed = np.concatenate([[FREE, FREE], contact_angles(headings, wall), [FREE]])
    result = sense(Readings(np.concatenate([[0.1, 0.5], lengths, [lengths[-1] + 0.2]]), sensed), START)
    recovered(result, tips, wall, slice(2, -1))
    np.testing.assert_allclose(result.tips[-1], tips[-1] + 0.2 * unit(headings[-1]), atol=1e-9)
    np.testing.assert_allclose(result.tips[1], BASE + 0.5 * unit(START[2]), atol=1e-12)
    assert np.isnan(result.walls[[0, 1, -1]]).all()
    assert not result.pivots
    assert [one.determined for one in result.contacts] == [True]


@pytest.mark.parametrize(("angle", "parts"), [(0.9, [0.5]), (2.3, [0.5]), (0.9, [0.3, 0.6])])
def test_new_pivots_are_found_where_they_are(angle: float, parts: list[float]) -> None:
    """The body hangs on corners on its way, between readings: their positions, and the wall, within 1e-9 m."""
    wall, met = START[2] + angle, BASE + 0.7 * unit(START[2])
    along = unit(wall) * np.sign(np.cos(angle))
    pivot, before, grown, changes = BASE, 0.0, 0.0, [*[0.1333, 0.2777][: len(parts)], 0.45]
    corners, tips, lengths, headings = [], [], [], []
    for i, until in enumerate(changes):
        way = np.linspace(grown, until, 12) + (1e-3 if i else 0.0)
        tips.append(met + way[:, None] * along)
        lengths.append(before + np.hypot(*(tips[-1] - pivot).T))
        headings.append(bearing(tips[-1] - pivot))
        if i < len(parts):
            end = met + until * along
            corner = pivot + parts[i] * (end - pivot)
            before += np.hypot(*(corner - pivot))
            pivot, grown = corner, until
            corners.append(corner)
            keep = way < until - 1e-9
            tips[-1], lengths[-1], headings[-1] = (some[-1][keep] for some in (tips, lengths, headings))
    every = np.concatenate(tips)
    angles = contact_angles(np.concatenate(headings), wall)
    result = sense(Readings(np.concatenate(lengths), angles), START)
    recovered(result, every, wall, slice(None))
    assert len(result.pivots) == len(parts)
    np.testing.assert_allclose([one.point for one in result.pivots], corners, atol=1e-8)
    np.testing.assert_allclose(result.shapes[-1], [BASE, *corners, every[-1]], atol=1e-8)
    assert result.contacts[0].determined


TURN_AT = 0.4


def turned(last: float, turn: float) -> tuple[Floats, Floats]:
    """Turn and tip at first contact, the last link so long."""
    joint = BASE + TURN_AT * unit(START[2])
    return joint, joint + last * unit(START[2] + turn)


@pytest.mark.parametrize("mirror", [1, -1])
@pytest.mark.parametrize(("behaviour", "angle"), [(Behaviour.POSITIVE_PIVOT, 0.4), (Behaviour.NEGATIVE_PIVOT, 2.2)])
def test_the_whole_tube_turns_about_its_base(behaviour: Behaviour, angle: float, mirror: int) -> None:
    """Positive and Negative Pivot: a triangle of base, turn and tip, two of whose sides and an angle are known."""
    turn, angle = mirror * 0.6, angle if mirror > 0 else np.pi - angle
    _, met = turned(0.5, turn)
    wall = START[2] + turn + angle
    tips = met + np.linspace(0, 0.3, 25)[:, None] * unit(wall) * (
        1 if (behaviour == Behaviour.POSITIVE_PIVOT) == (mirror > 0) else -1
    )
    reach = np.hypot(*(tips - BASE).T)
    last = -TURN_AT * np.cos(turn) + np.sqrt(reach**2 - (TURN_AT * np.sin(turn)) ** 2)
    headings = bearing(tips - BASE) + np.arcsin(TURN_AT * np.sin(turn) / reach)
    result = sense(Readings(TURN_AT + last, contact_angles(headings, wall)), START, TURN_AT, turn)
    recovered(result, tips, wall, slice(None))
    joints = tips - last[:, None] * np.stack([np.cos(headings), np.sin(headings)], -1)
    for shape, joint, tip in zip(result.shapes, joints, tips, strict=True):
        np.testing.assert_allclose(shape, [BASE, joint, tip], atol=1e-9)
    assert result.contacts[0].behaviours == (behaviour,)
    assert result.contacts[0].determined


@pytest.mark.parametrize("mirror", [1, -1])
def test_a_tube_bends_further_at_its_turn(mirror: int) -> None:
    """Pivot-at-Turn: what is before the turn rests, and the wall's points are found from the turn on."""
    turn, angle = mirror * 0.9, 0.8 if mirror > 0 else np.pi - 0.8
    joint, met = turned(0.3, turn)
    wall = START[2] + turn + angle
    tips = met + np.linspace(0, 0.3, 25)[:, None] * unit(wall) * mirror
    lengths = TURN_AT + np.hypot(*(tips - joint).T)
    before = np.array([0.2, 0.5])
    readings = Readings(
        np.concatenate([before, lengths]), np.concatenate([[FREE] * 2, contact_angles(bearing(tips - joint), wall)])
    )
    result = sense(readings, START, TURN_AT, turn)
    recovered(result, tips, wall, slice(2, None))
    np.testing.assert_allclose(result.shapes[-1], [BASE, joint, tips[-1]], atol=1e-9)
    assert result.contacts[0].behaviours == (Behaviour.PIVOT_AT_TURN,)
    assert result.contacts[0].determined


@pytest.mark.parametrize("mirror", [1, -1])
def test_a_tip_held_by_friction_stays(mirror: int) -> None:
    """Friction-Locked: base and turn bend, the tip stays; then Pivot-at-Turn, with the turn where it was carried."""
    turn, angle = mirror * 0.5, 1.2 if mirror > 0 else np.pi - 1.2
    _, met = turned(0.5, turn)
    wall = START[2] + turn + angle
    joints = BASE + TURN_AT * np.array([unit(START[2] - mirror * back) for back in np.linspace(0, 0.25, 20)])
    slid = met + np.linspace(0.002, 0.2, 15)[:, None] * unit(wall) * mirror
    lengths = np.concatenate([np.hypot(*(met - joints).T), np.hypot(*(slid - joints[-1]).T)]) + TURN_AT
    headings = np.concatenate([bearing(met - joints), bearing(slid - joints[-1])])
    result = sense(Readings(lengths, contact_angles(headings, wall)), START, TURN_AT, turn)
    np.testing.assert_allclose(result.tips[:20], np.tile(met, (20, 1)), atol=1e-9)
    for shape, joint in zip(result.shapes, joints, strict=False):
        np.testing.assert_allclose(shape, [BASE, joint, met], atol=1e-9)
    recovered(result, slid, wall, slice(20, None))
    assert result.contacts[0].behaviours == (Behaviour.FRICTION_LOCKED, Behaviour.PIVOT_AT_TURN)


def test_one_reading_of_a_wall_is_said_not_to_tell_how_it_gives_way() -> None:
    """Two readings that no known hinge explains: some corner would, but which is not determined, and the result says so."""
    wall = START[2] + 1.0
    met, lengths = BASE + 0.6 * unit(START[2]), np.array([0.6, 0.62])
    fast = contact_angles(np.array([START[2], START[2] + 0.2]), wall)
    result = sense(Readings(lengths, fast), START)
    assert [one.determined for one in result.contacts] == [False]
    np.testing.assert_allclose(result.tips[0], met, atol=1e-9)
    one = sense(Readings(lengths[:1], fast[:1]), START)
    np.testing.assert_allclose(one.walls, [wall % np.pi], atol=1e-12)
    np.testing.assert_allclose(one.shapes[0], [BASE, met], atol=1e-12)


def test_noise_is_averaged_over_a_wall() -> None:
    """40 readings with 3 degrees of noise: no pivot is invented, and the wall is better known than by one reading."""
    wall, met, noise = START[2] + 0.9, BASE + 0.7 * unit(START[2]), np.radians(3)
    tips = met + np.linspace(0, 0.4, 40)[:, None] * unit(wall)
    angles, lengths = contact_angles(bearing(tips - BASE), wall), np.hypot(*(tips - BASE).T)
    angles = angles + noise * np.random.default_rng(3).standard_normal(40)
    result = sense(Readings(lengths, angles), START, noise=noise)
    assert not result.pivots
    assert abs(np.sin(result.walls[0] - wall)) < noise / 3


@pytest.mark.parametrize(
    ("lengths", "angles", "words"),
    [
        ([0.1, 0.1], [0.5, 0.5], "ascending"),
        ([0.1, np.nan], [0.5, 0.5], "finite"),
        ([0.1, 0.2], [0.5], "same shape"),
        ([], [], "at least 1"),
        ([0.1], [7.0], "between 0 and pi"),
    ],
)
def test_readings_that_cannot_be_are_refused(lengths: list[float], angles: list[float], words: str) -> None:
    """Lengths that do not rise, angles that no wall has, and none at all: each with what is allowed."""
    with pytest.raises(ValueError, match=words):
        Readings(np.array(lengths), np.array(angles))


def test_noise_may_not_be_negative() -> None:
    """A negative standard deviation is refused."""
    with pytest.raises(ValueError, match="must not be negative"):
        sense(Readings(np.array([0.1]), np.array([0.5])), START, noise=-1.0)
