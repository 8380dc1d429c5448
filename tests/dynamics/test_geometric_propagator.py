"""The geometric propagator: bodies of links, laid out in segments."""

from collections.abc import Callable

import numpy as np
import pytest
import shapely

from dynamics.geometric.propagator import Geometric
from dynamics.geometric.segments import film_of, lay_segments
from dynamics.geometric.trace import new_trace
from dynamics.links import link
from dynamics.moment import free_curvature, joint_moments
from dynamics.propagator import CannotRun
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Rollout, Status, VineState, centerlines, grown_length
from environments import Environment, generate_environment

MakeEnvironment = Callable[..., Environment]
SEGMENTS = 60


def passive(batch: int = 1) -> Actuation:
    return Actuation(np.zeros((batch, SEGMENTS)), np.full((batch, SEGMENTS), 0.05))


def some_steered(rng: np.random.Generator, batch: int) -> Actuation:
    """One passive vine, and others with two sections each, that may bend it by more than half a turn."""
    pressure = np.zeros((batch, SEGMENTS))
    for row in pressure[1:]:
        for _ in range(2):
            first = rng.integers(2, 50)
            row[first : first + rng.integers(4, 40)] = rng.choice([-1, 1]) * rng.uniform(5e3, 25e3)
    return Actuation(pressure, np.full_like(pressure, 0.05))


def joints(rollout: Rollout, vine: int, record: int, environment: Environment, params: VineParams) -> np.ndarray:
    points = centerlines(rollout.state(np.array([vine]), np.array([record])), environment.start, params)[0]
    return points[~np.isnan(points[:, 0])]


def test_no_segment_enters_an_obstacle(params: VineParams, shipped: dict[str, Environment]) -> None:
    """Segments, which cut the corners that the body bends at, stay within the penetration tolerance, in many environments."""
    rng, bent = np.random.default_rng(0), 0
    clutter = [generate_environment(np.random.default_rng(seed)) for seed in (83, 109, 161, 233, 360)]
    for environment in [*(shipped[name] for name in ("maze", "divider", "building", "needle")), *clutter]:
        solid = shapely.union_all(environment.obstacles.shapes())
        model = Geometric(environment, params, friction=0.0)
        rollout = model.grow(model.start(16, SEGMENTS), some_steered(rng, 16), 1.5, 0.1)
        for vine in range(16):
            for record in range(rollout.records[vine]):
                line = shapely.LineString(joints(rollout, vine, record, environment, params))
                assert line.distance(solid) >= params.radius - params.penetration_tolerance
                assert shapely.box(*environment.bounds).covers(line)
                bent += abs(rollout.angles[vine, record]).max() > 0.3
    assert bent > 20


def test_segments_keep_off_a_post_wherever_their_joints_are(environment: MakeEnvironment, params: VineParams) -> None:
    """Hanging on a post by some 40 degrees, whatever part of a segment is there: not deeper than the tolerance."""
    for shift in np.arange(0, 0.025, 0.0025):
        post, wall = (0.3 + shift, 0.2, 0.005), (0.75 + shift, -1, 1.2, 2)
        workspace = environment(circles=[post], boxes=[wall], start=(0, 0, 0.45), bounds=(-1, -1, 2, 2))
        model = Geometric(workspace, params)
        rollout = model.grow(model.start(1, SEGMENTS), passive(), 1.5, 1.5)
        assert rollout.status[0] == Status.GROWN
        assert 0.5 < rollout.angles[0, 0, 1:].sum() < 0.9
        assert rollout.tips[0, 0, 0] == pytest.approx(0.75 + shift - params.radius, abs=1e-6)
        line = shapely.LineString(joints(rollout, 0, 0, workspace, params))
        solid = shapely.union_all(workspace.obstacles.shapes())
        assert line.distance(solid) >= params.radius - params.penetration_tolerance


