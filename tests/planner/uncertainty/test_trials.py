"""Trials: worlds that differ from the plan, and that nothing differs where nothing should."""

from dataclasses import replace

import numpy as np
import pytest
import shapely

from dynamics.moment import total_moment
from dynamics.quasistatic.models import KINETIC, STATIC, model_of
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.records import new_records
from dynamics.tube import VineParams
from dynamics.vine import Status
from environments import Environment, Obstacles, load_environment
from environments.obstacles import box_corners
from environments.uncertainty import WORKSHOP, Uncertainty
from planner.design.design import Design, Section
from planner.design.replay import grow_designs
from planner.uncertainty.deviations import SectionErrors, WorldErrors, actuation_of
from planner.uncertainty.trials import MOST_BYTES, Outcome, Worlds, grow_rows, grow_trials
from surrogate.force_table import CellPosition

NO_CELL = CellPosition(0, 0.0, 0.0, 0.0)
PARAMS = VineParams()
ERRORS = replace(WORKSHOP, growth_pressure=500.0, moment_share=0.05, contact_share=0.2, friction=(0.05, 0.1))
"""Errors of which each world has some of every kind."""


def planned(environment: Environment, trials: int = 1, params: VineParams = PARAMS) -> Worlds:
    """Worlds that are as planned."""
    return Worlds(environment, params, WorldErrors.none(environment, trials))


def line(outcome: Outcome, trial: int) -> np.ndarray:
    """The centreline of a trial, without what is beyond the tip."""
    joints = outcome.joints[trial]
    return joints[~np.isnan(joints[:, 0])]


@pytest.fixture(scope="module")
def obstructed(room: Environment) -> Environment:
    """The room, with a block and a thick wall in the way of the design."""
    blocks = box_corners(0.4, 0.25, 0.5, 0.5), box_corners(0.3, -0.5, 0.4, -0.3)
    walls = [[0.7, 0.35, 0.8, 0.3, 0.03]]
    return replace(room, obstacles=Obstacles(blocks, [[0.2, 0.3, 0.1]], walls, ends="round"))


@pytest.mark.parametrize("friction", [None, 0.1])
def test_worlds_without_errors_are_the_environment(
    design: Design, obstructed: Environment, friction: float | None
) -> None:
    """Without errors every trial ends where the design itself does, to the bit, also with the friction of the tube."""
    params = replace(PARAMS, friction=friction)
    own = replace(design, params=params)
    drawn = Worlds.draw(obstructed, params, Uncertainty(), range(3), seed=0)
    grown = grow_designs([own], obstructed, QuasiStatic(obstructed, params))[0]
    for worlds in (planned(obstructed, 2, params), drawn):
        outcome = grow_trials(own, worlds)
        for trial in range(len(worlds)):
            assert (line(outcome, trial) == grown.centerline).all()
            assert outcome.status[trial] == grown.status
            assert outcome.reached[trial] == grown.reached
    free = grow_trials(design, planned(replace(obstructed, obstacles=Obstacles())))
    assert not np.array_equal(line(free, 0), grown.centerline)  # it does touch


@pytest.mark.parametrize("name", ["plus", "tube"])
def test_shipped_environments_are_grown_as_planned(name: str, design: Design) -> None:
    """Trials without errors end as planned also where obstacles touch one another and the bounds."""
    environment = load_environment(name)
    grown = grow_designs([design], environment, QuasiStatic(environment, PARAMS))[0]
    assert line(grow_trials(design, planned(environment)), 0) == pytest.approx(grown.centerline, abs=1e-9)


def test_a_world_is_the_same_for_all_that_grow_in_it(design: Design, obstructed: Environment) -> None:
    """Trials of one number end the same, to the bit, alone and among others; other designs meet the same worlds."""
    together = Worlds.draw(obstructed, PARAMS, ERRORS, range(70), seed=1)  # more than are grown in one batch
    outcome = grow_trials(design, together)
    assert len(np.unique(outcome.joints[:, 20, 0])) == 70
    for trial in (0, 3, 69):
        alone = grow_trials(design, Worlds.draw(obstructed, PARAMS, ERRORS, [trial], seed=1))
        assert np.array_equal(alone.joints[0], outcome.joints[trial], equal_nan=True)
        assert alone.nearest[0] == outcome.nearest[trial]
    longer = replace(design, sections=(*design.sections, Section(1.0, 1.1, "left", 2.0, 0.04, 25e3)))
    few, more = together.sections(design), together.sections(longer)
    assert (more.pressure[:, :2] == few.pressure).all()


