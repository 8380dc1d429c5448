"""Recorded growths of a passive tube, grown again with errors: those that all growths have in common, and those of each."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from dynamics.recording import Recording
from dynamics.tube import VineParams
from dynamics.vine import Actuation, VineState, centerlines, grown_length, to_host
from environments.uncertainty import WORKSHOP
from planner.built.predicting import MODEL, BuiltTube
from planner.design.design import Design, Section
from planner.uncertainty.causes import UNITS, Cause
from planner.uncertainty.deviations import WorldErrors
from planner.uncertainty.trials import Worlds
from studies.validation.recordings import RECORD, make_environment, recorded_lengths, start_pose
from surrogate.kernels.compiled import Floats

STIFFNESS = 0.3
"""Standard deviation of the restoring moment of the tube [-]: its growth pressure, to which it is proportional, was not recorded."""
GROWTH = 0.03
"""Standard deviation of the length of tube for a length along a recorded centreline, relative to it [-]; an assumption. Noise makes
recorded centrelines longer."""
MODEL_SPREAD = 0.5
"""Standard deviation of the logarithm of the size of the model's error [-], about that of `planner.built`; an assumption."""
ERRORS = replace(WORKSHOP, moment_share=STIFFNESS, cell_common=0.0)
"""Errors before the recordings; a tube without actuators has no cells."""
SPARE = 1.15
"""Length to which tubes grow, over the longest recorded one [-]."""
SHARED = "moment", "friction"
"""Errors that the growths of one tube have in common, among those of `planner.uncertainty.causes`."""


@dataclass(frozen=True, slots=True)
class Idea:
    """Errors that explain the recordings, beside those of base, walls, friction, stiffness and length of growth."""

    name: str
    stiffness: tuple[float | None, ...] = (None,)
    """EI before the tube wrinkles [N m2], equally likely values; None for that of the fit."""
    folds: tuple[float, ...] = (1.0,)
    """Moments at which the tube folds, as shares of pi P R^3 [-], equally likely values."""
    guide: float = 0.0
    """Greatest length beyond the marked base along which the tube is held straight [m]; all lengths up to it are equally likely."""

    def tube(self, stiffness: int, folds: int) -> dict[str, Any]:
        """Return the fields of `VineParams` by the indices of their values."""
        return {"bending_stiffness": self.stiffness[stiffness], "collapse_share": self.folds[folds]}


IDEAS = (
    Idea("errors"),
    Idea("errors, folds and guide", (0.33, 0.5, 0.8, 1.3), (1.0, 0.85, 0.7, 0.6), 0.1),
)
"""EI: from the fit of Wang et al. to that of a flat film of polyethylene. Folds: those of `studies.validation.variants`. Guide: recorded
tubes are first seen up to 0.1 m beyond the base."""


COMMON = "growth", "model", "EI", "folds", "guide"
"""Errors that all growths have in common and that `planner.uncertainty.causes` does not know."""


@dataclass(frozen=True, slots=True, eq=False)
class Common:
    """Errors that all growths have in common, shape (T,) each."""

    growth: Floats
    """Length of tube for a length along a recorded centreline, relative to it, less 1 [-]."""
    model: Floats
    """Standard deviation of x and of y of the end of the tube from the simulated one, in radii [-]."""
    stiffness: NDArray[np.int64]
    """Index in `Idea.stiffness`."""
    folds: NDArray[np.int64]
    """Index in `Idea.folds`."""
    guide: Floats
    """Length beyond the marked base along which the tube is held [m]."""

    @classmethod
    def of(cls, idea: Idea, normal: Floats) -> Common:
        """Convert standard normal numbers, shape (T, 5), in the order of `COMMON`."""
        share = norm.cdf(normal[:, 2:])
        stiffness, folds = (
            np.minimum((column * len(values)).astype(int), len(values) - 1)
            for column, values in zip(share.T, (idea.stiffness, idea.folds), strict=False)
        )
        model = MODEL * np.exp(MODEL_SPREAD * normal[:, 1])
        return cls(GROWTH * normal[:, 0], model, stiffness, folds, idea.guide * share[:, 2])


@dataclass(frozen=True, slots=True, eq=False)
class GrownShapes:
    """Shapes of T tubes while they grow."""

    angles: Floats
    """Bends of the joints at each record [rad], shape (T, records, segments)."""
    lengths: Floats
    """Length grown at each record [m], shape (T, records); that of the last one beyond it, 0 where nothing grew."""
    start: Floats
    """Pose of the clamp, shape (T, 3)."""
    common: Common
    params: VineParams

    def points(self, length: float, places: Floats) -> Floats:
        """Return points of the tubes at a recorded length [m], shape (T, places, 2).

        The shape is that of the record that follows, cut off.

        Args:
            places: Distances along the recorded tube from its start [m].
        """
        factor, guide = (1 + self.common.growth)[:, None], self.common.guide[:, None]
        wanted = factor * length - guide
        records = np.minimum((self.lengths < wanted).sum(axis=1), self.lengths.shape[1] - 1)
        rows, segment = np.arange(len(records)), self.params.segment_length
        grown = self.lengths[rows, records][:, None]
        count = np.maximum(np.ceil(grown[:, 0] / segment - 1e-9).astype(int), 1)
        state = VineState(self.angles[rows, records], count, grown[:, 0] - (count - 1) * segment)
        joints = centerlines(state, self.start, self.params)
        along = np.minimum(factor * places - guide, grown)
        link = np.clip((along / segment).astype(int), 0, count[:, None] - 1)
        end = np.minimum((link + 1) * segment, grown)
        share = np.clip((along - link * segment) / np.maximum(end - link * segment, 1e-9), 0.0, 1.0)
        low, high = joints[rows[:, None], link], joints[rows[:, None], link + 1]
        heading = np.stack([np.cos(self.start[:, 2]), np.sin(self.start[:, 2])], axis=1)
        held = np.minimum(along, 0.0)[..., None] * heading[:, None]
        return np.asarray(low + share[..., None] * (high - low) + held)


