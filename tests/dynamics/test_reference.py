"""The reference solver by itself: derivatives, equilibria, free and blocked vines by hand, and that its store is what it gives."""

from collections.abc import Callable

import numpy as np
import pytest
import shapely

from dynamics.tube import VineParams
from environments import Environment
from surrogate.kernels.compiled import Floats
from tests.dynamics.reference.joints import JointLaw, cell_curve, tube_moment
from tests.dynamics.reference.shape import shape_of, shortening
from tests.dynamics.reference.solver import Reference, held_forces
from tests.dynamics.reference.store import RECORD_EVERY, SEGMENTS, stored
from tests.dynamics.reference.touching import FACE, POINT, SIDE, curvature_of_gaps, directions, solids_of, touching

Table = Callable[[str], dict[str, np.ndarray]]
MakeEnvironment = Callable[..., Environment]

PARAMS = VineParams()
COURSE = {"boxes": [[0.08, 0.036, 0.13, 0.2], [0.19, -0.2, 0.3, -0.02]], "walls": [[0.21, 0.16, 0.4, 0.1, 0.02]]}
"""A corner that the tube bends round, faces to slide along, and a wall with round ends."""


def growing(environment: Environment, pressure: float, segments: int, physics: str = "corrected") -> Reference:
    """A vine that has not grown, with one actuator [Pa] all along, cells of 42 mm."""
    return Reference(environment, PARAMS, np.full(segments, pressure), np.full(segments, 0.042), physics)


def test_tube_moment_agrees_with_the_table(reference: Table) -> None:
    """The restoring moment is that of the table of Eq. 2 to 1e-9 N m, and its slope that of central differences."""
    table = reference("restoring_moment_reference")
    moment, slope = tube_moment(table["bend_angle_rad"], PARAMS)
    np.testing.assert_allclose(moment, table["moment_Nm"], atol=1e-9)
    ahead, behind = (tube_moment(table["bend_angle_rad"] + step, PARAMS)[0] for step in (1e-6, -1e-6))
    inner = np.abs(table["bend_angle_rad"]) < np.pi
    np.testing.assert_allclose(slope[inner], (ahead - behind)[inner] / 2e-6, rtol=1e-5, atol=1e-7)


def test_cells_and_free_curvature_agree_with_the_tables(reference: Table) -> None:
    """The pull of cells is that of the table of Eq. 1 to 3e-4 of it, and curvature in free space to 1e-6."""
    table = reference("spam_reference")
    for l_0 in np.unique(table["l0_m"]):
        rows = table["l0_m"] == l_0
        pull = cell_curve(float(l_0), 5e-3, 17.18e-3, 1e-4)(table["strain"][rows])
        np.testing.assert_allclose(pull, table["force_per_pressure_m2"][rows], rtol=3e-4, atol=1e-9)
    table = reference("free_space_curvature_reference")
    law = JointLaw(PARAMS, 1e3 * table["pressure_kpa"], 1e-3 * table["l0_mm"], "corrected")
    for joint in range(0, len(table["l0_mm"]), 9):
        assert law.free_curvature(joint) == pytest.approx(table["curvature_per_m"][joint], rel=1e-6)


@pytest.mark.parametrize(("physics", "strain"), [("corrected", -0.2), ("published", -0.2), ("corrected", -1e-4)])
def test_taut_cells_pull_by_eq_1_about_the_near_wall(physics: str, strain: float) -> None:
    """Bent back, the moment is the larger of the pull at rest about the far wall and Eq. 1's about the near one; published: linear."""
    law = JointLaw(PARAMS, np.array([20e3]), np.array([0.042]), physics)
    curve, far, near = cell_curve(0.042, 5e-3, 17.18e-3, 1e-4), law.far, law.near
    bend = strain / far * 25e-3
    total = law.moment(np.array([bend]), np.array([25e-3]))[0][0] - tube_moment(np.array([bend]), PARAMS)[0][0]
    taut = max(curve(0.0) * far, curve(strain * near / far) * near)
    linear = (curve(0.0) + curve(0.0, 1) * strain) * far
    assert total == pytest.approx(-20e3 * (taut if physics == "corrected" else linear), rel=1e-9)


