"""A world: what is built, where it is not quite what was planned."""

from __future__ import annotations

from dataclasses import dataclass

from dynamics.scene import Scene
from surrogate.compiled import Floats


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """One environment and tube as built; factors are 1 where they are as planned."""

    scene: Scene
    """Its obstacles, see `dynamics.moved_scene`."""
    start: Floats
    """Pose of the base: x, y [m] and heading [rad]."""
    growth_pressure: float = 1.0
    """Factor on the growth pressure. The strain at which the tube wrinkles stays that of the planned pressure."""
    moment: float = 1.0
    """Factor on the restoring moment of the tube."""
    compliance: float = 1.0
    """Factor on the compliance of contacts."""
    friction: float | None = None
    """Coefficient of friction on walls [-]; None for that of the propagator. A static coefficient of the tube stays if it is larger."""
