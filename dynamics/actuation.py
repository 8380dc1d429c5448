"""Pressure and cell length of each segment, from sections that start and end anywhere along the tube."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dynamics.moment import free_curvature, holding_pressure, joint_moments
from dynamics.tube import VineParams
from dynamics.vine import Actuation
from surrogate.compiled import Floats

TOGETHER = 5_000_000
"""Pairs of an actuator and a segment that are compared at once, to save memory."""


ROUNDING = 1e-9
"""A segment that is covered or bare except for this part counts as wholly covered or bare."""


def actuation_along(
    start: ArrayLike,
    end: ArrayLike,
    pressure: ArrayLike,
    l_0: ArrayLike,
    length: float,
    params: VineParams,
    max_segments: int,
) -> Actuation:
    """What the segments of vines carry whose actuators begin and end anywhere.

    A segment that an actuator covers in part bends in free space by that part, so that a millimetre more or less of
    actuator counts; where two cover parts of one segment, it bends by the sum, and by no more than the stronger one does.

    Args:
        start: Distance of each actuator's beginning from the base [m], shape (batch, actuators).
        end: Of its end [m], same shape.
        pressure: Positive bends left, negative right, 0 has no actuator [Pa], same shape.
        l_0: Cell length [m], same shape; ignored without pressure.
        length: Of the tubes [m]; what lies beyond is bare.
    """
    start, end, pressure, l_0 = (np.asarray(part, float)[..., None] for part in (start, end, pressure, l_0))
    if not start.shape[1]:
        return Actuation(*np.zeros((2, len(start), max_segments)))
    if (rows := max(TOGETHER // (start.shape[1] * max_segments), 1)) < len(start):
        parts = np.stack([part[..., 0] for part in (start, end, pressure, l_0)])
        split = np.array_split(parts, -(-len(start) // rows), axis=1)
        some = [actuation_along(a, b, p, c, length, params, max_segments) for a, b, p, c in split]
        return Actuation(np.concatenate([one.pressure for one in some]), np.concatenate([one.l_0 for one in some]))
    joint, segment = joint_moments(params), params.segment_length
    any_cell = joint.rows.shortest
    first = segment * np.arange(max_segments)
    # The last segment may be shorter: what counts is how much of it is covered.
    extent = np.clip(length - first, 0.0, segment)
    covered = np.minimum(end, first + extent) - np.maximum(start, first)
    share = np.clip(covered / np.where(extent, extent, segment), 0.0, 1.0)
    share = np.where(np.abs(share - np.round(share)) < ROUNDING, np.round(share), share)
    turn = share * free_curvature(joint, pressure, np.where(pressure, l_0, any_cell))
    # What a segment carries is the actuator that bends it most, at the pressure that gives the sum of all turns.
    main = np.abs(turn).argmax(axis=1, keepdims=True)

    def of_main(part: Floats) -> Floats:
        return np.take_along_axis(np.broadcast_to(part, share.shape), main, axis=1)[:, 0]

    most = np.abs(of_main(turn / np.where(share, share, 1.0)))
    wanted, carried = np.clip(turn.sum(axis=1), -most, most), of_main(np.where(share, l_0, 0.0))
    whole = (of_main(share) == 1.0) & (wanted == of_main(turn))
    held = holding_pressure(joint, np.where(whole, 0.0, wanted), np.where(carried, carried, any_cell))
    return Actuation(np.where(whole, of_main(pressure), held), carried)
