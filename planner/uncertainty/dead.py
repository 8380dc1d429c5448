"""Dead actuators: how often a design still reaches its goal if one of them has lost its pressure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from planner.design.design import Design
from planner.design.estimate import Estimate
from planner.output.markdown import markdown_table
from planner.uncertainty.survey import ALL, BATCH, Survey
from planner.uncertainty.trials import grow_trials

MOST_TRIALS = 200
"""Maximum number of trials with each dead actuator."""
ASSUMED = (
    "a dead actuator has no pressure from the beginning, as with a burst film, a leaking seal or a line that was not connected, and "
    "nobody notices: its cells do not pull, and the strip on the body stays limp"
)
"""Assumption about the failure."""


@dataclass(frozen=True, slots=True)
class DeadActuator:
    """An actuator without pressure, and the success of the design with it."""

    number: int
    """Position counted from the base, starting at 1."""
    place: str
    """Section and side of the actuator in words."""
    estimate: Estimate
    """Trials with it; all other errors are as drawn."""

    def content(self) -> dict[str, Any]:
        """Content for a JSON file."""
        return {
            "actuator": self.number,
            "reached": self.estimate.reached,
            "trials": self.estimate.trials,
            "interval_95": [round(end, 4) for end in self.estimate.interval],
        }


def without_pressure(design: Design, number: int) -> Design:
    """The design whose actuator of this number, from 1 at the base, is dead."""
    numbers = iter(range(1, design.actuators + 1))
    sections = tuple(
        replace(one, on=one.on and next(numbers) != number) if one.actuated else one for one in design.sections
    )
    return replace(design, sections=sections, success=None)


def pressurised_numbers(design: Design) -> list[int]:
    """Numbers of the actuators with pressure, from 1 at the base."""
    return [number for number, section in enumerate(design.actuated, start=1) if section.on]


def try_dead_actuators(survey: Survey) -> Iterator[DeadActuator]:
    """Grow the design of a survey with each of its actuators dead in turn, in the first of its trials of all errors together."""
    design, count = survey.design, min(survey.trials, MOST_TRIALS)
    for number in pressurised_numbers(design):
        dead, reached = without_pressure(design, number), 0
        for first in range(0, count, BATCH):
            worlds = survey.worlds(ALL, range(first, min(first + BATCH, count)))
            reached += int(grow_trials(dead, worlds).reached.sum())
        section = design.actuated[number - 1]
        place = f"{1e3 * section.start:.0f} to {1e3 * section.end:.0f} mm {section.side}"
        yield DeadActuator(number, place, Estimate(reached, count))


def dead_table(dead: Sequence[DeadActuator]) -> list[str]:
    """Make the table of a report, as lines of Markdown; none without actuators that were tried."""
    if not dead:
        return []
    rows = [[f"{one.number}", one.place, one.estimate.words(), f"{one.estimate.trials}"] for one in dead]
    lines = ["", "## Dead actuators", "", f"Success with one actuator dead. Assumed: {ASSUMED}.", ""]
    return lines + markdown_table(("dead actuator", "section", "success %", "trials"), rows)