def test_passive_vine_ends_where_quasistatic_has_it(environment: MakeEnvironment, params: VineParams) -> None:
    """Without friction: on a slanted wall the tips are within 5 mm of each other, and past its end within a tube radius.

    There quasistatic's tube, which bends a little all along, leaves the corner later.
    """
    corners = [(0.5, -0.3), (0.9, 0.25), (0.9, -0.3)]
    workspace = environment(polygons=[corners], start=(0, 0, 0), bounds=(-1, -1, 2, 1))
    tips = []
    for model in (Geometric(workspace, params, friction=0.0), QuasiStatic(workspace, params)):
        rollout = model.grow(model.start(1, SEGMENTS), passive(), 1.2, 0.1)
        assert rollout.status[0] == Status.GROWN
        tips.append(rollout.tips[0, : rollout.records[0], :2])
    assert np.ptp(tips[0][:, 1]) > 0.2
    apart = np.hypot(*(tips[0] - tips[1]).T)
    on_wall = tips[0][:, 0] < 0.84
    assert on_wall.sum() == 8
    assert apart[on_wall].max() < 5e-3
    assert apart.max() < params.radius


def test_free_shape_is_the_steered_one(environment: MakeEnvironment, params: VineParams) -> None:
    """In free space every joint has the free-space curvature of its segment times its length."""
    workspace, rng = environment(start=(0, 0, 0.5), bounds=(-9, -9, 9, 9)), np.random.default_rng(0)
    actuation = Actuation(rng.uniform(-15e3, 15e3, (3, SEGMENTS)), np.full((3, SEGMENTS), 0.05))
    model = Geometric(workspace, params)
    rollout = model.grow(model.start(3, SEGMENTS), actuation, 0.99, 0.99)
    lengths = np.clip(0.99 - params.segment_length * np.arange(SEGMENTS), 0, params.segment_length)
    expected = free_curvature(joint_moments(params), actuation.pressure, actuation.l_0) * lengths
    np.testing.assert_allclose(rollout.angles[:, 0], expected, atol=1e-9)


def test_turns_stay_at_their_joints_where_contact_shortens_a_link(
    environment: MakeEnvironment, params: VineParams
) -> None:
    """The tip slides on a wall as the tube turns about its base, whose link that shortens or lengthens; all beyond keeps its shape."""
    workspace = environment(boxes=[(0.4, -0.6, 0.6, 0.6)], start=(0, 0, 0.6), bounds=(-1, -1, 2, 2))
    pressure, full = np.zeros((1, SEGMENTS)), params.segment_length
    pressure[0, :8] = -20e3
    actuation = Actuation(pressure, np.full_like(pressure, 0.05))
    model = Geometric(workspace, params, friction=0.0)
    rollout = model.grow(model.start(1, SEGMENTS), actuation, 0.75, 0.05)
    turn = full * free_curvature(joint_moments(params), pressure[0], 0.05)
    touching = np.abs(rollout.tips[0, :, 0] - (0.4 - params.radius)) < 1e-8
    for record in np.flatnonzero(touching):
        count = rollout.segments[0, record]
        np.testing.assert_allclose(rollout.angles[0, record, 1:count], turn[1:count], atol=1e-6)
    assert touching.sum() >= 4
    assert np.abs(rollout.angles[0, touching, 0] - turn[0] - 0.6).max() > 0.1
    np.testing.assert_allclose(grown_length(rollout, params)[0, :15], 0.05 * np.arange(1, 16), atol=1e-9)


@pytest.mark.parametrize("bend", [0.0, 0.004, -0.1, 0.3, -0.9])
@pytest.mark.parametrize("side", [1.0, -1.0, 0.0])
def test_the_film_of_a_bent_link_is_found(params: VineParams, bend: float, side: float) -> None:
    """From the length of its centreline, whether straight, turned about a wall or folded."""
    pivot = side * params.radius
    for film in (1e-4, 3e-3, 25e-3, 0.05):
        length = link(film, bend, pivot)[0]
        assert film_of(length, bend, pivot) == pytest.approx(film, rel=1e-9)


