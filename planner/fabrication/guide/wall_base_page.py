"""The page of the guide about a base in a wall: the hole to cut, the rods that carry the vessel behind it, and how to mount it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import shapely
from matplotlib.patches import Polygon

from planner.drawing.style import ACTUATOR, DIMENSION, FAINT, INK, TUBE
from planner.fabrication.assembly import clamp
from planner.fabrication.assembly.build import LEAD, Build
from planner.fabrication.assembly.vessel import NECK, SCREW, SCREW_IN, Vessel
from planner.fabrication.assembly.wall_base import BEHIND, COUPLING, GROOVE, SIDES, SPARE, STEEP, THROUGH, WallBase
from planner.fabrication.guide.base_page import folded_in, making, mm, write_other_vessel, write_settings, write_vessel
from planner.fabrication.guide.base_page import section_of as vessel_section
from planner.fabrication.guide.flow import MARGIN, SIZE, Flow, line_height
from planner.fabrication.guide.paper import Page
from planner.fabrication.guide.sketch import PRINT
from surrogate.kernels.compiled import Floats

DRAWN, LONG, WIDE = 66.0, 96.0, 62.0
"""Largest height of both drawings, and width of the section and of the view [mm]."""
SHOWN = 18e-3
"""Thickness of the wall in the drawing if the environment has none that fits [m]."""
WOOD = "#e8dcc4"
OUT = 12e-3
"""Length of the tube in front of the wall in the drawing [m]."""
MARK: dict[str, Any] = {"weight": "bold", "ha": "center", "va": "center",
        "bbox": {"facecolor": "white", "linewidth": 0, "boxstyle": "square,pad=0.15"}}  # fmt: skip


def write_wall_base(flow: Flow, vessel: Vessel | None, build: Build, base: WallBase) -> None:
    """Write the pages of a base in a wall.

    Args:
        vessel: None if none can be printed.
    """
    flow.title(
        "Base in the wall and printed parts", "Parts to print, the hole in the wall, and how the base is mounted."
    )
    write_settings(flow, vessel, build)
    if vessel is None:
        write_other_vessel(flow, build)
        flow.heading("Hole in the wall", 4 * line_height(SIZE))
        for letter, text in _hole_texts(base):
            flow.paragraph(text, letter)
        return
    write_vessel(flow, vessel)
    scale = min(DRAWN / vessel.width, LONG / (vessel.height + OUT), WIDE / vessel.width)
    height = scale * vessel.width + 12
    flow.heading("Vessel behind the wall", height)
    flow.reserve(height)
    _draw_section(flow, vessel, base, scale)
    _draw_view(flow, vessel, base, scale)
    for letter, text in (*_hole_texts(base), *_rod_texts(base)):
        flow.paragraph(text, letter)
    flow.heading("How to make and mount the base", 2 * line_height(SIZE))
    for k, text in enumerate(_instructions(vessel, build, base), start=1):
        flow.paragraph(text, str(k))


def _hole_texts(base: WallBase) -> Iterator[tuple[str, str]]:
    """Return the dimensions of hole and wall by letter."""
    where = [f"{count} on the {side}" for side, count in base.grooves.items() if count]
    lines = f", with grooves {mm(GROOVE)} wide and deep for the feed lines: {' and '.join(where)}" if where else ""
    yield "F", f"hole {mm(base.hole)}, its middle {mm(base.radius)} above the floor (the tube's radius){lines}"
    if base.drawn is None:
        drawn = "the axis does not pass through the wall in the environment: move the start before you build"
    else:
        drawn = f"{mm(base.drawn)} along the axis in the environment"
    yield "G", f"thickness of the wall, T: measure it; {drawn}"
    if abs(base.recess) < 5e-5:
        flush = "the mouth of the neck is flush with the inner face of the wall: that is the start"
    else:
        way = "behind" if base.recess > 0 else "in front of"
        flush = f"the mouth of the neck, the start, is {mm(abs(base.recess))} {way} the inner face of the wall"
    yield "H", flush
    if abs(base.tilt) > STEEP:
        angle, side = f"{math.degrees(abs(base.tilt)):.1f}°", "left" if base.tilt > 0 else "right"
        yield (
            "!",
            f"The axis is turned by {angle} to the {side} of the square to the wall, seen in the direction of growth. Drill all holes "
            f"along the axis: on the wall the hole is {mm(base.hole)} high and {mm(base.hole * base.along)} long, and distances along the "
            f"floor are {base.along:.3f} times as long. T is then {base.along:.3f} times the wall's thickness. Put wedges of {angle} under "
            "the nuts on the wall.",
        )


def _rod_texts(base: WallBase) -> Iterator[tuple[str, str]]:
    """Return the dimensions of the rods by letter."""
    if base.circle is None or base.reach is None or base.rod is None:
        return
    yield "I", f"outer face of the wall to the flange: {mm(base.reach)} − T"
    yield "K", f"three holes {mm(SCREW)} for rods M5: left, right and above, {mm(base.circle)} from the hole's middle"
    yield "L", f"rods M5, {mm(base.rod)} − T long, in coupling nuts M5 x {mm(COUPLING)} on the outer face"


def _instructions(vessel: Vessel, build: Build, base: WallBase) -> Iterator[str]:
    yield from making(build)
    recess = ""
    if base.thickest < 0.2:
        recess = (
            f" A thicker wall: recess it from outside over {mm(vessel.width + 20e-3)} until {mm(base.thickest)} remain, and "
            "measure T there."
        )
    yield (
        f"The wall may be up to {mm(base.thickest)} thick along the axis: {mm(THROUGH)} of the neck ({mm(NECK)} long) stand in it, and the "
        f"clamp sits at the neck's root, behind the wall.{recess} Cut the hole and smooth its edges: the film slides over them when the "
        "tube is inserted."
    )
    high = base.radius + (base.circle or 0.0) + SCREW_IN
    yield (
        f"Put countersunk screws M5, T + {mm(SPARE)} long, through the three holes from inside, heads flush, and tighten a coupling nut on "
        f"each from outside. Screw in the rods. If the wall is lower than {mm(high)} above the floor, leave out the upper one."
    )
    yield (
        "Turn the vessel so that two holes of its flange are level. Invert the tube into the vessel first, then push the neck "
        "into the hole until the mouth is at H, feed lines in their grooves. Fix the flange between two nuts on each rod, "
        f"{mm(base.reach or 0.0)} − T from the wall; with these nuts, set the axis to the start's heading."
    )
    if build.actuators:
        yield (
            "Feed lines leave the body at its base line, run back through the grooves over the film on the neck, and turn outwards in "
            f"the {mm(BEHIND)} between wall and clamp; {mm(LEAD)} further they are at their regulators. They must slide in the grooves."
        )
    yield (
        f"The pressure pushes the vessel away from the wall with {base.push:.0f} N (growth pressure times the tube's cross-section). "
        f"The flange reaches {mm(vessel.width / 2 - base.radius)} below the floor of the environment behind the wall: let it hang "
        f"beside the table. Behind the wall, the base needs {mm(base.reach or 0.0)} − T and {mm(vessel.floor + SPARE)} for the ends "
        "of the rods."
    )
    yield folded_in()


def _draw_section(flow: Flow, vessel: Vessel, base: WallBase, scale: float) -> None:
    """Draw wall, vessel, clamp and the upper rod, cut upright along the axis, which points to the right."""
    page, thick = flow.page, _shown_thickness(base)
    face = np.array([MARGIN + 6 + scale * vessel.height, flow.y + 4 + scale * vessel.width / 2])

    def at(along: float, up: float) -> Floats:
        """Return a point on the page [mm], from the middle of the mouth [m]."""
        return np.asarray(face + scale * np.array([along, up]))

    def fill(outline: Floats, colour: str, edge: str = INK, width: float = 0.6) -> None:
        corners = [at(*point) for point in outline]
        page.figure.add_artist(
            Polygon(corners, transform=page.scale, facecolor=colour, edgecolor=edge, linewidth=width)
        )

    inner, outer, half, floor = base.recess, base.recess - thick, base.hole / 2, -base.radius
    top = (base.circle or 0.0) + 10e-3
    fill(_rectangle(outer, half, inner, top), WOOD)
    fill(
        _rectangle(outer, floor, inner, -half) if -half > floor else _rectangle(outer, floor - 8e-3, inner, -half), WOOD
    )
    # The air inlet, on the right half of the section, is turned by half a right angle here.
    for outline in (outline for outline in vessel_section(vessel) if outline[:, 0].max() < 1e-9):
        for sign in (1, -1):
            fill(np.column_stack([outline[:, 1] - vessel.height, sign * outline[:, 0]]), PRINT)
    root = NECK - clamp.WIDTH
    for sign in (1, -1):
        film = vessel.neck + clamp.PLAY / 2
        page.line([at(-NECK, sign * film), at(0.0, sign * base.radius), at(OUT, sign * base.radius)],
                  color=ACTUATOR["left"], linewidth=1.1)  # fmt: skip
        low, high = sorted(sign * (vessel.neck + clamp.PLAY + part) for part in (0.0, clamp.THICKNESS))
        fill(_rectangle(-root - clamp.WIDTH, low, -root, high), PRINT)
    rod = base.circle or 0.0
    page.line([at(-vessel.height - SPARE, rod), at(outer - COUPLING + 15e-3, rod)], linewidth=1.6, color=FAINT)
    fill(_rectangle(outer - COUPLING, rod - 4e-3, outer, rod + 4e-3), "#c9ced4")
    page.line([at(outer, rod), at(inner, rod)], linewidth=1.6, color=FAINT)
    page.line([at(-vessel.height - SPARE, 0.0), at(OUT, 0.0)], color=FAINT, dashes=(8, 2, 1, 2), linewidth=0.4)
    page.line([at(inner, floor), at(inner + OUT, floor)], linewidth=1.0)
    x, y = at(inner + OUT, floor)
    page.text(x, y - 1.0, "floor", 7.0, ha="right", va="top", color=FAINT)
    up = top + 4e-3
    _dimension(page, at(outer, up), at(inner, up), "G")
    _dimension(page, at(-vessel.height + vessel.floor, up), at(outer, up), "I")
    _letter(page, at(0.0, 0.0), "H")
    _letter(page, at(outer - COUPLING / 2 - 20e-3, rod), "L")


def _draw_view(flow: Flow, vessel: Vessel, base: WallBase, scale: float) -> None:
    """Draw the holes in the wall as seen from outside, in the direction of growth."""
    page = flow.page
    middle = np.array([flow.width - MARGIN - WIDE / 2, flow.y + 4 + scale * vessel.width / 2])
    circle, wide = base.circle or 0.0, scale * (vessel.width / 2 + 4e-3)
    low, high = -scale * base.radius, scale * (circle + 10e-3)
    page.figure.add_artist(
        page.box(middle[0] - wide, middle[1] + low - 4, 2 * wide, high - low + 4, facecolor=WOOD, edgecolor=FAINT)
    )
    hole = shapely.Point(0, 0).buffer(base.hole / 2, quad_segs=32)
    for side, sign in zip(SIDES, (-1, 1), strict=True):
        for turn in base.groove_turns(side):
            slot = shapely.box(0.0, -GROOVE / 2, base.hole / 2 + GROOVE, GROOVE / 2)
            slot = shapely.affinity.rotate(slot, turn if sign > 0 else np.pi - turn, origin=(0, 0), use_radians=True)
            hole = hole.union(slot)
    outline = scale * np.asarray(hole.exterior.coords) + middle
    page.figure.add_artist(Polygon(outline, transform=page.scale, facecolor="white", edgecolor=INK, linewidth=0.8))
    page.circle(middle, scale * base.radius, facecolor=TUBE["none"], edgecolor=FAINT, linewidth=0.5)
    page.circle(middle, scale * circle, fill=False, edgecolor=FAINT, linewidth=0.4, linestyle="--")
    for spot in ((-circle, 0.0), (circle, 0.0), (0.0, circle)):
        page.circle(middle + scale * np.array(spot), scale * SCREW / 2, facecolor="white", edgecolor=INK, linewidth=0.8)
    page.line(np.add(middle, [(-wide, low), (wide, low)]), linewidth=1.0)
    page.line(np.add(middle, [(-wide + 2, 0.0), (wide - 2, 0.0)]), color=FAINT, dashes=(8, 2, 1, 2), linewidth=0.4)
    page.line(np.add(middle, [(0.0, low - 2), (0.0, high - 2)]), color=FAINT, dashes=(8, 2, 1, 2), linewidth=0.4)
    _letter(page, middle, "F")
    _letter(page, middle + scale * circle * np.sqrt(0.5) * np.array([-1.0, 1.0]), "K")
    page.text(middle[0], middle[1] + high + 1.5, "seen from outside", 7.0, ha="center", color=FAINT)
    for x, side in ((-wide, "left"), (wide, "right")):
        page.text(
            middle[0] + x, middle[1] + low - 3.2, side, 7.0, ha="left" if x < 0 else "right", color=ACTUATOR[side]
        )
    page.text(middle[0], middle[1] + low - 3.2, "floor", 7.0, ha="center", color=FAINT)


def _shown_thickness(base: WallBase) -> float:
    """Return the thickness with which the wall is drawn [m]."""
    return base.drawn if base.drawn and 2e-3 < base.drawn < base.thickest else min(SHOWN, max(base.thickest, 2e-3))


def _rectangle(left: float, bottom: float, right: float, top: float) -> Floats:
    return np.array([(left, bottom), (right, bottom), (right, top), (left, top)])


def _letter(page: Page, at: Floats, letter: str) -> None:
    """Write the letter of a dimension around a point."""
    page.text(at[0], at[1], letter, 9, **MARK)


def _dimension(page: Page, start: Floats, end: Floats, letter: str) -> None:
    """Draw a level dimension line with its letter above it."""
    page.line([start, end], color=DIMENSION, linewidth=0.5)
    for x, y in (start, end):
        page.line([(x, y - 1.2), (x, y + 1.2)], color=DIMENSION, linewidth=0.5)
    page.text((start[0] + end[0]) / 2, start[1] + 1.0, letter, 9, weight="bold", ha="center")
