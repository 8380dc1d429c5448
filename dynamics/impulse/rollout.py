"""One vine grown into contact, or held there, with its inertia: a sequence of impulse steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynamics.chain import finite, forward_kinematics, moved_since, outside
from dynamics.contacts import find_contacts
from dynamics.impulse.step import Tube, Work, add_segment, fastest, start, take_step
from dynamics.moment import JointMoments, Vine, carrying
from dynamics.records import Records, of_vine, record
from dynamics.scene import Scene
from dynamics.vine import Integers, Status
from surrogate.compiled import Floats, compiled

GROWN, STALLED, OUT_OF_BOUNDS, UNRESOLVED = (
    int(one) for one in (Status.GROWN, Status.STALLED, Status.OUT_OF_BOUNDS, Status.UNRESOLVED)
)
NOT_FINITE = int(Status.NOT_FINITE)
PATIENCE = 0.6
"""Every so often [s] a vine is looked at: has it got anywhere?"""
STILL = 0.3e-3
"""If neither its length nor any joint has changed by more than this since [m], it is stalled."""
LONGEST_TIME = 20.0
"""A vine that needs this many times as long as in free space, plus ten times PATIENCE, is stalled too."""
LONGEST_HOLD = 120.0
"""A held vine that still moves after this time [s] is stalled."""
AT_REST = 1e-6
"""A held vine none of whose joints was faster than this for a while [m/s] is at rest."""
CORRECTIONS = 200
"""Steps that may follow each other with the vine deeper in an obstacle than is tolerated."""
SLACK = 1e-9
"""Lengths that differ by less are equal [m]."""


@compiled()
def grow_vine(
    scene: Scene,
    joint: JointMoments,
    tube: Tube,
    base: Floats,
    vine: Vine,
    segments: int,
    last_length: float,
    length: float,
    record_every: float,
    records: Records,
    work: Work,
    qp: Any,
) -> tuple[int, int, int]:
    """Grow one vine by `length` [m], or hold it if that is 0; returns the number of records, the status and the steps.

    Args:
        qp: See `take_step`.
    """
    full, holding = tube.segment, length <= SLACK
    chain, angles = work.chain, vine.angles
    start(work, tube, angles, base, segments, last_length)
    heading = forward_kinematics(chain, angles, base, segments, last_length, full)
    number = find_contacts(scene, tube.radius, tube.margin, chain, segments, work.contacts)
    before, recorded, steps, corrections = segments * full + last_length, 0, 0, 0
    time, look, grown_then, fast = 0.0, 0.0, 0.0, np.inf
    if segments == 1 and last_length <= 0.0:
        fast = 0.0
    while True:
        grown = segments * full + last_length - before
        if outside(
            scene, chain, segments
        ):  # as is what is nowhere; an impulse that is no number has moved the vine there
            somewhere = finite(chain, segments, work.forces, records.broken)
            return recorded, OUT_OF_BOUNDS if somewhere else NOT_FINITE, steps
        deep = number > 0 and work.contacts.gap[:number].min() < -tube.tolerance
        corrections = corrections + 1 if deep else 0
        if corrections > CORRECTIONS:
            return recorded, UNRESOLVED, steps
        stalled = time >= (LONGEST_HOLD if holding else LONGEST_TIME * length / tube.growth_rate + 10 * PATIENCE)
        if time >= look:
            moved = moved_since(chain, segments, work.seen)
            stalled = stalled or (not holding and time > 0.0 and max(moved, grown - grown_then) < STILL)
            rests = holding and fast < AT_REST
            look, grown_then, fast = time + PATIENCE, grown, 0.0
            if rests and not deep:
                return record(records, recorded, angles, chain, segments, heading, work.forces), GROWN, steps
        if stalled:
            if not deep and (holding or grown > recorded * record_every + SLACK):
                recorded = record(records, recorded, angles, chain, segments, heading, work.forces)
            return recorded, STALLED, steps
        if not deep and not holding and grown >= min((recorded + 1) * record_every, length) - SLACK:
            recorded = record(records, recorded, angles, chain, segments, heading, work.forces)
            if grown >= length - SLACK:
                return recorded, GROWN, steps
        if not holding and last_length >= full - SLACK / 2:
            add_segment(work, tube, angles, base, segments)
            segments, last_length = segments + 1, 0.0
            forward_kinematics(chain, angles, base, segments, last_length, full)
            number = find_contacts(scene, tube.radius, tube.margin, chain, segments, work.contacts)
        most_growth = 0.0
        if not holding and not deep:
            most_growth = max(min(full - last_length, min((recorded + 1) * record_every, length) - grown), 0.0)
        if qp is None:
            growth, lapse, number = take_step(
                scene, joint, tube, base, vine, work, segments, last_length, most_growth, number, qp
            )
        else:
            growth, lapse, number = take_step.py_func(
                scene, joint, tube, base, vine, work, segments, last_length, most_growth, number, qp
            )
        heading = work.bodies.pose[segments, 2]
        last_length += growth
        time += lapse
        steps += 1
        fast = max(fast, fastest(work.bodies, work.bodies.velocity, segments + 1))


@compiled(nogil=True)
def grow_one(
    b: int,
    scene: Scene,
    joint: JointMoments,
    tube: Tube,
    base: Floats,
    angles: Floats,
    segments: Integers,
    last_length: Floats,
    pressure: Floats,
    l_0: Floats,
    length: Floats,
    record_every: float,
    records: Records,
    outcome: Integers,
    work: Work,
    qp: Any,
) -> None:
    """Grow vine b of a batch; `outcome` takes records, status and steps of each, shape (batch, 3)."""
    vine, mine = carrying(joint, angles[b], pressure[b], l_0[b]), of_vine(records, b)
    first, last = segments[b], last_length[b]
    if qp is None:
        done = grow_vine(scene, joint, tube, base, vine, first, last, length[b], record_every, mine, work, qp)
    else:
        done = grow_vine.py_func(scene, joint, tube, base, vine, first, last, length[b], record_every, mine, work, qp)
    outcome[b, 0], outcome[b, 1], outcome[b, 2] = done