@pytest.mark.parametrize("friction", [0.0, 0.1, 0.4])
def test_friction_of_a_world_is_that_of_the_walls(design: Design, obstructed: Environment, friction: float) -> None:
    """A world with a coefficient of friction is the environment with it, to the bit; it takes the place of the tube's own."""
    errors = WorldErrors.none(obstructed, 1)
    errors.friction[0] = friction
    grown = grow_designs([design], obstructed, QuasiStatic(obstructed, PARAMS, friction=friction))[0]
    for own in (None, 0.2):
        params = replace(PARAMS, friction=own)
        outcome = grow_trials(replace(design, params=params), Worlds(obstructed, params, errors))
        assert (line(outcome, 0) == grown.centerline).all()
    other = grow_designs([design], obstructed, QuasiStatic(obstructed, PARAMS, friction=0.2))[0]
    assert not np.array_equal(other.centerline, grown.centerline)


def test_compliance_of_a_world_is_that_of_the_contacts(design: Design, obstructed: Environment) -> None:
    """Twice the compliance is a tube whose contacts are half as stiff, to the bit."""
    errors = WorldErrors.none(obstructed, 1)
    errors.compliance[0] = 1.0
    softer = replace(PARAMS, contact_stiffness=PARAMS.contact_stiffness / 2)
    grown = grow_designs([replace(design, params=softer)], obstructed, QuasiStatic(obstructed, softer))[0]
    assert (line(grow_trials(design, Worlds(obstructed, PARAMS, errors)), 0) == grown.centerline).all()
    assert not np.array_equal(line(grow_trials(design, planned(obstructed)), 0), grown.centerline)


def test_growth_pressure_of_a_world_drives_and_stiffens(design: Design, obstructed: Environment) -> None:
    """Force of growth, pressure in the section and restoring moment are in proportion to it; the moment factor acts on the moment."""
    errors = WorldErrors.none(obstructed, 3)
    errors.growth_pressure[:] = [0.1 * PARAMS.growth_pressure, 0.0, -0.5 * PARAMS.growth_pressure]
    errors.moment[:] = [0.0, 0.3, 1.0]
    worlds = Worlds(obstructed, PARAMS, errors)
    stronger = QuasiStatic(obstructed, replace(PARAMS, growth_pressure=1.1 * PARAMS.growth_pressure)).tube
    own = QuasiStatic(obstructed, PARAMS)
    models = [model_of(worlds.models(1.0), world) for world in range(3)]
    for model, press, moment in zip(models, (1.1, 1.0, 0.5), (1.1, 1.3, 1.0), strict=True):
        assert model.tube.growth_force == pytest.approx(press * own.tube.growth_force)
        assert model.tube.section.pressure == pytest.approx(press * own.tube.section.pressure)
        for bend in (0.02, 0.5, 1.5):  # linear, wrinkled, folded
            resisting = [np.array(total_moment(one.joint, bend, 0.0, NO_CELL)) for one in (model, own)]
            assert resisting[0] == pytest.approx(moment * resisting[1])
        assert model.joint.elasticity.stiffness == pytest.approx(moment * own.joint.elasticity.stiffness)
    assert models[0].tube.growth_force == pytest.approx(stronger.growth_force)
    assert models[0].tube.section.pressure == pytest.approx(stronger.section.pressure)
    # Half the pressure in a film that resists twice as much: only the force of growth is halved.
    weaker = replace(PARAMS, growth_share=0.5 * PARAMS.growth_share)
    grown = grow_designs([replace(design, params=weaker)], obstructed, QuasiStatic(obstructed, weaker))[0]
    outcome = grow_trials(design, worlds, SectionErrors.none(3, 2))
    assert (line(outcome, 2) == grown.centerline).all()
    ends = np.array([line(outcome, trial)[-1] for trial in range(3)])
    assert len(np.unique(ends[:, 0])) == 3


def test_friction_of_a_world_replaces_that_of_the_tube(room: Environment) -> None:
    """The static coefficient of the tube stays where it is larger; without one of the world, both are those of the tube."""
    params = replace(PARAMS, friction=0.2, static_friction=0.4)
    errors = WorldErrors.none(room, 3)
    errors.friction[:] = [np.nan, 0.1, 0.5]
    found = Worlds(room, params, errors).models(1.0).numbers[:, [KINETIC, STATIC]]
    assert found.tolist() == [[0.2, 0.4], [0.1, 0.4], [0.5, 0.5]]


