"""The builder's guide: pages of the template that say everything needed to build from the pack alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from planner.drawing.style import ACTUATOR, FAINT
from planner.fabrication.assembly.acceptance import Bend
from planner.fabrication.assembly.build import Build
from planner.fabrication.assembly.films import FILMS, SOURCES
from planner.fabrication.assembly.pressures import REGULATOR, YIELD, yielding_lines
from planner.fabrication.assembly.tolerance import Placement, idle_text
from planner.fabrication.assembly.vessel import Vessel
from planner.fabrication.assembly.wall_base import WallBase
from planner.fabrication.guide.acceptance_page import write_acceptance
from planner.fabrication.guide.base_page import write_base
from planner.fabrication.guide.bench import Bench
from planner.fabrication.guide.bench_page import write_bench
from planner.fabrication.guide.checklist import Contents, draw_checklist
from planner.fabrication.guide.flow import MARGIN, SIZE, SMALL, Column, Flow, line_height, wrap
from planner.fabrication.guide.numbers_page import write_numbers
from planner.fabrication.guide.paper import Page, Paper
from planner.fabrication.guide.plumbing_page import write_plumbing_pages
from planner.fabrication.guide.seal_strips import draw_ladder
from planner.fabrication.guide.sketch import HEIGHT, WIDTH, PageSketch
from planner.fabrication.guide.steps import BuildStep, steps
from planner.fabrication.guide.tolerance_page import write_tolerances
from planner.fabrication.guide.wall_base_page import write_wall_base
from planner.fabrication.lists.parts import STRIP, STRIPS, parts_list

NAME, WIDE, USUAL = 1.3, 4.2, 2.0
"""Shares of columns with names, with sentences, and of others."""


@dataclass(frozen=True)
class Guide:
    """The content of the guide."""

    build: Build
    lines: list[dict[str, Any]]
    """Lines of the pressure file."""
    bends: list[Bend]
    placement: Placement | None
    """None if the build misses the goal in simulation."""
    vessel: Vessel | None
    stock: str | None
    """Changes by the stock sizes, if the tubes were chosen from stock."""
    formed: Sequence[Bend] = ()
    """The preformed bends."""
    meaning: str = ""
    """Meaning of the accepted ranges in sentences; empty if there are none."""
    wall: WallBase | None = None
    """The base, if it is in a wall."""
    bench: Bench | None = None
    """The bench on which the tube grows."""
    files: Sequence[str] = ()
    """Files of the pack beside the guide, with slashes."""

    @cached_property
    def steps(self) -> list[BuildStep]:
        """The steps of the work, in order."""
        return steps(self.build, self.vessel, self.wall is not None)


def guide_pages(guide: Guide, paper: Paper, before: int = 0, sheets: int = 0) -> list[Page]:
    """Draw the guide.

    Args:
        before: Number of pages before it.
        sheets: Number of sheets of the pattern after it.
    """
    flow = Flow(paper)
    _write_parts(flow, guide)
    _write_seals(flow, guide.build)
    _write_steps(flow, guide)
    if guide.wall:
        write_wall_base(flow, guide.vessel, guide.build, guide.wall)
    else:
        write_base(flow, guide.vessel, guide.build)
    if guide.bench:
        write_bench(flow, guide.bench, guide.placement)
    write_plumbing_pages(flow, guide.build)
    _write_pressures(flow, guide)
    write_tolerances(flow, guide.build, guide.placement)
    write_acceptance(flow, guide.build, guide.bends, guide.formed, guide.lines, guide.meaning)
    write_numbers(flow, guide.build)
    _write_sources(flow)

    def checklist(ahead: int) -> list[Page]:
        first = before + ahead + 1
        places = {text: first + page for text, page in flow.places.items()}
        after = first + len(flow.pages)
        contents = Contents(places, guide.steps, range(after, after + sheets), guide.files)
        return draw_checklist(paper, guide.build, guide.vessel, bool(guide.meaning), contents)

    # The number of its pages does not depend on the page numbers in it.
    return [*checklist(len(checklist(0))), *flow.pages]


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
        (p.name, p.amount, p.unit.replace("m2", "m²"), p.what, p.purpose)
        for p in parts_list(guide.build, guide.vessel, guide.wall)
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
        "differently, so measure that tube before you plan with it. The sources are listed at the end of the guide."
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
    listed = guide.steps
    column = (flow.across - 8) / 2
    for first in range(0, len(listed), 2):
        pair = listed[first : first + 2]
        texts = [wrap(step.text, column, SIZE - 0.5) for step in pair]
        most = max(map(len, texts))
        flow.reserve(HEIGHT + 6.5 + line_height(SIZE - 0.5) * most + 4)
        for k, (step, lines) in enumerate(zip(pair, texts, strict=True)):
            at = MARGIN + k * (column + 8), flow.y + 4 + line_height(SIZE - 0.5) * most
            flow.note(step.title)
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
        flow.paragraph(f"{idle_text(off)} The set point is for the other environments of this tube.", mark="!")
    if guide.build.design.schedule:
        flow.paragraph(
            "Pressures change while this tube grows: the set points above are the highest ones. Follow the table of the operation.",
            mark="!",
        )
    if yielding := yielding_lines(guide.lines):
        flow.paragraph(
            f"Film stress above {YIELD / 1e6:g} MPa, where LDPE begins to yield (source 2): {', '.join(yielding)}. Inflate a "
            "sample of your film to "
            "the set point for an hour; if it has grown wider, use thicker film.",
            mark="!",
        )


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
