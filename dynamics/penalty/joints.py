"""Moments of joints in tensors: the tube's restoring potential, and the pull of the actuators."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from dynamics.moment import JointMoments


class Restoring(NamedTuple):
    """The tube's moment and its potential over the bend of `JointMoments.length` of tube; linear between the nodes of its table."""

    transition: Tensor
    """Bend up to which the tube is elastic [rad]. This and the next two have no dimensions; as numbers they would be compiled in."""
    stiffness: Tensor
    """Up to there [N m/rad]."""
    per_bend: Tensor
    """Nodes per bend beyond it [1/rad]."""
    moment: Tensor
    """At the nodes [N m], shape (nodes,)."""
    rising: Tensor
    """See `JointMoments.rising` [N m], shape (nodes,)."""
    potential: Tensor
    """At the nodes [J], shape (nodes,): the integral of the moment."""

    @classmethod
    def of(cls, joint: JointMoments, device: torch.device, dtype: torch.dtype) -> Restoring:
        """Copy a tube's table to a device, and integrate it."""
        moment = torch.as_tensor(joint.moment, dtype=torch.float64)
        rising = torch.as_tensor(joint.rising, dtype=torch.float64)
        elasticity = joint.elasticity
        start = 0.5 * elasticity.stiffness * elasticity.transition**2
        potential = torch.cat([moment.new_zeros(1), torch.cumsum(0.5 * (moment[1:] + moment[:-1]), 0)])
        potential = start + potential / elasticity.per_bend
        numbers = (elasticity.transition, elasticity.stiffness, elasticity.per_bend)
        transition, stiffness, per_bend = torch.tensor(numbers, device=device, dtype=dtype).unbind()
        tables = (part.to(device, dtype) for part in (moment, rising, potential))
        return cls(transition, stiffness, per_bend, *tables)

    def energy(self, bend: Tensor) -> Tensor:
        """Potential U of the restoring moment [J], an even function of the bend; its derivative is Eq. 2 of paper 002."""
        size = bend.abs()
        at, left, rise = self._interval(size)
        wrinkled = self.potential[left] + (at * self.moment[left] + 0.5 * at**2 * rise) / self.per_bend
        return torch.where(size <= self.transition, 0.5 * self.stiffness * bend**2, wrinkled)

    def moment_and_slope(self, bend: Tensor) -> tuple[Tensor, Tensor]:
        """Restoring moment [N m], and its slope without folds [N m/rad]."""
        size = bend.abs()
        at, left, rise = self._interval(size)
        elastic, slope = size <= self.transition, self.rising[left + 1] - self.rising[left]
        moment = torch.where(elastic, self.stiffness * bend, torch.sign(bend) * (self.moment[left] + at * rise))
        return moment, torch.where(elastic, self.stiffness, slope * self.per_bend)

    def _interval(self, size: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        position = ((size - self.transition) * self.per_bend).clamp(0, len(self.moment) - 1.001)
        left = position.detach().long().clamp(min=0)  # valid also for NaN, so that one vine does not affect its batch
        return position - left, left, self.moment[left + 1] - self.moment[left]
