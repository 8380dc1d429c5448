"""Actuators between two parts of a tube: springs in closed form, finite differences, and rollouts of tubes that coil."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import shapely

from dynamics.actuator_self_contacts import add_actuator_self_contacts, reach_with_actuators
from dynamics.chain import Chain, new_chain
from dynamics.contact_rows import ACTUATOR_KEYS, NO_KEY, Contacts, new_contacts
from dynamics.cross_section import CrossSection
from dynamics.nearby import near_segments, new_blocks
from dynamics.quasistatic.dual import new_dual
from dynamics.quasistatic.friction import Friction, FrictionMemory, add_friction_rows
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.self_contact import segments_apart
from dynamics.thickness import signed_thickness
from dynamics.tube import VineParams
from dynamics.vine import Actuation, Status, centerlines
from environments import Environment
from surrogate.kernels.compiled import Floats

MakeEnvironment = Callable[..., Environment]
R, T, MARGIN, FULL, STIFFNESS = 0.03, 0.02, 0.02, 0.025, 2e4
SOFTER = 0.7e4
"""Stiffness of the actuators of the outer of two parts [N/m2]."""
ALONG = 20
"""Segments of each of two parts that lie beside each other."""


class Tube:
    """A tube of straight segments with actuators, and the contacts of these with the tube itself."""

    def __init__(
        self,
        section: CrossSection,
        headings: Floats,
        thickness: Floats,
        last: float = FULL,
        stiffness: Floats | float = STIFFNESS,
    ) -> None:
        self.section, segments = section._replace(radius=R), len(headings)
        self.chain, self.segments = new_chain(segments), segments
        lengths = np.full(segments, FULL)
        lengths[-1] = last
        self.chain.cosine[:], self.chain.sine[:] = np.cos(headings), np.sin(headings)
        self.chain.length[:] = self.chain.film[:] = lengths
        for joints, steps in ((self.chain.x, np.cos(headings)), (self.chain.y, np.sin(headings))):
            joints[:] = np.concatenate([[0.0], np.cumsum(lengths * steps)])
        self.chain.thickness[:], self.chain.stiffness[:] = thickness, stiffness
        self.contacts, self.count = self._touch()

    def _touch(self) -> tuple[Contacts, int]:
        contacts, blocks, least = new_contacts(4000), new_blocks(self.segments), segments_apart(R, FULL)
        reach = reach_with_actuators(2 * R + MARGIN, T, FULL)
        near_segments(self.chain, self.segments, reach, R, least, blocks)
        return contacts, add_actuator_self_contacts(
            self.section, MARGIN, self.chain, self.segments, contacts, 0, blocks
        )

    @property
    def shares(self) -> Floats:
        """Length of each row's normal [-]."""
        return np.asarray(np.hypot(self.contacts.beta[: self.count], self.contacts.gamma[: self.count]))

    @property
    def gaps(self) -> Floats:
        """Gap of each row [m]."""
        return np.asarray(self.contacts.gap[: self.count] / self.shares)

    @property
    def energy(self) -> float:
        """Elastic energy of all that press [J]."""
        return float(0.5 * (np.minimum(self.contacts.gap[: self.count], 0.0) ** 2).sum() / self.section.compliance)

    def pair(self, k: int) -> tuple[int, int]:
        """Segment whose middle presses, and segment of the line."""
        return divmod(-ACTUATOR_KEYS - int(self.contacts.key[k]), self.segments)


@pytest.fixture(scope="module")
def section(params: VineParams, environment: MakeEnvironment) -> CrossSection:
    return QuasiStatic(environment(), params).tube.section


def beside(section: CrossSection, apart: float, inner: Floats, outer: Floats) -> Tube:
    """Two parallel parts at a distance, the second above the first and back, with their thicknesses."""
    up = int(apart / FULL)
    tilt = np.arcsin(apart / ((up + 1) * FULL))
    headings = np.concatenate([np.zeros(ALONG), np.full(up + 1, tilt), np.full(ALONG, np.pi)])
    stiffness = np.full(len(headings), STIFFNESS)
    stiffness[-ALONG:] = SOFTER
    return Tube(section, headings, np.concatenate([inner, np.zeros(up + 1), outer]), FULL, stiffness)


def on(first: int, end: int, thickness: float) -> Floats:
    """Thickness of a part with one section."""
    along = np.arange(ALONG)
    return np.where((along >= first) & (along < end), thickness, 0.0)


