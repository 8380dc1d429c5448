"""`vinewright plan`: from an environment to a design."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from planner.output.claim import claim
from planner.search.planners import SST_STAR
from vinewright.commands.plan_options import (
    ActuatorKind,
    Batch,
    Envs,
    Fast,
    First,
    FullTree,
    Heuristic,
    Iterations,
    Out,
    ParticlesOption,
    PlannerOption,
    Preformed,
    PreformedCost,
    Resume,
    SameDesign,
    Seed,
    Solutions,
    SteerOption,
    Success,
    TargetActuators,
    TimeBudget,
    Verify,
)
from vinewright.console.answer import Answer, JsonOption
from vinewright.console.device import DeviceOption
from vinewright.console.errors import BadInput, apart, known_actuators, readable_errors, readable_options
from vinewright.console.options import (
    ForceOption,
    FrictionOption,
    PhysicsOption,
    PropagatorOption,
    SolverOption,
    SurrogateOption,
    TubeOption,
    UncertaintyOption,
    environment_and_tube,
    print_hints,
)

if TYPE_CHECKING:
    from dynamics.tube import VineParams
    from environments import Environment
    from planner.plan.options import Inputs
    from planner.plan.run.checkpoint import Checkpoint

UNLIMITED = 1e6
"""Search time [s] that stands for no limit."""


def plan(
    ctx: typer.Context,
    env: Envs = None,
    same_design: SameDesign = False,
    out: Out = None,
    seed: Seed = 0,
    batch: Batch = 100,
    time_budget: TimeBudget = 30.0,
    iterations: Iterations = None,
    first: First = False,
    target_actuators: TargetActuators = None,
    solutions: Solutions = 10,
    heuristic: Heuristic = False,
    planner: PlannerOption = SST_STAR,
    fast: Fast = False,
    steer: SteerOption = 0,
    particles: ParticlesOption = 1,
    preformed: Preformed = False,
    preformed_cost: PreformedCost = 0.1,
    success: Success = None,
    uncertainty: UncertaintyOption = None,
    verify: Verify = None,
    full_tree: FullTree = False,
    tube: TubeOption = None,
    physics: PhysicsOption = None,
    actuator: ActuatorKind = None,
    propagator: PropagatorOption = "quasistatic",
    device: DeviceOption = "auto",
    solver: SolverOption = None,
    surrogate: SurrogateOption = None,
    friction: FrictionOption = None,
    resume: Resume = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> int:
    """Find a design with few actuators that reaches the goal although nothing is built exactly. Ctrl-C stops early and keeps the best.

    Exit code 3 if there is none, or if it is not what was asked.
    """
    answer = Answer(as_json)
    _check_files(env or [], tube, resume, same_design, out)
    _check_numbers(time_budget, fast, success, uncertainty, particles, propagator)
    with readable_errors():
        from planner.plan.options import Inputs

        if resume:
            return _resumed(resume, _given_again(ctx), out, force, full_tree, answer)
        every = [
            environment_and_tube(one, tube, None if actuator is None else known_actuators(actuator), physics)
            for one in env or []
        ]
        _, params = every[0]  # with --same-design all have the same tube
        with readable_options():
            inputs = Inputs(
                actuator=params.kinds, propagator=propagator, device=device, solver=solver, surrogate=surrogate, seed=seed,
                heuristic=heuristic, planner=planner, batch=batch, time_budget_s=time_budget, iterations=iterations, first=first,
                target_actuators=target_actuators, solutions=solutions, fast=fast, particles=particles, preformed=preformed, steer=steer,
                preformed_cost=preformed_cost, success=success, uncertainty=uncertainty, friction=friction, verify=verify,
            )  # fmt: skip
        return _begun(every, inputs, same_design, out, force, full_tree, answer)


def _begun(
    every: list[tuple[Environment, VineParams]],
    inputs: Inputs,
    same_design: bool,
    out: Path | None,
    force: bool,
    full_tree: bool,
    answer: Answer,
) -> int:
    """Begin a plan for one environment, or for all of them; returns the exit code.

    Raises:
        BadInput: Preformed bends are asked for in a tube for several environments.
    """
    from planner.output.folder import stem_of
    from vinewright.commands.plan_several import plan_for_all

    if same_design and inputs.preformed:
        raise BadInput("--preformed is for one ENV: a preformed bend cannot be switched off where it is not wanted")
    if same_design:
        return plan_for_all(every, inputs, out, force, full_tree, answer)
    environment, params = every[0]
    with claim(out, Path("runs") / stem_of(environment.name), force) as folder:
        return _planned(inputs, environment, params, None, folder, full_tree, answer)


def _check_files(env: list[str], tube: str | None, resume: Path | None, same_design: bool, out: Path | None) -> None:
    """Check how many environments are given, and that neither they nor the tube lie in the folder for the results.

    Raises:
        BadInput: There is none and no run to resume, there are several without --same-design, or too few with it, or one does.
    """
    if same_design and resume:
        raise BadInput("--resume continues a run of one environment; a plan with --same-design cannot be resumed")
    if same_design and len(env) < 2:
        raise BadInput(f"--same-design needs two or more ENV; {len(env) or 'none'} given")
    if not env and resume is None:
        raise BadInput("give the environment, ENV, or a run to resume, --resume DIR")
    if len(env) > 1 and not same_design:
        raise BadInput(f"{len(env)} ENV given: add --same-design for one tube for all of them, or plan one at a time")
    for one in env:
        apart(out, Path(one), "environment")
    apart(out, Path(str(tube)), "tube")


def _check_numbers(
    time_budget: float, fast: bool, success: float | None, uncertainty: str | None, particles: int, propagator: str
) -> None:
    """Check the time, and the options about errors.

    Raises:
        BadInput: A value is out of its range, or two options contradict each other.
    """
    if not 0 < time_budget < 1e7:
        raise BadInput(f"--time-budget {time_budget:g} must be greater than 0 and finite, in seconds")
    if success is not None and not 0 < success <= 100:
        raise BadInput(f"--success {success:g} must be greater than 0 and at most 100, in percent")
    if fast and (success is not None or uncertainty is not None or particles > 1):
        raise BadInput(
            "--success, --uncertainty and --particles are for designs under errors; --fast plans without errors"
        )
    if particles > 1 and propagator != "quasistatic":
        raise BadInput(
            f"--particles {particles} needs --propagator quasistatic; {propagator} grows vines as planned only"
        )


def _resumed(
    resume: Path, given: dict[str, Any], out: Path | None, force: bool, full_tree: bool, answer: Answer
) -> int:
    """Continue the run in a folder, with the options that were given again; returns the exit code."""
    from planner.output.claim import check_folder, claim_to_resume
    from planner.plan.run.checkpoint import read_checkpoint

    elsewhere = out is not None and out.resolve() != resume.resolve()
    with claim(out, resume, force) if elsewhere else claim_to_resume(resume) as folder:
        checkpoint = read_checkpoint(resume)
        check_folder(folder, force=True)
        again = checkpoint.inputs.model_copy(update=given)
        return _planned(again, checkpoint.environment, checkpoint.tube, checkpoint, folder, full_tree, answer)


def _planned(
    inputs: Inputs,
    environment: Environment,
    params: VineParams,
    checkpoint: Checkpoint | None,
    out: Path,
    full_tree: bool,
    answer: Answer,
) -> int:
    """Plan, write and report; returns the exit code."""
    from environments.reach import WalledIn
    from planner.plan.plan import INTERRUPTED
    from vinewright.commands.plan_report import advice, plan_content, report, tell_how_to_resume, unmet
    from vinewright.console.plan_progress import Shown, planned

    if "ompl" not in sys.modules:  # its binding reports frozen objects as leaked
        gc.freeze()  # what is imported lives until the end, where Python would look through it for 0.3 s
    console = answer.console
    print_hints(console, environment, params.radius)
    try:
        result = planned(environment, params, inputs, checkpoint, out, Shown(console, checkpoint))
    except WalledIn as error:
        return answer.end({"environment": environment.name, "found": False}, missed=f"no solution: {error}")
    if result.best is None:
        console.print(advice(result.run))
    else:
        result.write(out, full_tree)
        report(console, result, out)
    reason = INTERRUPTED if result.interrupted else result.reason
    tell_how_to_resume(console, result.run, result.options, out, reason)
    return answer.end(plan_content(result), [out] if out.exists() else [], unmet(result))


def _given_again(ctx: typer.Context) -> dict[str, Any]:
    """The budget and the verifying propagator given with --resume; a new budget replaces the whole old one.

    Raises:
        BadInput: The option cannot be changed when a run is resumed.
    """
    stops = {"time_budget": "time_budget_s", "iterations": "iterations", "first": "first"}
    stops["target_actuators"] = "target_actuators"
    given = [name for name in ctx.params if getattr(ctx.get_parameter_source(name), "name", "") == "COMMANDLINE"]
    for name in given:
        if name not in (*stops, "verify", "full_tree", "resume", "out", "force", "as_json"):
            option = "ENV" if name == "env" else f"--{name.replace('_', '-')}"
            raise BadInput(
                f"{option} cannot be given with --resume: a run keeps its options; --time-budget, --iterations, --first, "
                "--target-actuators, --verify, --full-tree, --out, --force and --json can be given again"
            )
    again = {stops[name]: ctx.params[name] for name in given if name in stops}
    if again:
        # A limit that is not given again must not end the search at once: most of the old time budget is used up.
        again = {"iterations": None, "first": False, "target_actuators": None, "time_budget_s": UNLIMITED, **again}
    return again | ({"verify": ctx.params["verify"]} if "verify" in given else {})
