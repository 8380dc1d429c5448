"""Growth of one vine into contact, as a sequence of implicit steps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.moment import JointMoments, moment_and_slope, rest_bend
from dynamics.quasistatic.complementarity import MOST_ACTIVE, Dual, Step, new_dual, solve_step
from dynamics.quasistatic.contacts import Chain, Contacts, find_contacts, new_contacts
from dynamics.scene import Scene
from dynamics.vine import Integers, Status
from surrogate.compiled import Floats, compiled
from surrogate.force_table import Cell, cell

GROWN, STALLED, OUT_OF_BOUNDS, UNRESOLVED = map(int, Status)
CORRECTIONS = 80
"""Steps without growth that may follow each other to leave an obstacle."""
PATIENCE = 60e-3
"""Every so often [m of free growth] a vine is looked at: has it got anywhere?"""
STILL = 0.3e-3
"""If neither its length nor any joint has changed by more than this since [m], it is stalled."""
LONGEST_TIME = 6.0
"""A vine that needs this many times as long as in free space, plus ten times PATIENCE, is stalled too."""

SLACK = 1e-9
"""Lengths that differ by less are equal [m]."""


class Tube(NamedTuple):
    """What the kernel needs of `VineParams` and of the step, in SI units. Time is counted in metres of free growth."""

    radius: float
    growth_force: float
    growth_viscosity: float
    bending_viscosity: float
    compliance: float
    tolerance: float
    step: float
    """Growth, and so time, of a full step [m]."""
    margin: float
    """Contacts with a smaller gap are looked at [m]."""
    most_motion: float
    """A step moves no joint farther than this [m], less than the margin: nothing is met unseen."""


class Vine(NamedTuple):
    """One vine and what it carries, shape (max_segments,) each."""

    angles: Floats
    pressure: Floats
    row: Integers
    weight: Floats
    per_strain: Floats
    per_strain_saturated: Floats


class Records(NamedTuple):
    """Where one vine's records go; see `dynamics.vine.Rollout`."""

    angles: Floats
    segments: Integers
    last_length: Floats
    tips: Floats
    contact_force: Floats


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
    seen: Floats
    """Joints when the vine was last looked at [m], shape (max_segments + 1, 2)."""


@compiled()
def _new_work(max_segments: int) -> Work:
    capacity = 6 * max_segments + 64
    return Work(
        Chain(
            np.empty(max_segments + 1), np.empty(max_segments + 1), np.empty(max_segments), np.empty(max_segments), np.empty(max_segments)
        ),
        new_contacts(capacity),
        new_dual(capacity, max_segments),
        Step(np.empty(max_segments), np.empty(max_segments), np.empty(max_segments)),
        np.zeros(max_segments),
        np.empty(MOST_ACTIVE, np.int64),
        np.zeros((max_segments + 1, 2)),
    )  # fmt: skip


@compiled()
def _place(chain: Chain, vine: Vine, start: Floats, segments: int, last_length: float, segment_length: float) -> float:
    """Put the joints where the bends say; returns the tip's heading [rad]."""
    xs, ys, cosine, sine, lengths, angles = chain.x, chain.y, chain.cosine, chain.sine, chain.length, vine.angles
    x, y, heading = start[0], start[1], start[2]
    for j in range(segments):
        xs[j], ys[j] = x, y
        heading += angles[j]
        c, s = np.cos(heading), np.sin(heading)
        length = last_length if j == segments - 1 else segment_length
        cosine[j], sine[j], lengths[j] = c, s, length
        x, y = x + length * c, y + length * s
    xs[segments], ys[segments] = x, y
    return heading


