"""Worlds: environments and tubes as built, which may differ from the plan."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.scene import Scene, Scenes
from surrogate.kernels.compiled import Floats


class BuiltWorlds(NamedTuple):
    """An environment and a tube as built in each of W worlds; factors are 1 where they are as planned."""

    scenes: Scenes
    """Obstacles, see `dynamics.moved_scene`."""
    start: Floats
    """Pose of the base: x, y [m] and heading [rad], shape (W, 3)."""
    growth_pressure: Floats
    """Factor on the growth pressure, shape (W,). The strain at which the tube wrinkles stays that of the planned pressure."""
    moment: Floats
    """Factor on the restoring moment of the tube, shape (W,)."""
    compliance: Floats
    """Factor on the compliance of contacts, shape (W,)."""
    friction: Floats
    """Coefficient of friction on walls [-], shape (W,); NaN for that of the propagator. A static coefficient of the tube stays if it is
    larger."""

    @classmethod
    def starting(cls, scene: Scene, start: Floats) -> BuiltWorlds:
        """Make worlds that are as planned except for the pose of the base, shape (W, 3)."""
        one = np.ones(len(start))
        return cls(Scenes.repeat(scene, len(start)), start, one, one, one, np.full(len(start), np.nan))
