"""Rows of contact of a tube with itself: finite differences, brute force and dense problems are the reference."""

from collections.abc import Callable

import numpy as np
import pytest
import shapely
from scipy.optimize import nnls

from dynamics.chain import Chain, forward_kinematics, new_chain
from dynamics.contact_rows import Contacts, new_contacts
from dynamics.cross_section import COMPLIANCE
from dynamics.links import STRAIGHT
from dynamics.nearby import new_blocks
from dynamics.quasistatic.complementarity import solve_step
from dynamics.quasistatic.dual import ContactNumbers, QuadraticStep, new_dual
from dynamics.quasistatic.friction import add_tip_row, normal_force
from dynamics.self_contact import APART, CROSSED, SELF_KEY, add_self_contacts, segments_apart
from environments import Environment
from surrogate.kernels.compiled import Floats

MakeEnvironment = Callable[..., Environment]
RADIUS, MARGIN, FULL = 0.03335, 0.024, 0.025
LEAST = int(np.ceil(APART * RADIUS / FULL))
"""Segments between two parts that can touch."""
QUICK = range(6)
SEEDS = [*QUICK, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 12))]


class Coil:
    """A tube that lies close to itself, and its contacts as found."""

    def __init__(self, angles: Floats, pivots: Floats, last_length: float, full: float = FULL) -> None:
        self.angles, self.pivots, self.last_length, self.full = angles, pivots, last_length, full
        self.segments = len(angles)
        self.chain = self.bent()
        self.contacts: Contacts = new_contacts(40 * self.segments)
        least, blocks = segments_apart(RADIUS, full), new_blocks(self.segments)
        self.count = add_self_contacts(self.chain, self.segments, RADIUS, MARGIN, least, self.contacts, 0, blocks)

    def bent(self, joint: int = 0, bend: float = 0.0, growth: float = 0.0) -> Chain:
        """Its joints after one bend [rad] and a growth [m] more."""
        chain, angles = new_chain(self.segments), self.angles.copy()
        angles[joint] += bend
        start, length = np.array([0.1, 0.2, 0.3]), self.last_length + growth
        forward_kinematics(chain, angles, self.pivots, start, self.segments, length, self.full)
        return chain

    def pair(self, k: int) -> tuple[int, int]:
        """Joint and segment of a contact."""
        return divmod(SELF_KEY - int(self.contacts.key[k]), len(self.chain.x))

    def row(self, k: int) -> Floats:
        """Row of J: bends and growth."""
        found, chain = self.contacts, self.chain
        row = np.zeros(self.segments + 1)
        moved = slice(found.first[k], found.segment[k] + 1)
        row[moved] = found.alpha[k] + found.beta[k] * chain.pivot_x[moved] + found.gamma[k] * chain.pivot_y[moved]
        row[-1] = found.growth[k]
        return row


def line_of(chain: Chain) -> Floats:
    """Joints [m], shape (n + 1, 2)."""
    return np.stack([chain.x, chain.y], axis=1)


def distance(chain: Chain, joint: int, segment: int) -> float:
    """Compute the distance of a joint from a segment's axis [m]."""
    line = line_of(chain)
    return float(shapely.Point(line[joint]).distance(shapely.LineString(line[segment : segment + 2])))


def random_coil(seed: int, full: float = FULL, length: float = 2.5) -> Coil:
    """A loop that comes back beside its own base, bent a little at random, at some joints by actuators."""
    for trial in range(1000):
        rng = np.random.default_rng((seed, trial))
        segments = int(length / full)
        angles = rng.uniform(3.2, 4.6) * full * np.ones(segments) + rng.normal(0, 0.1, segments) * np.sqrt(full / FULL)
        pivots = RADIUS * np.sign(angles) * (rng.random(segments) < 0.5)
        # Near straight, links lengthen with the bend: no point keeps its place on them.
        pivots[np.abs(RADIUS * angles) < 2 * STRAIGHT * full] = 0.0
        pivots[-1] = 0.0  # its growth lengthens the centreline as much
        coil = Coil(angles, pivots, rng.uniform(0.2, 1.0) * full, full)
        if coil.count > 0:
            return coil
    raise AssertionError("no coil touches itself")


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_are_the_derivative_of_the_distance(seed: int) -> None:
    """Gap and J of every contact, over all bends and the growth, by central differences of the distance of joint and segment."""
    coil, step = random_coil(seed), 1e-6
    for k in range(coil.count):
        joint, segment = coil.pair(k)
        assert coil.contacts.gap[k] == pytest.approx(distance(coil.chain, joint, segment) - 2 * RADIUS, abs=1e-12)
        expected = [
            distance(coil.bent(j, step), joint, segment) - distance(coil.bent(j, -step), joint, segment)
            for j in range(coil.segments)
        ]
        longer = distance(coil.bent(growth=step), joint, segment) - distance(coil.bent(growth=-step), joint, segment)
        np.testing.assert_allclose(coil.row(k), np.array([*expected, longer]) / (2 * step), atol=1e-5)


