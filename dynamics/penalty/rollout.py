"""Growth of a batch of vines in tensors: a fixed number of steps, without copies to the host between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from dynamics.cross_section import CrossSection
from dynamics.penalty.contacts import TensorChain, TensorContacts, TensorSolids, find_contacts, forward_kinematics
from dynamics.penalty.drive import available_force
from dynamics.penalty.joints import Restoring
from dynamics.penalty.objective import Objective, PenaltyWeights
from dynamics.penalty.pull import Cells, Pull, pull_about_wall
from dynamics.penalty.relaxation import (
    RelaxedStep,
    Relaxation,
    end,
    find_rest,
    note_forces,
    proceed,
    share_of_relaxation,
    stiffen,
)
from dynamics.penalty.solvers import Solver, minimise
from dynamics.quasistatic.step import RestCriterion
from dynamics.table_edge import TableEdge, overhangs
from dynamics.tube import VineParams
from dynamics.vine import Status
from surrogate.kernels.interruption import check_cut

BISECTIONS = 45
HELD_DT = 0.1
"""Time step of a held vine, in metres of free growth: long, so that viscosity hardly delays its equilibrium."""
AT_REST = 1e-6
"""A held vine whose joints all move by less than this in a step [m] is at rest."""
LAST_STEPS = 40
"""Steps before the last one that is allowed from which a vine no longer grows, so that it ends at rest."""


class PenaltyModel(NamedTuple):
    """A tube in an environment, on a device."""

    params: VineParams
    section: CrossSection
    solids: TensorSolids
    restoring: Restoring
    pull: Pull
    solver: Solver
    weights: PenaltyWeights
    pose: Tensor
    """Base x [m], y [m], heading [rad]."""
    bounds: Tensor
    """min x, min y, max x, max y [m], see `Scene.bounds`."""
    table: float
    """Radius of the tube on a table [m], else 0."""
    step: float
    """Growth of a full step, which is also its time [m]."""
    margin: float
    """Contacts with a smaller gap are considered [m]."""
    rest: RestCriterion

    @property
    def slack(self) -> float:
        """Tolerance of equal lengths [m]."""
        return 1e-9 if self.pose.dtype == torch.float64 else 2e-6


class TensorRecords(NamedTuple):
    """See `dynamics.vine.Rollout`; on the device."""

    angles: Tensor
    segments: Tensor
    last_length: Tensor
    tips: Tensor
    contact_force: Tensor
    records: Tensor
    status: Tensor
    steps: Tensor
    broken: Tensor
    relaxations: Tensor


@dataclass(slots=True)
class Vines:
    """A growing batch; each step replaces its tensors."""

    angles: Tensor
    segments: Tensor
    last_length: Tensor
    pressure: Tensor
    """Signed by side [Pa], shape (batch, segments)."""
    cells: Cells
    rest: Tensor
    """Turn of each segment in free space per length of film [1/m], shape (batch, segments)."""
    length: Tensor
    """Length to grow [m], shape (batch,); 0 holds a vine."""
    before: Tensor
    """Length before the first step [m]."""
    forces: Tensor
    """Normal forces on each segment in the last step [N]."""
    motion: Tensor
    """Largest displacement of a joint in the last step [m]."""
    alive: Tensor
    """Vines that have not ended yet."""
    allowed: Tensor
    """Maximum number of steps of each vine, shape (batch,)."""
    keys: Tensor
    """Contacts of the last step, shape (batch, contacts), see `_keys`; none before the first one."""
    carried: Tensor
    """Their forces [N]."""
    relaxation: Relaxation
    preformed: Tensor | None = None
    """The part of `rest` that is preformed [1/m], same shape; None if nothing is."""

    def grown_length(self, full: float) -> Tensor:
        """Length grown so far [m], not a sum of steps, whose rounding errors would add up; `full` is a segment's length."""
        return (self.segments - 1).to(self.length.dtype) * full + self.last_length - self.before


