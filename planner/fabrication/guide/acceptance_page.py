"""The section of the guide about the acceptance test: what to measure on the body, on each actuator and on each preformed bend."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from planner.drawing.style import ACTUATOR, FAINT
from planner.fabrication.assembly.acceptance import Bend
from planner.fabrication.assembly.build import Build
from planner.fabrication.assembly.pressure_check import LONGER, PressureStep, pressure_steps, remedies
from planner.fabrication.guide.flow import SMALL, Column, Flow

NAME = 1.3
"""Share of a column with names."""
MEASURED = Column("measured [deg]", 1.8, "right"), Column("", 0.9, "right")
BLANK = "_______", "☐"


def write_acceptance(
    flow: Flow,
    build: Build,
    bends: Sequence[Bend],
    formed: Sequence[Bend],
    lines: Sequence[dict[str, Any]],
    meaning: str,
) -> None:
    """Write the section.

    Args:
        bends: Bends of the actuators.
        formed: Bends that are preformed.
        lines: Lines of the pressure file, the body's first.
        meaning: Meaning of the accepted ranges in sentences; empty if there are none.
    """
    flow.heading("Acceptance test", 40)
    growth = build.design.params.growth_pressure / 1e3
    flow.paragraph(
        f"Body clamped, sealed and at {growth:.3g} kPa: holds its pressure for 5 minutes with the valve shut.", mark="☐"
    )
    flow.paragraph("Body grows on the table, without obstacles, from the vessel to its full length.", mark="☐")
    if formed:
        _write_formed(flow, build, formed)
    elif not bends:
        flow.paragraph(
            "Fully grown, the body lies straight: no point is off the line from base to tip by more than its radius.",
            mark="☐",
        )
    if bends:
        _write_actuated(flow, build, bends)
        _write_remedies(flow, build, lines)
    if meaning:
        flow.paragraph(meaning)


def _write_actuated(flow: Flow, build: Build, bends: Sequence[Bend]) -> None:
    """Write the acceptance test of the actuators."""
    flow.paragraph(
        "Then each actuator, alone, in free space: lay the tube straight on a smooth table, at its growth pressure. Set the "
        "one actuator to each pressure of the table in turn, lift the bent part once and let it settle. Measure the angle between the "
        "straight tube before the actuator and that behind it, and tick it off if the angle lies within the accepted range. The last row "
        "of each actuator, at its set point, decides; the other two show what is wrong if it fails."
    )
    flow.reserve(1.5)
    heads = "pressure [kPa]", "bend [deg]", "accept from", "to [deg]", "radius [mm]", "end aside [mm]"
    columns = (Column("actuator", NAME + 0.6), Column("side", 1.1), *(Column(head, 1.8, "right") for head in heads))
    rows, colours = [], []
    for bend, steps in zip(bends, pressure_steps(build, [bend.accepted for bend in bends]), strict=True):
        for step in steps[:-1]:
            numbers = f"{step.pressure / 1e3:g}", f"{math.degrees(step.angle):.0f}", *_step_range(step), "", ""
            rows.append((bend.name, bend.side, *numbers, *BLANK))
        sizes = f"{1e3 * bend.radius:.0f}", f"{1e3 * bend.aside:.0f}"
        numbers = f"{bend.pressure / 1e3:g}", f"{math.degrees(bend.angle):.0f}", *_accepted(bend), *sizes
        rows.append((bend.name, bend.side, *numbers, *BLANK))
        colours += [ACTUATOR[bend.side]] * len(steps)
    flow.table((*columns, *MEASURED), rows, colours, rules=True)
    flow.reserve(2)
    flow.paragraph(
        "Bend, radius and end aside (distance of the actuator's end from the straight line of the tube before it) are those of the "
        "model, on the middle of the tube. Judge by the angle, which is the same for the middle of the tube and for its walls. Below the "
        "set point, the range is that of errors which act as a wrong pressure does; without pressure, of a bend that adds to the planned "
        "one; negative is to the other side.",
        size=SMALL,
        colour=FAINT,
    )


def _write_remedies(flow: Flow, build: Build, lines: Sequence[dict[str, Any]]) -> None:
    """Write what to change, in order, if an actuator fails, and by how much each change bends the tube."""
    flow.heading("If an actuator fails the test", 24)
    flow.paragraph(
        "Pressure: measure it at the actuator's fitting, with the valve open. Too small a bend: raise the pressure until the angle lies in "
        "the range, at most to the limit below, and use that as the set point. Too large a bend: lower it.",
        mark="1",
    )
    flow.paragraph(
        "Leaks: shut the valve and watch the gauge for a minute. If the pressure falls, find the leak with soap water and seal again.",
        mark="2",
    )
    flow.paragraph(
        "Cells: count them, with all free of kinks and open to one another, and measure the distances between the marks. Too few cells "
        "that fill, or cells too short or too long, change the bend as below.",
        mark="3",
    )
    flow.paragraph(
        "Bend that stays without pressure: press the cells flat and lay the tube straight again; if it stays, the strip was fixed under "
        "tension: fix it again, mark on mark. What remains is the film: thicker film bends less.",
        mark="4",
    )
    flow.reserve(1.5)
    heads = (
        "set point [kPa]",
        "limit [kPa]",
        "bend at the limit [deg]",
        "one cell more or less [deg]",
        f"all cells {1e3 * LONGER:g} mm longer [deg]",
    )
    limits = [1e3 * line["limit_kpa"] for line in lines[1:]]
    rows = []
    for actuator, found in zip(build.actuators, remedies(build, limits), strict=True):
        most = f"{math.degrees(found.most):.1f}" if found.most is not None else "at its limit"
        numbers = f"{actuator.section.pressure / 1e3:g}", f"{found.limit / 1e3:g}", most
        changes = f"± {math.degrees(found.cell):.1f}", f"{math.degrees(found.longer):+.1f}".replace("-", "−")
        rows.append((found.name, *numbers, *changes))
    columns = Column("actuator", NAME + 0.6), *(Column(head, 2.6, "right") for head in heads)
    flow.table(columns, rows, [ACTUATOR[actuator.section.side] for actuator in build.actuators])
    flow.reserve(2)


def _write_formed(flow: Flow, build: Build, formed: Sequence[Bend]) -> None:
    """Write the acceptance test of the preformed bends."""
    flow.paragraph(
        "Each preformed bend, in free space: body at its growth pressure on a smooth table, no actuator under pressure. Lift the tube "
        "once and let it settle, measure the angle between the tube before the bend and that behind it, and tick the bend off if it "
        "lies within the accepted range. If it does not, tape its folds again."
    )
    flow.reserve(1.5)
    heads = "folds", "turn [deg]", "accept from", "to [deg]", "radius [mm]", "end aside [mm]"
    columns = Column("bend", NAME + 0.6), Column("side", 1.1), *(Column(head, 1.8, "right") for head in heads)
    rows = []
    for bend, made in zip(formed, build.bends, strict=True):
        sizes = (
            f"{math.degrees(bend.angle):.0f}",
            *_accepted(bend),
            f"{1e3 * bend.radius:.0f}",
            f"{1e3 * bend.aside:.0f}",
        )
        rows.append((bend.name, bend.side, str(len(made.folds.at)), *sizes, *BLANK))
    flow.table((*columns, *MEASURED), rows, [ACTUATOR[bend.side] for bend in formed], rules=True)
    flow.reserve(2)


def _accepted(bend: Bend) -> tuple[str, str]:
    """Return the accepted range in degrees, rounded inwards."""
    if bend.accepted is None:
        return "-", "-"
    ends = _inwards(bend.accepted.low, bend.accepted.high)
    first, second = (f"{end:.4g}{'*' * free}" for end, free in zip(ends, bend.accepted.open, strict=True))
    return first, second


def _step_range(step: PressureStep) -> tuple[str, str]:
    """Return the accepted range below the set point in degrees, rounded inwards."""
    if step.accepted is None:
        return "-", "-"
    first, second = (f"{end:.4g}".replace("-", "−") for end in _inwards(*step.accepted))
    return first, second


def _inwards(lowest: float, highest: float) -> tuple[float, float]:
    """Return the ends of a range [rad] in degrees, rounded inwards to whole degrees, or to tenths if it is narrow."""
    low, high = math.degrees(lowest), math.degrees(highest)
    step = 1 if high - low >= 2 else 0.1
    # Adding zero turns a negative zero into zero.
    return math.ceil(low / step - 1e-9) * step + 0.0, math.floor(high / step + 1e-9) * step + 0.0
