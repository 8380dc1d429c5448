"""The body on the pattern: its sections, the marks of cell ends and folds, the seal at its tip, and the film that is clamped."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from planner.design.design import Section
from planner.fabrication.assembly.build import CLAMP, ActuatorBuild, BendBuild, Build
from planner.fabrication.pattern.operation_marks import draw_operation_marks
from planner.fabrication.pattern.pattern import Layer, Line, PatternPiece
from planner.fabrication.pattern.sheet import (
    BESIDE,
    LABEL_EVERY,
    NUMBER,
    TICK,
    Sheet,
    cell_text,
    centring_places,
    kind_text,
    pressure_text,
)
from planner.output.text import millimetres, plural
from surrogate.kernels.compiled import Floats

EDGE_POINTS = 25
"""Corners of the curved edge of a fold."""
FULL_BODY = 80.0
"""Width of the body below which labels and marks are scaled down [mm]."""


def draw_body(build: Build) -> PatternPiece:
    """Draw the body, with its base at x = 0 and its upper fold at y = 0."""
    width, length, clamp = 1e3 * build.body_width, 1e3 * build.design.built, 1e3 * CLAMP
    sheet = Sheet("body", width, min(1.0, width / FULL_BODY))
    sheet.tube(-clamp, 1e3 * build.body_length - clamp, ("left", "right"))
    sheet.across(Layer.MARK, 0.0)
    for section in build.design.sections:
        sheet.across(Layer.MARK, 1e3 * section.end)
    sheet.band(Layer.SEAL, length, length + 1e3 * build.bar)
    sheet.centre_on_folds(centring_places(0.0, length))
    _write_clamp(sheet, build, clamp)
    facts = {actuator.section.start: _actuator_facts(build, actuator) for actuator in build.actuators}
    facts |= {bend.section.start: _bend_facts(bend) for bend in build.bends}
    folds = {bend.section.start: 1e3 * bend.folds.at for bend in build.bends}
    for section in build.design.sections:
        _write_section(sheet, section, facts.get(section.start, []), folds.get(section.start, np.zeros(0)))
    for actuator in build.actuators:
        _mark_ends(sheet, actuator)
    for bend in build.bends:
        _mark_folds(sheet, bend)
    draw_operation_marks(sheet, build, Layer.MARK)
    return sheet.piece()


def _write_clamp(sheet: Sheet, build: Build, clamp: float) -> None:
    """Label the clamped film with the name and size of the piece and the direction of growth."""
    scale, middle, room = sheet.scale, -clamp / 2, 0.9 * clamp
    size = f"{millimetres(build.body_width)} × {millimetres(build.body_length)} mm"
    for y, height, text in ((14, 7.0, "BODY"), (4, 4.0, size), (-4, 3.5, "clamp up to the line")):
        sheet.write((middle, y * scale - sheet.width / 2), height, text, room)
    low = -sheet.width / 2 - 16 * scale
    sheet.write((middle - 2, low - 1.75 * scale), 3.5, "growth", 0.4 * clamp, align="right")
    sheet.arrow(middle + 2, middle + 0.4 * clamp, low)


def _actuator_facts(build: Build, actuator: ActuatorBuild) -> list[str]:
    """Return name, cells and pressure of an actuator, with its type if there are several."""
    cells = f"{kind_text(actuator, build)}{cell_text(actuator)}"
    return [actuator.name, cells, pressure_text(actuator)]


def _bend_facts(bend: BendBuild) -> list[str]:
    """Return name, folds and turn of a preformed bend."""
    return [
        bend.name,
        f"{plural(len(bend.folds.at), 'fold')}, {millimetres(bend.folds.depth)} deep",
        f"{math.degrees(bend.turn):.3g}° {bend.section.side}",
    ]


def _write_section(sheet: Sheet, section: Section, facts: Sequence[str], folds: Floats) -> None:
    """Label a section with its data, and the folds with their sides, repeated along the section.

    Args:
        facts: Its name, and lines below its length; empty for a straight section.
        folds: Its folds [mm], between which it is labelled.
    """
    start, end, scale = 1e3 * section.start, 1e3 * section.end, sheet.scale
    span = f"{millimetres(section.start)} to {millimetres(section.end)} mm"
    texts = [(4.5, "no actuator"), (3.5, span), (3.5, f"{millimetres(section.end - section.start)} mm")]
    if facts:
        texts[0] = (6.0, facts[0])
        texts += [(3.5, fact) for fact in facts[1:]]
    parts = np.linspace(start, end, math.ceil((end - start) / LABEL_EVERY) + 1).tolist()
    gaps = np.array([start, *folds, end])
    for left, right in pairwise(parts):
        middle, room = (left + right) / 2, 0.9 * (right - left)
        if len(folds):
            k = int(np.argmin(np.abs((gaps[1:] + gaps[:-1]) / 2 - middle)))
            middle, room = float(gaps[k] + gaps[k + 1]) / 2, 0.8 * float(gaps[k + 1] - gaps[k])
        for k, (height, text) in enumerate(texts):
            side = section.side if k == 0 else "none"
            sheet.write((middle, (12 - 7 * k) * scale - sheet.width / 2), height, text, room, side=side)
        deep = (TICK + 3) * scale
        sheet.write((middle, -deep - 4 * scale), 4.0, "LEFT", room, side="left")
        sheet.write((middle, deep - sheet.width), 4.0, "RIGHT", room, side="right")


def _mark_ends(sheet: Sheet, actuator: ActuatorBuild) -> None:
    """Draw a numbered tick on the fold at every cell end of an actuator."""
    edge, inwards = (0.0, -1.0) if actuator.section.side == "left" else (-sheet.width, 1.0)
    tip = edge + inwards * TICK * sheet.scale
    number = edge + inwards * (TICK / 2) * sheet.scale - NUMBER / 2 * sheet.scale
    for k, x in enumerate((1e3 * actuator.ends).tolist()):
        sheet.line(Layer.MARK, (x, edge), (x, tip), tick=(actuator.name, k), side=actuator.section.side)
        sheet.number(k, actuator, x, number)


def _mark_folds(sheet: Sheet, bend: BendBuild) -> None:
    """Draw the two edges of every fold, which are joined, and its middle line, where the film is creased; number it in its middle."""
    side, share = bend.section.side, np.linspace(0.0, 1.0, EDGE_POINTS)
    inner, outer = (0.0, -sheet.width) if side == "left" else (-sheet.width, 0.0)
    across, half = outer + (inner - outer) * share, 1e3 * bend.folds.half_width(share)
    inwards = math.copysign(1.0, outer - inner)
    for k, x in enumerate((1e3 * bend.folds.at).tolist(), start=1):
        sheet.across(Layer.MARK, x)
        edges = np.stack(
            [np.concatenate([x - half, (x + half)[::-1]]), np.concatenate([across, across[::-1]])], axis=-1
        )
        sheet.lines.append(Line(Layer.MARK, edges, tick=(bend.name, k), side=side))
        room = 1e3 * (2 * bend.folds.depth) - 2 * BESIDE
        at = x + BESIDE, inner + inwards * 2 * NUMBER * sheet.scale - NUMBER / 2 * sheet.scale
        sheet.write(at, NUMBER, str(k), max(room / 2, NUMBER), align="left", side=side)
