"""Inputs over time for the kernels: the tube and its moments as they are at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from dynamics.cross_section import CrossSection
from dynamics.impulse.inputs import GrowthInputs, InvalidInputs
from dynamics.impulse.model import NO_INPUTS, ImpulseModel, ImpulseTube, InputTables
from dynamics.moment import Elasticity, JointMoments
from dynamics.tube import VineParams
from dynamics.tube_file import check_bends
from surrogate.kernels.compiled import Floats, compiled

LEVELS = 129
"""Number of body pressures at which the moments are tabulated, from the lowest to the highest of the inputs."""
PRESSURE, TRANSITION, PER_BEND, COLLAPSE, FORCE, DAMPING = range(6)
"""Columns of `InputTables.levels`."""
NOW = 1e-9
"""A row that is due within this time is past [s]."""


def tabulate_inputs(
    inputs: GrowthInputs | None, params: VineParams, moments_of: Callable[[VineParams], JointMoments]
) -> InputTables:
    """Tabulate inputs for a tube. At every body pressure it is the tube with that growth pressure.

    Args:
        inputs: None for constant inputs, those of the tube.
        moments_of: Makes the moments of a tube.
    Raises:
        InvalidInputs: The tube cannot have one of the pressures.
    """
    if inputs is None:
        return NO_INPUTS
    rows = len(inputs.times)
    rates = np.full(rows, params.inertia.growth_rate) if inputs.growth_rates is None else inputs.growth_rates
    pressures = np.full(rows, params.growth_pressure) if inputs.pressures is None else inputs.pressures
    low, high = float(pressures.min()), float(pressures.max())
    levels, moment, rising = [], [], []
    for pressure in np.linspace(low, high, LEVELS if low < high else 1).tolist():
        try:
            tube = replace(params, growth_pressure=pressure)
            check_bends(tube)
            joint = moments_of(tube)
        except ValueError as error:
            raise InvalidInputs(f"at a body pressure of {1e-3 * pressure:g} kPa: {error}") from None
        elasticity = joint.elasticity
        damping = tube.inertia.damping_time * elasticity.stiffness
        numbers = elasticity.transition, elasticity.per_bend, elasticity.collapse
        levels.append([pressure, *numbers, tube.growth_force, damping])
        moment.append(joint.moment)
        rising.append(joint.rising)
    return InputTables(inputs.times, rates, pressures, np.array(levels), np.array(moment), np.array(rising))


@compiled()
def _row_of(times: Floats, time: float) -> int:
    """Index of the last row at or before a time; -1 before the first."""
    row = -1
    while row + 1 < len(times) and times[row + 1] <= time:
        row += 1
    return row


@compiled()
def _between(times: Floats, values: Floats, row: int, time: float) -> float:
    """Value of an input at a time in the span that begins at a row; constant before the first and after the last row."""
    if row < 0 or row + 1 == len(times):
        return values[max(row, 0)]
    share = (time - times[row]) / (times[row + 1] - times[row])
    return values[row] + share * (values[row + 1] - values[row])


@compiled()
def step_before_next_row(times: Floats, time: float, longest: float) -> float:
    """Time of a step that ends no later than the next row [s]: two even steps where a second one would be short.

    Args:
        longest: Longest step [s].
    """
    row = _row_of(times, time + NOW)
    if row + 1 == len(times):
        return longest
    left = times[row + 1] - time
    return longest if left >= 2 * longest else left if left <= longest else 0.5 * left


@compiled()
def interpolate_moments(tables: InputTables, pressure: float, moments: Floats) -> tuple[int, float]:
    """Write the moments at a body pressure, restoring and rising, into an array of shape (2, BENDS + 1).

    Returns:
        The level at or below the pressure, and the share of the way to the next one [-].
    """
    levels, last = tables.levels, len(tables.levels) - 1
    low, high = levels[0, PRESSURE], levels[last, PRESSURE]
    at = last * (pressure - low) / (high - low) if high > low else 0.0
    level = min(max(int(at), 0), max(last - 1, 0))
    share, following = at - level, min(level + 1, last)
    for j in range(moments.shape[1]):
        moment, rising = tables.moment[level, j], tables.rising[level, j]
        moments[0, j] = moment + share * (tables.moment[following, j] - moment)
        moments[1, j] = rising + share * (tables.rising[following, j] - rising)
    return level, share


@compiled(borrowed=True)
def model_at(model: ImpulseModel, time: float, moments: Floats) -> ImpulseModel:
    """The model for the step that begins at a time: with the growth rate in its middle and the body pressure at its end.

    Args:
        time: Since growth began [s].
        moments: Takes the moments, shape (2, BENDS + 1).
    """
    tables, joint, tube = model.inputs, model.joint, model.tube
    times = tables.times
    if len(times) == 0:
        return model
    dt = step_before_next_row(times, time, tube.time_step)
    row = _row_of(times, time + 0.5 * dt)
    rate = _between(times, tables.rates, row, time + 0.5 * dt)
    pressure = _between(times, tables.pressures, row, time + dt)
    level, share = interpolate_moments(tables, pressure, moments)
    one, other = tables.levels[level], tables.levels[min(level + 1, len(tables.levels) - 1)]
    elastic, section = joint.elasticity, tube.section
    transition = one[TRANSITION] + share * (other[TRANSITION] - one[TRANSITION])
    elasticity = Elasticity(
        transition,
        moments[1, 0] / transition,
        one[PER_BEND] + share * (other[PER_BEND] - one[PER_BEND]),
        one[COLLAPSE] + share * (other[COLLAPSE] - one[COLLAPSE]),
        elastic.pivot,
        elastic.factor,
    )
    force = one[FORCE] + share * (other[FORCE] - one[FORCE])
    now = JointMoments(
        elasticity,
        moments[0],
        moments[1],
        joint.tables,
        joint.arms,
        joint.length,
        joint.segment_length,
        joint.thickness,
    )
    supplied = ImpulseTube(
        CrossSection(section.radius, section.compliance, section.most_dent, pressure, section.cap),
        tube.segment,
        tube.mass_per_length,
        tube.tip_mass,
        tube.gyration,
        one[DAMPING] + share * (other[DAMPING] - one[DAMPING]),
        rate,
        force,
        tube.tail,
        rate / force,
        tube.tolerance,
        dt,
        tube.margin,
        tube.most_motion,
        tube.drag,
        tube.still,
        tube.longest_hold,
        tube.segments_apart,
    )
    return ImpulseModel(model.scene, now, supplied, model.base, tables)
