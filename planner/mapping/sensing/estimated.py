"""Walls, corners and free area from length and tip angle alone, with the noise of a recording carried through by resampling."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.stats import chi2, t

from dynamics.vine import Integers
from planner.mapping.sensing import AT_ONCE, Pivot, Readings, Sensed, WallContact, sense
from planner.mapping.sensing.found import CONFIDENCE, FoundCorner, FoundWall, SensedSurroundings, beside, swept_free
from planner.mapping.sensing.paths import PathPiece
from planner.mapping.sensing.tracked import Track
from surrogate.kernels.compiled import Floats

RESAMPLES = 8
"""Number of times that the walls are estimated again, from readings with noise added to them."""
_TINY = 1e-7
"""Growth between frames in which the tube does not grow measurably [m]."""
AGAIN = 0.5
"""Share of these in which a corner must be found again to be reported [-]."""


class SensedEstimate(NamedTuple):
    """Walls, pivots and shapes from readings, with the frames of the readings."""

    sensed: Sensed
    frames: Integers
    """Frame of each reading; the first one, where several have the same length."""


@dataclass(frozen=True, slots=True, eq=False)
class Sensor:
    """A sensor of length and contact angle, simulated from a recording."""

    track: Track
    contacts: tuple[PathPiece, ...]
    """Pieces of the tip's path on walls."""

    @classmethod
    def of(cls, track: Track) -> Sensor:
        """Make the sensor of a recorded growth.

        Raises:
            ValueError: The tube does not grow.
        """
        lengths = track.lengths()
        if lengths.max() - lengths[0] < AT_ONCE * len(lengths):
            raise ValueError("the tube does not grow in the recording")
        return cls(track, tuple(track.contacts()))

    def read(self, rng: np.random.Generator | None = None) -> tuple[Readings, Integers]:
        """Return readings, and the frame of each: lengths made ascending, and the angle from the tip's heading to its path on
        each wall.

        A contact begins between two frames. Without a generator, it is where that is most likely; else it is drawn.
        """
        track, lengths = self.track, np.asarray(isotonic_regression(self.track.lengths()).x)
        which, angles = np.zeros(len(lengths), int), np.full(len(lengths), np.nan)
        begins = [int(rng.integers(one.earliest, one.first + 1)) if rng else one.begin for one in self.contacts]
        shares = rng.random(len(begins)) if rng else np.full(len(begins), 0.5)
        for number, (piece, begin) in enumerate(zip(self.contacts, begins, strict=True), start=1):
            after = next((other.earliest for other in track.pieces if other.earliest >= piece.after), len(lengths))
            after = min([after, *(other for other in begins[number:] if other > begin)])
            differences = wrap_about(track.headings[begin:after] - piece.heading, track.difference(piece).mean())
            which[begin:after] = number
            angles[begin:after] = (np.pi if differences.mean() > 0 else 0.0) - differences
        lengths = _spread_contacts(lengths, which, shares)
        group = np.concatenate([[0], np.cumsum((np.diff(lengths) > 2 * _TINY) | (np.diff(which) != 0))])
        first = np.unique(group, return_index=True)[1]
        mean = np.array([angles[group == k].mean() for k in range(len(first))])
        return Readings(lengths[first], mean), first

    def resample(
        self, rule: str, rng: np.random.Generator, added: float = 0.0, resamples: int = RESAMPLES
    ) -> Iterator[SensedEstimate]:
        """Generate the estimate, then estimates from readings with noise added to them, and with other beginnings of contacts.

        Args:
            rule: A key of `planner.mapping.sensing.rules.RULES`.
            added: Standard deviation of noise that is added to all readings first [rad].
        """
        noise = float(np.hypot(self.track.noise.heading, added))
        readings, frames = self.read()
        extra = added * rng.standard_normal(len(self.track.lines))
        readings = Readings(readings.lengths, readings.angles + extra[frames])
        yield SensedEstimate(sense(readings, self.track.start, noise=noise, rule=rule), frames)
        for _ in range(resamples):
            again, others = self.read(rng)
            more = extra[others] + noise * rng.standard_normal(len(others))
            again = Readings(again.lengths, again.angles + more)
            yield SensedEstimate(sense(again, self.track.start, noise=noise, rule=rule), others)

    def combine(self, estimates: Sequence[SensedEstimate]) -> SensedSurroundings:
        """Combine the estimate and those from resampled readings, at least one, into walls, corners and free area.

        Raises:
            ValueError: There are fewer than two estimates.
        """
        if len(estimates) < 2:
            raise ValueError("an interval needs at least one estimate from resampled readings")
        track, (own, frames), others = self.track, estimates[0], estimates[1:]
        walls = tuple(
            self._wall(estimates[0], contact, [(one, one.contacts[k]) for one, _ in others])
            for k, contact in enumerate(own.contacts)
        )
        corners = (self._corner(estimates[0], pivot, [one for one, _ in others]) for pivot in own.pivots)
        apart = [
            np.hypot(*(np.interp(frames, seen, one.tips[:, axis]) - own.tips[:, axis] for axis in (0, 1)))
            for one, seen in others
        ]
        spread = np.hypot(np.sqrt(np.mean(np.square(apart), axis=0)), track.noise.across)
        free = swept_free(own.shapes, track.radius, spread, np.hypot(spread, track.noise.along))
        length, kept = float(track.lengths().max()), tuple(corner for corner in corners if corner)
        return SensedSurroundings(track.start, length, track.noise, walls, kept, free, own.shapes)

    def _corner(self, estimate: SensedEstimate, pivot: Pivot, others: Sequence[Sensed]) -> FoundCorner | None:
        """A pivot as a corner; None if it is not found again often enough."""
        own, seen = estimate
        apart = [
            min(float(np.hypot(*(pivot.point - another.point))) for another in one.pivots)
            for one in others
            if one.pivots
        ]
        if len(apart) < AGAIN * len(others):
            return None
        # The squares of both coordinates' errors add up.
        within = np.sqrt(chi2.ppf(CONFIDENCE, 2) * np.mean(np.square(apart)) / 2)
        first = next(k for k, shape in enumerate(own.shapes) if length_of(shape) >= pivot.length - AT_ONCE)
        for k in range(first, len(own.shapes)):
            shape = own.shapes[k]
            node = int(np.argmin(np.hypot(*(shape - pivot.point).T)))
            if 0 < node < len(shape) - 1 and np.hypot(*(shape[node] - pivot.point)) < AT_ONCE:
                before, after = shape[node] - shape[node - 1], shape[node + 1] - shape[node]
                bend = before[0] * after[1] - before[1] * after[0]
                ahead = before / np.hypot(*before) + after / np.hypot(*after)
                if abs(bend) > AT_ONCE * np.hypot(*before) * np.hypot(*after):
                    side = 1 if bend > 0 else -1
                    touch = beside(pivot.point, float(np.arctan2(ahead[1], ahead[0])), side, self.track.radius)
                    frames = seen[[min(first, k), k]]
                    return FoundCorner(
                        int(frames[0]), int(frames[1]), pivot.point, pivot.arc, side, touch, float(within)
                    )
        return None

    def _wall(
        self, estimate: SensedEstimate, contact: WallContact, others: Sequence[tuple[Sensed, WallContact]]
    ) -> FoundWall:
        """A contact as a wall, with the deviations of the same contact in other estimates."""
        ends, heading, side = _wall_ends(estimate.sensed, contact, self.track.radius)
        normal = np.array([-np.sin(heading), np.cos(heading)])
        quantile = float(t.ppf((1 + CONFIDENCE) / 2, max(len(others) - 1, 1)))
        off = np.array([(_wall_ends(*one, self.track.radius)[0] - ends) @ normal for one in others])
        turned = np.array([(same.wall - contact.wall + np.pi / 2) % np.pi - np.pi / 2 for _, same in others])
        within = quantile * np.hypot(np.sqrt(np.mean(off**2, axis=0)), self.track.noise.across)
        frames = estimate.frames[[contact.first, contact.last]]
        angle = quantile * float(np.sqrt(np.mean(turned**2)))
        return FoundWall(int(frames[0]), int(frames[1]), ends, side, within, angle, contact.determined)


