"""The vines of a batch as chains of segments, in tensors."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from dynamics.links import LEAST_LINK, STRAIGHT


class TensorChain(NamedTuple):
    """Joint positions and segment headings of the vines."""

    x: Tensor
    """Joints from the base to the tip [m], shape (batch, segments + 1); those beyond a vine's tip lie at its tip."""
    y: Tensor
    cosine: Tensor
    """Heading of each segment, shape (batch, segments)."""
    sine: Tensor
    length: Tensor
    """Length of each segment's centreline [m], 0 beyond the tip."""
    film: Tensor
    """Length of each segment's film [m], 0 beyond the tip."""
    pivot_x: Tensor
    """Point about which the tube beyond each joint turns when the joint bends [m], shape (batch, segments), see `dynamics.chain.Chain`."""
    pivot_y: Tensor
    last: Tensor
    """Index of each vine's last segment, shape (batch, 1)."""


def links(films: Tensor, angles: Tensor, pivots: Tensor) -> tuple[Tensor, Tensor]:
    """Lengths of bent links' centrelines [m], and their changes per bend [m/rad], by the law of `dynamics.chain.link`."""
    # Of a link that has no length yet, the actuator decides the bend: it turns about the wall from the first.
    born = films == 0
    change = torch.where((angles > 0) | (born & (pivots > 0)), -pivots.abs(), pivots.abs())
    shortening, least = -change * angles, LEAST_LINK * films
    part = torch.where(born, 1.0, (shortening / (STRAIGHT * films).clamp(min=1e-12)).clamp(max=1.0))
    length = films - shortening * part * (2.0 - part)
    # Nor does its pivot move with its bend: as a link of almost no film, it would be folded by the smallest one.
    folded = torch.where(born, 1.0, torch.exp(2.0 * (length - least).clamp(max=0.0) / torch.where(born, 1.0, least)))
    length = torch.where(length < least, 0.5 * least * (1.0 + folded), length)
    return length, change * part * (4.0 - 3.0 * part) * folded


def forward_kinematics(angles: Tensor, films: Tensor, pivots: Tensor, last: Tensor, pose: Tensor) -> TensorChain:
    """Compute joint positions and segment headings from the bends.

    Args:
        angles: Bends [rad], shape (batch, segments).
        films: Lengths of the segments' film [m], same shape, 0 beyond the tip.
        pivots: Distance of each joint's pivot from the centreline [m], same shape, see `dynamics.chain.link`.
        last: Index of each vine's last segment, shape (batch, 1).
        pose: Base x [m], y [m], heading [rad].
    """
    heading = pose[2] + torch.cumsum(angles, 1)
    cosine, sine = torch.cos(heading), torch.sin(heading)
    lengths, change = links(films, angles, pivots)
    base = torch.zeros_like(angles[:, :1])
    x = torch.cat([base + pose[0], pose[0] + torch.cumsum(lengths * cosine, 1)], 1)
    y = torch.cat([base + pose[1], pose[1] + torch.cumsum(lengths * sine, 1)], 1)
    return TensorChain(x, y, cosine, sine, lengths, films, x[:, :-1] - change * sine, y[:, :-1] + change * cosine, last)
