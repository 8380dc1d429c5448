"""The page of the guide about the base: vessel, clamp, and how to print and mount them."""

from __future__ import annotations

import numpy as np
import shapely
from matplotlib.patches import Polygon

from planner.drawing.style import FAINT, INK
from planner.fabrication.assembly import clamp
from planner.fabrication.assembly.build import Build
from planner.fabrication.assembly.vessel import (
    BED,
    FILLED,
    PORT,
    PORT_OUT,
    PORT_UP,
    PORT_WIDE,
    PROOF,
    SAFETY,
    SPARE,
    Vessel,
    content,
    inside_of,
    outside_of,
)
from planner.fabrication.guide.flow import MARGIN, SIZE, Column, Flow, line_height
from planner.fabrication.guide.sketch import PRINT
from planner.output.text import millimetres
from surrogate.kernels.compiled import Floats

DRAWN, LEAST_DRAWN = 70.0, 54.0
"""Largest and smallest height of the drawing of the vessel [mm]; the smallest is that of its dimensions."""
SETTINGS = {
    "vessel": ("vessel.stl", "1", "PLA or PETG", "wall lines only, 100 %", "flange down, without support"),
    "clamp": ("clamp.stl", "2", "PETG", "4 lines, 50 %", "flat, without support"),
    "bracket": ("bracket.stl", "", "PETG or PLA", "4 lines, 100 %", "flat, without support"),
}
"""File, number, material, filling and orientation of each print; all are assumptions."""


def write_base(flow: Flow, vessel: Vessel | None, build: Build) -> None:
    """Write the page."""
    flow.title("Base and printed parts", "Parts to print, their settings, and how the base is mounted.")
    write_settings(flow, vessel, build)
    if vessel is None:
        write_other_vessel(flow, build)
        return
    write_vessel(flow, vessel)
    flow.heading("How to make and mount the base", 2 * line_height(SIZE))
    for k, text in enumerate(_instructions(vessel, build), start=1):
        flow.paragraph(text, str(k))


def write_other_vessel(flow: Flow, build: Build) -> None:
    """Write what a vessel needs that is not printed."""
    flow.heading("Vessel", line_height(SIZE))
    flow.paragraph(
        "No vessel is printed for a tube this narrow. Use a pressure vessel with a neck that fits into the body, an air "
        "inlet, and room "
        f"for {1e6 * content(build) / FILLED:.0f} cm³."
    )


def write_vessel(flow: Flow, vessel: Vessel) -> None:
    """Draw the vessel with its dimensions."""
    scale = min((DRAWN - 4) / vessel.height, 62 / vessel.width)
    height = max(scale * vessel.height + 4, LEAST_DRAWN)
    flow.heading("Vessel and clamp", height + 4)
    flow.reserve(height + 4)
    _draw_section(flow, vessel, scale)
    _write_dimensions(flow, vessel, height)


def write_settings(flow: Flow, vessel: Vessel | None, build: Build) -> None:
    """Write the files to print and their settings, if there are any."""
    wanted = ["vessel", "clamp"] if vessel else []
    ends = sum(len(actuator.ends) for actuator in build.actuators if actuator.end == "bracket")
    if ends:
        wanted.append("bracket")
    if not wanted:
        return
    flow.heading("Print settings", 20)
    heads = ("file", 1.6), ("number", 1.1), ("material", 1.8), ("filling", 2.6), ("on the bed", 3.2)
    rows = [[file, number or str(ends), *rest] for file, number, *rest in (SETTINGS[name] for name in wanted)]
    flow.table([Column(head, share) for head, share in heads], rows)
    flow.reserve(2)
    flow.paragraph(
        "Nozzle 0.4 mm, layers 0.2 mm, lines 0.4 mm, 5 % more flow for the vessel (all assumed). The files are in "
        "millimetres and lie as they "
        "are printed."
    )
    if vessel and not vessel.fits:
        flow.paragraph(
            f"The vessel is larger than common printers: {millimetres(vessel.width)} mm wide and {millimetres(vessel.height)} "
            "mm high, where a "
            f"bed of {1e3 * BED:.0f} mm takes {1e3 * (BED - SPARE):.0f} mm. Print it on a larger printer, or use another vessel.",
            mark="!",
        )


