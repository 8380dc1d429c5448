"""The error that most often makes a design miss the goal, from trials in which all errors act together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from environments.environment import Environment
from environments.objects import object_name
from environments.uncertainty import Uncertainty
from planner.design.design import Design
from planner.uncertainty.deviations import SectionErrors, WorldErrors
from surrogate.kernels.compiled import Floats

CERTAIN = 3.5
"""Correlation with success times the root of the number of trials from which on an error is named: of a hundred errors without
effect, one exceeds it in 5 % of all cases."""


class _Error(NamedTuple):
    """One kind of error, with its values in all trials."""

    name: str
    unit: str
    ways: tuple[str, str]
    """Words for a negative and a positive error."""
    values: Floats
    """In `unit`, shape (trials,)."""


def weakest_error(
    design: Design,
    environment: Environment,
    uncertainty: Uncertainty,
    trials: Sequence[int],
    seed: int,
    reached: NDArray[np.bool_],
) -> str | None:
    """Find the error that differs most clearly between missed and successful trials, and by how much on average.

    Args:
        trials: Their numbers, shape (T,).
        reached: Whether each reached the goal, shape (T,).
    Returns:
        For example `wall 4, 3 mm to the left`: so much farther to the left it stands in missed trials. None if no error
        stands out, or all trials succeed or all fail.
    """
    if reached.all() or not reached.any():
        return None
    world = WorldErrors.draw(environment, design.params, uncertainty, trials, seed)
    sections = SectionErrors.draw(design.actuators, uncertainty, trials, seed, len(design.preformed))
    every = [one for one in [*_world_errors(environment, world), *_section_errors(sections)] if np.ptp(one.values) > 0]
    if not every:
        return None
    values = np.stack([one.values for one in every])
    correlation = np.abs([np.corrcoef(row, reached)[0, 1] for row in values])
    k = int(correlation.argmax())
    if correlation[k] * np.sqrt(len(reached)) < CERTAIN:
        return None
    moved = float(values[k][~reached].mean() - values[k][reached].mean())
    one = every[k]
    return f"{one.name}, {abs(moved):.2g}{one.unit} {one.ways[moved > 0]}"


def _world_errors(environment: Environment, world: WorldErrors) -> list[_Error]:
    """List the errors of environment and tube."""
    sides, heights, turns = ("to the left", "to the right"), ("down", "up"), ("clockwise", "anticlockwise")
    found = [
        _Error("start", " mm", sides, 1e3 * world.start[:, 0]),
        _Error("start", " mm", heights, 1e3 * world.start[:, 1]),
        _Error("heading", " degrees", turns, np.degrees(world.start[:, 2])),
        _Error("friction", "", ("lower", "higher"), np.nan_to_num(world.friction)),
        _Error("growth pressure", " kPa", ("lower", "higher"), 1e-3 * world.growth_pressure),
        _Error("restoring moment", " %", ("lower", "higher"), 100 * world.moment),
        _Error("contact compliance", " %", ("lower", "higher"), 100 * world.compliance),
        _Error("all cells", " mm", ("shorter", "longer"), 1e3 * world.cell),
    ]
    for one in range(world.rotation.shape[1]):
        name = object_name(environment, one)
        found += [
            _Error(name, " mm", sides, 1e3 * world.shift[:, one, 0]),
            _Error(name, " mm", heights, 1e3 * world.shift[:, one, 1]),
            _Error(name, " degrees", turns, np.degrees(world.rotation[:, one])),
            _Error(name, " mm", ("smaller on each side", "larger on each side"), 1e3 * world.size[:, one]),
            _Error(name, " %", ("smaller", "larger"), 100 * world.share[:, one]),
        ]
    return found


def _section_errors(sections: SectionErrors) -> list[_Error]:
    """List the errors of the sections."""
    less = "less", "more"
    bends = [
        _Error(f"preformed bend {k + 1}: {name}", unit, ways, factor * getattr(sections, field)[:, k])
        for k in range(sections.bend_turn.shape[1])
        for field, name, unit, factor, ways in (
            ("bend_place", "position", " mm", 1e3, ("towards the base", "towards the tip")),
            ("bend_turn", "turn", " degrees", 180 / np.pi, less),
        )
    ]
    return bends + [
        _Error(f"section {k + 1}: {name}", unit, ways, factor * getattr(sections, field)[:, k])
        for k in range(sections.pressure.shape[1])
        for field, name, unit, factor, ways in (
            ("pressure", "pressure", " kPa", 1e-3, less),
            ("pressure_share", "pressure", " %", 100.0, less),
            ("cell", "cells", " mm", 1e3, ("shorter", "longer")),
            ("cell_share", "cells", " %", 100.0, ("shorter", "longer")),
            ("place", "position", " mm", 1e3, ("towards the base", "towards the tip")),
            ("stretch", "length", " mm", 1e3, less),
            ("turn", "turn", " degrees", 180 / np.pi, less),
            ("curvature", "curvature", " %", 100.0, less),
        )
    ]
