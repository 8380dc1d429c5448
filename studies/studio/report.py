"""Report of the speed of the studio."""

from __future__ import annotations

from collections.abc import Sequence

from planner.output.markdown import markdown_table
from studies.studio.study import MOVES, Result
from vinewright.console.study import Report

LEAST_FPS = 20.0
"""Frames a second below which a movement looks jerky."""
COLUMNS = (
    "obstacles",
    "nodes",
    "Plan to first nodes, ms",
    "panning, frames/s",
    "longest gap, ms",
    "dragging, frames/s",
    "longest gap, ms",
    "drag to drawn, ms",
    "check, ms",
    "events of the tree, kB",
)


def report(results: Sequence[Result]) -> Report:
    """Table in Markdown, and the data of every case."""
    rows = [
        [
            str(one.case.obstacles),
            str(one.case.nodes),
            f"{one.start_ms:.0f}",
            *(f"{value:.0f}" for value in (one.pan_fps, one.pan_worst_ms, one.drag_fps, one.drag_worst_ms)),
            *(f"{value:.0f}" for value in (one.drag_ms, one.check_ms, one.tree_kb)),
        ]
        for one in results
    ]
    slowest = min(min(one.pan_fps, one.drag_fps) for one in results)
    verdict = "all above" if slowest > LEAST_FPS else f"not all above: the slowest has {slowest:.0f}, below"
    lines = [
        "The page of the studio in headless Chromium without a GPU, in a window of 1440 by 900 pixels, on the same machine as its server.",
        f"The mouse takes {MOVES} positions as fast as the browser accepts them: with the middle button it moves the view, with the",
        "left one an obstacle. *Drag to drawn* is the median time from an event of the mouse to the end of the frame after it; *check*",
        "the time of a request for the checks of the file and the narrow passages, 150 ms after the last change.",
        "*Plan to first nodes* is the time from pressing Plan, with compiled kernels, until the page has nodes of the search.",
        "The search tree is that of a real search in the room; *nodes* is where the search was ended.",
        "",
        *markdown_table(COLUMNS, rows),
        "",
        f"Frames a second: {verdict} {LEAST_FPS:g}.",
    ]
    return Report("Speed of the studio", lines, {"runs": [one.content() for one in results]})
