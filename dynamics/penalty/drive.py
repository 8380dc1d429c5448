"""The force with which the tips of a batch evert, in tensors, by the law of `dynamics.drive`."""

from __future__ import annotations

import torch
from torch import Tensor

from dynamics.penalty.chain import TensorChain
from dynamics.tube import VineParams

STEEPEST = 60.0
"""Largest exponent of the friction at bends [-]: any tension takes all of the force then, without an overflow."""


def tail_tension(params: VineParams, angles: Tensor, chain: TensorChain) -> Tensor:
    """Tension of each tail at the tip [N], shape (batch,): each part grows by the friction at the bends between it and the tip.

    Args:
        angles: Bends [rad], shape (batch, segments); those beyond the tip do not count.
    """
    exists = torch.arange(angles.shape[1], device=angles.device) <= chain.last
    turned = torch.cumsum(torch.where(exists, angles.abs(), 0.0), 1)
    exponent = params.tail_friction * torch.cat([turned[:, -1:], turned[:, -1:] - turned], 1)
    grows = torch.exp(exponent.clamp(max=STEEPEST))
    return params.tail_tension * grows[:, 0] + params.tail_drag * (chain.length * grows[:, 1:]).sum(1)


def available_force(params: VineParams, lost: Tensor, angles: Tensor, chain: TensorChain) -> Tensor:
    """Force with which each tip everts [N], shape (batch,); not a number if a bend is not.

    Args:
        lost: Share of the cross-section that it lacks [-], shape (batch,).
        angles: See `tail_tension`.
    """
    full = params.growth_force - params.growth_force * lost
    return torch.relu(full - tail_tension(params, angles, chain)) if params.has_tail else full
