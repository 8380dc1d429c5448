"""One vine grown into contact, or held there, with its inertia: a sequence of impulse steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from dynamics.chain import Chain, forward_kinematics
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
from dynamics.impulse.growing import add_segment, fastest, start
from dynamics.impulse.input_tables import model_at
from dynamics.impulse.model import ImpulseModel, ImpulseWork, InputTables
from dynamics.impulse.step import take_step
from dynamics.moment import Vine, look_up_cells
from dynamics.records import Batch, Recorder, Records, Task, of_vine, record, task_of
from dynamics.self_contact import CROSSED
from dynamics.soft_contacts import too_deep
from dynamics.touching import touch
from dynamics.vine import Integers
from surrogate.kernels.compiled import Floats, compiled
from surrogate.kernels.interruption import Flag

PATIENCE = 0.6
"""Every so often [s] the program looks whether a vine still moves."""
LONGEST_TIME = 20.0
"""A vine that needs this many times as long as in free space, plus ten times PATIENCE, is stalled too."""
AT_REST = 1e-6
"""A held vine none of whose joints was faster than this for a while [m/s] is at rest."""
SHORTENED = 4.0
"""A held vine that takes this many times as many steps as of full length is late too: it trembles."""
CORRECTIONS = 200
"""Steps that may follow each other with the vine deeper in an obstacle than is tolerated."""


@compiled()
def end_of_inputs(inputs: InputTables) -> tuple[float, bool]:
    """Time of the last row of inputs [s], 0 for constant ones, and whether growth stops there."""
    rows = len(inputs.times)
    return (inputs.times[rows - 1], inputs.rates[rows - 1] == 0.0) if rows else (0.0, False)


@compiled()
def _strayed(chain: Chain, segments: int, seen: Floats) -> float:
    """Largest distance of a joint from where it was seen last [m]."""
    xs, ys, farthest = chain.x, chain.y, 0.0
    for i in range(segments + 1):
        farthest = max(farthest, np.hypot(xs[i] - seen[i, 0], ys[i] - seen[i, 1]))
    return farthest


@compiled()
def _report_held(
    recorder: Recorder, segments: int, heading: float, deep: bool, rests: bool, late: bool
) -> tuple[int, int]:
    """Records of a held vine, and `GROWN`, `STALLED` or `GROWING`: it has one record, of its end.

    Args:
        rests: Whether it is at rest.
        late: Whether it has been held for as long as it may be.
    """
    if rests and not deep:
        return record(recorder, 0, segments, heading), GROWN
    if late:
        return 0 if deep else record(recorder, 0, segments, heading), STALLED
    return 0, GROWING


@compiled()
def grow_vine(
    model: ImpulseModel, task: Task, vine: Vine, records: Records, work: ImpulseWork, qp: Any, cut: Flag
) -> tuple[int, int, int]:
    """Grow one vine by `task.length` [m], or hold it if that is 0; returns the number of records, the status and the steps.

    Args:
        qp: See `take_step`.
        cut: See `Batch.cut`.
    """
    scene, tube, base, chain = model.scene, model.tube, model.base, work.chain
    # To take an array out of a tuple counts a reference, which costs as much as a few flops: do it once for all steps.
    bodies, contacts, forces, seen, broken = work.bodies, work.contacts, work.forces, work.seen, records.broken
    angles, pose, velocity = vine.angles, bodies.pose, bodies.velocity
    full, holding, recorder = tube.segment, task.length <= SLACK, Recorder(records, angles, chain, forces, work.needed)
    segments, last_length = task.segments, task.last_length
    start(work, tube, vine, base, segments, last_length)
    heading = forward_kinematics(chain, angles, vine.pivots, base, segments, last_length, full)
    number = touch(scene, model_at(model, 0.0, work.moments).tube, segments, work)
    before, recorded, steps, corrections = segments * full + last_length, 0, 0, 0
    longest = tube.longest_hold if holding else LONGEST_TIME * task.length / tube.growth_rate + 10 * PATIENCE
    time, clock, watch, fast, strayed = 0.0, 0.0, Watch(0.0, 0.0), np.inf, np.inf
    ends, stops = end_of_inputs(model.inputs)
    if segments == 1 and last_length <= 0.0:
        fast = 0.0
    while True:
        now = model_at(model, time, work.moments)
        grown = segments * full + last_length - before
        status = outcome_of_leaving(scene, chain, segments, forces, broken)
        if status != GROWING:
            return recorded, status, steps
        if number == CROSSED or cut[0]:
            return recorded, UNRESOLVED, steps
        deep = too_deep(now.tube.section, contacts, number, tube.tolerance, work.keys, work.carried)
        corrections = corrections + 1 if deep else 0
        if corrections > CORRECTIONS:
            return recorded, UNRESOLVED, steps
        looks = clock >= watch.due
        still, watch = look_at(watch, PATIENCE, clock, grown, chain, segments, seen)
        if holding:
            rests = looks and time >= ends and (fast < AT_REST or strayed < tube.still)
            late = time >= ends + longest or steps * tube.time_step >= SHORTENED * (ends + longest)
            recorded, status = _report_held(recorder, segments, heading, deep, rests, late)
        else:
            stalled = still or clock >= longest or (stops and time >= ends + 10 * PATIENCE)
            recorded, status = report(recorder, recorded, task, segments, heading, grown, deep, stalled)
        if status != GROWING:
            return recorded, status, steps
        if not holding and last_length >= full - SLACK / 2 and segments < len(angles):
            add_segment(work, tube, angles, base, segments)
            segments, last_length = segments + 1, 0.0
            forward_kinematics(chain, angles, vine.pivots, base, segments, last_length, full)
            number = touch(scene, now.tube, segments, work)
        most_growth = 0.0
        if not holding and not deep:
            most_growth = max(min(full - last_length, next_stop(task, recorded) - grown), 0.0)
        span = Span(segments, last_length, number, most_growth)
        if qp is None:
            growth, dt, number = take_step(now, vine, work, span, qp)
        else:
            growth, dt, number = take_step.py_func(now, vine, work, span, qp)
        heading = pose[segments, 2]
        last_length, time, steps = last_length + growth, time + dt, steps + 1
        # Where the growth rate is lower than the highest, a vine has longer to move: a pause is no stall.
        clock += dt if holding else dt * (now.tube.growth_rate / tube.growth_rate)
        fast = max(0.0 if looks else fast, fastest(bodies, velocity, segments + 1))
        if holding:
            strayed = max(0.0 if looks else strayed, _strayed(chain, segments, seen))


@compiled(nogil=True)
def grow_one(
    b: int,
    model: ImpulseModel,
    batch: Batch,
    records: Records,
    outcome: Integers,
    vine: Vine,
    work: ImpulseWork,
    qp: Any,
) -> None:
    """Grow vine b of a batch; `outcome` takes records, status and steps of each, shape (batch, 3)."""
    task, mine = task_of(batch, b), of_vine(records, b)
    look_up_cells(model.joint, vine, batch.l_0[b], batch.rest[b], batch.kind[b])
    done = (
        grow_vine(model, task, vine, mine, work, qp, batch.cut)
        if qp is None
        else grow_vine.py_func(model, task, vine, mine, work, qp, batch.cut)
    )
    outcome[b, 0], outcome[b, 1], outcome[b, 2] = done