class Phase(NamedTuple):
    """What each vine does in a step, shape (batch,)."""

    deep: Tensor
    """Whether it is too deep in an obstacle."""
    relaxing: Tensor
    """Whether it bends without growing until it is at rest; not of held vines."""
    late: Tensor
    """Whether it does not grow any more."""
    spent: Tensor
    """Whether it has taken all its steps."""
    due: Tensor
    """Whether it is to be recorded."""


class Limits(NamedTuple):
    """Limits and times of a step of each vine, shape (batch,)."""

    ahead: Tensor
    """Growth after which the growing segment has the stiffness that the step assumes [m]."""
    most: Tensor
    """Largest growth [m]."""
    back: Tensor
    """What contacts may push the tip back [m]."""
    time: Tensor
    """Time for growth [m of free growth]."""
    turning: Tensor
    """Time for the bends [m of free growth]."""


def rest_curvature(model: PenaltyModel, pressure: Tensor, cells: Cells) -> Tensor:
    """Curvature of an actuated tube in free space [1/m]: the root of Eq. 3b, differentiable in pressure and cell length."""
    length, arm = model.params.moment_length, cells.arm
    per_bend = arm / length
    with torch.no_grad():
        low, high = torch.zeros_like(pressure), torch.full_like(pressure, torch.pi)
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            force, _ = model.pull(per_bend * middle, cells)
            short = model.restoring.moment_and_slope(middle)[0] < pressure.abs() * arm * force
            low, high = torch.where(short, middle, low), torch.where(short, high, middle)
        bend = torch.where(pressure == 0, 0.0, 0.5 * (low + high))
    if torch.is_grad_enabled():  # implicit function theorem: one Newton step from the root
        force, force_slope = model.pull(per_bend * bend, cells)
        moment, slope = model.restoring.moment_and_slope(bend)
        slope = slope - pressure.abs() * arm * per_bend * force_slope
        step = (pressure.abs() * arm * force - moment) / slope.detach()
        bend = bend + step - step.detach()
    return torch.sign(pressure) * bend / length


def grow(
    model: PenaltyModel, vines: Vines, record_every: float, records: TensorRecords, steps: int, most_segments: int
) -> Tensor:
    """Grow the vines and fill in the records; return the tips' x [m], y [m] and heading [rad], shape (batch, 3).

    Args:
        steps: Number of steps to compute: the largest number that any vine is allowed.
        most_segments: Number of segments of the longest vine before the first step.
    """
    full, room = model.params.segment_length, vines.angles.shape[1]
    for step in range(steps + 1):
        check_cut()
        _end_broken(vines, records)
        _begin_segments(model, vines)
        # The maximum length at this step is known without reading the device; segments beyond it are not computed.
        count = min(room, most_segments + int((step + 1) * model.step / full) + 2)
        chain = _chain(model, vines, count)
        outside = _outside(model, chain)
        records.status.copy_(torch.where(outside & vines.alive, int(Status.OUT_OF_BOUNDS), records.status))
        vines.alive = vines.alive & ~outside
        contacts = find_contacts(model.solids, model.section, model.margin, chain)
        dents = _held_dents(model, vines, chain, contacts)
        given = contacts.gap + (contacts.dents @ dents[..., None])[..., 0]
        deep = given.amin(1) < -model.params.penetration_tolerance
        drive = available_force(model.params, contacts.lost, vines.angles[:, :count], chain)
        phase = _find_phase(model, vines, deep, drive, step, _next_record(vines, records, record_every))
        _record(model, vines, chain, phase, record_every, records)
        if step < steps:
            _advance(model, vines, chain, contacts, phase, dents, record_every, records)
    heading = model.pose[2] + vines.angles.sum(1)
    return torch.stack([chain.x[:, -1], chain.y[:, -1], heading], 1)


def _outside(model: PenaltyModel, chain: TensorChain) -> Tensor:
    """Return whether each vine has left the bounds or, on a table, hangs over its edge, shape (batch,)."""
    low_x, low_y, high_x, high_y = model.bounds
    out = (chain.x < low_x) | (chain.x > high_x) | (chain.y < low_y) | (chain.y > high_y)
    if spared := model.solids.spared:
        out[:, 1:] &= torch.cumsum(chain.length, 1) >= spared
        out[:, 0] = False
    if not model.table:
        return out.any(1)
    edge = TableEdge(model.bounds, model.table, spared)
    return out.any(1) | overhangs(edge, chain.x, chain.y, chain.cosine, chain.sine, chain.length, chain.last).any(1)


