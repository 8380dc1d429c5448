"""`vinewright reproduce`: what the papers show, made again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from planner.commands.errors import readable_errors, writable
from planner.commands.models import DeviceOption, PropagatorOption, SolverOption, SurrogateOption, chosen_model

app = typer.Typer(help="Make again what the papers show.", no_args_is_help=True)


@app.command()
def tip_steering(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the picture.")] = Path("results"),
    propagator: PropagatorOption = "quasistatic",
    device: DeviceOption = "auto",
    solver: SolverOption = None,
    surrogate: SurrogateOption = None,
) -> int:
    """Hold a vine behind a narrow passage while its tip is steered. Exit code 3 if it does not get through that."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, soft_wrap=True, markup=False)
    with readable_errors():
        import numpy as np

        from dynamics.vine import Status, VineParams
        from planner.commands.plan import compiling
        from planner.tip_steering import MOVES, place, save_picture, steer

        params = VineParams()
        make = chosen_model(params, propagator, device, solver, surrogate)
        with writable(out):
            environment = place(params)
            with compiling(console, propagator):
                stages = steer(make(environment, params), environment, params)
            save_picture(out / "tip-steering.png", environment, params, stages)
    table = Table("pressure kPa", "length mm", "tip x mm", "tip y mm", "turn deg", "in free space deg", "status")
    for column in table.columns[:-1]:
        column.justify = "right"
    for stage in stages:
        values = [1e-3 * stage.pressure, 1e3 * stage.length, *1e3 * stage.joints[-1]]
        turns = [f"{np.degrees(turn):.2f}" for turn in (stage.heading, stage.free)]
        table.add_row(*(f"{value:.0f}" for value in values), *turns, stage.status.name.lower())
    console.print(table)
    console.print(f"wrote {out / 'tip-steering.png'}")
    done = len(stages) == len(MOVES) and all(stage.status == Status.GROWN for stage in stages)
    return 0 if done else 3
