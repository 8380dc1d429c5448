"""`vinewright bench rollouts`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynamics.registry import choose_propagator
from vinewright.console.device import DeviceOption
from vinewright.console.errors import BadInput, readable_errors
from vinewright.console.options import (
    EnvironmentArgument,
    ForceOption,
    PhysicsOption,
    PropagatorOption,
    SolverOption,
    SurrogateOption,
    TubeOption,
    environment_and_tube,
)
from vinewright.console.study import Study, run_study
from vinewright.console.study_options import (
    command_line,
)
from vinewright.console.terminal import make_console

if TYPE_CHECKING:
    from dynamics.propagator import Propagator
    from dynamics.tube import VineParams
    from studies.rollouts.study import Models, RolloutSpeed
from studies.earlier import read_earlier


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
            help="Write the study to DIR/rollouts, with larger batches on a device, and where the vines end.",
        ),
    ] = None,
    force: ForceOption = False,
) -> int:
    """Grow random vines and print vine-steps (growth steps of one vine) per second, with the quasi-static propagator for comparison."""
    with readable_errors():
        from studies.rollouts.report import report
        from studies.rollouts.study import (
            SpeedScene,
            cases,
            measure_rollouts,
            run_cases,
            speeds_elsewhere,
            split_results,
        )

        console, params = make_console(), environment_and_tube(env, tube, physics=physics)[1]
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
        elsewhere = read_earlier(out, "rollouts", speeds_elsewhere)
        batches = sorted({batch, 1000, 10_000}) if _on_gpu(propagator, device) else [batch]
        study = Study(
            "rollouts",
            cases(models, batches),
            lambda several: run_cases(several, models, SpeedScene(env, params, length), console.print),
            lambda found: report(*split_results(found), elsewhere),
            unit="measurements",
            module=__name__,
        )
        chosen = {"solver": solver, "surrogate": surrogate, "device": device if device != "auto" else None}
        grown = {"batch": batch, "length": length, "propagator": propagator, **chosen, "tube": tube, "physics": physics}
        return run_study(study, command_line(f"bench rollouts {env}", **grown), out, console, force).code


def _models(params: VineParams, propagator: str, device: str, solver: str | None, surrogate: str | None) -> Models:
    """Factories of the propagators to measure, the quasi-static one first, each with one that solves its steps more accurately."""
    from dynamics.quasistatic.propagator import QuasiStatic

    chosen = choose_propagator(params, propagator, device, solver, surrogate)
    models: Models = {"quasistatic": (QuasiStatic, QuasiStatic)}
    if propagator == "penalty":
        from dynamics.penalty.solver_choice import INNER_STEPS

        for name in [solver] if solver else INNER_STEPS:
            make: Callable[..., Propagator] = choose_propagator(params, propagator, device, name, surrogate)
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


def _on_gpu(propagator: str, device: str) -> bool:
    if propagator != "penalty":
        return False
    from dynamics.penalty.propagator import find_device

    return find_device(device).type == "cuda"