def test_links_shorten_by_radius_times_bend() -> None:
    """A link with an actuator is shorter by R |bend|, by half of that or less next to straight, and folded keeps a quarter."""
    bends, length = np.linspace(-1, 1.00012, 4001), np.full(4001, 25e-3)
    less, first, second = shortening(bends, length, PARAMS.radius)
    strain = PARAMS.radius * np.abs(bends) / 25e-3
    plain = (strain > 0.02) & (strain < 0.5)
    np.testing.assert_allclose(less[plain], PARAMS.radius * np.abs(bends)[plain], atol=1e-12)
    near = strain < 0.01
    assert (less[near] <= 0.75 * PARAMS.radius * np.abs(bends)[near]).all()
    assert shortening(np.zeros(1), length[:1], PARAMS.radius)[1] == 0.0
    # At half of its length it folds; the quarter that is left to go decays with its initial slope.
    folded = strain > 0.5
    np.testing.assert_allclose(less[folded], (0.75 - 0.25 * np.exp(-(strain - 0.5) / 0.25))[folded] * 25e-3, atol=1e-12)
    ahead, behind = (shortening(bends + step, length, PARAMS.radius) for step in (1e-7, -1e-7))
    np.testing.assert_allclose(first, (ahead[0] - behind[0]) / 2e-7, atol=1e-7)
    smooth = (np.abs(strain - 0.02) > 1e-6) & (np.abs(strain - 0.5) > 1e-6)
    np.testing.assert_allclose(second[smooth], ((ahead[1] - behind[1]) / 2e-7)[smooth], atol=1e-4)


def test_derivatives_of_gaps(environment: MakeEnvironment) -> None:
    """First and second derivatives of the gaps at faces, corners and sides are those of central differences."""
    solids = solids_of(
        environment(
            boxes=[[0.05, 0.042, 0.09, 0.2]], circles=[[0.215, 0.03, 0.02]], walls=[[0, -0.05, 0.3, -0.05, 0.02]]
        )
    )
    bends = np.array([0.05, 0.03, -0.06, -0.09, 0.04, -0.05, 0.005, 0.08])
    shortens, length = np.arange(8) % 3 != 1, np.append(np.full(7, 25e-3), 17e-3)

    def gaps(bends: Floats) -> tuple[Floats, Floats]:
        shape = shape_of(np.array([0.0, 0.0, 0.05]), bends, length, shortens, PARAMS.radius)
        contacts = touching(solids, shape, PARAMS.radius, 20e-3)
        return contacts.gap, directions(shape, contacts)

    shape = shape_of(np.array([0.0, 0.0, 0.05]), bends, length, shortens, PARAMS.radius)
    contacts = touching(solids, shape, PARAMS.radius, 20e-3)
    assert {FACE, POINT, SIDE} == set(contacts.kind)
    force = np.random.default_rng(0).uniform(1, 20, len(contacts.gap))
    found, second = directions(shape, contacts), curvature_of_gaps(shape, contacts, force)
    for j in range(8):
        step = 1e-6 * np.eye(8)[j]
        (ahead, turned), (behind, back) = gaps(bends + step), gaps(bends - step)
        np.testing.assert_allclose(found[:, j], (ahead - behind) / 2e-6, atol=1e-8)
        np.testing.assert_allclose(second[j], force @ (turned - back) / 2e-6, atol=1e-6)


def centreline(start: Floats, bends: Floats, material: Floats, shortens: bool) -> list[complex]:
    """Joints in the complex plane, one link after another."""
    points, heading = [complex(*start[:2])], start[2]
    for bend, length in zip(bends, material, strict=True):
        heading += bend
        points.append(points[-1] + (length - PARAMS.radius * abs(bend) * shortens) * np.exp(1j * heading))
    return points


def contact_energy(vine: Reference, bends: Floats) -> float:
    """Energy of the closed contacts [J], distances by shapely."""
    material = np.append(np.full(len(bends) - 1, PARAMS.segment_length), vine.last_length)
    points = [
        (one.real, one.imag) for one in centreline(vine.environment.start, bends, material, bool(vine.shortens[0]))
    ]
    contacts, solids, energy = vine.here()[1], vine.solids, 0.0
    for k in np.flatnonzero(contacts.gap < 0):
        kind, link, solid = contacts.keys[k]
        if kind == FACE:
            end = solids.begin[solid] + solids.extent[solid] * solids.face[solid]
            thing, tube = shapely.LineString([solids.begin[solid], end]), shapely.Point(points[link + 1])
            thick = solids.thick[solid]
        else:
            thing = shapely.Point(contacts.place[k] - contacts.away[k] * contacts.normal[k])
            thick = contacts.away[k] - contacts.gap[k] - PARAMS.radius
            tube = shapely.Point(points[link + 1]) if kind == POINT else shapely.LineString(points[link : link + 2])
        energy += PARAMS.contact_stiffness / 2 * (PARAMS.radius + thick - thing.distance(tube)) ** 2
    return energy