def _end_broken(vines: Vines, records: TensorRecords) -> None:
    """End every vine with a non-finite bend, force or length, and record its first such segment."""
    room = vines.angles.shape[1]
    growing = torch.arange(room, device=vines.angles.device) == vines.segments[:, None] - 1
    sound = torch.isfinite(vines.angles + vines.forces) & (torch.isfinite(vines.last_length)[:, None] | ~growing)
    first = sound.long().cumprod(1).sum(1)
    broken = vines.alive & (first < room)
    records.status.copy_(torch.where(broken, int(Status.NOT_FINITE), records.status))
    records.broken.copy_(torch.where(broken, first, records.broken))
    vines.alive = vines.alive & ~broken


def _begin_segments(model: PenaltyModel, vines: Vines) -> None:
    """Start a new segment if the last one is complete, and the vine is at rest and continues to grow."""
    whole = vines.last_length >= model.params.segment_length - model.slack / 2
    whole &= vines.alive & (vines.grown_length(model.params.segment_length) < vines.length - model.slack)
    if model.rest.growing < torch.inf:
        whole &= vines.relaxation.rested
    vines.segments = vines.segments + whole.long()
    vines.last_length = torch.where(whole, 0.0, vines.last_length)


def _chain(model: PenaltyModel, vines: Vines, count: int) -> TensorChain:
    index = torch.arange(count, device=vines.angles.device)
    last = vines.segments[:, None] - 1
    films = (index < last) * torch.full_like(vines.angles[:, :count], model.params.segment_length)
    films = torch.where(index == last, vines.last_length[:, None], films)
    return forward_kinematics(vines.angles[:, :count], films, _pivots(model, vines, count), last, model.pose)


def _pivots(model: PenaltyModel, vines: Vines, count: int) -> Tensor:
    """Distance of each joint's pivot from the centreline [m], shape (batch, count)."""
    sides = (
        vines.pressure if vines.preformed is None else torch.where(vines.pressure == 0, vines.preformed, vines.pressure)
    )
    return torch.sign(sides[:, :count]) * model.params.pivot


def _find_phase(
    model: PenaltyModel, vines: Vines, deep: Tensor, drive: Tensor, step: int, ahead: Tensor
) -> Phase:
    """Find which vines relax: those that are too deep; and those that move, press or are to be recorded, until they are at rest.

    Args:
        drive: Force with which each tip everts [N].
        step: Number of steps so far.
        ahead: Length grown at each vine's next record [m], if it does not end before.
    """
    rest, state, full = model.rest, vines.relaxation, model.params.segment_length
    held, late = vines.length == 0, step >= vines.allowed - LAST_STEPS
    due = vines.grown_length(full) >= torch.minimum(ahead, vines.length) - model.slack
    relaxing = deep
    if rest.growing < torch.inf:
        moving = (state.bent > rest.growing) | (state.iterations > 0) | (state.against > drive)
        whole = vines.last_length >= full - model.slack / 2
        relaxing = deep | (~state.rested & (moving | whole | due | late))
    return Phase(deep, relaxing & ~held, late & ~held, step >= vines.allowed, due & ~held)


def _keys(model: PenaltyModel, contacts: TensorContacts, segment: Tensor) -> Tensor:
    """Numbers that identify contacts with segments in the next step, shape (batch, contacts); -1 where there is none."""
    items = len(model.solids.edges) + len(model.solids.corners)
    return torch.where(contacts.item >= 0, segment * items + contacts.item, -1)