def length_of(shape: Floats) -> float:
    """Length of a line [m], shape (points, 2)."""
    return float(np.hypot(*np.diff(shape, axis=0).T).sum())


def wrap_about(angles: Floats, middle: float) -> Floats:
    """Wrap angles to differ from a middle angle by at most half a turn [rad]."""
    return (angles - middle + np.pi) % (2 * np.pi) - np.pi + middle


def _spread_contacts(lengths: Floats, which: Integers, shares: Floats) -> Floats:
    """Return ascending lengths [m] in which each contact begins between two frames, at the given share of the growth between
    them.

    Where the tip goes from one wall straight to another, `sense` sees that in two readings at once.
    """
    found = lengths + _TINY * np.arange(len(lengths))
    for k in np.flatnonzero((which[1:] != which[:-1]) & (which[1:] > 0)):
        begin = found[k] + shares[which[k + 1] - 1] * (found[k + 1] - found[k])
        if which[k] > 0:
            found[k] = begin - _TINY / 4
        found[k + 1] = begin + _TINY / 4
    return np.asarray(found)


def _wall_ends(sensed: Sensed, contact: WallContact, radius: float) -> tuple[Floats, float, int]:
    """Return the wall's points at the first and last contact [m], direction of the slide [rad], and side of the wall."""
    tips = sensed.tips[[contact.first, contact.last]]
    shape = sensed.shapes[contact.first]
    ahead = shape[-1] - shape[-2]
    way = np.array([np.cos(contact.wall), np.sin(contact.wall)])
    way = way if way @ (tips[1] - tips[0]) >= 0 else -way
    side = 1 if way[0] * ahead[1] - way[1] * ahead[0] > 0 else -1
    heading = float(np.arctan2(way[1], way[0]))
    return np.array([beside(tip, heading, side, radius) for tip in tips]), heading, side
