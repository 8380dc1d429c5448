"""The builder's guide: pages of the template that say everything needed to build from the pack alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from planner.drawing.style import ACTUATOR, FAINT
from planner.fabrication.acceptance import Bend
from planner.fabrication.base_page import write_base
from planner.fabrication.build import Build
from planner.fabrication.films import FILMS, SOURCES
from planner.fabrication.flow import MARGIN, SIZE, SMALL, Column, Flow, line_height, wrap
from planner.fabrication.numbers_page import write_numbers
from planner.fabrication.paper import Page, Paper
from planner.fabrication.parts import STRIP, STRIPS, parts_list
from planner.fabrication.pressures import REGULATOR, YIELD, yielding_lines
from planner.fabrication.seal_strips import draw_ladder
from planner.fabrication.sketch import HEIGHT, WIDTH, PageSketch
from planner.fabrication.steps import steps
from planner.fabrication.tolerance import Placement
from planner.fabrication.vessel import Vessel
from planner.uncertainty.sensitivity import STEPS, Margin

NAME, WIDE, USUAL = 1.3, 4.2, 2.0
"""Shares of columns with names, with sentences, and of others."""


@dataclass(frozen=True)
class Guide:
    """The content of the guide."""

    build: Build
    lines: list[dict[str, Any]]
    """Lines of the pressure file."""
    bends: list[Bend]
    placement: Placement
    vessel: Vessel | None
    reached: bool
    """Whether the build reaches the goal in simulation."""
    stock: str | None
    """Changes by the stock sizes, if the tubes were chosen from stock."""
    formed: Sequence[Bend] = ()
    """The preformed bends."""
    meaning: str = ""
    """Meaning of the accepted ranges in sentences; empty if there are none."""


def guide_pages(guide: Guide, paper: Paper) -> list[Page]:
    """Draw the guide."""
    flow = Flow(paper)
    _write_parts(flow, guide)
    _write_seals(flow, guide.build)
    _write_sources(flow)
    _write_steps(flow, guide)
    write_base(flow, guide.vessel, guide.build)
    _write_pressures(flow, guide)
    _write_tolerances(flow, guide)
    _write_acceptance(flow, guide)
    write_numbers(flow, guide.build)
    return flow.pages


def _write_parts(flow: Flow, guide: Guide) -> None:
    flow.title(
        "Parts and materials",
        "Everything for one build, with allowances; the same list is in parts.csv. Lengths of each piece: cut-list.csv.",
    )
    columns = (
        Column("part", 3.0),
        Column("quantity", 1.3, "right"),
        Column("", 1.3),
        Column("specification", 6.4),
        Column("for", 4.9),
    )
    rows = [
        (p.name, p.amount, p.unit.replace("m2", "m²"), p.what, p.purpose) for p in parts_list(guide.build, guide.vessel)
    ]
    flow.table(columns, rows)
    flow.reserve(2)
    flow.paragraph(
        "Lay-flat width is half the circumference: π times the radius when inflated. Film is sold by this width and its thickness."
        + (f" Tubes chosen from stock: {guide.stock}." if guide.stock else ""),
        size=SMALL,
        colour=FAINT,
    )
    flow.heading("Films and sealing", 2 * line_height(SIZE))
    films = [(f.name, f.thickness, f.temperature, f.time, ", ".join(map(str, f.sources)) or "assumed") for f in FILMS]
    columns = (
        Column("film", 4.6),
        Column("thickness", 3.4),
        Column("sealing bar", 2.2),
        Column("time", 1.8),
        Column("sources", 1.3),
    )
    flow.table(columns, films)
    flow.reserve(2)
    flow.paragraph(
        "The ranges are starting points: find your own setting on test strips. Temperature decides; the time only has to heat the film "
        "through, and pressure matters little once the layers touch (source 5). The model is of LDPE: another film bends and bursts "
        "differently, so measure that tube before you plan with it. The sources are listed after the test strips."
    )
    if note := guide.build.film_note:
        flow.paragraph(note, mark="!")
    flow.heading("Tools", 4 * line_height(SIZE))
    flow.paragraph(
        "Impulse sealer longer than the body is wide, or an iron with baking paper; knife, steel rule, scissors, marker; "
        "screwdriver and "
        "key for M5; tap G 1/8; brush; goggles; basin or soap water; source of dry air; pressure gauge of 1 kPa resolution; protractor."
    )


def _write_seals(flow: Flow, build: Build) -> None:
    flow.heading("Test strips: how to find the seal setting", 58)
    flow.reserve(50)
    draw_ladder(flow.page, (flow.width - 170) / 2, flow.y)
    flow.reserve(1)
    for k, text in enumerate(
        (
            f"Cut {STRIPS} strips {1e3 * STRIP:.0f} mm long from the same roll as the tube, and seal each across its middle, with the "
            f"{_bars_text(build)}: four temperatures (or "
            "dial settings), from below the range of the table to its upper end, three strips at each.",
            "Let the seal cool under the closed bar for as long as it was heated. Mark the strip with its setting.",
            "Peel each strip by hand: hold one layer in each hand and pull slowly at a right angle to the seal.",
            "Too cold: the layers come apart at the seal. Right: the film beside the seal stretches or tears first, in all "
            "three strips. "
            "Too hot: the seal is thin, wrinkled or has holes, and tears along its edge.",
            "Take the middle of the settings that are right. Repeat with every new roll.",
            "Inflate a sealed sample to the limits of the pressure table, behind a shield, before you make the parts.",
        ),
        start=1,
    ):
        flow.paragraph(text, str(k))


def _bars_text(build: Build) -> str:
    """Return the widths of the bars that make the seals of a pattern."""
    bars = sorted({build.bar, *(one.bar for one in build.actuators if one.bar)})
    of = "bar of the pattern" if len(bars) == 1 else "bars of the pattern"
    return f"{of}, {' and '.join(f'{1e3 * bar:g}' for bar in bars)} mm wide"


def _write_steps(flow: Flow, guide: Guide) -> None:
    flow.title("Order of work", "Read all steps before you cut.")
    listed = steps(guide.build, guide.vessel)
    column = (flow.across - 8) / 2
    for first in range(0, len(listed), 2):
        pair = listed[first : first + 2]
        texts = [wrap(step.text, column, SIZE - 0.5) for step in pair]
        most = max(map(len, texts))
        flow.reserve(HEIGHT + 6.5 + line_height(SIZE - 0.5) * most + 4)
        for k, (step, lines) in enumerate(zip(pair, texts, strict=True)):
            at = MARGIN + k * (column + 8), flow.y + 4 + line_height(SIZE - 0.5) * most
            _write_step(flow.page, f"{first + k + 1}  {step.title}", lines, at)
            step.draw(PageSketch(flow.page, at[0] + (column - WIDTH) / 2, at[1] + 7))


def _write_step(page: Page, title: str, lines: list[str], at: tuple[float, float]) -> None:
    """Write the title of a step, and its text, which begins at a point [mm]."""
    left, top = at
    page.text(left, top + 1.8, title, 9, weight="bold")
    for k, line in enumerate(lines):
        page.text(left, top - line_height(SIZE - 0.5) * (k + 0.75), line, SIZE - 0.5)


def _write_pressures(flow: Flow, guide: Guide) -> None:
    flow.title(
        "Pressures, tolerances and acceptance",
        "Set points, limits and margins of this design; the same numbers are in pressures.json.",
    )
    flow.heading("Pressure lines [kPa]", 20)
    heads = "set point", "limit", "head room", "regulator, at least", "goal kept from", "to", "film stress [MPa]"
    kinds = [Column("type", NAME)] * guide.build.mixed
    columns = Column("line", NAME), *kinds, *(Column(head, USUAL, "right") for head in heads)
    rows = []
    for line in guide.lines:
        kept = [
            f"{line[key]:g}" if line.get(key) is not None else "-" for key in ("goal_kept_from_kpa", "goal_kept_to_kpa")
        ]
        numbers = [f"{line[key]:.4g}" for key in ("set_kpa", "limit_kpa", "head_room_kpa", "regulator_kpa")]
        kind = [line.get("type", "")] * guide.build.mixed
        rows.append((line["line"], *kind, *numbers, *kept, f"{line['hoop_stress_mpa']:.3g}"))
    flow.table(columns, rows, _colours(guide))
    flow.reserve(2)
    flow.paragraph(
        f"Head room is limit minus set point; a regulator needs a range of {REGULATOR:g} times its set point (assumed). Never "
        "exceed a limit: "
        "fit a relief valve. Goal kept: pressures at which an actuator that is made as planned passes the acceptance test."
    )
    if off := guide.build.off:
        flow.paragraph(
            f"Leave {' and '.join(off)} without pressure in this environment. The set point is for the other environments of this tube.",
            mark="!",
        )
    if guide.build.design.schedule:
        flow.paragraph(
            "Pressures change while this tube grows: follow schedule.csv. The set points above are the highest ones. Between two rows a "
            "pressure changes in proportion to the grown length. Where two rows have the same length, stop the growth, change the "
            "pressure, and wait until the tube is at rest.",
            mark="!",
        )
    if yielding := yielding_lines(guide.lines):
        flow.paragraph(
            f"Film stress above {YIELD / 1e6:g} MPa, where LDPE begins to yield (source 2): {', '.join(yielding)}. Inflate a "
            "sample of your film to "
            "the set point for an hour; if it has grown wider, use thicker film.",
            mark="!",
        )


def _write_tolerances(flow: Flow, guide: Guide) -> None:
    flow.heading("Placement tolerance", 24)
    if not guide.reached:
        flow.paragraph("This design misses its goal in the model, so there is no tolerance.")
        return
    spot = guide.placement
    if guide.build.actuators:
        heads = "nearer to the base [mm]", "nearer to the tip [mm]"
        columns = Column("actuator", NAME), *(Column(head, 3.0, "right") for head in heads), Column("", 6.0)
        pairs = zip(guide.build.actuators, spot.actuators, strict=True)
        flow.table(columns, [(actuator.name, *_sides(place), "") for actuator, place in pairs], _colours(guide)[1:])
        flow.reserve(2)
    if guide.build.bends:
        heads = "nearer to the base [mm]", "nearer to the tip [mm]"
        columns = Column("preformed bend", NAME + 0.6), *(Column(head, 3.0, "right") for head in heads), Column("", 6.0)
        rows = [(bend.name, *_sides(place), "") for bend, place in zip(guide.build.bends, spot.bends, strict=True)]
        flow.table(columns, rows, _bend_colours(guide))
        flow.reserve(2)
    (right, left), (clockwise, anticlockwise) = _sides(spot.aside), _sides(spot.heading)
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
    if guide.build.actuators:
        flow.paragraph(
            "The simulated tube has actuators without thickness: it needs more room beside it than in the model. It bends less where "
            "seals are wider than on the pattern, which the acceptance test shows."
        )


def _write_acceptance(flow: Flow, guide: Guide) -> None:
    flow.heading("Acceptance test", 40)
    growth = guide.build.design.params.growth_pressure / 1e3
    flow.paragraph(
        f"Body clamped, sealed and at {growth:.3g} kPa: holds its pressure for 5 minutes with the valve shut.", mark="☐"
    )
    flow.paragraph("Body grows on the table, without obstacles, from the vessel to its full length.", mark="☐")
    if guide.formed:
        _write_formed(flow, guide)
    elif not guide.bends:
        flow.paragraph(
            "Fully grown, the body lies straight: no point is off the line from base to tip by more than its radius.",
            mark="☐",
        )
    if guide.bends:
        _write_actuated(flow, guide)
    if guide.meaning:
        flow.paragraph(guide.meaning)


def _write_actuated(flow: Flow, guide: Guide) -> None:
    """Write the acceptance test of the actuators."""
    flow.paragraph(
        "Then each actuator, alone, in free space: lay the tube straight on a smooth table, at its growth pressure. Put the "
        "one actuator at "
        "its pressure, lift the bent part once and let it settle. Measure the angle between the straight tube before the actuator and "
        "that behind it, and tick the actuator off if the angle lies within the accepted range. If it does not: check the "
        "pressure, then "
        "leaks, then the distances between the marks."
    )
    flow.reserve(1.5)
    heads = (
        "set point [kPa]",
        "bend [deg]",
        "accept from",
        "to [deg]",
        "radius [mm]",
        "end aside [mm]",
        "measured [deg]",
    )
    columns = (
        Column("actuator", NAME + 0.6),
        Column("side", 1.1),
        *(Column(head, 1.8, "right") for head in heads),
        Column("", 0.9, "right"),
    )
    rows = []
    for bend in guide.bends:
        numbers = (
            f"{bend.pressure / 1e3:g}",
            f"{_degrees(bend.angle):.0f}",
            *_accepted(bend),
            f"{1e3 * bend.radius:.0f}",
            f"{1e3 * bend.aside:.0f}",
        )
        rows.append((bend.name, bend.side, *numbers, "_______", "☐"))
    flow.table(columns, rows, _colours(guide)[1:], rules=True)
    flow.reserve(2)
    flow.paragraph(
        "Bend, radius and end aside (distance of the actuator's end from the straight line of the tube before it) are those of the "
        "model, on the middle of the tube. Judge by the angle, which is the same for the middle of the tube and for its walls.",
        size=SMALL,
        colour=FAINT,
    )


def _write_formed(flow: Flow, guide: Guide) -> None:
    """Write the acceptance test of the preformed bends."""
    flow.paragraph(
        "Each preformed bend, in free space: body at its growth pressure on a smooth table, no actuator under pressure. Lift the tube "
        "once and let it settle, measure the angle between the tube before the bend and that behind it, and tick the bend off if it "
        "lies within the accepted range. If it does not, tape its folds again."
    )
    flow.reserve(1.5)
    heads = "folds", "turn [deg]", "accept from", "to [deg]", "radius [mm]", "end aside [mm]", "measured [deg]"
    columns = (
        Column("bend", NAME + 0.6),
        Column("side", 1.1),
        *(Column(head, 1.8, "right") for head in heads),
        Column("", 0.9, "right"),
    )
    rows = []
    for bend, made in zip(guide.formed, guide.build.bends, strict=True):
        sizes = f"{_degrees(bend.angle):.0f}", *_accepted(bend), f"{1e3 * bend.radius:.0f}", f"{1e3 * bend.aside:.0f}"
        rows.append((bend.name, bend.side, str(len(made.folds.at)), *sizes, "_______", "☐"))
    flow.table(columns, rows, _bend_colours(guide), rules=True)
    flow.reserve(2)


def _write_sources(flow: Flow) -> None:
    flow.heading("Sources", 20)
    for k, source in enumerate(SOURCES, start=1):
        flow.paragraph(source, str(k), SMALL)
    flow.paragraph(
        "Everything else in this guide is a dimension of this design, a result of its simulation, or an assumption and named as such.",
        size=SMALL,
        colour=FAINT,
    )


def _colours(guide: Guide) -> list[str]:
    """Return the colours of the pressure lines."""
    return [FAINT, *(ACTUATOR[actuator.section.side] for actuator in guide.build.actuators)]


def _bend_colours(guide: Guide) -> list[str]:
    """Return the colours of the preformed bends."""
    return [ACTUATOR[bend.section.side] for bend in guide.build.bends]


def _sides(margin: Margin) -> tuple[str, str]:
    """Return a margin to both sides, as text."""
    step = margin.most / STEPS

    def text(value: float) -> str:
        if value < step / 2:
            return f"< {step:g}"
        return f"≥ {value:.3g}" if value > margin.most - step / 2 else f"{value:.3g}"

    return text(margin.less), text(margin.more)


def _accepted(bend: Bend) -> tuple[str, str]:
    """Return the accepted range in degrees, rounded inwards."""
    if bend.accepted is None:
        return "-", "-"
    low, high = _degrees(bend.accepted.low), _degrees(bend.accepted.high)
    step = 1 if high - low >= 2 else 0.1
    ends = math.ceil(low / step - 1e-9) * step, math.floor(high / step + 1e-9) * step
    first, second = (f"{end:.4g}{'*' * free}" for end, free in zip(ends, bend.accepted.open, strict=True))
    return first, second


def _degrees(angle: float) -> float:
    return 57.29577951308232 * angle
