"""The trials and the front that `plan.png` shows, and the file of a run folder that keeps them."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.design.design import InvalidDesign
from planner.design.estimate import Success
from surrogate.kernels.compiled import Floats

TRIALS = "trials.npz"
"""File name in a run folder."""
DRAWN = 60
"""Maximum number of trials in the picture."""


@dataclass(frozen=True, slots=True, eq=False)
class ShownTrials:
    """Trials of the chosen design for the picture, and the success of all designs of the front."""

    joints: Floats
    """Centrelines at the end of growth [m], shape (trials, segments + 1, 2), NaN beyond the tip."""
    reached: NDArray[np.bool_]
    """Whether the goal was reached, shape (trials,)."""
    actuators: NDArray[np.int64]
    """Number of actuators of each design of the front, shape (designs,)."""
    front: tuple[Success, ...]
    """Success of each design of the front."""
    chosen: int
    """Index of the chosen design in the front."""
    wanted: float
    """Success rate that was asked for [-]."""

    def write(self, path: Path) -> None:
        """Write the file."""
        np.savez_compressed(
            path,
            joints=self.joints,
            reached=self.reached,
            actuators=self.actuators,
            front=np.array([(one.reached, one.trials) for one in self.front]),
            chosen=self.chosen,
            wanted=self.wanted,
            errors=self.front[0].errors,
        )

    @classmethod
    def read(cls, path: Path) -> ShownTrials:
        """Read the file.

        Raises:
            InvalidDesign: It cannot be read, or is not such a file.
        """
        try:
            with np.load(path, allow_pickle=False) as stored:
                found: dict[str, Any] = {name: stored[name] for name in stored.files}
            return cls._check(found)
        except (
            OSError,
            ValueError,
            TypeError,
            KeyError,
            IndexError,
            EOFError,
            MemoryError,
            zipfile.BadZipFile,
        ) as error:
            raise InvalidDesign(
                f"{path}: cannot be read as the trials of a plan: {' '.join(str(error).split())}"
            ) from None

    @classmethod
    def _check(cls, found: dict[str, Any]) -> ShownTrials:
        """Check the arrays of a file and return them as trials."""
        joints, reached, actuators, front = (found[name] for name in ("joints", "reached", "actuators", "front"))
        errors, chosen, wanted = str(found["errors"]), int(found["chosen"]), float(found["wanted"])
        if joints.dtype.kind != "f" or joints.ndim != 3 or joints.shape[2] != 2 or reached.shape != joints.shape[:1]:
            raise ValueError("joints must be (trials, joints, 2), and reached (trials,)")
        if front.dtype.kind != "i" or front.shape != (len(actuators), 2) or actuators.dtype.kind != "i":
            raise ValueError("front must be (designs, 2), and actuators (designs,)")
        if not ((front[:, 0] >= 0) & (front[:, 0] <= front[:, 1]) & (front[:, 1] > 0)).all() or (actuators < 0).any():
            raise ValueError("front must count the trials that reached the goal, and all trials")
        if not (0 <= chosen < len(front) and 0 < wanted <= 1):
            raise ValueError("chosen must be a design of the front, and wanted a share")
        successes = tuple(Success(errors, int(one), int(every)) for one, every in front)
        return cls(joints, reached.astype(bool), actuators, successes, chosen, wanted)
