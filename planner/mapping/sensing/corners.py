"""Corners about which a body turned, from its centrelines: bends whose angle grows, because everything beyond them turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import chi2

from planner.mapping.sensing.bends import Bend, LikelyStep, find_bends, find_step, roughness
from planner.mapping.sensing.found import CONFIDENCE, FoundCorner, beside
from surrogate.kernels.compiled import Floats

MOUNT = 4.0
"""Length at the base in which the tube bends about its mount, not about a corner [tube radii]."""
HOOK = 3.0
"""Length over which the tube bends where it touches something: at the tip on a wall, or around a corner [tube radii]."""
CHORD, STEP = 1.0, 4
"""Length over which a heading is measured [tube radii], and number of headings in that length, which overlap."""
LEAST_FRAMES = 8
"""Minimum number of frames in which the rotation of a body is measured."""


class TrackedBody(NamedTuple):
    """A body in successive frames."""

    first: int
    """Number of the first frame."""
    lines: tuple[Floats, ...]
    """Centreline in each frame [m], shape (points, 2)."""
    arcs: tuple[Floats, ...]
    """Distance of its points from the base along the tube [m], shape (points,)."""


class _Profile(NamedTuple):
    """Heading and its change over the frames, along the body."""

    arcs: Floats
    """[m], shape (n,)."""
    headings: Floats
    """Mean heading in the later half of the frames, continuous [rad], shape (n,)."""
    changes: Floats
    """Change from the first to the last frame [rad], shape (n,)."""
    error: float
    """Mean standard error of a change [rad]."""
    points: Floats
    """Points of the axis at these arcs [m], shape (frames, n, 2)."""


def corner_of(body: TrackedBody, side: int, radius: float) -> FoundCorner | None:
    """Find the corner about which a body turned; None if it turned about its mount, or in too few frames, or not clearly.

    The heading at each arc is fitted as a linear function of the frame. Its change along the body is constant where the body
    moves rigidly, and has a step where it turns about something; one hinge turns at a time. A step alone is no corner: the end of
    the bend at the tip passes along the tube as it grows, and a wave in the tube may straighten. A tube that a corner holds is bent
    around it. So the step must be at one bend to the same side, and beyond the mount. The corner may hold the tube anywhere in
    the bend, and the interval contains all of it, and all likely places of the step.

    Args:
        side: Direction in which it turned, away from the wall that the tip slid on: 1 left, -1 right. The corner is there.
        radius: Radius of the tube [m].
    """
    if len(body.lines) < LEAST_FRAMES:
        return None
    profile = _profile(body, radius)
    turned, headings = side * profile.changes[::STEP], side * profile.headings[::STEP]  # these do not overlap
    if len(turned) < 3:
        return None
    least = max(profile.error, 1e-9)
    step = find_step(turned, max(roughness(turned), least))
    reach = round(HOOK / CHORD)
    bends = find_bends(headings, max(roughness(headings), least), reach)
    bend = _bend_at(bends, step, reach) if step else None
    return _corner(body, profile, bend, side, radius) if bend else None


def keep_most_exact(corners: Sequence[FoundCorner], apart: float) -> tuple[FoundCorner, ...]:
    """Return corners whose pivots differ by more than a distance [m], in the order of their frames; of several found at one place,
    the most exact."""
    kept = list[FoundCorner]()
    for corner in sorted(corners, key=lambda one: one.within):
        if all(np.hypot(*(corner.pivot - one.pivot)) > apart for one in kept):
            kept.append(corner)
    return tuple(sorted(kept, key=lambda one: one.first))


def _bend_at(bends: list[Bend], step: LikelyStep, reach: int) -> Bend | None:
    """Return the bend nearest to the best place of a step, extended to the likely places in its reach; None if none is in reach."""

    def apart(bend: Bend) -> int:
        return max(bend.first - step.best, step.best - bend.last, 0)

    bend = min(bends, key=apart, default=None)
    if bend is None or apart(bend) > reach:
        return None
    near = step.places[(step.places >= bend.first - reach) & (step.places <= bend.last + reach)]
    return bend._replace(first=min(bend.first, int(near[0])), last=max(bend.last, int(near[-1])))


def _corner(body: TrackedBody, profile: _Profile, bend: Bend, side: int, radius: float) -> FoundCorner | None:
    """Locate the corner in the middle of a bend, where half of it is passed; None if the bend may be that at the mount."""
    arcs, low, high = profile.arcs, STEP * (bend.first - 1), STEP * bend.last
    if arcs[low] <= MOUNT * radius:
        return None
    share = (side * profile.headings - bend.before) / (bend.after - bend.before)
    passed = [k for k in range(low, high) if share[k] < 0.5 <= share[k + 1]] or [(low + high) // 2]
    k = passed[0]
    part = float(np.clip((0.5 - share[k]) / max(share[k + 1] - share[k], 1e-9), 0.0, 1.0))
    arc = float(arcs[k] + part * (arcs[k + 1] - arcs[k]))
    places = profile.points[:, k] + part * (profile.points[:, k + 1] - profile.points[:, k])
    scatter = np.sqrt(places.var(axis=0, ddof=1).sum() / len(places) * chi2.ppf(CONFIDENCE, 2) / 2)
    within = float(np.hypot(max(arc - arcs[low], arcs[high] - arc), scatter))
    pivot = places.mean(axis=0)
    touch = beside(pivot, side * (bend.before + bend.after) / 2, side, radius)
    return FoundCorner(body.first, body.first + len(body.lines) - 1, pivot, arc, side, touch, within)


def _profile(body: TrackedBody, radius: float) -> _Profile:
    """Compute headings along the part of the body that is visible in all frames, without its tip."""
    low, high = max(arcs[0] for arcs in body.arcs), min(arcs[-1] for arcs in body.arcs) - HOOK * radius
    half = CHORD * radius / 2
    arcs = np.arange(low + half, high, CHORD * radius / STEP)

    def points(shift: float) -> Iterator[Floats]:
        for line, own in zip(body.lines, body.arcs, strict=True):
            yield np.column_stack([np.interp(arcs + shift, own, axis) for axis in line.T])

    ahead, behind, middle = (np.array(list(points(shift))) for shift in (half, -half, 0.0))
    chords = ahead - behind
    headings = np.unwrap(np.arctan2(chords[..., 1], chords[..., 0]), axis=0)
    changes, errors = trend(headings)
    late = np.unwrap(headings[len(headings) // 2 :].mean(axis=0))
    return _Profile(arcs, late, changes, float(errors.mean()), middle)


def trend(values: Floats) -> tuple[Floats, Floats]:
    """Change of values over frames by linear regression, and its standard error; values has shape (frames, n)."""
    count = len(values)
    order = np.arange(count) - (count - 1) / 2
    slopes = order @ values / (order @ order)
    left = values - values.mean(axis=0) - order[:, None] * slopes
    errors = np.sqrt((left**2).sum(axis=0) / (count - 2) / (order @ order))
    return slopes * (count - 1), errors * (count - 1)
