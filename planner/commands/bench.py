"""`vinewright bench`: speed of the propagators, and success of planning."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from planner.commands.measured import measured
from planner.console.device import DeviceOption
from planner.console.errors import BadInput, missing, needs, readable_errors, remedy
from planner.console.models import chosen_model
from planner.console.options import (
    EnvironmentArgument,
    ForceOption,
    PhysicsOption,
    PropagatorOption,
    SolverOption,
    SurrogateOption,
    TubeOption,
    environment_and_tube,
)
from planner.console.studies import BudgetOption, EnvironmentsOption, FolderOption, PlannersOption, command_line
from planner.console.terminal import new_console
from planner.studies.study import Study, run_study

if TYPE_CHECKING:
    from dynamics.propagator import Propagator
    from dynamics.tube import VineParams
    from planner.studies.planning.study import Found
    from planner.studies.rollouts.study import Models, RolloutSpeed
    from planner.sweep.manifest import Manifest

ENVIRONMENTS = ["plus", "maze", "pickone", "needle", "long", "tube", "divider"]

Kept = TypeVar("Kept")
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="ompl",
        help="Also write OMPL's benchmark logs, and a database of them for its Planner Arena.",
    ),
]

app = typer.Typer(help="Measure the speed of the propagators, or planning in all environments.")


@app.command()
def rollouts(
    env: EnvironmentArgument,
    batch: Annotated[int, typer.Option(min=1, max=10_000, help="Number of vines grown together.")] = 100,
    length: Annotated[float, typer.Option(min=0.05, max=50.0, help="Length to which they grow, in metres.")] = 2.0,
    propagator: PropagatorOption = "quasistatic",
    device: DeviceOption = "auto",
    solver: SolverOption = None,
    surrogate: SurrogateOption = None,
    tube: TubeOption = None,
    physics: PhysicsOption = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Write the study to DIR/rollouts, with larger batches and the ends of vines in the seven environments.",
        ),
    ] = None,
    force: ForceOption = False,
) -> int:
    """Grow random vines and print vine-steps (growth steps of one vine) per second, with the quasi-static propagator for comparison."""
    with readable_errors():
        from planner.studies.rollouts.report import report
        from planner.studies.rollouts.study import Growth, cases, measure_rollouts, run_cases, speeds_elsewhere, split

        console, params = new_console(), environment_and_tube(env, tube, physics=physics)[1]
        models = _models(params, propagator, device, solver, surrogate)
        if out is None:
            with console.status("growing"):
                speeds = [
                    measure_rollouts(env, params, made, name, batch, length) for name, (made, _) in models.items()
                ]
            console.print("\n".join(map(_speed, speeds)))
            return 0
        if len(models) == 1:
            raise BadInput("--out compares two propagators; add --propagator penalty")
        elsewhere = _earlier(out, "rollouts", speeds_elsewhere) or []
        batches = sorted({batch, 1000, 10_000}) if _on_gpu(propagator, device) else [batch]
        study = Study(
            "rollouts",
            cases(models, batches, ENVIRONMENTS),
            lambda several: run_cases(several, models, Growth(env, params, length), console.print),
            lambda found: report(split(found)[0] + elsewhere, split(found)[1]),
            unit="measurements",
        )
        chosen = {"solver": solver, "surrogate": surrogate, "device": device if device != "auto" else None}
        options = {
            "batch": batch,
            "length": length,
            "propagator": propagator,
            **chosen,
            "tube": tube,
            "physics": physics,
        }
        return run_study(study, command_line(f"bench rollouts {env}", **options), out, console, force).code


def _models(params: VineParams, propagator: str, device: str, solver: str | None, surrogate: str | None) -> Models:
    """Factories of the propagators to measure, the quasi-static one first, each with one that solves its steps more accurately."""
    from dynamics.quasistatic.propagator import QuasiStatic

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


def _speed(speed: RolloutSpeed) -> str:
    return (
        f"{speed.environment}, {speed.model}, {speed.batch} vines x {speed.length_m:g} m on {speed.machine} ({speed.device})\n"
        f"{speed.rate:,.0f} vine-steps/s: {speed.vine_steps:,} vine-steps in {speed.seconds:.3f} s\n"
        f"first call, compiling or loading the kernels: {speed.first_call_seconds:.1f} s"
    )


def _earlier(out: Path | None, study: str, read: Callable[[dict[str, Any]], Kept]) -> Kept | None:
    """What is kept of an existing report; None if there is none."""
    file = out and out / study / "data.json"
    try:
        return read(json.loads(file.read_text(encoding="utf-8"))) if file and file.exists() else None
    except (ValueError, KeyError, TypeError):
        raise BadInput(f"{file} is not a report of {study}; move it away, or give another --out") from None


def _on_gpu(propagator: str, device: str) -> bool:
    if propagator != "penalty":
        return False
    from dynamics.penalty.propagator import find_device

    return find_device(device).type == "cuda"


@app.command()
def plan(
    seeds: Annotated[int, typer.Option(min=1, max=1000, help="Number of runs (seeds) in each environment.")] = 10,
    time_budget: BudgetOption = 20.0,
    batch: Annotated[int, typer.Option(min=1, max=2000, help="Number of vines grown in each iteration.")] = 100,
    env: EnvironmentsOption = None,
    planner: PlannersOption = None,
    tube: TubeOption = None,
    physics: PhysicsOption = None,
    form: FormatOption = None,
    out: FolderOption = None,
    force: ForceOption = False,
) -> int:
    """Plan in every environment with many seeds; report times and actuators, and draw the best designs. Ctrl-C keeps the runs done."""
    if form not in (None, "ompl"):
        raise BadInput(f"--format {form}: the only one is ompl")
    with readable_errors(), needs("ompl"):
        from planner.search.planners import SST_STAR, search_of
        from planner.search.run import Run
        from planner.studies.planning.ompl_log import logs_of
        from planner.studies.planning.plots import pictures
        from planner.studies.planning.report import report
        from planner.studies.planning.study import run_cases

        names, planners = env or ENVIRONMENTS, planner or [SST_STAR]
        for one in planners:
            search_of(one)
        stems = [Path(name).stem for name in names]
        logs = {}
        if form:
            import ompl  # noqa: F401 - its reader makes the database, after all runs

            logs = logs_of(stems, time_budget)
        grown_in = {name: environment_and_tube(name, tube, physics=physics) for name in names}

        def tell(found: Found) -> str:
            one = found.outcome
            by = f"{one.planner} " * (len(planners) > 1)
            ended = f"{one.actuators} actuator{'s' * (one.actuators != 1)}, first after {one.first_s} s"
            return f"{one.environment} {by}seed {one.seed}: {'no solution' if one.first_s is None else ended}"

        study = Study(
            "planning",
            [(name, one, seed) for name in names for seed in range(seeds) for one in planners],
            lambda cases: run_cases(cases, grown_in, time_budget, batch),
            lambda found: report([one.outcome for one in found], time_budget),
            {**pictures(stems), **logs},
            prepare=lambda: Run.prepare(*grown_in[names[0]]),
            tell=tell,
        )
        command = command_line(
            "bench plan",
            **{"seeds": seeds, "time_budget": time_budget, "batch": batch, "env": env, "planner": planner},
            **{"tube": tube, "physics": physics, "format": form},
        )
        return measured(study, command, out, force)


@app.command()
def sweep(out: FolderOption = None, force: ForceOption = False) -> int:
    """Measure the cluster of sweeps: same bytes, overhead, efficiency, 10 000 shards. Ctrl-C keeps the measurements done."""
    with readable_errors(), needs("cluster"):
        from planner.studies.sweep_engine.report import missed, report
        from planner.studies.sweep_engine.study import cases, manifest, measure

        made: list[Manifest] = []
        study = Study(
            "sweep-engine",
            cases(),
            lambda several: measure(several, made[0]),
            report,
            unit="measurements",
            prepare=lambda: made.append(manifest()),
        )
        return measured(study, command_line("bench sweep"), out, force, missed)


@app.command()
def gpu(out: FolderOption = None, force: ForceOption = False) -> int:
    """Measure exact contact on a CUDA device against the CPU; without a device, what can be known of it. Ctrl-C keeps what was measured.

    Needs the extra cuda, also without a device. Tables of an earlier report in --out that this machine cannot make are kept.
    """
    if lacking := missing("cuda"):  # before minutes of measurements that do not need it
        raise BadInput(f"this needs {', '.join(lacking)}: {remedy('cuda')}")
    with readable_errors():
        from planner.studies.gpu.report import report
        from planner.studies.gpu.study import Earlier, cases, measure

        earlier = _earlier(out, "gpu", Earlier.of)
        study = Study("gpu", cases(), measure, lambda found: report(found, earlier), unit="measurements")
        return measured(study, command_line("bench gpu"), out, force)
