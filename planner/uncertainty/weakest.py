"""The errors that most often make a design miss the goal, from trials in which all errors act together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from environments.environment import Environment
from environments.objects import object_name
from environments.uncertainty import Uncertainty
from planner.design.design import Design
from planner.design.estimate import Estimate, Influence
from planner.uncertainty.deviations import SectionErrors, WorldErrors
from planner.uncertainty.drawing import draw_sections, draw_world
from planner.uncertainty.influence import LEVEL, compute_chances, estimate_share
from surrogate.kernels.compiled import Floats

ALIKE = 0.5
"""Ratio from which on two effects count as equally large [-]: of both signs of an error, or of a shift along x and along y."""


class _Error(NamedTuple):
    """One kind of error, with its values in all trials."""

    name: str
    unit: str
    ways: tuple[str, str]
    """Words for a negative and a positive error."""
    values: Floats
    """In `unit`, shape (trials,)."""


_Cause = tuple[_Error, ...]
"""Errors that vary as one: a single one, or a shift along x and y."""


def estimate_success(
    design: Design,
    environment: Environment,
    uncertainty: Uncertainty,
    trials: Sequence[int],
    seed: int,
    reached: NDArray[np.bool_],
) -> Estimate:
    """Estimate the success rate of a design, and find the errors on which success depends.

    Of all errors, drawn again by the numbers of the trials, those are named which chance explains in at most 5 % of all cases, all
    errors without an effect counted together (`planner.uncertainty.influence`). Two errors that matter only together, neither of
    them alone, are not found.

    Args:
        trials: Their numbers, shape (T,).
        reached: Whether each reached the goal, shape (T,).
    """
    count = int(reached.sum())
    causes = _causes_of(design, environment, uncertainty, trials, seed) if 0 < count < len(reached) else []
    found = []
    if causes:
        values = [np.stack([one.values for one in cause]) for cause in causes]
        chances = compute_chances(values, reached)
        found = [
            Influence(_words(causes[k], reached), *estimate_share(values[k], reached))
            for k in np.flatnonzero(chances <= LEVEL)
        ]
    return Estimate(count, len(reached), tuple(sorted(found, key=lambda one: -one.share)))


def _causes_of(
    design: Design, environment: Environment, uncertainty: Uncertainty, trials: Sequence[int], seed: int
) -> list[_Cause]:
    """List all causes that vary."""
    world = draw_world(environment, design.params, uncertainty, trials, seed)
    sections = draw_sections(design, uncertainty, trials, seed)
    listed = [*_world_errors(environment, world), *_section_errors(sections)]
    varied = [tuple(one for one in cause if np.ptp(one.values) > 0) for cause in listed]
    return [cause for cause in varied if cause]


def _words(cause: _Cause, reached: NDArray[np.bool_]) -> str:
    """Describe a cause by its components with the largest effect, and their size in missed trials."""
    rates = [_miss_rates(one.values, reached) for one in cause]
    most = max(np.ptp(each) for each in rates)
    sizes = [_size(one, reached, each) for one, each in zip(cause, rates, strict=True) if np.ptp(each) >= ALIKE * most]
    return f"{cause[0].name}, {' and '.join(sizes)}"


def _miss_rates(values: Floats, reached: NDArray[np.bool_]) -> Floats:
    """Return the share of missed trials in the lowest, the middle and the highest third of an error, shape (3,)."""
    return np.array([1 - reached[third].mean() for third in np.array_split(np.argsort(values, kind="stable"), 3)])


def _size(one: _Error, reached: NDArray[np.bool_], rates: Floats) -> str:
    """Describe the size of an error in missed trials: its mean difference from the others, or its mean size if either way misses.

    Args:
        rates: See `_miss_rates`.
    """
    low, high = rates[[0, 2]] - rates[1]
    away = np.abs(one.values - one.values.mean())[~reached].mean()
    if min(low, high) > 0 and min(low, high) >= ALIKE * max(low, high):
        return f"{away:.2g}{one.unit} {one.ways[0]} or {one.ways[1]}"
    if max(low, high) < 0 and max(low, high) <= ALIKE * min(low, high):
        return f"within {away:.2g}{one.unit} of its mean"
    moved = float(one.values[~reached].mean() - one.values[reached].mean())
    return f"{abs(moved):.2g}{one.unit} {one.ways[moved > 0]}"


def _world_errors(environment: Environment, world: WorldErrors) -> list[_Cause]:
    """List the errors of environment and tube."""
    sides, heights, turns = ("to the left", "to the right"), ("down", "up"), ("clockwise", "anticlockwise")
    found: list[_Cause] = [
        (
            _Error("start", " mm", sides, 1e3 * world.start[:, 0]),
            _Error("start", " mm", heights, 1e3 * world.start[:, 1]),
        ),
        (_Error("heading", " degrees", turns, np.degrees(world.start[:, 2])),),
        (_Error("friction", "", ("lower", "higher"), np.nan_to_num(world.friction)),),
        (_Error("growth pressure", " kPa", ("lower", "higher"), 1e-3 * world.growth_pressure),),
        (_Error("restoring moment", " %", ("lower", "higher"), 100 * world.moment),),
        (_Error("contact compliance", " %", ("lower", "higher"), 100 * world.compliance),),
        (_Error("all cells", " mm", ("shorter", "longer"), 1e3 * world.cell),),
    ]
    for one in range(world.rotation.shape[1]):
        name = object_name(environment, one)
        found += [
            (
                _Error(name, " mm", sides, 1e3 * world.shift[:, one, 0]),
                _Error(name, " mm", heights, 1e3 * world.shift[:, one, 1]),
            ),
            (_Error(name, " degrees", turns, np.degrees(world.rotation[:, one])),),
            (_Error(name, " mm", ("smaller on each side", "larger on each side"), 1e3 * world.size[:, one]),),
            (_Error(name, " %", ("smaller", "larger"), 100 * world.share[:, one]),),
        ]
    return found


def _section_errors(sections: SectionErrors) -> list[_Cause]:
    """List the errors of the sections, each without those that follow from another."""
    less = "less", "more"
    bends: list[_Cause] = [
        (_Error(f"preformed bend {k + 1}: {name}", unit, ways, factor * getattr(sections, field)[:, k]),)
        for k in range(sections.bend_turn.shape[1])
        for field, name, unit, factor, ways in (
            ("bend_place", "position", " mm", 1e3, ("towards the base", "towards the tip")),
            ("bend_turn", "turn", " degrees", 180 / np.pi, less),
        )
    ]
    # A longer section moves those behind it; picometres are rounding.
    moved = np.cumsum(sections.stretch, axis=1) - sections.stretch
    own = replace(sections, place=np.round(sections.place - moved, 12))
    of_sections: list[_Cause] = [
        (_Error(f"section {k + 1}: {name}", unit, ways, factor * getattr(own, field)[:, k]),)
        for k in range(own.pressure.shape[1])
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
    return bends + of_sections