def _draw_section(flow: Flow, vessel: Vessel, scale: float) -> None:
    """Draw the vessel cut along its axis, mouth up, with letters."""
    middle = MARGIN + 36.0
    page = flow.page
    for outline in section_of(vessel):
        corners = scale * outline + (middle, flow.y)
        page.figure.add_artist(Polygon(corners, transform=page.scale, facecolor=PRINT, edgecolor=INK, linewidth=0.6))
    page.line(
        [(middle, flow.y - 2), (middle, flow.y + scale * vessel.height + 3)],
        color=FAINT,
        dashes=(8, 2, 1, 2),
        linewidth=0.4,
    )
    marks = {
        "A": (0.0, vessel.height - 8e-3),
        "B": (0.0, vessel.floor + 0.6 * vessel.depth),
        "C": (-vessel.width / 2 - 3.5 / scale, vessel.height / 2),
        "D": (-vessel.width / 2 + 6e-3, vessel.floor + 3.5 / scale),
        "E": (vessel.chamber + vessel.wall + PORT_OUT + 4 / scale, vessel.floor + PORT_UP),
    }
    for letter, (x, up) in marks.items():
        page.text(middle + scale * x, flow.y + scale * up, letter, 9, weight="bold", ha="center", va="center",
                  bbox={"facecolor": "white", "linewidth": 0, "boxstyle": "square,pad=0.15"})  # fmt: skip
    left = middle - scale * vessel.width / 2 - 3.5
    for low, high in ((0.0, vessel.height / 2 - 3 / scale), (vessel.height / 2 + 3 / scale, vessel.height)):
        page.line([(left, flow.y + scale * low), (left, flow.y + scale * high)], color=FAINT)
    for up in (0.0, vessel.height):
        page.line([(left - 1, flow.y + scale * up), (left + 1, flow.y + scale * up)], color=FAINT)


def section_of(vessel: Vessel) -> list[Floats]:
    """Return the outlines of the vessel cut along its axis, radius (negative to the left) and height [m], shape (n, 2) each; the air inlet
    is on the right."""
    outside, inside = shapely.Polygon(outside_of(vessel)), shapely.Polygon(inside_of(vessel))
    up, out = vessel.floor + PORT_UP, vessel.chamber + vessel.wall + PORT_OUT
    boss = shapely.box(vessel.chamber, 0.0, out, up + PORT_WIDE / 2)
    inlet = shapely.box(vessel.chamber, up - PORT / 2, out, up + PORT / 2)
    wall = outside.difference(inside)
    halves = (-1, wall), (1, wall.union(boss).difference(inlet))
    return [np.asarray(part.exterior.coords) * (side, 1) for side, half in halves for part in shapely.get_parts(half)]


def _write_dimensions(flow: Flow, vessel: Vessel, height: float) -> None:
    """Write the dimensions by letter, to the right of the drawing, which has a height [mm]."""
    rows = (
        ("A", f"neck: {mm(2 * vessel.neck)} outside, {mm(2 * vessel.bore)} inside; lip {mm(2 * vessel.lip)}"),
        ("B", f"chamber: {mm(2 * vessel.chamber)} inside, wall {mm(vessel.wall)}, floor {mm(vessel.floor)}"),
        ("C", f"height {mm(vessel.height)}"),
        ("D", f"flange {mm(vessel.width)}, four holes for M5"),
        ("E", f"air inlet {mm(PORT)}, to be tapped G 1/8"),
        ("", f"mass about {1e3 * vessel.mass:.0f} g in PLA"),
        ("", f"clamp: {mm(2 * (vessel.neck + clamp.PLAY))} inside, {mm(clamp.WIDTH)} wide, two halves,"),
        ("", f"two bolts M5 x {mm(clamp.bolt_length())}"),
    )
    x, y = MARGIN + 82.0, flow.y + height - 8
    for letter, text in rows:
        flow.page.text(x, y, letter, SIZE, weight="bold")
        flow.page.text(x + 6, y, text, SIZE)
        y -= 6.0


def _instructions(vessel: Vessel, build: Build) -> list[str]:
    above = vessel.width / 2 - build.design.params.radius
    return [
        *making(build),
        "Screw the flange to an upright board. The axis of the neck lies in the plane of growth, one tube radius above the "
        "floor of the "
        f"environment; the flange reaches {millimetres(above)} mm below that floor, so cut it an opening, or let it hang over "
        "the table's edge.",
        folded_in(),
    ]


def making(build: Build) -> list[str]:
    """Return the instructions to make the printed vessel airtight and to test it."""
    growth = build.design.params.growth_pressure / 1e3
    return [
        "Tap the air inlet G 1/8. Brush the inside with thin epoxy resin and let it cure: prints leak as they come from the "
        "printer (source 7).",
        f"Proof test before use, behind a shield and with goggles: close the neck with a plug, fill the vessel with water, and hold "
        f"{PROOF * growth:.3g} kPa ({PROOF:g} times the growth pressure) for 10 minutes. Wall and floor are as thick as "
        f"1/{SAFETY:g} of the strength "
        "across printed layers asks for at that pressure (source 6); the factor is assumed.",
    ]


def folded_in() -> str:
    """Return the sentence about the tube in the vessel."""
    return (
        "The neck's mouth is the base line of the pattern. The chamber holds the tube in loose folds, "
        f"{100 * FILLED:.0f} % of its volume (assumed)."
    )


def mm(length: float) -> str:
    """Return a length [m] in millimetres, as text."""
    return f"{millimetres(length)} mm"
