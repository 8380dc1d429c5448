"""Growths of a built tube as predicted under errors: where the tip goes, where it ends, and how far it stays from the goal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from environments.environment import Environment
from environments.uncertainty import Uncertainty
from planner.design.design import Design
from planner.uncertainty.causes import Cause, combine, list_causes, to_errors
from planner.uncertainty.deviations import SectionErrors, WorldErrors
from planner.uncertainty.trials import Worlds, grow_batches
from surrogate.kernels.compiled import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """A tube that is built, and what can be set before it grows."""

    design: Design
    base: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Shift of the base in x and y [m], and of its heading [rad]."""
    growth_pressure: float = 0.0
    """Change of the growth pressure [Pa]."""
    moved: tuple[tuple[int, float, float], ...] = ()
    """Objects of the environment that are moved (`environments.objects`), with their shifts in x and y [m]."""

    renewed: tuple[int, ...] = ()
    """Indices of the actuated sections whose actuators are replaced."""

    @property
    def grown(self) -> Design:
        """The design with its growth pressure.

        As an error a growth pressure changes the moment of the tube in proportion, which is not so for larger changes.
        """
        if not self.growth_pressure:
            return self.design
        params = self.design.params
        return replace(
            self.design, params=replace(params, growth_pressure=params.growth_pressure + self.growth_pressure)
        )

    def apply(self, world: WorldErrors) -> None:
        """Add the poses of base and objects to errors."""
        world.start[:] += self.base
        for item, x, y in self.moved:
            world.shift[:, item] += x, y


MODEL = 0.4
"""Standard deviation of x and of y of the tip of a grown tube from a simulation with its true errors, in radii of the tube [-].

Tips of recorded tubes stand 16 mm, half of a radius, beside simulated ones on average (`results/validation`)."""


@dataclass(frozen=True, slots=True, eq=False)
class Predicted:
    """Growths as predicted, shape (T, ...)."""

    tip: Floats
    """Where the tip ends [m], shape (T, 2); NaN where nothing grew."""
    length: Floats
    """Length grown [m], shape (T,); 0 where nothing grew."""
    nearest: Floats
    """Distance from the goal's edge to the tip where it comes nearest [m], negative inside the goal; inf where nothing grew."""
    path: Floats
    """x and y of the tip, and the length grown there [m], shape (T, records, 3); NaN beyond the last record."""


class BuiltTube:
    """A design that was built, with the errors that it may have, see `planner.uncertainty.causes`.

    One more error is that of the model: the tip of a real tube is beside the simulated one by a distance that rises along the tube to that
    of its end, in proportion to its length.
    """

    def __init__(self, design: Design, environment: Environment, uncertainty: Uncertainty) -> None:
        """List the errors."""
        self.design, self.environment, self.uncertainty = design, environment, uncertainty
        self.causes: list[Cause] = list_causes(design, environment, uncertainty)
        self.model = [
            Cause(f"model: tip along {name}", "mm", MODEL * design.params.radius, "model", (axis,))
            for axis, name in enumerate("xy")
        ]

    @property
    def unknowns(self) -> list[Cause]:
        """All errors, those of the model last."""
        return [*self.causes, *self.model]

    def errors(self, normal: Floats) -> tuple[WorldErrors, SectionErrors]:
        """Return the errors of growths from standard normal numbers, shape (T, unknowns)."""
        return to_errors(self.causes, normal[:, : len(self.causes)], self.design, self.environment)

    def repeat(self, lasting: Floats, passing: Floats) -> Floats:
        """Return the standard normal numbers of growths: of each tube one for each row of `passing`.

        Args:
            lasting: Shape (tubes, unknowns).
            passing: What differs between growths, shape (growths, unknowns).
        Returns:
            Shape (tubes * growths, unknowns), all growths of a tube together.
        """
        every = combine(self.unknowns, lasting[:, None], passing[None])
        return every.reshape(-1, lasting.shape[1])

    def pair(self, lasting: Floats, passing: Floats) -> Floats:
        """Return the standard normal numbers of one growth of each tube, shape (tubes, unknowns), as those given."""
        return combine(self.unknowns, lasting, passing)

    def grow(self, normal: Floats, setting: Setting | None = None) -> Predicted:
        """Grow the tube once for each row of standard normal numbers, on all threads.

        Args:
            normal: Shape (T, unknowns).
            setting: Of the same sections, also with other pressures; None for the design as it is.
        """
        chosen = setting or Setting(self.design)
        design, (world, sections) = chosen.grown, self.errors(normal)
        chosen.apply(world)
        worlds, trials = Worlds(self.environment, design.params, world), len(normal)
        off = normal[:, len(self.causes) :] * [cause.deviation for cause in self.model]
        found = Predicted(
            np.full((trials, 2), np.nan),
            np.zeros(trials),
            np.full(trials, np.inf),
            np.full((trials, 0, 3), np.nan),
        )
        paths: list[tuple[np.ndarray, Floats]] = []
        for rows, rollout in grow_batches(design, worlds, sections):
            full, records = design.params.segment_length, rollout.tips.shape[1]
            length = np.maximum(rollout.segments - 1, 0) * full + rollout.last_length
            tips = rollout.tips.copy()
            tips[..., :2] += off[rows, None] * (length / design.length)[..., None]
            found.nearest[rows] = replace(rollout, tips=tips).nearest(self.environment.goal)
            grown = np.arange(records) < rollout.records[:, None]
            path = np.where(grown[..., None], np.concatenate([tips[..., :2], length[..., None]], axis=-1), np.nan)
            paths.append((rows, path))
            some = np.flatnonzero(rollout.records)
            last = rollout.records[some] - 1
            found.tip[rows[some]], found.length[rows[some]] = tips[some, last, :2], length[some, last]
        return replace(found, path=_join(paths, trials))


def _join(paths: Sequence[tuple[np.ndarray, Floats]], trials: int) -> Floats:
    most = max((path.shape[1] for _, path in paths), default=0)
    joined = np.full((trials, most, 3), np.nan)
    for rows, path in paths:
        joined[rows, : path.shape[1]] = path
    return joined
