"""Derivatives through growth in contact: how the tip moves with pressures, cells, ends of sections and positions of obstacles.

It needs the extra `torch`. All functions take and return tensors, and PyTorch differentiates what comes before and after them.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from dynamics.penalty.propagator import Penalty
from dynamics.propagator import CannotRun
from dynamics.tube import VineParams
from environments.environment import Environment


def spread(
    ends: Tensor, pressures: Tensor, cells: Tensor, segments: int, segment_length: float
) -> tuple[Tensor, Tensor]:
    """Spread sections over segments: one that two sections share has their means, by length, so that ends may be anywhere.

    Args:
        ends: Where each section ends along the tube [m], ascending, shape (batch, sections). The first one begins at the base, each
            other where the one before ends; beyond the last one there is no actuator.
        pressures: Of each section [Pa], positive bends to the left, 0 without an actuator, same shape.
        cells: Cell length of each section [m], same shape.
        segments: Number of segments [-].
        segment_length: [m]
    Returns:
        Pressure [Pa] and cell length [m] of each segment, shape (batch, segments), differentiable in the first three.
    """
    first = segment_length * torch.arange(segments, dtype=ends.dtype, device=ends.device)[:, None]
    begins = torch.cat([torch.zeros_like(ends[:, :1]), ends[:, :-1]], 1)
    high = torch.minimum(ends[:, None], first + segment_length)
    share = (high - torch.maximum(begins[:, None], first)).clamp(min=0.0) / segment_length
    pressure, covered = (share * pressures[:, None]).sum(2), share.sum(2)
    l_0 = (share * cells[:, None]).sum(2) / torch.where(covered > 0, covered, 1.0)
    return pressure, torch.where(covered > 0, l_0, cells.detach().mean(1, keepdim=True))


def tips(
    environment: Environment,
    params: VineParams,
    ends: Tensor,
    pressures: Tensor,
    cells: Tensor,
    length: float,
    shifts: Tensor | None = None,
) -> Tensor:
    """Grow vines with the propagator `penalty`, and return their tips; on the device of `pressures`.

    Each step of the growth ends at a minimum of the energy, and is differentiated there by the implicit function theorem. A
    derivative holds for one way to grow: it knows nothing of a snap-through, nor of stick and slip.

    Args:
        environment: Where they grow.
        params: The tube.
        ends, pressures, cells: See `spread`; in metres and pascals, in double precision.
        length: To which they grow [m].
        shifts: Displacement of each obstacle along x and y [m], in the order of `Obstacles.shapes` (boxes, polygons, circles,
            walls), shape (obstacles, 2), less than the margin of contacts of a few millimetres; zero to differentiate alone.
    Returns:
        Tip x [m], y [m] and heading [rad], shape (batch, 3), differentiable in all tensors.

    Raises:
        vinewright.CannotRun: The ends do not ascend, or the actuator's force is not known for a cell length.

    Source: Eq. 4 and Algorithm 1 of paper 002, differentiated implicitly.
    """
    if not bool((ends.detach().diff(dim=1, prepend=torch.zeros_like(ends[:, :1])) >= 0).all()):
        raise CannotRun("ends: each section must end beyond the one before, and none before the base")
    segments = math.ceil(length / params.segment_length - 1e-9)
    pressure, l_0 = spread(ends, pressures, cells, segments, params.segment_length)
    model = Penalty(environment, params, pressures.device.type, dtype=pressures.dtype)
    return model.tips(model.start(len(pressures), segments), pressure, l_0, length, shifts)
