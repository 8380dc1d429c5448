"""One vine grown into contact, or held there: a sequence of implicit steps."""

from __future__ import annotations

import numpy as np

from dynamics.chain import finite, forward_kinematics, moved_since, outside
from dynamics.contacts import find_contacts
from dynamics.moment import JointMoments, Vine, carrying, rest_bend
from dynamics.quasistatic.complementarity import Step
from dynamics.quasistatic.step import Tube, linearise, new_work, take_step
from dynamics.records import Records, of_vine, record
from dynamics.scene import Scene
from dynamics.vine import Integers, Status
from surrogate.compiled import Floats, compiled
from surrogate.force_table import Cell

GROWN, STALLED, OUT_OF_BOUNDS, UNRESOLVED = (
    int(one) for one in (Status.GROWN, Status.STALLED, Status.OUT_OF_BOUNDS, Status.UNRESOLVED)
)
NOT_FINITE = int(Status.NOT_FINITE)
CORRECTIONS = 80
"""Steps without growth that may follow each other to leave an obstacle."""
PATIENCE = 60e-3
"""Every so often [m of free growth] a vine is looked at: has it got anywhere?"""
STILL = 0.3e-3
"""If neither its length nor any joint has changed by more than this since [m], it is stalled."""
LONGEST_TIME = 6.0
"""A vine that needs this many times as long as in free space, plus ten times PATIENCE, is stalled too."""
LONGEST_HOLD = 20.0
"""A held vine that still moves after the time in which it would grow this far in free space [m] is stalled."""
AT_REST = 1e-6
"""A held vine whose joints all move less than this in a step [m] is at rest."""
SLACK = 1e-9
"""Lengths that differ by less are equal [m]."""


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
    work = new_work(len(vine.angles))
    chain, contacts = work.chain, work.contacts
    known = corrections = recorded = steps = 0
    time = look = grown_then = 0.0
    before = segments * full + last_length
    while True:
        heading = forward_kinematics(chain, vine.angles, start, segments, last_length, full)
        grown = segments * full + last_length - before
        if outside(scene, chain, segments):  # as is what is nowhere; a force that is no number has bent the vine there
            somewhere = finite(chain, segments, work.forces, records.broken)
            return recorded, OUT_OF_BOUNDS if somewhere else NOT_FINITE, steps
        count = find_contacts(scene, tube.radius, tube.margin, chain, segments, contacts)
        deep = contacts.gap[:count].min() < -tube.tolerance if count else False
        stalled = time >= LONGEST_TIME * length + 10 * PATIENCE
        if time >= look:
            moved = moved_since(chain, segments, work.seen)
            stalled = stalled or (time > 0.0 and max(moved, grown - grown_then) < STILL)
            look, grown_then = time + PATIENCE, grown
        if stalled:
            if not deep and grown > recorded * record_every + SLACK:
                recorded = record(records, recorded, vine.angles, chain, segments, heading, work.forces)
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
                recorded = record(records, recorded, vine.angles, chain, segments, heading, work.forces)
                if grown >= length - SLACK:
                    return recorded, GROWN, steps
            if last_length >= full - SLACK / 2:
                vine.angles[segments] = last_length = 0.0
                segments += 1
                forward_kinematics(chain, vine.angles, start, segments, last_length, full)
                count = find_contacts(scene, tube.radius, tube.margin, chain, segments, contacts)
            most_growth = min(tube.step, full - last_length, min((recorded + 1) * record_every, length) - grown)
            # What is left to a segment's end may be tiny, and so may be the progress of a blocked tip towards it.
            lapse = max(most_growth, 0.2 * tube.step)
        damping = tube.bending_viscosity / lapse
        curvature = linearise(joint, damping, vine, work.step, work.kept, segments, last_length, most_growth)
        growth, known, _ = take_step(tube, vine, work, segments, most_growth, curvature, lapse, count, known)
        last_length += growth
        time += lapse
        steps += 1


@compiled()
def _rest_angles(joint: JointMoments, vine: Vine, segments: int, last_length: float) -> Floats:
    """Bend of each joint in free space [rad]."""
    rest = np.empty(segments)
    for j in range(segments):
        of = Cell(vine.row[j], vine.weight[j], vine.per_strain[j], vine.per_strain_saturated[j])
        rest[j] = rest_bend(joint, vine.pressure[j], of)
    rest[segments - 1] *= last_length / joint.segment_length
    return rest


@compiled()
def _restrain(step: Step, vine: Vine, rest: Floats, segments: int) -> None:
    """Stiffen the joints that a step would carry past their rest: wrinkled, they are softer than on the way there."""
    for j in range(segments):
        if abs(step.free[j]) > 1e-6:
            share = min(1.0, (rest[j] - vine.angles[j]) / step.free[j])
            step.inverse[j] *= share
            step.free[j] *= share


@compiled()
def hold_vine(
    scene: Scene,
    joint: JointMoments,
    tube: Tube,
    start: Floats,
    vine: Vine,
    segments: int,
    last_length: float,
    records: Records,
) -> tuple[int, int, int]:
    """Bend one vine, without growing, until it rests; returns as `grow_vine` does."""
    full, lapse = joint.segment_length, tube.step
    work = new_work(len(vine.angles))
    chain, step = work.chain, work.step
    rest, before = _rest_angles(joint, vine, segments, last_length), np.zeros(segments)
    known = corrections = steps = 0
    motion = np.inf if segments > 1 or last_length > 0.0 else 0.0
    while True:
        heading = forward_kinematics(chain, vine.angles, start, segments, last_length, full)
        if outside(scene, chain, segments):
            somewhere = finite(chain, segments, work.forces, records.broken)
            return 0, OUT_OF_BOUNDS if somewhere else NOT_FINITE, steps
        count = find_contacts(scene, tube.radius, tube.margin, chain, segments, work.contacts)
        deep = work.contacts.gap[:count].min() < -tube.tolerance if count else False
        corrections = corrections + 1 if deep else 0
        if corrections > CORRECTIONS:
            return 0, UNRESOLVED, steps
        rests, late = not deep and motion < AT_REST, steps * tube.step >= LONGEST_HOLD
        if rests or late:
            recorded = 0 if deep else record(records, 0, vine.angles, chain, segments, heading, work.forces)
            return recorded, GROWN if rests else STALLED, steps
        curvature = linearise(joint, tube.bending_viscosity / lapse, vine, step, work.kept, segments, last_length, 0.0)
        _restrain(step, vine, rest, segments)
        _, known, moved = take_step(tube, vine, work, segments, 0.0, curvature, lapse, count, known)
        motion = moved * tube.step / lapse
        # Steps that go to and fro are too long.
        lapse = 0.5 * lapse if (step.bend[:segments] * before).sum() < 0.0 else min(1.2 * lapse, tube.step)
        before[:] = step.bend[:segments]
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
    vine = carrying(joint, angles[b], pressure[b], l_0[b])
    mine = of_vine(records, b)
    if length[b] <= SLACK:
        done = hold_vine(scene, joint, tube, start, vine, segments[b], last_length[b], mine)
    else:
        done = grow_vine(scene, joint, tube, start, vine, segments[b], last_length[b], length[b], record_every, mine)
    outcome[b, 0], outcome[b, 1], outcome[b, 2] = done
