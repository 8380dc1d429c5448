"""Growth of a batch of vines on a CPU, vine by vine: `dynamics.penalty.rollout.grow` without derivatives."""

from __future__ import annotations

import math

import numpy as np

from dynamics.chain import forward_kinematics, outside
from dynamics.contact_rows import NO_KEY
from dynamics.contacts import find_contacts
from dynamics.drive import available_force
from dynamics.growth import GROWING, GROWN, NOT_FINITE, OUT_OF_BOUNDS, SLACK, STALLED, UNRESOLVED, UNSETTLED
from dynamics.moment import Vine, look_up_cells, new_vine
from dynamics.penalty.dents_on_cpu import count_dents, deepest, give, hold_dents
from dynamics.penalty.kernel_model import KernelModel, KernelWork, new_kernel_work
from dynamics.penalty.step_on_cpu import Phase, Progress, Rows, Situation, Size, advance_vine
from dynamics.quasistatic.relaxation import largest_bend
from dynamics.records import Batch, Recorder, Records, Task, grow_batch, of_vine, record, task_of
from dynamics.soft_contacts import squeezed_share
from dynamics.thickness import thicken
from dynamics.vine import Actuation, Integers, Rollout, VineState
from surrogate.kernels.compiled import Floats, compiled
from surrogate.kernels.interruption import Flag

AT_REST = 1e-6
"""A held vine whose joints all move by less than this in a step [m] is at rest."""
LAST_STEPS = 40
"""Steps before the last one that is allowed from which a vine no longer grows, so that it ends at rest."""
MOST_IDLE = 15
"""Number of successive steps of growth without motion after which a vine is stalled."""


@compiled()
def _first_broken(vine: Vine, work: KernelWork, segments: int, last_length: float) -> int:
    """First segment with a bend or force that is no number, or with such a length; -1 if there is none."""
    for j in range(len(vine.angles)):
        if not math.isfinite(vine.angles[j] + work.forces[j]) or (j == segments - 1 and not math.isfinite(last_length)):
            return j
    return -1


@compiled()
def _touch(model: KernelModel, work: KernelWork, size: Size) -> tuple[Rows, bool]:
    """Find the contacts and what they dent; return the sizes of the step, and whether the vine is too deep."""
    scene, tube, contacts = model.scene, model.tube, work.contacts
    count = find_contacts(scene, tube.section, tube.margin, work.chain, size.segments, contacts)
    dents = 0
    if tube.section.most_dent > 0.0:
        dents, born = count_dents(contacts, count), size.segments - 1 if size.last_length == 0.0 else -1
        give(tube.section, contacts, dents, work.dents)
        hold_dents(work, dents, born, len(scene.edges) + len(scene.corners))
    return Rows(count, dents, size.segments + dents + 1), deepest(work, count, dents) < -tube.tolerance


@compiled()
def _look(
    model: KernelModel,
    vine: Vine,
    task: Task,
    work: KernelWork,
    size: Size,
    progress: Progress,
    late: bool,
    record: float,
) -> Situation:
    """Find the contacts of a vine, and in which phase it is, see `dynamics.penalty.rollout`.

    Args:
        late: Whether it does not grow any more.
        record: Length at the next record [m].
    """
    tube, rest, held = model.tube, model.tube.rest, task.length == 0.0
    rows, deep = _touch(model, work, size)
    lost = tube.growth_force * squeezed_share(tube.section, work.contacts, rows.dents)
    everting = available_force(tube.growth_force - lost, tube.tail, vine.angles, work.chain.length, size.segments)
    due, relaxing = size.grown >= min(record, task.length) - SLACK, deep
    if rest.growing < np.inf:
        moving = progress.bent > rest.growing or progress.iterations > 0 or progress.against > everting
        whole = size.last_length >= tube.segment_length - SLACK / 2
        relaxing = deep or (not progress.rested and (moving or whole or due or late))
    return Situation(size, rows, Phase(deep, relaxing and not held, due and not held), everting, held)


@compiled()
def _record(
    recorder: Recorder, task: Task, now: Situation, spent: bool, recorded: int, heading: float, motion: float
) -> tuple[int, int]:
    """Record a vine where that is due, and the last state of one that ends; return the number of records, and how it ends or `GROWING`.

    Args:
        spent: Whether it has taken all its steps, or is at rest and does not grow any more.
        motion: Of the last step [m].
    """
    size, (deep, relaxing, due) = now.size, now.phase
    on_the_way = now.held or size.grown > recorded * task.record_every + SLACK
    ready = not deep and not relaxing
    writing = ready and (due or (spent and on_the_way))
    if writing:
        born = size.last_length == 0.0 and size.segments > 1
        recorded = record(recorder, recorded, size.segments - 1 if born else size.segments, heading)
    done = motion < AT_REST if now.held else size.grown >= task.length - SLACK
    if spent and not ready:
        return recorded, UNRESOLVED if deep else UNSETTLED
    if writing and done:
        return recorded, GROWN
    return recorded, STALLED if spent else GROWING


