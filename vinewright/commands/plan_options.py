"""The options of `vinewright plan` that are none of its plan: what is planned, and where the results go."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from vinewright.console.completion import environment_names

Envs = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="ENV",
        help="A shipped environment, or the path of a TOML file; with --same-design two or more.",
        show_default=False,
        autocompletion=environment_names,
    ),
]
SameDesign = Annotated[
    bool,
    typer.Option(
        "--same-design",
        help="Find one tube that reaches the goal of every ENV; some may leave actuators without pressure.",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR", help="Folder for the results. Default: the first free one of runs/ENV, runs/ENV-2 and so on."
    ),
]
FullTree = Annotated[bool, typer.Option("--full-tree", help="Draw every branch of the search tree in plan.png.")]
Resume = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Resume the run in this folder (without ENV); --time-budget and --iterations count from its beginning.",
    ),
]
