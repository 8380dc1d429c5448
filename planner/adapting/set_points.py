"""Set points that an adapted tube may have: with head room by regulators and films, as `vinewright export` asks for."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from dynamics.moment import centerline_curvature, free_curvature, joint_moments
from dynamics.quasistatic.propagator import QuasiStatic
from dynamics.tube import VineParams
from environments.environment import Environment
from planner.design.design import Design, Section
from planner.design.drive_margin import design_drive_margin
from planner.design.head_room import body_limit, film_limits, has_head_room, regulator_limits
from planner.design.replay import replay
from planner.design.schedule import VENTED
from surrogate.kernels.compiled import Floats

FINEST = 100.0
"""Pressures are rounded to this [Pa]."""
PRESS = 0.15
"""Largest relative change of the growth pressure [-]: how the stiffness of a tube depends on it is a fit to few measurements."""


@lru_cache(maxsize=256)
def allowed_pressures(params: VineParams, l_0: float, kind: int) -> Floats:
    """Return the set points with head room of an actuator [Pa], ascending; none if it has none.

    Args:
        l_0: Cell length [m].
        kind: Number of the actuator in `VineParams.actuators`.
    """
    limits = params.actuators[kind].limits
    levels = FINEST * np.arange(np.ceil(limits.least_pressure / FINEST - 1e-6), limits.most_pressure / FINEST + 1e-6)
    turn, number = free_curvature(joint_moments(params), levels, l_0, kind), np.full(levels.shape, kind)
    films, regulators = film_limits(params, turn, l_0, number), regulator_limits(params, number)
    kept = levels[has_head_room(levels, np.minimum(films, regulators))]
    kept.flags.writeable = False  # callers share it
    return kept


def nearest_pressure(params: VineParams, section: Section, pressure: float) -> float:
    """Return the set point nearest to a pressure [Pa]: one with head room, or the planned one."""
    levels = np.append(allowed_pressures(params, section.l_0, section.kind), section.pressure)
    return float(levels[np.abs(levels - pressure).argmin()])


def growth_range(design: Design, environment: Environment) -> tuple[float, float]:
    """Return the lowest and the highest growth pressure that a tube may get [Pa], its own between them.

    The lowest drives the design as planned in spite of tail and walls. The highest has head room in the tube's film and below what is
    supplied to its actuators, see `planner.design.supply`.
    """
    params = design.params
    own, model = params.growth_pressure, QuasiStatic(environment, params)
    margin = design_drive_margin(design, environment, lambda *_: model, replay(design, model))
    needed = None if margin is None else margin.needed_pressure
    supplied = [params.actuators[section.kind].limits.most_pressure for section in design.actuated]
    levels = FINEST * np.arange(np.ceil((1 - PRESS) * own / FINEST), (1 + PRESS) * own / FINEST + 1e-6)
    kept = levels[has_head_room(levels, min(body_limit(params), *supplied, np.inf)) & (levels > (needed or 0.0))]
    return float(min([own, *kept])), float(max([own, *kept]))


def with_free_bends(design: Design, params: VineParams) -> Design:
    """Return a design with a tube, and the curvatures that its actuators have with it in free space at their set points."""
    joint = joint_moments(params)

    def bent(section: Section) -> Section:
        if not section.actuated:
            return section
        film = free_curvature(joint, max(section.pressure, VENTED), section.l_0, section.kind)
        return replace(section, curvature=float(centerline_curvature(film, params)))

    return replace(design, params=params, sections=tuple(map(bent, design.sections)))
