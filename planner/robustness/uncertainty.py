"""The errors with which a tube is made and its environment is built: of an option, the files of both, or the default."""

from __future__ import annotations

from dataclasses import replace

from dynamics.tube import VineParams
from environments.environment import Environment
from environments.given import NOTHING, Given
from environments.uncertainty import DEFAULT, Uncertainty, uncertainty_of


def errors_of(environment: Environment, params: VineParams, asked: Given | str | None = None) -> Uncertainty:
    """The errors of a tube in an environment.

    The preset is the one that is asked for, or else that of the environment, or else that of the tube, or else `DEFAULT`. Single
    numbers are those that are asked for, or else those of the environment, or else those of the tube, or else those of the preset.
    The preset's range of friction is not used where tube or environment have a coefficient of friction.

    Args:
        asked: Name of a preset, or a table `[uncertainty]`. The preset `none` without numbers means that everything is as planned,
            whatever the files say.
    Raises:
        ValueError: A name is unknown, or a value out of its range.
    """
    asked = Given(asked) if isinstance(asked, str) else asked or NOTHING
    if asked == Given("none"):
        return Uncertainty()
    every = (params.uncertainty, environment.uncertainty, asked)
    presets = (asked.preset, environment.uncertainty.preset, params.uncertainty.preset)
    made = uncertainty_of(
        next((preset for preset in presets if preset), DEFAULT),
        *(dict(one.numbers) for one in every),
        friction_known=params.friction is not None or environment.friction is not None,
    )
    return replace(made, of_obstacles=environment.uncertainty.of_obstacles())
