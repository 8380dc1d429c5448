"""One step of a batch of vines: its limits, its objective, and what is taken of it."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from dynamics.penalty.chain import TensorChain
from dynamics.penalty.drive import available_force
from dynamics.penalty.objective import Objective, PenaltyWeights
from dynamics.penalty.pull import actuator_moments
from dynamics.penalty.relaxation import (
    RelaxedStep,
    end,
    find_rest,
    note_forces,
    proceed,
    share_of_relaxation,
    stiffen,
)
from dynamics.penalty.rows import TensorContacts
from dynamics.penalty.solvers import minimise
from dynamics.penalty.vines import PenaltyModel, TensorRecords, Vines, contact_keys, next_record

MOST_MOTION = 0.6
"""Largest displacement of a joint by a step, as a share of the contacts' margin [-]: so none moves beyond it, and no contact is missed."""
IDLE = 2e-5
"""A step of growth by which no joint moves farther than this is one without motion [m]: the exact propagator looks for 0.3 mm in 60 mm."""
HELD_DT = 0.1
"""Time step of a held vine, in metres of free growth: long, so that viscosity hardly delays its equilibrium."""


class Phase(NamedTuple):
    """Phase of each vine in a step, shape (batch,)."""

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
    """Growth that contacts may take back [m]."""
    time: Tensor
    """Time for growth [m of free growth]."""
    turning: Tensor
    """Time for the bends [m of free growth]."""


