"""Pages of the guide about plumbing and operation: the drawing, the valves, the feed lines, and what to open at which mark."""

from __future__ import annotations

from planner.drawing.style import ACTUATOR, INK
from planner.fabrication.assembly.build import HOLE, LEAD, Build
from planner.fabrication.guide.flow import MARGIN, SIZE, Column, Flow, line_height
from planner.fabrication.guide.operation_text import operation_rows
from planner.fabrication.guide.paper import LONG_EDGE
from planner.fabrication.guide.plumbing_drawing import (
    ACROSS,
    ROW_HEIGHT,
    draw_plumbing,
    drawing_height,
    line_lengths,
    rows_of,
)
from planner.fabrication.guide.sketch import PageSketch
from planner.fabrication.lists.plumbing_parts import JOINT, THREAD, VESSEL_THREAD, kilopascals
from planner.fabrication.plumbing.feed_lines import LAYERS, TAPE_EVERY, FeedLine, FeedLines
from planner.fabrication.plumbing.operation import operation_of
from planner.fabrication.plumbing.plumbing import BODY_SHUT_OFF, SUPPLY_SHUT_OFF, Plumbing, plumbing_of
from planner.output.text import millimetres

HEAD = 26.0
"""Room for the title of the first page [mm]."""


def write_plumbing_pages(flow: Flow, build: Build) -> None:
    """Write the pages about plumbing and operation."""
    plumbing = plumbing_of(build)
    flow.title(
        "Plumbing and operation",
        "The same drawing is in plumbing.svg, the same set points in schedule.csv and schedule.json.",
    )
    _draw(flow, build, plumbing)
    _write_assembly(flow, plumbing)
    if build.actuators:
        _write_feed_lines(flow, build)
    _write_operation(flow, build, plumbing)


def _draw(flow: Flow, build: Build, plumbing: Plumbing) -> None:
    """Draw the plumbing, on as many pages as it takes."""
    rows, lengths = rows_of(plumbing), line_lengths(build)
    first = 0
    while first < len(rows):
        room = (flow.y if not first else LONG_EDGE[flow.paper] - MARGIN) - MARGIN - HEAD
        count = max(1, int((room - drawing_height(rows[:1])) / ROW_HEIGHT) + 1)
        shown = rows[first : first + count]
        flow.reserve(drawing_height(shown) + 2)
        draw_plumbing(PageSketch(flow.page, (flow.width - ACROSS) / 2, flow.y + 1), shown, lengths, first == 0)
        first += count


def _write_assembly(flow: Flow, plumbing: Plumbing) -> None:
    """Write how the parts are joined, and how leaks are found."""
    flow.heading("How to join the parts", 3 * line_height(SIZE))
    texts = [
        f"Dry air at {kilopascals(max(one.range for one in plumbing.regulators))} kPa or more comes from the supply.",
        f"Mount the parts on a board near the base and join them by pieces of 6 mm tube, {millimetres(JOINT)} mm long (assumed). The last "
        f"piece, {millimetres(LEAD)} mm, leads to the push-in fitting {VESSEL_THREAD} of the vessel.",
        "Set each relief valve before it is mounted: raise the pressure before it until it opens. It has to open above the set point "
        "of its regulator and at or below the limit that the drawing gives.",
    ]
    if plumbing.valves:
        texts.append(
            "A 3/2-way valve joins its line to the regulator when it is open, and vents the line when it is closed or has no current. "
            "Valves with pilot need more pressure than there is here: take direct-acting ones. Valves that are turned by hand do as well."
        )
    if moving := [one for one in plumbing.regulators if one.proportional]:
        names = " and ".join(f"{one.name} ({', '.join(one.lines)})" for one in moving)
        texts.append(
            f"{names} {'are' if len(moving) > 1 else 'is'} proportional: this pressure changes while the tube grows, so the line has a "
            "regulator of its own, which a controller sets by schedule.json. It vents the line when its set point falls."
        )
    tested = "all regulators set and all valves open" if plumbing.valves else "all regulators set"
    texts.append(
        f"Leak test of the lines: with {tested}, shut {SUPPLY_SHUT_OFF} and read the gauges: they fall by less than a tenth in 5 "
        f"minutes (assumed). Of the body alone: shut {BODY_SHUT_OFF}, with a gauge at the vessel."
    )
    for k, text in enumerate(texts, start=1):
        flow.paragraph(text, str(k))


