"""Force of an actuator in tensors, for any strain from taut to slack."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor

from dynamics.moment import joint_moments
from dynamics.propagator import CannotRun
from dynamics.tube import VineParams
from surrogate.actuators import Actuator, Limits
from surrogate.force_table import COLUMNS, FINE_ROWS, NODES, ROWS, TAUT_COLUMNS, TAUT_STRAIN, ForceTables
from surrogate.kernels.compiled import Floats
from surrogate.network import Network, load_network
from surrogate.spam import Spam


class Cells(NamedTuple):
    """The actuators of vines, all of one shape."""

    l_0: Tensor
    """Cell length [m]."""
    kind: Tensor
    """Number in `VineParams.actuators`."""
    arm: Tensor
    """See `VineParams.arm` [m]."""
    taut_arm: Tensor
    """See `VineParams.taut_arm` [m]."""

    def of_rows(self, rows: Tensor) -> Cells:
        """Select the actuators of some vines."""
        return Cells(*(part[rows] for part in self))

    @classmethod
    def of(cls, params: VineParams, l_0: Tensor, kind: Tensor | None = None) -> Cells:
        """Make the actuators of a tube from cell length [m] and number; None for the first actuator."""
        kinds, kind = range(len(params.actuators)), torch.zeros_like(l_0, dtype=torch.int64) if kind is None else kind
        arms = l_0.new_tensor([(params.arm(k), params.taut_arm(k)) for k in kinds])[kind]
        return cls(l_0, kind, arms[..., 0], arms[..., 1])

    def first_segments(self, count: int) -> Cells:
        """Select the actuators of the first segments."""
        return Cells(*(part[:, :count] for part in self))


class Pull(Protocol):
    """Force over strain, and the cell lengths for which it is valid."""

    @property
    def lengths(self) -> Floats:
        """Minimum and maximum cell length l_0 of each actuator [m], shape (actuators, 2)."""
        ...

    def __call__(self, strain: Tensor, cells: Cells) -> tuple[Tensor, Tensor]:
        """F_t / P [m^2] and its slope over strain [m^2], differentiable in strain and cell length, of their common shape."""
        ...


def pull_of(params: VineParams, surrogate: str, device: torch.device, dtype: torch.dtype) -> Pull:
    """Return the force of a tube's actuator by the name of a surrogate, "table" or "network"; see `check_surrogate`."""
    if surrogate == "network":
        return NetworkPull(load_network(device=device, dtype=dtype), params.physics == "corrected")
    return TablePull.of(joint_moments(params).tables, device, dtype)


def check_surrogate(surrogate: str, params: VineParams) -> None:
    """Check that a surrogate exists for a tube's actuator.

    Raises:
        CannotRun: The name is not "table" or "network", or the network was not trained for the actuator.
    """
    if surrogate not in ("table", "network"):
        raise CannotRun(f"unknown surrogate {surrogate!r}; known: table, network")
    if surrogate == "network" and [*map(_drop_limits, params.actuators)] != [load_network().geometry]:
        raise CannotRun(f"surrogate network: it was trained for {load_network().geometry}; use --surrogate table here")


def _drop_limits(actuator: Actuator) -> Actuator:
    """Replace the limits of an actuator by the defaults: the force of a cell does not depend on them."""
    return replace(actuator, limits=Limits()) if isinstance(actuator, Spam) else actuator


def actuator_moments(
    pull: Pull, params: VineParams, bend: Tensor, pressure: Tensor, cells: Cells, exists: Tensor
) -> tuple[Tensor, Tensor]:
    """Moment of the actuators [N m], and its decrease with the bend [N m/rad], by the law of `dynamics.moment.moment_and_slope`.

    Args:
        bend: Of `VineParams.moment_length` of tube [rad], shape (batch, segments).
        pressure: Signed by side [Pa], same shape.
        cells: The actuators, of the same shape.
        exists: Whether a segment has grown, same shape.
    """
    per_bend = torch.sign(pressure) * cells.arm / params.moment_length
    arm, force, force_slope = pull_about_wall(pull, per_bend * bend, cells)
    lever = torch.where(exists, pressure * arm, 0.0)
    return lever * force, -lever * force_slope * per_bend


def pull_about_wall(pull: Pull, strain: Tensor, cells: Cells) -> tuple[Tensor, Tensor, Tensor]:
    """Pull of actuators about the wall about which the tube turns, by the same law as `dynamics.moment.moment_and_slope`.

    Args:
        strain: About the far wall [-]; negative where the tube bends against the actuator.
        cells: The actuators, of the same shape.
    Returns:
        Moment arm [m], F_t / P [m^2] and its slope over `strain` [m^2], of the same shape.
    """
    arm, taut_arm = cells.arm, cells.taut_arm
    against, share = strain < 0, taut_arm / arm
    force, slope = pull(torch.where(against, share * strain, strain), cells)
    straight = pull(torch.zeros_like(strain), cells)[0]
    moving = against & (taut_arm * force < arm * straight)
    lever = torch.where(against & ~moving, taut_arm, arm)
    slope = torch.where(against, share * slope, slope)
    return lever, torch.where(moving, straight, force), torch.where(moving, 0.0, slope)