# The outer part lies on the left of the inner one, and the inner one on the left of the outer one, which goes back.
@pytest.mark.parametrize(
    ("inner", "outer", "between", "compliance"),
    [
        (T, 0.0, T, 1 / STIFFNESS),
        (0.0, T, T, 1 / SOFTER),
        (T, T / 2, 1.5 * T, 1 / STIFFNESS + 1 / SOFTER),
        (-T, T, T, 1 / SOFTER),
        (-T, -T, 0.0, np.inf),
    ],
)
def test_actuators_between_parallel_parts_are_springs(
    section: CrossSection, inner: float, outer: float, between: float, compliance: float
) -> None:
    """Away from the ends of its section, each segment presses on half of its length, on either part."""
    height = 2 * R + 0.8 * between
    tube = beside(section, height, on(4, 16, inner), on(4, 16, outer))
    if between == 0.0:
        assert tube.count == 0
        return
    pressed = 0.0
    for k in range(tube.count):
        middle, _ = tube.pair(k)
        if tube.contacts.gap[k] < 0.0 and middle == 9:
            assert tube.gaps[k] == pytest.approx(-0.2 * between, abs=1e-12)
            pressed += 1 / (section.compliance / tube.shares[k] ** 2 - section.compliance)
    assert pressed == pytest.approx(0.5 * FULL / compliance, rel=1e-9)


def test_energy_of_a_section_is_that_of_its_length(section: CrossSection) -> None:
    """Half of it is counted from either part; only the tapered ends lack some."""
    pressed = 0.2 * T
    energies = [beside(section, 2 * R + T - pressed, on(3, 3 + n, T), on(0, 0, 0.0)).energy for n in (6, 10)]
    stiffness = 1 / (section.compliance + 1 / (0.5 * FULL * STIFFNESS)) / FULL
    assert energies[1] - energies[0] == pytest.approx(4 * FULL * stiffness * pressed**2, rel=0.02)
    assert 0.5 < energies[1] / (10 * FULL * stiffness * pressed**2) < 1.0


@pytest.mark.parametrize(("segment", "share"), [(6, 0.5), (7, 1.0), (10, 1.0), (11, 0.5), (12, 0.0)])
def test_thickness_tapers_off_where_a_section_ends(section: CrossSection, segment: int, share: float) -> None:
    """It is whole half of its thickness away from there, here two segments."""
    tube = beside(section, 2 * R + 0.02, on(6, 12, 2 * FULL), on(0, 0, 0.0))
    gaps = [tube.gaps[k] for k in range(tube.count) if tube.pair(k)[0] == segment]
    expected = 0.02 - share * 2 * FULL
    assert gaps == pytest.approx([expected] * len(gaps), abs=1e-12) if share else not gaps
    assert len(gaps) >= (3 if share else 0)


@pytest.mark.parametrize("turn", [0.3, 1.2])
def test_a_tip_that_comes_from_aside_is_bare_and_its_actuator_turns_away(section: CrossSection, turn: float) -> None:
    """A segment before the tip that points aside: share of its thickness by its distance from the tip, and by twice the cosine."""
    headings = np.concatenate([np.zeros(ALONG), np.full(4, 2.0), np.full(10, np.pi), np.full(3, np.pi + turn)])
    for last, from_tip in ((2, 2.5 * FULL), (1, 1.5 * FULL), (0, 0.5 * FULL)):
        thickness = np.zeros(len(headings))
        thickness[-3:] = T
        tube = Tube(section, headings, thickness)
        middle, share = tube.segments - 1 - last, min(from_tip / R, 1.0) * min(2 * np.cos(turn), 1.0)
        height = 0.5 * (tube.chain.y[middle] + tube.chain.y[middle + 1])
        # The beginning of the section is near too.
        share = min(share, min(2 * (2.5 - last) * FULL / T, 1.0) * min(2 * np.cos(turn), 1.0))
        gaps = [tube.gaps[k] for k in range(tube.count) if tube.pair(k)[0] == middle]
        assert len(gaps) >= 3
        assert gaps == pytest.approx([height - 2 * R - share * T] * len(gaps), abs=1e-12)


def test_friction_acts_on_the_surface_of_the_actuator(section: CrossSection) -> None:
    """Its row is the motion, along the other part, of a point on the outside of the actuator or, without one there, of the tube."""
    for inner, outer in ((0.0, T), (T, 0.0), (T, -T)):
        tube = beside(section, 2 * R + 0.8 * T, on(4, 16, inner), on(4, 16, outer))
        contacts, chain, count = tube.contacts, tube.chain, tube.count
        k = next(k for k in range(count) if tube.pair(k)[1] == ALONG + 10 and tube.gaps[k] < 0.0)
        memory = FrictionMemory(
            np.array([contacts.key[k], NO_KEY]), np.ones(2), np.array([NO_KEY]), np.zeros(1, np.int64), 0.0
        )
        friction, dual = Friction(0.2, 0.2, True, R), new_dual(4000, tube.segments)
        assert add_friction_rows(contacts, count, chain, tube.segments, friction, dual, memory) == count + 1
        end, share = contacts.segment[k] + 1, tube.shares[k]
        normal = np.array([contacts.gamma[k], -contacts.beta[k]]) / share
        surface = np.array([chain.x[end], chain.y[end]]) - (R + max(outer, 0.0)) * normal
        expected = [
            (-(surface[1] - chain.y[j]) * -normal[1] + (surface[0] - chain.x[j]) * normal[0]) for j in range(end)
        ]
        row = contacts.alpha[count] + contacts.beta[count] * chain.x[:end] + contacts.gamma[count] * chain.y[:end]
        assert np.abs(row / share) == pytest.approx(np.abs(expected), abs=1e-9)