def test_objects_and_start_are_where_the_errors_put_them(design: Design, room: Environment) -> None:
    """Shapes are shifted, turned about their centre and made larger; no object gets smaller than a tenth."""
    errors = WorldErrors.none(room, 4)
    errors.share[0], errors.shift[0, 0], errors.start[1] = [0.5, -7.0, 0.0], [0.01, 0.02], [0.1, 0.2, 0.3]
    errors.rotation[2, 0], errors.size[3] = 0.3, [0.01, 0.02, 0.03]
    worlds = Worlds(room, PARAMS, errors)
    block, disc, wall = worlds.shapes(0)
    assert shapely.bounds(block) == pytest.approx([0.285, -0.43, 0.435, -0.13])
    assert shapely.bounds(disc) == pytest.approx([0.58, 0.58, 0.62, 0.62])
    assert shapely.bounds(wall) == pytest.approx(shapely.bounds(room.obstacles.shapes()[2]))
    assert worlds.models(1.0).base[1] == pytest.approx([0.1, 0.2, 0.3])
    assert line(grow_trials(design, worlds), 1)[0] == pytest.approx([0.1, 0.2])
    corners = shapely.get_coordinates(worlds.shapes(2)[0])
    highest = corners[corners[:, 1].argmax()]  # the upper right one, turned anticlockwise
    cosine, sine = np.cos(0.3), np.sin(0.3)
    assert highest == pytest.approx([0.35 + 0.05 * cosine - 0.1 * sine, -0.3 + 0.05 * sine + 0.1 * cosine])
    block, disc, wall = worlds.shapes(3)
    assert shapely.bounds(block) == pytest.approx([0.29, -0.41, 0.41, -0.19])
    assert shapely.bounds(disc) == pytest.approx([0.38, 0.38, 0.82, 0.82])
    assert shapely.bounds(wall)[[0, 2]] == pytest.approx([1.165, 1.235])


def test_a_tube_touches_the_objects_of_its_world(design: Design, obstructed: Environment) -> None:
    """Each of many vines grown in worlds of their own is not deeper in its obstacles than allowed, and some do touch."""
    turned = replace(ERRORS, obstacle_rotation=0.1)
    worlds = Worlds.draw(obstructed, PARAMS, turned, range(40), 0)
    outcome = grow_trials(design, worlds)
    away = np.array(
        [
            shapely.LineString(line(outcome, k)).distance(shapely.union_all(worlds.shapes(k))) - PARAMS.radius
            for k in range(40)
        ]
    )
    assert away.min() > -1.01 * PARAMS.penetration_tolerance
    assert (away < 1e-3).sum() > 10


def test_success_is_a_tip_in_the_goal_and_failures_are_counted(design: Design, room: Environment) -> None:
    """Where the start is blocked, the bounds are near or the goal is elsewhere, no trial succeeds, and it is said why."""
    tip = grow_designs([design], room, QuasiStatic(room, PARAMS))[0].design.tip[:2]
    cases = {
        "reached": replace(room, goal=np.array([*tip, 0.05])),
        "ended elsewhere": replace(room, goal=np.array([-0.8, 0.0, 0.05])),
        "left the bounds": replace(room, bounds=np.array([-1.0, -1.5, 0.5, 1.5]), goal=np.array([1.0, 1.0, 0.05])),
        "stalled": replace(room, obstacles=Obstacles((box_corners(0.1, -1.0, 0.2, 1.0),))),
    }
    for way, environment in cases.items():
        outcome = grow_trials(design, planned(environment, 3))
        counts = outcome.counts()
        assert counts[way] == 3, (way, counts)
        assert sum(counts.values()) == 3
        assert ((outcome.nearest <= 0) == (way == "reached")).all()
    # The base is as far from the goal as the tip ever is where the goal lies behind it.
    assert grow_trials(design, planned(cases["ended elsewhere"])).nearest[0] == pytest.approx(0.775, abs=0.03)


def test_every_status_of_a_trial_is_counted() -> None:
    """A trial that missed the goal is in one column, whichever way its growth ended."""
    for status in set(Status) - {Status.COILED, Status.AMBIGUOUS}:  # these the propagator of trials does not return
        outcome = Outcome(np.zeros(1, bool), np.ones(1), np.array([status]), np.zeros((1, 2, 2)), {})
        assert sum(outcome.counts().values()) == 1, status


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_trials_that_break_down_say_where(design: Design, room: Environment) -> None:
    """A tube whose moments overflow succeeds in no trial; each is counted as not finite, with step and segment."""
    absurd = replace(design, params=replace(PARAMS, growth_pressure=1e200))
    outcome = grow_trials(absurd, planned(room, 2, absurd.params))
    assert outcome.counts()["not finite"] == 2
    assert [*outcome.broken] == [0, 1]
    assert outcome.broken[0].startswith("not finite at step 0, segment 0: ")


