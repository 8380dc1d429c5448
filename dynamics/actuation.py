"""What bends each segment, from sections that start and end anywhere along the tube."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dynamics.moment import free_curvature, holding_pressure, joint_moments
from dynamics.tube import VineParams
from dynamics.vine import Actuation
from surrogate.compiled import Floats

TOGETHER = 5_000_000
"""Maximum number of pairs of an actuator and a segment that are processed at once, to limit memory."""


ROUNDING = 1e-9
"""Tolerance of the covered share of a segment: within it, the segment counts as fully covered or fully bare [-]."""


def actuation_along(
    start: ArrayLike,
    end: ArrayLike,
    pressure: ArrayLike,
    l_0: ArrayLike,
    length: float,
    params: VineParams,
    max_segments: int,
    rest: ArrayLike | None = None,
) -> Actuation:
    """Actuation of the segments of vines whose actuators and preformed bends start and end anywhere along the tube.

    The free-space bend of a partly covered segment is proportional to the covered share, so that it varies continuously with
    the actuator's ends. If several actuators cover parts of one segment, their bends add up, limited to the bend of a segment
    that the actuator with the largest contribution covers fully. The same holds for preformed bends, which errors may lay over one
    another: their turn is at most that of the tightest of them. It is added to the bend of the actuators.

    Args:
        start: Distance from the base to the start of each actuator [m], shape (batch, actuators).
        end: Distance from the base to its end [m], same shape.
        pressure: Actuator pressure [Pa], same shape: positive bends left, negative right, 0 means no actuator.
        l_0: Cell length [m], same shape; ignored where the pressure is 0.
        length: Length of the tubes [m]; segments beyond it are bare.
        rest: Angle per length of film by which each is preformed [1/m], same shape; 0 for an actuator. None if there is no such bend.
    """
    given = [start, end, pressure, l_0, *([] if rest is None else [rest])]
    start, end, pressure, l_0, *formed = (np.asarray(part, float)[..., None] for part in given)
    if not start.shape[1]:
        return Actuation(*np.zeros((2, len(start), max_segments)))
    if (rows := max(TOGETHER // (start.shape[1] * max_segments), 1)) < len(start):
        parts = np.stack([part[..., 0] for part in (start, end, pressure, l_0, *formed)])
        split = np.array_split(parts, -(-len(start) // rows), axis=1)
        chunks = [actuation_along(a, b, p, c, length, params, max_segments, *r) for a, b, p, c, *r in split]
        return Actuation.joined(chunks)
    joint, segment = joint_moments(params), params.segment_length
    any_cell = joint.rows.shortest
    first = segment * np.arange(max_segments)
    # The last segment may be shorter; the covered share refers to its actual length.
    extent = np.clip(length - first, 0.0, segment)
    covered = np.minimum(end, first + extent) - np.maximum(start, first)
    share = np.clip(covered / np.where(extent, extent, segment), 0.0, 1.0)
    share = np.where(np.abs(share - np.round(share)) < ROUNDING, np.round(share), share)
    turn = share * free_curvature(joint, pressure, np.where(pressure, l_0, any_cell))
    # Each segment gets the cell length of the actuator that bends it most, and the pressure that gives the total bend.
    main = np.abs(turn).argmax(axis=1, keepdims=True)

    def of_main(part: Floats) -> Floats:
        return np.take_along_axis(np.broadcast_to(part, share.shape), main, axis=1)[:, 0]

    most = np.abs(of_main(turn / np.where(share, share, 1.0)))
    wanted, carried = np.clip(turn.sum(axis=1), -most, most), of_main(np.where(share, l_0, 0.0))
    whole = (of_main(share) == 1.0) & (wanted == of_main(turn))
    held = holding_pressure(joint, np.where(whole, 0.0, wanted), np.where(carried, carried, any_cell))
    preformed = None
    if formed:
        tightest = np.where(share > 0, np.abs(formed[0]), 0.0).max(axis=1)
        preformed = np.clip((share * formed[0]).sum(axis=1), -tightest, tightest)
    return Actuation(np.where(whole, of_main(pressure), held), carried, preformed)
