"""One step of a vine on a CPU: `dynamics.penalty.step.advance` without derivatives."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dynamics.actuator_contacts import force_share
from dynamics.chain import Chain
from dynamics.links import link
from dynamics.moment import Vine
from dynamics.penalty.dents_on_cpu import carry
from dynamics.penalty.kernel_model import KernelModel, KernelWork, PenaltyTube
from dynamics.penalty.pull_on_cpu import PullArrays, actuator_moment
from dynamics.penalty.solvers_on_cpu import Potential, Problem, minimise_one, potential_moment
from dynamics.penalty.step import HELD_DT, IDLE
from dynamics.penalty.vines import BISECTIONS
from dynamics.quasistatic.friction import LEAST_ALONG
from dynamics.quasistatic.relaxation import LEAST_RETREAT, LENGTHEN, MOST_SHARE, RETREAT, SHORT, share_to_rest
from dynamics.quasistatic.rollout import AGAIN
from surrogate.kernels.compiled import Floats, compiled


class Size(NamedTuple):
    """Size of a vine before a step."""

    segments: int
    last_length: float
    """Length of the growing segment [m]."""
    grown: float
    """Growth so far [m]."""


class Progress(NamedTuple):
    """Progress of a vine: the numbers of `dynamics.penalty.relaxation.Relaxation` and `dynamics.penalty.vines.Vines`."""

    iterations: int
    time: float
    share: float
    rested: bool
    since: float
    bent: float
    against: float
    motion: float
    idle: int


class Phase(NamedTuple):
    """See `dynamics.penalty.step.Phase`."""

    deep: bool
    relaxing: bool
    due: bool


class Limit(NamedTuple):
    """`dynamics.penalty.step.Limits` of one vine."""

    ahead: float
    most: float
    back: float
    time: float
    turning: float


class Rows(NamedTuple):
    """Numbers of the rows and unknowns of a step."""

    contacts: int
    dents: int
    unknowns: int


class Situation(NamedTuple):
    """A vine before a step."""

    size: Size
    rows: Rows
    phase: Phase
    everting: float
    """Force with which the tip everts [N]."""
    held: bool
    """Whether the vine does not grow at all."""


@compiled()
def _limit(tube: PenaltyTube, now: Situation, progress: Progress, left: float) -> Limit:
    """See `dynamics.penalty.step.limit_step`.

    Args:
        left: Growth to the next record or the end [m].
    """
    size = now.size
    if now.held:
        return Limit(0.0, 0.0, 0.0, HELD_DT, HELD_DT)
    ahead = min(max(min(tube.segment_length - size.last_length, left), 0.0), tube.growth_step)
    if now.phase.relaxing:
        back = max(min(size.grown - progress.since, size.last_length), 0.0)
        return Limit(ahead, 0.0, back, tube.rest.time, progress.time)
    growing = max(ahead, 0.2 * tube.growth_step)
    return Limit(ahead, ahead, 0.0, growing, growing if tube.rest.growing == np.inf else progress.time)


@compiled()
def _stiffen(vine: Vine, work: KernelWork, segments: int) -> None:
    """See `dynamics.penalty.relaxation.stiffen`."""
    chain, push_x, push_y, stiffening = work.chain, work.push_x, work.push_y, work.stiffening
    fx = fy = done = 0.0
    stiffening[segments:] = 0.0
    for j in range(segments - 1, -1, -1):
        fx, fy = fx + push_x[j], fy + push_y[j]
        done += push_x[j] * chain.x[j + 1] + push_y[j] * chain.y[j + 1]
        turning = max(done - fx * chain.pivot_x[j] - fy * chain.pivot_y[j], 0.0)
        along = fx * chain.cosine[j] + fy * chain.sine[j]
        stiffening[j] = turning + max(-along * link(chain.film[j], vine.angles[j], vine.pivots[j])[2], 0.0)


@compiled()
def _rest_curvature(
    tube: PenaltyTube, potential: Potential, pull: PullArrays, vine: Vine, l_0: Floats, j: int
) -> float:
    """Curvature of joint j in free space [1/m], see `dynamics.penalty.vines.rest_curvature`, and what is preformed."""
    bend = 0.0
    if vine.pressure[j] != 0.0:
        side, low, high = 1.0 if vine.pressure[j] > 0.0 else -1.0, 0.0, math.pi
        for _ in range(BISECTIONS):
            bend = 0.5 * (low + high)
            moment = tube.bending * actuator_moment(pull, vine, l_0, j, side * bend)[0]
            if potential_moment(potential, bend)[0] < side * moment:
                low = bend
            else:
                high = bend
        bend = side * 0.5 * (low + high)
    return (bend + vine.rest[j]) / tube.moment_length


@compiled()
def _set_up_joints(model: KernelModel, vine: Vine, l_0: Floats, work: KernelWork, size: Size, ahead: float) -> float:
    """Fill in the joints of the objective; return the curvature of the growing segment [1/m]."""
    tube, pull, last, joints = model.tube, model.pull, size.segments - 1, work.joints
    length, spread = tube.moment_length, tube.moment_length / tube.segment_length
    if size.last_length < 1e-6:
        curvature = _rest_curvature(tube, model.potential, pull, vine, l_0, last)
    else:
        curvature = vine.angles[last] / size.last_length
    for j in range(size.segments):
        bend, scale = spread * vine.angles[j], spread
        if j == last:
            bend, scale = curvature * length, length / max(size.last_length + ahead, 1e-6)
        bend -= vine.rest[j]
        moment, slope = actuator_moment(pull, vine, l_0, j, bend)
        joints[0, j], joints[1, j], joints[2, j], joints[3, j] = (
            bend,
            scale,
            tube.bending * moment,
            tube.bending * slope,
        )
    return curvature


@compiled()
def _lengthening(chain: Chain, last: int, curvature: float) -> float:
    """See `dynamics.penalty.step.lengthening_of`."""
    film = chain.film[last]
    if not film > 0.0:
        return 1.0
    back = (chain.pivot_x[last] - chain.x[last]) * chain.sine[last]
    back -= (chain.pivot_y[last] - chain.y[last]) * chain.cosine[last]
    return chain.length[last] / film + curvature * back


@compiled()
def _set_up_rows(work: KernelWork, rows: Rows, segments: int, curvature: float, limit: Limit) -> None:
    """Fill in the rows of the contacts, and of the two bounds of the growth."""
    chain, contacts, jacobian, last = work.chain, work.contacts, work.jacobian, segments - 1
    pivot_x, pivot_y, lengthening = chain.pivot_x, chain.pivot_y, _lengthening(chain, last, curvature)
    for k in range(rows.contacts):
        start = k * rows.unknowns
        jacobian[start : start + rows.unknowns] = 0.0
        alpha, beta, gamma = contacts.alpha[k], contacts.beta[k], contacts.gamma[k]
        for j in range(contacts.segment[k] + 1):
            jacobian[start + j] = alpha + beta * pivot_x[j] + gamma * pivot_y[j]
        if k < rows.dents:
            for z in range(k + 1):
                jacobian[start + segments + z] = work.dents[k, z]
        jacobian[start + rows.unknowns - 1] = lengthening * contacts.growth[k] + curvature * jacobian[start + last]
        work.gap[k] = contacts.gap[k]
    for bound in range(2):
        row = rows.contacts + bound
        start = row * rows.unknowns
        jacobian[start : start + rows.unknowns - 1] = 0.0
        jacobian[start + rows.unknowns - 1] = -1.0 if bound == 0 else 1.0
        work.gap[row] = limit.most if bound == 0 else limit.back


@compiled()
def _minimise(model: KernelModel, work: KernelWork, rows: Rows, segments: int, everting: float) -> None:
    """Minimise the objective that was set up, from `work.found`."""
    tube, joints, count = model.tube, work.joints, rows.contacts + 2
    problem = Problem(
        joints[0, :segments],
        joints[1, :segments],
        joints[2, :segments],
        joints[3, :segments],
        work.viscosity[: rows.unknowns],
        work.gap[:count],
        work.jacobian[: count * rows.unknowns].reshape((count, rows.unknowns)),
        tube.growth * everting,
        tube.contact_stiffness,
    )
    minimise_one(model.potential, problem, work.solver, work.found[: rows.unknowns], tube.inner_steps, tube.by_newton)


@compiled()
def _note_forces(tube: PenaltyTube, work: KernelWork, rows: Rows, last: int) -> float:
    """Keep the forces of a solved step; return the force that pushes the tip back [N]."""
    contacts, against = work.contacts, 0.0
    work.forces[:], work.push_x[:], work.push_y[:] = 0.0, 0.0, 0.0
    for k in range(rows.contacts):
        gap, segment = work.gap[k], contacts.segment[k]
        for j in range(rows.unknowns):
            gap += work.jacobian[k * rows.unknowns + j] * work.found[j]
        force = 0.0 if gap > 0.0 else -tube.contact_stiffness * gap
        work.carried[k] = force
        work.forces[segment] += force_share(contacts, k) * force
        work.push_x[segment] += force * contacts.gamma[k]
        work.push_y[segment] -= force * contacts.beta[k]
        if segment == last and contacts.growth[k] < -LEAST_ALONG:
            against += force
    carry(work, rows.dents)
    return against


@compiled()
def _most_motion(chain: Chain, bend: Floats, growth: float) -> tuple[float, float]:
    """See `dynamics.penalty.step.most_motion`."""
    turn = turn_x = turn_y = dx = dy = before = worst = 0.0
    for j in range(len(bend)):
        turn += bend[j]
        turn_x, turn_y = turn_x + bend[j] * chain.pivot_x[j], turn_y + bend[j] * chain.pivot_y[j]
        dx, dy = turn_y - chain.y[j + 1] * turn, chain.x[j + 1] * turn - turn_x
        before, worst = worst, max(worst, dx * dx + dy * dy, (0.05 * bend[j]) ** 2)
    last, bent, most = len(bend) - 1, math.sqrt(max(worst, 1e-24)), math.sqrt(max(before, 1e-24))
    tip = math.hypot(dx + growth * chain.cosine[last], dy + growth * chain.sine[last])
    most = max(most, abs(0.05 * bend[last]))
    # The tip moves with every bend: if one is not a number, neither is the result.
    return bent, most if tip <= most else tip


@compiled()
def _relaxed_share(
    tube: PenaltyTube, progress: Progress, bend: Floats, before: Floats, most: float
) -> tuple[float, float]:
    """Share of a step at constant length that is taken, and time of the next one; the bends replace those before."""
    published, turned, length = tube.rest.growing == np.inf, 0.0, 0.0
    for j in range(len(bend)):
        turned, length = turned + bend[j] * before[j], length + before[j] * before[j]
        before[j] = bend[j]
    at_most = MOST_SHARE if progress.time >= tube.rest.time and not published else 1.0
    share = min(share_to_rest(progress.share, turned, length), at_most)
    factor = 0.5 if turned < 0.0 and not published else LENGTHEN
    return share if share <= most else most, min(factor * progress.time, tube.rest.time)


@compiled()
def _take(
    tube: PenaltyTube, work: KernelWork, now: Situation, progress: Progress, growth: float, against: float
) -> tuple[float, Progress]:
    """Share of the step that the vine takes, see `dynamics.penalty.step.take_step`, and its progress with it."""
    rest, size, phase, time = tube.rest, now.size, now.phase, progress.time
    bend = work.found[: size.segments]
    bent, motion = _most_motion(work.chain, bend, growth)
    limit = (rest.recorded if phase.due else rest.growing) * min(time / (SHORT * rest.time), 1.0)
    stays = -growth <= RETREAT * (size.grown - progress.since) + LEAST_RETREAT * tube.growth_step
    rests = phase.relaxing and not phase.deep and motion <= max(limit, rest.trembling) and stays
    most, iterations, taken, since = tube.most_motion / motion, 0, 1.0, size.grown
    share = 1.0 if most > 1.0 else most
    if phase.relaxing and not rests:
        share, time = _relaxed_share(tube, progress, bend, work.before, most)
        iterations, taken, since = progress.iterations + 1, share, progress.since
    else:
        work.before[:] = 0.0
        if progress.iterations > 0:
            time = min(AGAIN * time, rest.time)
    share = 0.0 if rests else share
    bent = progress.bent if phase.relaxing else bent
    moved, idle = share * motion, progress.idle
    if not rests:
        idle = 0 if moved > IDLE else idle + (0 if phase.relaxing else 1)
    return share, Progress(iterations, time, taken, rests, since, bent, against, moved, idle)


@compiled()
def advance_vine(
    model: KernelModel, vine: Vine, l_0: Floats, work: KernelWork, now: Situation, progress: Progress, left: float
) -> tuple[float, Progress]:
    """Take one step; return the length of the growing segment after it [m], and the progress.

    Args:
        l_0: Cell lengths [m], shape (max_segments,).
        left: Growth to the next record or the end [m].
    """
    tube, size, rows, found, viscosity = model.tube, now.size, now.rows, work.found, work.viscosity
    segments, last, limit = size.segments, size.segments - 1, _limit(tube, now, progress, left)
    if now.phase.relaxing:
        _stiffen(vine, work, segments)
    curvature = _set_up_joints(model, vine, l_0, work, size, limit.ahead)
    _set_up_rows(work, rows, segments, curvature, limit)
    damping = tube.bending_viscosity * tube.moment_length / tube.segment_length / limit.turning
    for j in range(segments):
        viscosity[j], found[j] = damping + work.stiffening[j], 0.0
    for z in range(rows.dents):
        viscosity[segments + z], found[segments + z] = tube.contact, work.held[z]
    at = rows.unknowns - 1
    viscosity[at], found[at] = tube.growth_viscosity / limit.time, limit.most + now.everting / tube.contact_stiffness
    _minimise(model, work, rows, segments, now.everting)
    growth = found[at]
    if growth < -limit.back:  # never of NaN
        growth = -limit.back
    if growth > limit.most:
        growth = limit.most
    against = _note_forces(tube, work, rows, last)
    # The objective assumes the stiffness of the growing segment after full growth; with less growth it bends less.
    found[last] *= (size.last_length + growth) / max(size.last_length + limit.ahead, 1e-6)
    found[last] += curvature * growth
    share, progress = _take(tube, work, now, progress, growth, against)
    for j in range(segments):
        vine.angles[j] += share * found[j]
    grown = share * growth
    return size.last_length + (-limit.back if grown < -limit.back else grown), progress