def _held_dents(model: PenaltyModel, vines: Vines, chain: TensorChain, contacts: TensorContacts) -> Tensor:
    """Dents that the forces of the last step hold [sqrt(J)], shape (batch, dents)."""
    if not contacts.dents.shape[2]:
        return contacts.gap[:, :0]
    with torch.no_grad():
        # A tip that begins a segment has the contacts of the one before.
        born = (vines.last_length == 0)[:, None] & (contacts.segment == chain.last)
        now, before = (_keys(model, contacts, contacts.segment - shift) for shift in (0, born.long()))
        same = vines.keys[:, None] == now[:, :, None]
        same = torch.where(same.any(2, keepdim=True), same, vines.keys[:, None] == before[:, :, None])
        force = torch.where(same & (contacts.item >= 0)[..., None], vines.carried[:, None], 0.0).sum(2)
        return (force[:, None] @ contacts.dents)[:, 0]


def _record(
    model: PenaltyModel, vines: Vines, chain: TensorChain, phase: Phase, record_every: float, records: TensorRecords
) -> None:
    """Write a record of every vine that is due for one; end those that are done or have taken all their steps."""
    ahead, grown = _next_record(vines, records, record_every), vines.grown_length(model.params.segment_length)
    held = vines.length == 0
    done = ~held & (grown >= vines.length - model.slack)
    ready = ~phase.deep & ~phase.relaxing
    spent = vines.alive & (phase.spent | (phase.late & ready))
    on_the_way = held | (grown > ahead - record_every + model.slack)
    writing = vines.alive & ready & (phase.due | spent & on_the_way)
    done |= held & (vines.motion < AT_REST)
    born = (vines.last_length == 0) & (vines.segments > 1)
    rows = torch.arange(len(grown), device=grown.device)
    at = records.records.clamp(max=records.segments.shape[1] - 1)
    tips = torch.stack([chain.x[:, -1], chain.y[:, -1], model.pose[2] + vines.angles.sum(1)], 1)
    for record, value in (
        (records.angles, vines.angles),
        (records.segments, vines.segments - born.long()),
        (records.last_length, torch.where(born, model.params.segment_length, vines.last_length)),
        (records.tips, tips),
        (records.contact_force, vines.forces),
    ):
        kept = record[rows, at]
        record[rows, at] = torch.where(writing.view(-1, *[1] * (kept.dim() - 1)), value.detach(), kept)
    records.records.add_(writing.long())
    ended = writing & done
    records.status.copy_(torch.where(ended, int(Status.GROWN), records.status))
    records.status.copy_(torch.where(spent & phase.deep, int(Status.UNRESOLVED), records.status))
    moving = spent & phase.relaxing & ~phase.deep
    records.status.copy_(torch.where(moving, int(Status.UNSETTLED), records.status))
    records.broken.copy_(torch.where(moving, vines.relaxation.before.abs().argmax(1), records.broken))
    vines.alive = vines.alive & ~ended & ~spent


def _next_record(vines: Vines, records: TensorRecords, record_every: float) -> Tensor:
    """Length at each vine's next record [m], if it does not end before."""
    return (records.records + 1).to(vines.length.dtype) * record_every


def _advance(
    model: PenaltyModel,
    vines: Vines,
    chain: TensorChain,
    contacts: TensorContacts,
    phase: Phase,
    dents: Tensor,
    record_every: float,
    records: TensorRecords,
) -> None:
    """Take one step: minimise the objective from the present dents, and apply the resulting bends and growth."""
    count, state = chain.cosine.shape[1], vines.relaxation
    limits = _limit(model, vines, chain, phase, _next_record(vines, records, record_every))
    objective, curvature = _objective(model, vines, chain, contacts, limits)
    start = torch.zeros_like(objective.viscosity)
    start[:, count:-1] = dents
    start[:, -1] = limits.most + objective.growth_force.detach() / objective.contact_stiffness
    d = minimise(objective, start, model.solver)
    growth = torch.minimum(torch.maximum(d[:, -1], -limits.back), limits.most)
    at_last = torch.arange(count, device=d.device) == chain.last
    # The objective assumes the stiffness of the growing segment after full growth; with less growth it bends less.
    part = (vines.last_length + growth) / (vines.last_length + limits.ahead).clamp(min=1e-6)
    bend = torch.where(at_last, part[:, None] * d[:, :count] + (curvature * growth)[:, None], d[:, :count])
    pressed = (objective.contact_stiffness * torch.relu(-objective.gaps(d)[:, : contacts.gap.shape[1]])).detach()
    vines.keys, vines.carried = _keys(model, contacts, contacts.segment), pressed
    vines.forces = torch.zeros_like(vines.angles).scatter_add(1, contacts.segment, pressed)
    note_forces(state, chain, contacts, pressed)
    share = _take(model, vines, chain, phase, bend, growth)
    vines.angles = torch.cat([vines.angles[:, :count] + share[:, None] * bend, vines.angles[:, count:]], 1)
    vines.last_length = vines.last_length + torch.maximum(share * growth, -limits.back)
    taken = vines.alive & ~state.rested
    records.steps.add_((taken & ~phase.relaxing).long())
    records.relaxations.add_((taken & phase.relaxing).long())