@pytest.mark.parametrize("size", [0.05, 0.5])
def test_a_base_deep_in_an_obstacle_has_no_room(design: Design, room: Environment, size: float) -> None:
    """Where an obstacle lies on the base nothing grows, however deep the base is in it."""
    beside = replace(room, obstacles=Obstacles((box_corners(-0.7 - size, -size, -0.7 + size, size),)))
    errors = WorldErrors.none(beside, 2)
    errors.shift[1, 0, 0] = 0.7
    worlds = Worlds(beside, PARAMS, errors)
    outcome = grow_trials(design, worlds)
    assert worlds.blocked.tolist() == [False, True]
    assert outcome.counts()["no room"] == 1
    assert outcome.nearest[1] == np.inf
    assert np.isnan(outcome.joints[1]).all()


def test_a_base_that_is_drawn_into_an_obstacle_stands_beside_it(design: Design, room: Environment) -> None:
    """An overlap of at most a radius moves the base straight out of it; a deeper one is blocked, and others are not moved."""
    gap, radius = 2e-3, PARAMS.radius
    near = replace(room, obstacles=Obstacles((box_corners(-0.2, -0.5, -radius - gap, 0.5),)))
    errors = WorldErrors.none(near, 4)
    errors.shift[:, 0, 0] = [0.0, gap + 0.01, gap + 0.99 * radius, gap + 1.2 * radius]
    worlds = Worlds(near, PARAMS, errors)
    assert worlds.blocked.tolist() == [False, False, False, True]
    out = [0.0, 0.01, 0.99 * radius]
    moved = worlds.motions.start[:3, 0]
    assert moved == pytest.approx([0.0, *(np.array(out[1:]) - PARAMS.penetration_tolerance)], abs=1e-6)
    assert (worlds.motions.start[:, 1:] == 0).all()
    outcome = grow_trials(replace(design, sections=design.sections[:1]), worlds)
    assert outcome.status.tolist() == [Status.GROWN] * 3 + [Status.UNRESOLVED]
    for trial in range(3):
        clear = shapely.Point(line(outcome, trial)[0]).distance(worlds.shapes(trial)[0])
        assert clear >= radius - PARAMS.penetration_tolerance


def test_a_mounted_base_always_has_room_at_its_mount(design: Design, room: Environment) -> None:
    """Errors of the base by millimetres and degrees, and moved pieces of the mount, leave it mounted; other obstacles still count."""
    wall = Obstacles(boxes=((-0.3, -0.4, 0.0, 0.0), (-0.3, 0.0, 0.0, 0.4)))  # the start is at the joint of two pieces
    mounted = replace(room, obstacles=wall, mount="wall", bounds=np.array([0.0, -1.5, 2.0, 1.5]))
    short = replace(design, sections=design.sections[:1])
    uncertainty = Uncertainty(obstacle_position=1e-3, obstacle_share=0.02, start_position=4e-3, start_heading=0.05)
    worlds = Worlds.draw(mounted, PARAMS, uncertainty, range(12), seed=2)
    outcome = grow_trials(short, worlds)
    assert (outcome.status == Status.GROWN).all()
    assert (worlds.motions.start == mounted.start + worlds.errors.start).all()  # none was moved out of its mount
    crowded = replace(mounted, obstacles=Obstacles((*wall.polygons, box_corners(0.0, 0.42, 0.2, 0.5))))
    errors = WorldErrors.none(crowded, 2)
    assert errors.shift.shape[1] == 2  # the two pieces of the mount are one object
    errors.shift[1, 1, 1] = -0.46
    assert grow_trials(short, Worlds(crowded, PARAMS, errors)).counts()["no room"] == 1


def test_a_design_without_actuators_can_be_tried(design: Design, room: Environment) -> None:
    """A bare tube has nothing to bend it: only environment and start make a difference."""
    bare = replace(design, sections=design.sections[:1])
    outcome = grow_trials(bare, Worlds.draw(room, PARAMS, Uncertainty.of_levels(0.0, 0.2), range(3), seed=0))
    assert outcome.joints[:, 8] == pytest.approx(np.array([[0.2, 0.0]] * 3), abs=1e-9)


