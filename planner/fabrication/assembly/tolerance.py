"""Placement tolerances of a build: the largest displacements of parts and base with which the goal is still reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dynamics.quasistatic.propagator import QuasiStatic
from environments.environment import Environment
from planner.design.design import Design
from planner.design.replay import grow_designs
from planner.output.text import join
from planner.uncertainty.sensitivity import (
    Margin,
    bend_parameters,
    compute_margin,
    environment_parameters,
    section_parameters,
)


@dataclass(frozen=True, slots=True)
class Placement:
    """Largest displacement of each thing while all others are as planned; each is the margin of a simulated parameter."""

    actuators: list[Margin]
    """Shift of each actuator along the tube [mm]: towards the base, and towards the tip."""
    aside: Margin
    """Shift of the base [mm]: to the right, and to the left, seen in the direction of growth."""
    heading: Margin
    """Turn of the base [deg]: to the right, and to the left."""
    bends: Sequence[Margin] = ()
    """Shift of each preformed bend along the tube [mm]: towards the base, and towards the tip."""
    switched: Sequence[bool] = ()
    """Whether the goal is reached if one actuator has failed and has no pressure; of one that has none in this environment, if it is put
    at its set point by mistake; one for each actuator."""


def compute_placement(design: Design, environment: Environment) -> Placement:
    """Simulate each misplacement in turn (81 trials of about 5 ms each), and each actuator in its other state."""
    places = [compute_margin(design, environment, one) for one in section_parameters(design, ["place"])]
    aside, heading = (compute_margin(design, environment, one) for one in environment_parameters(environment)[:2])
    bends = [compute_margin(design, environment, one) for one in bend_parameters(design, ["place"])]
    return Placement(places, aside, heading, bends, grow_switched(design, environment))


def idle_text(names: Sequence[str]) -> str:
    """Return the sentence about actuators that are built but have no pressure in this environment."""
    return (
        f"Leave {join(names, 'and')} without pressure in this environment: the tube is made for several environments. Open the line to the "
        "air, so that the strip lies flat and does not bend the tube."
    )


def grow_switched(design: Design, environment: Environment) -> list[bool]:
    """Grow the design once for each actuator, with that one switched: off if it has pressure, on if it has none; return whether each
    reaches the goal."""
    actuated = [k for k, section in enumerate(design.sections) if section.actuated]
    made = [
        replace(design, sections=(*design.sections[:k], replace(one, on=not one.on), *design.sections[k + 1 :]))
        for k, one in ((k, design.sections[k]) for k in actuated)
    ]
    if not made:
        return []
    return [end.reached for end in grow_designs(made, environment, QuasiStatic(environment, design.params))]