def test_the_tip_as_well_as_both_ways_are_among_the_rows() -> None:
    """The finite differences above cover tips, joints of the outer part, and joints of the inner one."""
    coils = [random_coil(seed) for seed in QUICK]
    pairs = [(coil.pair(k), coil.segments) for coil in coils for k in range(coil.count)]
    assert any(joint == segments for (joint, _), segments in pairs)
    assert any(segment < joint < segments for (joint, segment), segments in pairs)
    assert any(joint < segment for (joint, segment), _ in pairs)


@pytest.mark.parametrize("full", [6e-3, 11e-3, FULL, 60e-3, 0.15])
@pytest.mark.parametrize("seed", range(4))
def test_no_near_part_is_missed(seed: int, full: float) -> None:
    """For all pairs of segments that can touch, brute force finds no smaller gap than the rows, and each of theirs is a row.

    Each joint whose nearest point of another part lies within a segment has a row with that gap.
    """
    coil = random_coil(seed, full)
    line, least = line_of(coil.chain), int(np.ceil(APART * RADIUS / full))
    rows = {coil.pair(k): coil.contacts.gap[k] for k in range(coil.count)}
    assert len(rows) == coil.count  # keys identify the pairs
    inner, outer = np.triu_indices(coil.segments, least + 1)
    lines = shapely.linestrings(np.stack([line[:-1], line[1:]], axis=1))
    gaps = shapely.distance(lines[inner], lines[outer]) - 2 * RADIUS
    assert min(rows.values()) == pytest.approx(gaps.min(), abs=1e-12)
    expected = set()
    for a, b in zip(inner[gaps < MARGIN], outer[gaps < MARGIN], strict=True):
        for joint, segment in ((b + 1, a), (b, a), (a, b), (a + 1, b)):
            along = (line[joint] - line[segment]) @ (line[segment + 1] - line[segment]) / coil.chain.length[segment]
            gap = distance(coil.chain, joint, segment) - 2 * RADIUS
            if 0 < along < coil.chain.length[segment] and gap < MARGIN:
                expected.add((joint, segment))
                assert rows[joint, segment] == pytest.approx(gap, abs=1e-12)
    assert expected
    for joint, segment in rows:  # and nothing that cannot touch
        assert (joint - 1 - segment if joint > segment else segment - joint) >= least
        assert rows[joint, segment] < MARGIN


def test_the_sharpest_bend_does_not_touch_itself() -> None:
    """A half circle about the tube's own wall, its film on the outer side, passive or under actuators, and the straight legs after."""
    for shortened in (0.0, 1.0):
        # The axis has the radius R: a segment of film turns by full / R, under an actuator by half of that.
        bend = FULL / RADIUS / (1 + shortened)
        half = int(np.pi / bend)
        angles = np.concatenate([np.zeros(6), np.full(half, bend), np.zeros(6)])
        coil = Coil(angles, shortened * RADIUS * np.sign(angles), FULL)
        assert coil.count == 0 or coil.contacts.gap[: coil.count].min() > -0.02 * RADIUS


