"""The section of the guide about placement: how far parts and base may be from their planned places, and what a failure means."""

from __future__ import annotations

from collections.abc import Sequence

from planner.drawing.style import ACTUATOR
from planner.fabrication.assembly.build import ActuatorBuild, BendBuild, Build
from planner.fabrication.assembly.tolerance import Placement
from planner.fabrication.guide.acceptance_page import NAME
from planner.fabrication.guide.flow import Column, Flow
from planner.output.text import join
from planner.uncertainty.sensitivity import STEPS, Margin

ENDS = Column("nearer to the base [mm]", 3.0, "right"), Column("nearer to the tip [mm]", 3.0, "right")


def write_tolerances(flow: Flow, build: Build, placement: Placement | None) -> None:
    """Write the section.

    Args:
        placement: None if the design misses its goal.
    """
    flow.heading("Placement tolerance", 24)
    if placement is None:
        flow.paragraph("This design misses its goal in the model, so there is no tolerance.")
        return
    if build.actuators:
        _write_margins(flow, "actuator", NAME, build.actuators, placement.actuators)
    if build.bends:
        _write_margins(flow, "preformed bend", NAME + 0.6, build.bends, placement.bends)
    (right, left), (clockwise, anticlockwise) = sides(placement.aside), sides(placement.heading)
    flow.paragraph(
        f"Base: the mouth of the neck may be up to {right} mm to the right and {left} mm to the left of the start, and its "
        "axis may turn up to "
        f"{clockwise}° to the right and {anticlockwise}° to the left, seen in the direction of growth."
    )
    flow.paragraph(
        "Each number is the largest error, with all smaller ones, at which the simulated tube still reaches the goal while all else is "
        "as planned. Errors add up: stay within a third of each (assumed). “<” is the resolution of the simulation, “≥” the "
        "largest error that was simulated."
    )
    if build.actuators:
        tube = build.design.params
        counted = (
            "counts" if tube.thickness_share == 1 and tube.physics != "published" else "does not count, or not in full"
        )
        most = 1e3 * max(one.thickness for one in build.actuators)
        flow.paragraph(
            f"Inflated cells stand out from the tube by up to {most:.0f} mm, which the simulation {counted}; strips without pressure and "
            "feed lines need room, too."
        )
        for text in failure_texts(build, placement):
            flow.paragraph(text, mark="!")


def _write_margins(
    flow: Flow,
    head: str,
    share: float,
    parts: Sequence[ActuatorBuild | BendBuild],
    margins: Sequence[Margin],
) -> None:
    """Write the table of the places of parts along the tube."""
    rows = [(part.name, *sides(margin), "") for part, margin in zip(parts, margins, strict=True)]
    flow.table((Column(head, share), *ENDS, Column("", 6.0)), rows, [ACTUATOR[part.section.side] for part in parts])
    flow.reserve(2)


def failure_texts(build: Build, placement: Placement) -> list[str]:
    """Return sentences about actuators that fail and about those that have no pressure in this environment, as simulated."""
    dead: dict[bool, list[str]] = {True: [], False: []}
    idle: dict[bool, list[str]] = {True: [], False: []}
    for actuator, reached in zip(build.actuators, placement.switched, strict=True):
        (dead if actuator.section.on else idle)[reached].append(actuator.name)
    found = []
    if any(dead.values()):
        ends = [
            f"without {join(names, 'or')} the tube {'still reaches' if reached else 'misses'} the goal"
            for reached, names in dead.items()
            if names
        ]
        found.append(
            "An actuator that fails (a leak, a hose that slips off, a valve that stays shut) has no pressure, and its section bends only "
            f"where the tube is pushed. If one fails while all else is as planned: {'; '.join(ends)}. Stop the growth and let the air out "
            "before you mend it."
        )
    if any(idle.values()):
        names = join([one.name for one in build.actuators if not one.section.on], "and")
        ends = [
            f"with {join(listed, 'or')} at its set point the tube {'still reaches' if reached else 'misses'} the goal"
            for reached, listed in idle.items()
            if listed
        ]
        found.append(
            f"{names}: without pressure in this environment, the line open to the air, so that the film lies flat and the section stays "
            f"straight but for what pushes it. By mistake: {'; '.join(ends)}."
        )
    return found


def sides(margin: Margin) -> tuple[str, str]:
    """Return a margin to both sides, in its unit, as text."""
    step = margin.most / STEPS

    def text(value: float) -> str:
        if value < step / 2:
            return f"< {step:g}"
        return f"≥ {value:.3g}" if value > margin.most - step / 2 else f"{value:.3g}"

    return text(margin.less), text(margin.more)
