"""A mapping session: real deployments in one unknown environment, and the belief after them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from planner.mapping.actions import FAN, Actions
from planner.mapping.belief import PRIOR, Belief
from planner.mapping.grid import CellGrid
from planner.mapping.policies import PriorKnowledge
from planner.mapping.recorded import cells_seen
from planner.mapping.sensing.found import SensedSurroundings
from surrogate.kernels.compiled import Floats


@dataclass(frozen=True, slots=True, eq=False)
class SessionDeployment:
    """A recorded deployment of a session."""

    name: str
    """Name of the recording."""
    sha256: str
    """SHA-256 fingerprint of the file of the recording."""
    launch: Floats
    """x, y [m] and heading [rad], shape (3,)."""
    length: float
    """Length to which the tube grew [m]."""
    readings: str
    """Source of the readings: centerlines or length-angle."""
    walls: int
    """Number of walls found."""
    corners: int
    """Number of corners found."""
    hits: int
    """Number of cells found covered for the first time."""
    free: int
    """Number of cells found free for the first time."""


@dataclass(frozen=True, slots=True, eq=False)
class MappingSession:
    """State of a mapping session: the region to map, the possible deployments, and the belief."""

    bounds: Floats
    """min x, min y, max x, max y [m], shape (4,)."""
    radius: float
    """Radius of the tube [m]."""
    length: float
    """Length of the tubes that can be deployed [m]."""
    bases: Floats
    """x, y [m] and heading [rad] of each possible base, shape (p, 3)."""
    belief: Belief
    added: tuple[SessionDeployment, ...] = ()

    @classmethod
    def begin(cls, radius: float, length: float, bases: Floats, bounds: Floats | None = None) -> MappingSession:
        """Begin a session; by default, its bounds are all that tubes from the bases can reach."""
        return cls(
            reach(bases, length, radius) if bounds is None else bounds, radius, length, bases, Belief.blank(PRIOR)
        )

    @property
    def grid(self) -> CellGrid:
        """The cells."""
        return CellGrid.of(self.bounds)

    def with_deployment(self, found: SensedSurroundings, name: str, sha256: str, readings: str) -> MappingSession:
        """Return the session after a deployment; cells found covered before stay so."""
        hits, misses = cells_seen(self.grid, found)
        before = self.belief
        seen = before.hits | before.misses
        belief = Belief(before.hits | hits, before.misses | misses, before.prior)
        one = SessionDeployment(
            name,
            sha256,
            found.start,
            found.length,
            readings,
            len(found.walls),
            len(found.corners),
            int((hits & ~before.hits).sum()),
            int((misses & ~hits & ~seen).sum()),
        )
        return replace(self, belief=belief, added=(*self.added, one))

    def known(self, kind: str) -> PriorKnowledge:
        """Return the prior knowledge with which policies propose a deployment.

        Args:
            kind: Kind of the actions: straight or turning.
        Raises:
            NoLaunch: A base is too near to the bounds.
        """
        actions = Actions.from_bases(self.bases, self.bounds, kind, self.radius, self.length)
        return PriorKnowledge.open(self.bounds, actions, self.radius)

    def rows(self) -> list[str]:
        """Return the belief as text, the highest row first: `#` covered, `.` free, `?` not seen."""
        marks = np.where(self.belief.hits, "#", np.where(self.belief.misses, ".", "?"))
        return ["".join(row) for row in marks[::-1]]


def reach(bases: Floats, length: float, radius: float) -> Floats:
    """Return bounds of all that tubes of a length [m] can reach from bases, shape (p, 3), with launch angles of `FAN` to
    either side [m]."""
    angles = bases[:, 2:] + np.linspace(-FAN, FAN, 61)
    tips = bases[:, None, :2] + length * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    points = np.concatenate([bases[:, :2], tips.reshape(-1, 2)])
    return np.concatenate([points.min(axis=0) - 2 * radius, points.max(axis=0) + 2 * radius])