def test_worlds_can_be_grown_in_finer_steps(design: Design, obstructed: Environment) -> None:
    """Planned worlds end at a fraction of the step where the refined model does, to the bit."""
    grown = grow_designs([design], obstructed, QuasiStatic(obstructed, PARAMS).refined(4))[0]
    assert (line(grow_trials(design, planned(obstructed).refined(4)), 0) == grown.centerline).all()
    worlds = Worlds.draw(obstructed, PARAMS, ERRORS, range(4), 0)
    coarse, finer = worlds.models(1.0), worlds.refined(4)
    fine = finer.models(1.0)
    assert fine.planned.tube.growth_step == pytest.approx(coarse.planned.tube.growth_step / 4)
    assert fine.edges is coarse.edges
    assert (fine.numbers == coarse.numbers).all()
    assert (fine.base == coarse.base).all()
    assert (finer.sections(design).pressure == worlds.sections(design).pressure).all()
    one, other = (grow_trials(design, some).joints for some in (worlds, finer))
    assert not np.array_equal(one, other, equal_nan=True)


def test_worlds_have_only_what_a_tube_can_touch(design: Design, obstructed: Environment) -> None:
    """A long tube gets more than a short one, and a design grows as it does where all is there, to the bit."""
    far = replace(obstructed, obstacles=Obstacles((*obstructed.obstacles.polygons, box_corners(0.5, 1.2, 0.6, 1.3))))
    few, every = (Worlds.draw(far, PARAMS, ERRORS, range(4), 0) for _ in range(2))
    assert len(few.models(design.length).edges[0]) < len(every.models(np.inf).edges[0])
    one, other = (grow_trials(design, some).joints for some in (few, every))
    assert np.array_equal(one, other, equal_nan=True)
    assert len(few.models(9.0).edges[0]) == len(every.models(9.0).edges[0])


def test_a_blocked_vine_that_trembles_has_stalled() -> None:
    """Its joints never come to rest: bounds of friction follow the forces of the last step. It ended after five times its length only."""
    environment = load_environment("long", PARAMS.radius)
    worlds = Worlds.draw(environment, PARAMS, WORKSHOP, [2_000_001], seed=1)
    parts = [
        (0.683, "left", 0.8714764228184461, 0.024, 5000.0),
        (1.182, "right", 3.5567843107557957, 0.045, 35000.0),
        (1.939, "left", 4.129091275904105, 0.039, 35000.0),
        (2.499, "right", 2.3470357736399374, 0.068, 35000.0),
        (3.121, "none", 0.0, 0.0, 0.0),
        (3.930, "right", 2.415458363130006, 0.066, 35000.0),
        (5.126, "left", 2.5826603484380994, 0.024, 35000.0),
    ]
    starts = [0.0, *[end for end, *_ in parts[:-1]]]
    sections = tuple(Section(start, *part) for start, part in zip(starts, parts, strict=True))
    blocked = Design("long", "", PARAMS, sections, np.zeros(3), np.zeros((1, 2)))
    carried = actuation_of(blocked, worlds.sections(blocked), worlds.errors)
    rollout = grow_rows(worlds, np.array([0]), carried, blocked.length)
    assert rollout.status[0] == Status.STALLED
    assert rollout.steps[0] < 1.2 * blocked.length / (PARAMS.segment_length / 6)


def test_the_records_of_a_batch_of_long_tubes_fit_the_memory(room: Environment) -> None:
    """Short tubes grow in full batches; the records of long ones stay small, but for a tube for each thread."""
    worlds = planned(room)
    sizes = {segments: worlds.batch_size(segments) for segments in (40, 400, 4000)}
    assert sizes[40] == 64
    assert 1 < sizes[400] < 64
    records = new_records(np.full(sizes[400], 400 * PARAMS.segment_length), PARAMS.segment_length, 400)
    assert sum(part.nbytes for part in records) < 1.1 * MOST_BYTES
    assert sizes[4000] == worlds.planned.threads


def test_the_size_of_a_batch_changes_nothing(
    design: Design, obstructed: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One world after the other ends as all together."""
    worlds = Worlds.draw(obstructed, PARAMS, WORKSHOP, range(3), seed=0)
    together = grow_trials(design, worlds)
    monkeypatch.setattr(Worlds, "batch_size", lambda *_: 1)
    assert (grow_trials(design, worlds).nearest == together.nearest).all()
