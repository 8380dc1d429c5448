"""Actuation of each segment, from sections that start and end anywhere along the tube."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dynamics.moment import free_curvature, holding_pressure, joint_moments
from dynamics.tube import VineParams
from dynamics.vine import Actuation

TOGETHER = 500_000
"""Maximum number of pairs of an actuator and a segment that are processed at once, to limit memory."""


ROUNDING = 1e-9
"""Tolerance of the covered share of a segment: within it, the segment counts as fully covered or fully bare [-]."""


def actuation_along(
    start: ArrayLike, end: ArrayLike, bends: Actuation, length: float, params: VineParams, max_segments: int
) -> Actuation:
    """Actuation of the segments of vines whose actuators and preformed bends start and end anywhere along the tube.

    The free-space bend of a partly covered segment is proportional to the covered share, so that it varies continuously with
    the actuator's ends. If several actuators cover parts of one segment, their bends add up, limited to the bend of a segment
    that the actuator with the largest contribution covers fully. The same holds for preformed bends, which errors may lay over one
    another: their turn is at most that of the tightest of them. It is added to the bend of the actuators.

    Args:
        start: Distance from the base to the start of each actuator or preformed bend [m], shape (batch, bends).
        end: Distance from the base to its end [m], same shape.
        bends: Each actuator or preformed bend, with parts of this shape instead of a value for every segment.
        length: Length of the tubes [m]; segments beyond it are bare.
    """
    start, end = (np.asarray(part, float)[..., None] for part in (start, end))
    if not start.shape[1]:
        return Actuation(*np.zeros((2, len(start), max_segments)))
    if (rows := max(TOGETHER // (start.shape[1] * max_segments), 1)) < len(start):
        every = np.array_split(np.arange(len(start)), -(-len(start) // rows))
        chunks = [
            actuation_along(start[k, :, 0], end[k, :, 0], bends.of(k), length, params, max_segments) for k in every
        ]
        return Actuation.joined(chunks)
    pressure, l_0 = bends.pressure[..., None], bends.l_0[..., None]
    kind = bends.kinds[..., None]
    joint, segment = joint_moments(params), params.segment_length
    any_cell = joint.tables.shortest[kind]
    first = segment * np.arange(max_segments)
    # The last segment may be shorter; the covered share refers to its actual length.
    extent = np.clip(length - first, 0.0, segment)
    covered = np.minimum(end, first + extent) - np.maximum(start, first)
    share = np.clip(covered / np.where(extent, extent, segment), 0.0, 1.0)
    share = np.where(np.abs(share - np.round(share)) < ROUNDING, np.round(share), share)
    turn = share * free_curvature(joint, pressure, np.where(pressure, l_0, any_cell), kind)
    # Each segment gets the actuator that bends it most, with its cell length, and the pressure that gives the total bend.
    main = np.abs(turn).argmax(axis=1, keepdims=True)

    def of_main(part: Any) -> Any:
        return np.take_along_axis(np.broadcast_to(part, share.shape), main, axis=1)[:, 0]

    most = np.abs(of_main(turn / np.where(share, share, 1.0)))
    wanted, carried = np.clip(turn.sum(axis=1), -most, most), of_main(np.where(share, l_0, 0.0))
    whole, number = (of_main(share) == 1.0) & (wanted == of_main(turn)), of_main(kind)
    cells = np.where(carried, carried, of_main(any_cell))
    held = holding_pressure(joint, np.where(whole, 0.0, wanted), cells, number)
    preformed = None
    if bends.rest is not None:
        turns = bends.rest[..., None]
        tightest = np.where(share > 0, np.abs(turns), 0.0).max(axis=1)
        preformed = np.clip((share * turns).sum(axis=1), -tightest, tightest)
    pressures = np.where(whole, of_main(pressure), held)
    return Actuation(pressures, carried, preformed, None if bends.kind is None else number)
