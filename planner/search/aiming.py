"""Growth aimed at the goal: a section with one actuator, and then straight on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynamics.tube import VineParams
from dynamics.vine import Integers
from planner.design.catalogue import LEAST_CELLS, Catalogue
from surrogate.kernels.compiled import Floats

TRIED = 8
"""Number of actuators tried for each tip."""
LONGEST_BEND = 60
"""Maximum number of segments of a section."""
INSIDE = 0.5
"""Distance from the goal's centre, in its radii, within which all lines are equally good [-]."""


class Aim(NamedTuple):
    """A section with an actuator for each of n tips, and the straight tube behind it."""

    controls: NDArray[np.int32]
    """Control of the section, see `planner.search.controls.actuation`, shape (n,); 0 where no section leads into the goal."""
    bent: Integers
    """Number of segments of the section, shape (n,)."""
    segments: Integers
    """Number of segments up to the far edge of the goal, with those of the section, shape (n,)."""


def aim(tips: Floats, goal: Floats, catalogue: Catalogue, params: VineParams, rng: np.random.Generator) -> Aim:
    """Choose a section after which each tip heads for the goal, in free space, among a few random actuators of both sides.

    A chain of L links of length l that bends by a at each joint ends at l sin(L a / 2) / sin(a / 2) from its base, in the direction
    of heading + (L + 1) a / 2, with the heading + L a. Of all actuators and lengths tried that turn at most half a turn and into the
    goal, the one is chosen whose straight tube passes nearest to its centre.

    Args:
        tips: x, y [m], heading [rad], shape (n, 3).
        goal: x, y, radius [m].
    """
    n, full = len(tips), params.segment_length
    entry = catalogue.draw(rng, n * TRIED).reshape(n, TRIED)
    side = rng.choice([-1, 1], (n, TRIED))
    count = np.arange(1, LONGEST_BEND + 1)
    curvature = catalogue.curvature[entry]
    turn = curvature * full / (1 + params.pivot * curvature)
    link, bend = (full - params.pivot * turn)[..., None], (side * turn)[..., None]
    x, y, heading = (part[:, None, None] for part in tips.T)
    chord, along = link * np.sin(count * bend / 2) / np.sin(bend / 2), heading + (count + 1) * bend / 2
    after, dx, dy = heading + count * bend, goal[0] - x - chord * np.cos(along), goal[1] - y - chord * np.sin(along)
    ahead, off = dx * np.cos(after) + dy * np.sin(after), np.abs(dy * np.cos(after) - dx * np.sin(after))
    least = LEAST_CELLS * catalogue.l_0[entry][..., None]
    usable = (ahead > 0) & (off <= goal[2]) & (count * full >= least) & (np.abs(count * bend) <= np.pi)
    miss = np.where(usable, np.maximum(off, INSIDE * goal[2]), np.inf).reshape(n, TRIED * LONGEST_BEND)
    best, row = miss.argmin(axis=1), np.arange(n)
    chosen, length = np.divmod(best, LONGEST_BEND)
    found, on = np.isfinite(miss[row, best]), ahead.reshape(miss.shape)[row, best] + goal[2]
    controls = np.where(found, side[row, chosen] * (entry[row, chosen] + 1), 0).astype(np.int32)
    bent = np.where(found, length + 1, 0)
    return Aim(controls, bent, bent + np.where(found, np.ceil(on / full), 0).astype(np.int64))