class NetworkPull(NamedTuple):
    """The neural surrogate in its training range; outside it the film is taut or slack, as in the force table."""

    network: Network
    taut: bool
    """Whether the network also gives the force of taut film, as far as it was trained; else it is extrapolated from zero strain."""

    @property
    def lengths(self) -> Floats:
        """See `Pull`."""
        return np.array([[self.network.shortest, self.network.longest]])

    def __call__(self, strain: Tensor, cells: Cells) -> tuple[Tensor, Tensor]:
        """See `Pull`."""
        differentiable, l_0 = torch.is_grad_enabled(), cells.l_0
        low, full = self.network.limits(l_0)
        low = low if self.taut else torch.zeros_like(low)
        with torch.enable_grad():
            within = torch.minimum(torch.maximum(strain, low), full)
            within = within if differentiable and within.requires_grad else within.detach().requires_grad_()
            force = self.network.force_per_pressure(within, l_0)
            (slope,) = torch.autograd.grad(force.sum(), within, create_graph=differentiable)
        slope = slope.clamp(max=0.0)
        force = force if differentiable else force.detach()
        slack = strain >= full
        if self.taut:
            slope = torch.where(strain < low, self.elastic, slope)
        force = force + slope * (strain - low).clamp(max=0.0)
        return torch.where(slack, 0.0, force), torch.where(slack, 0.0, slope)

    @property
    def elastic(self) -> float:
        """Slope of the force of taut film [m^2]: the limit of Eq. 1 for m -> 0."""
        geometry = self.network.geometry
        return -math.pi * geometry.constriction_radius**2 / geometry.film_elasticity


class TablePull(NamedTuple):
    """The look-up of `surrogate.force_table` on a device."""

    lengths: Floats
    """See `Pull`."""
    nodes: Tensor
    """Share of full contraction at each column [-], shape (columns + 1,)."""
    unsaturated: Tensor
    longest_strain: Tensor
    saturated: Tensor
    ends: Tensor
    taut: Tensor

    @classmethod
    def of(cls, tables: ForceTables, device: torch.device, dtype: torch.dtype) -> TablePull:
        """Copy the tables of a tube's actuators to a device."""
        tensors = (torch.as_tensor(array, dtype=dtype, device=device) for array in (NODES, *tables))
        return cls(np.stack([tables.shortest, tables.longest], axis=1), *tensors)

    def __call__(self, strain: Tensor, cells: Cells) -> tuple[Tensor, Tensor]:
        """See `Pull`."""
        l_0, kind = cells.l_0, cells.kind
        shortest, longest, most = self.ends[kind].unbind(-1)
        position = (l_0 - shortest) / (longest - shortest)
        fine = (position.detach() * FINE_ROWS).long().clamp(0, FINE_ROWS - 1)
        part = position * FINE_ROWS - fine
        full = torch.lerp(self.longest_strain[kind, fine], self.longest_strain[kind, fine + 1], part)
        row = (position.detach() * ROWS).long().clamp(0, ROWS - 1)
        weight, row = position * ROWS - row, row + kind * (ROWS + 1)
        share = strain / full
        left, part, width = self._between(share)
        upper, lower = (
            torch.lerp(self.unsaturated[row, left + k], self.unsaturated[row + 1, left + k], weight) for k in (1, 0)
        )
        force, slope = lower + part * (upper - lower), (upper - lower) / width / full
        if self.taut.numel():
            at = strain * (-TAUT_COLUMNS / TAUT_STRAIN)
            left = at.detach().clamp(0, TAUT_COLUMNS - 1).long().clamp(0, TAUT_COLUMNS - 1)  # valid also for NaN
            upper, lower = (torch.lerp(self.taut[row, left + k], self.taut[row + 1, left + k], weight) for k in (1, 0))
            force = torch.where(strain < 0, lower + (at - left) * (upper - lower), force)
            slope = torch.where(strain < 0, (upper - lower) * (-TAUT_COLUMNS / TAUT_STRAIN), slope)
        # The branch with the smaller force applies.
        share_saturated = strain * l_0 / most
        left, part, width = self._between(share_saturated)
        rise = self.saturated[kind, left + 1] - self.saturated[kind, left]
        other = self.saturated[kind, left] + part * rise
        less = (share_saturated > 0) & (other < force)
        force = torch.where(less, other, force)
        slope = torch.where(less, rise / width * l_0 / most, slope)
        slack = (share >= 1) | (share_saturated >= 1)
        return torch.where(slack, 0.0, force), torch.where(slack, 0.0, slope)

    def _between(self, share: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Column to the left, relative position before the next (also below 0 and above 1), and the width between them."""
        left = (share.detach().clamp(0, 1).sqrt() * COLUMNS).long().clamp(0, COLUMNS - 1)  # valid also for NaN
        width = self.nodes[left + 1] - self.nodes[left]
        return left, (share - self.nodes[left]) / width, width