class RecordedGrowth:
    """A recorded growth, and the growths of tubes with errors in its place."""

    def __init__(self, recording: Recording, idea: Idea) -> None:
        """Estimate the start pose, and list the errors."""
        self.recording, self.idea = recording, idea
        self.start = start_pose(recording)
        self.lengths = recorded_lengths(recording, self.start)
        """Length of the tube in each frame, from the start pose [m]."""
        self.environment = make_environment(recording, self.start)
        params = VineParams(radius=recording.tube_radius)
        whole = Section(0.0, float(self.lengths.max()), "none", 0.0, 0.0, 0.0)
        design = Design(recording.name, "", params, (whole,), np.zeros(3), np.zeros((0, 2)))
        self.tube = BuiltTube(design, self.environment, ERRORS)

    @property
    def shared(self) -> list[Cause]:
        """Errors that all growths have in common, of those of `planner.uncertainty.causes`."""
        return [cause for cause in self.tube.causes if cause.field in SHARED]

    @property
    def own(self) -> list[Cause]:
        """Errors of this growth."""
        return [cause for cause in self.tube.causes if cause.field not in SHARED]

    def recorded_points(self, frame: int, places: Floats) -> Floats:
        """Return points of the recorded tube in a frame [m], shape (places, 2), as `GrownShapes.points`."""
        line = self.recording.centerlines[frame]
        steps = np.hypot(*np.diff(line, axis=0).T)
        along = self.lengths[frame] - steps.sum() + np.concatenate([[0.0], np.cumsum(steps)])
        return np.stack([np.interp(places, along, column) for column in line.T], axis=1)

    def values(self, common: Common, shared: Floats) -> dict[str, Floats]:
        """Return the common errors that are not exact, shape (T,) each, in the units of their names.

        Args:
            shared: Standard normal numbers of `shared`, shape (T, ...).
        """
        found = {
            cause.key: cause.value(column) * UNITS[cause.unit]
            for cause, column in zip(self.shared, shared.T, strict=True)
        }
        found |= {"growth [%]": 100 * common.growth, "error of the model [radii]": common.model}
        if len(self.idea.stiffness) > 1:
            found["EI [N m2]"] = np.array(self.idea.stiffness, float)[common.stiffness]
        if len(self.idea.folds) > 1:
            found["folds at [pi P R^3]"] = np.array(self.idea.folds)[common.folds]
        if self.idea.guide:
            found["guide [mm]"] = 1e3 * common.guide
        return found

    def grow(self, common: Common, shared: Floats, own: Floats, record: float = RECORD) -> GrownShapes:
        """Grow a tube for each row of errors.

        Args:
            shared: Standard normal numbers of `shared`, shape (T, ...).
            own: Those of `own`, shape (T, ...).
            record: Length between two records [m].
        """
        normal = np.empty((len(own), len(self.tube.causes)))
        among = np.array([cause.field in SHARED for cause in self.tube.causes])
        normal[:, among], normal[:, ~among] = shared, own
        params = self.tube.design.params
        world, _ = self.tube.errors(normal)
        turned = self.start[2] + world.start[:, 2]
        world.start[:, :2] += common.guide[:, None] * np.stack([np.cos(turned), np.sin(turned)], axis=1)
        longest = SPARE * float(self.lengths.max())
        records, segments = round(longest / record), int(np.ceil(longest / params.segment_length))
        starts, grown = np.empty((len(own), 3)), np.zeros((len(own), records))
        angles = np.zeros((len(own), records, segments))
        for stiffness, folds in np.unique(np.stack([common.stiffness, common.folds], axis=1), axis=0).tolist():
            tube = replace(params, **self.idea.tube(stiffness, folds))
            rows = np.flatnonzero((common.stiffness == stiffness) & (common.folds == folds))
            worlds = Worlds(self.environment, tube, _of_rows(world, rows))
            starts[rows] = worlds.motions.start
            bare = Actuation(np.zeros((len(rows), segments)), np.full((len(rows), segments), 0.04))
            rollout = worlds.planned.grow_in(
                worlds.models(longest),
                np.arange(len(rows)),
                worlds.planned.start(len(rows), segments),
                bare,
                longest,
                record,
            )
            at = np.minimum(np.arange(records), np.maximum(rollout.records - 1, 0)[:, None])
            each = np.arange(len(rows))[:, None]
            angles[rows] = to_host(rollout.angles)[each, at]
            grown[rows] = np.where(rollout.records[:, None] > 0, grown_length(rollout, tube)[each, at], 0.0)
        return GrownShapes(angles, grown, starts, common, params)


def _of_rows(errors: WorldErrors, rows: NDArray[np.int64]) -> WorldErrors:
    """Return the errors of some worlds."""
    return WorldErrors(*(getattr(errors, field.name)[rows] for field in fields(errors)))