@pytest.mark.parametrize(("pressure", "heading"), [(22e3, -0.1), (-15e3, 0.25)])
def test_states_are_equilibria(environment: MakeEnvironment, pressure: float, heading: float) -> None:
    """At rest in contact the joints' moments balance the numerical gradient of the contacts' energy, to 1e-4 N m."""
    vine = growing(environment(**COURSE, start=(0.0, 0.0, heading)), pressure, 7)
    grown = vine.grow(0.17, 0.06)
    assert held_forces(vine).sum() > 1.0
    solid = shapely.union_all(vine.environment.obstacles.shapes())
    for joints in grown.joints:
        assert shapely.LineString(joints).distance(solid) > PARAMS.clearance
    count = len(vine.bends)
    material = np.append(np.full(count - 1, PARAMS.segment_length), vine.last_length)
    moment = vine.law.moment(vine.bends, material)[0]
    assert np.abs(moment).max() > 0.05
    for j in range(count):
        step = 1e-6 * np.eye(count)[j]
        gradient = (contact_energy(vine, vine.bends + step) - contact_energy(vine, vine.bends - step)) / 2e-6
        assert moment[j] + gradient == pytest.approx(0.0, abs=1e-4)


@pytest.mark.parametrize(("physics", "side"), [("corrected", 1), ("corrected", -1), ("published", 1)])
def test_free_vine_lies_on_an_arc(environment: MakeEnvironment, reference: Table, physics: str, side: int) -> None:
    """Radius of the centreline: 1 / curvature - R corrected, 1 / curvature published; the corners of a chord polygon lie on it."""
    table = reference("free_space_curvature_reference")
    row = np.flatnonzero((table["pressure_kpa"] == 25) & (table["l0_mm"] == 42))[0]
    curvature = table["curvature_per_m"][row]
    vine = growing(environment(), side * 25e3, 4, physics)
    joints = vine.grow(0.09, 0.05).joints[-1][:-1]  # the last segment is not a whole one
    # Half a segment's bend comes before the first link: the arc begins with its tangent at the heading less half a bend.
    bend = curvature * PARAMS.segment_length
    radius = 1 / curvature - PARAMS.radius * (physics == "corrected")
    chord = bend * radius / (2 * np.sin(bend / 2))
    assert chord == pytest.approx(radius, rel=3e-4)
    centre = chord * np.array([-np.sin(bend / 2), side * np.cos(bend / 2)])
    np.testing.assert_allclose(np.hypot(*(joints - centre).T), chord, atol=1e-7)


def test_blocked_vine_holds_the_growth_force(environment: MakeEnvironment) -> None:
    """Head-on, too short to buckle, a straight tube stalls where the wall presses with the growth force."""
    vine = growing(environment(boxes=[[0.12, -0.2, 0.2, 0.2]]), 0.0, 8)
    grown = vine.grow(0.2, 0.05)
    assert grown.status == "STALLED"
    assert held_forces(vine).sum() == pytest.approx(PARAMS.growth_force, rel=1e-3)
    assert vine.length == pytest.approx(0.12 - PARAMS.radius + PARAMS.growth_force / PARAMS.contact_stiffness, abs=1e-6)


def test_blocked_vine_buckles_at_eulers_force(environment: MakeEnvironment) -> None:
    """A longer one gives way at about pi^2 EI / (4 L^2) of a tube clamped at the base and free to slide at the wall."""
    segments = 16
    length = segments * PARAMS.segment_length
    vine = growing(environment(boxes=[[length + PARAMS.radius + 2e-5, -0.5, 0.7, 0.5]], start=(0, 0, 1e-3)), 0.0, 20)
    vine.bends, vine.last_length = np.zeros(segments), PARAMS.segment_length
    most = 0.0
    for _ in range(8):
        vine.grow(vine.length + 1e-3, 0.1)
        most = max(most, held_forces(vine).sum())
    stiffness = tube_moment(np.array([1e-3]), PARAMS)[0][0] / 1e-3 * PARAMS.segment_length
    # The first joint turns at the base itself, half a segment before the base of an even beam.
    euler = np.pi**2 * stiffness / (4 * (length + PARAMS.segment_length / 2) ** 2)
    assert 0.8 * euler < most < 1.05 * euler
    assert most < PARAMS.growth_force / 3


def test_store_is_what_the_solver_gives() -> None:
    """A short stored vine, grown again until it stalls, is the stored one."""
    vine = stored("pickone")[0]
    assert vine.physics == "corrected"
    assert len(vine.joints) == 1
    assert not vine.case.passive
    grown = vine.case.solver(vine.physics).grow(0.5, RECORD_EVERY)
    assert grown.status == vine.status == "STALLED"
    np.testing.assert_allclose(grown.lengths, vine.lengths, atol=1e-6)
    np.testing.assert_allclose(grown.joints[0], vine.joints[0], atol=1e-5)


def test_store_holds_the_vine_that_goes_up() -> None:
    """Every environment has its vines, and the passive one of plus passes the bifurcation at which it could slide down."""
    vines = [vine for name in SEGMENTS for vine in stored(name)]
    assert sum(vine.physics == "published" for vine in vines) >= 3 * len(SEGMENTS)
    assert sum(vine.physics == "corrected" for vine in vines) >= 4
    passive = next(vine for vine in vines if vine.case.name == "passive")
    assert passive.status == "GROWN"
    assert passive.joints[-1][-1, 1] > 0.4
