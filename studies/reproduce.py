"""`vinewright reproduce`: repeat a study. Each study has a command of its own, found here by its name."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from vinewright.console.errors import BadInput, readable_errors

app = typer.Typer(help="Repeat a study: experiments of the papers, measurements of the planner.")


@app.callback(invoke_without_command=True)
def reproduce(
    context: typer.Context,
    status: Annotated[
        bool,
        typer.Option("--status", help="List the stored results: current, stale (and what changed since), missing."),
    ] = False,
    stale: Annotated[
        bool, typer.Option("--stale", help="Measure stale results again, the oldest first, as far as --hours allow.")
    ] = False,
    hours: Annotated[
        float, typer.Option(min=0.0, max=1e4, metavar="H", help="Time for --stale, by the times that the results took.")
    ] = 1.0,
    recordings: Annotated[
        Path | None, typer.Option(metavar="DIR", help="For --stale: recorded growths, which three studies need.")
    ] = None,
    wall_growth: Annotated[
        Path | None, typer.Option(metavar="FILE", help="For --stale: the published wall experiment.")
    ] = None,
) -> int:
    """Repeat a study: experiments of the papers, measurements of the planner."""
    if context.invoked_subcommand:
        if status or stale:
            raise BadInput(f"--status and --stale are about all results; leave out {context.invoked_subcommand}")
        return 0
    with readable_errors():
        from studies.status import measure_stale, print_status

        if stale:
            given = {"--recordings": recordings, "--wall-growth": wall_growth}
            return measure_stale(hours, {option: path.absolute() for option, path in given.items() if path})
        return print_status()


STUDIES = (
    "tip_steering",
    "search_variants:table2",
    "search_variants:ompl_planners",
    "search_variants:ablations",
    "search_variants:steering",
    "search_variants:clutter",
    "card",
    "halls",
    "pack",
    "imports",
    "studio",
    "reliability",
    "fewest",
    "actuators",
    "built",
    "uncertainty",
    "uncertainty:uncertainty_random",
    "paper_errors",
    "paper_figures",
    "funneling",
    "impulse:impulse_runtime",
    "impulse:impulse_clutter",
    "euler_lagrange",
    "fitting",
    "kinematics",
    "geometric",
    "mapping",
    "sensing",
    "real_mapping",
    "as_recorded",
    "snaps",
)
"""Folders of studies, in the order of the help; with the function of their `command.py` if its name is another."""

for study in STUDIES:
    folder, _, function = study.partition(":")
    app.command()(getattr(import_module(f"studies.{folder}.command"), function or folder))
app.command("soak", hidden=True, help="The same as reliability.")(
    import_module("studies.reliability.command").reliability
)
