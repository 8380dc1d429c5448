"""Jumps: growth by which the tip moves much farther than it grows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynamics.tube import VineParams
from dynamics.vine import Rollout, grown_length
from surrogate.kernels.compiled import Floats

JUMP = 4.0
"""A tip that moves farther than this many times the growth has jumped [-]: bends of the tube behind it move a tip by up to about
three times the growth, and vines that spring off a wall move it by five to seventeen times."""
LEAST_GROWTH = 1e-9
"""Growth below which a tip counts as having grown by this [m]: at rest it does not jump."""


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
        """Description of the jump as a sentence."""
        motion, growth = 1e3 * self.motion, 1e3 * self.growth
        return f"its tip jumps {motion:.0f} mm within {growth:.0f} mm of growth, at {1e3 * self.length:.0f} mm"

    @property
    def brief(self) -> str:
        """Description of the jump for a caption."""
        return f"tip jumps {1e3 * self.motion:.0f} mm"

    def content(self) -> list[float]:
        """Return the three lengths [mm], as `jump_mm` in files."""
        return [round(1e3 * part, 1) for part in self]


class TipMotions(NamedTuple):
    """Growth and motion of tips from each state to the next, shape (vines, states - 1) each."""

    growth: Floats
    """Growth [m]."""
    motion: Floats
    """Distance of the tip [m]."""

    @classmethod
    def between(cls, tips: Floats, lengths: Floats) -> TipMotions:
        """Compare consecutive states.

        Args:
            tips: x, y of the tips [m], shape (vines, states, 2).
            lengths: Grown lengths [m], shape (vines, states).
        """
        moves = np.diff(tips, axis=1)
        return cls(np.diff(lengths, axis=1), np.hypot(moves[..., 0], moves[..., 1]))

    @property
    def jumps(self) -> NDArray[np.bool_]:
        """Mask of the motions that are jumps."""
        return self.motion > JUMP * np.maximum(self.growth, LEAST_GROWTH)


def follows_jump(rollout: Rollout, tips: Floats, lengths: Floats, params: VineParams) -> NDArray[np.bool_]:
    """Mask of the records that follow a jump since the growth of their vine began, shape (vines, records).

    Args:
        rollout: Recorded at the end of every segment; beyond the last record of a vine the result means nothing.
        tips: x, y of the tips before [m], shape (vines, 2).
        lengths: Lengths before [m], shape (vines,).
    """
    states = np.concatenate([tips[:, None], rollout.tips[..., :2]], axis=1)
    grown = np.concatenate([lengths[:, None], grown_length(rollout, params)], axis=1)
    return np.logical_or.accumulate(TipMotions.between(states, grown).jumps, axis=1)


def largest_jump(rollout: Rollout, vine: int, params: VineParams) -> Jump | None:
    """Find the jump of a vine between two records by which its tip moves farthest; None if it never jumps.

    Args:
        rollout: Recorded at the end of every segment; with more growth between records, jumps are averaged out.
    """
    records = int(rollout.records[vine])
    lengths = grown_length(rollout, params)[vine : vine + 1, :records]
    found = TipMotions.between(rollout.tips[vine : vine + 1, :records, :2], lengths)
    jumps = found.jumps
    if rollout.held is not None:  # a change of pressure moves the tip without growth
        jumps = jumps & ~rollout.held[vine : vine + 1, 1:records]
    if not jumps.any():
        return None
    k = int(np.where(jumps, found.motion, 0.0).argmax())
    return Jump(float(lengths[0, k]), float(found.growth[0, k]), float(found.motion[0, k]))