def test_joints_lie_the_length_of_their_own_links_apart() -> None:
    """On a body with two corners whose pivots alternate: each chord has the length of its own bent link, and the chain ends at the tip."""
    full, pivots = 0.025, np.where(np.arange(40) % 3 == 1, 0.03, 0.0)
    trace = new_trace(turns=8)
    trace.nodes[:4] = corners = np.array([(0.0, 0.0), (0.1, 0.0), (0.22, 0.05), (0.225, 0.065)])
    trace.counts[0] = 4
    angles, along = np.zeros(40), np.zeros(40)
    count, last = lay_segments(trace, full, 40, 0.2, pivots, angles, along)
    films = np.append(np.full(count - 1, full), last)
    lengths = np.array([link(*each)[0] for each in zip(films, angles, pivots, strict=False)])
    headings = 0.2 + np.cumsum(angles[:count])
    ends = np.cumsum(lengths[:, None] * np.stack([np.cos(headings), np.sin(headings)], axis=1), axis=0)
    off = [shapely.LineString(corners).distance(shapely.Point(end)) for end in ends]
    np.testing.assert_allclose(off, 0.0, atol=1e-9)
    np.testing.assert_allclose(ends[-1], corners[-1], atol=1e-9)
    assert np.ptp(lengths[:-1]) > 1e-3  # some links are shortened, others are not
    assert abs(angles[count - 1]) > 0.05  # the last one bends too
    assert pivots[count - 1] > 0.0 == pivots[count - 2]


def test_force_on_the_tip_is_the_hinge_s(environment: MakeEnvironment, params: VineParams) -> None:
    """Sliding: the tube's largest moment over the force's lever; stuck: what the growth force can press the wall with."""
    ahead = 0.5 - params.radius
    moment = np.pi * params.growth_pressure * params.radius**3
    workspace = environment(boxes=[(0.5, -0.9, 0.9, 0.9)], start=(0, 0, 0.6), bounds=(-1, -1, 2, 1))
    model = Geometric(workspace, params, friction=0.2)
    slides = model.grow(model.start(1, SEGMENTS), passive(), 0.7, 0.7)
    heading = np.arccos(ahead / 0.7)
    force = moment / (0.7 * (np.sin(heading) - 0.2 * np.cos(heading)))
    np.testing.assert_allclose(slides.contact_force.sum(), force, rtol=1e-3)
    head_on = environment(boxes=[(0.5, -0.9, 0.9, 0.9)], start=(0, 0, 0), bounds=(-1, -1, 2, 1))
    model = Geometric(head_on, params)
    stuck = model.grow(model.start(1, SEGMENTS), passive(), 0.7, 0.7)
    assert stuck.status[0] == Status.STALLED
    assert stuck.tips[0, 0, 0] == pytest.approx(ahead, abs=1e-9)
    assert stuck.contact_force.sum() == pytest.approx(params.growth_force)


def test_vine_that_leaves_has_no_record_outside(environment: MakeEnvironment, params: VineParams) -> None:
    """Out of bounds it ends with the last record inside."""
    workspace = environment(start=(0, 0, 0), bounds=(-0.5, -0.5, 0.55, 0.5))
    model = Geometric(workspace, params)
    rollout = model.grow(model.start(1, SEGMENTS), passive(), 1.0, 0.1)
    assert rollout.status[0] == Status.OUT_OF_BOUNDS
    assert rollout.records[0] == 5
    assert rollout.tips[0, 4, 0] == pytest.approx(0.5)


def test_state_that_cannot_be_grown_so_stays(environment: MakeEnvironment, params: VineParams) -> None:
    """A vine on the far side of a wall, which no deployment reaches, is not changed, stalled."""
    workspace = environment(boxes=[(0.3, -0.9, 0.4, 0.9)], start=(0, 0, 0), bounds=(-1, -1, 2, 1))
    model = Geometric(workspace, params)
    given = VineState(np.zeros((1, SEGMENTS)), np.array([30]), np.array([0.01]))
    rollout = model.grow(given, passive(), 0.2, 0.05)
    assert rollout.status[0] == Status.STALLED
    assert rollout.records[0] == 1
    after = rollout.state(np.array([0]), np.array([0]))
    assert grown_length(after, params)[0] == pytest.approx(grown_length(given, params)[0])
    np.testing.assert_array_equal(after.angles, given.angles)


def test_start_in_the_point_of_an_inflated_corner_is_refused(environment: MakeEnvironment, params: VineParams) -> None:
    """It is further from the box than the radius, and yet within what the axis cannot enter: one line says so."""
    away = 0.8 * params.radius  # from either side
    workspace = environment(boxes=[(0.2, 0.2, 0.5, 0.5)], start=(0.2 - away, 0.2 - away, 0), bounds=(-1, -1, 1, 1))
    with pytest.raises(CannotRun, match=r"geometric inflates corners .* the start is in one: move it away"):
        Geometric(workspace, params)
