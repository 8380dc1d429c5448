"""Conversion of a fit to a tube file, so that the models can use the fitted parameters."""

from __future__ import annotations

from dataclasses import replace

from dynamics.moment import wrinkling
from dynamics.tube import VineParams
from dynamics.tube_file import similar, tube_text
from dynamics.tube_keys import ACTUATORS, INERTIA, LIMITS, PHYSICS, TUBE
from planner.recordings.identification import RecordingFit
from planner.recordings.identification.summary import BENDING, CHAIN

FITTED = {
    TUBE["bending_stiffness"].name: BENDING,
    INERTIA["damping_time"].name: "damping time",
    INERTIA["growth_rate"].name: "growth rate",
}
"""Keys of a tube file, and the names of the fitted parameters for them."""


def fitted_tube_text(fit: RecordingFit) -> str:
    """Return the text of a tube file with the tube's radius and mass from the recording, and the parameters that the fit
    identifies.

    All other parameters are written as comments with their default values: those of the prototype, scaled with the radius.
    """
    base, notes, given = similar(fit.recording.tube_radius), {}, {TUBE["radius"].name, INERTIA["mass_per_length"].name}
    notes[TUBE["radius"].name] = f"from the recording {fit.recording.name}".replace("\n", " ")
    notes[INERTIA["mass_per_length"].name] = "as assumed by the fit: stiffness and damping scale with it"
    values = {}
    for key, name in FITTED.items():
        one = fit.parameter(name)
        low, high = one.interval
        if not fit.convergence.converged:
            notes[key] = "not fitted: the fit did not converge"
        elif not one.identified or low is None or high is None or not one.value > 0:
            where = ", at its bound" if one.bound else ""
            notes[key] = f"not identified by the recording (fitted: {one.value:.4g} {one.unit}{where})"
        else:
            values[key] = one.value
            notes[key] = f"fitted, {low:.4g} to {high:.4g} {one.unit} (95 %)"
    key = TUBE["bending_stiffness"].name
    if key in values:
        notes[key] += f"; {CHAIN} of {fit.bodies // 2} links: {fit.parameter(CHAIN).value:.4g} N m2"
    if key in values and not _wrinkles(replace(base, bending_stiffness=values[key])):
        del values[key]
        notes[key] = (
            f"fitted {fit.parameter(FITTED[key]).value:.4g} N m2: too soft for this growth pressure, which was not recorded"
        )
    stiffness, damping, rate = (values.get(key) for key in FITTED)
    inertia = replace(base.inertia, mass_per_length=fit.mass_per_length)
    inertia = inertia if damping is None else replace(inertia, damping_time=damping)
    inertia = inertia if rate is None else replace(inertia, growth_rate=rate)
    made = replace(base, bending_stiffness=stiffness, inertia=inertia)
    every = (*TUBE.values(), *INERTIA.values(), *ACTUATORS[made.actuator.kind].values(), *LIMITS.values())
    return tube_text(made, notes, {PHYSICS.name, *(one.name for one in every)} - given - {*values})


def _wrinkles(params: VineParams) -> bool:
    try:
        wrinkling(params)
    except ValueError:
        return False
    return True
