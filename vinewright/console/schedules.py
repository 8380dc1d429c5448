"""Schedules of pressure on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from planner.design.design import Design

MOST_CHANGES = 12
"""Maximum number of changes of pressure that are listed."""
ScheduleOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.csv",
        help="Pressures of the actuators over the grown length, instead of those of the design: columns grown_mm, and one ending in "
        "_kpa for each actuator.",
    ),
]


def apply_schedule(design: Design, file: Path | None) -> Design:
    """Return the design with the schedule in a file, if one is given (`ScheduleOption`).

    Raises:
        InvalidSchedule: The schedule cannot be used.
    """
    from planner.design.schedule_file import read_schedule

    return design if file is None else design.scheduled(read_schedule(file, design))


def schedule_text(design: Design) -> str | None:
    """Return the changes of a design's pressures during growth as text, one per line; None if pressures are constant."""
    if (schedule := design.schedule) is None:
        return None
    lengths, pressures = 1e3 * schedule.lengths, 1e-3 * schedule.pressures
    lines = []
    for row in range(1, len(lengths)):
        moved = (pressures[row] != pressures[row - 1]).nonzero()[0]
        if len(moved):
            changes = [
                f"actuator {k + 1} from {pressures[row - 1, k]:.4g} to {pressures[row, k]:.4g} kPa" for k in moved
            ]
            step = lengths[row] == lengths[row - 1]
            where = (
                f"held at {lengths[row]:.0f} mm" if step else f"from {lengths[row - 1]:.0f} to {lengths[row]:.0f} mm"
            )
            lines.append(f"{where}: {', '.join(changes)}")
    more = [f"and {len(lines) - MOST_CHANGES} more changes"] if len(lines) > MOST_CHANGES else []
    return "\n".join([*lines[:MOST_CHANGES], *more]) or None
