"""Growth of a batch of vines in tensors: a fixed number of steps, without copies to the host between them."""

from __future__ import annotations

import torch
from torch import Tensor

from dynamics.penalty.chain import TensorChain
from dynamics.penalty.contacts import find_contacts
from dynamics.penalty.drive import available_force
from dynamics.penalty.rollout_on_cpu import AT_REST, LAST_STEPS, MOST_IDLE
from dynamics.penalty.rows import TensorContacts
from dynamics.penalty.step import Phase, advance
from dynamics.penalty.vines import PenaltyModel, TensorRecords, Vines, contact_keys, make_chain, next_record
from dynamics.table_edge import TableEdge, overhangs
from dynamics.vine import Status
from surrogate.kernels.interruption import check_cut

MOST_LEFT = 0.9
"""Share of the vines of a batch that still grow, below which those that have ended are left out."""


class Remaining:
    """The vines of a batch that are computed, and where their records and tips are to be."""

    def __init__(self, whole: TensorRecords, ends: Tensor) -> None:
        """Begin with all vines.

        Args:
            ends: Of all vines that are left out the tips' x [m], y [m] and heading [rad], shape (batch, 3).
        """
        self.whole, self.ends = whole, ends
        self.rows, self.records = torch.arange(len(ends), device=ends.device), whole

    def leave_out_ended(self, vines: Vines, tips: Tensor) -> Vines:
        """Go on with the vines that have not ended."""
        self.ends = self.end(tips)
        alive = torch.nonzero(vines.alive)[:, 0]
        self.rows, self.records = self.rows[alive], self.records.of_rows(alive)
        return vines.of_rows(alive)

    def end(self, tips: Tensor) -> Tensor:
        """Fill in the records of the vines; return the tips of all."""
        if self.records is not self.whole:
            self.whole.write(self.rows, self.records)
        return self.ends.index_copy(0, self.rows, tips)


def grow(
    model: PenaltyModel, vines: Vines, record_every: float, records: TensorRecords, steps: int, most_segments: int
) -> Tensor:
    """Grow the vines and fill in the records; return the tips' x [m], y [m] and heading [rad], shape (batch, 3).

    Args:
        steps: Number of steps to compute: the largest number that any vine is allowed.
        most_segments: Number of segments of the longest vine before the first step.
    """
    full, room = model.params.segment_length, vines.angles.shape[1]
    asked, remaining = (
        vines.alive.device.type == "cpu",
        Remaining(records, torch.zeros_like(vines.angles[:, :1]).repeat(1, 3)),
    )
    for step in range(steps + 1):
        check_cut()
        _end_broken(vines, remaining.records)
        _begin_segments(model, vines)
        # The maximum length at this step is known without reading the device; segments beyond it are not computed.
        count = min(room, most_segments + int((step + 1) * model.step / full) + 2)
        if asked and len(vines.segments):
            count = min(count, int(vines.segments.max()))
        chain = make_chain(model, vines, count)
        outside = _outside(model, chain)
        remaining.records.status.copy_(
            torch.where(outside & vines.alive, int(Status.OUT_OF_BOUNDS), remaining.records.status)
        )
        vines.alive = vines.alive & ~outside
        contacts = find_contacts(model.solids, model.section, model.margin, chain)
        dents = _held_dents(model, vines, chain, contacts)
        given = contacts.gap + (contacts.dents @ dents[..., None])[..., 0]
        deep = given.amin(1) < -model.params.penetration_tolerance
        drive = available_force(model.params, contacts.lost, vines.angles[:, :count], chain)
        phase = _find_phase(model, vines, deep, drive, step, next_record(vines, remaining.records, record_every))
        _record(model, vines, chain, phase, record_every, remaining.records)
        # A device is not asked, which would wait for it; on the CPU the answer costs nothing.
        alive = int(vines.alive.sum()) if asked else len(vines.alive)
        if alive == 0 or step == steps:
            break
        advance(model, vines, chain, contacts, phase, dents, record_every, remaining.records)
        if alive <= MOST_LEFT * len(vines.alive):
            vines = remaining.leave_out_ended(vines, _tips(model, vines, chain))
    return remaining.end(_tips(model, vines, chain))


def _tips(model: PenaltyModel, vines: Vines, chain: TensorChain) -> Tensor:
    """Tips' x [m], y [m] and heading [rad], shape (batch, 3)."""
    return torch.stack([chain.x[:, -1], chain.y[:, -1], model.pose[2] + vines.angles.sum(1)], 1)


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


