"""`vinewright environments import --pick`: start and goal by mouse, in a window."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from vinewright.commands.environments_import_options import parse_position
from vinewright.console.errors import BadInput, needs, readable_errors

if TYPE_CHECKING:
    from rich.console import Console

    from environments.importing.build import Imported
    from environments.importing.options import ImportOptions


def pick_ends(console: Console, file: Path, options: ImportOptions) -> ImportOptions:
    """Let the user pick the start and the goal that the options do not give; print them as options, and return all options.

    Raises:
        BadInput: Both are given, no window can be opened, or it is closed before all is picked.
    """
    names = [name for name in ("start", "goal") if getattr(options, name) is None]
    if not names:
        raise BadInput("--pick has nothing to pick: --start and --goal are given")
    with readable_errors(), needs("import"):
        from environments.importing.choose import import_file

        with console.status(f"reading {file.name}"):
            # What can be reached is known only once there is a start.
            found = import_file(file, replace(options, crop=None) if options.crop == "reach" else options)
        if "start" in names:
            found = replace(found, start=None)
        if "goal" in names:
            found = replace(found, goal=None)
        picked = {name: ",".join(map(str, numbers)) for name, numbers in _show(found, names).items()}
    console.print(f"picked     {' '.join(f'--{name} {text}' for name, text in picked.items())}")
    return replace(
        options,
        start=options.start or parse_position("--start", picked["start"], "X,Y,DEG", math.radians(1)),
        goal=options.goal or parse_position("--goal", picked["goal"], "X,Y,RADIUS", 1e-3),
    )


def _show(found: Imported, names: list[str]) -> dict[str, tuple[int, int, int]]:
    """Open a window, and return what is picked in it; see `Picker.picked`."""
    from matplotlib import pyplot

    from planner.drawing.imported import base_radius, imported_figure
    from planner.drawing.picking import Picker

    instead = "give --start X,Y,DEG and --goal X,Y,RADIUS in mm instead; --picture FILE.png shows where"
    try:
        figure = imported_figure(found, pyplot.figure)
    except ImportError:  # the program of windows that Matplotlib is set to use, without a display
        raise BadInput(f"--pick cannot open a window; {instead}") from None
    if figure.canvas.required_interactive_framework is None:  # Matplotlib found no display, or can only draw files
        pyplot.close(figure)
        raise BadInput(f"--pick cannot open a window; {instead}")
    picker = Picker(figure.axes[0], names, base_radius(found), lambda: pyplot.close(figure))
    pyplot.show(block=True)
    if missing := [name for name in names if name not in picker.picked]:
        raise BadInput(f"--pick: the window was closed before the {' and the '.join(missing)} was picked; {instead}")
    return picker.picked
