"""One growth step of Algorithm 1 as a convex problem: the objective of paper 002, Eq. 4, and the functions that its two solvers need."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from dynamics.penalty.joints import Restoring


class PenaltyWeights(NamedTuple):
    """Weights of Eq. 4, with the values of paper 002. With these each term has its physical value, in joules."""

    bending: float = 160.0
    """w_a"""
    growth: float = 15.0
    """w_b"""
    contact: float = 1.0
    """w_c"""


class Objective(NamedTuple):
    """Objective of a step, a function of d = (bend of each joint [rad], dents [sqrt(J)], growth [m]), shape (batch, unknowns)."""

    restoring: Restoring
    bend: Tensor
    """Present bends beyond what is preformed, scaled to the length to which the moments refer [rad], shape (batch, segments)."""
    scale: Tensor
    """Length to which the moments refer, divided by each segment's length, same shape."""
    pull: Tensor
    """Moment of the actuators at these bends [N m], same shape; `pull_slope` is its decrease with the bend [N m/rad]."""
    pull_slope: Tensor
    viscosity: Tensor
    """Damping of each unknown divided by the step's time [N m/rad, N/m], and 1 for each dent, shape (batch, unknowns)."""
    growth_force: Tensor
    """Force with which each tip everts [N], shape (batch,)."""
    gap: Tensor
    """Gaps [m], shape (batch, rows): contacts, then the bounds of the growth."""
    jacobian: Tensor
    """Derivatives of the gaps with respect to d, shape (batch, rows, unknowns)."""
    stiffness: Tensor
    """Stiffness of every contact [N/m], without dimensions."""
    weights: PenaltyWeights

    @property
    def bends(self) -> int:
        """Number of bends, the first of the unknowns."""
        return self.bend.shape[1]

    @property
    def contact_stiffness(self) -> Tensor:
        """Stiffness of a contact, scaled by its weight [N/m], without dimensions."""
        return self.weights.contact / PenaltyWeights().contact * self.stiffness

    def energy(self, d: Tensor) -> Tensor:
        """J = w_a U + w_b growth + w_c contact of each vine [J], implicit damping, and the energy of dents; shape (batch,).

        U is the potential of Eq. 3's moment, not the moment itself. The actuators' force enters by its value and slope
        at the step's start (lines 3 and 4 of Algorithm 1), so U is convex.
        """
        paper, turn = PenaltyWeights(), d[:, : self.bends]
        pulled = -self.pull * turn + 0.5 * self.pull_slope * self.scale * turn**2
        potential = (self.restoring.energy(self.bend + self.scale * turn) / self.scale + pulled).sum(1)
        depth = torch.relu(-self.gaps(d))
        return (
            0.5 * (self.viscosity * d**2).sum(1)
            + self.weights.bending / paper.bending * potential
            - self.weights.growth / paper.growth * self.growth_force * d[:, -1]
            + 0.5 * self.contact_stiffness * (depth**2).sum(1)
        )

    def gaps(self, d: Tensor) -> Tensor:
        """Gaps after d [m], shape (batch, rows)."""
        return self.gap + (self.jacobian @ d[..., None])[..., 0]

    def gradient(self, d: Tensor) -> Tensor:
        """Gradient of the energy, shape (batch, unknowns); differentiable in d and in all tensors of the objective."""
        paper, turn = PenaltyWeights(), d[:, : self.bends]
        moment = self.restoring.moment_and_slope(self.bend + self.scale * turn)[0]
        bending = self.weights.bending / paper.bending * (moment - self.pull + self.pull_slope * self.scale * turn)
        growth = -self.weights.growth / paper.growth * self.growth_force
        between = d.new_zeros(len(d), d.shape[1] - self.bends - 1)
        push = self.contact_stiffness * torch.relu(-self.gaps(d))
        pushed = (push[:, None] @ self.jacobian)[:, 0]
        return self.viscosity * d + torch.cat([bending, between, growth[:, None]], 1) - pushed

    def bending_along(self, d: Tensor, direction: Tensor) -> Callable[[Tensor], tuple[Tensor, Tensor]]:
        """Change of the energy's slope along a line and its curvature, without contact, as a function of the position on it."""
        weight = self.weights.bending / PenaltyWeights().bending
        turn, bend = direction[:, : self.bends], self.bend + self.scale * d[:, : self.bends]
        before = self.restoring.moment_and_slope(bend)[0]
        linear = (self.viscosity * direction**2).sum(1) + weight * (self.pull_slope * self.scale * turn**2).sum(1)

        def at(position: Tensor) -> tuple[Tensor, Tensor]:
            moment, slope = self.restoring.moment_and_slope(bend + position[:, None] * self.scale * turn)
            rise = ((moment - before) * turn).sum(1)
            return position * linear + weight * rise, linear + weight * (slope * self.scale * turn**2).sum(1)

        return at

    def curvature(self, d: Tensor) -> Tensor:
        """Diagonal of the energy's Hessian without contact, shape (batch, unknowns)."""
        slope = self.restoring.moment_and_slope(self.bend + self.scale * d[:, : self.bends])[1] + self.pull_slope
        bending = self.weights.bending / PenaltyWeights().bending * slope * self.scale
        return self.viscosity + torch.cat([bending, torch.zeros_like(d[:, self.bends :])], 1)
