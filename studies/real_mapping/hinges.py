"""Hinges at which recorded tubes turned, compared with the rules: at the mount, or at the end of a wall that bends the tube."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import shapely

from dynamics.geometric.body import FREE
from dynamics.geometric.hinges import FRICTION
from dynamics.geometric.kinematics import Behaviour, behaviour, boundaries, hinge_boundaries
from planner.mapping.sensing.corners import MOUNT
from planner.mapping.sensing.paths import PathPiece
from planner.mapping.sensing.rules import limit_analysis
from planner.mapping.sensing.shape import TubeShape
from planner.mapping.sensing.tracked import TIP, Track
from surrogate.kernels.compiled import Floats

FORMS = "published", "limit analysis of a turn", "limit analysis with the corner"
"""The paper's equations and limit analysis for a preformed turn with the same bend; and limit analysis in which the corner holds
the tube on its side, so that it can only bend further around it."""


@dataclass(frozen=True, slots=True)
class Turned:
    """A contact of a tube that is bent at the end of a wall."""

    recording: str
    frames: tuple[int, int]
    contact: float
    """Mean contact angle [rad]."""
    bend: float
    """Mean bend at the corner [rad]."""
    ratio: float
    """Length before the corner relative to that after it [-]."""
    base: float
    """Rotation of the part before the corner, positive in the direction of the bend [rad]."""
    further: float
    """Change of the bend, positive if it grows [rad]."""
    predicted: dict[str, Behaviour]
    """The behaviour by each of `FORMS`."""

    @property
    def seen(self) -> Behaviour:
        """The behaviour that was recorded; the tip slides in all contacts that are found."""
        if self.further > abs(self.base):
            return Behaviour.PIVOT_AT_TURN
        return Behaviour.POSITIVE_PIVOT if self.base > 0 else Behaviour.NEGATIVE_PIVOT

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        angles = {
            "contact_deg": self.contact,
            "bend_deg": self.bend,
            "base_deg": self.base,
            "further_deg": self.further,
        }
        return {
            "recording": self.recording,
            "frames": list(self.frames),
            **{name: round(float(np.degrees(angle)), 1) for name, angle in angles.items()},
            "ratio": round(self.ratio, 2),
            "seen": word(self.seen),
            "predicted": {form: word(one) for form, one in self.predicted.items()},
        }


def word(one: Behaviour) -> str:
    """Displayed name of a behaviour."""
    return one.name.replace("_", "-").lower()


class Corner(NamedTuple):
    """The end of a measured wall beside a tube."""

    arc: float
    """Distance from the base along the tube [m]."""
    side: int
    """Side of the tube on which it is: 1 left, -1 right."""


def find_turns(name: str, track: Track, walls: Floats) -> list[Turned]:
    """Return all contacts in which the tube is bent at the end of a measured wall, by more than the noise of its heading.

    Args:
        walls: Measured walls x1, y1, x2, y2 [m], shape (walls, 4).
    """
    several = []
    for piece in track.contacts():
        found = [_find_turn(name, track, piece, corner) for corner in _corners(track, piece, walls.reshape(-1, 2))]
        bent = [one for one in found if one]
        if bent:
            several.append(max(bent, key=lambda one: abs(one.bend)))
    return several


def _corners(track: Track, piece: PathPiece, ends: Floats) -> Iterator[Corner]:
    """Ends of walls, shape (n, 2), within two radii of the tube in a piece, neither at its mount nor at its tip."""
    for end in ends:
        places = []
        for frame in range(piece.first, piece.after):
            line = shapely.LineString(track.lines[frame])
            at, arcs = line.project(shapely.Point(end)), track.arcs(frame)
            point, ahead = (np.array(line.interpolate(at + shift).coords[0]) for shift in (0.0, track.radius))
            away, along = end - point, ahead - point
            side = np.sign(along[0] * away[1] - along[1] * away[0])
            places.append((arcs[0] + at, arcs[-1] - arcs[0] - at, np.hypot(*away), side))
        arc, left, apart, side = np.median(places, axis=0)
        if apart <= 2 * track.radius and arc >= MOUNT * track.radius and left >= TIP * track.radius and side:
            yield Corner(float(arc), int(side))


def _find_turn(name: str, track: Track, piece: PathPiece, corner: Corner) -> Turned | None:
    links = [_links(track, frame, corner.arc) for frame in range(piece.first, piece.after)]
    before, after, lasts = (np.array(part) for part in zip(*links, strict=True))
    bends = (after - before + np.pi) % (2 * np.pi) - np.pi
    bend = float(bends.mean())
    last = float(lasts.mean())
    if abs(bend) < track.noise.heading or last < track.radius:
        return None
    sign, wall = (1 if bend > 0 else -1), piece.heading + (np.pi if track.difference(piece).mean() > 0 else 0.0)
    contact = float((wall - after.mean()) % np.pi)
    ratio, slender = corner.arc / last, track.radius / last
    try:
        forms = [form(FRICTION, bend, ratio, slender) for form in (boundaries, hinge_boundaries)]
    except ValueError:  # the tip is not ahead of the mount, for which there are no equations
        return None
    predicted = [Behaviour(int(behaviour(contact, form))) for form in forms]
    held = _hold_at_corner(float(before.mean()), bend, corner, last)
    hinge = limit_analysis(held, held.heading + contact, FRICTION)
    predicted.append(_behaviour(hinge, corner.arc, contact, sign))
    return Turned(
        name, (piece.first, piece.after - 1), contact, bend, float(ratio),
        sign * _change(np.unwrap(before)), sign * _change(bends), dict(zip(FORMS, predicted, strict=True)),
    )  # fmt: skip


def _links(track: Track, frame: int, arc: float) -> tuple[float, float, float]:
    """Headings of the straight lines from the mount to a corner and from there to the tip [rad], and the length of the latter [m]."""
    line, arcs = track.lines[frame], track.arcs(frame)
    corner = np.array([np.interp(arc, arcs, axis) for axis in line.T])
    first, second = corner - track.start[:2], line[-1] - corner
    return float(np.arctan2(*first[::-1])), float(np.arctan2(*second[::-1])), float(np.hypot(*second))


def _hold_at_corner(heading: float, bend: float, corner: Corner, last: float) -> TubeShape:
    """Return the tube as two straight links, bent around the corner, which holds it."""
    straight = TubeShape.at_launch(np.array([0.0, 0.0, heading])).extend(corner.arc + last)
    side = corner.side if corner.side * bend > 0 else FREE
    return straight.hold(corner.arc, side).rotate(corner.arc, bend)


def _behaviour(hinge: tuple[float, bool] | None, arc: float, contact: float, sign: int) -> Behaviour:
    """Return the behaviour of a tube that turns about a hinge; sign is that of its bend."""
    if hinge is None or hinge[1]:
        return Behaviour.FRICTION_LOCKED
    if abs(hinge[0] - arc) < 1e-6:
        return Behaviour.PIVOT_AT_TURN
    left = contact < np.pi / 2
    return Behaviour.POSITIVE_PIVOT if (1 if left else -1) == sign else Behaviour.NEGATIVE_PIVOT


def _change(angles: Floats) -> float:
    """Change over the frames, by linear regression [rad]."""
    order = np.arange(len(angles)) - (len(angles) - 1) / 2
    return float(order @ angles / (order @ order)) * (len(angles) - 1)