@pytest.mark.parametrize("seed", range(20))
def test_mixed_rows_solve_the_dense_problem(seed: int) -> None:
    """Contacts with walls and with the own body together: the forces are those of a dense non-negative least squares problem."""
    coil, rng, compliance = random_coil(seed), np.random.default_rng(seed), 5e-6
    contacts, segments = coil.contacts, coil.segments
    own = rng.permutation(coil.count)[:6]
    for array in contacts:
        array[: len(own)] = array[own]
    count = len(own)
    for k in range(count, count + 4):  # walls
        contacts.first[k], contacts.segment[k] = 0, rng.integers(0, segments)
        q, way = line_of(coil.chain)[contacts.segment[k] + 1], rng.uniform(0, 2 * np.pi)
        contacts.alpha[k] = q[0] * np.sin(way) - q[1] * np.cos(way)
        contacts.beta[k], contacts.gamma[k] = -np.sin(way), np.cos(way)
        contacts.growth[k] = 0.0
    count += 4
    contacts.gap[:count] = rng.uniform(-2e-3, 4e-3, count)
    inverse, free = 10 ** rng.uniform(-1.2, 0.5, segments), rng.normal(0, 0.03, segments)
    dual, step = new_dual(len(contacts.gap), segments), QuadraticStep(inverse, free, np.empty(segments))
    coil.contacts.pressing[:count, COMPLIANCE] = compliance
    numbers = ContactNumbers(count, count, segments, 2e-3, 1 / 48, 0.0)
    growth, active, solved = solve_step(contacts, coil.chain, step, dual, numbers, 0, True, 0)
    assert solved
    dense = np.array([coil.row(k) for k in range(count)])
    mobility = np.append(inverse, 1 / 48)
    delassus = (dense * mobility) @ dense.T + compliance * np.eye(count)
    gaps = contacts.gap[:count] + dense @ np.append(free, 2e-3)
    # Non-negative least squares of the Cholesky factor L' x = -inv(L) g is the same problem.
    factor = np.linalg.cholesky(delassus)
    expected, _ = nnls(factor.T, -np.linalg.solve(factor, gaps))
    np.testing.assert_allclose(dual.force[:count], expected, atol=1e-3)
    assert active > 0
    moved = np.append(free, 2e-3) + mobility * (dense.T @ dual.force[:count])
    np.testing.assert_allclose(step.bend, moved[:-1], atol=1e-9)
    assert growth == pytest.approx(moved[-1], abs=1e-9)


def test_the_tip_is_pressed_by_the_own_body() -> None:
    """A tip that meets an inner part head on is held back by it, and sticks along it: those rows move with the inner part."""
    turn = np.concatenate([np.zeros(8), np.full(12, np.pi / 24), np.zeros(10), np.full(12, np.pi / 12), np.zeros(5)])
    for last in np.linspace(0.002, FULL, 12):  # grow until it is near
        for more in range(1, 40):
            coil = Coil(np.concatenate([turn, np.zeros(more)]), np.zeros(len(turn) + more), last)
            if coil.count:
                break
        tips = [k for k in range(coil.count) if coil.pair(k)[0] == coil.segments]
        if tips and coil.contacts.growth[tips[0]] < -0.5:
            break
    k, segments = tips[0], coil.segments
    dual = new_dual(len(coil.contacts.gap), segments)
    dual.active[0], dual.force[k] = k, 3.0
    numbers = ContactNumbers(coil.count, coil.count, segments, 0.0, 1.0, 0.0)
    assert normal_force(coil.contacts, coil.chain, dual, numbers, 1) == 3.0
    assert add_tip_row(coil.contacts, coil.count, coil.chain, segments) == coil.count + 1
    inner = coil.contacts.first[coil.count]
    assert inner in coil.contacts.first[tips]
    assert inner > 0
    tangent = coil.row(coil.count)
    assert not tangent[:inner].any()
    assert np.abs(tangent[inner:segments]).max() > 0.05


def test_crossed_axes_are_told_from_near_ones() -> None:
    """Whether the line through all joints is simple, for tubes with and without a crossing beyond the sharpest bend."""
    told = [0, 0]
    for seed in range(400):
        rng = np.random.default_rng(seed)
        angles = rng.uniform(2.0, 4.5) * FULL + rng.normal(0, 0.12, 90)
        coil = Coil(angles, np.zeros(90), FULL)
        inner, outer = np.triu_indices(90, LEAST + 1)
        lines = shapely.linestrings(np.stack([line_of(coil.chain)[:-1], line_of(coil.chain)[1:]], axis=1))
        crosses = bool(shapely.intersects(lines[inner], lines[outer]).any())
        assert (coil.count == CROSSED) == crosses
        told[crosses] += 1
    assert min(told) > 50
