"""Fabrication of preformed bends: folds held by tape, in the pattern, in tables and in the parts list."""

from __future__ import annotations

import math
from typing import Any

from planner.fabrication.assembly.build import BendBuild, Build
from planner.output.csv_table import csv_table
from planner.output.text import millimetres

TAPE_WIDTH = 25e-3
"""Width of the tape over a fold [m]: it reaches over the flap on both sides of the edge."""
COLUMNS = "name", "side", "start_mm", "end_mm", "turn_deg", "folds", "depth_mm", "turn_per_fold_deg", "middles_mm"


def tape_length(build: Build) -> float:
    """Length of tape over one fold [m]: across both layers of the flat body."""
    return 2 * build.body_width


def fold_table(build: Build) -> str:
    """Return the folds of all preformed bends, as CSV; `middles_mm` are distances from the base, `depth_mm` is at the inner
    edge."""
    rows = []
    for bend in build.bends:
        ends = [millimetres(length) for length in (bend.section.start, bend.section.end)]
        turns = f"{math.degrees(bend.turn):.4g}", f"{math.degrees(bend.folds.turn):.4g}"
        middles = " ".join(millimetres(at) for at in bend.folds.at.tolist())
        count, depth = len(bend.folds.at), millimetres(bend.folds.depth)
        rows.append((bend.name, bend.section.side, *ends, turns[0], count, depth, turns[1], middles))
    return csv_table(COLUMNS, rows)


def bend_content(bend: BendBuild) -> dict[str, Any]:
    """Return a preformed bend for a JSON file, in millimetres and degrees."""
    return {
        "name": bend.name,
        "side": bend.section.side,
        "made_mm": [round(1e3 * end, 3) for end in (bend.section.start, bend.section.end)],
        "turn_deg": round(math.degrees(bend.turn), 3),
        "depth_mm": round(1e3 * bend.folds.depth, 3),
        "middles_mm": [round(1e3 * at, 3) for at in bend.folds.at.tolist()],
    }