def _limit(model: PenaltyModel, vines: Vines, chain: TensorChain, phase: Phase, ahead: Tensor) -> Limits:
    """Limit the step of each vine, and stiffen the joints of those that relax."""
    full, step, rest, state = model.params.segment_length, model.step, model.rest, vines.relaxation
    grown, count = vines.grown_length(full), chain.cosine.shape[1]
    # A held vine never grows, and has its own time step.
    held = vines.length == 0
    possible = torch.minimum(full - vines.last_length, torch.minimum(ahead, vines.length) - grown).clamp(0, step)
    possible = torch.where(held, 0.0, possible)
    most = torch.where(phase.relaxing, 0.0, possible)
    with torch.no_grad():
        back = torch.minimum(grown - state.since, vines.last_length).clamp(min=0.0)
        stiffening = stiffen(state, chain, vines.angles[:, :count], _pivots(model, vines, count))
        stiffening = torch.cat([stiffening, torch.zeros_like(state.stiffening[:, count:])], 1)
        state.stiffening = torch.where(phase.relaxing[:, None], stiffening, state.stiffening)
    growing = most.clamp(min=0.2 * step)
    time = torch.where(held, HELD_DT, torch.where(phase.relaxing, rest.time, growing))
    turning = growing if rest.growing == torch.inf else state.time
    turning = torch.where(held, HELD_DT, torch.where(phase.relaxing, state.time, turning))
    return Limits(possible, most, torch.where(phase.relaxing, back, 0.0), time, turning)


def _take(
    model: PenaltyModel, vines: Vines, chain: TensorChain, phase: Phase, bend: Tensor, growth: Tensor
) -> Tensor:
    """Share of the step that each vine takes: none at rest, nor of one that has ended; go on with its relaxation; shape (batch,)."""
    rest, state, grown = model.rest, vines.relaxation, vines.grown_length(model.params.segment_length)
    motion, still = _most_motion(chain, bend, growth), torch.zeros_like(growth)
    # No joint moves farther than the margin of the contacts that were considered, so no contact is missed.
    most = 0.6 * model.margin / motion
    with torch.no_grad():
        step, relaxing = RelaxedStep(bend, growth, motion, most), phase.relaxing & vines.alive
        limit = torch.where(phase.due, rest.recorded, rest.growing)
        rests = relaxing & ~phase.deep & find_rest(rest, state, step, limit, grown - state.since, model.step)
        relaxed, turned = share_of_relaxation(rest, state, step)
        proceed(rest, state, step, relaxed, turned, relaxing & ~rests)
        end(rest, state, grown, vines.alive & (rests | ~relaxing))
        bent = _most_motion(chain, bend, still)
        state.bent = torch.where(relaxing, state.bent, bent)
        state.rested = rests
    share = torch.where(relaxing, relaxed, most.clamp(max=1))
    share = torch.where(vines.alive & ~rests, share, 0.0)
    vines.motion = share * motion
    return share


