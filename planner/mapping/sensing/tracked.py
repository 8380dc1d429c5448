"""Walls, corners and free area from the centrelines of a growth, without knowledge of its environment.

A free tip moves in the direction of its heading; a tip on a flat wall moves along the wall, and heads into it. So the tip's
path is divided into straight pieces, and a piece is a wall if the tip does not head along it. The body turns about the base or
about a corner: beyond the corner its heading changes, before it not, and it is bent there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from scipy.stats import t

from planner.mapping.sensing.corners import LEAST_FRAMES, MOUNT, TrackedBody, corner_of, keep_most_exact
from planner.mapping.sensing.found import (
    CONFIDENCE,
    FoundWall,
    Noise,
    SensedSurroundings,
    beside,
    swept_free,
)
from planner.mapping.sensing.paths import LEAST, PathPiece, straight_pieces
from planner.mapping.sensing.shape import unit
from surrogate.kernels.compiled import Floats

TIP = 2.0
"""Length at the end of a centreline whose direction is the tip's heading [tube radii]."""


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """Centrelines of a growth, with noise, pieces of the tip's path and launch."""

    lines: tuple[Floats, ...]
    """Centreline in each frame [m], shape (points, 2)."""
    radius: float
    """Radius of the tube [m]."""
    headings: Floats
    """Heading of the tip in each frame, continuous [rad], shape (frames,)."""
    noise: Noise
    pieces: tuple[PathPiece, ...]
    """Straight pieces of the tip's path."""
    start: Floats
    """x, y [m] and heading [rad] of the launch, shape (3,)."""

    @classmethod
    def of(cls, lines: Sequence[Floats], radius: float, base: Floats) -> Track:
        """Measure noise, pieces and launch.

        The launch is the projection of the marked base onto the line through all points of the first piece, because the base
        is marked less exactly than that; as marked, if the tube is shorter than `MOUNT` there.

        Args:
            lines: Centreline in each frame from base to tip [m], shape (points, 2); at least `LEAST` frames.
            radius: Radius of the tube [m].
            base: Base as marked: x, y [m] and heading [rad], shape (3,).
        Raises:
            ValueError: There are too few frames.
        """
        tips = np.array([line[-1] for line in lines])
        headings = np.unwrap([tip_heading(line, TIP * radius) for line in lines])
        noise = _noise(tips, headings)
        # Where the tip heads into a wall, its errors along its heading are across its path.
        pieces = straight_pieces(tips, max(noise.across, noise.along))
        early = [line for line in lines[: pieces[0].after] if shapely.LineString(line).length >= MOUNT * radius]
        start = _projected(base, np.concatenate(early)) if early else np.asarray(base, float)
        return cls(tuple(lines), radius, headings, noise, tuple(pieces), start)

    def difference(self, piece: PathPiece) -> Floats:
        """Return the angle from a piece of the tip's path anticlockwise to the tip's heading in each of its frames [rad], -pi
        to pi."""
        return (self.headings[piece.first : piece.after] - piece.heading + np.pi) % (2 * np.pi) - np.pi

    def contacts(self) -> list[PathPiece]:
        """Return pieces of the tip's path that are walls: the tip's mean heading differs from them.

        The difference must exceed its error: that of the mean, and the systematic one, which is as large as in the first piece,
        where the tube has not touched anything.
        """
        usual = float(np.sqrt(np.mean(self.difference(self.pieces[0]) ** 2)))
        found = []
        for piece in self.pieces[1:]:
            differences = self.difference(piece)
            error = differences.std(ddof=1) / np.sqrt(piece.count) * t.ppf((1 + CONFIDENCE) / 2, piece.count - 1)
            if abs(differences.mean()) > usual + error:
                found.append(piece)
        return found

    def arcs(self, frame: int) -> Floats:
        """Return the distance of each point of a centreline from the launch along the tube [m]; its first points may be
        hidden."""
        line = self.lines[frame]
        hidden = max(float((line[0] - self.start[:2]) @ unit(self.start[2])), 0.0)
        return hidden + np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])

    def body(self, piece: PathPiece) -> TrackedBody:
        """Return the body in the frames of a piece: the later half, if it is long, because the body may meet a corner
        meanwhile."""
        late = (piece.first + piece.after) // 2 if piece.count >= 2 * LEAST_FRAMES else piece.first
        frames = range(late, piece.after)
        return TrackedBody(late, tuple(self.lines[k] for k in frames), tuple(self.arcs(k) for k in frames))

    def lengths(self) -> Floats:
        """Return the length of the tube in each frame [m], shape (frames,)."""
        return np.array([self.arcs(frame)[-1] for frame in range(len(self.lines))])