def coil(section: CrossSection, seed: int, **change: Any) -> Tube:
    """A loop that comes back beside its base, with sections of both sides.

    Args:
        change: Turn [rad] of a joint, `joint`, or length of the last segment [m], `last`.
    """
    rng = np.random.default_rng(seed)
    bends, radius = rng.normal(0, 3e-3, 90), 0.25
    for j in range(90):
        bends[j] += FULL / radius
        radius += (2 * R + 0.6 * T) * bends[j] / (2 * np.pi)
    bends[change.get("joint", 0)] += change.get("turn", 0.0)
    thickness = np.repeat([*rng.choice([-T, 0.0, T, T / 2], 14), T], 6)
    return Tube(section, np.cumsum(bends), thickness, change.get("last", FULL))


@pytest.mark.parametrize("seed", range(4))
def test_rows_are_the_derivative_of_the_gap(section: CrossSection, seed: int) -> None:
    """Of each middle from its line, over all bends about the joints, while thickness and weights stay."""
    tube, step = coil(section, seed), 1e-6
    assert tube.count > 20

    def distance(chain: Chain, middle: int, line: int) -> float:
        x, y = 0.5 * (chain.x[middle] + chain.x[middle + 1]), 0.5 * (chain.y[middle] + chain.y[middle + 1])
        return float(abs(chain.cosine[line] * (y - chain.y[line]) - chain.sine[line] * (x - chain.x[line])))

    moved = [[coil(section, seed, joint=j, turn=sign * step).chain for sign in (1, -1)] for j in range(tube.segments)]
    found, chain, joints = tube.contacts, tube.chain, np.arange(tube.segments)
    for k in range(tube.count):
        pair = tube.pair(k)
        expected = [(distance(one, *pair) - distance(other, *pair)) / (2 * step) for one, other in moved]
        lever = found.alpha[k] + found.beta[k] * chain.x[:-1] + found.gamma[k] * chain.y[:-1]
        row = np.where((joints >= found.first[k]) & (joints <= found.segment[k]), lever, 0.0)
        np.testing.assert_allclose(row / tube.shares[k], expected, atol=1e-6)


@pytest.mark.parametrize("what", ["turn", "last"])
@pytest.mark.parametrize("seed", range(4))
def test_energy_is_continuous(section: CrossSection, seed: int, what: str) -> None:
    """Steps a tenth as long change it by no more than about a tenth as much, wherever contacts come and go."""
    over = np.linspace(-0.02, 0.02, 2001) if what == "turn" else np.linspace(1e-4, FULL, 2001)
    energies = np.array([coil(section, seed, joint=40, **{what: value}).energy for value in over])
    assert energies.max() > 1.002 * energies.min() > 0.0
    fine, coarse = np.abs(np.diff(energies)), np.abs(np.diff(energies[::10]))
    assert fine.max() < 0.3 * coarse.max()


def test_a_coil_makes_room_for_its_actuators(params: VineParams, environment: MakeEnvironment) -> None:
    """Behind its tip, which is bare, it lies about the thickness of its actuators away from its base."""
    segments, pressure, cell = 120, 35e3, 0.04
    carried = Actuation(np.full((1, segments), pressure), np.full((1, segments), cell))
    (thickness,) = signed_thickness(params, np.array([pressure]), np.array([cell]))
    nearest = {}
    for share in (0.0, 1.0):
        model = QuasiStatic(environment(bounds=(-3, -3, 3, 3)), replace(params, thickness_share=share))
        rollout = model.grow(model.start(1, segments), carried, 2.6, 0.02)
        assert rollout.status[0] == Status.GROWN
        assert rollout.contact_force.max() > 1.0
        records = np.arange(rollout.records[0])
        lines = centerlines(rollout.state(np.zeros_like(records), records), model.environment.start, model.params)
        base = [shapely.LineString(line[2:20]) for line in lines[100:]]
        apart = [
            shapely.LineString(line[~np.isnan(line[:, 0])][60:-3]).distance(part)
            for line, part in zip(lines[100:], base, strict=True)
        ]
        nearest[share] = min(apart) - 2 * params.radius
    assert nearest[0.0] < 0.2 * thickness
    assert 0.4 * thickness < nearest[1.0] < 1.5 * thickness
