"""Derivatives of a growth with inertia with respect to stiffness, damping, inputs and any other number that it depends on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dynamics.impulse.linearised_step import REMEDY, RecordSteps, RepeatSteps
from dynamics.impulse.propagator import Impulse
from dynamics.propagator import CannotRun
from dynamics.vine import Actuation, Rollout, VineState
from surrogate.kernels.compiled import Floats

APART = 1e-5
"""Distance of the neighbouring values from a value, relative to it."""

Make = Callable[[Floats], tuple[Impulse, Actuation]]
"""Makes a propagator and the actuation of one vine from values, shape (parameters,)."""


@dataclass(frozen=True, slots=True, eq=False)
class Derivatives:
    """A growth in T records of N segments, and its derivatives with respect to P values."""

    rollout: Rollout
    tips: Floats
    """Derivatives of x [m], y [m] and heading [rad] of the tip, shape (P, T, 3), per unit of each value."""
    angles: Floats
    """Derivatives of the bends [rad], shape (P, T, N), per unit of each value."""
    contact_force: Floats
    """Derivatives of the normal force on each segment [N], shape (P, T, N), per unit of each value."""


def differentiate(
    make: Make, values: ArrayLike, length: float, record_every: float, state: VineState | None = None
) -> Derivatives:
    """Grow one vine, and differentiate it with respect to the values that it is made from.

    Every step's complementarity problem is differentiated implicitly (`dynamics.impulse.linearised_step`): it is solved once, for the
    values themselves. What a step does besides is in closed form, and follows the neighbouring values at a relative distance of
    1e-5: their motion, with linearised solutions, goes through the same steps. Where a contact begins or ends, it is the derivative at
    the same contacts. The growth rate changes which steps there are if a segment takes a whole number of them: then take another step.

    Args:
        values: Parameters, none of them 0, in any units, shape (P,); for example EI [N m2], a damping time [s], pressures [Pa].
        length: Length by which the vine grows [m]; 0 holds it.
        record_every: Spacing of the records [m].
        state: The vine at the beginning; None for one of zero length at the start.
    Returns:
        Derivatives at the same grown lengths.
    Raises:
        vinewright.CannotRun: The growth of neighbouring values takes other steps.

    >>> from dataclasses import replace
    >>> import numpy as np
    >>> from dynamics.tube import Inertia, VineParams
    >>> from dynamics.vine import Actuation
    >>> from environments import load_environment
    >>> room = load_environment("divider")
    >>> def make(values):
    ...     tube = replace(VineParams(), inertia=Inertia(damping_time=values[0]))
    ...     return Impulse(room, tube), Actuation(np.full((1, 8), values[1]), np.full((1, 8), 0.04))
    >>> differentiate(make, [0.01, 20e3], 0.2, 0.1).tips.shape
    (2, 2, 3)
    """
    at = np.array(values, float)
    if at.ndim != 1 or not len(at) or not np.isfinite(at).all() or not at.all():
        raise CannotRun("values to differentiate by must be finite, and none of them 0")
    recorder = RecordSteps()

    def grow(point: Floats, solver: RecordSteps | RepeatSteps) -> Rollout:
        propagator, actuation = make(point)
        if len(actuation.pressure) != 1:
            raise CannotRun(f"one vine is differentiated at a time, not {len(actuation.pressure)}")
        begin = propagator.start(*actuation.pressure.shape) if state is None else state
        return propagator.grow_with(solver, begin, actuation, length, record_every)

    base = grow(at, recorder)
    count = int(base.records[0])
    parts: dict[str, list[Floats]] = {"tips": [], "angles": [], "contact_force": []}
    for k, distance in enumerate(APART * np.abs(at)):
        both = []
        for side in (1.0, -1.0):
            repeater, point = RepeatSteps(recorder.steps), at.copy()
            point[k] += side * distance
            near = grow(point, repeater)
            if repeater.done != len(recorder.steps) or (near.records[0], near.status[0]) != (count, base.status[0]):
                raise CannotRun(f"the growth takes other steps beside value {k} = {at[k]:g}; {REMEDY}")
            both.append(near)
        for name, found in parts.items():
            above, below = (np.asarray(getattr(one, name))[0, :count] for one in both)
            found.append((above - below) / (2 * distance))
    return Derivatives(base, *map(np.array, parts.values()))