def _objective(
    model: PenaltyModel, vines: Vines, chain: TensorChain, contacts: TensorContacts, limits: Limits
) -> tuple[Objective, Tensor]:
    """Return the step's objective, and the curvature of each growing segment [1/m], which it keeps as it lengthens."""
    params, count, most = model.params, chain.cosine.shape[1], limits.most
    length = params.moment_length
    spread = length / params.segment_length
    index = torch.arange(count, device=most.device)
    at_last = index == chain.last
    angle = vines.angles[:, :count].gather(1, chain.last)[:, 0]
    born = vines.last_length < 1e-6
    rest = vines.rest[:, :count].gather(1, chain.last)[:, 0]
    curvature = torch.where(born, rest, angle / torch.where(born, 1.0, vines.last_length))
    bend = torch.where(at_last, curvature[:, None] * length, spread * vines.angles[:, :count])
    if vines.preformed is not None:
        bend = bend - vines.preformed[:, :count] * length
    # A growing segment has the stiffness of the step's end, at constant length too: else it would hardly bend when it is short.
    scale = torch.where(at_last, (length / (vines.last_length + limits.ahead).clamp(min=1e-6))[:, None], spread)
    pressure, cells = vines.pressure[:, :count], vines.cells.first_segments(count)
    per_bend = torch.sign(pressure) * cells.arm / length
    arm, force, force_slope = pull_about_wall(model.pull, per_bend * bend, cells)
    exists = index <= chain.last
    lever = torch.where(exists, pressure * arm, 0.0)
    grown = (curvature[:, None] * contacts.jacobian.gather(
        2, chain.last[:, None, :].expand(-1, contacts.jacobian.shape[1], 1))[..., 0]
    )  # fmt: skip
    lengthening = _lengthening(chain, curvature)[:, None]
    jacobian = torch.cat([contacts.jacobian, contacts.dents, (lengthening * contacts.growth + grown)[..., None]], 2)
    bounds = jacobian.new_zeros(len(most), 2, jacobian.shape[2])
    bounds[:, 0, -1], bounds[:, 1, -1] = -1.0, 1.0
    viscosity = torch.cat(
        [
            (params.bending_viscosity * spread / limits.turning)[:, None] + vines.relaxation.stiffening[:, :count],
            jacobian.new_full((len(most), contacts.dents.shape[2]), model.weights.contact / PenaltyWeights().contact),
            (params.growth_viscosity / limits.time)[:, None],
        ],
        1,
    )
    everting = available_force(params, contacts.lost, vines.angles[:, :count], chain)
    objective = Objective(
        model.restoring, bend, scale, lever * force, -lever * force_slope * per_bend, viscosity, everting,
        torch.cat([contacts.gap, most[:, None], limits.back[:, None]], 1),
        torch.cat([jacobian, bounds], 1), jacobian.new_full((), params.contact_stiffness), model.weights,
    )  # fmt: skip
    return objective, curvature


def _lengthening(chain: TensorChain, curvature: Tensor) -> Tensor:
    """How much the tip advances for each length of film that it everts, without the turn about the pivot [-], shape (batch,).

    At the same curvature, the centreline of a segment lengthens as its film does: in proportion. Of that the turn about the pivot
    contains what the bend takes away.
    """
    last = chain.last
    x, y, px, py, film, length, cosine, sine = (
        part.gather(1, last)[:, 0]
        for part in (
            chain.x, chain.y, chain.pivot_x, chain.pivot_y, chain.film, chain.length, chain.cosine, chain.sine
        )
    )  # fmt: skip
    back = (px - x) * sine - (py - y) * cosine
    return torch.where(film > 0, length / torch.where(film > 0, film, 1.0) + curvature * back, 1.0)


def _most_motion(chain: TensorChain, bend: Tensor, growth: Tensor) -> Tensor:
    """Largest displacement of a joint by a step, to first order [m], shape (batch,)."""
    turn = torch.cumsum(bend, 1)
    dx = torch.cumsum(bend * chain.pivot_y, 1) - chain.y[:, 1:] * turn
    dy = chain.x[:, 1:] * turn - torch.cumsum(bend * chain.pivot_x, 1)
    at_last = torch.arange(bend.shape[1], device=bend.device) == chain.last
    dx = torch.where(at_last, dx + growth[:, None] * chain.cosine, dx)
    dy = torch.where(at_last, dy + growth[:, None] * chain.sine, dy)
    return torch.maximum(dx.square() + dy.square(), (0.05 * bend).square()).amax(1).clamp(min=1e-24).sqrt()
