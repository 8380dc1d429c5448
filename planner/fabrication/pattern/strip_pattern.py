"""The strip of an actuator on the pattern: its seals, cell ends, fitting and marks."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from planner.fabrication.assembly.build import FITTING, HOLD, HOLE, ActuatorBuild
from planner.fabrication.assembly.strips import airway_of
from planner.fabrication.pattern.pattern import Layer, PatternPiece
from planner.fabrication.pattern.sheet import (
    CENTRING,
    LABEL_EVERY,
    Sheet,
    cell_text,
    centring_places,
    pressure_text,
)
from planner.output.text import millimetres
from surrogate.cpam import Cpam
from surrogate.kernels.compiled import Floats

FULL_STRIP = 48.0
"""Width of a strip below which labels and marks are scaled down [mm]."""
CROSS = 2.0
"""Length of the cross in the middle of a hole beyond its edge [mm]."""
LEAST_SLACK = 25.0
"""Minimum slack that is labelled with its length [mm]."""
APART = 1.0
"""Least distance between a centring mark and the middle of a cell end [mm]."""


def draw_strip(actuator: ActuatorBuild) -> PatternPiece:
    """Draw the strip of an actuator, with its feed end at x = 0 and its upper edge at y = 0."""
    width, length, cell = 1e3 * actuator.width, 1e3 * actuator.cut_length, 1e3 * actuator.pitch
    sheet, side = Sheet(actuator.name, width, min(1.0, width / FULL_STRIP)), actuator.section.side
    sheet.tube(0.0, length)
    bar, seam = 1e3 * actuator.bar, 1e3 * actuator.seam
    sheet.band(Layer.SEAL, 1e3 * HOLD, 1e3 * HOLD + bar)
    ends = np.asarray(1e3 * actuator.tail + cell * np.arange(actuator.cells + 1), float)
    if actuator.end == "seam":
        _draw_seams(sheet, actuator, ends.tolist())
        sheet.centre_on_folds(ends)
    else:
        for x in ends.tolist():
            sheet.across(Layer.MARK, x, side)
            if seam:
                sheet.band(Layer.MARK, x - seam / 2, x + seam / 2, side=side)
        closing = float(ends[-1]) + 1e3 * actuator.closing
        sheet.band(Layer.SEAL, closing, closing + bar)
    for k, x in enumerate(ends.tolist()):
        sheet.number(k, actuator, x, 3 * sheet.scale - width, seam)
        sheet.line(Layer.MARK, (x - CENTRING * sheet.scale, -width / 2), (x + CENTRING * sheet.scale, -width / 2))
    _centre(sheet, actuator, ends)
    every = max(int(LABEL_EVERY / cell), 1)
    for left, right in list(pairwise(ends.tolist()))[1::every]:
        at, room = ((left + right) / 2, 2 * sheet.scale - width / 2), 0.8 * (cell - seam)
        sheet.write(at, 5.0, actuator.name, room, side=side)
    _write_tail(sheet, actuator)
    return sheet.piece()


def _centre(sheet: Sheet, actuator: ActuatorBuild, ends: Floats) -> None:
    """Draw centring marks on the folds at the places of those of the body, but for places near a cell end, shape (cells + 1,) [mm]."""
    start, end = 1e3 * actuator.section.start, 1e3 * actuator.section.end
    places = np.asarray(ends[0] + (centring_places(start, end) - start) / actuator.stretch, float)
    near = np.abs(places[:, None] - ends).min(axis=1, initial=np.inf) <= APART + 500 * actuator.seam
    sheet.centre_on_folds(places[~near])


def _draw_seams(sheet: Sheet, actuator: ActuatorBuild, ends: list[float]) -> None:
    """Draw the seams of pouches, centred on the cell ends: open in the middle for the air, but for the last one."""
    half, airway = 500 * actuator.seam, 1e3 * airway_of(actuator.actuator)
    edges = (0.0, (airway - sheet.width) / 2), (-(airway + sheet.width) / 2, -sheet.width)
    for x in ends[:-1]:
        for span in edges:
            sheet.band(Layer.SEAL, x - half, x + half, span)
    sheet.band(Layer.SEAL, ends[-1] - half, ends[-1] + half)


def _write_tail(sheet: Sheet, actuator: ActuatorBuild) -> None:
    """Draw the hole of the fitting in the film before the first cell, and write the data of the strip and its slack."""
    section, scale, middle = actuator.section, sheet.scale, -sheet.width / 2
    begin = 1e3 * (HOLD + actuator.bar)
    x, y, room, hole = begin + 500 * FITTING, middle + 4 * scale, 0.95e3 * FITTING, 1e3 * HOLE
    sheet.circle(Layer.CUT, x, y, hole)
    arm = hole / 2 + CROSS * scale
    sheet.line(Layer.MARK, (x - arm, y), (x + arm, y))
    sheet.line(Layer.MARK, (x, y - arm), (x, y + arm))
    sheet.write((x, max(y + arm + 1.0, middle + 11 * scale)), 7.0, actuator.name, room, side=section.side)
    kind = f"{actuator.actuator.kind}, seam {millimetres(actuator.seam)} mm"
    lines = (
        f"hole {millimetres(HOLE)} mm, M5",
        cell_text(actuator),
        kind,
        pressure_text(actuator),
        _shaping_text(actuator),
    )
    low = min(y - arm - 1.0, middle - 1.5 * scale) - 3.2 * scale
    for k, text in enumerate(line for line in lines if line):
        sheet.write((x, low - 4.6 * k * scale), 3.2, text, room)
    slack = 1e3 * actuator.contraction
    if slack > LEAST_SLACK:
        text = f"slack {millimetres(actuator.contraction)} mm"
        sheet.write((begin + 1e3 * FITTING + slack / 2, middle - 2 * scale), 3.5, text, 0.9 * slack)


def _shaping_text(actuator: ActuatorBuild) -> str:
    """Return the work on a strip before it is closed or fixed, as text; empty if there is none."""
    kind = actuator.actuator
    if isinstance(kind, Cpam):
        return f"fold {millimetres(kind.fold_depth(actuator.section.l_0))} mm"
    return "" if actuator.stretch == 1 else f"pull to {100 * actuator.stretch:.0f} %"
