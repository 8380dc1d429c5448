"""Growth or holding of one vine in contact, as a sequence of implicit steps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.chain import forward_kinematics
from dynamics.contact_rows import NO_KEY
from dynamics.growth import (
    GROWING,
    GROWN,
    SLACK,
    STALLED,
    STILL,
    UNRESOLVED,
    UNSETTLED,
    Span,
    Watch,
    look_at,
    outcome_of_leaving,
    report,
)
from dynamics.moment import JointMoments, Vine, look_up_cells, rest_of
from dynamics.pinned import is_pinned, records_between
from dynamics.quasistatic.dual import QuadraticStep
from dynamics.quasistatic.models import WorldModels, model_of
from dynamics.quasistatic.relaxation import (
    MOST_CORRECTIONS,
    MOST_ITERATIONS,
    at_rest,
    begin,
    bend_on,
    largest_bend,
    note_snap,
    relax,
)
from dynamics.quasistatic.step import (
    QuasiStaticModel,
    QuasiStaticTube,
    QuasiStaticWork,
    bend_by,
    bound_growth,
    set_up,
    share_of_step,
    solve,
    stiffen,
    sum_forces,
)
from dynamics.records import Batch, Recorder, Records, Task, of_vine, record, task_of
from dynamics.self_contact import CROSSED
from dynamics.soft_contacts import too_deep
from dynamics.thickness import thicken
from dynamics.touching import touch
from dynamics.vine import Integers
from surrogate.kernels.compiled import Floats, compiled
from surrogate.kernels.interruption import Flag

PATIENCE = 60e-3
"""Interval at which to check whether a vine still moves [m of free growth]."""
LONGEST_TIME, LONGEST_IDLE = 6.0, 10 * PATIENCE
"""A vine is also stalled if it needs the first times as long as in free space, plus the second [m of free growth], or if it grows by
no more than `STILL` in the second: bounds of friction that follow the forces of the last step may let a blocked vine tremble."""
LONGEST_HOLD = 20.0
"""A held vine that still moves after the time in which it would grow this far in free space [m] is stalled."""
AT_REST = 2.5e-7
"""A held vine whose joints all move less than this in a step [m] is at rest."""
AGAIN = 4.0
"""The first step at constant length takes this many times as long as the last one of the relaxation before [-]."""


class Place(NamedTuple):
    """A state of growth."""

    segments: int
    last_length: float
    """Length of the growing segment [m]."""


@compiled()
def length_between(first: Place, after: Place, full: float) -> float:
    """Growth between two states [m], whatever was before them: rounding too depends on nothing else."""
    return (after.segments - first.segments) * full + (after.last_length - first.last_length)


@compiled()
def left_to_record(task: Task, since: float, grown: float) -> float:
    """Growth up to the next record or the end of growth [m].

    Args:
        since: Growth since the last record [m].
        grown: Growth since the beginning [m].
    """
    left, end = task.record_every - since, task.length - grown
    return end if end < left - SLACK else left


@compiled()
def forget(work: QuasiStaticWork, segments: int) -> int:
    """Make the work space that of a vine that begins to grow; returns the number of rows known to carry a force: none."""
    work.keys[0] = work.slid[0] = NO_KEY
    work.pressed[0] = work.drive[0] = work.lost[0] = work.needed[0] = 0.0
    work.stiffening[:segments] = 0.0
    work.dual.loads[:segments] = 0.0
    return 0


@compiled()
def longest_step(tube: QuasiStaticTube, contacts: int) -> float:
    """Largest growth of a step [m]: a tube that touches nothing is at rest, so that it gets to the same place with longer steps.

    Args:
        contacts: Number of contacts within the margin.
    """
    return tube.most_motion if contacts == 0 and tube.relaxation.growing < np.inf else tube.growth_step


@compiled()
def grow_vine(
    model: QuasiStaticModel, work: QuasiStaticWork, task: Task, vine: Vine, records: Records, cut: Flag
) -> tuple[int, int, int, int]:
    """Grow one vine by `task.length` [m]; returns the number of records, the status, and the numbers of steps and relaxations.

    Args:
        cut: See `Batch.cut`.
    """
    scene, joint, tube, base = model.scene, model.joint, model.tube, model.base
    full, rest = joint.segment_length, tube.relaxation
    chain, contacts, forces, broken = work.chain, work.contacts, work.forces, records.broken
    recorder, seen, step = Recorder(records, vine.angles, chain, forces, work.needed), work.seen, work.step
    segments, last_length = task.segments, task.last_length
    known = recorded = steps = relaxations = 0
    thicken(joint, vine, chain.thickness, chain.stiffness)
    time, began, bent, watch = 0.0, 0.0, np.inf, Watch(0.0, 0.0)
    progress = begin(tube, work, segments, rest.time)
    last, rested = Place(segments, last_length), Place(segments, last_length)
    longest, idle = LONGEST_TIME * task.record_every + LONGEST_IDLE, Watch(LONGEST_IDLE, 0.0)
    between = records_between(tube.pinned, task.record_every)
    most = MOST_ITERATIONS if rest.growing < np.inf else MOST_CORRECTIONS
    while True:
        heading = forward_kinematics(chain, vine.angles, vine.pivots, base, segments, last_length, full)
        here = Place(segments, last_length)
        since = length_between(last, here, full)
        grown = recorded * task.record_every + since
        status = outcome_of_leaving(scene, chain, segments, forces, broken)
        if status != GROWING:
            return recorded, status, steps, relaxations
        count = touch(scene, tube, segments, work)
        if count == CROSSED or cut[0]:
            return recorded, UNRESOLVED, steps, relaxations
        deep = too_deep(tube.section, contacts, count, tube.tolerance, work.keys, work.carried)
        left = left_to_record(task, since, grown)
        most_growth = min(longest_step(tube, count), full - last_length, left)
        span = Span(segments, last_length, count, max(most_growth, 0.0))
        damping = tube.bending_viscosity / progress.time
        if since > idle.grown + STILL:
            idle = Watch(time + LONGEST_IDLE, since)
        late = time >= min(longest, idle.due)
        due = left <= SLACK or time >= watch.due or late
        limit = rest.recorded if left <= SLACK or count == 0 else rest.growing
        moving = bent > limit or progress.iterations > 0 or work.pressed[0] > work.drive[0]
        settled = deep or (rest.growing < np.inf and (due or moving))
        freed = length_between(rested, here, full)
        if settled:
            # Bend without growing until the vine is at rest and no deeper than the tolerance. Nothing is recorded meanwhile.
            stiffen(vine, work, span)
            curvature = set_up(tube, joint, damping, vine, work, span)
            shrunk, motion, known = relax(tube, work, span, curvature, freed, known)
            if deep or not at_rest(tube, limit, progress, motion, freed, shrunk):
                wedged = deep and progress.iterations > 20 and motion < 0.05 * rest.recorded
                if wedged or progress.iterations >= most:
                    if not deep:
                        broken[0] = largest_bend(step.bend, segments)
                    return recorded, UNRESOLVED if deep else UNSETTLED, steps, relaxations
                if progress.iterations == 0:
                    began = (segments - 1) * full + last_length
                share, progress = bend_on(tube, vine, work, span, progress, motion)
                last_length += share * shrunk
                relaxations += 1
                continue
            sum_forces(work, span, known)
        if progress.iterations > 0:
            note_snap(tube, work, segments, began, progress.energy, records)
            progress = begin(tube, work, segments, AGAIN * progress.time)
        rested = here
        still, watch = look_at(watch, PATIENCE, time, since, chain, segments, seen)
        records_before = recorded
        recorded, status = report(recorder, recorded, task, segments, heading, grown, deep, still or late)
        if status != GROWING:
            return recorded, status, steps, relaxations
        if recorded > records_before:
            if is_pinned(records.tips, recorded, between, task.record_every):
                return recorded, STALLED, steps, relaxations
            # What follows depends on the recorded state alone, so that growth can go on from there; but friction on the forces before.
            if tube.friction.static == 0.0:
                known, bent = forget(work, segments), np.inf
                progress = begin(tube, work, segments, rest.time)
            time, watch, idle, last = 0.0, Watch(0.0, 0.0), Watch(LONGEST_IDLE, 0.0), here
            continue
        if last_length >= full - SLACK / 2:
            vine.angles[segments] = last_length = 0.0
            segments += 1
            forward_kinematics(chain, vine.angles, vine.pivots, base, segments, last_length, full)
            count = touch(scene, tube, segments, work)
            settled = False
        most_growth = min(longest_step(tube, count), full - last_length, left)
        # The rest of a segment may be tiny, and a blocked tip may advance by tiny steps: limit dt from below.
        dt = max(most_growth, 0.2 * tube.growth_step)
        fresh = not settled or most_growth != span.most_growth or tube.friction.static > 0.0
        if fresh:
            span = Span(segments, last_length, count, most_growth)
            if rest.growing == np.inf:
                damping = tube.bending_viscosity / dt
            curvature = set_up(tube, joint, damping, vine, work, span)
        else:
            bound_growth(work, 0.0, most_growth)
        growth, known = solve(tube, work, span, dt, known, fresh)
        if rest.growing == np.inf:
            sum_forces(work, span, known)
        bent, moved = bend_by(work, span, curvature, growth)
        share = share_of_step(tube, moved, 1.0)
        for j in range(segments):
            vine.angles[j] += share * step.bend[j]
        last_length += share * growth
        time += dt
        steps += 1


@compiled()
def _rest_angles(joint: JointMoments, vine: Vine, segments: int, last_length: float, rest: Floats) -> None:
    """Compute the bend of each joint in free space [rad]."""
    for j in range(segments):
        length = last_length if j == segments - 1 else joint.segment_length
        rest[j] = rest_of(joint, vine, j) * (length / joint.length)


@compiled()
def _restrain(step: QuadraticStep, vine: Vine, rest: Floats, segments: int) -> None:
    """Stiffen joints that a step would move past their rest angle: wrinkled, they are softer than on the way there."""
    for j in range(segments):
        if abs(step.free[j]) > 1e-6:
            share = min(1.0, (rest[j] - vine.angles[j]) / step.free[j])
            step.inverse[j] *= share
            step.free[j] *= share


@compiled()
def hold_vine(
    model: QuasiStaticModel, work: QuasiStaticWork, task: Task, vine: Vine, records: Records, cut: Flag
) -> tuple[int, int, int, int]:
    """Bend one vine, without growth, until it is at rest; return the same as `grow_vine`."""
    scene, tube, full, segments, last_length = (
        model.scene,
        model.tube,
        model.joint.segment_length,
        task.segments,
        task.last_length,
    )
    chain, step, dt = work.chain, work.step, tube.growth_step
    rest, before = work.bent, work.before
    _rest_angles(model.joint, vine, segments, last_length, rest)
    thicken(model.joint, vine, chain.thickness, chain.stiffness)
    known = corrections = steps = 0
    motion = np.inf if segments > 1 or last_length > 0.0 else 0.0
    while True:
        heading = forward_kinematics(chain, vine.angles, vine.pivots, model.base, segments, last_length, full)
        status = outcome_of_leaving(scene, chain, segments, work.forces, records.broken)
        if status != GROWING:
            return 0, status, steps, steps
        count = touch(scene, tube, segments, work)
        deep = count == CROSSED or too_deep(tube.section, work.contacts, count, tube.tolerance, work.keys, work.carried)
        corrections = corrections + 1 if deep else 0
        if count == CROSSED or corrections > MOST_CORRECTIONS or cut[0]:
            return 0, UNRESOLVED, steps, steps
        rests, late = not deep and motion < AT_REST, steps * tube.growth_step >= LONGEST_HOLD
        if rests or late:
            recorder = Recorder(records, vine.angles, chain, work.forces, work.needed)
            recorded = 0 if deep else record(recorder, 0, segments, heading)
            return recorded, GROWN if rests else STALLED, steps, steps
        span = Span(segments, last_length, count, 0.0)
        set_up(tube, model.joint, tube.bending_viscosity / dt, vine, work, span)
        _restrain(step, vine, rest, segments)
        _, known = solve(tube, work, span, 0.0, known, True)
        sum_forces(work, span, known)
        _, moved = bend_by(work, span, 0.0, 0.0)
        share = share_of_step(tube, moved, 1.0)
        for j in range(segments):
            vine.angles[j] += share * step.bend[j]
        motion = share * moved * tube.growth_step / dt
        turned = 0.0
        for j in range(segments):
            turned += step.bend[j] * before[j]
            before[j] = step.bend[j]
        # Steps that oscillate are too long.
        dt = 0.5 * dt if turned < 0.0 else min(1.2 * dt, tube.growth_step)
        steps += 1


@compiled(nogil=True)
def grow_one(
    b: int,
    w: int,
    models: WorldModels,
    batch: Batch,
    records: Records,
    outcome: Integers,
    vine: Vine,
    work: QuasiStaticWork,
) -> None:
    """Grow vine b of a batch in world w; `outcome` receives its row of `dynamics.records.grow_batch`."""
    model, task, mine = model_of(models, w), task_of(batch, b), of_vine(records, b)
    look_up_cells(model.joint, vine, batch.l_0[b], batch.rest[b], batch.kind[b])
    done = (
        grow_vine(model, work, task, vine, mine, batch.cut)
        if task.length > SLACK
        else hold_vine(model, work, task, vine, mine, batch.cut)
    )
    outcome[b, 0], outcome[b, 1], outcome[b, 2], outcome[b, 3] = done
