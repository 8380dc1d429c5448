"""Corners about which a body turned, from its centrelines: where the change of its heading over time has a step."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.stats import chi2

from dynamics.vine import Integers
from planner.mapping.sensing.found import CONFIDENCE, FoundCorner, beside
from surrogate.kernels.compiled import Floats

MOUNT = 4.0
"""Length at the base in which the tube bends about its mount, not about a corner [tube radii]."""
HOOK = 3.0
"""Length at the tip in which the tube bends on the wall that the tip touches [tube radii]."""
CHORD, STEP = 1.0, 4
"""Length over which a heading is measured [tube radii], and number of headings in that length, which overlap."""
LEAST_FRAMES = 8
"""Minimum number of frames in which the rotation of a body is measured."""
PRICE = 2.0
"""Fitted numbers of a step: its place and its size. Each costs log(n), as in BIC."""


class TrackedBody(NamedTuple):
    """A body in successive frames."""

    first: int
    """Number of the first frame."""
    lines: tuple[Floats, ...]
    """Centreline in each frame [m], shape (points, 2)."""
    arcs: tuple[Floats, ...]
    """Distance of its points from the base along the tube [m], shape (points,)."""


class _Profile(NamedTuple):
    """Change of the heading over the frames, along the body."""

    arcs: Floats
    """[m], shape (n,)."""
    changes: Floats
    """Change from the first to the last frame [rad], shape (n,)."""
    errors: Floats
    """Standard errors [rad], shape (n,)."""
    chord: float
    """Length over which a heading is measured [m]."""
    points: Floats
    """Points of the axis at these arcs [m], shape (frames, n, 2)."""


def corner_of(body: TrackedBody, side: int, radius: float) -> FoundCorner | None:
    """Find the corner about which a body turned; None if it turned about its mount, or in too few frames, or not clearly.

    The heading at each arc is fitted as a linear function of the frame. Its change along the body is constant where the body
    moves rigidly, and has a step where it turns about something. One hinge turns at a time, so the largest step counts.

    Args:
        side: Direction in which it turned, away from the wall that the tip slid on: 1 left, -1 right. The corner is there.
        radius: Radius of the tube [m].
    """
    if len(body.lines) < LEAST_FRAMES:
        return None
    profile = _profile(body, radius)
    apart = profile.changes[::STEP]  # these do not overlap
    if len(apart) < 3:
        return None
    noise = max(float(np.median(abs(np.diff(apart)))) / 0.6745 / np.sqrt(2), float(profile.errors.mean()), 1e-9)
    cuts = [0, *_steps(apart, noise), len(apart)]
    levels = np.array([apart[a:b].mean() for a, b in pairwise(cuts)])
    turns = side * np.diff(levels, prepend=0.0)  # the first is that of the mount
    k = int(turns.argmax())
    if k == 0 or turns[k] <= 0:
        return None
    unsure = _step_range(apart / noise, cuts[k - 1], cuts[k], cuts[k + 1])
    corner = _corner(body, profile, STEP * cuts[k], (float(levels[k - 1]), float(levels[k])), unsure)
    return corner if corner.arc > MOUNT * radius else None


def _step_range(values: Floats, first: int, cut: int, after: int) -> int:
    """Return the range of places of a step about its best place, with the confidence of the intervals (profile likelihood)."""
    places = np.arange(first + 1, after)
    parts = [np.split(values[first:after], [place - first]) for place in places]
    costs = np.array([sum(len(part) * float(part.var()) for part in both) for both in parts])
    likely = places[costs <= costs[cut - first - 1] + float(chi2.ppf(CONFIDENCE, 1))]
    return int(abs(likely - cut).max())


def _corner(body: TrackedBody, profile: _Profile, near: int, levels: tuple[float, float], unsure: int) -> FoundCorner:
    """Locate the corner at the step between two levels: where the change passes half of it.

    Args:
        near: Index of the first heading beyond the step.
        unsure: How far from there the step may be, in chords.
    """
    step = levels[1] - levels[0]
    share = (profile.changes - levels[0]) / step
    low, high = max(near - 2 * STEP, 0), min(near + STEP, len(share) - 1)
    passed = [k for k in range(low, high) if share[k] < 0.5 <= share[k + 1]] or [max(near - STEP // 2 - 1, 0)]
    k = min(passed, key=lambda one: abs(one + 0.5 - (near - STEP / 2)))
    part = float(np.clip((0.5 - share[k]) / max(share[k + 1] - share[k], 1e-9), 0.0, 1.0))
    arc = float(profile.arcs[k] + part * (profile.arcs[k + 1] - profile.arcs[k]))
    places = profile.points[:, k] + part * (profile.points[:, k + 1] - profile.points[:, k])
    scatter = np.sqrt(places.var(axis=0, ddof=1).sum() / len(places) * chi2.ppf(CONFIDENCE, 2) / 2)
    within = float(np.hypot((unsure + 0.5) * profile.chord, scatter))
    pivot, side = places.mean(axis=0), 1 if step > 0 else -1
    last = min(k + STEP, profile.points.shape[1] - 1)
    across = (profile.points[:, last] - profile.points[:, max(k + 1 - STEP, 0)]).sum(axis=0)
    touch = beside(pivot, float(np.arctan2(across[1], across[0])), side, profile.chord / CHORD)
    return FoundCorner(body.first, body.first + len(body.lines) - 1, pivot, arc, side, touch, within)


def _profile(body: TrackedBody, radius: float) -> _Profile:
    """Compute the change of the heading along the part of the body that is visible in all frames, without its tip."""
    low, high = max(arcs[0] for arcs in body.arcs), min(arcs[-1] for arcs in body.arcs) - HOOK * radius
    half = CHORD * radius / 2
    arcs = np.arange(low + half, high, CHORD * radius / STEP)

    def points(shift: float) -> Iterator[Floats]:
        for line, own in zip(body.lines, body.arcs, strict=True):
            yield np.column_stack([np.interp(arcs + shift, own, axis) for axis in line.T])

    ahead, behind, middle = (np.array(list(points(shift))) for shift in (half, -half, 0.0))
    chords = ahead - behind
    headings = np.unwrap(np.arctan2(chords[..., 1], chords[..., 0]), axis=0)
    return _Profile(arcs, *trend(headings), CHORD * radius, middle)


def trend(values: Floats) -> tuple[Floats, Floats]:
    """Change of values over frames by linear regression, and its standard error; values has shape (frames, n)."""
    count = len(values)
    order = np.arange(count) - (count - 1) / 2
    slopes = order @ values / (order @ order)
    left = values - values.mean(axis=0) - order[:, None] * slopes
    errors = np.sqrt((left**2).sum(axis=0) / (count - 2) / (order @ order))
    return slopes * (count - 1), errors * (count - 1)


def _steps(values: Floats, noise: float) -> list[int]:
    """Find indices at which the mean of values changes, by optimal partitioning as in `straight_pieces`."""
    count = len(values)
    sums = np.concatenate([[0.0], np.cumsum(values)])
    squares = np.concatenate([[0.0], np.cumsum(values**2)])
    best, previous = np.full(count + 1, np.inf), np.zeros(count + 1, np.int64)
    best[0] = 0.0
    for after in range(1, count + 1):
        first = np.arange(after)
        costs = squares[after] - squares[first] - (sums[after] - sums[first]) ** 2 / (after - first)
        totals = best[:after] + np.maximum(costs, 0.0) / noise**2 + PRICE * np.log(count)
        previous[after] = totals.argmin()
        best[after] = totals[previous[after]]
    return _cuts(previous)


def _cuts(previous: Integers) -> list[int]:
    """Return the inner cuts of the best partition, ascending."""
    cuts = [int(previous[-1])]
    while cuts[-1] > 0:
        cuts.append(int(previous[cuts[-1]]))
    return cuts[-2::-1] if len(cuts) > 1 else []
