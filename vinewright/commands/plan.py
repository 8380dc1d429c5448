"""`vinewright plan`: from an environment to a design."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from planner.output.claim import claim
from planner.plan.options import OPTIONS, contradiction
from vinewright.commands.plan_options import Envs, FullTree, Out, Resume, SameDesign
from vinewright.console.answer import Answer, JsonOption
from vinewright.console.device import DeviceOption
from vinewright.console.errors import BadInput, apart, readable_errors, readable_options
from vinewright.console.listed_options import parameter_name, plan_parameters
from vinewright.console.options import (
    ForceOption,
    PhysicsOption,
    TubeOption,
    environment_and_tube,
    print_hints,
    print_unused_learnt,
)

if TYPE_CHECKING:
    from dynamics.tube import VineParams
    from environments import Environment
    from planner.plan.inputs import Inputs
    from planner.plan.run.checkpoint import Checkpoint

UNLIMITED = 1e6
"""Search time [s] that stands for no limit."""


def _add_plan_options(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command all options of a plan besides its own; it gets them as `options`."""
    own = [one for one in signature(command, eval_str=True).parameters.values() if one.kind != Parameter.VAR_KEYWORD]
    listed = plan_parameters({"device": DeviceOption})
    command.__signature__ = Signature([*own, *listed], return_annotation=int)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in (*own, *listed)}
    return command


@_add_plan_options
def plan(
    ctx: typer.Context,
    env: Envs = None,
    same_design: SameDesign = False,
    tube: TubeOption = None,
    physics: PhysicsOption = None,
    out: Out = None,
    full_tree: FullTree = False,
    resume: Resume = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
    **options: Any,
) -> int:
    """Find a design with few actuators that reaches the goal although nothing is built exactly. Ctrl-C stops early and keeps the best.

    Exit code 3 if there is none, or if it is not what was asked: 90 % of trials reach the goal, unless --success says otherwise.
    """
    answer = Answer(as_json)
    asked = {option.name: options[parameter_name(option.name)] for option in OPTIONS}
    _check_files(env or [], tube, resume, same_design, out)
    apart(out, Path(str(asked["start_from"])), "design")
    _check_numbers(asked)
    with readable_errors():
        from planner.plan.inputs import Inputs
        from surrogate.registry import parse_actuators

        if resume:
            return _resume(resume, _find_changes(ctx), out, force, full_tree, answer)
        actuators = None if asked["actuator"] is None else parse_actuators(asked["actuator"])
        every = [environment_and_tube(one, tube, actuators, physics) for one in env or []]
        _, params = every[0]  # with --same-design all have the same tube
        with readable_options():
            inputs = Inputs(**{**asked, "actuator": params.kinds})
        return _begin(every, inputs, same_design, out, force, full_tree, answer)


def _begin(
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
        return _plan(inputs, environment, params, None, folder, full_tree, answer)


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


def _check_numbers(asked: dict[str, Any]) -> None:
    """Check the time, and the options about errors.

    Raises:
        BadInput: A value is out of its range, or two options contradict each other.
    """
    time_budget, success = asked["time_budget_s"], asked["success"]
    if not 0 < time_budget < 1e7:
        raise BadInput(f"--time-budget {time_budget:g} must be greater than 0 and finite, in seconds")
    if success is not None and not 0 < success <= 100:
        raise BadInput(f"--success {success:g} must be greater than 0 and at most 100, in percent")
    if found := contradiction(asked):
        raise BadInput(found)


def _resume(resume: Path, given: dict[str, Any], out: Path | None, force: bool, full_tree: bool, answer: Answer) -> int:
    """Continue the run in a folder, with the options that were given again; returns the exit code."""
    from planner.output.claim import check_folder, claim_to_resume
    from planner.plan.run.checkpoint import read_checkpoint

    elsewhere = out is not None and os.path.realpath(out) != os.path.realpath(resume)
    with claim(out, resume, force) if elsewhere else claim_to_resume(resume) as folder:
        checkpoint = read_checkpoint(resume)
        check_folder(folder, force=True)
        again = checkpoint.inputs.model_copy(update=given)
        return _plan(again, checkpoint.environment, checkpoint.tube, checkpoint, folder, full_tree, answer)


def _plan(
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
    from planner.plan.plan import plan as search_and_choose
    from planner.plan.problem import Problem
    from planner.plan.searching import INTERRUPTED
    from planner.uncertainty.errors import named_errors
    from vinewright.commands.plan_report import advice, plan_content, report, resume_command, unmet
    from vinewright.console.plan_progress import ConsoleWatcher

    if "ompl" not in sys.modules:  # its binding reports frozen objects as leaked
        gc.freeze()  # what is imported lives until the end, where Python would look through it for 0.3 s
    console = answer.console
    _, errors = named_errors(environment, params, inputs.uncertainty)
    print_hints(console, environment, params.radius, errors)
    print_unused_learnt(console, environment, params, errors)
    try:
        problem = Problem.of(environment, params, inputs, checkpoint.known if checkpoint else None)
        result = search_and_choose(problem, checkpoint, out, ConsoleWatcher(console, checkpoint))
    except WalledIn as error:
        return answer.end({"environment": environment.name, "found": False}, missed=f"no solution: {error}")
    if result.best is None:
        console.print(advice(result.run))
    else:
        result.write(out, full_tree)
        report(console, result, out)
    reason = INTERRUPTED if result.interrupted else result.reason
    again = resume_command(result.run, result.options, out, reason)
    missed = unmet(result, out, again)
    if again and again not in missed:
        console.print(f"resume with: {again}")
    return answer.end(plan_content(result), [out] if out.exists() else [], missed)


def _find_changes(ctx: typer.Context) -> dict[str, Any]:
    """The budget and the verifying propagator given with --resume; a new budget replaces the whole old one.

    Raises:
        BadInput: The option cannot be changed when a run is resumed.
    """
    stops = {"time_budget": "time_budget_s", "iterations": "iterations", "first": "first"}
    stops["target_actuators"] = "target_actuators"
    given = [name for name in ctx.params if getattr(ctx.get_parameter_source(name), "name", "") == "COMMANDLINE"]
    flags = {one.name: one.opts[0] for one in ctx.command.params}
    for name in given:
        if name not in (*stops, "verify", "full_tree", "resume", "out", "force", "as_json"):
            option = "ENV" if name == "env" else flags[name]
            raise BadInput(
                f"{option} cannot be given with --resume: a run keeps its options; --time-budget, --iterations, --first, "
                "--target-actuators, --verify, --full-tree, --out, --force and --json can be given again"
            )
    again = {stops[name]: ctx.params[name] for name in given if name in stops}
    if again:
        # A limit that is not given again must not end the search at once: most of the old time budget is used up.
        again = {"iterations": None, "first": False, "target_actuators": None, "time_budget_s": UNLIMITED, **again}
    return again | ({"verify": ctx.params["verify"]} if "verify" in given else {})