@compiled()
def _linearise(
    joint: JointMoments, damping: float, vine: Vine, step: Step, segments: int, last_length: float, growth: float
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
            scale = full / (last_length + growth)
            born = last_length < 1e-6
            curvature = rest_bend(joint, pressures[j], of) / full if born else bend / last_length
            bend = curvature * full
        moment, slope = moment_and_slope(elasticity, moments, unsaturated, saturated, bend, pressures[j], of)
        inverse[j] = 1.0 / (slope * scale + damping)
        free[j] = -moment * inverse[j]
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
def _record(
    records: Records, index: int, vine: Vine, chain: Chain, segments: int, heading: float, forces: Floats
) -> int:
    """Write one record; returns the next index."""
    records.angles[index, :segments] = vine.angles[:segments]
    records.segments[index] = segments
    records.last_length[index] = chain.length[segments - 1]
    records.tips[index, 0] = chain.x[segments]
    records.tips[index, 1] = chain.y[segments]
    records.tips[index, 2] = heading
    records.contact_force[index, :segments] = forces[:segments]
    return index + 1


@compiled()
def _take_step(
    joint: JointMoments,
    tube: Tube,
    vine: Vine,
    work: Work,
    segments: int,
    last_length: float,
    most_growth: float,
    time: float,
    count: int,
    known: int,
) -> tuple[float, int]:
    """Solve one step and bend the vine by it; returns the growth [m] and the number of active contacts."""
    chain, contacts, dual, step = work.chain, work.contacts, work.dual, work.step
    growth_damping = tube.growth_viscosity / time
    curvature = _linearise(joint, tube.bending_viscosity / time, vine, step, segments, last_length, time)
    rows = _add_growth_rows(contacts, count, chain, segments, curvature, most_growth)
    warm = _recall(contacts, rows, dual, work.keys, known)
    growth, active, _ = solve_step(
        contacts, rows, warm, chain, segments, step, dual,
        tube.growth_force / growth_damping, 1.0 / growth_damping, tube.compliance,
    )  # fmt: skip
    growth = min(max(growth, 0.0), most_growth)
    work.forces[:segments] = 0.0
    for i in range(active):
        k = dual.active[i]
        work.keys[i] = contacts.key[k]
        if k < count:
            work.forces[contacts.segment[k]] += dual.force[k]
    step.bend[segments - 1] += curvature * growth
    motion = _most_motion(chain, step, segments, growth)
    scale = min(1.0, tube.most_motion / motion) if motion > 0.0 else 1.0
    for j in range(segments):
        vine.angles[j] += scale * step.bend[j]
    return scale * growth, active


@compiled()
def _look(chain: Chain, segments: int, seen: Floats) -> float:
    """How far the joints are from where they were last seen, at most [m]; remembers where they are now."""
    xs, ys = chain.x, chain.y
    farthest = 0.0
    for i in range(segments + 1):
        farthest = max(farthest, np.hypot(xs[i] - seen[i, 0], ys[i] - seen[i, 1]))
        seen[i, 0], seen[i, 1] = xs[i], ys[i]
    return farthest


@compiled()
def _outside(scene: Scene, chain: Chain, segments: int) -> bool:
    """Whether a joint has left the bounds."""
    for i in range(segments + 1):
        x, y = chain.x[i], chain.y[i]
        if not (scene.bounds[0] <= x <= scene.bounds[2] and scene.bounds[1] <= y <= scene.bounds[3]):
            return True
    return False


@compiled()
def grow_vine(
    scene: Scene,
    joint: JointMoments,
    tube: Tube,
    start: Floats,
    vine: Vine,
    segments: int,
    last_length: float,
    length: float,
    record_every: float,
    records: Records,
) -> tuple[int, int, int]:
    """Grow one vine by `length` [m]; returns the number of records, the status and the number of steps."""
    full = joint.segment_length
    work = _new_work(len(vine.angles))
    chain, contacts = work.chain, work.contacts
    known = corrections = recorded = steps = 0
    time = look = grown_then = 0.0
    before = segments * full + last_length
    while True:
        heading = _place(chain, vine, start, segments, last_length, full)
        grown = segments * full + last_length - before
        if _outside(scene, chain, segments):
            return recorded, OUT_OF_BOUNDS, steps
        count = find_contacts(scene, tube.radius, tube.margin, chain, segments, contacts)
        deep = contacts.gap[:count].min() < -tube.tolerance if count else False
        stalled = time >= LONGEST_TIME * length + 10 * PATIENCE
        if time >= look:
            moved = _look(chain, segments, work.seen)
            stalled = stalled or (time > 0.0 and max(moved, grown - grown_then) < STILL)
            look, grown_then = time + PATIENCE, grown
        if stalled:
            if not deep and grown > recorded * record_every + SLACK:
                recorded = _record(records, recorded, vine, chain, segments, heading, work.forces)
            return recorded, STALLED, steps
        if deep:
            # Bend without growing until it is not. Nothing is recorded meanwhile.
            corrections += 1
            if corrections > CORRECTIONS:
                return recorded, UNRESOLVED, steps
            most_growth, lapse = 0.0, tube.step
        else:
            corrections = 0
            if grown >= min((recorded + 1) * record_every, length) - SLACK:
                recorded = _record(records, recorded, vine, chain, segments, heading, work.forces)
                if grown >= length - SLACK:
                    return recorded, GROWN, steps
            if last_length >= full - SLACK / 2:
                vine.angles[segments] = last_length = 0.0
                segments += 1
                _place(chain, vine, start, segments, last_length, full)
                count = find_contacts(scene, tube.radius, tube.margin, chain, segments, contacts)
            most_growth = min(tube.step, full - last_length, min((recorded + 1) * record_every, length) - grown)
            # What is left to a segment's end may be tiny, and so may be the progress of a blocked tip towards it.
            lapse = max(most_growth, 0.2 * tube.step)
        growth, known = _take_step(joint, tube, vine, work, segments, last_length, most_growth, lapse, count, known)
        last_length += growth
        time += lapse
        steps += 1


@compiled(nogil=True)
def grow_one(
    b: int,
    scene: Scene,
    joint: JointMoments,
    tube: Tube,
    start: Floats,
    angles: Floats,
    segments: Integers,
    last_length: Floats,
    pressure: Floats,
    l_0: Floats,
    length: Floats,
    record_every: float,
    records: Records,
    outcome: Integers,
) -> None:
    """Grow vine b of a batch; `outcome` takes records, status and steps of each, shape (batch, 3)."""
    carried = pressure.shape[1]
    row = np.zeros(carried, np.int64)
    weight, per_strain, per_strain_saturated = np.zeros(carried), np.zeros(carried), np.zeros(carried)
    for j in range(carried):
        if pressure[b, j] != 0.0:
            of = cell(joint.rows, l_0[b, j])
            row[j], weight[j] = of.row, of.weight
            per_strain[j], per_strain_saturated[j] = of.per_strain, of.per_strain_saturated
    vine = Vine(angles[b], pressure[b], row, weight, per_strain, per_strain_saturated)
    mine = Records(
        records.angles[b], records.segments[b], records.last_length[b], records.tips[b], records.contact_force[b]
    )
    outcome[b, 0], outcome[b, 1], outcome[b, 2] = grow_vine(
        scene, joint, tube, start, vine, segments[b], last_length[b], length[b], record_every, mine
    )
