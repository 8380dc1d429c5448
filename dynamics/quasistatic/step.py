"""One implicit step of a vine: its bending model, and its motion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.chain import Chain, new_chain
from dynamics.contacts import Contacts, new_contacts
from dynamics.growth import Span
from dynamics.moment import JointMoments, Vine, linearise, rest_of
from dynamics.quasistatic.complementarity import MOST_ACTIVE, ContactNumbers, Dual, Step, new_dual, solve_step
from dynamics.quasistatic.folding import Folding, mark_folds
from dynamics.quasistatic.friction import add_stick_rows, let_slide, normal_force
from dynamics.scene import Scene
from dynamics.vine import Integers
from surrogate.compiled import Floats, compiled


class QuasiStaticTube(NamedTuple):
    """Parameters of the tube and of the step for the kernel, in SI units. Time is measured in metres of free growth."""

    radius: float
    growth_force: float
    growth_viscosity: float
    bending_viscosity: float
    folding: Folding
    friction: float
    """Coefficient of friction of the tip [-]."""
    compliance: float
    tolerance: float
    growth_step: float
    """Growth of a full step, which is also its time [m]."""
    margin: float
    """Contacts with a smaller gap are considered [m]."""
    most_motion: float
    """Maximum displacement of a joint in a step [m], less than the margin, so that no contact is missed."""


class QuasiStaticModel(NamedTuple):
    """A tube in an environment, as an argument of compiled kernels."""

    scene: Scene
    joint: JointMoments
    tube: QuasiStaticTube
    base: Floats
    """Base x [m], y [m] and heading [rad], shape (3,)."""


class Work(NamedTuple):
    """Work space of one vine."""

    chain: Chain
    contacts: Contacts
    dual: Dual
    step: Step
    forces: Floats
    """Normal force on each segment in the last step [N], shape (max_segments,)."""
    keys: Integers
    """Contacts that carried a force in the last step, shape (MOST_ACTIVE,)."""
    kept: Floats
    """Share of its moment that each joint keeps [-], shape (max_segments,)."""
    pressed: Floats
    """Normal force on the tip in the last step [N], shape (1,)."""
    seen: Floats
    """Joints at the last check of motion [m], shape (max_segments + 1, 2)."""


@compiled()
def new_work(max_segments: int) -> Work:
    """Allocate the work space of a vine of up to `max_segments` segments."""
    capacity = 6 * max_segments + 64
    return Work(
        new_chain(max_segments),
        new_contacts(capacity),
        new_dual(capacity, max_segments),
        Step(np.empty(max_segments), np.empty(max_segments), np.empty(max_segments)),
        np.zeros(max_segments),
        np.empty(MOST_ACTIVE, np.int64),
        np.ones(max_segments),
        np.zeros(1),
        np.zeros((max_segments + 1, 2)),
    )


@compiled()
def bending_model(joint: JointMoments, damping: float, vine: Vine, step: Step, kept: Floats, span: Span) -> float:
    """Quadratic model of the bending energy about the present bends; returns the growing segment's curvature [1/m].

    The growing segment keeps its curvature as it lengthens; its unknown is the additional bend.

    Args:
        damping: Moment per bend of a joint in this step [N m / rad].
        kept: Share of its moment that each joint keeps [-], shape (max_segments,).
    """
    full, last = joint.segment_length, span.segments - 1
    inverse, free = step.inverse, step.free
    born = span.last_length < 1e-6
    curvature = rest_of(joint, vine, last) / full if born else vine.angles[last] / span.last_length
    linearise(joint, vine, span.segments, 1.0, curvature * full, free, inverse)
    growing = full / max(span.last_length + span.most_growth, 1e-6)
    for j in range(span.segments):
        scale = growing if j == last else 1.0
        moment, slope = free[j], inverse[j]
        inverse[j] = 1.0 / (kept[j] * slope * scale + damping)
        free[j] = -kept[j] * moment * inverse[j]
    return curvature


@compiled()
def _most_motion(chain: Chain, step: Step, segments: int, growth: float) -> float:
    """Largest displacement of a joint by the step, to first order [m]."""
    turn = turn_x = turn_y = worst = 0.0
    for j in range(segments):
        bend = step.bend[j]
        turn, turn_x, turn_y = turn + bend, turn_x + bend * chain.x[j], turn_y + bend * chain.y[j]
        dx, dy = turn_y - chain.y[j + 1] * turn, chain.x[j + 1] * turn - turn_x
        worst = max(worst, dx * dx + dy * dy, (0.05 * bend) ** 2)
    dx, dy = dx + growth * chain.cosine[segments - 1], dy + growth * chain.sine[segments - 1]
    return np.sqrt(max(worst, dx * dx + dy * dy))


@compiled()
def _add_growth_rows(
    contacts: Contacts, count: int, chain: Chain, segments: int, curvature: float, most_growth: float
) -> int:
    """Add the bending due to growth to the contacts of the last segment; append growth <= most_growth and growth >= 0."""
    last = segments - 1
    for k in range(count):
        if contacts.segment[k] == last:
            lever = contacts.alpha[k] + contacts.beta[k] * chain.x[last] + contacts.gamma[k] * chain.y[last]
            contacts.growth[k] += curvature * lever
    for bound in range(2):
        k = count + bound
        contacts.segment[k] = 0
        contacts.key[k] = -1 - bound
        contacts.alpha[k] = contacts.beta[k] = contacts.gamma[k] = 0.0
        contacts.gap[k] = most_growth if bound == 0 else 0.0
        contacts.growth[k] = -1.0 if bound == 0 else 1.0
    return count + 2


@compiled()
def _recall(contacts: Contacts, rows: int, dual: Dual, keys: Integers, known: int) -> int:
    """Activate the contacts that carried a force in the last step; return how many of them still exist."""
    warm = 0
    for k in range(rows):
        for i in range(known):
            if keys[i] == contacts.key[k]:
                dual.active[warm] = k
                warm += 1
                break
    return warm


@compiled()
def take_step(
    tube: QuasiStaticTube, vine: Vine, work: Work, span: Span, dt: float, curvature: float, known: int
) -> tuple[float, int, float]:
    """Solve one linearised step and bend the vine by it.

    Args:
        dt: Time of the step, in metres of free growth.
        curvature: Curvature of the growing segment, see `bending_model` [1/m].
        known: Number of contacts in `work.keys`, which carried a force in the last step.
    Returns:
        Growth [m], number of active contacts, and largest displacement of a joint [m].
    """
    chain, contacts, dual, step = work.chain, work.contacts, work.dual, work.step
    segments, most_growth, count = span.segments, span.most_growth, span.contacts
    growth_damping, drive = tube.growth_viscosity / dt, tube.growth_force
    held = add_stick_rows(contacts, count, chain, segments) if tube.friction > 0.0 else count
    rows = _add_growth_rows(contacts, held, chain, segments, curvature, most_growth)
    active = _recall(contacts, rows, dual, work.keys, known)
    for _ in range(2):
        numbers = ContactNumbers(rows, count, segments, drive / growth_damping, 1.0 / growth_damping, tube.compliance)
        growth, active, _ = solve_step(contacts, chain, step, dual, numbers, active)
        pressed = normal_force(contacts, chain, dual, numbers, active)
        if held == count or abs(dual.force[count] - dual.force[count + 1]) <= tube.friction * pressed:
            break
        most = tube.friction * work.pressed[0]
        gain, active = let_slide(contacts, chain, step, dual, numbers, held, active, most)
        drive, held = drive + gain, count
    work.pressed[0] = pressed
    if tube.folding.share < 1.0:
        mark_folds(contacts, chain, dual, numbers, active, tube.folding, work.kept)
    growth = min(max(growth, 0.0), most_growth)
    work.forces[:segments] = 0.0
    for i in range(active):
        k = dual.active[i]
        work.keys[i] = contacts.key[k]
        if k < count:
            work.forces[contacts.segment[k]] += dual.force[k]
    # `bending_model` assumes the stiffness of the growing segment after full growth; with less growth it bends less.
    last, length = segments - 1, chain.length[segments - 1]
    step.bend[last] *= (length + growth) / max(length + most_growth, 1e-6)
    step.bend[last] += curvature * growth
    motion = _most_motion(chain, step, segments, growth)
    scale = min(1.0, tube.most_motion / motion) if motion > 0.0 else 1.0
    for j in range(segments):
        vine.angles[j] += scale * step.bend[j]
    return scale * growth, active, scale * motion
