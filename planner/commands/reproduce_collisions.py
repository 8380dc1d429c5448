"""`vinewright reproduce`, what paper 003 shows: collisions, deployments, sensing and mapping."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from planner.commands.reproduce import FolderOption, write_tables
from planner.console.errors import BadInput, needs, readable_errors, writable

app = typer.Typer()


@app.command()
def kinematics(out: FolderOption = Path("results")) -> None:
    """Grow vines with one turn into a wall, against paper 003's kinematics of collision. Ctrl-C keeps what was grown."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True, markup=False)
    start = time.perf_counter()
    with readable_errors(), writable(out):
        from planner.console.progress import gathered
        from planner.studies.kinematics.plots import save_kinematics
        from planner.studies.kinematics.report import report
        from planner.studies.kinematics.study import MODELS, collisions, study

        total = len(MODELS) * len(collisions())
        outcomes = gathered(console, study(), total, "collisions")
        if not outcomes:
            raise BadInput("interrupted before a vine was grown; nothing was written")
        command = "vinewright reproduce kinematics" + (", interrupted," if len(outcomes) < total else "")
        write_tables(console, out / "kinematics", *report(outcomes, command, time.perf_counter() - start))
        save_kinematics(out / "kinematics.png", outcomes)
    console.print(f"wrote {out}/kinematics.png")


@app.command()
def geometric(out: FolderOption = Path("results")) -> None:
    """Time deployments by geometry, look for them on the visibility graph, and compare them with quasistatic."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(highlight=False, soft_wrap=True, markup=False)
    with readable_errors(), needs("ompl"), writable(out):
        import networkx  # noqa: F401

        from planner.console.progress import columns
        from planner.studies.geometric.plots import save_deployments
        from planner.studies.geometric.report import report
        from planner.studies.geometric.study import COMPARED, TIMED, compare, time_places

        with Progress(*columns(), console=console) as bar:
            timings = list(bar.track(time_places(), total=TIMED, description="timing deployments"))
            pairs = [
                pair for pairs in bar.track(compare(), COMPARED, description="against quasistatic") for pair in pairs
            ]
        write_tables(console, out / "geometric", *report(timings, pairs, "vinewright reproduce geometric"))
        save_deployments(out / "geometric.png")
    console.print(f"wrote {out}/geometric.png")


@app.command()
def mapping(
    places: Annotated[int, typer.Option(min=2, max=1000, help="Places of each kind.")] = 10,
    out: FolderOption = Path("results"),
) -> None:
    """Map random places by vines: policies, turns, and half of the information. Ctrl-C keeps the places that are done."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True, markup=False)
    with readable_errors(), writable(out):
        from planner.console.progress import gathered
        from planner.studies.mapping.plots import save_curves, save_example
        from planner.studies.mapping.report import report
        from planner.studies.mapping.study import cases, run_cases, time_loop, whole_places

        with console.status("compiling the kernels, if they are not, and timing a loop"):
            loop = time_loop()
        every = cases(places)
        done = whole_places(gathered(console, run_cases(every), len(every), "cases"))
        if len(done) < len(cases(2)):
            raise BadInput("interrupted before two places of each kind were mapped; nothing was written")
        command = f"vinewright reproduce mapping --places {places}" + ", interrupted," * (len(done) < len(every))
        write_tables(console, out / "mapping", *report(done, loop, command))
        save_curves(out / "mapping.png", done)
        save_example(out / "mapping-example.png")
    console.print(f"wrote {out}/mapping.png, {out}/mapping-example.png")


@app.command()
def sensing(out: FolderOption = Path("results")) -> None:
    """Recover walls, pivots and shapes from length and contact angle, with and without noise. Ctrl-C keeps the rest."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True, markup=False)
    with readable_errors(), writable(out):
        from planner.console.progress import gathered
        from planner.studies.sensing.plots import save_sensing
        from planner.studies.sensing.report import report
        from planner.studies.sensing.study import cases, run_cases

        start, total = time.perf_counter(), len(cases())
        trials = gathered(console, run_cases(), total, "deployments")
        if not trials:
            raise BadInput("interrupted before a deployment was sensed; nothing was written")
        command = "vinewright reproduce sensing" + ", interrupted," * (len(trials) < total)
        write_tables(console, out / "sensing", *report(trials, command, time.perf_counter() - start))
        save_sensing(out / "sensing.png", trials)
    console.print(f"wrote {out}/sensing.png")