def advance(
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
    limits = limit_step(model, vines, chain, phase, next_record(vines, records, record_every))
    objective, curvature = make_objective(model, vines, chain, contacts, limits)
    start = torch.zeros_like(objective.viscosity)
    start[:, count:-1] = dents
    start[:, -1] = limits.most + objective.growth_force.detach() / objective.contact_stiffness
    d = minimise(objective, start, model.solver)
    growth = torch.minimum(torch.maximum(d[:, -1], -limits.back), limits.most)
    at_last = torch.arange(count, device=d.device) == chain.last
    # The objective assumes the stiffness of the growing segment after full growth; with less growth it bends less.
    part = (vines.last_length + growth) / (vines.last_length + limits.ahead).clamp(min=1e-6)
    bend = torch.where(at_last, part[:, None] * d[:, :count] + (curvature * growth)[:, None], d[:, :count])
    pressed = objective.contact_stiffness * torch.relu(-objective.gaps(d)[:, : contacts.gap.shape[1]])
    vines.keys, vines.carried = contact_keys(model, contacts, contacts.segment), pressed.detach()
    vines.forces = torch.zeros_like(vines.angles).scatter_add(1, contacts.segment, pressed.detach())
    note_forces(state, chain, contacts, pressed)
    share = take_step(model, vines, chain, phase, bend, growth)
    vines.angles = torch.cat([vines.angles[:, :count] + share[:, None] * bend, vines.angles[:, count:]], 1)
    vines.last_length = vines.last_length + torch.maximum(share * growth, -limits.back)
    taken = vines.alive & ~state.rested
    records.steps.add_(taken & ~phase.relaxing)
    records.relaxations.add_(taken & phase.relaxing)


def limit_step(model: PenaltyModel, vines: Vines, chain: TensorChain, phase: Phase, ahead: Tensor) -> Limits:
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
    stiffening = stiffen(state, chain, vines.angles[:, :count], vines.pivots[:, :count])
    stiffening = torch.cat([stiffening, torch.zeros_like(state.stiffening[:, count:])], 1)
    state.stiffening = torch.where(phase.relaxing[:, None], stiffening, state.stiffening)
    growing = most.clamp(min=0.2 * step)
    time = torch.where(held, HELD_DT, torch.where(phase.relaxing, rest.time, growing))
    turning = growing if rest.growing == torch.inf else state.time
    turning = torch.where(held, HELD_DT, torch.where(phase.relaxing, state.time, turning))
    return Limits(possible, most, torch.where(phase.relaxing, back, 0.0), time, turning)


def take_step(
    model: PenaltyModel, vines: Vines, chain: TensorChain, phase: Phase, bend: Tensor, growth: Tensor
) -> Tensor:
    """Share of the step that each vine takes: none at rest, nor of one that has ended; go on with its relaxation; shape (batch,)."""
    rest, state, grown = model.rest, vines.relaxation, vines.grown_length(model.params.segment_length)
    bent, motion = most_motion(chain, bend, growth)
    most = MOST_MOTION * model.margin / motion
    with torch.no_grad():
        step, relaxing = RelaxedStep(bend, growth, motion, most), phase.relaxing & vines.alive
        limit = torch.where(phase.due, rest.recorded, rest.growing)
        rests = relaxing & ~phase.deep & find_rest(rest, state, step, limit, grown - state.since, model.step)
        relaxed, turned = share_of_relaxation(rest, state, step)
        proceed(rest, state, step, relaxed, turned, relaxing & ~rests)
        end(rest, state, grown, vines.alive & (rests | ~relaxing))
        state.bent = torch.where(relaxing, state.bent, bent)
        state.rested = rests
    share = torch.where(relaxing, relaxed, most.clamp(max=1))
    share = torch.where(vines.alive & ~rests, share, 0.0)
    vines.motion = share * motion
    idle = torch.where(vines.motion > IDLE, 0, vines.idle + ~relaxing)
    vines.idle = torch.where(rests, vines.idle, idle)
    return share


def make_objective(
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
        # Joints that have not grown yet have no moment.
        bend = torch.where(index <= chain.last, bend - vines.preformed[:, :count] * length, 0.0)
    # A growing segment has the stiffness of the step's end, at constant length too: else it would hardly bend when it is short.
    scale = torch.where(at_last, (length / (vines.last_length + limits.ahead).clamp(min=1e-6))[:, None], spread)
    pressure, cells = vines.pressure[:, :count], vines.cells.first_segments(count)
    pull, pull_slope = actuator_moments(model.pull, params, bend, pressure, cells, index <= chain.last)
    grown = (curvature[:, None] * contacts.jacobian.gather(
        2, chain.last[:, None, :].expand(-1, contacts.jacobian.shape[1], 1))[..., 0]
    )  # fmt: skip
    lengthening = lengthening_of(chain, curvature)[:, None]
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
        model.restoring, bend, scale, pull, pull_slope, viscosity, everting,
        torch.cat([contacts.gap, most[:, None], limits.back[:, None]], 1),
        torch.cat([jacobian, bounds], 1), jacobian.new_full((), params.contact_stiffness), model.weights,
    )  # fmt: skip
    return objective, curvature


def lengthening_of(chain: TensorChain, curvature: Tensor) -> Tensor:
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


def most_motion(chain: TensorChain, bend: Tensor, growth: Tensor) -> tuple[Tensor, Tensor]:
    """Largest displacement of a joint by the bends of a step, and with its growth, to first order [m], shape (batch,)."""
    turn = torch.cumsum(bend, 1)
    dx = torch.cumsum(bend * chain.pivot_y, 1) - chain.y[:, 1:] * turn
    dy = chain.x[:, 1:] * turn - torch.cumsum(bend * chain.pivot_x, 1)
    squared = torch.maximum(dx.square() + dy.square(), (0.05 * bend).square()).clamp(min=1e-24)
    x, y, cosine, sine, width = (part.gather(1, chain.last) for part in (dx, dy, chain.cosine, chain.sine, 0.05 * bend))
    at_tip = (x + growth[:, None] * cosine).square() + (y + growth[:, None] * sine).square()
    at_tip = torch.maximum(at_tip, width.square()).clamp(min=1e-24)
    return squared.amax(1).sqrt(), squared.scatter(1, chain.last, at_tip).amax(1).sqrt()
