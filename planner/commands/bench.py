"""`vinewright bench`: how fast it is, and what it finds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from planner.commands.errors import BadInput, known_propagator, readable_errors

app = typer.Typer(help="Measure speed and planning.", no_args_is_help=True)


@app.command()
def rollouts(
    env: Annotated[str, typer.Argument(metavar="ENV", help="A shipped environment, or the path of a TOML file.")],
    batch: Annotated[int, typer.Option(min=1, max=10_000, help="Vines grown together.")] = 100,
    length: Annotated[float, typer.Option(min=0.05, max=50.0, help="Length to grow [m].")] = 2.0,
    propagator: Annotated[str, typer.Option(help="Model of the growing vine.")] = "quasistatic",
) -> None:
    """Grow random vines and print vine-steps per second."""
    from rich.console import Console

    with readable_errors():
        from planner.bench import machine, measure_rollouts

        known_propagator(propagator)
        speed = measure_rollouts(env, propagator, batch, length)
    console = Console(highlight=False, soft_wrap=True, markup=False)
    console.print(f"{speed.environment}, {propagator}, {batch} vines x {length:g} m on {machine()}")
    console.print(
        f"{speed.rate:,.0f} vine-steps/s: {speed.vine_steps:,} vine-steps in {speed.seconds:.3f} s, best of 3",
        style="bold",
    )
    console.print(f"first call, compiling or loading the kernels: {speed.first_call_seconds:.1f} s")


@app.command()
def plan(
    seeds: Annotated[int, typer.Option(min=1, max=1000, help="Runs in each environment.")] = 10,
    time_budget: Annotated[float, typer.Option(min=0.1, max=1e5, metavar="S", help="Seconds of each run.")] = 20.0,
    batch: Annotated[int, typer.Option(min=1, max=2000, help="Vines grown in each iteration.")] = 100,
    env: Annotated[
        list[str] | None, typer.Option(metavar="ENV", help="Only these; may be repeated.  [default: the seven]")
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the table, its data and pictures.")] = Path(
        "results"
    ),
) -> None:
    """Plan every environment with many seeds; write the table of times and actuators, and the best designs as pictures."""
    from rich.console import Console
    from rich.progress import Progress

    with readable_errors():
        from dynamics.vine import VineParams
        from environments import load_environment
        from planner.bench import measure_planning, planning_report
        from planner.commands.plan import compiling
        from planner.planning import Run
        from planner.plots import branches_of, save_plan
        from planner.run_folder import write_json

        names = env or ["plus", "maze", "pickone", "needle", "long", "tube", "divider"]
        for name in names:
            load_environment(name)
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"{out} cannot be written: {error.strerror}; give another --out") from None
        console = Console(highlight=False, soft_wrap=True, markup=False)
        with compiling(console):
            Run.prepare(load_environment(names[0]), VineParams())
        outcomes = []
        with Progress(console=console) as progress:
            task = progress.add_task("planning", total=len(names) * seeds)
            best: dict[str, float] = {}
            for outcome, run in measure_planning(names, seeds, time_budget, batch):
                outcomes.append(outcome)
                if run.best and run.best.cost < best.get(outcome.environment, float("inf")):
                    best[outcome.environment] = run.best.cost
                    branches = branches_of(run.search.tree, run.environment.start, run.params)
                    save_plan(out / f"plan-{outcome.environment}.png", run.environment, run.best.design, branches)
                progress.update(task, advance=1, description=f"{outcome.environment} {outcome.seed}")
                if not console.is_terminal:
                    console.print(
                        f"{outcome.environment} seed {outcome.seed}: {outcome.actuators} actuators, first after {outcome.first_s} s"
                    )
        command = f"vinewright bench plan --seeds {seeds} --time-budget {time_budget:g} --batch {batch}"
        command += "".join(f" --env {name}" for name in env or [])
        table, content = planning_report(outcomes, command, time_budget)
        (out / "planning.md").write_text(table, encoding="utf-8")
        write_json(out / "planning.json", content)
    console.print(table)
    console.print(f"wrote {out}/planning.md, {out}/planning.json and a picture of the best design in each environment")