def sense_tracked(track: Track) -> SensedSurroundings:
    """Find walls, corners and free area from centrelines."""
    contacts = track.contacts()
    inflation = _inflation(track.pieces)
    walls = tuple(_wall(track, piece, inflation) for piece in contacts)
    turned = zip(contacts, walls, strict=True)
    seen = [corner_of(track.body(piece), -wall.side, track.radius) for piece, wall in turned]
    corners = keep_most_exact([corner for corner in seen if corner], TIP * track.radius)
    free = swept_free(track.lines, track.radius, track.noise.across, track.noise.along)
    return SensedSurroundings(track.start, float(track.lengths().max()), track.noise, walls, corners, free, track.lines)


def tip_heading(line: Floats, length: float) -> float:
    """Direction of the line through the points of the last length [m] of a centreline, shape (points, 2) [rad]."""
    lengths = np.hypot(*np.diff(line, axis=0).T)
    left = np.append(np.cumsum(lengths[::-1])[::-1], 0.0)
    some = line[min(int(np.argmax(left <= length)), len(line) - 2) :]
    way = np.linalg.svd(some - some.mean(axis=0), full_matrices=False)[2][0]
    way = way if way @ (some[-1] - some[0]) >= 0 else -way
    return float(np.arctan2(way[1], way[0]))


def _noise(tips: Floats, headings: Floats) -> Noise:
    """Standard deviations from second differences, in which steady growth and rotation cancel; 6 is their variance's factor."""
    if len(tips) < LEAST:
        raise ValueError(f"{len(tips)} frames must be at least {LEAST}")
    second, ahead = np.diff(tips, 2, axis=0), np.column_stack([np.cos(headings), np.sin(headings)])[1:-1]
    along = (second * ahead).sum(axis=1)
    across = ahead[:, 0] * second[:, 1] - ahead[:, 1] * second[:, 0]
    sizes = [np.sqrt(np.mean(some**2) / 6) for some in (across, along, np.diff(headings, 2))]
    # Exact data have rounding errors, and everything is divided by these.
    least = 1e-9
    return Noise(*(max(float(size), least) for size in sizes))


def _projected(base: Floats, points: Floats) -> Floats:
    """Project a pose's position onto the line through points, with the line's heading, shape (3,)."""
    middle = points.mean(axis=0)
    way = np.linalg.svd(points - middle, full_matrices=False)[2][0]
    way = way if way @ unit(float(base[2])) >= 0 else -way
    return np.array([*(middle + way * ((base[:2] - middle) @ way)), np.arctan2(way[1], way[0])])


def _inflation(pieces: Sequence[PathPiece]) -> float:
    """Factor by which correlation from frame to frame increases the variance of a mean: (1 + r) / (1 - r), r from all pieces."""
    products = sum(float(piece.aside[1:] @ piece.aside[:-1]) for piece in pieces)
    squares = sum(float(piece.aside @ piece.aside) for piece in pieces)
    correlation = min(max(products / squares, 0.0), 0.9) if squares > 0 else 0.0
    return (1 + correlation) / (1 - correlation)


def _wall(track: Track, piece: PathPiece, inflation: float) -> FoundWall:
    """Make the wall beside a piece of the tip's path, on the side to which the tip heads."""
    side = 1 if track.difference(piece).mean() > 0 else -1
    ends = np.array([piece.along.min(), piece.along.max()])
    points = np.array([beside(piece.point(end), piece.heading, side, track.radius) for end in ends])
    quantile = float(t.ppf((1 + CONFIDENCE) / 2, piece.count - 2))
    # The errors along the tip's heading are partly across the path. A piece was chosen to be straight, so its own variance is low.
    oblique = float(track.difference(piece).mean())
    usual = (np.cos(oblique) * track.noise.across) ** 2 + (np.sin(oblique) * track.noise.along) ** 2
    variance = inflation * max(piece.variance, usual)
    within = quantile * np.sqrt(variance * (1 / piece.count + ends**2 / piece.spread))
    turned = float(np.arctan(quantile * np.sqrt(variance / piece.spread)))
    return FoundWall(piece.first, piece.after - 1, points, side, within, turned)
