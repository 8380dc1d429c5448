"""The options that studies share, and the text of a command for its report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

RunsOption = Annotated[int, typer.Option(min=1, max=1000, help="Number of runs of each kind in each environment.")]
BudgetOption = Annotated[
    float, typer.Option("--time-budget", min=0.1, max=1e5, metavar="S", help="Search time of each run, in seconds.")
]
EnvironmentsOption = Annotated[
    list[str] | None, typer.Option("--env", metavar="ENV", help="Use only this environment; may be repeated.")
]
PlannersOption = Annotated[
    list[str] | None,
    typer.Option(
        "--planner", metavar="NAME", help="Use only this planner, sst-star or one of OMPL's; may be repeated."
    ),
]
FolderOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="DIR",
        help="Write report, data and pictures to DIR/STUDY. Default: the first free one of runs/STUDY, runs/STUDY-2 and so on.",
    ),
]


def command_line(words: str, **options: Any) -> str:
    """A command as typed: options without a value are left out, an option with a list is repeated."""
    typed = [f"vinewright {words}"]
    for name, value in options.items():
        values = value if isinstance(value, list) else [] if value is None else [value]
        typed += [f"--{name.replace('_', '-')} {f'{one:g}' if isinstance(one, float) else one}" for one in values]
    return " ".join(typed)
