"""A growing batch of vines in tensors, and the model that grows it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import torch
from torch import Tensor

from dynamics.cross_section import CrossSection
from dynamics.penalty.chain import TensorChain, forward_kinematics
from dynamics.penalty.joints import Restoring
from dynamics.penalty.objective import PenaltyWeights
from dynamics.penalty.pull import Cells, Pull
from dynamics.penalty.relaxation import Relaxation
from dynamics.penalty.rows import TensorContacts
from dynamics.penalty.solids import TensorSolids
from dynamics.penalty.solvers import Solver
from dynamics.quasistatic.step import RestCriterion
from dynamics.tube import VineParams

BISECTIONS = 45


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

    def of_rows(self, rows: Tensor) -> TensorRecords:
        """Copy the records of some vines."""
        return TensorRecords(*(part[rows] for part in self))

    def write(self, rows: Tensor, records: TensorRecords) -> None:
        """Replace the records of some vines."""
        for part, new in zip(self, records, strict=True):
            part[rows] = new


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
    idle: Tensor
    """Number of successive steps of growth without motion, shape (batch,), see `dynamics.penalty.step.IDLE`."""
    alive: Tensor
    """Vines that have not ended yet."""
    allowed: Tensor
    """Maximum number of steps of each vine, shape (batch,)."""
    keys: Tensor
    """Contacts of the last step, shape (batch, contacts), see `_keys`; none before the first one."""
    carried: Tensor
    """Their forces [N]."""
    relaxation: Relaxation
    pivots: Tensor
    """Distance of each joint's pivot from the centreline [m], shape (batch, segments), see `pivots_at_joints`."""
    preformed: Tensor | None = None
    """The part of `rest` that is preformed [1/m], same shape; None if nothing is."""

    def grown_length(self, full: float) -> Tensor:
        """Length grown so far [m], not a sum of steps, whose rounding errors would add up; `full` is a segment's length."""
        return (self.segments - 1).to(self.length.dtype) * full + self.last_length - self.before

    def of_rows(self, rows: Tensor) -> Vines:
        """Select some vines."""
        chosen: dict[str, Any] = {}
        for field in fields(self):
            part = getattr(self, field.name)
            chosen[field.name] = part.of_rows(rows) if isinstance(part, Cells | Relaxation) else part
            if isinstance(part, Tensor):
                chosen[field.name] = part[rows]
        return Vines(**chosen)


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


def make_chain(model: PenaltyModel, vines: Vines, count: int) -> TensorChain:
    last, full = vines.segments[:, None] - 1, model.params.segment_length
    angles, pivots = vines.angles[:, :count], vines.pivots[:, :count]
    index = torch.arange(count, device=angles.device)
    films = (index < last) * torch.full_like(angles, full)
    films = torch.where(index == last, vines.last_length[:, None], films)
    return forward_kinematics(angles, films, pivots, last, model.pose)


def pivots_at_joints(params: VineParams, pressure: Tensor, preformed: Tensor | None) -> Tensor:
    """Distance of each joint's pivot from the centreline [m], of the shape of the pressures and preformed bends."""
    sides = pressure if preformed is None else torch.where(pressure == 0, preformed, pressure)
    return torch.sign(sides.detach()) * params.pivot


def contact_keys(model: PenaltyModel, contacts: TensorContacts, segment: Tensor) -> Tensor:
    """Numbers that identify contacts with segments in the next step, shape (batch, contacts); -1 where there is none."""
    items = len(model.solids.edges) + len(model.solids.corners)
    return torch.where(contacts.item >= 0, segment * items + contacts.item, -1)


def next_record(vines: Vines, records: TensorRecords, record_every: float) -> Tensor:
    """Length at each vine's next record [m], if it does not end before."""
    return (records.records + 1).to(vines.length.dtype) * record_every