@compiled()
def _grow_vine(
    model: KernelModel,
    vine: Vine,
    l_0: Floats,
    task: Task,
    allowed: int,
    records: Records,
    work: KernelWork,
    cut: Flag,
) -> tuple[int, int, int, int]:
    """Grow one vine; return the number of records, the status, and the numbers of steps and relaxations.

    Args:
        allowed: Maximum number of steps.
    """
    rest, chain, full = model.tube.rest, work.chain, model.tube.segment_length
    recorder = Recorder(records, vine.angles, chain, work.forces, work.needed)
    segments, last_length, grown, held = task.segments, task.last_length, 0.0, task.length == 0.0
    recorded = steps = relaxations = 0
    progress = Progress(0, rest.time, 1.0, False, 0.0, np.inf, 0.0, 0.0, 0)
    work.keys[0] = NO_KEY
    for step in range(allowed + 1):
        broken = _first_broken(vine, work, segments, last_length)
        if broken >= 0 or cut[0]:
            records.broken[0] = broken
            return recorded, UNRESOLVED if cut[0] else NOT_FINITE, steps, relaxations
        whole = last_length >= full - SLACK / 2 and grown < task.length - SLACK
        if whole and (progress.rested or rest.growing == np.inf):
            segments, last_length = segments + 1, 0.0
        heading = forward_kinematics(chain, vine.angles, vine.pivots, model.base, segments, last_length, full)
        if outside(model.scene, chain, segments):
            return recorded, OUT_OF_BOUNDS, steps, relaxations
        late = not held and (step >= allowed - LAST_STEPS or progress.idle >= MOST_IDLE)
        next_record = (recorded + 1) * task.record_every
        now = _look(model, vine, task, work, Size(segments, last_length, grown), progress, late, next_record)
        spent = step >= allowed or (late and not now.phase.deep and not now.phase.relaxing)
        recorded, status = _record(recorder, task, now, spent, recorded, heading, progress.motion)
        if status == UNSETTLED:
            records.broken[0] = largest_bend(work.before, len(work.before))
        if status != GROWING:
            return recorded, status, steps, relaxations
        left = min((recorded + 1) * task.record_every, task.length) - grown
        last_length, progress = advance_vine(model, vine, l_0, work, now, progress, left)
        # Not a sum of steps, whose rounding errors would add up.
        grown = (segments - task.segments) * full + (last_length - task.last_length)
        if not progress.rested:
            steps, relaxations = (steps, relaxations + 1) if now.phase.relaxing else (steps + 1, relaxations)
    return recorded, STALLED, steps, relaxations


@compiled(nogil=True)
def _grow_one(
    b: int,
    model: KernelModel,
    batch: Batch,
    allowed: Integers,
    records: Records,
    outcome: Integers,
    vine: Vine,
    work: KernelWork,
) -> None:
    """Grow vine b of a batch; `outcome` receives its row of `dynamics.records.grow_batch`."""
    l_0 = batch.l_0[b]
    look_up_cells(model.joint, vine, l_0, batch.rest[b], batch.kind[b])
    thicken(model.joint, vine, work.chain.thickness, work.chain.stiffness)
    done = _grow_vine(model, vine, l_0, task_of(batch, b), allowed[b], of_vine(records, b), work, batch.cut)
    outcome[b, 0], outcome[b, 1], outcome[b, 2], outcome[b, 3] = done


def grow_each(
    model: KernelModel,
    state: VineState,
    actuation: Actuation,
    lengths: Floats,
    record_every: float,
    allowed: Integers,
    threads: int,
) -> Rollout:
    """Grow the vines of a batch; see `Propagator.grow`.

    Args:
        lengths: Length to grow of each vine [m], shape (batch,).
        allowed: Maximum number of steps of each vine, shape (batch,).
    Raises:
        Interrupted: The growth was cut short.
    """

    def grow(b: int, batch: Batch, records: Records, outcome: Integers) -> None:
        vine = new_vine(batch.angles[b], batch.pressure[b])
        _grow_one(b, model, batch, allowed, records, outcome, vine, new_kernel_work(len(vine.angles)))

    return grow_batch(state, actuation, lengths, record_every, threads, grow, model.joint.elasticity.pivot)