def _find_phase(model: PenaltyModel, vines: Vines, deep: Tensor, drive: Tensor, step: int, ahead: Tensor) -> Phase:
    """Find which vines relax: those that are too deep; and those that move, press or are to be recorded, until they are at rest.

    Args:
        drive: Force with which each tip everts [N].
        step: Number of steps so far.
        ahead: Length grown at each vine's next record [m], if it does not end before.
    """
    rest, state, full = model.rest, vines.relaxation, model.params.segment_length
    held, late = vines.length == 0, (step >= vines.allowed - LAST_STEPS) | (vines.idle >= MOST_IDLE)
    due = vines.grown_length(full) >= torch.minimum(ahead, vines.length) - model.slack
    relaxing = deep
    if rest.growing < torch.inf:
        moving = (state.bent > rest.growing) | (state.iterations > 0) | (state.against > drive)
        whole = vines.last_length >= full - model.slack / 2
        relaxing = deep | (~state.rested & (moving | whole | due | late))
    return Phase(deep, relaxing & ~held, late & ~held, step >= vines.allowed, due & ~held)


def _held_dents(model: PenaltyModel, vines: Vines, chain: TensorChain, contacts: TensorContacts) -> Tensor:
    """Dents that the forces of the last step hold [sqrt(J)], shape (batch, dents)."""
    if not contacts.dents.shape[2]:
        return contacts.gap[:, :0]
    with torch.no_grad():
        # A tip that begins a segment has the contacts of the one before.
        born = (vines.last_length == 0)[:, None] & (contacts.segment == chain.last)
        now, before = (contact_keys(model, contacts, contacts.segment - shift) for shift in (0, born.long()))
        same = vines.keys[:, None] == now[:, :, None]
        same = torch.where(same.any(2, keepdim=True), same, vines.keys[:, None] == before[:, :, None])
        force = torch.where(same & (contacts.item >= 0)[..., None], vines.carried[:, None], 0.0).sum(2)
        return (force[:, None] @ contacts.dents)[:, 0]


def _record(
    model: PenaltyModel, vines: Vines, chain: TensorChain, phase: Phase, record_every: float, records: TensorRecords
) -> None:
    """Write a record of every vine that is due for one; end those that are done or have taken all their steps."""
    ahead, grown = next_record(vines, records, record_every), vines.grown_length(model.params.segment_length)
    held = vines.length == 0
    done = ~held & (grown >= vines.length - model.slack)
    ready = ~phase.deep & ~phase.relaxing
    spent = vines.alive & (phase.spent | (phase.late & ready))
    on_the_way = held | (grown > ahead - record_every + model.slack)
    writing = vines.alive & ready & (phase.due | spent & on_the_way)
    done |= held & (vines.motion < AT_REST)
    born = (vines.last_length == 0) & (vines.segments > 1)
    _write(records, writing, {
        "angles": vines.angles,
        "segments": vines.segments - born.long(),
        "last_length": torch.where(born, model.params.segment_length, vines.last_length),
        "tips": _tips(model, vines, chain),
        "contact_force": vines.forces,
    })  # fmt: skip
    records.records.add_(writing)
    ended = writing & done
    records.status.copy_(torch.where(ended, int(Status.GROWN), records.status))
    records.status.copy_(torch.where(spent & phase.deep, int(Status.UNRESOLVED), records.status))
    moving = spent & phase.relaxing & ~phase.deep
    records.status.copy_(torch.where(moving, int(Status.UNSETTLED), records.status))
    records.broken.copy_(torch.where(moving, vines.relaxation.before.abs().argmax(1), records.broken))
    vines.alive = vines.alive & ~ended & ~spent


def _write(records: TensorRecords, writing: Tensor, values: dict[str, Tensor]) -> None:
    """Write the next record of some vines."""
    rows = torch.arange(len(writing), device=writing.device)
    at = records.records.clamp(max=records.segments.shape[1] - 1)
    if writing.device.type == "cpu":
        rows = rows[writing]
        at, values = at[rows], {name: value[rows] for name, value in values.items()}
    for name, value in values.items():
        record, value = getattr(records, name), value.detach()
        if writing.device.type != "cpu":  # which vines are written is not known here
            value = torch.where(writing.view(-1, *[1] * (value.dim() - 1)), value, record[rows, at])
        record[rows, at] = value
