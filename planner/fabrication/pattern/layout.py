"""The layout of the pattern: all pieces of a build in rows that fit on a sheet of paper."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from planner.fabrication.assembly.build import Build
from planner.fabrication.pattern.body_pattern import draw_body
from planner.fabrication.pattern.pattern import GAP, ROW, Pattern, PatternPiece
from planner.fabrication.pattern.strip_pattern import draw_strip


def pattern_of(build: Build) -> Pattern:
    """Lay out all pieces of a build.

    The body is seen from above and grows to the right: its upper fold is the left actuator line, its lower fold the right
    one. Strips have their feed end on the left.
    """
    return Pattern(tuple(_place_in_rows(draw_body(build), [draw_strip(actuator) for actuator in build.actuators])))


def _place_in_rows(body: PatternPiece, strips: Sequence[PatternPiece]) -> Iterator[PatternPiece]:
    """Place the pieces: each strip goes into the first lane that has room for it within the body's length."""
    left, _, right, _ = body.bounds
    body = body.translate(0.0, -GAP)
    yield body
    lowest, floor = body.bounds[1], -ROW * math.ceil((GAP - body.bounds[1]) / ROW)
    lanes: list[list[float]] = []  # top, and left edge of the free space
    for strip in strips:
        _, bottom, length, _ = strip.bounds
        lane = next((lane for lane in lanes if lane[1] + length <= right), None)
        if lane is None:
            if lowest - GAP + bottom - GAP < floor:
                lowest = floor
                floor -= ROW * math.ceil((2 * GAP - bottom) / ROW)
            lane = [lowest - GAP, left]
            lanes.append(lane)
            lowest = lane[0] + bottom
        yield strip.translate(lane[1], lane[0])
        lane[1] += length + GAP