def _write_feed_lines(flow: Flow, build: Build) -> None:
    """Write where each feed line runs and where the feed end of its strip lies."""
    lines, plumbing = FeedLines(build).each, plumbing_of(build)
    flow.heading("Feed lines", 5 * line_height(SIZE))
    columns = (
        Column("line", 0.8),
        Column("valve", 0.8),
        Column("runs on the", 2.2),
        Column("from its fold [mm]", 1.4, "right"),
        Column("fitting from base [mm]", 1.6, "right"),
        Column("tapes", 0.9, "right"),
        Column("length [mm]", 1.2, "right"),
        Column("feed end of the strip", 5.4),
    )
    rows = []
    for one in lines:
        regulator, branch = plumbing.feeding(one.name)
        course = "- (no room)" if one.course == "none" else f"{one.course}, {one.actuator.section.side} half"
        numbers = (
            "-" if one.course == "none" else millimetres(one.from_fold),
            millimetres(one.fitting),
            str(one.tapes),
            millimetres(one.length),
        )
        rows.append((one.name, branch.valve or regulator.name, course, *numbers, _end_text(one)))
    flow.table(columns, rows, [ACTUATOR[one.actuator.section.side] for one in lines])
    flow.reserve(2)
    flow.paragraph(
        f"Punch a hole of {1e3 * HOLE:g} mm for each fitting ({THREAD}, nut and washers on both sides of the film). The feed lines run "
        "side by side along the body, that of the farthest section next to the middle; distances from the fold are measured across the "
        f"film. Put a piece of tape across each every {millimetres(TAPE_EVERY)} mm, and where it turns to its fitting; it must lie "
        "loose, never taut. All leave at the base line, outside on the clamp, to their valves. The slack of a feed end is laid in "
        f"{LAYERS} layers (assumed); an end seal that reaches the cells of the next section is folded back."
    )


def _end_text(line: FeedLine) -> str:
    """Return where the feed end of a strip lies."""
    text = "on the fold"
    if line.place == "aside":
        text = f"beside {' and '.join(line.past)}: its axis {millimetres(line.aside)} mm from the fold, towards the top"
    elif line.place == "none":
        text = f"no room beside {' and '.join(line.past)}: see the warnings"
    if line.behind > 0:
        text += f"; its last {millimetres(line.behind)} mm behind the base line, outside on the clamp"
    return text


def _write_operation(flow: Flow, build: Build, plumbing: Plumbing) -> None:
    """Write what to open and to set at which mark."""
    flow.heading("Operation", 6 * line_height(SIZE))
    operation, rows = operation_of(build), operation_rows(build)
    flow.paragraph(
        "The marks S1, S2, ... are printed on the body. The film that comes out at the tip is as far from the base line as the tube has "
        "grown: a mark appears at the tip when the tube has grown by its distance from the base line."
        if operation.marks
        else "Nothing is switched while this tube grows."
    )
    flow.reserve(1.5)
    flow.table(
        (Column("when", 4.6), Column("grown [mm]", 1.5, "right"), Column("what to do", 8.6)), rows, [INK] * len(rows)
    )
    flow.reserve(2)
    unused = [
        name for k, name in enumerate(operation.names) if not any(event.pressures[k] for event in operation.events)
    ]
    if unused:
        flow.paragraph(
            f"{' and '.join(unused)} {'stay' if len(unused) > 1 else 'stays'} without pressure here: leave the valve closed. It is for "
            "another environment of this tube."
        )
    growth = kilopascals(plumbing.regulators[0].pressure)
    flow.paragraph(f"Keep the body at {growth} kPa while it grows.")
