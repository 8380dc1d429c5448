"""Marks on the body's pattern where something is switched when they come out at the tip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.fabrication.assembly.build import Build
from planner.fabrication.plumbing.operation import operation_of

if TYPE_CHECKING:
    from planner.fabrication.pattern.pattern import Layer
    from planner.fabrication.pattern.sheet import Sheet

BAND = -20.4
"""Baseline of the labels below the upper fold, between the word LEFT and the data of the sections [mm], on a body of full width."""
LABEL, FLAG = 3.6, 5.2
"""Height of a label, and length of the line beside it [mm]."""
BESIDE, CLEAR = 1.2, 1.0
"""Gap between the line and its label, and between a label and what is next to it [mm]."""


def draw_operation_marks(sheet: Sheet, build: Build, layer: Layer) -> None:
    """Draw the marks of a build's operation on the pattern of its body: a short line at each, and its label beside it.

    Args:
        sheet: The body, with its base at x = 0 and its upper fold at y = 0.
        layer: Layer of the lines.
    """
    marks = operation_of(build).marks
    sections = [1e3 * section.end for section in build.design.sections]
    folds = [
        (1e3 * at - 1e3 * one.folds.depth, 1e3 * at + 1e3 * one.folds.depth)
        for one in build.bends
        for at in one.folds.at
    ]
    y = BAND * sheet.scale
    for mark in marks:
        x = 1e3 * mark.at
        lines = [0.0, *sections, *(1e3 * other.at for other in marks if other is not mark)]
        lines += [end for fold in folds for end in fold]
        lines = [line for line in lines if abs(line - x) > CLEAR]
        after, before = (
            min((line for line in lines if line > x), default=x),
            max(line for line in [*lines, 0.0] if line < x),
        )
        right = after - x >= x - before or after - x > 4 * LABEL
        room = (after - x if right else x - before) - BESIDE - CLEAR
        sheet.write(
            (x + BESIDE if right else x - BESIDE, y), LABEL, mark.name, room, align="left" if right else "right"
        )
        if not any(abs(x - end) < CLEAR for end in sections):
            sheet.line(layer, (x, y - 0.2 * FLAG * sheet.scale), (x, y + 0.8 * FLAG * sheet.scale))
