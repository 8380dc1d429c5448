"""The parts of a step in contact by themselves: rows that hold the tip, folds, and displacements, by closed forms."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import ArrayLike

from dynamics.chain import Chain, forward_kinematics, new_chain
from dynamics.contact_rows import Contacts, new_contacts
from dynamics.contacts import find_contacts
from dynamics.growth import Span
from dynamics.moment import JointMoments, free_curvature, new_actuated_vine
from dynamics.quasistatic.dual import ContactNumbers, new_dual
from dynamics.quasistatic.friction import add_tip_row, normal_force
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.quasistatic.step import bend_by, new_work, set_up, solve
from dynamics.tube import VineParams
from environments import Environment

MakeEnvironment = Callable[..., Environment]
SEGMENTS, LENGTH = 4, 0.025
EDGES, SOLIDS = 3, 5
"""Numbers of solids of an environment with three edges and two corners."""


def straight(heading: float = 0.0) -> Chain:
    """A straight passive vine from the origin."""
    chain: Chain = new_chain(SEGMENTS)
    forward_kinematics(
        chain, np.zeros(SEGMENTS), np.zeros(SEGMENTS), np.array([0.0, 0.0, heading]), SEGMENTS, LENGTH, LENGTH
    )
    return chain


def touching(segment: Sequence[int], point: Sequence[ArrayLike], normal: ArrayLike, gap: Sequence[float]) -> Contacts:
    """Contacts at points [m] on segments with normals in directions [rad]; the rows of their Jacobian as `Contacts` defines them.

    A turn by 1 rad about a joint at q moves the point p by (-(p - q)_y, (p - q)_x), and closes the gap by that times the normal n:
    p_x n_y - p_y n_x - n_y q_x + n_x q_y.
    """
    contacts: Contacts = new_contacts(len(segment) + 4)
    p, n = np.array(point), np.column_stack([np.cos(normal), np.sin(normal)])
    rows = slice(len(segment))
    contacts.segment[rows], contacts.gap[rows], contacts.key[rows] = segment, gap, SOLIDS * np.array(segment)
    contacts.alpha[rows] = p[:, 0] * n[:, 1] - p[:, 1] * n[:, 0]
    contacts.beta[rows], contacts.gamma[rows] = -n[:, 1], n[:, 0]
    return contacts


@pytest.mark.parametrize("nearer", [0, 1])
@pytest.mark.parametrize("heading", [0.0, 2.0])
def test_a_tip_is_held_along_the_nearest_surface(nearer: int, heading: float) -> None:
    """The row of two walls ahead holds the tip along the nearer one, with tangent t = (-sin, cos) of its normal's direction.

    A turn about a joint that is s behind the tip moves the tip by s to the left, l = (-sin, cos) of the heading: J = s t.l.
    Growth moves it along the heading u: t.u.
    """
    chain, angles, gaps = straight(heading), heading + np.array([2.5, -2.8]), [2e-3, 2e-3]
    gaps[nearer] = 1e-3
    tip = SEGMENTS * LENGTH * np.array([np.cos(heading), np.sin(heading)])
    contacts = touching([SEGMENTS - 1] * 2, [tip, tip], angles, gaps)
    assert add_tip_row(contacts, 2, chain, SEGMENTS) == 3
    turned = angles[nearer] - heading
    column = contacts.alpha[2] + contacts.beta[2] * chain.x[:SEGMENTS] + contacts.gamma[2] * chain.y[:SEGMENTS]
    np.testing.assert_allclose(column, np.cos(turned) * LENGTH * np.arange(SEGMENTS, 0, -1), atol=1e-15)
    assert contacts.growth[2] == pytest.approx(-np.sin(turned))
    assert contacts.gap[2] == 0.0


def test_only_what_pushes_the_tip_back_presses_it() -> None:
    """A side wall, a wall behind and a contact of an earlier segment hold no tip; the forces of two walls ahead add up."""
    heading = 2.0
    tip = SEGMENTS * LENGTH * np.array([np.cos(heading), np.sin(heading)])
    chain, last = straight(heading), SEGMENTS - 1
    normal = heading + np.array([np.pi / 2, 0.6, np.pi, 2.5, -2.8])
    contacts = touching([last, last, 1, last, last], [tip] * 5, normal, [0.0] * 5)
    dual = new_dual(9, SEGMENTS)
    dual.active[:5], dual.force[:5] = np.arange(5), [1.0, 2.0, 4.0, 8.0, 16.0]
    numbers = ContactNumbers(5, 5, SEGMENTS, 0.0, 1.0, 0.0)
    assert normal_force(contacts, chain, dual, numbers, 5) == 24.0
    assert add_tip_row(contacts, 3, chain, SEGMENTS) == 3


@pytest.mark.parametrize("heading", [0.0, 2.0])
def test_a_step_tells_how_far_it_moved_the_vine(
    environment: MakeEnvironment, params: VineParams, joint: JointMoments, heading: float
) -> None:
    """The motion of a step is the displacement of the joint that it moved farthest, here the tip, which also grows."""
    count, full, dt = 12, params.segment_length, 1e-5
    free, angles = QuasiStatic(environment(start=(0.5, -0.3, heading)), params), np.zeros(12)
    work, angles[:4] = new_work(count), [0.02, 0.01, 0.02, 0.03]
    vine = new_actuated_vine(joint, angles, np.repeat([15e3, -15e3, 0.0], 4), np.full(count, 0.04))
    forward_kinematics(work.chain, angles, vine.pivots, free.pose, count, full / 2, full)
    before = np.column_stack([work.chain.x, work.chain.y])
    span = Span(count, full / 2, 0, dt)
    curvature = set_up(free.tube, joint, free.tube.bending_viscosity / dt, vine, work, span)
    growth, _ = solve(free.tube, work, span, dt, 0, True)
    _, motion = bend_by(work, span, curvature, growth)
    angles += work.step.bend
    forward_kinematics(work.chain, angles, vine.pivots, free.pose, count, full / 2 + growth, full)
    moved = np.hypot(*(np.column_stack([work.chain.x, work.chain.y]) - before).T)
    assert growth == pytest.approx(dt)
    assert moved.max() > 10 * growth
    assert motion == pytest.approx(moved.max(), rel=0.01)


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("film", [0.0, 8e-3, 25e-3])
@pytest.mark.parametrize("curvature", [0.3, 4.0, 25.0])
def test_growth_moves_the_tip_at_the_same_curvature(
    environment: MakeEnvironment, params: VineParams, joint: JointMoments, side: float, film: float, curvature: float
) -> None:
    """Near straight, bent and folded, growth by dg closes a contact at the tip by n.dx, x the tip of a link of the same curvature.

    A link that has no length yet has the curvature that its actuator gives it.
    """
    if film == 0.0:
        curvature = float(free_curvature(joint, 20e3, 0.04))
    work, count, full, step, base = new_work(4), 2, params.segment_length, 1e-6, np.array([0.0, 0.1, 0.3])
    angles = np.array([0.02, side * curvature * film, 0.0, 0.0])
    vine = new_actuated_vine(joint, angles, np.full(4, side * 20e3), np.full(4, 0.04))

    def tip(grown: float) -> np.ndarray:
        bends = np.array([0.02, side * curvature * (film + grown), 0.0, 0.0])
        forward_kinematics(work.chain, bends, vine.pivots, base, count, film + grown, full)
        return np.array([work.chain.x[count], work.chain.y[count]])

    moved = (tip(step) - tip(0.0)) / step
    face = tip(0.0)[0] + params.radius + 1e-3
    box = QuasiStatic(environment(boxes=[[face, -0.5, face + 0.1, 0.5]], start=tuple(base)), params)
    contacts = find_contacts(box.scene, box.tube.section, box.tube.margin, work.chain, count, work.contacts)
    set_up(box.tube, joint, 1.0, vine, work, Span(count, film, contacts, 1e-3))
    normals = np.column_stack([work.contacts.gamma, -work.contacts.beta])[:contacts]
    pressing = [k for k in range(contacts) if work.contacts.segment[k] == count - 1 and abs(normals[k, 0] + 1) < 1e-9]
    assert pressing
    for k in pressing:
        assert work.contacts.growth[k] == pytest.approx(normals[k] @ moved, abs=2e-3)
