"""The report of the study `studio`."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

from planner.output.markdown import markdown_table
from studies.studio.study import BRANCHES, ENVIRONMENT, FRAMES, OBJECTS, PLAN_SECONDS, VIEWS, StudioRecord
from vinewright.console.study import Report

COLOURS = 256
"""Number of colours of a stored picture, which then has a third of its size."""


def report(records: Sequence[StudioRecord]) -> Report:
    """Make the report: times first, then the pictures."""
    rows = [[what, f"{1e3 * seconds:.0f}"] for one in records for what, seconds in one.seconds.items()]
    taken = {name for one in records for name in one.pictures}
    lines = [
        "The page of `vinewright studio` in headless Chromium, without a graphics card, on the machine of the studio. *Address printed*",
        f"is the time from the command to its address, the others begin when the page is asked for. A frame is one step of {FRAMES},",
        f"from the event to the end of painting in the page: {OBJECTS} obstacles of all kinds are dragged or turned at once, and a tree",
        f"of {BRANCHES} branches is panned. The plan is `{ENVIRONMENT}` in {PLAN_SECONDS} s, from the click to the folder of the run.",
        "",
        *markdown_table(["", "ms"], rows),
    ]
    for name, what in VIEWS.items():
        if name in taken:
            lines += ["", f"## {what[0].upper()}{what[1:]}", "", f"![{what}]({name}.png)"]
    return Report("The studio in a browser", lines, {"records": [one.content() for one in records]})


def save_view(name: str, path: Path, records: Sequence[StudioRecord]) -> None:
    """Write the picture of a view in 256 colours, if it was taken."""
    for one in records:
        if name in one.pictures:
            with Image.open(io.BytesIO(one.pictures[name])) as picture:
                picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
