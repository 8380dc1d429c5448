"""One implicit step of a vine: what bends it, and how far it goes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.chain import Chain, new_chain
from dynamics.contacts import Contacts, new_contacts
from dynamics.moment import JointMoments, Vine, moment_and_slope, rest_bend
from dynamics.quasistatic.complementarity import MOST_ACTIVE, Dual, Step, new_dual, solve_step
from dynamics.quasistatic.folding import mark_folds
from dynamics.quasistatic.friction import add_stick_rows, let_slide, normal_force
from dynamics.vine import Integers
from surrogate.compiled import Floats, compiled
from surrogate.force_table import Cell


class Tube(NamedTuple):
    """What the kernel needs of `VineParams` and of the step, in SI units. Time is counted in metres of free growth."""

    radius: float
    growth_force: float
    growth_viscosity: float
    bending_viscosity: float
    edges: int
    """How many edges the place has, the first of its solids."""
    solids: int
    corner_moment: float
    """Part of its moment that a joint keeps where a corner presses it in [-]."""
    friction: float
    """Coefficient of friction of the tip [-]."""
    compliance: float
    tolerance: float
    step: float
    """Growth, and so time, of a full step [m]."""
    margin: float
    """Contacts with a smaller gap are looked at [m]."""
    most_motion: float
    """A step moves no joint farther than this [m], less than the margin: nothing is met unseen."""


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
    """Part of its moment that each joint keeps [-], shape (max_segments,)."""
    pressed: Floats
    """Normal force on the tip in the last step [N], shape (1,)."""
    seen: Floats
    """Joints when the vine was last looked at [m], shape (max_segments + 1, 2)."""


@compiled()
def new_work(max_segments: int) -> Work:
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
def linearise(
    joint: JointMoments,
    damping: float,
    vine: Vine,
    step: Step,
    kept: Floats,
    segments: int,
    last_length: float,
    most_growth: float,
) -> float:
    """Quadratic model of the bending energy about the present bends; returns the growing segment's curvature [1/m].

    The growing segment keeps its curvature as it lengthens; its unknown is the bend it takes beyond that.
    """
    full = joint.segment_length
    # Taking an array out of a tuple costs as much as a look-up in it: do it once.
    elasticity, moments, unsaturated, saturated = (
        joint.elasticity,
        joint.moment,
        joint.rows.unsaturated,
        joint.rows.saturated,
    )
    angles, pressures, row, weight = vine.angles, vine.pressure, vine.row, vine.weight
    per_strain, per_strain_saturated = vine.per_strain, vine.per_strain_saturated
    inverse, free = step.inverse, step.free
    curvature = 0.0
    for j in range(segments):
        scale, bend = 1.0, angles[j]
        of = Cell(row[j], weight[j], per_strain[j], per_strain_saturated[j])
        if j == segments - 1:
            scale = full / max(last_length + most_growth, 1e-6)
            born = last_length < 1e-6
            curvature = rest_bend(joint, pressures[j], of) / full if born else bend / last_length
            bend = curvature * full
        moment, slope = moment_and_slope(elasticity, moments, unsaturated, saturated, bend, pressures[j], of)
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
    """Let contacts know how growth bends the last segment, and append growth <= most_growth and growth >= 0."""
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
    """Start from the contacts that carried a force in the last step; returns how many are still there."""
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
    tube: Tube,
    vine: Vine,
    work: Work,
    segments: int,
    most_growth: float,
    curvature: float,
    time: float,
    count: int,
    known: int,
) -> tuple[float, int, float]:
    """Solve one linearised step and bend the vine by it.

    Returns:
        Growth [m], number of active contacts, and largest displacement of a joint [m].
    """
    chain, contacts, dual, step = work.chain, work.contacts, work.dual, work.step
    growth_damping, drive = tube.growth_viscosity / time, tube.growth_force
    held = add_stick_rows(contacts, count, chain, segments) if tube.friction > 0.0 else count
    rows = _add_growth_rows(contacts, held, chain, segments, curvature, most_growth)
    active = _recall(contacts, rows, dual, work.keys, known)
    for _ in range(2):
        growth, active, _ = solve_step(
            contacts, rows, count, active, chain, segments, step, dual,
            drive / growth_damping, 1.0 / growth_damping, tube.compliance,
        )  # fmt: skip
        pressed = normal_force(contacts, count, active, chain, segments, dual)
        if held == count or abs(dual.force[count] - dual.force[count + 1]) <= tube.friction * pressed:
            break
        most = tube.friction * work.pressed[0]
        gain, active = let_slide(contacts, count, held, active, chain, segments, step, dual, most)
        drive, held = drive + gain, count
    work.pressed[0] = pressed
    if tube.corner_moment < 1.0:
        edges, solids, share = tube.edges, tube.solids, tube.corner_moment
        mark_folds(contacts, count, active, chain, segments, edges, solids, dual, share, work.kept)
    growth = min(max(growth, 0.0), most_growth)
    work.forces[:segments] = 0.0
    for i in range(active):
        k = dual.active[i]
        work.keys[i] = contacts.key[k]
        if k < count:
            work.forces[contacts.segment[k]] += dual.force[k]
    # The growing segment is as stiff as `linearise` supposed if it grows by all it may; if by less, it bends by less.
    last, length = segments - 1, chain.length[segments - 1]
    step.bend[last] *= (length + growth) / max(length + most_growth, 1e-6)
    step.bend[last] += curvature * growth
    motion = _most_motion(chain, step, segments, growth)
    scale = min(1.0, tube.most_motion / motion) if motion > 0.0 else 1.0
    for j in range(segments):
        vine.angles[j] += scale * step.bend[j]
    return scale * growth, active, scale * motion
