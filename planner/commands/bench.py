"""`vinewright bench`: how fast it is, and what it finds."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planner.console.errors import BadInput, readable_errors, writable
from planner.console.options import DeviceOption, PropagatorOption, SolverOption, SurrogateOption, chosen_model

if TYPE_CHECKING:
    from rich.console import Console

    from dynamics.propagator import Propagator, PropagatorFactory
    from planner.studies.planning.study import PlanningOutcome
    from planner.studies.rollouts.study import Agreement, RolloutSpeed

    Models = dict[str, tuple[PropagatorFactory, PropagatorFactory]]

PLACES = ["plus", "maze", "pickone", "needle", "long", "tube", "divider"]


app = typer.Typer(help="Measure speed and planning.", no_args_is_help=True)


@app.command()
def rollouts(
    env: Annotated[str, typer.Argument(metavar="ENV", help="A shipped environment, or the path of a TOML file.")],
    batch: Annotated[int, typer.Option(min=1, max=10_000, help="Vines grown together.")] = 100,
    length: Annotated[float, typer.Option(min=0.05, max=50.0, help="Length to grow [m].")] = 2.0,
    propagator: PropagatorOption = "quasistatic",
    device: DeviceOption = "auto",
    solver: SolverOption = None,
    surrogate: SurrogateOption = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Write rollouts.md there, with larger batches and where vines end in the seven places."
        ),
    ] = None,
) -> None:
    """Grow random vines and print vine-steps per second, beside the quasi-static propagator."""
    from rich.console import Console

    with readable_errors():
        from planner.runs.folder import write_json
        from planner.studies.rollouts.report import rollouts_report

        models = _models(propagator, device, solver, surrogate)
        if out and len(models) == 1:
            raise BadInput("--out writes propagators side by side; add --propagator penalty")
        console = Console(highlight=False, soft_wrap=True, markup=False)
        if out is None:
            _print_speeds(console, _measure(console, env, models, [batch], length, [])[0])
            return
        with writable(out):
            elsewhere = _measured_elsewhere(out)
            batches = sorted({batch, 1000, 10_000}) if _on_gpu(device) else [batch]
            speeds, agreements = _measure(console, env, models, batches, length, PLACES)
            command = f"vinewright bench rollouts {env} --batch {batch} --length {length:g} --propagator {propagator}"
            command += f" --solver {solver}" if solver else ""
            command += f" --surrogate {surrogate}" if surrogate else ""
            command += f" --device {device}" if device != "auto" else ""
            table, content = rollouts_report(speeds + elsewhere, agreements, command + f" --out {out}")
            (out / "rollouts.md").write_text(table, encoding="utf-8")
            write_json(out / "rollouts.json", content)
    _print_speeds(console, speeds)
    console.print(table)
    console.print(f"wrote {out}/rollouts.md and {out}/rollouts.json")


def _models(propagator: str, device: str, solver: str | None, surrogate: str | None) -> Models:
    """What makes each propagator to measure, the quasi-static one first, and the same with steps solved more closely."""
    from dynamics.quasistatic.propagator import QuasiStatic
    from dynamics.tube import VineParams

    params = VineParams()
    chosen = chosen_model(params, propagator, device, solver, surrogate)
    models: Models = {"quasistatic": (QuasiStatic, QuasiStatic)}
    if propagator == "penalty":
        from dynamics.penalty.solvers import INNER_STEPS

        for name in [solver] if solver else INNER_STEPS:
            make: Callable[..., Propagator] = chosen_model(params, propagator, device, name, surrogate)
            models[f"{propagator}, {name}"] = make, partial(make, inner_steps=4 * INNER_STEPS[name])
    elif propagator != "quasistatic":
        models[propagator] = chosen, chosen
    return models


def _print_speeds(console: Console, speeds: list[RolloutSpeed]) -> None:
    for speed in speeds:
        console.print(
            f"{speed.environment}, {speed.model}, {speed.batch} vines x {speed.length_m:g} m "
            f"on {speed.machine} ({speed.device})"
        )
        console.print(
            f"{speed.rate:,.0f} vine-steps/s: {speed.vine_steps:,} vine-steps in {speed.seconds:.3f} s", style="bold"
        )
        console.print(f"first call, compiling or loading the kernels: {speed.first_call_seconds:.1f} s")


def _measured_elsewhere(out: Path) -> list[RolloutSpeed]:
    """What the report in a folder, if there is one, holds of other machines: it is kept."""
    from planner.studies.rollouts.study import speeds_elsewhere

    before = out / "rollouts.json"
    try:
        return speeds_elsewhere(json.loads(before.read_text(encoding="utf-8"))) if before.exists() else []
    except (ValueError, KeyError, TypeError):
        raise BadInput(f"{before} is no report of rollouts; move it away, or give another --out") from None


def _on_gpu(device: str) -> bool:
    from dynamics.penalty.propagator import find_device

    return find_device(device).type == "cuda"


def _measure(
    console: Console,
    env: str,
    models: Models,
    batches: list[int],
    length: float,
    places: list[str],
) -> tuple[list[RolloutSpeed], list[Agreement]]:
    """Speed of every model with every batch, and where its vines end in some places, with progress on the console.

    Args:
        models: What makes each propagator, and the same one with steps solved more closely.
    """
    from rich.progress import Progress

    from dynamics.propagator import CannotRun
    from planner.studies.rollouts.study import measure_agreement, measure_rollouts

    speeds, agreements = [], []
    others = {model: makers for model, makers in models.items() if model != "quasistatic"}
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("growing", total=3 * len(models) * len(batches) + len(others) * len(places))

        def begin(what: str) -> None:
            progress.update(task, description=what)
            if not console.is_terminal:
                console.print(what)

        for count in batches:
            for model, (make, _) in models.items():
                begin(f"{model}, {count} vines")
                try:
                    speeds.append(measure_rollouts(env, make, model, count, length, lambda: progress.advance(task)))
                except CannotRun as error:
                    if count == min(batches):
                        raise
                    console.print(f"left out: {error}")
        for place in places:
            for model, (make, closer) in others.items():
                begin(f"{model}, {place}")
                agreements.append(measure_agreement(place, make, closer, model, vines=200, length=min(length, 1.5)))
                progress.advance(task)
    return speeds, agreements


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

    console = Console(highlight=False, soft_wrap=True, markup=False)
    with readable_errors():
        from dynamics.tube import VineParams
        from environments import load_environment
        from planner.console.compiling import compiling
        from planner.runs.folder import write_json
        from planner.search.run import Run
        from planner.studies.planning.study import planning_report

        names = env or PLACES
        environments = [load_environment(name) for name in names]
        with writable(out):
            with compiling(console):
                Run.prepare(environments[0], VineParams())
            outcomes = _plan_all(console, names, seeds, time_budget, batch, out)
            command = f"vinewright bench plan --seeds {seeds} --time-budget {time_budget:g} --batch {batch}"
            command += "".join(f" --env {name}" for name in env or [])
            table, content = planning_report(outcomes, command, time_budget)
            (out / "planning.md").write_text(table, encoding="utf-8")
            write_json(out / "planning.json", content)
    console.print(table)
    console.print(f"wrote {out}/planning.md, {out}/planning.json and a picture of the best design in each environment")


def _plan_all(
    console: Console, names: list[str], seeds: int, time_budget: float, batch: int, out: Path
) -> list[PlanningOutcome]:
    """How every run went, with progress on the console; a picture of the best of each environment in a folder."""
    from rich.progress import Progress

    from planner.drawing.plan import save_plan
    from planner.search.tree import branches_of
    from planner.studies.planning.study import measure_planning

    outcomes = []
    best: dict[str, float] = {}
    with Progress(console=console) as progress:
        task = progress.add_task("planning", total=len(names) * seeds)
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
    return outcomes
