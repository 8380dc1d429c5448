"""Jumps: growth by which the tip moves much farther than it grows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynamics.tube import VineParams
from dynamics.vine import Rollout, grown_length

JUMP = 4.0
"""A tip that moves farther than this many times the growth has jumped [-]: bends of the tube behind it move a tip by up to about
three times the growth, and vines that spring off a wall move it by five to seventeen times."""


class Jump(NamedTuple):
    """The largest jump of one vine."""

    length: float
    """Length of the vine before [m]."""
    growth: float
    """Growth between the two records [m]."""
    motion: float
    """Distance of the tip between them [m]."""

    @property
    def words(self) -> str:
        """What happens, for people."""
        motion, growth = 1e3 * self.motion, 1e3 * self.growth
        return f"its tip jumps {motion:.0f} mm within {growth:.0f} mm of growth, at {1e3 * self.length:.0f} mm"


def largest_jump(rollout: Rollout, vine: int, params: VineParams) -> Jump | None:
    """The jump of a vine between two records by which its tip moves farthest; None if it never jumps.

    Args:
        rollout: Recorded at the end of every segment; with more growth between records, jumps are averaged out.
    """
    records = int(rollout.records[vine])
    tips = rollout.tips[vine, :records, :2]
    length = grown_length(rollout, params)[vine, :records]
    motion, growth = np.hypot(*np.diff(tips, axis=0).T), np.diff(length)
    jumps = np.flatnonzero(motion > JUMP * np.maximum(growth, 1e-9))
    if not len(jumps):
        return None
    k = int(jumps[motion[jumps].argmax()])
    return Jump(float(length[k]), float(growth[k]), float(motion[k]))
