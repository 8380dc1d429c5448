"""Growth or holding of one vine in contact, as a sequence of implicit steps."""

from __future__ import annotations

import numpy as np

from dynamics.chain import forward_kinematics
from dynamics.contacts import find_contacts, too_deep
from dynamics.growth import (
    GROWING,
    GROWN,
    SLACK,
    STALLED,
    UNRESOLVED,
    Span,
    Watch,
    look_at,
    next_stop,
    outcome_of_leaving,
    report,
)
from dynamics.moment import JointMoments, Vine, carrying, rest_of
from dynamics.quasistatic.complementarity import Step
from dynamics.quasistatic.step import QuasiStaticModel, bending_model, new_work, take_step
from dynamics.records import Batch, Recorder, Records, Task, of_vine, record, task_of
from dynamics.vine import Integers
from surrogate.compiled import Floats, compiled

CORRECTIONS = 80
"""Maximum number of successive steps without growth to leave an obstacle."""
PATIENCE = 60e-3
"""Interval at which to check whether a vine still moves [m of free growth]."""
LONGEST_TIME = 6.0
"""A vine is also stalled if it needs this many times as long as in free space, plus ten times PATIENCE."""
LONGEST_HOLD = 20.0
"""A held vine that still moves after the time in which it would grow this far in free space [m] is stalled."""
AT_REST = 1e-6
"""A held vine whose joints all move less than this in a step [m] is at rest."""


@compiled()
def grow_vine(model: QuasiStaticModel, task: Task, vine: Vine, records: Records) -> tuple[int, int, int]:
    """Grow one vine by `task.length` [m]; returns the number of records, the status and the number of steps."""
    scene, joint, tube, base = model.scene, model.joint, model.tube, model.base
    work, full = new_work(len(vine.angles)), joint.segment_length
    step, kept = work.step, work.kept
    chain, contacts, forces, broken = work.chain, work.contacts, work.forces, records.broken
    recorder, seen = Recorder(records, vine.angles, chain, forces), work.seen
    segments, last_length = task.segments, task.last_length
    known = corrections = recorded = steps = 0
    time, watch, before = 0.0, Watch(0.0, 0.0), segments * full + last_length
    while True:
        heading = forward_kinematics(chain, vine.angles, base, segments, last_length, full)
        grown = segments * full + last_length - before
        status = outcome_of_leaving(scene, chain, segments, forces, broken)
        if status != GROWING:
            return recorded, status, steps
        count = find_contacts(scene, tube.radius, tube.margin, chain, segments, contacts)
        deep = too_deep(contacts, count, tube.tolerance)
        still, watch = look_at(watch, PATIENCE, time, grown, chain, segments, seen)
        stalled = still or time >= LONGEST_TIME * task.length + 10 * PATIENCE
        recorded, status = report(recorder, recorded, task, segments, heading, grown, deep, stalled)
        if status != GROWING:
            return recorded, status, steps
        if deep:
            # Bend without growing until the penetration is within the tolerance. Nothing is recorded meanwhile.
            corrections += 1
            if corrections > CORRECTIONS:
                return recorded, UNRESOLVED, steps
            most_growth, dt = 0.0, tube.growth_step
        else:
            corrections = 0
            if last_length >= full - SLACK / 2:
                vine.angles[segments] = last_length = 0.0
                segments += 1
                forward_kinematics(chain, vine.angles, base, segments, last_length, full)
                count = find_contacts(scene, tube.radius, tube.margin, chain, segments, contacts)
            most_growth = min(tube.growth_step, full - last_length, next_stop(task, recorded) - grown)
            # The rest of a segment may be tiny, and a blocked tip may advance by tiny steps: limit dt from below.
            dt = max(most_growth, 0.2 * tube.growth_step)
        span = Span(segments, last_length, count, most_growth)
        curvature = bending_model(joint, tube.bending_viscosity / dt, vine, step, kept, span)
        growth, known, _ = take_step(tube, vine, work, span, dt, curvature, known)
        last_length += growth
        time += dt
        steps += 1


@compiled()
def _rest_angles(joint: JointMoments, vine: Vine, segments: int, last_length: float) -> Floats:
    """Bend of each joint in free space [rad]."""
    rest = np.empty(segments)
    for j in range(segments):
        rest[j] = rest_of(joint, vine, j)
    rest[segments - 1] *= last_length / joint.segment_length
    return rest


@compiled()
def _restrain(step: Step, vine: Vine, rest: Floats, segments: int) -> None:
    """Stiffen joints that a step would move past their rest angle: wrinkled, they are softer than on the way there."""
    for j in range(segments):
        if abs(step.free[j]) > 1e-6:
            share = min(1.0, (rest[j] - vine.angles[j]) / step.free[j])
            step.inverse[j] *= share
            step.free[j] *= share


@compiled()
def hold_vine(model: QuasiStaticModel, task: Task, vine: Vine, records: Records) -> tuple[int, int, int]:
    """Bend one vine, without growth, until it is at rest; return the same as `grow_vine`."""
    scene, tube, full, segments, last_length = (
        model.scene,
        model.tube,
        model.joint.segment_length,
        task.segments,
        task.last_length,
    )
    work, dt = new_work(len(vine.angles)), tube.growth_step
    chain, step = work.chain, work.step
    rest, before = _rest_angles(model.joint, vine, segments, last_length), np.zeros(segments)
    known = corrections = steps = 0
    motion = np.inf if segments > 1 or last_length > 0.0 else 0.0
    while True:
        heading = forward_kinematics(chain, vine.angles, model.base, segments, last_length, full)
        status = outcome_of_leaving(scene, chain, segments, work.forces, records.broken)
        if status != GROWING:
            return 0, status, steps
        count = find_contacts(scene, tube.radius, tube.margin, chain, segments, work.contacts)
        deep = too_deep(work.contacts, count, tube.tolerance)
        corrections = corrections + 1 if deep else 0
        if corrections > CORRECTIONS:
            return 0, UNRESOLVED, steps
        rests, late = not deep and motion < AT_REST, steps * tube.growth_step >= LONGEST_HOLD
        if rests or late:
            recorder = Recorder(records, vine.angles, chain, work.forces)
            recorded = 0 if deep else record(recorder, 0, segments, heading)
            return recorded, GROWN if rests else STALLED, steps
        span = Span(segments, last_length, count, 0.0)
        curvature = bending_model(model.joint, tube.bending_viscosity / dt, vine, step, work.kept, span)
        _restrain(step, vine, rest, segments)
        _, known, moved = take_step(tube, vine, work, span, dt, curvature, known)
        motion = moved * tube.growth_step / dt
        # Steps that oscillate are too long.
        dt = 0.5 * dt if (step.bend[:segments] * before).sum() < 0.0 else min(1.2 * dt, tube.growth_step)
        before[:] = step.bend[:segments]
        steps += 1


@compiled(nogil=True)
def grow_one(b: int, model: QuasiStaticModel, batch: Batch, records: Records, outcome: Integers) -> None:
    """Grow vine b of a batch; `outcome` receives the number of records, status and number of steps of each, shape (batch, 3)."""
    vine = carrying(model.joint, batch.angles[b], batch.pressure[b], batch.l_0[b])
    task, mine = task_of(batch, b), of_vine(records, b)
    done = hold_vine(model, task, vine, mine) if task.length <= SLACK else grow_vine(model, task, vine, mine)
    outcome[b, 0], outcome[b, 1], outcome[b, 2] = done
